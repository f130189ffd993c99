"""What pytest's own objects say of one test, in the words of the private channel."""

import os

from assay_channel import OUTPUT_LIMIT, TRACE_LIMIT, clip, safe_text


def result_of(item, name, current, places):
    """The record of one test from the reports and exceptions its phases, subtests and reruns left."""
    reports = current["reports"]
    bad = [report for report in reports if report.failed]
    whole = [report for report in reports if not hasattr(report, "context")] or reports
    status, reason = status_of(whole, bad)
    failure = None
    if bad:
        error, tb = current["failures"][0] if current["failures"] else (None, None)
        trace = "\n".join(report.longreprtext for report in bad)
        failure = (
            {"type": "", "message": trace.strip().split("\n")[-1], "trace": clip(trace, TRACE_LIMIT), "frames": []}
            if error is None
            else places.failure(error, tb, trace)
        )
    place, line, _ = item.location
    # Not the location's own file: a method a class inherits is found in the file of the class.
    file = places.relative(str(item.path))[0]
    inside = place == file or places.relative(os.path.join(str(item.config.rootpath), place))[0] == file
    return {
        "id": name,
        "file": file,
        "line": line + 1 if inside and line is not None else None,
        "status": status,
        "durationMs": max(0.0, sum(report.duration for report in whole) * 1000),
        "failure": failure,
        "skipReason": reason,
        "stdout": clip(whole[-1].capstdout, OUTPUT_LIMIT),
        "stderr": clip(whole[-1].capstderr, OUTPUT_LIMIT),
    }


def status_of(reports, bad):
    """(status, reason of a skip or an expected failure) of one test from its phases' reports."""
    if any(report.when == "call" for report in bad):
        return "failed", None
    if bad:
        return "error", None
    for report in reports:
        expected = getattr(report, "wasxfail", None)
        if report.skipped:
            if expected is not None:
                return "xfailed", safe_text(expected)
            reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longreprtext
            return "skipped", reason[len("Skipped: ") :] if reason.startswith("Skipped: ") else reason
        if expected is not None and report.when == "call":
            return "xpassed", safe_text(expected)
    return "passed", None


def marked(item):
    """What the item's own marks say, before anything of it is run: skipped, xfailed or None."""
    from _pytest import skipping

    target = getattr(item, "obj", None)
    owner = getattr(item, "cls", None)
    try:
        if getattr(target, "__unittest_skip__", False) or getattr(owner, "__unittest_skip__", False):
            return "skipped"
        if skipping.evaluate_skip_marks(item) is not None:
            return "skipped"
        if getattr(target, "__unittest_expecting_failure__", False) or skipping.evaluate_xfail_marks(item) is not None:
            return "xfailed"
    except BaseException:  # noqa: B036 - a condition is code of the project
        return None
    return None
