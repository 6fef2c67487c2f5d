"""Pages to look at: the figures of a run and their plots, in one HTML file that needs nothing else.

Others import from here. Plots are drawn with matplotlib, an extra (`pip install potkeeper[report]`).
"""

from controller.report.measured import of_latency, of_sweep
from controller.report.page import Bars, Curve, Curves, Page, ReportError, draw, look, write
from controller.report.simulated import Motion, Outcome, of_evening

__all__ = [
    "Bars",
    "Curve",
    "Curves",
    "Motion",
    "Outcome",
    "Page",
    "ReportError",
    "draw",
    "look",
    "of_evening",
    "of_latency",
    "of_sweep",
    "write",
]
