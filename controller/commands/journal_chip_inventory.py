"""The inventory of a journal: how many chips of every denomination were read, and which tags have a problem.

A tag is weak if a bet spot sometimes misses it. A dead tag never answers any antenna. Such a tag is therefore not
listed, and its chip is missing in the totals.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, get_args

from hardware.spots import COUNT_PAD, seat_of_spot
from hardware.text_input_validation import BadInputError

if TYPE_CHECKING:
    from controller.journal import Segment
    from controller.live import MissedChip
    from controller.steps import observations

TagProblem = Literal["copied", "revoked", "unheard", "weak", "stranger"]
"""Problem of a tag:

- `copied`: the tag's UID answered at two spots at the same time.
- `revoked`: the house's register lists the chip as revoked.
- `unheard`: the tag was read in the pot or the tray, but it never answered on a bet spot or the count pad.
- `weak`: a bet spot missed the tag once and read it at another time, or the tag answers too rarely.
- `stranger`: the tag is neither a chip nor a lammer of this house.
"""
TAG_PROBLEMS: Final[tuple[TagProblem, ...]] = get_args(TagProblem)
UNKNOWN_PLACE: Final = ("-", 0)
"""Placeholder for the spot and the hand number of a tag's last reading, if the journal no longer contains this
reading."""


class ProblemTag(NamedTuple):
    """A tag with a problem, and the spot and hand in which it was last read."""

    problem: TagProblem
    uid: str
    denomination: int
    """The denomination of the chip, or 0 if the tag is not a chip."""
    spot: str
    hand: int
    seat: int = 0
    """The seat that bet the chip while its tag did not answer, or 0 if no bet is known."""


class DenominationCount(NamedTuple):
    """Number of chips of one denomination, and how many of these chips have a weak or an unheard tag."""

    denomination: int
    seen: int
    """Number of chips that any antenna has read."""
    weak: int
    unread_on_spots: int


class Inventory(NamedTuple):
    """The chips that were read according to a journal, and the tags with problems."""

    rows: tuple[DenominationCount, ...]
    tags: tuple[ProblemTag, ...]
    bought: int
    """Value of the chips that were bought in and not paid out, according to the journal."""
    seen: int
    """Value of the chips that any antenna has read."""
    fills: int = 0
    credits: int = 0


class _ReadingTally:
    """The readings in a journal, summarised by tag."""

    def __init__(self) -> None:
        self.denominations: dict[str, int] = {}
        self.read_on_spots: set[str] = set()
        self.last_places: dict[str, tuple[str, int]] = {}
        self.copied: set[str] = set()
        self.unknown_tags_seen: set[str] = set()
        self.missed: dict[str, MissedChip] = {}
        self.weak: dict[str, int] = {}

    def add(self, step: observations.RecordSpotReading, hand: int) -> None:
        """Add a reading of a spot.

        `hand` is the number of the hand in progress, or of the last hand if no hand is in progress.
        """
        denominations = {chip.uid: chip.denomination for chip in step.added}
        self.denominations |= denominations
        self.unknown_tags_seen |= set(step.unknown_tags)
        self.last_places |= dict.fromkeys((*denominations, *step.unknown_tags), (step.spot, hand))
        if seat_of_spot(step.spot) is not None or step.spot == COUNT_PAD:
            self.read_on_spots |= denominations.keys()
        if step.disposition == "copied":
            self.copied |= denominations.keys()

    def explain(self, uids: Iterable[str]) -> None:
        """Note that a fill explains these chips, which were read in the tray before somebody entered the fill."""
        for uid in uids:
            self.missed.pop(uid, None)

    def tags(self, revoked: Collection[str]) -> Iterator[ProblemTag]:
        """Yield all tags that have a problem."""
        for uid in sorted({*self.copied, *self.missed, *self.unknown_tags_seen, *self.weak}):
            seat = self.missed[uid].seat if uid in self.missed else 0
            denomination = self.denominations.get(uid) or self.weak.get(uid, 0)
            yield ProblemTag(
                self._problem_of(uid, revoked), uid, denomination, *self.last_places.get(uid, UNKNOWN_PLACE), seat
            )

    def _problem_of(self, uid: str, revoked: Collection[str]) -> TagProblem:
        """Return which problem a tag has. The tag must have a problem."""
        if uid in revoked:
            return "revoked"
        if uid in self.copied:
            return "copied"
        if uid in self.weak or (uid in self.missed and uid in self.read_on_spots):
            return "weak"
        return "unheard" if uid in self.missed else "stranger"


def take_inventory(path: Path, revoked: Collection[str] = ()) -> Inventory:
    """Return the inventory of a journal, which the service may still be writing.

    `revoked` are the UIDs of revoked chips. Raise BadInputError if the file is not a journal or is damaged.
    """
    from controller.journal import JournalError, iter_segments

    try:
        return _inventory_of(iter_segments(path), revoked)
    except JournalError as error:
        raise BadInputError(str(error)) from None


def _inventory_of(journal: Iterator[Segment], revoked: Collection[str]) -> Inventory:
    """Return the inventory of a journal, which is given as its segments. Each segment is one file of the journal."""
    from controller.config import parse_config
    from controller.live import (
        Live,
        TableSetup,
        apply_step,
        derived_state,
    )
    from controller.service import starting_state
    from controller.steps import observations, table_steps

    readings = _ReadingTally()
    for segment in journal:
        live = starting_state(segment, Live(TableSetup(), parse_config(segment.read_header().config).table))
        for at_us, step, source, *_ in segment.entries():
            missed_before = live.pot_check.missed_chips
            live, _ = apply_step(live, step, source, at_us)
            if isinstance(step, table_steps.FillsTray):
                readings.explain(chip.uid for chip in set(missed_before).difference(live.pot_check.missed_chips))
            if isinstance(step, observations.RecordSpotReading):
                readings.add(step, live.table.hands_started)
                readings.missed |= {chip.uid: chip for chip in derived_state.missed_chips_this_hand(live)}
            elif isinstance(step, observations.RecordTagWeak):
                readings.weak[step.tag] = step.denomination
    tags = sorted(readings.tags(revoked), key=lambda tag: (TAG_PROBLEMS.index(tag.problem), tag.uid))
    return Inventory(
        tuple(_rows(readings, tags)),
        tuple(tags),
        live.table.bought_in_total,
        sum(readings.denominations.values()),
        *live.table.cage_transfers,
    )


def _rows(readings: _ReadingTally, tags: list[ProblemTag]) -> Iterator[DenominationCount]:
    """Yield a row for each denomination, smallest first."""
    seen = Counter(readings.denominations.values())
    counts = Counter((tag.denomination, tag.problem) for tag in tags)
    for denomination, count in sorted(seen.items()):
        yield DenominationCount(denomination, count, counts[denomination, "weak"], counts[denomination, "unheard"])


def format_inventory(inventory: Inventory) -> Iterator[str]:
    """Yield the inventory as lines of a readable table."""
    yield f"{'worth':>12} {'seen':>8} {'weak':>6} {'unheard':>8}"
    for row in inventory.rows:
        yield f"{row.denomination:>12,} {row.seen:>8,} {row.weak:>6,} {row.unread_on_spots:>8,}"
    yield f"bought in {inventory.bought:,}, chips that were seen {inventory.seen:,}"
    if inventory.fills or inventory.credits:
        yield f"from the cage {inventory.fills:,}, to the cage {inventory.credits:,}"
    for tag in inventory.tags:
        denomination = f"{tag.denomination:,}" if tag.denomination else "-"
        seat = f", missed at seat {tag.seat}" if tag.seat else ""
        yield f"{tag.problem:<9} {tag.uid:<24} {denomination:>8}  {tag.spot}, hand {tag.hand}{seat}"
