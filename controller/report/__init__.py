"""Reports: the figures of a run and their plots, in one HTML file without external files.

A command such as `simulate` passes its figures to a function that builds an `HtmlPage`. A page has a title, a table of
facts, and plots. `write_page` draws the plots with matplotlib as SVG and writes the file. Matplotlib is an optional
dependency (`pip install potkeeper[lab]`). Call `check_can_draw` before a long run, so that a missing matplotlib is
reported at once. Import the names from this package, not from its modules.

Write a page with one plot:

    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from controller.report import BarPlot, HtmlPage, write_page
    >>> plot = BarPlot("Detection time", "ms", ("median", "up to p99"), {"one chip": (80, 40)})
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "report.html"
    ...     write_page(path, HtmlPage("A run", {"hands": 20}, (plot,)))
    ...     path.read_text().startswith("<!doctype html>")
    True
"""

from controller.report.benchmark_pages import latency_page, sweep_page
from controller.report.html_page import (
    BarPlot,
    Curve,
    CurvePlot,
    HtmlPage,
    ReportError,
    check_can_draw,
    write_page,
    write_png,
)
from controller.report.simulation_page import MotionOutcome, MotionResult, evening_page

__all__ = [
    "BarPlot",
    "Curve",
    "CurvePlot",
    "HtmlPage",
    "MotionOutcome",
    "MotionResult",
    "ReportError",
    "check_can_draw",
    "evening_page",
    "latency_page",
    "sweep_page",
    "write_page",
    "write_png",
]
