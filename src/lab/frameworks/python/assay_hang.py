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
    """`limit`: seconds for one test; None: no limit, as where the project sets one by the same signal."""

    def __init__(self, limit):
        self.limit = limit
        self.slowest = 0.0
        self.hung = False
        self.started = 0.0
        self.previous = None

    def begin(self):
        self.started = time.monotonic()
        # A handler of the project's own, or of a plugin, is in charge of its own time limits.
        if self.limit is None or signal.getsignal(signal.SIGALRM) is not signal.SIG_DFL:
            return
        self.previous = signal.signal(signal.SIGALRM, self.on_alarm)
        signal.setitimer(signal.ITIMER_REAL, self.allowed(), AGAIN)

    def end(self):
        if self.previous is not None:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, self.previous)
            self.previous = None
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
