"""Work done in a fork of this process, waited for no longer than it deserves."""

import os
import select
import sys
import time

import assay_processes

MAX_ANSWER = 64 * 1024 * 1024
# Wall time that a fork may take, as a multiple of the CPU time it may take.
PATIENT = 4


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
            assay_processes.kill_tree(pid)
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
            assay_processes.kill_tree(pid)
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
    assay_processes.kill_tree(pid)
    return "hung", data


class Patience:
    """How long to wait for a fork to say something: `limit` seconds of its own CPU time, so that a loaded machine
    makes no candidate look like one that hangs; and in wall time, for one that waits, PATIENT times that."""

    def __init__(self, pid, limit):
        self.pid = pid
        self.limit = limit
        self.since = time.monotonic()
        self.used = assay_processes.cpu_seconds(pid)

    def left(self):
        wall = PATIENT * self.limit - (time.monotonic() - self.since)
        cpu = self.limit - (assay_processes.cpu_seconds(self.pid) - self.used)
        # A fork that uses a whole core is over its limit no sooner than this; a starved one is looked at again.
        return min(wall, cpu + 0.005) if cpu > 0 else 0
