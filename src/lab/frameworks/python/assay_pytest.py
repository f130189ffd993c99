"""Runs or collects a project's tests with pytest and reports over the private channel.

The project's own configuration, conftest.py files and installed plugins are in force, as by hand. This file adds
one plugin that listens, and runs the canaries after the project's tests. Python 3.8 and later, pytest 7 to 9.
"""

import os
import sys

from assay_channel import (
    OUTPUT_LIMIT,
    TRACE_LIMIT,
    Places,
    builtins_watch,
    clip,
    enter_project,
    open_channel,
    python_version,
    read_configuration,
    safe_text,
    send_byte_code,
    send_static,
    static_ids,
)
from assay_hang import HangGuard


class Listener:
    """The plugin. One record per finished test, whatever reports the test made (phases, subtests, reruns)."""

    def __init__(self, config, send, watch):
        import pytest

        self.pytest = pytest
        self.mode = config["mode"]
        self.places = Places(config["root"], config["environments"])
        self.send = send
        self.watch = watch
        self.conftests = {os.path.join(config["root"], path) for path in config["conftests"]}
        self.names = {}
        self.current = None
        self.broken = []
        self.crashed = False
        self.reached = False
        self.guard = HangGuard(config["testLimit"])

    def hooks(self):
        """The object to register: hook methods made here so that their markers need no import of pytest above."""
        hook = self.pytest.hookimpl
        listener = self

        class AssayListener:
            @hook(tryfirst=True)
            def pytest_plugin_registered(self, plugin):
                listener.registered(plugin)

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

            # Around each phase, where pytest takes an exception for the test's own.
            @hook(hookwrapper=True)
            def pytest_runtest_setup(self):
                yield from listener.guarded()

            @hook(hookwrapper=True)
            def pytest_runtest_call(self):
                yield from listener.guarded()

            @hook(hookwrapper=True)
            def pytest_runtest_teardown(self):
                yield from listener.guarded()

            @hook(tryfirst=True)
            def pytest_runtest_logreport(self, report):
                listener.reported(report)

            @hook(trylast=True)
            def pytest_sessionfinish(self, session):
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
            run_canaries(session, self.send, self.watch)

    def guarded(self):
        self.guard.begin()
        try:
            yield
        finally:
            self.guard.end()

    def begin(self, item):
        self.current = {"reports": [], "failures": []}

    def reported(self, report):
        if self.current is None:
            return
        if report.outcome == "rerun":
            self.current = {"reports": [], "failures": []}
        else:
            self.current["reports"].append(report)

    def finish(self, item):
        current, self.current = self.current, None
        name = self.names.get(item)
        if current and current["reports"] and name is not None:
            self.send("test", test=self.result(item, name, current))

    def result(self, item, name, current):
        reports = current["reports"]
        bad = [report for report in reports if report.failed]
        whole = [report for report in reports if not hasattr(report, "context")] or reports
        status, reason = status_of(whole, bad)
        failure = None
        if bad:
            error, tb = current["failures"][0] if current["failures"] else (None, None)
            trace = "\n".join(report.longreprtext for report in bad)
            failure = (
                {"type": "", "message": trace.strip().split("\n")[-1], "trace": clip(trace, TRACE_LIMIT), "frames": []}
                if error is None
                else self.places.failure(error, tb, trace)
            )
        place, line, _ = item.location
        # Not the location's own file: a method a class inherits is found in the file of the class.
        file = self.places.relative(str(item.path))[0]
        inside = place == file or self.places.relative(os.path.join(str(item.config.rootpath), place))[0] == file
        return {
            "id": name,
            "file": file,
            "line": line + 1 if inside and line is not None else None,
            "status": status,
            "durationMs": max(0.0, sum(report.duration for report in whole) * 1000),
            "failure": failure,
            "skipReason": reason,
            "stdout": clip(whole[-1].capstdout, OUTPUT_LIMIT),
            "stderr": clip(whole[-1].capstderr, OUTPUT_LIMIT),
        }


