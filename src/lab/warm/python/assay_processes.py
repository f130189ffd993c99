"""The fork server's own process, and everything below it: closed to its forks, found, measured and killed."""

import ctypes
import os
import signal
import time

PR_SET_DUMPABLE = 4
PR_SET_CHILD_SUBREAPER = 36


def guard_process():
    """Closes this process's memory to its forks, and adopts what they orphan so that it can be killed."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "PR_SET_DUMPABLE refused")
    if libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "PR_SET_CHILD_SUBREAPER refused")


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


def cpu_seconds(pid):
    try:
        with open(f"/proc/{pid}/stat") as handle:
            fields = handle.read().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    except OSError:
        return 0.0
