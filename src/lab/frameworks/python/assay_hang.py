"""Ends a test that hangs by an exception raised in it, so that the tests after it are still run.

It reaches what runs Python code or waits in a system call of the main thread; what hangs inside a C library is left
to the time limit of the whole run.
"""

import signal
import time

# A test that swallows the exception meets it again after so many seconds, for as long as it runs.
AGAIN = 1.0
# Once a test has hung, others are likely to: they get ten times the slowest test that ended, and this at the least.
AFTER_A_HANG = 2.0


class TestHung(BaseException):
    """Not an Exception: code under test that catches every Exception must not catch this one."""


class HangGuard:
    """`limit`: seconds for one test; None: no limit, as where the project sets one by the same signal.

    `enter` and `leave` go around a test, `begin` and `end` around what may hang in it: a test's phases are timed one
    by one, and to exchange a handler costs much more than to set a timer.
    """

    def __init__(self, limit):
        self.limit = limit
        self.slowest = 0.0
        self.hung = False
        self.started = 0.0
        self.armed = False
        # One object, so that it can be recognised.
        self.handler = self.on_alarm

    def enter(self):
        # A handler of the project's own, or of a plugin, is in charge of its own time limits.
        if self.limit is not None and signal.getsignal(signal.SIGALRM) is signal.SIG_DFL:
            signal.signal(signal.SIGALRM, self.handler)

    def leave(self):
        if signal.getsignal(signal.SIGALRM) is self.handler:
            signal.signal(signal.SIGALRM, signal.SIG_DFL)

    def begin(self):
        self.started = time.monotonic()
        if signal.getsignal(signal.SIGALRM) is self.handler:
            self.armed = True
            signal.setitimer(signal.ITIMER_REAL, self.allowed(), AGAIN)

    def end(self):
        if self.armed:
            self.armed = False
            signal.setitimer(signal.ITIMER_REAL, 0)
        spent = time.monotonic() - self.started
        if self.limit is None or spent < self.allowed():
            self.slowest = max(self.slowest, spent)
        else:
            self.hung = True

    def allowed(self):
        if not self.hung:
            return self.limit
        return min(self.limit, max(AFTER_A_HANG, 10 * self.slowest))

    def on_alarm(self, _signal, _frame):
        raise TestHung("the test ran for more than %g s and was stopped" % self.allowed())
