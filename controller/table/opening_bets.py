"""Posts, straddles and kill blinds before the first action, and the seat that opens a round of stud.

Source: rulings.md, "Between hands"; table-scripts.md, Steps.
"""

from __future__ import annotations

from controller import rules
from controller.rules import Hand, Refusal, RuleRefusal, raise_if_refused
from controller.steps import (
    hand_steps,
)
from controller.table.balances import require_hand, require_in_hand
from controller.table.out_of_turn import folds_out_of_turn
from controller.table.refusals_and_warnings import SeatWarnings, TableRefusal
from controller.table.state import Table
from controller.table.turn_actions import resolve_turns, without_last_action

# --- before anyone acts ---


def reject_opening_bet(table: Table, hand: Hand) -> Refusal | None:
    """Return why it is too late for a post, straddle or kill blind, or None if nobody has acted yet.

    An action out of turn also makes it too late.
    """
    return rules.straddles.reject_after_action(hand) or (
        Refusal(RuleRefusal.ACTED_ALREADY) if table.street.held_actions else None
    )


def _with_blinds_posted(table: Table, hand: Hand, warnings: SeatWarnings) -> Table:
    """Return a copy of the table in which the spots have the chips of all bets of this hand."""
    return resolve_turns(table._replace(street=table.street._replace(spot_totals=hand.bets)), hand, warnings)


def reject_entry_post(table: Table, hand: Hand, seat: int) -> Refusal | None:
    """Return why the seat cannot post in order to be dealt in, or None if it can."""
    player = table.players.get(seat)
    if player is None:
        return Refusal(TableRefusal.EMPTY_SEAT, seat)
    refusal = rules.blinds.reject_post_to_enter(hand, seat) or reject_opening_bet(table, hand)
    if refusal is not None:
        return refusal
    if player.is_away or not rules.missed_blinds.has_playable_chips(hand.game, player):
        return Refusal(TableRefusal.AWAY if player.is_away else TableRefusal.OUT_OF_CHIPS, seat)
    return None if any(rules.missed_blinds.entry_post(hand.game, player)) else Refusal(TableRefusal.OWES_NO_POST, seat)


def handle_post(table: Table, hand: Hand, step: hand_steps.PostsToEnter, warnings: SeatWarnings) -> Table:
    """Post the blinds that the seat owes before it may enter or return to the game."""
    seat = step.seat
    raise_if_refused(reject_entry_post(table, hand, seat))
    player = table.players[seat]
    live_post, dead_post = rules.missed_blinds.entry_post(hand.game, player)
    next_hand = rules.blinds.post_to_enter(
        hand, seat, player.stack, live_post, dead_post, stack_unknown=player.stack_unknown
    )
    table = table._replace(players={**table.players, seat: rules.missed_blinds.after_posting(hand.game, player)})
    return _with_blinds_posted(table, next_hand, warnings)


def handle_straddle(table: Table, hand: Hand, step: hand_steps.Straddles, warnings: SeatWarnings) -> Table:
    """Post a straddle for the seat."""
    require_in_hand(table, hand, step.seat)
    raise_if_refused(reject_opening_bet(table, hand))
    return _with_blinds_posted(table, rules.straddles.post_straddle(hand, step.seat, step.amount), warnings)


def handle_kill_blind(table: Table, hand: Hand, step: hand_steps.PostsKillBlind, warnings: SeatWarnings) -> Table:
    """Post the kill blind for a seat that the dealer names. The table did not expect this kill blind."""
    require_in_hand(table, hand, step.seat)
    raise_if_refused(reject_opening_bet(table, hand))
    return _with_blinds_posted(table, rules.straddles.post_kill_blind(hand, step.seat), warnings)


# --- stud ---


def handle_name_bring_in(table: Table, hand: Hand, step: hand_steps.NamesBringIn, warnings: SeatWarnings) -> Table:
    """Name the seat that owes the bring-in.

    If a wrong seat has put it in and nobody has acted since, the wrong seat gets its chips back. Source: Robert's Rules
    8 (the wrong low card), 9 and 10.
    """
    require_in_hand(table, hand, step.seat)
    wrong_seat = rules.stud.lone_bring_in_seat(hand) if not table.street.held_actions else 0
    if wrong_seat and step.seat != wrong_seat:
        table = without_last_action(table, hand, wrong_seat)
        hand = require_hand(table)
    return resolve_turns(table, rules.stud.name_bring_in(hand, step.seat, folds_out_of_turn(table)), warnings)


def handle_name_first_to_act(
    table: Table, hand: Hand, step: hand_steps.NamesFirstToAct, warnings: SeatWarnings
) -> Table:
    """Name the seat that acts first in this round."""
    require_in_hand(table, hand, step.seat)
    return resolve_turns(table, rules.stud.name_first_to_act(hand, step.seat, folds_out_of_turn(table)), warnings)


def handle_open_pair(table: Table, hand: Hand, step: hand_steps.ShowsOpenPair, warnings: SeatWarnings) -> Table:
    """Record that a player shows an open pair in the second round of stud, which allows the larger bet."""
    return table._replace(hand=rules.stud.allow_open_pair_bet(hand))
