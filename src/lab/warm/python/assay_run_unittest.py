"""Runs unittest inside a fork."""

import sys
import unittest

import assay_trace
from assay_project import Project


class Runner:
    """`setup["order"]`: dotted test ids."""

    def __init__(self, setup):
        self.setup = setup
        self.project = Project(setup)
        self.project.cache_code()

    def probe(self):
        before = set(sys.modules)
        load(self.setup["order"])
        return {"modules": self.project.outside(before), "project": False}

    def prepare(self, _probe):
        """unittest has no configuration that could be prepared."""

    def run(self, order, edited, on_begin, on_pass, on_fail, on_invalid):
        self.project.forget_code(edited)
        try:
            suite = load(order)
        except Exception:
            suite = None
        if suite is None or any("unittest.loader._FailedTest" in test.id() for test in flatten(suite)):
            on_invalid()
            return
        on_begin()
        result = Result(on_pass, on_fail)
        result.failfast = True
        suite.run(result)

    def trace(self, order, limit, emit):
        result = Result(ignore, ignore)
        result.tracer = assay_trace.TestTracer(self.setup["files"], limit, emit)
        suite = load(order)
        result.tracer.start()
        try:
            suite.run(result)
        finally:
            result.tracer.stop()


class Result(unittest.TestResult):
    def __init__(self, on_pass, on_fail):
        super().__init__()
        self.on_pass, self.on_fail = on_pass, on_fail
        self.bad = set()
        self.tracer = None

    def startTest(self, test):
        super().startTest(test)
        if self.tracer is not None:
            self.tracer.begin(test.id())

    def stopTest(self, test):
        super().stopTest(test)
        passed = test.id() not in self.bad
        if passed:
            self.on_pass(test.id())
        if self.tracer is not None:
            self.tracer.end(test.id(), passed)

    def note_bad(self, test):
        if test.id() not in self.bad:
            self.bad.add(test.id())
            self.on_fail(test.id())

    def addError(self, test, err):
        super().addError(test, err)
        self.note_bad(test)

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self.note_bad(test)

    def addUnexpectedSuccess(self, test):
        super().addUnexpectedSuccess(test)
        self.note_bad(test)

    def addSubTest(self, test, subtest, err):
        super().addSubTest(test, subtest, err)
        if err is not None:
            self.note_bad(test)


def load(order):
    return unittest.defaultTestLoader.loadTestsFromNames(order)


def flatten(suite):
    for test in suite:
        if isinstance(test, unittest.TestSuite):
            yield from flatten(test)
        else:
            yield test


def ignore(_test):
    """No one listens."""
