"""What follows from the book and the felt: what is owed, due back and counted, and the pot."""

from __future__ import annotations

from typing import NamedTuple

from controller.rules import NOTHING, SEATS, Amounts, Hand, Phase, Pot, pots
from controller.table.codes import Reason, refused
from controller.table.state import Table

# --- the hand in progress ---


def hand_of(table: Table) -> Hand:
    """The hand in progress. Refuses between hands."""
    if table.hand is None or table.hand.phase is Phase.OVER:
        raise refused(Reason.NO_HAND)
    return table.hand


def require_dealt_in(hand: Hand, seat: int) -> None:
    """Refuses a seat that was not dealt in."""
    if seat not in hand.order:
        raise refused(Reason.NOT_DEALT_IN, seat)


def require_in_hand(table: Table, hand: Hand, seat: int) -> None:
    """Refuses a seat that is not in the hand, or not any more."""
    if seat not in table.players:
        raise refused(Reason.EMPTY_SEAT, seat)
    if seat not in hand.order:
        raise refused(Reason.NOT_DEALT_IN, seat)
    if seat in hand.folded:
        raise refused(Reason.FOLDED, seat)


def hand_with(table: Table, seat: int) -> Hand | None:
    """The hand in progress if the seat was dealt into it: its stack is in the hand then."""
    return table.hand if table.playing and table.hand and seat in table.hand.order else None


# --- by seat ---


def plays(table: Table, seat: int) -> int:
    """The seat's chips on its spot that can make a bet good: those below the unit only where the bet is off it (an
    all-in, or the call of one)."""
    small, hand = table.street.small[seat], table.hand
    if not small or hand is None or seat in hand.all_in:
        return table.street.felt[seat]
    return max(0, table.street.felt[seat] - small + min(small, hand.bets[seat] % hand.game.unit))


def counted(table: Table, seat: int) -> int:
    """The seat's chips of this round that count: what it is bound to, as far as chips lie there."""
    return min(plays(table, seat), table.hand.bets[seat]) if table.hand else 0


def owed(table: Table, seat: int) -> int:
    """Chips that the seat has still to put forward to make its action good."""
    return max(0, table.hand.bets[seat] - plays(table, seat)) if table.hand else 0


def _lies_as_booked(table: Table, hand: Hand) -> bool:
    """True where just what all seats are bound to lies there: nothing is owed or due back, as after most steps."""
    return hand.bets == table.street.felt and table.street.small == NOTHING


def owes(table: Table) -> Amounts:
    """By seat, chips still owed."""
    if table.hand is None or _lies_as_booked(table, table.hand):
        return NOTHING
    return tuple([owed(table, seat) for seat in range(SEATS + 1)])


def due_back(table: Table, seat: int) -> int:
    """Chips on the seat's spot that are to be returned to it: neither counting nor held."""
    taken = table.hand.bets[seat] if table.hand else 0
    held = table.street.held.get(seat)
    if held:
        taken = max(taken, held.needs)
    return max(0, table.street.felt[seat] - min(taken, plays(table, seat)))


def stack(table: Table, seat: int) -> int:
    """The book's stack behind: chips owed, due back and held are still in it."""
    hand = hand_with(table, seat)
    return table.players[seat].stack if hand is None else hand.stacks[seat] + owed(table, seat)


def is_unknown(table: Table, seat: int) -> bool:
    """True where nobody knows the seat's stack."""
    hand = hand_with(table, seat)
    return table.players[seat].unknown if hand is None else seat in hand.unknown


class Standing(NamedTuple):
    """How it stands with one player, by the book."""

    stack: int | None
    """Behind; None where nobody knows it."""
    counted: int = 0
    owed: int = 0
    due_back: int = 0


def standings(table: Table) -> dict[int, Standing]:
    """How it stands with every player, by seat. What counts and is owed is of the hand in progress."""
    hand, found = table.hand if table.playing else None, {}
    even = hand is not None and _lies_as_booked(table, hand)
    for seat, player in table.players.items():
        back = 0 if even else due_back(table, seat)
        if hand is None or seat not in hand.order:
            found[seat] = Standing(None if player.unknown else player.stack, due_back=back)
            continue
        if even:
            found[seat] = Standing(None if seat in hand.unknown else hand.stacks[seat], hand.bets[seat])
            continue
        debt = owed(table, seat)
        behind = None if seat in hand.unknown else hand.stacks[seat] + debt
        found[seat] = Standing(behind, counted(table, seat), debt, back)
    return found


# --- of the table ---


def pot(table: Table) -> int:
    """Everything in the middle and in front of the players that counts: what the dealer announces."""
    return table.hand.total - sum(owes(table)) if table.hand and table.playing else 0


def pots_now(table: Table) -> tuple[Pot, ...]:
    """The pots as they would be divided now."""
    if table.hand is None or not table.playing:
        return ()
    return pots(table.hand, owes(table))


def is_open(table: Table) -> bool:
    """True while somebody has yet to act in this round, or owes."""
    if table.hand is None or not table.playing:
        return False
    waiting = table.hand.phase in (Phase.BETTING, Phase.BRING_IN, Phase.FIRST)
    return waiting or (table.hand.phase is Phase.CLOSED and any(owes(table)))
