"""A hash of what a value holds, cheap enough to be taken of every variable after every cell."""

import array
import sys
import types

from assay_kinds import DICTS, LISTS, NAME, PLAIN, SAFE, SETS, first, is_a, is_scalar, package_of

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
            self.put(NAME(kind) + repr(value))
        elif kind is str:
            self.text(value)
        elif kind in (bytes, bytearray, array.array):
            self.raw(memoryview(value).cast("B"))
        elif is_scalar(value):
            self.put(NAME(kind) + str(value))
        elif self.left <= 0:
            self.put("~")
        elif depth == 0 or id(value) in self.seen:
            self.put("@%x" % id(value))
        else:
            self.seen.add(id(value))
            self.whole(value, depth - 1)

    def whole(self, value, depth):
        kind = type(value)
        self.put(NAME(kind))
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
            self.put(str(value.name)[:200])
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
