"""Lines each test runs in the project's own files, by sys.monitoring (3.12 on) or sys.settrace."""

import json
import os
import sys
import threading
import time


class TestTracer:
    """Emits one JSON line per test as it ends. A test that outlives `limit` seconds is emitted with the lines it
    ran so far, as failed, and ends the process: that is how a test that hangs is localised at all."""

    def __init__(self, files, limit, emit):
        self.lines = LineTracer(files)
        self.limit = limit
        self.emit = emit
        self.test = None
        self.started = 0.0
        # Held while a line is written: the watchdog must not cut one in two.
        self.lock = threading.Lock()

    def start(self):
        threading.Thread(target=self.watch, daemon=True).start()
        self.lines.start()

    def stop(self):
        self.lines.stop()

    def begin(self, test):
        self.lines.arm()
        self.lines.take()
        self.started = time.monotonic()
        self.test = test

    def end(self, test, passed):
        with self.lock:
            self.test = None
            self.write(test, passed)

    def write(self, test, passed):
        self.emit(json.dumps({"id": test, "passed": passed, "lines": self.lines.take()}).encode() + b"\n")

    def watch(self):
        while True:
            time.sleep(0.02)
            with self.lock:
                if self.test is not None and time.monotonic() - self.started > self.limit:
                    self.write(self.test, False)
                    os._exit(0)


class LineTracer:
    """`files` maps an absolute file name to the name to report; lines of other files cost nothing."""

    def __init__(self, files):
        self.files = files
        self.current = {}

    def start(self):
        if hasattr(sys, "monitoring"):
            self.start_monitoring()
        else:
            threading.settrace(self.on_call)
            sys.settrace(self.on_call)

    def arm(self):
        """Python takes a trace function away that raised, as one does that is called where the stack is full."""
        if not hasattr(sys, "monitoring") and sys.gettrace() is None:
            sys.settrace(self.on_call)

    def stop(self):
        if hasattr(sys, "monitoring"):
            sys.monitoring.set_events(sys.monitoring.COVERAGE_ID, 0)
            sys.monitoring.free_tool_id(sys.monitoring.COVERAGE_ID)
        else:
            sys.settrace(None)
            threading.settrace(None)

    def take(self):
        """The lines since the last call, as {file: sorted lines}."""
        taken, self.current = self.current, {}
        if hasattr(sys, "monitoring"):
            # A line that was switched off after its first run must be seen again by the next test.
            sys.monitoring.restart_events()
        return {self.files[name]: sorted(lines) for name, lines in taken.items()}

    def start_monitoring(self):
        monitoring = sys.monitoring
        monitoring.use_tool_id(monitoring.COVERAGE_ID, "assay")
        monitoring.register_callback(monitoring.COVERAGE_ID, monitoring.events.LINE, self.on_line)
        monitoring.set_events(monitoring.COVERAGE_ID, monitoring.events.LINE)

    def on_line(self, code, line):
        if code.co_filename in self.files:
            self.current.setdefault(code.co_filename, set()).add(line)
        return sys.monitoring.DISABLE

    def on_call(self, frame, event, _arg):
        if frame.f_code.co_filename not in self.files:
            return None
        name = frame.f_code.co_filename

        def on_line(frame, event, _arg):
            if event == "line":
                # The set is looked up each time: `take` replaces it while frames are still running.
                self.current.setdefault(name, set()).add(frame.f_lineno)
            return on_line

        return on_line
