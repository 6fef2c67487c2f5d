"""The page of `simulate`: what became of each motion, by cause, by antenna and by height."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Final, Literal, NamedTuple, get_args

from controller.report.page import Bars, Curve, Curves, Page

Outcome = Literal["right", "asked", "asked-needlessly", "wrong-confirmed", "wrong-never-heard", "wrong-dead-tag"]
OUTCOMES: Final[tuple[Outcome, ...]] = tuple(outcome for outcome in get_args(Outcome) if outcome != "right")
"""Those that a plot shows: what is right needs no look."""
HEIGHTS: Final = ((1, 4), (5, 8), (9, 12), (13, 20), (21, 255))
"""Chips of a motion, from and to; the last has all that are more. Source: readers.md, 1: up to 12 are easy, above 20
is steep."""


class Motion(NamedTuple):
    """What became of one motion. Times are microseconds since its last chip was down; None: never."""

    spot: str
    chips: int
    seen_us: int | None
    complete_us: int | None
    outcome: Outcome
    cause: str
    """The mishap or noise that explains it, "" for none."""


def of_evening(report: Mapping[str, object], motions: Sequence[Motion], floor_ms: Callable[[int], float]) -> Page:
    """The page of a simulation: `report` is what the command prints, `floor_ms` the least time in which so many chips
    can be seen."""
    odd = [motion for motion in motions if motion.outcome != "right"]
    plots = (
        _times("Chips down until seen", motions, lambda motion: motion.seen_us, floor_ms),
        _times("Chips down until complete", motions, lambda motion: motion.complete_us),
        _counted("Wrong and asked, by cause", odd, lambda motion: motion.cause or "none known"),
        _counted("Wrong and asked, by antenna", odd, lambda motion: motion.spot),
        _counted("Wrong and asked, by height", odd, lambda motion: _height(motion.chips)),
    )
    shown = tuple(plot for plot in plots if (plot.rows if isinstance(plot, Bars) else plot.curves))
    return Page("An evening at the simulated table", report, shown)


def _times(
    title: str,
    motions: Sequence[Motion],
    of: Callable[[Motion], int | None],
    floor_ms: Callable[[int], float] | None = None,
) -> Curves:
    """A curve for each height; the thin line of its colour is the floor of its lowest stack."""
    curves = []
    for least, most in HEIGHTS:
        values = [us / 1000 for motion in motions if least <= motion.chips <= most and (us := of(motion)) is not None]
        if values:
            curves.append(Curve(f"{least} to {most} chips", values, floor_ms(least) if floor_ms is not None else None))
    return Curves(title, "ms", tuple(curves))


def _counted(title: str, motions: Sequence[Motion], by: Callable[[Motion], str]) -> Bars:
    counts = Counter((by(motion), motion.outcome) for motion in motions)
    names = sorted({name for name, _ in counts}, key=lambda name: (-sum(counts[name, out] for out in OUTCOMES), name))
    rows = {name: tuple(counts[name, outcome] for outcome in OUTCOMES) for name in names}
    return Bars(title, "motions", OUTCOMES, rows)


def _height(chips: int) -> str:
    least, most = next((each for each in HEIGHTS if chips <= each[1]), HEIGHTS[-1])
    return f"{least} to {most} chips"
