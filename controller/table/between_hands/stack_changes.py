"""Changes of stacks: added chips and cash, counted stacks, tips and time collections.

Source: rulings.md, "Between hands" (table stakes, open stakes, tips) and "A dealer is a person" (the recorded stack);
Betting in poker, "Table stakes rules", "Cash and chips", "Open stakes".
"""

from __future__ import annotations

from controller import rules
from controller.rules import Hand, Player, raise_if_refused
from controller.steps import (
    table_steps,
)
from controller.table.balances import hand_of_seat, is_stack_unknown, owed, stack_behind
from controller.table.between_hands import seat_sessions
from controller.table.between_hands.player_lookup import other_players, player_at, with_player
from controller.table.refusals_and_warnings import SeatWarning, SeatWarnings, TableRefusal, WarningCode, refusal_error
from controller.table.state import Accounts, Table
from controller.table.turn_actions import resolve_turns

# --- add and remove ---


def handle_add_chips(table: Table, step: table_steps.AddsChips | table_steps.AddsCash, warnings: SeatWarnings) -> Table:
    """Add chips or cash to a stack, between hands or, at open stakes, during a hand."""
    player = player_at(table, step.seat)
    if table.is_hand_in_progress:
        return _add_during_hand(table, step)
    game = table.games[table.game_name]
    refusal = rules.buy_ins.reject_add_chips(game, player, step.amount, other_players(table, step.seat))
    raise_if_refused(refusal and refusal._replace(seat=step.seat))
    new_stack = player.stack + step.amount
    is_short = player.won_short_all_in and game.buy_in is not None and new_stack < game.buy_in[0]
    table = with_player(table, step.seat, player._replace(stack=new_stack, won_short_all_in=is_short))
    return seat_sessions.record_buy_in(table, step.seat, step.amount)


def _add_during_hand(table: Table, step: table_steps.AddsChips | table_steps.AddsCash) -> Table:
    """Add chips to the stack of a seat in the hand in progress."""
    hand = open_stakes_hand(table, step.seat)
    table = table._replace(hand=rules.corrections.with_added_chips(hand, step.seat, step.amount))
    return seat_sessions.record_buy_in(table, step.seat, step.amount)


def open_stakes_hand(table: Table, seat: int) -> Hand:
    """Return the hand in progress, to which the seat may add chips.

    Refuse the step in these cases:

    - The game is played at table stakes.
    - The seat was not dealt in, has folded or is all-in.
    - The seat won a pot all-in with less than a buy-in and has not bought in again.

    Source: Betting in poker, "Open stakes".
    """
    hand, player = hand_of_seat(table, seat), player_at(table, seat)
    if table.game.stakes != "open":
        raise refusal_error(TableRefusal.TABLE_STAKES)
    if player.won_short_all_in:
        raise refusal_error(TableRefusal.SHORT_WINNER, seat)
    if hand is None or seat in hand.folded or seat in hand.all_in:
        raise refusal_error(TableRefusal.NOTHING_TO_BET_FOR, seat)
    return hand


def handle_remove_chips(table: Table, step: table_steps.RemovesChips, warnings: SeatWarnings) -> Table:
    """Refuse to let a player take chips off the table, because the rules do not allow it."""
    player_at(table, step.seat)
    raise refusal_error(TableRefusal.REMOVAL_NOT_ALLOWED, step.seat, warning=WarningCode.GOING_SOUTH)


# --- at any time ---


def handle_count_stack(table: Table, step: table_steps.CountsStack, warnings: SeatWarnings) -> Table:
    """Set a stack to the counted amount, or mark it as unknown.

    The difference between the recorded stack and the counted amount goes to the adjustment account.
    """
    seat, player = step.seat, player_at(table, step.seat)
    hand = hand_of_seat(table, seat)
    if step.amount is None:
        if hand is None:
            return with_player(table, seat, player._replace(stack_unknown=True))
        return table._replace(hand=rules.corrections.mark_stack_unknown(hand, seat))
    missing_chips = stack_behind(table, seat) - step.amount
    table = table._replace(accounts=table.accounts._replace(adjustment=table.accounts.adjustment + missing_chips))
    if hand is None:
        return with_player(table, seat, player._replace(stack=step.amount, stack_unknown=False))
    corrected_hand = rules.corrections.correct_stack(hand, seat, step.amount - owed(table, seat))
    return resolve_turns(table, corrected_hand, warnings)


def handle_tip(table: Table, step: table_steps.TipsDealer, warnings: SeatWarnings) -> Table:
    """Pay a tip to the dealer out of a stack. Players may pay tips although the chips leave the table."""
    accounts = table.accounts._replace(toke=table.accounts.toke + step.amount)
    return _pay_from_stack(table, step, accounts, warnings)


def handle_time_collection(table: Table, step: table_steps.PaysTimeCollection, warnings: SeatWarnings) -> Table:
    """Pay the house's fee for time out of a stack. Players may pay the fee although the chips leave the table."""
    accounts = table.accounts._replace(time=table.accounts.time + step.amount)
    return _pay_from_stack(table, step, accounts, warnings)


def _pay_from_stack(
    table: Table,
    step: table_steps.TipsDealer | table_steps.PaysTimeCollection,
    accounts: Accounts,
    warnings: SeatWarnings,
) -> Table:
    """Return the table after a payment out of the player's stack.

    If the player pays more than the recorded stack, the record was wrong and the stack is now unknown.
    """
    seat, player = step.seat, player_at(table, step.seat)
    is_unknown = is_stack_unknown(table, seat)
    if step.amount > stack_behind(table, seat) and not is_unknown:
        warnings.append(SeatWarning(WarningCode.STACK_CORRECTED, seat))
        is_unknown = True
    return take_from_stack(table._replace(accounts=accounts), seat, player, step.amount, stack_unknown=is_unknown)


def take_from_stack(table: Table, seat: int, player: Player, amount: int, *, stack_unknown: bool) -> Table:
    """Return the table after this amount has left the seat's stack, during a hand or between hands."""
    hand = hand_of_seat(table, seat)
    if hand is None:
        return with_player(table, seat, player._replace(stack=player.stack - amount, stack_unknown=stack_unknown))
    if stack_unknown:
        return table._replace(
            hand=rules.corrections.with_unknown_stack(rules.corrections.with_added_chips(hand, seat, -amount), seat)
        )
    return table._replace(hand=rules.corrections.correct_stack(hand, seat, hand.stacks[seat] - amount))
