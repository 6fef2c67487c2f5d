"""Balances of the seats and the table, such as pots, and chips that a seat owes or must get back.

The balances are derived from the bets of the hand and from the chips on the bet spots.
"""

from __future__ import annotations

from operator import attrgetter
from typing import NamedTuple

from controller.rules import MAX_SEATS, ZERO_AMOUNTS, Hand, HandEvent, Phase, Pot, SeatAmounts, pots
from controller.table.refusals_and_warnings import TableRefusal, refusal_error
from controller.table.state import Table

# --- the hand in progress ---


def require_hand(table: Table) -> Hand:
    """Return the hand in progress. Refuse the step if none is in progress."""
    if table.hand is None or table.hand.phase is Phase.OVER:
        raise refusal_error(TableRefusal.NO_HAND)
    return table.hand


def require_dealt_in(hand: Hand, seat: int) -> None:
    """Refuse the step if the seat was not dealt in."""
    if seat not in hand.dealt_seats:
        raise refusal_error(TableRefusal.NOT_DEALT_IN, seat)


def require_in_hand(table: Table, hand: Hand, seat: int) -> None:
    """Refuse the step if the seat is empty, was not dealt in, or has folded."""
    if seat not in table.players:
        raise refusal_error(TableRefusal.EMPTY_SEAT, seat)
    if seat not in hand.dealt_seats:
        raise refusal_error(TableRefusal.NOT_DEALT_IN, seat)
    if seat in hand.folded:
        raise refusal_error(TableRefusal.FOLDED, seat)


def hand_of_seat(table: Table, seat: int) -> Hand | None:
    """Return the hand in progress if the seat was dealt in, otherwise None.

    During a hand, the stack of a seat that was dealt in is stored in the hand.
    """
    return table.hand if table.is_hand_in_progress and table.hand and seat in table.hand.dealt_seats else None


# --- by seat ---


def playable_on_spot(table: Table, seat: int) -> int:
    """Return the value of the chips on the seat's spot that can pay its bet.

    Chips smaller than the unit, the smallest amount of a wager, can pay in two cases:

    - The seat is all-in.
    - The bet is not a multiple of the unit, for example a call of an all-in that is no multiple either. The small chips
      then pay the remainder.
    """
    unplayable, hand = table.street.unplayable_totals[seat], table.hand
    if not unplayable or hand is None or seat in hand.all_in:
        return table.street.spot_totals[seat]
    return max(0, table.street.spot_totals[seat] - unplayable + min(unplayable, hand.bets[seat] % hand.game.unit))


def counted_bet(table: Table, seat: int) -> int:
    """Return the part of the seat's bet in this round that the chips on its spot pay."""
    return min(playable_on_spot(table, seat), table.hand.bets[seat]) if table.hand else 0


def owed(table: Table, seat: int) -> int:
    """Return the chips that the seat must still put in to pay for its action."""
    return max(0, table.hand.bets[seat] - playable_on_spot(table, seat)) if table.hand else 0


def _is_everything_paid(table: Table, hand: Hand) -> bool:
    """Return True if every spot shows exactly its seat's bet.

    No seat then owes chips or must get chips back. This fast test saves time, because most steps leave the table like
    this.
    """
    return hand.bets == table.street.spot_totals and table.street.unplayable_totals == ZERO_AMOUNTS


def owed_by_seat(table: Table) -> SeatAmounts:
    """Return the chips that each seat still owes."""
    if table.hand is None or _is_everything_paid(table, table.hand):
        return ZERO_AMOUNTS
    return tuple([owed(table, seat) for seat in range(MAX_SEATS + 1)])


def due_back(table: Table, seat: int) -> int:
    """Return the value of the chips that the dealer must give back to the seat.

    Such chips pay no bet and belong to no action out of turn.
    """
    counted = table.hand.bets[seat] if table.hand else 0
    held = table.street.held_actions.get(seat)
    if held:
        counted = max(counted, held.spot_total_needed)
    return max(0, table.street.spot_totals[seat] - min(counted, playable_on_spot(table, seat)))


