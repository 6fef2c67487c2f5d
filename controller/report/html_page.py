"""An HTML page with a title, facts as a table, and plots that are embedded as SVG."""

from __future__ import annotations

import errno
import html
import io
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Final, NamedTuple

from firmware_bridge.errors import FaultSource, PotkeeperError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WIDTH_IN: Final = 7.0
"""Width of a plot in inches."""
BAR_IN: Final = 0.32
"""Height of a bar in inches. At this height the names next to the bars stay readable."""
CURVE_IN: Final = 3.6
"""Height of a curve plot in inches."""
COLOURS: Final = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")
"""Colours that people with the common colour-vision deficiencies can distinguish.

Source: Okabe and Ito, Color Universal Design.
"""
HATCHES: Final = ("", "//", "..", "xx", "\\\\", "++", "oo")
"""Hatch patterns of the parts of a bar, because not everybody can distinguish the colours."""
DASHES: Final = ("-", "--", ":", "-.")

_STYLE: Final = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 2rem auto; padding: 0 1rem; color: #111; }
table { border-collapse: collapse; } td { padding: .15rem .8rem; text-align: right; border-bottom: 1px solid #ccc; }
td:first-child { text-align: left; } figure { margin: 2rem 0; } svg { max-width: 100%; height: auto; }
"""


class ReportError(PotkeeperError):
    """Error for a page that cannot be written. The message says what is missing, or what was expected."""

    fault: ClassVar[FaultSource] = "person"


class BarPlot(NamedTuple):
    """A plot of horizontal bars.

    `rows` has the values of every bar by the bar's name. A bar consists of `parts` that are drawn end to end, with one
    value for each part.
    """

    title: str
    unit: str
    parts: tuple[str, ...]
    rows: Mapping[str, Sequence[float]]


class Curve(NamedTuple):
    """A cumulative distribution, drawn as a curve.

    The curve at x shows which share of the values (0 to 1) is at most x. `reference_value` is a minimum or a limit that
    is drawn as a line. It is None if no line is drawn.
    """

    name: str
    values: Sequence[float]
    reference_value: float | None = None


class CurvePlot(NamedTuple):
    """A plot of cumulative distributions."""

    title: str
    unit: str
    curves: tuple[Curve, ...]


class HtmlPage(NamedTuple):
    """The content of an HTML page, from top to bottom."""

    title: str
    facts: Mapping[str, object]
    plots: tuple[BarPlot | CurvePlot, ...]
    rows: Sequence[Mapping[str, object]] = ()
    """Rows of a table at the end of the page. All rows have the same keys, which are the column titles."""


def check_can_draw(path: Path) -> None:
    """Check before a long run that a page or picture can be written to `path`.

    Raises ReportError as `write_page` and `write_png` do.
    """
    _require_matplotlib()
    if path.is_dir():
        raise _write_error(path, errno.EISDIR)
    if not path.parent.is_dir():
        raise _write_error(path, errno.ENOENT)
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise _write_error(path, errno.EACCES)


def write_page(path: Path, page: HtmlPage) -> None:
    """Write the page into a file. Raises ReportError if matplotlib is missing or the file cannot be written."""
    text = _to_html(page)
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise _write_error(path, error.errno) from None


def _to_html(page: HtmlPage) -> str:
    parts = [f"<h1>{html.escape(page.title)}</h1>"]
    if page.facts:
        parts.append(_to_table(page.facts.items()))
    if page.rows:
        parts.append(_to_table([tuple(page.rows[0]), *(tuple(row.values()) for row in page.rows)]))
    parts += [f"<figure>{render_svg(plot)}</figure>" for plot in page.plots]
    body = "\n".join(parts)
    return (
        f'<!doctype html>\n<html lang="en"><meta charset="utf-8"><title>{html.escape(page.title)}</title>\n'
        f"<style>{_STYLE}</style>\n<body>\n{body}\n</body></html>\n"
    )


def _to_table(rows: Iterable[Iterable[object]]) -> str:
    cells = ("".join(f"<td>{_to_cell(cell)}</td>" for cell in row) for row in rows)
    return "<table>" + "".join(f"<tr>{row}</tr>" for row in cells) + "</table>"


def _to_cell(fact: object) -> str:
    if isinstance(fact, float):
        return f"{fact:,.1f}"
    return f"{fact:,}" if isinstance(fact, int) and not isinstance(fact, bool) else html.escape(str(fact))


def render_svg(plot: BarPlot | CurvePlot) -> str:
    """Return the plot as an SVG element. Raises ReportError if matplotlib is missing."""
    out = io.BytesIO()
    # Leave out the date and use fixed ids, so that the same figures always give the same page.
    _draw_figure(plot).savefig(out, format="svg", metadata={"Date": None}, bbox_inches="tight")
    svg = out.getvalue().decode()
    return svg[svg.index("<svg") :]


def write_png(plot: BarPlot | CurvePlot, path: Path) -> None:
    """Draw the plot into a PNG file. Raises ReportError if matplotlib is missing or the file cannot be written."""
    try:
        _draw_figure(plot).savefig(path, format="png", dpi=110, bbox_inches="tight", metadata={"Software": None})
    except OSError as error:
        raise _write_error(path, error.errno) from None


def _write_error(path: Path, error_number: int | None) -> ReportError:
    return ReportError(f"{path}: {os.strerror(error_number or errno.EIO)}, expected a file that can be written")


def _require_matplotlib() -> None:
    try:
        import matplotlib
    except ImportError:
        raise ReportError("matplotlib is not installed, expected the extra `lab`: pip install potkeeper[lab]") from None
    matplotlib.rcParams["svg.hashsalt"] = "potkeeper"


def _draw_figure(plot: BarPlot | CurvePlot) -> Figure:
    _require_matplotlib()
    from matplotlib.figure import Figure

    height = 1.2 + BAR_IN * max(2, len(plot.rows)) if isinstance(plot, BarPlot) else CURVE_IN
    figure = Figure(figsize=(WIDTH_IN, height))
    axes = figure.add_subplot()
    if isinstance(plot, BarPlot):
        _draw_bars(axes, plot)
    else:
        _draw_curves(axes, plot)
    axes.set_title(plot.title, loc="left")
    axes.set_xlabel(plot.unit)
    axes.spines[["top", "right"]].set_visible(False)
    return figure


def _draw_bars(axes: Axes, plot: BarPlot) -> None:
    names = list(plot.rows)
    left = [0.0] * len(names)
    for number, part in enumerate(plot.parts):
        values = [float(plot.rows[name][number]) for name in names]
        axes.barh(names, values, left=left, label=part, color=COLOURS[number % len(COLOURS)],
                  hatch=HATCHES[number % len(HATCHES)], edgecolor="white")  # fmt: skip
        left = [start + value for start, value in zip(left, values, strict=True)]
    axes.invert_yaxis()
    if len(plot.parts) > 1:
        axes.legend(frameon=False, fontsize="small", loc="upper left", bbox_to_anchor=(1.0, 1.0))


def _draw_curves(axes: Axes, plot: CurvePlot) -> None:
    for number, curve in enumerate(plot.curves):
        colour = COLOURS[number % len(COLOURS)]
        ordered = sorted(curve.values)
        shares = [(index + 1) / len(ordered) for index in range(len(ordered))]
        axes.step(ordered, shares, where="post", label=curve.name, color=colour, linestyle=DASHES[number % len(DASHES)])
        if curve.reference_value is not None:
            axes.axvline(curve.reference_value, color=colour, linewidth=0.8, alpha=0.6)
    axes.set_ylim(0, 1.02)
    axes.set_ylabel("share")
    axes.legend(frameon=False, fontsize="small", loc="lower right")
