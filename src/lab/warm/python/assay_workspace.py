"""Puts a candidate's files into the workspace and restores everything afterwards."""

import os
import shutil
import stat


class Workspace:
    """Remembers every writable file below `root` and empties the folders of `scratch` on each restore.

    `skip` names folders that are mounted read-only (environments), which need no look.
    """

    def __init__(self, root, scratch, skip):
        self.root = root
        self.scratch = scratch
        self.skip = frozenset(skip)
        self.contents = {}
        self.links = {}
        self.marks = {}
        self.folders = set()
        for path, info in self.walk():
            if info is None:
                self.folders.add(path)
                continue
            self.marks[path] = mark(info)
            if stat.S_ISLNK(info.st_mode):
                self.links[path] = os.readlink(path)
            elif stat.S_ISREG(info.st_mode) and ours(path, info):
                with open(path, "rb") as handle:
                    self.contents[path] = (handle.read(), stat.S_IMODE(info.st_mode))
        self.scratch_kept = {folder: frozenset(safe_list(folder)) for folder in scratch}

    def walk(self):
        stack = [self.root]
        while stack:
            folder = stack.pop()
            try:
                entries = list(os.scandir(folder))
            except OSError:
                continue
            for entry in entries:
                if entry.path in self.skip:
                    continue
                if entry.is_dir(follow_symlinks=False):
                    stack.append(entry.path)
                    yield entry.path, None
                else:
                    try:
                        yield entry.path, entry.stat(follow_symlinks=False)
                    except OSError:
                        continue

    def write(self, files):
        for path, text in files:
            target = os.path.join(self.root, path)
            mode = None
            if os.path.exists(target) and not os.access(target, os.W_OK):
                # A file that its owner made read-only: it is replaced, as an editor would.
                mode = stat.S_IMODE(os.lstat(target).st_mode)
                os.unlink(target)
            with open(target, "wb") as handle:
                handle.write(text.encode("utf-8", "surrogateescape"))
            if mode is not None:
                os.chmod(target, mode)

    def restore(self):
        """True when the workspace is as it was; False asks for a new sandbox."""
        try:
            seen, strange = set(), []
            for path, info in self.walk():
                seen.add(path)
                if info is None:
                    if path not in self.folders:
                        strange.append(path)
                elif self.marks.get(path) != mark(info):
                    strange.append(path)
            for path in strange:
                self.put_back(path)
            for path in [*self.contents, *self.links]:
                if path not in seen:
                    self.put_back(path)
            for folder, kept in self.scratch_kept.items():
                for name in safe_list(folder):
                    if name not in kept:
                        remove(os.path.join(folder, name))
            return self.folders <= seen
        except OSError:
            return False

    def put_back(self, path):
        original = self.contents.get(path)
        if os.path.lexists(path):
            remove(path)
        if path in self.links:
            os.symlink(self.links[path], path)
            self.marks[path] = mark(os.lstat(path))
        if original is None:
            return
        data, mode = original
        with open(path, "wb") as handle:
            handle.write(data)
        os.chmod(path, mode)
        self.marks[path] = mark(os.lstat(path))


def ours(path, info):
    """Whether a candidate can change the file: also one that is only marked read-only, never one on a read-only mount."""
    if os.access(path, os.W_OK):
        return True
    return info.st_uid == os.geteuid() and not os.statvfs(path).f_flag & os.ST_RDONLY


def mark(info):
    return (info.st_mtime_ns, info.st_ctime_ns, info.st_size, info.st_ino, info.st_mode)


def safe_list(folder):
    try:
        return os.listdir(folder)
    except OSError:
        return []


def remove(path):
    if os.path.isdir(path) and not os.path.islink(path):
        shutil.rmtree(path, ignore_errors=True)
    else:
        os.unlink(path)
