"""The runner's end of the private channel (see ../../channel/records.ts), and what both Python runners share.

Everything the sender needs is bound before any code of the project is loaded, and kept in closures: a patched
json, os or hashlib changes nothing here. Code in this process can still find it (frames, gc): that is why the
report of this judge says `forgeable`.
"""

import base64
import fcntl
import hashlib
import importlib.util
import json
import os
import re
import sys
import threading
import traceback

MESSAGE_LIMIT = 16 * 1024
TRACE_LIMIT = 64 * 1024
OUTPUT_LIMIT = 16 * 1024
BYTE_CODE_LIMIT = 4 * 1024 * 1024
FRAME_LIMIT = 100


def read_configuration():
    """The one JSON object on standard input. Afterwards standard input is at its end, as under a CI runner."""
    with os.fdopen(os.dup(0), "rb") as stream:
        return json.loads(stream.read().decode("utf-8"))


def open_channel(nonce):
    """Takes the descriptor out of the environment and returns `send(type, **fields)` and `end(exit_status)`."""
    given = int(os.environ.pop("ASSAY_CHANNEL_FD"))
    # Another number than the one the first environment block (/proc/self/environ) goes on showing.
    fd = fcntl.fcntl(given, fcntl.F_DUPFD_CLOEXEC, 64)
    os.close(given)
    owner = os.getpid()
    digest = hashlib.sha256(nonce.encode("ascii"))
    lock = threading.Lock()
    encode = json.JSONEncoder(separators=(",", ":")).encode
    write, getpid, close = os.write, os.getpid, os.close
    state = {"count": 0, "open": True}

    def put(record):
        # A test that forks and lets the child run on must not report everything twice.
        if getpid() != owner:
            return
        with lock:
            if not state["open"]:
                return
            record["n"] = nonce
            record["i"] = state["count"]
            line = encode(record).encode("utf-8") + b"\n"
            digest.update(line)
            state["count"] += 1
            while line:
                line = line[write(fd, line) :]

    def send(kind, **fields):
        fields["t"] = kind
        put(fields)

    def end(exit_status):
        if getpid() != owner:
            return
        send("end", count=state["count"], digest=digest.hexdigest(), exit=exit_status)
        with lock:
            state["open"] = False
            close(fd)

    return send, end


def clip(text, limit):
    """`text` with its middle cut out where it is longer than `limit` characters."""
    if len(text) <= limit:
        return text
    half = limit // 2
    return "%s\n[... %d characters left out ...]\n%s" % (text[:half], len(text) - 2 * half, text[-half:])


def safe_text(value):
    """str(value), whatever the value's own __str__ does."""
    try:
        return str(value)
    except BaseException as error:  # noqa: B036 - code of the project, it may raise anything
        return "<%s whose text cannot be had: %s>" % (type(value).__name__, type(error).__name__)


