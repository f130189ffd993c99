"""What the variables of the notebook's user are, and whether they changed: told without running any code of theirs.

Runs inside the kernel, so it must be cheap, must leave nothing behind, and must not fail whatever lies there. No method
of an unknown class is called: only those of the types below, by the type itself.
"""

import array
import collections
import datetime
import decimal
import fractions
import hashlib
import pathlib
import re
import sys
import types
import uuid

MOST_VARIABLES = 500
REPR_CHARS = 200
# What is read of all variables together before the rest is only glanced at, so that a look stays within some tens of
# milliseconds.
ALL_BYTES = 48 * 2**20
ALL_ITEMS = 30_000
# Of one value: more is sampled over its whole length.
VALUE_BYTES = 16 * 2**20
VALUE_ITEMS = 4_000
GLANCE_BYTES = 2**16
GLANCE_ITEMS = 64
SAMPLE = 2048
DEPTH = 5

PLAIN = (bool, float, complex, type(None), type(Ellipsis))
SAFE = (
    datetime.date, datetime.datetime, datetime.time, datetime.timedelta, datetime.timezone, decimal.Decimal,
    fractions.Fraction, range, re.Pattern, uuid.UUID, pathlib.PosixPath, pathlib.PurePosixPath,
)
LISTS = (list, tuple, collections.deque)
SETS = (set, frozenset)
DICTS = (dict, collections.OrderedDict, collections.defaultdict, collections.Counter)
CODE = (types.FunctionType, types.MethodType, types.BuiltinFunctionType)
PANDAS_SCALARS = {"Timestamp", "Timedelta", "Period", "Interval", "NaTType", "NAType"}
# Array types of these packages tell their shape without computing anything.
SHAPED = {"numpy", "pandas", "torch", "polars", "scipy", "xarray", "jax", "jaxlib", "pyarrow", "tensorflow", "geopandas"}


def look(namespace, hidden):
    """The user's variables by name: type, shape, short line, fingerprint; and how many were too many to look at."""
    budget = Budget()
    names = [name for name in list(namespace) if is_users(name, namespace, hidden)]
    found = {}
    for name in names[:MOST_VARIABLES]:
        try:
            value = namespace[name]
        except KeyError:
            continue
        found[name[:REPR_CHARS]] = describe(value, budget)
    return found, max(0, len(names) - MOST_VARIABLES)


def is_users(name, namespace, hidden):
    if type(name) is not str or re.match(r"__.*__$|_\d*$|__+$|_i+\d*$|_(ih|oh|dh)$", name):
        return False
    value = namespace.get(name)
    if issubclass(type(value), types.ModuleType):
        return False
    return not (type(hidden) is dict and name in hidden and hidden[name] is value)


class Budget:
    """What is left for values to be read as a whole. Asked once for each value, so that equal values give equal marks."""

    def __init__(self):
        self.bytes = ALL_BYTES
        self.items = ALL_ITEMS

    def feeder(self, hasher):
        whole = self.bytes > 0 and self.items > 0
        return Feeder(hasher, VALUE_ITEMS, VALUE_BYTES) if whole else Feeder(hasher, GLANCE_ITEMS, GLANCE_BYTES)

    def spend(self, feeder):
        self.bytes -= feeder.all_bytes - feeder.bytes
        self.items -= feeder.all_items - feeder.left


def describe(value, budget):
    kind = type(value)
    try:
        name = type.__dict__["__name__"].__get__(kind)
    except Exception:
        name = "object"
    shape, line, mark = None, "", "0 %x" % id(value)
    try:
        shape = shape_of(value)
        line = line_of(value)
    except Exception:
        pass
    try:
        hasher = hashlib.blake2b(digest_size=12)
        feeder = budget.feeder(hasher)
        try:
            feeder.feed(value, DEPTH)
        finally:
            budget.spend(feeder)
        # Marks of a whole and of a glance are not to be compared.
        mark = "%d %s" % (feeder.all_items, hasher.hexdigest())
    except Exception:
        pass
    return [name[:100], shape, clean(line), mark]


def clean(line):
    line = " ".join(line.encode("utf-8", "replace").decode("utf-8").split())
    return line if len(line) <= REPR_CHARS else line[: REPR_CHARS - 1] + "\u2026"


def package_of(kind):
    # Past a metaclass of the user's own.
    module = kind.__dict__.get("__module__") or type.__dict__["__module__"].__get__(kind)
    return module.split(".")[0] if type(module) is str else ""


def shape_of(value):
    kind = type(value)
    if kind in LISTS or kind in SETS or kind in DICTS or kind in (range, array.array):
        return [len(value)]
    if is_a(value, "numpy", "generic"):
        return None
    if package_of(kind) in SHAPED:
        shape = getattr(value, "shape", None)
        if shape is not None and all(int(length) == length and length >= 0 for length in shape):
            return [int(length) for length in shape] or None
    return None


