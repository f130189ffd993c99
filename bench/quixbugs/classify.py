"""Runs every case of one test file in a process of its own and prints, as JSON, how each ended.

usage: classify.py DIR TEST_FILE SECONDS

DIR is put first on the path. The cases of a parametrised test are counted one by one, in order; a test without
parameters is one case. An end is "passed", "failed", "skipped" or "hung".
"""

import importlib.util
import json
import os
import resource
import signal
import sys

import pytest


def cases_of(path):
    spec = importlib.util.spec_from_file_location("cases", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    for name, test in vars(module).items():
        if not name.startswith("test") or not callable(test):
            continue
        marks = [mark for mark in getattr(test, "pytestmark", []) if mark.name == "parametrize"]
        if not marks:
            yield name, test, ()
        else:
            for arguments in marks[0].args[1]:
                yield name, test, tuple(arguments)


def run(test, arguments, seconds):
    child = os.fork()
    if child == 0:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        os.dup2(1, 2)
        resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_REAL, seconds)
        try:
            test(*arguments)
        except pytest.skip.Exception:
            os._exit(2)
        except BaseException:
            os._exit(1)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        return "hung" if os.WTERMSIG(status) == signal.SIGALRM else "failed"
    return ("passed", "failed", "skipped")[os.WEXITSTATUS(status)]


def main():
    directory, path, seconds = sys.argv[1], sys.argv[2], float(sys.argv[3])
    sys.path.insert(0, directory)
    sys.dont_write_bytecode = True
    ends = [{"test": name, "end": run(test, arguments, seconds)} for name, test, arguments in cases_of(path)]
    print(json.dumps(ends))


main()
