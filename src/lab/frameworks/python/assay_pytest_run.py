"""Runs or collects a project's tests with pytest and reports over the private channel.

The project's own configuration, conftest.py files and installed plugins are in force, as by hand. One plugin is added
that listens, and the canaries are run after the project's tests. Python 3.8 and later, pytest 7 to 9.
"""

import sys

from assay_channel import (
    enter_project,
    open_channel,
    python_version,
    read_configuration,
    send_byte_code,
    send_runner_byte_code,
    send_static,
)


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
    # All of the runner is loaded now: later the path is the project's.
    from assay_pytest_listener import Listener
    from assay_watch import watch_builtins

    send("start", framework="pytest", version=pytest.__version__, runtime=python_version())
    listener = Listener(config, send, {"builtins": watch_builtins()})
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
        send_runner_byte_code(send)
    end(status)
    return status
