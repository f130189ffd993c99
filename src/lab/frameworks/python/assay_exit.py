"""The end of a run's process."""

import atexit
import os
import sys
import threading

# Bound before any code of the project is loaded.
await_threads, call_exit_functions, exit_now = threading._shutdown, atexit._run_exitfuncs, os._exit


def leave(status):
    """Ends the process as sys.exit does: threads are awaited, exit functions called, output is written.

    What Python does next is left out: to clear every module and object, one by one, of a process whose memory the
    kernel takes back at once. That costs as much as hundreds of tests.
    """
    if not isinstance(status, int):
        sys.exit(status)
    for step in (await_threads, call_exit_functions, flush):
        try:
            step()
        except BaseException:  # noqa: B036 - code of the project; an exit function's error changes no exit code
            continue
    exit_now(status)


def flush():
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.flush()
