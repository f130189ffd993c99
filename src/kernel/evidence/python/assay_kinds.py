"""The classes of values that are known, and what may be asked of a value without running code of the user's."""

import collections
import datetime
import decimal
import fractions
import pathlib
import re
import sys
import types
import uuid

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

# Of any class, past a metaclass of the user's own, which may do whatever it likes when it is asked.
MRO = type.__dict__["__mro__"].__get__
NAME = type.__dict__["__name__"].__get__
NAMES = type.__dict__["__dict__"].__get__


def is_a(value, package, name):
    """Whether the value is of a class that somebody has imported, without importing it."""
    module = sys.modules.get(package)
    known = getattr(module, name, None) if module is not None else None
    return type(known) is type and issubclass(type(value), known) or (
        known is not None and isinstance(known, type) and known in MRO(type(value))
    )


def package_of(kind):
    # Past a metaclass of the user's own.
    module = NAMES(kind).get("__module__") or type.__dict__["__module__"].__get__(kind)
    return module.split(".")[0] if type(module) is str else ""


def is_scalar(value):
    """What libraries make anew whenever an item is asked for, so that it has no identity."""
    if is_a(value, "numpy", "generic"):
        return True
    return package_of(type(value)) == "pandas" and NAME(type(value)) in PANDAS_SCALARS


def first(items, count):
    taken = []
    for item in items:
        if len(taken) == count:
            break
        taken.append(item)
    return taken
