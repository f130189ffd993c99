"""The result object the lab hands to unittest: it reports each finished test over the private channel."""

import re
import sys
import time
import unittest

from assay_channel import OUTPUT_LIMIT, Places, clip, safe_text
from assay_hang import HangGuard


def tests_of(suite):
    """Every test of a suite, in order."""
    for test in suite:
        if isinstance(test, unittest.TestSuite):
            yield from tests_of(test)
        elif test is not None:
            yield test


class Listener(unittest.TestResult):
    """One record per finished test, whatever the test reported on the way (subtests, clean-ups)."""

    def __init__(self, config, send):
        super().__init__()
        self.buffer = True
        self.places = Places(config["root"], config["environments"])
        self.send = send
        self.names = {}
        self.order = []
        self.current = None
        self.done = set()
        self.guard = HangGuard(config["testLimit"])

    def name_all(self, suite):
        count = {}
        for test in tests_of(suite):
            base = test.id()
            seen = count[base] = count.get(base, 0) + 1
            self.names[id(test)] = base if seen == 1 else "%s#%d" % (base, seen)
            self.order.append(test)

    def startTest(self, test):
        super().startTest(test)
        self.current = {"status": "passed", "failure": None, "reason": None, "since": time.perf_counter()}
        self.guard.enter()

    def stopTest(self, test):
        self.guard.leave()
        # Python 3.12.1 stops skipped tests that it never started.
        if self.current is None:
            return
        current, self.current = self.current, None
        stdout = getattr(self._stdout_buffer, "getvalue", str)()
        stderr = getattr(self._stderr_buffer, "getvalue", str)()
        super().stopTest(test)
        spent = (time.perf_counter() - current["since"]) * 1000
        self.record(test, current["status"], current["failure"], current["reason"], spent, stdout, stderr)

    def record(self, test, status, failure, reason, spent=0.0, stdout="", stderr=""):
        name = self.names.get(id(test))
        if name is None or name in self.done:
            return
        self.done.add(name)
        file, line = place_of(test)
        self.send(
            "test",
            test={
                "id": name,
                "file": self.places.relative(file)[0],
                "line": line,
                "status": status,
                "durationMs": max(0.0, spent),
                "failure": failure,
                "skipReason": reason,
                "stdout": clip(stdout, OUTPUT_LIMIT),
                "stderr": clip(stderr, OUTPUT_LIMIT),
            },
        )

    def failure(self, err, test):
        trace = self._exc_info_to_string(err, test)
        return self.places.failure(err[1], trimmed(err[2]), trace)

    def bad(self, status, err, test):
        if self.current is None:
            self.outside(test, err)
        elif self.current["failure"] is None:
            self.current.update(status=status, failure=self.failure(err, test))

    def outside(self, test, err):
        """setUpClass, setUpModule and their counterparts: no test is running, so it is told of every test it holds back."""
        failure = self.failure(err, test)
        held = self.held_back(test)
        for each in held:
            self.record(each, "error", failure, None)
        if not held:
            self.send("problem", file="", problem=failure)

    def held_back(self, holder):
        match = re.match(r"^setUp(Class|Module) \((.+)\)$", safe_text(getattr(holder, "description", "")))
        if match is None:
            return []
        key = {"Class": lambda each: unittest.util.strclass(type(each)), "Module": lambda each: type(each).__module__}
        return [each for each in self.order if key[match.group(1)](each) == match.group(2)]

    def addError(self, test, err):
        super().addError(test, err)
        self.bad("error", err, test)

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self.bad("failed", err, test)

    def addSubTest(self, test, subtest, err):
        super().addSubTest(test, subtest, err)
        if err is not None:
            self.bad("failed" if issubclass(err[0], test.failureException) else "error", err, subtest)

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        if self.current is None:
            for each in [test] if id(test) in self.names else self.held_back(test):
                self.record(each, "skipped", None, safe_text(reason))
        elif self.current["failure"] is None and not hasattr(test, "test_case"):
            self.current.update(status="skipped", reason=safe_text(reason))

    def addExpectedFailure(self, test, err):
        super().addExpectedFailure(test, err)
        self.current.update(status="xfailed", reason=safe_text(err[1]))

    def addUnexpectedSuccess(self, test):
        """A failure for unittest, as strict xfail is for pytest."""
        super().addUnexpectedSuccess(test)
        text = "marked as an expected failure, but it passed"
        failure = {"type": "UnexpectedSuccess", "message": text, "trace": text, "frames": []}
        self.current.update(status="failed", failure=failure)


def trimmed(tb):
    """The traceback without unittest's own leading frames."""
    while tb is not None and "__unittest" in tb.tb_frame.f_globals:
        tb = tb.tb_next
    return tb


def place_of(test):
    """(file, line) of a test: its class's module, and the line where the method is in that file."""
    method = getattr(test, getattr(test, "_testMethodName", ""), None)
    while hasattr(method, "__wrapped__"):
        method = method.__wrapped__
    code = getattr(getattr(method, "__func__", method), "__code__", None)
    file = getattr(sys.modules.get(type(test).__module__), "__file__", None) or ""
    return file, code.co_firstlineno if code is not None and code.co_filename == file else None


def marked(test):
    method = getattr(test, getattr(test, "_testMethodName", ""), None)
    if getattr(type(test), "__unittest_skip__", False) or getattr(method, "__unittest_skip__", False):
        return "skipped"
    if getattr(method, "__unittest_expecting_failure__", False):
        return "xfailed"
    return None
