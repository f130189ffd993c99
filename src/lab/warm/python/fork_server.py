"""The warm evaluator's fork server: frameworks imported once, one fork per candidate.

Speaks JSON lines over the inherited descriptor ASSAY_CHANNEL_FD:
  in   {"op": "candidate", "id": str, "files": [[path, text]...], "limit": s, "start": s, "idle": s}
       {"op": "coverage", "limit": seconds, "testLimit": seconds}
  out  {"op": "ready", ...} once, then one answer per request, in order.

Candidates are untrusted and share this sandbox, so: this process is not dumpable (a fork could otherwise write
its memory through /proc), project modules are imported in forks only, every descendant is killed and the
workspace restored before the next candidate. Nothing said here is ever a verdict.
"""

import gc
import importlib
import json
import os
import sys
import time

import assay_fork
import assay_lines
import assay_processes


class Server:
    def __init__(self, channel, setup, workspace, runner):
        self.channel = channel
        self.setup = setup
        self.workspace = workspace
        self.runner = runner

    def start(self):
        """Imports what the tests import from outside the project, in this process, so that forks inherit it."""
        status, data = assay_fork.run_in_fork(
            lambda emit: emit(json.dumps(self.runner.probe()).encode()), self.setup["limit"]
        )
        # Where even the probe fails, nothing is prepared: each fork then finds out for itself.
        probe = json.loads(data) if status == "ok" and data else {"modules": [], "project": True}
        for name in probe["modules"]:
            try:
                importlib.import_module(name)
            except BaseException:  # a module that imports only in its test's setting
                continue
        self.runner.prepare(probe)
        clean = assay_processes.kill_descendants()
        self.workspace.restore()
        gc.collect()
        gc.freeze()
        gc.disable()
        self.channel.write({"op": "ready", "probe": status, "modules": len(probe["modules"]), "clean": clean})

    def serve(self):
        while True:
            request = self.channel.read()
            if request is None:
                return
            answer = self.candidate(request) if request["op"] == "candidate" else self.coverage(request)
            answer["clean"] = assay_processes.kill_descendants() and self.workspace.restore()
            self.channel.write(answer)

    def candidate(self, request):
        """The failing tests alone first, where most candidates end; then all of them, in their own order."""
        started = time.monotonic()
        found = self.attempt(request, self.setup["failing"])
        if found["status"] == "passed" and self.setup["order"] != self.setup["failing"]:
            if assay_processes.kill_descendants() and self.workspace.restore():
                found = self.attempt(request, self.setup["order"])
        milliseconds = (time.monotonic() - started) * 1000
        return {"op": "candidate", "id": request["id"], "ms": milliseconds, **found}

    def attempt(self, request, order):
        self.workspace.write(request["files"])
        edited = [path for path, _ in request["files"]]
        status, data = assay_fork.run_in_fork(
            lambda emit: self.judge(order, edited, emit), request["limit"], request["start"], request["idle"]
        )
        lines = [line for line in data.split(b"\n") if line]
        passed = sum(1 for line in lines if line.startswith(b"P"))
        failed = next((line[1:].decode("utf-8", "replace") for line in lines if line.startswith(b"F")), None)
        complete = any(line == b"C" for line in lines)
        invalid = any(line == b"I" for line in lines)
        return {"status": outcome(status, failed, complete, invalid), "passed": passed, "failed": failed}

    def judge(self, order, edited, emit):
        gc.enable()
        self.runner.run(
            order=order,
            edited=edited,
            on_begin=lambda: emit(b"B\n"),
            on_pass=lambda test: emit(b"P" + one_line(test) + b"\n"),
            on_fail=lambda test: emit(b"F" + one_line(test) + b"\n"),
            on_invalid=lambda: emit(b"I\n"),
        )
        emit(b"C\n")

    def coverage(self, request):
        """Each test once, traced; a fork that a hanging test ended is followed by another for the tests left."""
        left, tests = list(self.setup["order"]), []
        deadline = time.monotonic() + request["limit"]
        while left and time.monotonic() < deadline:
            order = list(left)

            def work(emit):
                gc.enable()
                self.runner.trace(order, request["testLimit"], emit)

            status, data = assay_fork.run_in_fork(work, max(0.1, deadline - time.monotonic()))
            found = [json.loads(line) for line in data.split(b"\n")[:-1]]
            if not found:
                # It died before its first test ended: that test ran nothing that could be seen.
                found = [{"id": left[0], "passed": False, "lines": {}}]
            tests += found
            seen = {test["id"] for test in found}
            rest = [test for test in left if test not in seen]
            # One that came to its own end, or saw none of those asked for, would see no more of them another time.
            left = [] if status == "ok" or len(rest) == len(left) else rest
            assay_processes.kill_descendants()
            self.workspace.restore()
        return {"op": "coverage", "tests": tests}


def outcome(status, failed, complete, invalid):
    if failed is not None:
        return "failed"
    if status == "hung":
        return "hung"
    if invalid:
        return "invalid"
    return "passed" if status == "ok" and complete else "crashed"


def one_line(text):
    return text.replace("\n", " ").encode("utf-8", "replace")


def main():
    channel = assay_lines.Channel(int(os.environ.pop("ASSAY_CHANNEL_FD")))
    os.set_inheritable(channel.fd, False)
    setup = channel.read()
    if setup is None:
        return
    assay_processes.guard_process()
    # What tests print goes nowhere: results travel through the forks' own pipes.
    quiet = os.open(os.devnull, os.O_RDWR)
    for fd in (0, 1, 2):
        os.dup2(quiet, fd)
    workspace_module = importlib.import_module("assay_workspace")
    runner_module = importlib.import_module("assay_run_" + setup["framework"])
    # In place of this file's own folder: what the framework's own process would have there.
    sys.path[0:1] = setup["path"]
    workspace = workspace_module.Workspace(setup["root"], setup["scratch"], setup["skip"])
    os.chdir(setup["root"])
    server = Server(channel, setup, workspace, runner_module.Runner(setup))
    server.start()
    server.serve()


if __name__ == "__main__":
    main()
