"""Notices code under test that replaced what the tests and their framework rest on.

A replacement that is undone again, as a test's own monkeypatch is, is nothing to notice: only the end is looked at.
"""

BUILTINS = (
    "all any len isinstance issubclass sum sorted abs min max bool int float str repr hash iter next zip map filter "
    "round AssertionError"
).split()
PYTEST_FUNCTIONS = "raises approx warns fail skip xfail importorskip".split()

# Special methods through which a class can be made to lie; the others are left to the interpreter.
_SPECIAL = {"__init__", "__call__", "__eq__", "__getattribute__", "__getattr__", "__setattr__"}


def watch_builtins():
    """Returns a function that raises AssertionError where a built-in the tests rely on was replaced since."""
    import builtins

    before = {name: getattr(builtins, name) for name in BUILTINS}

    def check():
        for name in before:
            if getattr(builtins, name, None) is not before[name]:
                raise AssertionError("built-in %s was replaced" % name)

    return check


def watch_classes(classes, functions):
    """The same for how `classes` behave, and for `functions`, pairs of a module and names in it."""
    before = [(owner, _behaviour(owner)) for owner in classes]
    named = [(module, name, getattr(module, name)) for module, names in functions for name in names]

    def check():
        for owner, members in before:
            now = _behaviour(owner)
            for name in now.keys() | members.keys():
                if now.get(name) is not members.get(name):
                    raise AssertionError("%s.%s was replaced" % (owner.__qualname__, name))
        for module, name, value in named:
            if getattr(module, name, None) is not value:
                raise AssertionError("%s.%s was replaced" % (module.__name__, name))

    return check


def _behaviour(owner):
    """Methods, properties and the like of a class and its bases; plain values, as settings are, are left out."""
    found = {}
    for base in reversed(owner.__mro__[:-1]):
        for name, value in vars(base).items():
            if name.startswith("__") and name not in _SPECIAL:
                continue
            if name in found or callable(value) or hasattr(type(value), "__get__"):
                found[name] = value
    return found


def watch_pytest():
    import unittest

    import pytest
    from _pytest import main, nodes, python, reports, runner
    from _pytest import unittest as cases

    classes = [
        reports.TestReport,
        reports.BaseReport,
        runner.CallInfo,
        python.Function,
        nodes.Item,
        main.Session,
        cases.TestCaseFunction,
        unittest.TestCase,
    ]
    own = [name for name, value in vars(runner).items() if callable(value) and value.__module__ == runner.__name__]
    return watch_classes(classes, [(runner, own), (pytest, PYTEST_FUNCTIONS)])


def watch_unittest():
    import unittest
    from unittest import case

    classes = [unittest.TestCase, unittest.TestResult, unittest.TestSuite, unittest.FunctionTestCase, case._Outcome]
    return watch_classes(classes, [])
