"""A page: title, facts as a table, plots drawn into it as SVG."""

from __future__ import annotations

import errno
import html
import io
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Final, NamedTuple

from firmware_bridge.errors import PotkeeperError, Whose

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WIDTH_IN: Final = 7.0
BAR_IN: Final = 0.32
"""Height of one bar: names beside the bars stay readable."""
CURVE_IN: Final = 3.6
COLOURS: Final = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")
"""Told apart with the common colour-vision deficiencies. Source: Okabe and Ito, Color Universal Design."""
HATCHES: Final = ("", "//", "..", "xx", "\\\\", "++", "oo")
"""Colour is not the only sign."""
DASHES: Final = ("-", "--", ":", "-.")

_STYLE: Final = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 2rem auto; padding: 0 1rem; color: #111; }
table { border-collapse: collapse; } td { padding: .15rem .8rem; text-align: right; border-bottom: 1px solid #ccc; }
td:first-child { text-align: left; } figure { margin: 2rem 0; } svg { max-width: 100%; height: auto; }
"""


class ReportError(PotkeeperError):
    """A page cannot be written: what is missing, and what was expected."""

    whose: ClassVar[Whose] = "person"


class Bars(NamedTuple):
    """Horizontal bars: for each name one value for each of `parts`, laid end to end."""

    title: str
    unit: str
    parts: tuple[str, ...]
    rows: Mapping[str, Sequence[float]]


class Curve(NamedTuple):
    """How large a share of the values (0 to 1) is at most so large; `mark` is where a floor or limit lies."""

    name: str
    values: Sequence[float]
    mark: float | None = None


class Curves(NamedTuple):
    """Shares of values, one curve beside the other."""

    title: str
    unit: str
    curves: tuple[Curve, ...]


class Page(NamedTuple):
    """What a page shows, from the top down."""

    title: str
    facts: Mapping[str, object]
    plots: tuple[Bars | Curves, ...]
    rows: Sequence[Mapping[str, object]] = ()
    """A table with a head; all rows have the same names."""


def look(path: Path) -> None:
    """Looks whether a page or picture can be drawn into that file, before a run that takes long. Raises ReportError as
    `write` and `draw` do."""
    _matplotlib()
    if path.is_dir():
        raise _unwritable(path, errno.EISDIR)
    if not path.parent.is_dir():
        raise _unwritable(path, errno.ENOENT)
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise _unwritable(path, errno.EACCES)


def write(path: Path, page: Page) -> None:
    """Writes the page into a file. Raises ReportError where matplotlib is not installed or the file cannot be
    written."""
    text = _html(page)
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise _unwritable(path, error.errno) from None


def _html(page: Page) -> str:
    parts = [f"<h1>{html.escape(page.title)}</h1>"]
    if page.facts:
        parts.append(_table(page.facts.items()))
    if page.rows:
        parts.append(_table([tuple(page.rows[0]), *(tuple(row.values()) for row in page.rows)]))
    parts += [f"<figure>{drawn(plot)}</figure>" for plot in page.plots]
    body = "\n".join(parts)
    return (
        f'<!doctype html>\n<html lang="en"><meta charset="utf-8"><title>{html.escape(page.title)}</title>\n'
        f"<style>{_STYLE}</style>\n<body>\n{body}\n</body></html>\n"
    )


def _table(rows: Iterable[Iterable[object]]) -> str:
    cells = ("".join(f"<td>{_cell(cell)}</td>" for cell in row) for row in rows)
    return "<table>" + "".join(f"<tr>{row}</tr>" for row in cells) + "</table>"


def _cell(fact: object) -> str:
    if isinstance(fact, float):
        return f"{fact:,.1f}"
    return f"{fact:,}" if isinstance(fact, int) and not isinstance(fact, bool) else html.escape(str(fact))


def drawn(plot: Bars | Curves) -> str:
    """The plot as an SVG element. Raises ReportError where matplotlib is not installed."""
    out = io.BytesIO()
    # Without date and with fixed ids, the same figures give the same page.
    _figure(plot).savefig(out, format="svg", metadata={"Date": None}, bbox_inches="tight")
    svg = out.getvalue().decode()
    return svg[svg.index("<svg") :]


def draw(plot: Bars | Curves, path: Path) -> None:
    """Draws the plot into a PNG file. Raises ReportError where matplotlib is not installed or the file cannot be
    written."""
    try:
        _figure(plot).savefig(path, format="png", dpi=110, bbox_inches="tight", metadata={"Software": None})
    except OSError as error:
        raise _unwritable(path, error.errno) from None


def _unwritable(path: Path, number: int | None) -> ReportError:
    return ReportError(f"{path}: {os.strerror(number or errno.EIO)}, expected a file that can be written")


def _matplotlib() -> None:
    try:
        import matplotlib
    except ImportError:
        raise ReportError("matplotlib is not installed, expected the extra `report`") from None
    matplotlib.rcParams["svg.hashsalt"] = "potkeeper"


def _figure(plot: Bars | Curves) -> Figure:
    _matplotlib()
    from matplotlib.figure import Figure

    height = 1.2 + BAR_IN * max(2, len(plot.rows)) if isinstance(plot, Bars) else CURVE_IN
    figure = Figure(figsize=(WIDTH_IN, height))
    axes = figure.add_subplot()
    if isinstance(plot, Bars):
        _bars(axes, plot)
    else:
        _curves(axes, plot)
    axes.set_title(plot.title, loc="left")
    axes.set_xlabel(plot.unit)
    axes.spines[["top", "right"]].set_visible(False)
    return figure


def _bars(axes: Axes, plot: Bars) -> None:
    names = list(plot.rows)
    left = [0.0] * len(names)
    for number, part in enumerate(plot.parts):
        values = [float(plot.rows[name][number]) for name in names]
        axes.barh(names, values, left=left, label=part, color=COLOURS[number % len(COLOURS)],
                  hatch=HATCHES[number % len(HATCHES)], edgecolor="white")  # fmt: skip
        left = [before + value for before, value in zip(left, values, strict=True)]
    axes.invert_yaxis()
    if len(plot.parts) > 1:
        axes.legend(frameon=False, fontsize="small", loc="upper left", bbox_to_anchor=(1.0, 1.0))


def _curves(axes: Axes, plot: Curves) -> None:
    for number, curve in enumerate(plot.curves):
        colour = COLOURS[number % len(COLOURS)]
        ordered = sorted(curve.values)
        shares = [(place + 1) / len(ordered) for place in range(len(ordered))]
        axes.step(ordered, shares, where="post", label=curve.name, color=colour, linestyle=DASHES[number % len(DASHES)])
        if curve.mark is not None:
            axes.axvline(curve.mark, color=colour, linewidth=0.8, alpha=0.6)
    axes.set_ylim(0, 1.02)
    axes.set_ylabel("share")
    axes.legend(frameon=False, fontsize="small", loc="lower right")
