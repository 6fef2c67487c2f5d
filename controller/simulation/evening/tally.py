"""What an evening came to, in numbers; evenings are added up."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields
from typing import NamedTuple

from controller.report import Motion, Outcome


class Wrong(NamedTuple):
    """An amount that was wrong, and that nobody was told about."""

    evening: int
    """Its seed."""
    hand: int
    round: int
    seat: int
    at_us: int
    kind: Outcome
    truth: int
    """What the seat had put in during the hand."""
    table: int
    """What the table took it for."""
    height: int
    """Chips on its spot."""
    mishaps: tuple[str, ...] = ()
    """What had gone wrong there in this round, as the world knows it."""


@dataclass(slots=True)
class Tally:
    """Counted so far. Fields are those of `Report` where they have a name of it."""

    hands: int = 0
    motions: int = 0
    confirmed: int = 0
    wrong_confirmed: int = 0
    wrong_never_heard: int = 0
    wrong_dead_tag: int = 0
    wrong_told: int = 0
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
    records: list[Motion] = field(default_factory=list)
    wrongs: list[Wrong] = field(default_factory=list)
    asked_about: list[str] = field(default_factory=list)
    """The code of each question."""
    failures: list[str] = field(default_factory=list)
    """What each exception said, and where it was."""


def added(tallies: Iterable[Tally]) -> Tally:
    """All of them together."""
    total = Tally()
    for tally in tallies:
        for each in fields(Tally):
            setattr(total, each.name, getattr(total, each.name) + getattr(tally, each.name))
    return total


class Report(NamedTuple):
    """What `potkeeper simulate` prints. Counts are of motions, each a player's putting chips in, unless said."""

    hands: int
    confirmed: int
    """Taken by the table itself, without a question about the amount."""
    wrong_confirmed: int
    """Of the wrong amounts that nobody was told about: every chip had answered before the sweep."""
    wrong_never_heard: int
    """A chip had not."""
    wrong_dead_tag: int
    """A chip that can never answer was among them."""
    asked: int
    """A question about the amount was put."""
    asked_needlessly: int
    """What was read when it was put was right."""
    wrong_hands: int
    """Hands in which the floor had to correct an amount."""
    drift_units: int
    """Chips that the table's books made or lost."""
    exceptions: int
    false_out_of_turn: int
    """Warnings that somebody acted out of turn, who had not."""
    missed_out_of_turn: int
    """Who acted out of turn, and till its turn nothing on the screen said of its chips that it was not in turn, though
    one of them had answered on its spot."""
    alerts_true: int
    """Alerts about what lies on a spot where something had gone wrong there."""
    alerts_false: int
    dead_tags: int
    """Chips that never answered on their spot while they were bet there, and did in the pot."""
    dead_tags_found: int
    """Those of them that the table told of."""
    seen_ms_p50: int
    """From the last chip's landing to the stack's being seen as it is."""
    seen_ms_p99: int
    complete_ms_p50: int
    complete_ms_p99: int
    table_seconds: int
    motions: int
    unread: int
    """Not taken by the end of the round: the seat was still to act, and its amount was keyed in."""
    wrong_told: int
    """Wrong amounts with an alert or a question about the seat."""
    wrong_hands_silent: int
    """Of the wrong hands, those in which some seat's amount was wrong without a word."""
    out_of_turn: int
    unheard_out_of_turn: int
    """Those of them no chip of which answered on its spot till its turn, and of which nothing was said: chips beside
    the spot, under a glass, or with tags that hardly answer."""
    questions: int
    """Of all kinds."""
    touches: int
    """What the dealer did on the screen because of them."""
    wall_seconds: float = 0.0


def report(tally: Tally, wall_s: float = 0.0) -> Report:
    """The report of evenings added up."""
    counts = {name: getattr(tally, name) for name in Report._fields if hasattr(tally, name)}
    seen_us = [record.seen_us for record in tally.records if record.seen_us is not None]
    complete_us = [record.complete_us for record in tally.records if record.complete_us is not None]
    return Report(
        **counts,
        seen_ms_p50=percentile_ms(seen_us, 50),
        seen_ms_p99=percentile_ms(seen_us, 99),
        complete_ms_p50=percentile_ms(complete_us, 50),
        complete_ms_p99=percentile_ms(complete_us, 99),
        table_seconds=tally.simulated_us // 1_000_000,
        wall_seconds=round(wall_s, 1),
    )


def percentile_ms(times_us: Sequence[int], percent: int) -> int:
    """The time that so many percent do not exceed, in milliseconds; 0 of none."""
    if not times_us:
        return 0
    ordered = sorted(times_us)
    return ordered[min(len(ordered) - 1, len(ordered) * percent // 100)] // 1_000
