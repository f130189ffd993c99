"""The warm evaluator's fork server: frameworks imported once, one fork per candidate.

Speaks JSON lines over the inherited descriptor ASSAY_CHANNEL_FD:
  in   {"op": "candidate", "id": str, "files": [[path, text]...], "limit": s, "start": s, "idle": s}
       {"op": "coverage", "limit": seconds, "testLimit": seconds}
  out  {"op": "ready", ...} once, then one answer per request, in order.

Candidates are untrusted and share this sandbox, so: this process is not dumpable (a fork could otherwise write
its memory through /proc), project modules are imported in forks only, every descendant is killed and the
workspace restored before the next candidate. Nothing said here is ever a verdict.
"""

import ctypes
import gc
import importlib
import json
import os
import select
import signal
import sys
import time

PR_SET_DUMPABLE = 4
PR_SET_CHILD_SUBREAPER = 36
MAX_ANSWER = 64 * 1024 * 1024
# Wall time that a fork may take, as a multiple of the CPU time it may take.
PATIENT = 4


def guard_process():
    """Closes this process's memory to its forks, and adopts what they orphan so that it can be killed."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "PR_SET_DUMPABLE refused")
    if libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "PR_SET_CHILD_SUBREAPER refused")


class Channel:
    def __init__(self, fd):
        self.fd = fd
        self.buffer = b""

    def read(self):
        while b"\n" not in self.buffer:
            chunk = os.read(self.fd, 1 << 20)
            if not chunk:
                return None
            self.buffer += chunk
        line, self.buffer = self.buffer.split(b"\n", 1)
        return json.loads(line)

    def write(self, message):
        data = json.dumps(message).encode() + b"\n"
        while data:
            data = data[os.write(self.fd, data) :]


def children_of(pid):
    found = []
    try:
        for task in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{task}/children") as handle:
                found += [int(child) for child in handle.read().split()]
    except OSError:
        pass
    return found


def kill_descendants():
    """Kills and reaps everything below this process; False if something would not die."""
    me = os.getpid()
    for _ in range(200):
        todo = children_of(me)
        if not todo:
            return True
        for pid in todo:
            kill_tree(pid)
        while True:
            try:
                if os.waitpid(-1, os.WNOHANG)[0] == 0:
                    break
            except ChildProcessError:
                break
        time.sleep(0.001)
    return False


def kill_tree(pid):
    # Stop before looking for children, so that none is born between the look and the kill.
    for action in (signal.SIGSTOP, None, signal.SIGKILL):
        if action is None:
            for child in children_of(pid):
                kill_tree(child)
            continue
        try:
            os.kill(pid, action)
        except ProcessLookupError:
            return


def run_in_fork(work, limit, start=None, idle=None):
    """Runs `work(emit)` in a fork; returns (status, bytes): ok, hung or crashed.

    Hung: not done after `limit` seconds, nothing emitted for `idle` seconds, or nothing at all after `start`.
    """
    reader, writer = os.pipe()
    sys.stdout.flush()
    pid = os.fork()
    if pid == 0:
        os.close(reader)
        code = 1
        try:
            os.setsid()
            work(lambda data: os.write(writer, data))
            code = 0
        except BaseException:  # the fork must end here whatever happens
            code = 1
        finally:
            os._exit(code)
    os.close(writer)
    try:
        return collect(reader, pid, limit, start or limit, idle or limit)
    finally:
        os.close(reader)


def collect(reader, pid, limit, start, idle):
    began = time.monotonic()
    chunks, size, patience = [], 0, Patience(pid, start)
    while True:
        left = min(began + PATIENT * limit - time.monotonic(), patience.left())
        if left <= 0:
            kill_tree(pid)
            return "hung", b"".join(chunks)
        if not select.select([reader], [], [], left)[0]:
            continue
        chunk = os.read(reader, 1 << 16)
        if not chunk:
            break
        chunks.append(chunk)
        patience = Patience(pid, idle)
        size += len(chunk)
        if size > MAX_ANSWER:
            kill_tree(pid)
            return "crashed", b""
    return ended(pid, b"".join(chunks))


def ended(pid, data):
    """Its end of the pipe is closed, so the fork is about to be gone, unless it closed the pipe and went on."""
    deadline = time.monotonic() + 1
    while time.monotonic() < deadline:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            return ("ok" if status == 0 else "crashed"), data
        time.sleep(0.0005)
    kill_tree(pid)
    return "hung", data


class Patience:
    """How long to wait for a fork to say something: `limit` seconds of its own CPU time, so that a loaded machine
    makes no candidate look like one that hangs; and in wall time, for one that waits, PATIENT times that."""

    def __init__(self, pid, limit):
        self.pid = pid
        self.limit = limit
        self.since = time.monotonic()
        self.used = cpu_seconds(pid)

    def left(self):
        wall = PATIENT * self.limit - (time.monotonic() - self.since)
        cpu = self.limit - (cpu_seconds(self.pid) - self.used)
        # A fork that uses a whole core is over its limit no sooner than this; a starved one is looked at again.
        return min(wall, cpu + 0.005) if cpu > 0 else 0


def cpu_seconds(pid):
    try:
        with open(f"/proc/{pid}/stat") as handle:
            fields = handle.read().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    except OSError:
        return 0.0


class Server:
    def __init__(self, channel, setup, workspace, runner):
        self.channel = channel
        self.setup = setup
        self.workspace = workspace
        self.runner = runner

    def start(self):
        """Imports what the tests import from outside the project, in this process, so that forks inherit it."""
        status, data = run_in_fork(lambda emit: emit(json.dumps(self.runner.probe()).encode()), self.setup["limit"])
        # Where even the probe fails, nothing is prepared: each fork then finds out for itself.
        probe = json.loads(data) if status == "ok" and data else {"modules": [], "project": True}
        for name in probe["modules"]:
            try:
                importlib.import_module(name)
            except BaseException:  # a module that imports only in its test's setting
                continue
        self.runner.prepare(probe)
        clean = kill_descendants()
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
            answer["clean"] = kill_descendants() and self.workspace.restore()
            self.channel.write(answer)

    def candidate(self, request):
        """The failing tests alone first, where most candidates end; then all of them, in their own order."""
        started = time.monotonic()
        found = self.attempt(request, self.setup["failing"])
        if found["status"] == "passed" and self.setup["order"] != self.setup["failing"]:
            if kill_descendants() and self.workspace.restore():
                found = self.attempt(request, self.setup["order"])
        milliseconds = (time.monotonic() - started) * 1000
        return {"op": "candidate", "id": request["id"], "ms": milliseconds, **found}

    def attempt(self, request, order):
        self.workspace.write(request["files"])
        edited = [path for path, _ in request["files"]]
        status, data = run_in_fork(
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

            _status, data = run_in_fork(work, max(0.1, deadline - time.monotonic()))
            found = [json.loads(line) for line in data.split(b"\n")[:-1]]
            if not found:
                # It died before its first test ended: that test ran nothing that could be seen.
                found = [{"id": left[0], "passed": False, "lines": {}}]
            tests += found
            seen = {test["id"] for test in found}
            left = [test for test in left if test not in seen]
            kill_descendants()
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
    channel = Channel(int(os.environ.pop("ASSAY_CHANNEL_FD")))
    os.set_inheritable(channel.fd, False)
    setup = channel.read()
    if setup is None:
        return
    guard_process()
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
