"""Tests that must fail and tests that must pass, run after the project's own in the same process.

Code under test that patched the assertions, the reports or the built-ins makes one of them come out wrong. Each
takes the way a real test takes: pytest's Function and TestCaseFunction items, unittest's TestCase.run. What the
project has not loaded (unittest's mocks, numpy) cannot have been patched and is not loaded for a canary.
"""

import sys

from assay_channel import clip, safe_text


def plain_assert():
    left, right = 1, 2
    assert left == right


def plain_raise():
    raise RuntimeError("a test that raises must fail")


def mock_called():
    sys.modules["unittest.mock"].Mock().assert_called_once_with(1)


def numpy_equal():
    sys.modules["numpy"].testing.assert_array_equal([1.0], [2.0])


def subprocess_fails():
    """A program that fails is told to have failed, by whichever way it was started."""
    module = sys.modules["subprocess"]
    told = [
        module.run(["false"]).returncode,
        module.call(["false"]),
        module.Popen(["false"]).wait(),
    ]
    if all(told):
        raise RuntimeError("as it must be")


def pytest_raises():
    import pytest

    with pytest.raises(ValueError):
        pass


def pytest_approx():
    import pytest

    assert 1.0 == pytest.approx(2.0)


def fine():
    left, right = 2, 2
    assert left == right


FUNCTIONS = {"assert": plain_assert, "raise": plain_raise, "fine": fine}
PYTEST_FUNCTIONS = {"raises": pytest_raises, "approx": pytest_approx}
NEEDING = {
    "mock": ("unittest.mock", mock_called),
    "numpy": ("numpy.testing", numpy_equal),
    "subprocess": ("subprocess", subprocess_fails),
}
METHODS = {"unittest-equal": "equal", "unittest-true": "true", "unittest-raises": "raises", "unittest-fine": "fine"}


def needed():
    """({name: function} of the canaries whose library is loaded, [names of the others])."""
    loaded = {name: function for name, (module, function) in NEEDING.items() if module in sys.modules}
    return loaded, [name for name in NEEDING if name not in loaded]


def make_cases():
    import unittest

    class Cases(unittest.TestCase):
        def equal(self):
            self.assertEqual(1, 2)

        def true(self):
            self.assertTrue(False)

        def raises(self):
            with self.assertRaises(ValueError):
                pass

        def fine(self):
            self.assertEqual(2, 2)
            self.assertTrue(True)
            with self.assertRaises(ValueError):
                raise ValueError("expected")

    return Cases


def pytest_items(session, watches):
    """([(name, item)], [names not needed]). No fixture is asked for, not even the project's autouse ones."""
    import pathlib

    import pytest

    module = pytest.Module.from_parent(session, path=pathlib.Path(__file__))
    # Given, not imported again: an import would go through the project's path.
    module._obj = sys.modules[__name__]
    loaded, unneeded = needed()
    items = []
    for name, function in {**FUNCTIONS, **PYTEST_FUNCTIONS, **loaded, **watches}.items():
        made = pytest.Function.from_parent(module, name=name, callobj=function, fixtureinfo=_no_fixtures())
        items.append((name, made))
    items.extend(_pytest_cases(module))
    return items, unneeded


def _pytest_cases(module):
    from _pytest.unittest import TestCaseFunction, UnitTestCase

    # pytest 7 looks the class up in its module, later versions take it as given.
    module.obj.Cases = make_cases()
    owner = UnitTestCase.from_parent(module, name="Cases", obj=module.obj.Cases)
    for name, method in METHODS.items():
        yield name, TestCaseFunction.from_parent(owner, name=method, fixtureinfo=_no_fixtures())


def _no_fixtures():
    from _pytest.fixtures import FuncFixtureInfo

    return FuncFixtureInfo(argnames=(), initialnames=(), names_closure=[], name2fixturedefs={})


def unittest_cases(watches):
    """([(name, TestCase)], [names not needed])."""
    import unittest

    loaded, unneeded = needed()
    functions = {**FUNCTIONS, **loaded, **watches}
    cases = make_cases()
    found = [(name, unittest.FunctionTestCase(function)) for name, function in functions.items()]
    return found + [(name, cases(method)) for name, method in METHODS.items()], unneeded


def run_in_pytest(session, send, watches):
    """Runs tests that must fail and tests that must pass through pytest's own machinery, unseen by its reporters."""
    try:
        items, unneeded = pytest_items(session, watches)
    except BaseException as error:  # noqa: B036 - an unknown version of pytest, or one that was patched
        detail = "pytest's items cannot be made: %s: %s" % (type(error).__name__, safe_text(error))
        send("canary", id="assert", outcome="unbuilt", detail=clip(detail, 2000))
        return
    from _pytest import runner

    for name in unneeded:
        send("canary", id=name, outcome="not_needed", detail="")
    # Python's own tracebacks: pytest's would read and parse sources, for failures that nobody looks at.
    style, session.config.option.tbstyle = session.config.option.tbstyle, "native"
    for name, item in items:
        try:
            reports = runner.runtestprotocol(item, log=False, nextitem=None)
            outcome = "passed" if all(report.outcome == "passed" for report in reports) and reports else "failed"
            detail = "\n".join(report.longreprtext for report in reports if report.outcome != "passed")
        except BaseException as error:  # noqa: B036
            outcome, detail = "failed", "%s: %s" % (type(error).__name__, safe_text(error))
        send("canary", id=name, outcome=outcome, detail=clip(detail, 2000))
    session.config.option.tbstyle = style


def run_in_unittest(send, watches):
    """The same for unittest: each with a result of its own, so that the project's shows none of it."""
    import unittest

    cases, unneeded = unittest_cases(watches)
    for name in unneeded:
        send("canary", id=name, outcome="not_needed", detail="")
    for name, case in cases:
        result = unittest.TestResult()
        try:
            case.run(result)
            good = result.testsRun == 1 and not (result.failures or result.errors or result.skipped)
            outcome = "passed" if good else "failed"
            detail = "\n".join(text for _, text in result.failures + result.errors)
        except BaseException as error:  # noqa: B036 - patched code may raise anything
            outcome, detail = "failed", "%s: %s" % (type(error).__name__, safe_text(error))
        send("canary", id=name, outcome=outcome, detail=clip(detail, 2000))