def is_a(value, package, name):
    """Whether the value is of a class that somebody has imported, without importing it."""
    module = sys.modules.get(package)
    known = getattr(module, name, None) if module is not None else None
    return type(known) is type and issubclass(type(value), known) or (
        known is not None and isinstance(known, type) and known in type(value).__mro__
    )


def line_of(value, depth=2):
    kind = type(value)
    if kind in PLAIN:
        return repr(value)
    if kind is int:
        # Python refuses to write out larger ones, or takes long.
        return repr(value) if value.bit_length() < 600 else "int of %d bits" % value.bit_length()
    if kind is str:
        return repr(value[:REPR_CHARS]) + ("\u2026" if len(value) > REPR_CHARS else "")
    if kind in (bytes, bytearray):
        return "%d bytes: %r" % (len(value), bytes(value[:40]))
    if kind in SAFE:
        return repr(value)
    if kind in LISTS or kind in SETS or kind in DICTS:
        return container_line(value, depth)
    if kind in CODE:
        return function_line(value)
    if issubclass(kind, type):
        return "class " + type.__dict__["__name__"].__get__(value)
    return library_line(value, depth) or "%s.%s object" % (package_of(kind) or "?", kind.__name__)


def container_line(value, depth):
    if depth == 0:
        return "%s of %d" % (type(value).__name__, len(value))
    parts = []
    is_dict = type(value) in DICTS
    # A copy of the first items alone: another thread may change the container meanwhile.
    for item in first(value.items() if is_dict else value, 8):
        parts.append("%s: %s" % (line_of(item[0], 0), line_of(item[1], depth - 1)) if is_dict else line_of(item, depth - 1))
        if sum(map(len, parts)) > REPR_CHARS:
            break
    more = ", \u2026" if len(value) > len(parts) else ""
    opening, closing = ("[", "]") if type(value) is list else ("(", ")") if type(value) is tuple else ("{", "}")
    name = "" if type(value) in (list, tuple, dict, set) else type(value).__name__
    return name + opening + ", ".join(parts) + more + closing


def is_scalar(value):
    """What libraries make anew whenever an item is asked for, so that it has no identity."""
    if is_a(value, "numpy", "generic"):
        return True
    return package_of(type(value)) == "pandas" and type(value).__name__ in PANDAS_SCALARS


def first(items, count):
    taken = []
    for item in items:
        if len(taken) == count:
            break
        taken.append(item)
    return taken


def function_line(value):
    code = getattr(value, "__code__", None)
    if type(code) is not types.CodeType:
        return "function " + str(getattr(value, "__name__", ""))
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    return "function %s(%s)" % (code.co_name, ", ".join(names))


def library_line(value, depth):
    if is_a(value, "numpy", "generic"):
        return repr(value.item()) if value.dtype.kind in "biufc" else str(value)[:REPR_CHARS]
    if is_a(value, "numpy", "ndarray"):
        return "%s: %s" % (value.dtype, values_line(list(value.flat[:8]), value.size))
    if is_a(value, "pandas", "DataFrame"):
        columns = ["%s %s" % (name_line(name), kind) for name, kind in first(zip(value.columns, value.dtypes), 12)]
        return "columns: " + ", ".join(columns) + (", \u2026" if len(value.columns) > len(columns) else "")
    if is_a(value, "pandas", "Series"):
        name = "" if value.name is None else name_line(value.name) + " "
        return "%s%s: %s" % (name, value.dtype, values_line(list(value.iloc[:8]), len(value)))
    if is_a(value, "pandas", "Index"):
        return "%s: %s" % (value.dtype, values_line(list(value[:8]), len(value)))
    if is_a(value, "pandas", "Timestamp") or is_a(value, "pandas", "Timedelta"):
        return str(value)
    if package_of(type(value)) in ("torch", "polars", "jax", "jaxlib"):
        return str(getattr(value, "dtype", "") or getattr(value, "schema", ""))[:REPR_CHARS]
    return None


def name_line(name):
    return name[:60] if type(name) is str else line_of(name, 1)


def values_line(values, size):
    shown = ["%.6g" % value if is_float(value) else line_of(value, 0) for value in values]
    return ", ".join(shown) + (", \u2026" if size > len(values) else "")


def is_float(value):
    return type(value) is float or is_a(value, "numpy", "floating")


