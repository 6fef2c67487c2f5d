"""What a table's journal says of its chips: how many were told by denomination, and the tags that need a look.

A dead tag answers nowhere: it is known only by what is missing. One that answers in the pot and not on a spot is weak.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, get_args

from hardware.bad_input import BadInputError
from hardware.spots import PAD, seat_of

if TYPE_CHECKING:
    from controller.journal import Segment
    from controller.live import Found
    from controller.table import SpotHolds

Finding = Literal["copied", "revoked", "unheard", "weak", "stranger"]
"""`copied`: its UID answered at two places. `unheard`: it lay in the pot or the tray, no bet spot or pad has ever told
it. `weak`: a spot has told it at other times, or it answers too seldom wherever it lies. `stranger`: it is nothing of
this house."""
FINDINGS: Final[tuple[Finding, ...]] = get_args(Finding)
NOWHERE: Final = ("-", 0)
"""The last place of a tag that was told in a segment only that is not kept any more."""


class Tag(NamedTuple):
    """A tag that needs a look, with its last place."""

    finding: Finding
    uid: str
    denomination: int
    """0 for what is no chip."""
    spot: str
    hand: int
    seat: int = 0
    """Whose bet it was missed in, 0 where that is not known."""


class Row(NamedTuple):
    """The chips of one denomination."""

    denomination: int
    seen: int
    """Chips that any antenna has told."""
    weak: int
    unheard: int


class Inventory(NamedTuple):
    """What a journal says of the chips."""

    rows: tuple[Row, ...]
    tags: tuple[Tag, ...]
    bought: int
    """What was bought in and has not been paid out, by the book."""
    seen: int
    """What the chips are worth that any antenna has told."""


class _Tally:
    """Notes of spots, added up."""

    def __init__(self) -> None:
        self.worth: dict[str, int] = {}
        self.heard: set[str] = set()
        self.last: dict[str, tuple[str, int]] = {}
        self.copied: set[str] = set()
        self.strangers: set[str] = set()
        self.found: dict[str, Found] = {}
        self.weak: dict[str, int] = {}

    def add(self, step: SpotHolds, hand: int) -> None:
        """A spot told what came and went, in this hand or after it."""
        told = {chip.uid: chip.denomination for chip in step.came}
        self.worth |= told
        self.strangers |= set(step.strangers)
        self.last |= dict.fromkeys((*told, *step.strangers), (step.spot, hand))
        if seat_of(step.spot) is not None or step.spot == PAD:
            self.heard |= told.keys()
        if step.taken == "copied":
            self.copied |= told.keys()

    def tags(self, revoked: Collection[str]) -> Iterator[Tag]:
        """All tags that need a look."""
        for uid in sorted({*self.copied, *self.found, *self.strangers, *self.weak}):
            seat = self.found[uid].seat if uid in self.found else 0
            worth = self.worth.get(uid) or self.weak.get(uid, 0)
            yield Tag(self._finding(uid, revoked), uid, worth, *self.last.get(uid, NOWHERE), seat)

    def _finding(self, uid: str, revoked: Collection[str]) -> Finding:
        if uid in revoked:
            return "revoked"
        if uid in self.copied:
            return "copied"
        if uid in self.weak or (uid in self.found and uid in self.heard):
            return "weak"
        return "unheard" if uid in self.found else "stranger"


def taken_of(path: Path, revoked: Collection[str] = ()) -> Inventory:
    """The inventory of a journal, also while it is written. `revoked` are UIDs that are worth nothing any more. Raises
    BadInputError where the file is no journal or is damaged."""
    from controller.journal import JournalError, segments

    try:
        return _added_up(segments(path), revoked)
    except JournalError as error:
        raise BadInputError(str(error)) from None


def _added_up(journal: Iterator[Segment], revoked: Collection[str]) -> Inventory:
    from controller.config import read_config
    from controller.live import Live, Setup, evolve, found
    from controller.service import begins_with
    from controller.table import SpotHolds, TagIsWeak

    tally = _Tally()
    for segment in journal:
        live = begins_with(segment, Live(Setup(), read_config(segment.opening().config).table))
        for at_us, step, source, *_ in segment.entries():
            live, _ = evolve(live, step, source, at_us)
            if isinstance(step, SpotHolds):
                tally.add(step, live.table.hands)
                tally.found |= {each.uid: each for each in found(live)}
            elif isinstance(step, TagIsWeak):
                tally.weak[step.tag] = step.denomination
    tags = sorted(tally.tags(revoked), key=lambda tag: (FINDINGS.index(tag.finding), tag.uid))
    return Inventory(tuple(_rows(tally, tags)), tuple(tags), live.table.bought, sum(tally.worth.values()))


def _rows(tally: _Tally, tags: list[Tag]) -> Iterator[Row]:
    seen = Counter(tally.worth.values())
    counts = Counter((tag.denomination, tag.finding) for tag in tags)
    for denomination, count in sorted(seen.items()):
        yield Row(denomination, count, counts[denomination, "weak"], counts[denomination, "unheard"])


def lines(found: Inventory) -> Iterator[str]:
    """The inventory for people."""
    yield f"{'worth':>12} {'seen':>8} {'weak':>6} {'unheard':>8}"
    for row in found.rows:
        yield f"{row.denomination:>12,} {row.seen:>8,} {row.weak:>6,} {row.unheard:>8,}"
    yield f"bought in {found.bought:,}, chips that were seen {found.seen:,}"
    for tag in found.tags:
        worth = f"{tag.denomination:,}" if tag.denomination else "-"
        seat = f", missed at seat {tag.seat}" if tag.seat else ""
        yield f"{tag.finding:<9} {tag.uid:<24} {worth:>8}  {tag.spot}, hand {tag.hand}{seat}"
