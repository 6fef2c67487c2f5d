"""Start of the next hand as a bomb pot.

Source: table-scripts.md, `bomb`; house rules of cardrooms.
"""

from __future__ import annotations

from controller import rules
from controller.rules import Game, raise_if_refused
from controller.steps import (
    hand_steps,
)
from controller.table.between_hands.hand_start import begin_hand, pre_hand_state, require_can_start
from controller.table.between_hands.next_hand_seats import is_willing_to_play, next_game, placement_for, seats_passed
from controller.table.refusals_and_warnings import SeatWarnings, TableRefusal, refusal_error
from controller.table.state import HandCarryOver, Table


def handle_start_bomb_pot(table: Table, step: hand_steps.StartsBombPot, warnings: SeatWarnings) -> Table:
    """Start a bomb pot: every player who is present antes, and betting starts on the flop.

    Nobody posts a blind, a straddle or a kill. A player who owes a blind or a kill antes too and still owes it
    afterwards.
    """
    require_can_start(table)
    game = next_game(table)
    raise_if_refused(rules.bomb_pots.reject_bomb_pot(game, step.amount))
    seats = {seat for seat, player in table.players.items() if is_willing_to_play(game, player)}
    if len(seats) < 2:
        raise refusal_error(TableRefusal.TOO_FEW_PLAYERS)
    carry_over = _carry_over_for_bomb_pot(table, game, seats)
    new_hand = rules.bomb_pots.start_bomb_pot(
        game,
        carry_over.placement.button,
        {seat: table.players[seat].stack for seat in sorted(seats)},
        frozenset(seat for seat in seats if table.players[seat].stack_unknown),
        amount=step.amount,
    )
    pre_hand = pre_hand_state(table)
    if game.bomb_button == "stays":
        pre_hand = pre_hand._replace(carry_over=table.carry_over)
    return begin_hand(table, new_hand, carry_over, pre_hand, warnings)


def _carry_over_for_bomb_pot(table: Table, game: Game, seats: set[int]) -> HandCarryOver:
    """Return what later hands must know about button and blinds after a bomb pot.

    Some houses do not move the button for a bomb pot.
    """
    if game.bomb_button == "stays":
        return table.carry_over
    placement = placement_for(table, game, seats)
    return table.carry_over._replace(
        placement=placement,
        placement_before_void=None,
        is_first_at_button=False,
        seats_passed=seats_passed(table, placement),
    )
