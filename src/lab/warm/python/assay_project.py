"""Tells the project's own modules from others, and compiles its unchanged sources once."""

import os
import sys
from importlib.machinery import SourceFileLoader


class Project:
    """`setup["files"]` maps the project's own files by absolute name to their names in the project,
    `setup["tests"]` lists its test files."""

    def __init__(self, setup):
        self.root = setup["root"]
        self.skip = setup["skip"]
        self.files = setup["files"]
        self.tests = setup["tests"]
        self.codes = {}

    def modules(self):
        return [name for name, module in list(sys.modules.items()) if file_of(module) in self.files]

    def outside(self, before):
        """Modules imported since `before` that do not belong to the project: safe to import ahead of the forks."""
        return [name for name in list(sys.modules) if name not in before and self.is_outside(name)]

    def is_outside(self, name):
        file = file_of(sys.modules.get(name))
        if not file or name == "__main__" or name.startswith("assay_"):
            return False
        inside = file.startswith(self.root + os.sep)
        return not inside or any(file.startswith(skip + os.sep) for skip in self.skip)

    def cache_code(self):
        """Unchanged sources are compiled once, before the forks; a fork then only executes them."""
        codes, compile_source = self.codes, SourceFileLoader.get_code

        def get_code(loader, name):
            code = codes.get(loader.path)
            return compile_source(loader, name) if code is None else code

        SourceFileLoader.get_code = get_code
        for file in [*self.files, *self.tests]:
            if file.endswith(".py"):
                try:
                    with open(file, "rb") as handle:
                        codes[file] = compile(handle.read(), file, "exec", dont_inherit=True)
                except (OSError, SyntaxError, ValueError):
                    continue

    def forget_code(self, paths):
        for path in paths:
            self.codes.pop(os.path.join(self.root, path), None)


def file_of(module):
    return getattr(module, "__file__", None)