def status_of(reports, bad):
    """(status, reason of a skip or an expected failure) of one test from its phases' reports."""
    if any(report.when == "call" for report in bad):
        return "failed", None
    if bad:
        return "error", None
    for report in reports:
        expected = getattr(report, "wasxfail", None)
        if report.skipped:
            if expected is not None:
                return "xfailed", safe_text(expected)
            reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longreprtext
            return "skipped", reason[len("Skipped: ") :] if reason.startswith("Skipped: ") else reason
        if expected is not None and report.when == "call":
            return "xpassed", safe_text(expected)
    return "passed", None


def marked(item):
    """What the item's own marks say, before anything of it is run: skipped, xfailed or None."""
    from _pytest import skipping

    target = getattr(item, "obj", None)
    owner = getattr(item, "cls", None)
    try:
        if getattr(target, "__unittest_skip__", False) or getattr(owner, "__unittest_skip__", False):
            return "skipped"
        if skipping.evaluate_skip_marks(item) is not None:
            return "skipped"
        if getattr(target, "__unittest_expecting_failure__", False) or skipping.evaluate_xfail_marks(item) is not None:
            return "xfailed"
    except BaseException:  # noqa: B036 - a condition is code of the project
        return None
    return None


def run_canaries(session, send, watch):
    """Runs tests that must fail and tests that must pass through pytest's own machinery, unseen by its reporters."""
    import assay_canaries

    try:
        items, unneeded = assay_canaries.pytest_items(session, watch)
    except BaseException as error:  # noqa: B036 - an unknown version of pytest, or one that was patched
        detail = "pytest's items cannot be made: %s: %s" % (type(error).__name__, safe_text(error))
        send("canary", id="assert", outcome="unbuilt", detail=clip(detail, 2000))
        return
    from _pytest import runner

    for name in unneeded:
        send("canary", id=name, outcome="not_needed", detail="")
    # Python's own tracebacks: pytest's would read and parse sources, for failures that nobody looks at.
    style, session.config.option.tbstyle = session.config.option.tbstyle, "native"
    for name, item in items:
        try:
            reports = runner.runtestprotocol(item, log=False, nextitem=None)
            outcome = "passed" if all(report.outcome == "passed" for report in reports) and reports else "failed"
            detail = "\n".join(report.longreprtext for report in reports if report.outcome != "passed")
        except BaseException as error:  # noqa: B036
            outcome, detail = "failed", "%s: %s" % (type(error).__name__, safe_text(error))
        send("canary", id=name, outcome=outcome, detail=clip(detail, 2000))
    session.config.option.tbstyle = style


def main():
    config = read_configuration()
    send, end = open_channel(config["nonce"])
    if config["mode"] == "static":
        send("start", framework="pytest", version="", runtime=python_version())
        send_static(config, send, str, "::")
        end(0)
        return 0
    runner_folder = sys.path.pop(0)
    try:
        import pytest
    except ModuleNotFoundError as error:
        send(
            "unable",
            detail="%s has no module %s" % (sys.executable, error.name),
            fix="install pytest for it (python -m pip install pytest), or name another interpreter in the test command",
        )
        end(1)
        return 1
    sys.path.insert(0, runner_folder)
    import assay_canaries  # noqa: F401 - loaded now: later the path is the project's

    send("start", framework="pytest", version=pytest.__version__, runtime=python_version())
    listener = Listener(config, send, builtins_watch())
    hooks = listener.hooks()

    class Configured:
        """Kept apart: pytest hands its configuration over after the plugin was made."""

        @pytest.hookimpl(tryfirst=True)
        def pytest_configure(self, config):
            listener.config = config

    enter_project(config["root"])
    if config["via"] == "script":
        sys.path.pop(0)
    status = int(pytest.main(config["args"], plugins=[hooks, Configured()]))
    if config["mode"] == "run" and not listener.reached:
        send("canary", id="assert", outcome="unbuilt", detail="pytest never got as far as a session")
    if config["mode"] == "collect":
        send_byte_code(listener.places, send)
    end(status)
    return status


if __name__ == "__main__":
    sys.exit(main())