class Feeder:
    """Feeds a hash with what a value holds, within the budget; a value too large is sampled over its whole length."""

    def __init__(self, hasher, items, size):
        self.hasher = hasher
        self.left = self.all_items = items
        self.bytes = self.all_bytes = size
        self.seen = set()
        # Of an object of an unknown class.
        self.inside = False

    def put(self, text):
        self.hasher.update(text.encode("utf-8", "surrogatepass") + b"\0")

    def feed(self, value, depth):
        kind = type(value)
        self.left -= 1
        if kind is int:
            self.put("i%d" % value if value.bit_length() < 4096 else "I%x" % hash(value))
        elif kind in PLAIN or kind in SAFE:
            self.put(kind.__name__ + repr(value))
        elif kind is str:
            self.text(value)
        elif kind in (bytes, bytearray, array.array):
            self.raw(memoryview(value).cast("B"))
        elif is_scalar(value):
            self.put(kind.__name__ + str(value))
        elif self.left <= 0:
            self.put("~")
        elif depth == 0 or id(value) in self.seen:
            self.put("@%x" % id(value))
        else:
            self.seen.add(id(value))
            self.whole(value, depth - 1)

    def whole(self, value, depth):
        kind = type(value)
        self.put(kind.__name__)
        if kind in LISTS:
            self.items(value, len(value), depth)
        elif kind in SETS:
            # In an order of their own that stays as long as nothing is put in or taken out.
            self.items(first(value, SAMPLE), len(value), depth)
        elif kind in DICTS:
            self.entries(value, depth)
        elif kind is types.FunctionType:
            self.function(value, depth)
        elif not self.library(value, depth):
            self.object(value, depth)

    def items(self, items, length, depth):
        self.put(str(length))
        allowed = self.allowed()
        step = max(1, len(items) // allowed)
        taken = items if step == 1 else [items[at] for at in range(0, len(items), step)]
        for item in list(taken):
            self.feed(item, depth)
        if step > 1:
            self.feed(items[-1], depth)

    def entries(self, value, depth):
        self.items(first(value, SAMPLE // 2), len(value), depth)
        self.items(first(value.values(), SAMPLE // 2), len(value), depth)

    def allowed(self):
        return max(16, min(SAMPLE, self.left))

    def text(self, value):
        if len(value) <= VALUE_BYTES // 16:
            self.raw(memoryview(value.encode("utf-8", "surrogatepass")))
        else:
            self.put("s%d %x" % (len(value), hash(value)))

    def raw(self, view):
        self.put(str(view.nbytes))
        if view.nbytes <= self.bytes:
            self.bytes -= view.nbytes
            self.hasher.update(view)
            return
        step = max(1, view.nbytes // 64)
        for at in range(0, view.nbytes, step):
            self.hasher.update(view[at : at + SAMPLE])
        self.hasher.update(view[-SAMPLE:])

    def function(self, value, depth):
        code = value.__code__
        self.hasher.update(code.co_code)
        self.put(repr([name for name in code.co_names]))
        for constant in code.co_consts:
            if type(constant) is types.CodeType:
                self.hasher.update(constant.co_code)
            else:
                self.feed(constant, depth)
        self.feed(value.__defaults__, depth)
        self.feed(value.__kwdefaults__, depth)

    def library(self, value, depth):
        if is_a(value, "numpy", "ndarray"):
            self.array(value, depth)
        elif is_a(value, "pandas", "DataFrame"):
            self.put(str(value.shape))
            self.feed(list(value.columns[:SAMPLE]), 2)
            self.column(value.index)
            for at in range(min(value.shape[1], 512)):
                self.column(value.iloc[:, at])
        elif is_a(value, "pandas", "Series"):
            self.put(str(value.name)[:REPR_CHARS])
            self.column(value.index)
            self.column(value)
        elif is_a(value, "pandas", "Index"):
            self.column(value)
        elif package_of(type(value)) in ("torch", "polars", "jax", "jaxlib"):
            self.tensor(value, depth)
        else:
            return False
        return True

    def array(self, value, depth):
        self.put("%s %s" % (value.dtype, value.shape))
        if value.size == 0:
            return
        if value.dtype.hasobject:
            step = max(1, value.size // self.allowed())
            self.items(list(value.flat[::step]), value.size, depth)
            return
        if value.nbytes <= self.bytes:
            self.bytes -= value.nbytes
            self.hasher.update(value.tobytes())
        else:
            self.hasher.update(value.flat[:: max(1, value.size // 16384)].tobytes())
            self.hasher.update(value.flat[-16:].tobytes())

    def column(self, column):
        numpy = sys.modules.get("numpy")
        self.put(str(column.dtype))
        size = len(column)
        if is_a(column, "pandas", "RangeIndex"):
            self.put("%d %d %d" % (column.start, column.stop, column.step))
            return
        if numpy is not None and type(column.dtype).__module__.startswith("numpy") and column.dtype.kind in "biufcmM":
            self.array(column.to_numpy(), 1)
            return
        # Texts and objects: a sample, and all of them where they are few.
        step = max(1, size // self.allowed())
        taken = column[::step] if is_a(column, "pandas", "Index") else column.iloc[::step]
        for item in list(taken):
            self.feed(item, 2)

    def tensor(self, value, depth):
        self.put("%s %s" % (getattr(value, "shape", ""), getattr(value, "dtype", "")))
        self.put("%x %s" % (id(value), getattr(value, "_version", "")))

    def object(self, value, depth):
        """What an object of an unknown class holds: its own attributes, read past its class, but not theirs in turn."""
        self.put("%x" % id(value))
        # A figure's inner state changes whenever it is drawn.
        if self.inside or package_of(type(value)) == "matplotlib":
            return
        try:
            own = object.__getattribute__(value, "__dict__")
        except Exception:
            return
        if type(own) is dict:
            self.inside = True
            self.entries(own, depth)
            self.inside = False