class Places:
    """Tells the project's own files from the interpreter's, the environment's and the runner's."""

    def __init__(self, root, environments):
        self.root = root.rstrip("/") + "/"
        self.known = {}
        self.environments = tuple(self.root + path.strip("/") + "/" for path in environments)

    def relative(self, path):
        """(path relative to the project, True) for a file of the project, else (absolute path, False)."""
        known = self.known.get(path)
        if known is None:
            known = self.known[path] = self.find(path)
        return known

    def find(self, path):
        if path.startswith("<"):
            return path, False
        absolute = os.path.normpath(os.path.join(self.root, path))
        if absolute.startswith(self.root) and not absolute.startswith(self.environments or ("\0",)):
            return absolute[len(self.root) :], True
        return absolute, False

    def frames(self, error, tb):
        """The stack of an exception, outermost first; a syntax error's own place is its last frame."""
        found = []
        for frame, line in traceback.walk_tb(tb):
            found.append(self.frame(frame.f_code.co_filename, line, frame.f_code.co_name))
        if isinstance(error, SyntaxError) and error.filename and error.lineno:
            found.append(self.frame(error.filename, error.lineno, "<module>"))
        return self.from_project(found)

    def from_project(self, frames):
        """Without what leads up to the project's first frame, and without the middle of a runaway recursion."""
        first = next((at for at, frame in enumerate(frames) if frame["inProject"]), 0)
        frames = frames[first:]
        if len(frames) > FRAME_LIMIT:
            frames = frames[: FRAME_LIMIT // 2] + frames[-FRAME_LIMIT // 2 :]
        return frames

    def frame(self, path, line, function):
        file, inside = self.relative(path)
        return {"file": file, "line": line or 0, "function": function, "inProject": inside}

    def failure_from_text(self, trace):
        """For an exception of which only the printed traceback is left."""
        lines = trace.strip().split("\n")
        places = re.findall(r'^ *File "(.+)", line (\d+)(?:, in (.+))?$', trace, re.MULTILINE)
        found = [self.frame(path, int(line), name or "<module>") for path, line, name in places]
        last = re.match(r"^([A-Za-z_][\w.]*)(?:: (.*))?$", lines[-1])
        return {
            "type": last.group(1).rsplit(".", 1)[-1] if last else "",
            "message": clip((last.group(2) or "") if last else lines[-1], MESSAGE_LIMIT),
            "trace": clip(trace, TRACE_LIMIT),
            "frames": self.from_project(found),
        }

    def failure(self, error, tb, trace):
        return {
            "type": type(error).__name__,
            "message": clip(safe_text(error), MESSAGE_LIMIT),
            "trace": clip(trace, TRACE_LIMIT),
            "frames": self.frames(error, tb),
        }


def python_version():
    return "%s %s" % (sys.implementation.name.replace("cpython", "Python"), sys.version.split()[0])


def enter_project(root):
    """Puts the project first on the path, where `python -m` puts it, in place of the runner's own folder."""
    os.chdir(root)
    sys.path[0] = root


def send_byte_code(places, send):
    """Reports the byte code that lies beside the project's sources."""
    for folder, below, files in os.walk(places.root):
        below[:] = [name for name in below if places.relative(os.path.join(folder, name) + "/x")[1]]
        if os.path.basename(folder) != "__pycache__":
            continue
        for name in files:
            path = os.path.join(folder, name)
            if name.endswith(".pyc") and os.path.getsize(path) <= BYTE_CODE_LIMIT:
                with open(path, "rb") as stream:
                    data = base64.b64encode(stream.read()).decode("ascii")
                send("byte_code", file=places.relative(path)[0], data=data)


def send_runner_byte_code(send):
    """The same for the runner's own modules, which lie in a folder that cannot be written."""
    import py_compile
    import tempfile

    folder = os.path.dirname(os.path.abspath(__file__))
    with tempfile.TemporaryDirectory() as place:
        for name in sorted(os.listdir(folder)):
            if not name.endswith(".py"):
                continue
            made = os.path.join(place, name + "c")
            py_compile.compile(os.path.join(folder, name), cfile=made, doraise=True)
            with open(made, "rb") as stream:
                data = base64.b64encode(stream.read()).decode("ascii")
            cached = importlib.util.cache_from_source(os.path.join(folder, name))
            send("byte_code", file=cached, data=data)


def send_static(config, send, prefix_of, separator, **names):
    """Reports the tests of `config["files"]` by their text alone."""
    for file in config["files"]:
        try:
            ids = static_ids(os.path.join(config["root"], file), prefix_of(file), separator, **names)
        except (SyntaxError, ValueError, OSError) as error:
            send("note", text="%s cannot be read: %s" % (file, error))
        else:
            send("collected", ids=ids, skipped=[], xfailed=[], file=file)


def static_ids(path, prefix, separator, functions=("test",), classes=("Test",)):
    """Names of the tests a file defines at its top level, read from its text; nothing of it is run.

    `functions` and `classes` are prefixes of names; None leaves only classes that derive from a TestCase.
    """
    import ast

    with open(path, "rb") as stream:
        tree = ast.parse(stream.read(), path)
    found = []
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            if _is_test_class(node, classes):
                names = [child.name for child in node.body if _is_function(child) and child.name.startswith("test")]
                found.extend(prefix + separator + node.name + separator + name for name in names)
        elif functions and _is_function(node) and node.name.startswith(tuple(functions)):
            found.append(prefix + separator + node.name)
    return found


def _is_function(node):
    import ast

    return isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))


def _is_test_class(node, prefixes):
    import ast

    bases = [base.attr if isinstance(base, ast.Attribute) else getattr(base, "id", "") for base in node.bases]
    if any(base.endswith("TestCase") for base in bases):
        return True
    has_init = any(getattr(child, "name", "") == "__init__" for child in node.body)
    return bool(prefixes) and node.name.startswith(tuple(prefixes)) and not has_init
