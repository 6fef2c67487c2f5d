"""Bomb pots: hands in which all players ante, nobody posts a blind, and betting starts on the flop.

Source: house rules of cardrooms, table-scripts.md, `bomb`.
"""

from __future__ import annotations

from collections.abc import Mapping

from controller.rules.actions import deal_next_street
from controller.rules.forced_bets.blinds import post_antes
from controller.rules.game import Game
from controller.rules.hand import NO_SEATS, ZERO_AMOUNTS, Hand, Phase, clockwise_after, replace, with_amount
from controller.rules.refusals import Refusal, RuleRefusal, raise_if_refused


def reject_bomb_pot(game: Game, amount: int) -> Refusal | None:
    """Return the reason why no bomb pot can be played with this ante, or None if one can."""
    if not game.variant_rules.has_flop:
        return Refusal(RuleRefusal.NO_BOMB_POT, name=game.variant_rules.title)
    return Refusal(RuleRefusal.BOMB_OFF_UNIT, amount=amount, minimum=game.unit) if amount % game.unit else None


def start_bomb_pot(
    game: Game, button: int, stacks: Mapping[int, int], unknown: frozenset[int] = NO_SEATS, *, amount: int
) -> Hand:
    """Return a bomb pot on the flop with its antes paid.

    Each seat that is dealt in antes this amount, or all its chips if it has fewer. Short antes make side pots. The
    first seat left of the button opens. Raise RuleError if the game has no flop or the amount is not a multiple of the
    unit.
    Source: table-scripts.md, `bomb`.
    """
    raise_if_refused(reject_bomb_pot(game, amount))
    behind = ZERO_AMOUNTS
    for seat, stack in stacks.items():
        behind = with_amount(behind, seat, stack)
    order = clockwise_after(stacks, button)
    hand = replace(
        Hand(game, button, order, behind, unknown, phase=Phase.CLOSED, board_count=game.boards, bomb_ante=amount)
    )
    return deal_next_street(post_antes(hand, order, amount))
