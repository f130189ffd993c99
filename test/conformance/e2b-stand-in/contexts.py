"""Interpreters of one stand-in sandbox: reads a command a line, writes an event a line.

It says what the code interpreter server of E2B says of what an IPython kernel sends, with all that is lost on the way:
quotes around text, metadata, display ids, updates, clears, and what stands between the frames of a traceback.
"""

import json
import os
import queue
import sys
import threading
import uuid

from jupyter_client.manager import KernelManager

out_lock = threading.Lock()
out = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)

NAMES = {
    "text/plain": "text",
    "text/html": "html",
    "text/markdown": "markdown",
    "image/svg+xml": "svg",
    "image/png": "png",
    "image/jpeg": "jpeg",
    "application/pdf": "pdf",
    "text/latex": "latex",
    "application/json": "json",
    "application/javascript": "javascript",
    "e2b/data": "data",
    "e2b/chart": "chart",
}

# The service's own forms of lists and data frames, as its kernels have them.
STARTUP = """
import sys
from IPython import get_ipython
from IPython.core.formatters import BaseFormatter, JSONFormatter
from traitlets.traitlets import ObjectName, Unicode
class E2BDataFormatter(BaseFormatter):
    format_type = Unicode("e2b/data")
    print_method = ObjectName("_repr_e2b_data_")
    _return_type = (dict, str)
    def __call__(self, obj):
        pandas = sys.modules.get("pandas")
        if pandas is None or not isinstance(obj, pandas.DataFrame):
            return super().__call__(obj)
        return {str(name): [str(v) for v in column] for name, column in obj.items()}
class E2BJSONFormatter(JSONFormatter):
    def __call__(self, obj):
        if isinstance(obj, (list, dict)):
            return obj, {"expanded": True}
        return super().__call__(obj)
formatters = get_ipython().display_formatter.formatters
formatters["e2b/data"] = E2BDataFormatter(parent=get_ipython().display_formatter)
formatters["application/json"] = E2BJSONFormatter(parent=get_ipython().display_formatter)
"""


def say(event):
    with out_lock:
        out.write(json.dumps(event) + "\n")
        out.flush()


def result_of(data, is_main):
    sent = {"type": "result", "is_main_result": is_main}
    extra = {}
    for mime, value in data.items():
        if mime in NAMES:
            sent[NAMES[mime]] = value
        else:
            extra[mime] = value
    text = sent.get("text")
    if text and text[0] in "'\"" and text[-1] == text[0]:
        sent["text"] = text[1:-1]
    return {**sent, "extra": extra}


class Context:
    def __init__(self, cwd, envs):
        self.id = str(uuid.uuid4())
        self.cwd = cwd
        self.manager = KernelManager()
        self.envs = envs
        self.jobs = queue.Queue()
        self.cancelled = set()
        self.start()
        threading.Thread(target=self.work, daemon=True).start()

    def start(self):
        self.manager.start_kernel(
            extra_arguments=["--InteractiveShell.colors=NoColor", "--HistoryManager.hist_file=:memory:"],
            env={**os.environ, **self.envs},
            stdin=-3,
        )
        self.connect()

    def connect(self):
        self.client = self.manager.blocking_client()
        self.client.start_channels()
        self.client.wait_for_ready(timeout=60)
        self.silently(STARTUP)

    def silently(self, code):
        self.client.execute(code, silent=True, reply=True, timeout=60)

    def work(self):
        while True:
            job = self.jobs.get()
            if job is None:
                return
            request, code = job
            if request in self.cancelled:
                continue
            self.running = request
            try:
                self.execute(request, code)
            except Exception as error:
                say({"request": request, "event": {"type": "error", "name": "WebSocketError", "value": str(error), "traceback": ""}})
            self.running = None
            say({"request": request, "end": True})

    def execute(self, request, code):
        send = lambda event: say({"request": request, "event": event})
        process = self.manager.provisioner.process
        client = self.client
        sent = client.execute(code, store_history=True, stop_on_error=True, allow_stdin=False)
        accepted = errored = False
        while True:
            try:
                message = client.get_iopub_msg(timeout=0.1)
            except queue.Empty:
                if self.is_restarted:
                    self.is_restarted = False
                    send({"type": "error", "name": "UnexpectedEndOfExecution", "value": "Connection to the execution was closed", "traceback": ""})
                    return
                if process.poll() is not None:
                    client.stop_channels()
                    self.manager.restart_kernel(now=True)
                    self.connect()
                    send({"type": "error", "name": "ContextRestarting", "value": "Context was restarted", "traceback": ""})
                    return
                continue
            if message["parent_header"].get("msg_id") != sent:
                continue
            kind, content = message["msg_type"], message["content"]
            if kind == "stream":
                send({"type": content["name"], "text": content["text"]})
            elif kind == "display_data":
                send(result_of(content["data"], False))
            elif kind == "execute_result":
                send(result_of(content["data"], True))
            elif kind == "error" and not errored:
                errored = True
                send({"type": "error", "name": content["ename"], "value": content["evalue"], "traceback": "".join(content["traceback"])})
            elif kind == "execute_input":
                accepted = True
                send({"type": "number_of_executions", "execution_count": content["execution_count"]})
            elif kind == "status" and content["execution_state"] == "idle" and accepted:
                return

    is_restarted = False
    running = None

    def abort(self, request):
        """The client has gone away: what waits is forgotten, what runs is interrupted."""
        if self.running == request:
            self.manager.interrupt_kernel()
        else:
            self.cancelled.add(request)

    def restart(self):
        self.is_restarted = self.running is not None
        while self.is_restarted and self.running is not None:
            threading.Event().wait(0.02)
        self.is_restarted = False
        self.manager.restart_kernel(now=True)
        self.client.stop_channels()
        self.connect()

    def close(self):
        self.jobs.put(None)
        self.client.stop_channels()
        self.manager.shutdown_kernel(now=True)


contexts = {}


def handle(command):
    op, request = command["op"], command["request"]
    try:
        if op == "create":
            context = Context(command["cwd"], command["envs"])
            contexts[context.id] = context
            context.silently("import os; os.chdir(%r)" % command["cwd"])
            say({"request": request, "value": context.id})
            return
        context = contexts[command["context"]]
        if op == "execute":
            context.jobs.put((request, command["code"]))
        elif op == "abort":
            context.abort(command["aborted"])
        elif op == "restart":
            context.restart()
            say({"request": request, "value": None})
        elif op == "remove":
            contexts.pop(command["context"]).close()
            say({"request": request, "value": None})
    except Exception as error:
        say({"request": request, "failed": str(error)})


for line in sys.stdin:
    threading.Thread(target=handle, args=(json.loads(line),), daemon=True).start()
for context in contexts.values():
    context.manager.provisioner.process.kill()
os._exit(0)
