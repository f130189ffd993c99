"""Ends a test that hangs by an exception raised in it, so that the tests after it are still run.

It reaches what runs Python code or waits in a system call of the main thread; what hangs inside a C library is left
to the time limit of the whole run.
"""

import _signal
import time

# The alarm comes again after so many seconds, for as long as the test runs: one that swallows the exception meets it
# again, and one that was at no place to be stopped is looked at again.
AGAIN = 1.0
# Once a test has hung, others are likely to: they get ten times the slowest test that ended, and this at the least.
AFTER_A_HANG = 2.0

# Bound before any code of the project is loaded, and without the enumerations that `signal` wraps around them: this is
# called for each test.
getsignal, set_handler, setitimer, monotonic = _signal.getsignal, _signal.signal, _signal.setitimer, time.monotonic
ALARM, REAL, DEFAULT = _signal.SIGALRM, _signal.ITIMER_REAL, _signal.SIG_DFL


class TestHung(BaseException):
    """Not an Exception: code under test that catches every Exception must not catch this one."""


class HangGuard:
    """`enter` and `leave` go around a test.

    `limit`: seconds for one test; None: no limit, as where the project sets one by the same signal.
    `part_of(frame)`: what part of a test (its set-up, say) the innermost `frame` belongs to, in which an exception is
    taken for the test's own; None: the framework itself is at work, and would break.
    """

    def __init__(self, limit, part_of=lambda frame: "test"):
        self.limit = limit
        self.part_of = part_of
        self.slowest = 0.0
        self.hung = False
        self.started = 0.0
        # The part that was stopped last, and since when the present one has been seen.
        self.part = None
        self.since = 0.0
        # One object, so that it can be recognised.
        self.handler = self.on_alarm

    def enter(self):
        self.started = self.since = monotonic()
        self.part = None
        if self.limit is None:
            return
        # A handler of the project's own, or of a plugin, is in charge of its own time limits.
        handler = getsignal(ALARM)
        if handler == DEFAULT:
            handler = self.handler
            set_handler(ALARM, handler)
        if handler is self.handler:
            setitimer(REAL, self.allowed(), AGAIN)

    def leave(self):
        if self.limit is None:
            return
        if getsignal(ALARM) is self.handler:
            setitimer(REAL, 0)
        spent = monotonic() - self.started
        if spent < self.allowed():
            self.slowest = max(self.slowest, spent)
        else:
            self.hung = True

    def close(self):
        """After the last test: what is no test has the signal as it was."""
        if getsignal(ALARM) is self.handler:
            set_handler(ALARM, DEFAULT)

    def allowed(self):
        if not self.hung:
            return self.limit
        return min(self.limit, max(AFTER_A_HANG, 10 * self.slowest))

    def on_alarm(self, _signal, frame):
        part = self.part_of(frame)
        if part is None:
            return
        # What runs after a part that was stopped has the whole time again.
        if self.part is not None and part != self.part:
            self.part = part
            self.since = monotonic()
            return
        if self.part is None or monotonic() - self.since >= self.allowed():
            self.part = part
            raise TestHung("the test ran for more than %g s and was stopped" % self.allowed())