def stack_behind(table: Table, seat: int) -> int:
    """Return the seat's recorded stack behind the line, that is without its bets.

    Chips that the seat owes, that it must get back, or that belong to an action out of turn still count as stack.
    """
    hand = hand_of_seat(table, seat)
    return table.players[seat].stack if hand is None else hand.stacks[seat] + owed(table, seat)


def is_short_call(table: Table, hand: Hand, seat: int) -> bool:
    """Return True if the seat still owes chips for a call, and nobody has acted since.

    The floor may let the seat take such a call back, because the player has misunderstood the bet. Source: Robert's
    Rules 14 (no-limit: gross misunderstanding).
    """
    if hand.phase not in (Phase.BETTING, Phase.CLOSED) or not owed(table, seat) or table.street.held_actions:
        return False
    actions = [action for action in hand.action_log if not table.players[action.seat].is_away]
    return bool(actions) and actions[-1].seat == seat and actions[-1].event is HandEvent.CALL


def is_stack_unknown(table: Table, seat: int) -> bool:
    """Return True if the seat's stack is unknown."""
    hand = hand_of_seat(table, seat)
    return table.players[seat].stack_unknown if hand is None else seat in hand.unknown_stacks


class SeatBalance(NamedTuple):
    """Recorded chips of a player."""

    stack_behind: int | None
    """Value of the chips that the player has not bet, or None if it is unknown."""
    counted_bet: int = 0
    owed: int = 0
    due_back: int = 0


def seat_balances(table: Table, hand: Hand | None) -> dict[int, SeatBalance]:
    """Return the balance of every player, by seat.

    `hand` is the hand in progress. Between hands, and for a player who was not dealt in, bet and debt are 0.
    """
    balances = {}
    is_everything_paid = hand is not None and _is_everything_paid(table, hand)
    for seat, player in table.players.items():
        amount_due_back = 0 if is_everything_paid else due_back(table, seat)
        if hand is None or seat not in hand.dealt_seats:
            balances[seat] = SeatBalance(None if player.stack_unknown else player.stack, due_back=amount_due_back)
            continue
        if is_everything_paid:
            balances[seat] = SeatBalance(None if seat in hand.unknown_stacks else hand.stacks[seat], hand.bets[seat])
            continue
        amount_owed = owed(table, seat)
        stack = None if seat in hand.unknown_stacks else hand.stacks[seat] + amount_owed
        balances[seat] = SeatBalance(stack, counted_bet(table, seat), amount_owed, amount_due_back)
    return balances


# --- of the table ---


def announced_pot(table: Table) -> int:
    """Return the pot that the dealer announces, or 0 between hands.

    The pot has the chips of earlier rounds, and the chips on the bet spots that pay for bets.
    """
    return table.hand.pot_total - sum(owed_by_seat(table)) if table.hand and table.is_hand_in_progress else 0


def pots_now(table: Table) -> tuple[Pot, ...]:
    """Return the pots as they would be if the betting ended now, or an empty tuple between hands."""
    if table.hand is None or not table.is_hand_in_progress:
        return ()
    return pots(table.hand, owed_by_seat(table))


class TableBalances(NamedTuple):
    """Balances of the seats and the pots."""

    by_seat: dict[int, SeatBalance]
    announced_pot: int = 0
    """Total of the pots, which the dealer announces."""
    pots: tuple[Pot, ...] = ()


def table_balances(table: Table, hand: Hand | None) -> TableBalances:
    """Return the balances of all seats, the pot that the dealer announces, and the pots as they are now.

    `hand` is the hand in progress, or None between hands.
    """
    by_seat = seat_balances(table, hand)
    if hand is None:
        return TableBalances(by_seat)
    divided = pots(hand, owed_by_seat(table))
    return TableBalances(by_seat, sum(map(attrgetter("amount"), divided)), divided)


def is_round_open(table: Table) -> bool:
    """Return True if a seat must still act in this round or owes chips."""
    if table.hand is None or not table.is_hand_in_progress:
        return False
    waiting = table.hand.phase in (Phase.BETTING, Phase.BRING_IN, Phase.FIRST_TO_ACT)
    return waiting or (table.hand.phase is Phase.CLOSED and any(owed_by_seat(table)))
