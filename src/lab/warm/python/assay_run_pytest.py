"""Runs pytest inside a fork, with as much as possible prepared before the fork."""

import sys

import pytest
from _pytest.config import PytestPluginManager, _prepareconfig

import assay_trace
from assay_project import Project


# Hooks that pytest calls on a conftest.py before or while it makes its configuration: such a file cannot be late.
EARLY_HOOKS = ("pytest_addoption", "pytest_sessionstart", "pytest_cmdline", "pytest_load_initial_conftests")


class Runner:
    """`setup["args"]`: pytest's own arguments.

    They ask for plain assertions: what a failed one compared is of no interest here, and rewriting costs time.
    """

    def __init__(self, setup):
        self.setup = setup
        self.project = Project(setup)
        self.project.cache_code()
        self.plugin = Plugin()
        self.session = None
        self.late = None

    def open(self):
        """Configuration and session, without collecting."""
        config = _prepareconfig(list(self.setup["args"]), plugins=[self.plugin])
        config._do_configure()
        session = pytest.Session.from_config(config)
        config.hook.pytest_sessionstart(session=session)
        return session

    def open_early(self):
        """The same without the project's conftest.py files, which import the project: `load_late` loads them, in a
        fork. Null where that would be noticed; private API, so any failure only costs time."""
        manager = PytestPluginManager
        load = getattr(manager, "_set_initial_conftests", None)
        if load is None or not self.can_be_late():
            return None
        calls = []
        manager._set_initial_conftests = lambda self, *args, **options: calls.append((self, args, options))
        try:
            session = self.open()
        finally:
            manager._set_initial_conftests = load
        self.late = lambda: [load(self, *args, **options) for self, args, options in calls]
        return session

    def can_be_late(self):
        for file in self.setup["tests"]:
            if file.endswith("conftest.py"):
                with open(file, encoding="utf-8", errors="replace") as handle:
                    text = handle.read()
                if any(name in text for name in EARLY_HOOKS):
                    return False
        return True

    def opened(self):
        """In a fork: the session, with everything loaded that tests need before they are collected."""
        if self.session is None:
            return self.open()
        if self.late is not None:
            self.late()
        return self.session

    def probe(self):
        """In a fork: what the tests need from outside, and whether the configuration loads project modules."""
        before = set(sys.modules)
        self.session = self.open_early()
        early = self.session is not None and not self.project.modules()
        session = self.opened()
        session.config.hook.pytest_collection(session=session)
        return {"modules": self.project.outside(before), "project": not early}

    def prepare(self, probe):
        if not probe["project"]:
            self.session = self.open_early()

    def run(self, order, edited, on_begin, on_pass, on_fail, on_invalid):
        self.project.forget_code(edited)
        self.plugin.begin(order, on_pass, on_fail, stop_at_first=True)
        session = self.opened()
        # Only the files of the tests that are wanted are collected; an id begins with its file.
        files = dict.fromkeys(test.split("::")[0] for test in order)
        session.config.args = [str(session.config.rootpath / file) for file in files]
        try:
            session.config.hook.pytest_collection(session=session)
        except (pytest.UsageError, session.Interrupted, session.Failed):
            on_invalid()
            return
        if session.testsfailed or session.testscollected < len(order):
            on_invalid()
            return
        on_begin()
        self.loop(session)

    def loop(self, session):
        try:
            session.config.hook.pytest_runtestloop(session=session)
        except (session.Failed, session.Interrupted):
            return

    def trace(self, order, limit, emit):
        self.plugin.begin(order, ignore, ignore, stop_at_first=False)
        self.plugin.tracer = assay_trace.TestTracer(self.setup["files"], limit, emit)
        session = self.opened()
        session.config.hook.pytest_collection(session=session)
        self.plugin.tracer.start()
        try:
            self.loop(session)
        finally:
            self.plugin.tracer.stop()


class Plugin:
    """Only the tests asked for, in the order asked for, to the first failure; those of setup and teardown count."""

    def __init__(self):
        self.tracer = None
        self.begin([], ignore, ignore, stop_at_first=True)

    def begin(self, order, on_pass, on_fail, stop_at_first):
        self.rank = {test: index for index, test in enumerate(order)}
        self.on_pass, self.on_fail = on_pass, on_fail
        self.stop_at_first = stop_at_first
        self.failed = set()
        self.names = {}

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items):
        count = {}
        for item in items:
            seen = count[item.nodeid] = count.get(item.nodeid, 0) + 1
            # The lab tells tests of one id apart in this way.
            self.names[item] = item.nodeid if seen == 1 else "%s#%d" % (item.nodeid, seen)
        wanted = [item for item in items if self.names[item] in self.rank]
        items[:] = sorted(wanted, key=lambda item: self.rank[self.names[item]])

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_protocol(self, item, nextitem):
        # Nobody reads how a candidate failed, and pytest spends longer on formatting that than on the test.
        item.repr_failure = item._repr_failure_py = lambda *_args, **_options: "failed"
        if self.tracer is not None:
            self.tracer.begin(self.names[item])
        yield
        if self.tracer is not None:
            self.tracer.end(self.names[item], item not in self.failed)

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_makereport(self, item, call):
        outcome = yield
        report = outcome.get_result()
        if report.failed:
            if item not in self.failed:
                self.on_fail(self.names[item])
            self.failed.add(item)
            if self.stop_at_first:
                item.session.shouldfail = "a test failed"
        elif report.when == "teardown" and item not in self.failed:
            self.on_pass(self.names[item])


def ignore(_test):
    """No one listens."""
