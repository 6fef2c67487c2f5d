"""Start of the next hand, and restart of a hand in which nobody has acted.

Source: rulings.md, "Between hands"; table-scripts.md, Steps.
"""

from __future__ import annotations

from controller import rules
from controller.rules import Hand, Phase, Placement, Refusal, RuleRefusal, raise_if_refused
from controller.steps import (
    hand_steps,
    table_steps,
)
from controller.table import dealer_actions
from controller.table.between_hands import tournament
from controller.table.between_hands.next_hand_seats import next_deal, next_game, next_kill_seat, seats_passed
from controller.table.between_hands.player_lookup import player_at
from controller.table.refusals_and_warnings import SeatWarnings, TableRefusal, refusal_error
from controller.table.state import HandCarryOver, PreHandState, Street, Table
from controller.table.turn_actions import resolve_turns


def handle_start_hand(table: Table, step: hand_steps.StartsHand, warnings: SeatWarnings) -> Table:
    """Start the next hand: move the button and post antes and blinds."""
    require_can_start(table)
    return _start_hand(table, *next_deal(table, next_game(table)), warnings)


def _start_hand(table: Table, placement: Placement, seats: tuple[int, ...], warnings: SeatWarnings) -> Table:
    """Start a hand with this placement of button and blinds, and deal in these seats."""
    game, carry_over, players = next_game(table), table.carry_over, dict(table.players)
    if not carry_over.is_first_at_button:
        sitting_out = frozenset(
            seat
            for seat, player in players.items()
            if seat not in seats and not rules.missed_blinds.is_entering(player)
        )
        players = rules.missed_blinds.record_missed_blinds(
            game, players, carry_over.previous_placement, placement, table.known_seats, sitting_out, len(seats)
        )
    for seat in seats:
        players[seat] = rules.missed_blinds.after_deal_in(players[seat])
    new_hand = rules.blinds.start_hand(
        game,
        placement,
        {seat: players[seat].stack for seat in seats},
        frozenset(seat for seat in seats if players[seat].stack_unknown),
        rock=carry_over.rock_seat if any(other.rock for other in table.games.values()) else 0,
        killer=carry_over.kill_seat,
        third_player_seated=sum(not player.is_broke for player in players.values()) > 2,
    )
    deferred_kill_seat = next_kill_seat(table, game) if not new_hand.kill_seat else 0
    pre_hand = pre_hand_state(table)
    carry_over = carry_over._replace(
        placement=placement,
        placement_before_void=None,
        is_first_at_button=False,
        kill_seat=deferred_kill_seat,
        seats_passed=seats_passed(table, placement),
    )
    return begin_hand(table._replace(players=players), new_hand, carry_over, pre_hand, warnings)


def require_can_start(table: Table) -> None:
    """Refuse the step if the next hand cannot start yet."""
    if table.is_hand_in_progress:
        raise refusal_error(TableRefusal.POTS_NOT_AWARDED)
    if table.is_closed:
        raise refusal_error(TableRefusal.CLOSED)
    tournament.require_hand_allowed(table)


def begin_hand(
    table: Table, new_hand: Hand, carry_over: HandCarryOver, pre_hand: PreHandState, warnings: SeatWarnings
) -> Table:
    """Return a copy of the table with the new hand. The copy keeps the state before the hand for a misdeal."""
    table = tournament.after_hand_start(table)
    players = {
        seat: player if seat in new_hand.dealt_seats else rules.missed_blinds.after_sitting_out(player)
        for seat, player in table.players.items()
    }
    table = table._replace(players=players, vacated_seats={})
    table = table._replace(
        hands_started=table.hands_started + 1,
        carry_over=carry_over,
        street=Street(spot_totals=new_hand.bets),
        pre_hand_state=pre_hand,
    )
    return resolve_turns(table, new_hand, warnings)


def pre_hand_state(table: Table) -> PreHandState:
    """Return the state to which the table returns if the next hand is a misdeal."""
    carry_over = table.carry_over._replace(placement=table.carry_over.previous_placement)
    return PreHandState(carry_over, table.players, table.hand_for_hand, table.vacated_seats)


# --- restart of a hand ---


def handle_place_button(table: Table, step: table_steps.FloorPlacesButton, warnings: SeatWarnings) -> Table:
    """Place the button at this seat.

    Between hands, the next hand is dealt with this button. During a hand in which nobody has acted, the hand is
    restarted with this button. Source: TDA 34 (a wrong button is corrected before substantial action).
    """
    known_seats = tuple(sorted({*table.known_seats, step.seat}))
    hand = table.hand if table.is_hand_in_progress else None
    if hand is not None:
        raise_if_refused(reject_hand_restart(table, hand))
        table = _without_hand(table, hand)
    carry_over = table.carry_over._replace(
        placement=Placement(step.seat), placement_before_void=None, is_first_at_button=True
    )
    table = table._replace(carry_over=carry_over, known_seats=known_seats)
    return table if hand is None else _start_hand(table, *next_deal(table, next_game(table)), warnings)


def reject_button_buyer(table: Table, hand: Hand, seat: int) -> Refusal | None:
    """Return why the seat cannot buy the button, or None if it can."""
    player = player_at(table, seat)
    refusal = rules.blinds.reject_button_purchase(hand, seat) or reject_hand_restart(table, hand)
    if refusal is not None:
        return refusal
    if player.is_away or not rules.missed_blinds.has_playable_chips(hand.game, player):
        return Refusal(TableRefusal.AWAY if player.is_away else TableRefusal.OUT_OF_CHIPS, seat)
    return Refusal(RuleRefusal.NOT_NEXT_TO_BUTTON, seat) if table.carry_over.placement.button_buyer else None


def handle_buy_button(table: Table, hand: Hand, step: hand_steps.BuysButton, warnings: SeatWarnings) -> Table:
    """Let a player in the seat left of the button enter the game and buy the button.

    The player posts both blinds, and the others take their blinds back. The player has the button in the next hand.
    Source: the house rule "buy the button" (T. Angelo).
    """
    seat = step.seat
    raise_if_refused(reject_button_buyer(table, hand, seat))
    table = _without_hand(table, hand)
    placement, seats = next_deal(table, next_game(table))
    placement = rules.button_and_blinds.buy_button_placement(next_game(table), placement, seat)
    return _start_hand(table, placement, tuple(sorted({*seats, seat})), warnings)


def reject_hand_restart(table: Table, hand: Hand) -> Refusal | None:
    """Return why the hand cannot be restarted, or None if it can.

    A hand cannot be restarted after a seat has acted in or out of turn, or after the dealer has named the bring-in.
    """
    has_begun = (
        hand.round_number > 1
        or hand.action_started
        or hand.bring_in_seat
        or hand.phase is Phase.AWARDING
        or table.street.held_actions
    )
    return Refusal(RuleRefusal.ACTED_ALREADY) if has_begun else None


def _without_hand(table: Table, hand: Hand) -> Table:
    """Return a copy of the table from before the hand, so that the restarted hand counts only once."""
    return dealer_actions.void_for_restart(table, hand)._replace(hands_started=table.hands_started - 1)
