"""A value's shape, and what it holds in one short line."""

import array
import types

from assay_kinds import CODE, DICTS, LISTS, NAME, PLAIN, SAFE, SETS, SHAPED, first, is_a, package_of

REPR_CHARS = 200


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


def clean(line):
    line = " ".join(line.encode("utf-8", "replace").decode("utf-8").split())
    return line if len(line) <= REPR_CHARS else line[: REPR_CHARS - 1] + "\u2026"


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
        return "class " + NAME(value)
    return library_line(value, depth) or "%s.%s object" % (package_of(kind) or "?", NAME(kind))


def container_line(value, depth):
    if depth == 0:
        return "%s of %d" % (NAME(type(value)), len(value))
    parts = []
    is_dict = type(value) in DICTS
    # A copy of the first items alone: another thread may change the container meanwhile.
    for item in first(value.items() if is_dict else value, 8):
        parts.append("%s: %s" % (line_of(item[0], 0), line_of(item[1], depth - 1)) if is_dict else line_of(item, depth - 1))
        if sum(map(len, parts)) > REPR_CHARS:
            break
    more = ", \u2026" if len(value) > len(parts) else ""
    opening, closing = ("[", "]") if type(value) is list else ("(", ")") if type(value) is tuple else ("{", "}")
    name = "" if type(value) in (list, tuple, dict, set) else NAME(type(value))
    return name + opening + ", ".join(parts) + more + closing


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
