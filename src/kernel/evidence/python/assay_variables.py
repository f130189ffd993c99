"""What the variables of the notebook's user are, and whether they changed: told without running any code of theirs.

Runs inside the kernel, so it must be cheap, must leave nothing behind, and must not fail whatever lies there. No method
of an unknown class is called: only those of the types below, by the type itself.
"""

import hashlib
import re
import types

from assay_kinds import NAME
from assay_lines import REPR_CHARS, clean, line_of, shape_of
from assay_marks import Budget

MOST_VARIABLES = 500
DEPTH = 5


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


def describe(value, budget):
    kind = type(value)
    try:
        name = NAME(kind)
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
