"""Runs or collects a project's tests with unittest; only the start, so that the rest is loaded from byte code."""

from assay_exit import leave
from assay_unittest_run import main

if __name__ == "__main__":
    leave(main())
