"""Bomb pots: everybody antes, nobody posts a blind, the betting begins on the flop.

Source: house rules of cardrooms, as the bomb pot is played for: table-scripts.md, `bomb`.
"""

from __future__ import annotations

from collections.abc import Mapping

from controller.rules.actions import deal
from controller.rules.forced.blinds import ante
from controller.rules.game import Game
from controller.rules.hand import NO_SEATS, NOTHING, Hand, Phase, clockwise, put
from controller.rules.refusals import Refusal, Why, require


def reject_bomb(game: Game, amount: int) -> Refusal | None:
    """Why no bomb pot can be played for this ante, or None."""
    if not game.kind.by_flop:
        return Refusal(Why.NO_BOMB, name=game.kind.title)
    return Refusal(Why.BOMB_OFF_UNIT, amount=amount, least=game.unit) if amount % game.unit else None


def start_bomb(
    game: Game, button: int, stacks: Mapping[int, int], unknown: frozenset[int] = NO_SEATS, *, amount: int
) -> Hand:
    """A bomb pot on the flop, with its antes in: everybody dealt in antes the amount, as far as the stack reaches, and
    the first seat left of the button opens. Antes that fall short make side pots. Raises RuleError with the reason
    where the game has no flop or the amount cannot be played."""
    require(reject_bomb(game, amount))
    behind = NOTHING
    for seat, stack in stacks.items():
        behind = put(behind, seat, stack)
    order = clockwise(stacks, button)
    hand = Hand(game, button, order, behind, unknown, phase=Phase.CLOSED, boards=game.boards, bomb=amount)
    return deal(ante(hand, order, amount))
