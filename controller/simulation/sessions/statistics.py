"""Statistics of a session, the sum of several statistics, and the report that is printed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields
from typing import NamedTuple

from controller.report import MotionOutcome, MotionResult


class UnreportedError(NamedTuple):
    """A wrong amount at a seat about which the table neither asked nor warned."""

    session_seed: int
    """Seed of the session."""
    hand: int
    round: int
    seat: int
    at_us: int
    kind: MotionOutcome
    true_amount: int
    """The amount that the seat had really put in during the hand."""
    table_amount: int
    """The amount that the table had recorded for the seat."""
    chip_count: int
    """Number of chips that the seat put in during the round."""
    disturbances: tuple[str, ...] = ()
    """Kinds of disturbances in this hand at the seat's spot or at a neighbouring spot."""


@dataclass(slots=True)
class SessionStatistics:
    """Counters of a session, or the sums of several sessions.

    Most fields also exist in `SimulationReport`, which describes them.
    """

    hands: int = 0
    motions: int = 0
    confirmed: int = 0
    wrong_confirmed: int = 0
    wrong_never_heard: int = 0
    wrong_dead_tag: int = 0
    wrong_told: int = 0
    wrong_visible: int = 0
    wrong_not_visible: int = 0
    asked: int = 0
    asked_needlessly: int = 0
    unread: int = 0
    questions: int = 0
    touches: int = 0
    wrong_hands: int = 0
    wrong_hands_silent: int = 0
    drift_units: int = 0
    exceptions: int = 0
    out_of_turn: int = 0
    false_out_of_turn: int = 0
    missed_out_of_turn: int = 0
    unheard_out_of_turn: int = 0
    alerts_true: int = 0
    alerts_false: int = 0
    dead_tags: int = 0
    dead_tags_found: int = 0
    simulated_us: int = 0
    records: list[MotionResult] = field(default_factory=list)
    unreported_errors: list[UnreportedError] = field(default_factory=list)
    question_codes: list[str] = field(default_factory=list)
    """The codes of all questions that the table asked, in the order in which it asked them."""
    failures: list[str] = field(default_factory=list)
    """Tracebacks of the first exceptions."""


def sum_statistics(statistics_list: Iterable[SessionStatistics]) -> SessionStatistics:
    """Return statistics in which all counters are the sums over several sessions."""
    total = SessionStatistics()
    for statistics in statistics_list:
        for counter in fields(SessionStatistics):
            setattr(total, counter.name, getattr(total, counter.name) + getattr(statistics, counter.name))
    return total


class SimulationReport(NamedTuple):
    """The figures that `potkeeper simulate` prints.

    A motion is an act in which a player puts chips in. A wrong amount of a seat is counted once in a betting round. The
    field names are the keys of the JSON output.
    """

    hands: int
    """Number of played hands."""
    confirmed: int
    """Number of motions that the table applied without a question about the amount."""
    wrong_confirmed: int
    """Number of wrong amounts without an alert, if all chips of the wager were read before the sweep."""
    wrong_never_heard: int
    """Number of wrong amounts without an alert, if a chip of the wager was not read before the sweep."""
    wrong_dead_tag: int
    """Number of wrong amounts without an alert, if a chip of the wager has a dead tag."""
    asked: int
    """Number of motions for which the table asked the dealer about the amount."""
    asked_needlessly: int
    """Number of motions for which the table asked about the amount, although it had read exactly the right chips."""
    wrong_hands: int
    """Number of hands in which the floor had to correct an amount."""
    drift_units: int
    """Value in units of the chips that the table's records created or lost by mistake."""
    exceptions: int
    """Exceptions in the program."""
    false_out_of_turn: int
    """Number of warnings about an action out of turn that did not happen."""
    missed_out_of_turn: int
    """Number of actions out of turn that no alert reported in time, although a chip was read on the spot.

    An alert is in time if it is raised before the seat acts in turn.
    """
    alerts_true: int
    """Number of justified alerts about the chips on a spot. A disturbance had really happened at the spot."""
    alerts_false: int
    """Number of false alerts about the chips on a spot. No disturbance had happened at the spot."""
    dead_tags: int
    """Number of chips that were never read on their bet spot, but were read later in the pot."""
    dead_tags_found: int
    """Number of chips in the count `dead_tags` that the table reported as never read on a spot."""
    seen_ms_p50: int
    """Median time in ms from the last chip on the spot until three equal readings showed the right chips."""
    seen_ms_p99: int
    """99th percentile of the time in ms until three equal readings showed the right chips."""
    complete_ms_p50: int
    """Median time in ms from the last chip on the spot until the table accepted the right stack as complete.

    A stack is complete when it has stayed unchanged for a fixed quiet time, the motion gap.
    """
    complete_ms_p99: int
    """99th percentile of the time in ms until the table accepted the right stack as complete."""
    table_seconds: int
    """Simulated time in seconds."""
    motions: int
    """Number of all motions."""
    unread: int
    """Number of motions that the table had neither applied nor asked about when the round ended."""
    wrong_told: int
    """Number of wrong amounts with an alert about the seat at any time in the round, including notes."""
    wrong_visible: int
    """Number of wrong amounts with a question or warning about the seat on the screen when the round closed."""
    wrong_not_visible: int
    """Number of wrong amounts without a question or warning about the seat on the screen when the round closed."""
    wrong_hands_silent: int
    """Number of hands with at least one wrong amount without an alert. These hands also count in `wrong_hands`."""
    out_of_turn: int
    """Actions out of turn."""
    unheard_out_of_turn: int
    """Number of actions out of turn that caused no alert because none of their chips was read on the spot.

    Such chips were put next to the spot, were covered, or have weak tags.
    """
    questions: int
    """Number of questions, including those that are not about an amount."""
    touches: int
    """Number of touches with which the dealer answered alerts and questions."""
    wall_seconds: float = 0.0
    """Real time in seconds."""


def build_report(tally: SessionStatistics, wall_s: float = 0.0) -> SimulationReport:
    """Return the report for these statistics."""
    counts = {name: getattr(tally, name) for name in SimulationReport._fields if hasattr(tally, name)}
    seen_us = [record.provisional_us for record in tally.records if record.provisional_us is not None]
    complete_us = [record.settled_us for record in tally.records if record.settled_us is not None]
    return SimulationReport(
        **counts,
        seen_ms_p50=percentile_ms(seen_us, 50),
        seen_ms_p99=percentile_ms(seen_us, 99),
        complete_ms_p50=percentile_ms(complete_us, 50),
        complete_ms_p99=percentile_ms(complete_us, 99),
        table_seconds=tally.simulated_us // 1_000_000,
        wall_seconds=round(wall_s, 1),
    )


def percentile_ms(times_us: Sequence[int], percent: int) -> int:
    """Return the time in milliseconds that this percentage of the times does not exceed, or 0 if no times are given."""
    if not times_us:
        return 0
    ordered = sorted(times_us)
    return ordered[min(len(ordered) - 1, len(ordered) * percent // 100)] // 1_000
