"""Runs or collects a project's tests with unittest and reports over the private channel. Python 3.8 and later."""

import os
import sys
import traceback
import unittest

from assay_canaries import run_in_unittest
from assay_channel import (
    TRACE_LIMIT,
    Places,
    clip,
    enter_project,
    open_channel,
    python_version,
    read_configuration,
    safe_text,
    send_byte_code,
    send_runner_byte_code,
    send_static,
    static_ids,
)
from assay_unittest_listener import Listener, marked, tests_of
from assay_watch import watch_builtins, watch_unittest


class Runner:
    """What unittest.main hands the finished suite to."""

    def __init__(self, config, send, watches):
        self.config = config
        self.send = send
        self.watches = watches

    def run(self, suite):
        listener = Listener(self.config, self.send)
        broken = [test for test in tests_of(suite) if type(test).__name__ == "_FailedTest"]
        for test in broken:
            self.problem(listener, test)
        kept = unittest.TestSuite([suite]) if not broken else without(suite, set(map(id, broken)))
        listener.name_all(kept)
        names = [listener.names[id(test)] for test in listener.order]
        marks = [(listener.names[id(test)], marked(test)) for test in listener.order]
        self.send(
            "collected",
            ids=names,
            skipped=[name for name, mark in marks if mark == "skipped"],
            xfailed=[name for name, mark in marks if mark == "xfailed"],
            file=None,
        )
        if self.config["mode"] == "run":
            kept.run(listener)
            listener.guard.close()
            run_in_unittest(self.send, self.watches)
        if broken:
            listener.errors.append((broken[0], "could not be loaded"))
        self.count = len(names)
        return listener

    def problem(self, listener, test):
        """A module that cannot be imported: unittest makes a test of it that raises; here it is no test."""
        module = test._testMethodName
        place = module.replace(".", "/") + ".py"
        path = next((os.path.join(base, place) for base in sys.path if os.path.isfile(os.path.join(base, place))), None)
        # The loader keeps the import's traceback as text only.
        failure = listener.places.failure_from_text(safe_text(test._exception))
        file = listener.places.relative(path)[0] if path else place
        self.send("problem", file=file, problem=failure)
        if self.config["mode"] == "collect" and path is not None:
            self.partial(path, file, module)

    def partial(self, path, file, module):
        try:
            ids = static_ids(path, module, ".", functions=None, classes=None)
        except (SyntaxError, ValueError):
            ids = []
        self.send("collected", ids=ids, skipped=[], xfailed=[], file=file)


def without(suite, unwanted):
    return unittest.TestSuite(
        without(test, unwanted) if isinstance(test, unittest.TestSuite) else test
        for test in suite
        if id(test) not in unwanted
    )


def module_name(file):
    return file[: -len(".py")].replace("/", ".")


def main():
    config = read_configuration()
    send, end = open_channel(config["nonce"])
    send("start", framework="unittest", version=sys.version.split()[0], runtime=python_version())
    if config["mode"] == "static":
        send_static(config, send, module_name, ".", functions=None, classes=None)
        end(0)
        return 0
    runner = Runner(config, send, {"builtins": watch_builtins(), "framework": watch_unittest()})
    enter_project(config["root"])
    sys.path[:0] = [os.path.join(config["root"], folder) for folder in config["path"]]
    places = Places(config["root"], config["environments"])
    try:
        program = unittest.TestProgram(
            module=None, argv=["python -m unittest", *config["args"]], testRunner=runner, exit=False
        )
        status = 5 if runner.count == 0 else 0 if program.result.wasSuccessful() else 1
    except (Exception, SystemExit) as error:
        text = traceback.format_exc()
        send("problem", file="", problem=places.failure(error, error.__traceback__, clip(text, TRACE_LIMIT)))
        if isinstance(error, SystemExit):
            # Refused arguments, or a module that exits when it is imported: no end was reached, so none is reported.
            return error.code
        status = 1
    if config["mode"] == "collect":
        send_byte_code(places, send)
        send_runner_byte_code(send)
    end(status)
    return status
