"""Markers: debts of players for chips that they bet, until the markers are redeemed.

A marker is either bet in place of chips, or given to a player outside the pot who has lent chips.

- A marker that was bet is paid to its holder, who has won it. The holder's stack already includes the marker, so that
  redeeming it takes chips out of play.
- A marker for lent chips is paid to the lender.
- If the debtor leaves, the debt stays under the debtor's name, and returns with the player.
- If the debtor has no name, only the report keeps the debt, by seat and time.
- If the lender leaves, the marker is paid to its holder.
- A misdeal does not pay a marker, because the debtor gets the borrowed chips back and still owes them.

Source: Betting in poker, "Open stakes" (markers; borrowing from a player not involved in the pot); table-scripts.md,
`marker` and `redeems`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Final

from controller import rules
from controller.steps import (
    table_steps,
)
from controller.table.balances import hand_of_seat, is_stack_unknown, stack_behind
from controller.table.between_hands import seat_sessions
from controller.table.between_hands.player_lookup import player_at, require_between_hands, with_player
from controller.table.between_hands.stack_changes import open_stakes_hand, take_from_stack
from controller.table.refusals_and_warnings import SeatWarnings, TableRefusal, refusal_error
from controller.table.state import Marker, Table, UnnamedDebt

NO_LENDER: Final = 0
"""Value of `Marker.lender` for a marker that was bet in place of chips, so that no seat lent chips."""


def markers_owed(table: Table) -> dict[int, int]:
    """Return the amount that each seat owes on markers, without seats that owe nothing."""
    amounts: Counter[int] = Counter()
    for marker in table.markers:
        if marker.debtor:
            amounts[marker.debtor] += marker.amount
    return dict(sorted(amounts.items()))


# --- give and redeem ---


def handle_give_marker(table: Table, step: table_steps.GivesMarker, warnings: SeatWarnings) -> Table:
    """Give a marker at open stakes, the rule that players may add chips during a hand.

    The marker is bet in place of chips, or is given for chips of a lender outside the pot.
    """
    seat, lender, amount = step.seat, step.lender, step.amount
    player_at(table, seat)
    if not table.is_hand_in_progress:
        raise refusal_error(TableRefusal.ONLY_IN_HAND)
    hand = open_stakes_hand(table, seat)
    table = table._replace(hand=rules.corrections.with_added_chips(hand, seat, amount))
    table = _take_from_lender(table, lender, amount) if lender else seat_sessions.record_buy_in(table, seat, amount)
    table = table._replace(markers=merge_markers((*table.markers, Marker(seat, lender, amount))))
    return with_player(table, seat, table.players[seat]._replace(has_borrowed=True))


def _take_from_lender(table: Table, lender: int, amount: int) -> Table:
    """Return a copy of the table with the lent chips taken from the lender's stack.

    Refuse the step if the lender is in the pot or has too few chips.
    """
    player, hand = player_at(table, lender), hand_of_seat(table, lender)
    if hand is not None and lender not in hand.folded:
        raise refusal_error(TableRefusal.LENDER_IN_HAND, lender)
    stack = player.stack if hand is None else hand.stacks[lender]
    is_unknown = is_stack_unknown(table, lender)
    if amount > stack and not is_unknown:
        raise refusal_error(TableRefusal.LENDER_HAS_LESS, lender, stack)
    return take_from_stack(table, lender, player, amount, stack_unknown=is_unknown)


def handle_redeem_marker(table: Table, step: table_steps.RedeemsMarker, warnings: SeatWarnings) -> Table:
    """Pay off a marker out of the seat's stack. The step names the lender."""
    require_between_hands(table)
    seat, lender, amount = step.seat, step.lender, step.amount
    player = player_at(table, seat)
    amount_owed = sum(marker.amount for marker in table.markers if (marker.debtor, marker.lender) == (seat, lender))
    if amount > amount_owed:
        raise refusal_error(TableRefusal.REDEEMS_MORE_THAN_OWED, seat, amount_owed)
    if amount > player.stack and not player.stack_unknown:
        raise refusal_error(TableRefusal.REDEEMS_MORE_THAN_STACK, seat, stack_behind(table, seat))
    table = take_from_stack(table, seat, player, amount, stack_unknown=player.stack_unknown)
    table = table._replace(markers=merge_markers((*table.markers, Marker(seat, lender, -amount))))
    if lender == NO_LENDER:
        return seat_sessions.record_buy_in(table, seat, -amount)
    lending_player = table.players[lender]
    return with_player(table, lender, lending_player._replace(stack=lending_player.stack + amount))


# --- players who move, leave or return ---


def merge_markers(markers: Iterable[Marker]) -> tuple[Marker, ...]:
    """Return the unpaid markers in order, added up so that each debtor has one marker for each lender."""
    amounts: Counter[Marker] = Counter()
    for marker in markers:
        amounts[marker._replace(amount=0)] += marker.amount
    return tuple(sorted(marker._replace(amount=amount) for marker, amount in amounts.items() if amount > 0))


def markers_after_move(markers: Iterable[Marker], seat: int, new_seat: int) -> tuple[Marker, ...]:
    """Return the markers after a player has moved to another seat."""
    return merge_markers(
        marker._replace(
            debtor=new_seat if marker.debtor == seat else marker.debtor,
            lender=new_seat if marker.lender == seat else marker.lender,
        )
        for marker in markers
    )


def unnamed_debts_after_leaving(table: Table, seat: int, name: str) -> tuple[UnnamedDebt, ...]:
    """Return the debts of departed players without a name, after the player at the seat has left."""
    amount = markers_owed(table).get(seat, 0)
    if name or not amount:
        return table.unnamed_debts
    return (*table.unnamed_debts, UnnamedDebt(seat, table.elapsed_minutes, amount))


def markers_after_leaving(markers: Iterable[Marker], seat: int, name: str) -> tuple[Marker, ...]:
    """Return the markers after a player has left. The debt of a player without a name can no longer be redeemed."""
    remaining = []
    for marker in markers:
        if marker.debtor == seat and name:
            remaining.append(marker._replace(debtor=0, name=name))
        elif marker.lender == seat:
            remaining.append(marker._replace(lender=NO_LENDER))
        elif marker.debtor != seat:
            remaining.append(marker)
    return merge_markers(remaining)


def markers_after_return(markers: Iterable[Marker], seat: int, name: str) -> tuple[Marker, ...]:
    """Return the markers after a player who had left sits down again."""
    return merge_markers(
        marker._replace(debtor=seat, name="") if name and marker.name == name else marker for marker in markers
    )
