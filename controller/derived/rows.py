"""The rows that are derived from the journal of a table, one class for each table in the database.

The names of the fields are the names of the columns. A row without a value that the records do not have has None.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import NamedTuple, TypeAlias

from controller.service import queries
from controller.steps import hand_steps
from controller.view import GameView


class HandPlace(NamedTuple):
    """The number of a hand. `opening` counts how often the table was opened, because hand numbers begin again then."""

    opening: int
    number: int


class HandRow(NamedTuple):
    """One hand that is over."""

    opening: int
    number: int
    journal: str
    segment: int
    """Segment of the last record of the hand."""
    first_record: int
    last_record: int
    is_complete: bool
    """False if the records at the beginning of the hand are missing."""
    began_at: datetime | None
    ended_at: datetime | None
    game: str
    variant: str
    structure: str
    stakes: str
    button: int
    dealer: str
    rounds: int
    result: str
    pot: int
    rake: int
    jackpot: int
    kitty: int
    warnings: int


class SeatRow(NamedTuple):
    """A player who was dealt into a hand."""

    opening: int
    number: int
    seat: int
    player: str
    stack_before: int | None
    stack_after: int | None
    won: int


class PotRow(NamedTuple):
    """The award of a pot. `award` counts the awards of the hand from 1."""

    opening: int
    number: int
    award: int
    pot: str
    amount: int
    seats: list[int]
    amounts: list[int]
    """Amounts of the winners, in the order of `seats`."""


class CallRow(NamedTuple):
    """A call for the floor."""

    journal: str
    segment: int
    record: int
    called_at: datetime | None
    why: str = ""
    answered_at: datetime | None = None
    answered_by: str = ""
    ended_at: datetime | None = None
    ended_by: str = ""
    """Label of the badge of the floor that ended the call, or ""."""


class PushRow(NamedTuple):
    """A dealer at the table. `push` counts the dealers since the table was opened from 0, who is the first one."""

    opening: int
    push: int
    dealer: str
    began_at: datetime | None
    hands_before: int


class FillRow(NamedTuple):
    """Chips that the house brought to the tray of the table, or took from it."""

    journal: str
    segment: int
    record: int
    at: datetime | None
    kind: str
    """`fill` or `credit`."""
    amount: int
    badge: str


class HoleRow(NamedTuple):
    """Records from which nothing is derived, because they are missing or cannot be applied."""

    journal: str
    segment: int
    first_record: int
    reason: str
    began_at: datetime | None
    last_record: int | None = None
    """Last record of the hole, or None if the hole has not ended or the records are in another journal."""
    ended_at: datetime | None = None
    hands: int | None = None
    """Number of hands without a row, or None if it is not known."""


class DerivedHand(NamedTuple):
    """A hand with its players and awards."""

    hand: HandRow
    seats: tuple[SeatRow, ...]
    pots: tuple[PotRow, ...]


RecordPlace: TypeAlias = tuple[str, int]
"""Journal and segment of a record."""


def derive_hand(place: HandPlace, hand: queries.LoggedHand, record_place: RecordPlace) -> DerivedHand:
    """Return the rows of a hand that is over, as the pages of the table show it."""
    row, last = queries.hand_row(hand), hand.table_now.hand
    assert last is not None, "a logged hand has a hand"
    first_entry, last_entry = hand.undo_groups[0][0], hand.undo_groups[-1][-1]
    derived = HandRow(
        *place,
        *record_place,
        first_record=first_entry.record_number,
        last_record=last_entry.record_number,
        is_complete=row.is_complete,
        began_at=to_datetime(first_entry.at_us) if row.is_complete else None,
        ended_at=to_datetime(last_entry.at_us),
        game=row.game.name,
        variant=row.game.variant,
        structure=row.game.structure,
        stakes=_stakes(row.game),
        button=last.button,
        dealer=hand.table_at_start.dealer,
        rounds=row.round,
        result=row.result,
        pot=row.pot,
        rake=last.rake_taken,
        jackpot=last.jackpot_taken,
        kitty=last.kitty_taken,
        warnings=row.warning_count,
    )
    seats = tuple(
        SeatRow(*place, seat.seat, seat.name, seat.stack_before, seat.stack_after, seat.won)
        for seat in queries.hand_seats(hand)
    )
    return DerivedHand(derived, seats, tuple(_pots(place, hand)))


def _pots(place: HandPlace, hand: queries.LoggedHand) -> Iterator[PotRow]:
    award = 0
    for entry in (entry for group in hand.undo_groups for entry in group):
        before, after = entry.before.hand, entry.after.table.hand
        if not isinstance(entry.step, hand_steps.AwardsPot) or before is None or after is None:
            continue
        award += 1
        gains = {
            seat: now - earlier
            for seat, (earlier, now) in enumerate(zip(before.awarded, after.awarded, strict=True))
            if now > earlier
        }
        yield PotRow(*place, award, entry.step.pot, sum(gains.values()), list(gains), list(gains.values()))


def _stakes(game: GameView) -> str:
    """Return blinds, or bets in fixed limit, and the ante, such as `5/10` or `10/20 ante 2`."""
    # Fixed limit has a bet for each round, of which the first and the last name the game.
    has_fixed_bets = game.structure == "fixed-limit" and game.bets
    amounts = (game.bets[0], game.bets[-1]) if has_fixed_bets else game.blinds
    parts = ["/".join(map(str, amounts))] if amounts else []
    return " ".join([*parts, f"ante {game.ante}"] if game.ante else parts)


def to_datetime(wall_us: int | None) -> datetime | None:
    """Return a wall-clock time in µs since 1970, or None if it is not known."""
    return None if wall_us is None else datetime.fromtimestamp(wall_us / 1_000_000, UTC)
