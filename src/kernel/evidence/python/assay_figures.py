"""matplotlib's figures in words, noted when they are shown or saved: afterwards they are closed and gone."""

import functools
import importlib.util
import math
import os
import sys
import weakref

MIME = "application/vnd.assay.figure+json"
MOST_AXES = 16
MOST_SERIES = 24
MOST_SAVED = 64
MOST_GLYPHS = 200


class Figures:
    def __init__(self, root):
        self.root = root
        self.numbers = weakref.WeakKeyDictionary()
        self.count = 0
        self.saved = []
        self.glyphs = set()

    def watch(self, shell):
        """From now on a figure that is shown carries its description, and one that is saved is noted."""
        shell.display_formatter.mimebundle_formatter.for_type_by_name("matplotlib.figure", "Figure", self.bundle)
        module = sys.modules.get("matplotlib.figure")
        if hasattr(module, "Figure"):
            self.patch(module)
        else:
            sys.meta_path.insert(0, Finder(self.patch))

    def bundle(self, figure, include=None, exclude=None):
        try:
            return {MIME: self.describe(figure)}
        except Exception:
            return {}

    def patch(self, module):
        original = module.Figure.savefig

        @functools.wraps(original)
        def savefig(figure, fname, *args, **kwargs):
            __tracebackhide__ = True
            result = original(figure, fname, *args, **kwargs)
            self.note(figure, fname)
            return result

        module.Figure.savefig = savefig
        self.watch_glyphs()

    def watch_glyphs(self):
        """Python shows a warning once, and none where the user silences them; the boxes are in each figure."""
        try:
            from matplotlib import _text_helpers

            original = _text_helpers.warn_on_missing_glyph
        except Exception:
            return

        @functools.wraps(original)
        def warn_on_missing_glyph(codepoint, *args, **kwargs):
            if type(codepoint) is int and len(self.glyphs) < MOST_GLYPHS:
                self.glyphs.add(codepoint)
            return original(codepoint, *args, **kwargs)

        _text_helpers.warn_on_missing_glyph = warn_on_missing_glyph

    def note(self, figure, file):
        try:
            path = os.path.relpath(os.path.realpath(os.fspath(file)), self.root)
            if type(path) is str and not path.startswith("..") and len(self.saved) < MOST_SAVED:
                self.saved.append({"file": path, "figure": self.describe(figure)})
        except Exception:
            pass

    def drain(self):
        saved, self.saved = self.saved, []
        glyphs, self.glyphs = sorted(self.glyphs), set()
        return saved, glyphs

    def describe(self, figure):
        if figure not in self.numbers:
            self.count += 1
            self.numbers[figure] = self.count
        title = getattr(figure, "_suptitle", None)
        return {
            "number": self.numbers[figure],
            "title": "" if title is None else text(title.get_text()),
            "axes": [describe_axes(axes) for axes in figure.axes[:MOST_AXES] if not is_colorbar(axes)],
        }


class Finder:
    """Has one module patched as soon as the user imports it."""

    def __init__(self, patch):
        self.patch = patch

    def find_spec(self, name, path=None, target=None):
        if name != "matplotlib.figure":
            return None
        if self in sys.meta_path:
            sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.loader is not None:
            run = spec.loader.exec_module

            def exec_module(module):
                run(module)
                try:
                    self.patch(module)
                except Exception:
                    pass

            spec.loader.exec_module = exec_module
        return spec


def is_colorbar(axes):
    return axes.get_label() == "<colorbar>" or hasattr(axes, "_colorbar")


def describe_axes(axes):
    titles = [axes.get_title(loc=loc) for loc in ("center", "left", "right")]
    series = [one for of in (lines, bars, wedges, collections, images) for one in of(axes)]
    if len(series) > MOST_SERIES:
        more = "%d more" % (len(series) - MOST_SERIES + 1)
        series = series[: MOST_SERIES - 1] + [one_series("other", more, None)]
    return {
        "title": text(next((title for title in titles if title), "")),
        "xLabel": text(axes.get_xlabel()),
        "yLabel": text(axes.get_ylabel()),
        "xRange": span(axes.get_xlim()),
        "yRange": span(axes.get_ylim()),
        "series": series,
    }


def text(value):
    return str(value).encode("utf-8", "replace").decode("utf-8")[:200]


def label(artist):
    """matplotlib's own labels begin with an underscore and mean nothing."""
    name = artist.get_label()
    return "" if type(name) is not str or name.startswith("_") else text(name)


def one_series(kind, name, points, x=None, y=None):
    return {"kind": kind, "label": name, "points": points, "xRange": span(x), "yRange": span(y)}


def span(values):
    """The least and the greatest number, or None."""
    if values is None:
        return None
    import numpy

    try:
        numbers = numpy.asarray(numpy.ma.getdata(values), dtype=float).ravel()
    except Exception:
        return None
    numbers = numbers[numpy.isfinite(numbers)]
    if numbers.size == 0:
        return None
    least, greatest = float(numbers.min()), float(numbers.max())
    return [round_to(least), round_to(greatest)]


def round_to(number):
    return number if number == 0 or not math.isfinite(number) else float("%.6g" % number)


def lines(axes):
    for line in axes.lines:
        x, y = line.get_xdata(orig=False), line.get_ydata(orig=False)
        drawn = line.get_linestyle() not in ("None", "none", "", " ", None)
        yield one_series("line" if drawn else "points", label(line), len(y), x, y)


def bars(axes):
    for container in axes.containers:
        patches = getattr(container, "patches", None)
        if patches is None:
            continue
        across = getattr(container, "orientation", "vertical") == "horizontal"
        lengths = [patch.get_width() if across else patch.get_height() for patch in patches]
        x, y = (lengths, None) if across else (None, lengths)
        yield one_series("bar", label(container), len(patches), x, y)


def wedges(axes):
    slices = [patch for patch in axes.patches if type(patch).__name__ == "Wedge"]
    if slices:
        names = ", ".join(filter(None, map(label, slices)))
        yield one_series("pie", text(names), len(slices))


def collections(axes):
    for collection in axes.collections:
        kind = type(collection).__name__
        if kind == "PathCollection":
            offsets = collection.get_offsets()
            yield one_series("scatter", label(collection), len(offsets), offsets[:, 0], offsets[:, 1])
        elif kind in ("PolyCollection", "FillBetweenPolyCollection"):
            yield one_series("area", label(collection), None)
        elif collection.get_array() is not None:
            values = collection.get_array()
            yield one_series("mesh" if kind == "QuadMesh" else kind, label(collection), int(values.size), None, values)
        else:
            yield one_series(kind, label(collection), None)


def images(axes):
    for image in axes.images:
        values = image.get_array()
        points = None if values is None else int(values.size)
        yield one_series("image", label(image), points)
