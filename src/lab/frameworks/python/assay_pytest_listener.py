"""The one plugin that the lab adds to pytest: it listens and reports, and runs the canaries at the end."""

import os

from assay_canaries import run_in_pytest
from assay_channel import TRACE_LIMIT, Places, clip, static_ids
from assay_hang import HangGuard
from assay_pytest_results import marked, result_of
from assay_watch import watch_pytest


def phase_finder():
    """`part_of` of a HangGuard: pytest takes an exception for the test's own while it calls one of its phases."""
    from _pytest.runner import CallInfo

    call = CallInfo.from_call.__func__.__code__

    def phase_of(frame):
        # Where it is at work itself, before the phase or after it, an exception would break it.
        frame = None if frame is None or frame.f_code is call else frame.f_back
        while frame is not None and frame.f_code is not call:
            frame = frame.f_back
        return None if frame is None else frame.f_locals.get("when", "call")

    return phase_of


class Listener:
    """The plugin. One record per finished test, whatever reports the test made (phases, subtests, reruns)."""

    def __init__(self, config, send, watches):
        import pytest

        self.pytest = pytest
        self.mode = config["mode"]
        self.places = Places(config["root"], config["environments"])
        self.send = send
        self.watches = watches
        self.conftests = {os.path.join(config["root"], path) for path in config["conftests"]}
        self.names = {}
        self.current = None
        self.broken = []
        self.crashed = False
        self.reached = False
        self.guard = HangGuard(config["testLimit"], phase_finder())

    def hooks(self):
        """The object to register: hook methods made here so that their markers need no import of pytest above."""
        hook = self.pytest.hookimpl
        listener = self

        class AssayListener:
            @hook(tryfirst=True)
            def pytest_plugin_registered(self, plugin):
                listener.registered(plugin)

            @hook(trylast=True)
            def pytest_sessionstart(self, session):
                # Plugins and conftest.py files have changed by now what they honestly change.
                listener.watches["framework"] = watch_pytest()

            @hook(trylast=True)
            def pytest_collection_finish(self, session):
                listener.collected(session)

            @hook(tryfirst=True)
            def pytest_exception_interact(self, node, call, report):
                listener.interact(node, call, report)

            @hook(tryfirst=True)
            def pytest_collectreport(self, report):
                listener.collect_report(report)

            @hook(hookwrapper=True, tryfirst=True)
            def pytest_runtest_protocol(self, item, nextitem):
                listener.begin(item)
                yield
                listener.finish(item)

            @hook(tryfirst=True)
            def pytest_runtest_logreport(self, report):
                listener.reported(report)

            @hook(trylast=True)
            def pytest_sessionfinish(self, session):
                listener.guard.close()
                if listener.mode == "run":
                    listener.canaries(session)

            @hook(tryfirst=True)
            def pytest_internalerror(self, excrepr, excinfo):
                listener.crashed = True
                listener.problem("", excinfo.value, excinfo.tb, str(excrepr))

        return AssayListener()

    def registered(self, plugin):
        path = getattr(plugin, "__file__", None)
        if path and os.path.basename(path) == "conftest.py":
            if self.places.relative(path)[1] and path not in self.conftests:
                self.send("irregular", text="%s was not there at the start" % self.places.relative(path)[0])

    def collected(self, session):
        ids, skipped, xfailed, count = [], [], [], {}
        for item in session.items:
            seen = count[item.nodeid] = count.get(item.nodeid, 0) + 1
            name = item.nodeid if seen == 1 else "%s#%d" % (item.nodeid, seen)
            self.names[item] = name
            ids.append(name)
            if self.mode == "collect":
                mark = marked(item)
                if mark == "skipped":
                    skipped.append(name)
                elif mark == "xfailed":
                    xfailed.append(name)
        self.send("collected", ids=ids, skipped=skipped, xfailed=xfailed, file=None)

    def interact(self, node, call, report):
        """Remembers the exception of a failure: `report` alone has only its text."""
        if call.excinfo is None:
            return
        error = call.excinfo.value
        if self.current is not None:
            self.current["failures"].append((error, call.excinfo.tb))
        elif not hasattr(node, "runtest"):
            # An error of an import comes wrapped in one that says which file it was.
            if error.__cause__ is not None and type(error).__name__ == "CollectError":
                error = error.__cause__
            self.broken.append((report.nodeid, error))

    def collect_report(self, report):
        if not report.failed:
            return
        error = next((error for nodeid, error in self.broken if nodeid == report.nodeid), None)
        path = os.path.join(str(self.config.rootpath), report.nodeid.split("::")[0])
        file = self.places.relative(path)[0]
        self.problem(file, error, getattr(error, "__traceback__", None), report.longreprtext)
        if self.mode == "collect" and path.endswith(".py") and os.path.isfile(path):
            self.partial(path, file, report.nodeid)

    def partial(self, path, file, nodeid):
        functions = [name.rstrip("*") for name in self.config.getini("python_functions")]
        classes = [name.rstrip("*") for name in self.config.getini("python_classes")]
        try:
            ids = static_ids(path, nodeid, "::", functions, classes)
        except (SyntaxError, ValueError):
            ids = []
        self.send("collected", ids=ids, skipped=[], xfailed=[], file=file)

    def problem(self, file, error, tb, trace):
        if error is None:
            failure = {"type": "", "message": "", "trace": clip(trace, TRACE_LIMIT), "frames": []}
        else:
            failure = self.places.failure(error, tb, trace)
        self.send("problem", file=file, problem=failure)

    def canaries(self, session):
        self.reached = True
        if self.crashed:
            # pytest has taken its machinery down already: a test run now would fail whatever it is.
            self.send("canary", id="assert", outcome="unbuilt", detail="pytest had an internal error before")
        else:
            run_in_pytest(session, self.send, self.watches)

    def begin(self, item):
        self.current = {"reports": [], "failures": []}
        self.guard.enter()

    def reported(self, report):
        if self.current is None:
            return
        if report.outcome == "rerun":
            self.current = {"reports": [], "failures": []}
        else:
            self.current["reports"].append(report)

    def finish(self, item):
        self.guard.leave()
        current, self.current = self.current, None
        name = self.names.get(item)
        if current and current["reports"] and name is not None:
            self.send("test", test=result_of(item, name, current, self.places))
