"""The page of `simulate`: how well the table understood motions of chips, by cause, antenna and stack height."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Final, Literal, NamedTuple, get_args

from controller.report.html_page import BarPlot, Curve, CurvePlot, HtmlPage

MotionOutcome = Literal["right", "asked", "asked-needlessly", "wrong-confirmed", "wrong-never-heard", "wrong-dead-tag"]
PLOTTED_OUTCOMES: Final[tuple[MotionOutcome, ...]] = tuple(
    outcome for outcome in get_args(MotionOutcome) if outcome != "right"
)
"""Outcomes of motions that the plots show, which are all outcomes except `right`."""
STACK_HEIGHTS: Final = ((1, 4), (5, 8), (9, 12), (13, 20), (21, 255))
"""Ranges of stack heights, by which the plots group the motions.

A height is the number of chips that a player puts down in one motion. The last range includes all larger heights.
Stacks of up to 12 chips are easy to read. Above 20 chips the number of reading errors rises steeply. Source:
readers.md, section 1.
"""


class MotionResult(NamedTuple):
    """The outcome of a motion, in which a player puts chips on a spot.

    Times are in µs after the last chip was placed. A time is None if its event never happened.
    """

    spot: str
    chips: int
    provisional_us: int | None
    settled_us: int | None
    outcome: MotionOutcome
    cause: str
    """Disturbance or noise that explains the outcome, or "" if nothing disturbed the motion."""


def evening_page(
    report: Mapping[str, object], motions: Sequence[MotionResult], floor_ms: Callable[[int], float]
) -> HtmlPage:
    """Return the page of a simulation.

    `report` is the output of the command. `floor_ms` takes a number of chips and returns the minimum time in ms in
    which a reader can detect them.
    """
    not_right = [motion for motion in motions if motion.outcome != "right"]
    plots = (
        _time_plot("Time until chips are detected", motions, lambda motion: motion.provisional_us, floor_ms),
        _time_plot("Time until the motion is complete", motions, lambda motion: motion.settled_us),
        _count_plot(
            "Motions that were wrong or asked about, by cause", not_right, lambda motion: motion.cause or "unknown"
        ),
        _count_plot("Motions that were wrong or asked about, by antenna", not_right, lambda motion: motion.spot),
        _count_plot(
            "Motions that were wrong or asked about, by height", not_right, lambda motion: _height_label(motion.chips)
        ),
    )
    non_empty = tuple(plot for plot in plots if (plot.rows if isinstance(plot, BarPlot) else plot.curves))
    return HtmlPage("A session at the simulated table", report, non_empty)


def _time_plot(
    title: str,
    motions: Sequence[MotionResult],
    time_of: Callable[[MotionResult], int | None],
    floor_ms: Callable[[int], float] | None = None,
) -> CurvePlot:
    """Return a plot with one curve of detection times for each range of stack heights.

    A vertical line for each curve marks the minimum time in which a reader can detect the lowest stack of the range.
    """
    curves = []
    for lowest, highest in STACK_HEIGHTS:
        values = [
            us / 1000 for motion in motions if lowest <= motion.chips <= highest and (us := time_of(motion)) is not None
        ]
        if values:
            curves.append(
                Curve(f"{lowest} to {highest} chips", values, floor_ms(lowest) if floor_ms is not None else None)
            )
    return CurvePlot(title, "ms", tuple(curves))


def _count_plot(title: str, motions: Sequence[MotionResult], group_of: Callable[[MotionResult], str]) -> BarPlot:
    counts = Counter((group_of(motion), motion.outcome) for motion in motions)
    names = sorted(
        {name for name, _ in counts},
        key=lambda name: (-sum(counts[name, outcome] for outcome in PLOTTED_OUTCOMES), name),
    )
    rows = {name: tuple(counts[name, outcome] for outcome in PLOTTED_OUTCOMES) for name in names}
    return BarPlot(title, "motions", PLOTTED_OUTCOMES, rows)


def _height_label(chips: int) -> str:
    lowest, highest = next(
        (height_range for height_range in STACK_HEIGHTS if chips <= height_range[1]), STACK_HEIGHTS[-1]
    )
    return f"{lowest} to {highest} chips"
