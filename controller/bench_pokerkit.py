"""The hands of `bench_rules` played by PokerKit, asking the same after each action.

It runs as it would for this purpose: whole hands, hole cards unknown, all else that it can do by itself automated. With
unknown hands there is nothing to compare at the showdown; with known ones PokerKit takes ten times as long.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from pokerkit import Automation, BettingStructure, Deck, Opening, StandardHighHand, State, Street

from controller.bench_rules import Played
from controller.rules.button import Placement
from controller.rules.game import Game
from controller.rules.hand import Act, Verb, clockwise

AUTOMATIONS = (
    Automation.ANTE_POSTING,
    Automation.BET_COLLECTION,
    Automation.BLIND_OR_STRADDLE_POSTING,
    Automation.CARD_BURNING,
    Automation.BOARD_DEALING,
    Automation.RUNOUT_COUNT_SELECTION,
    Automation.HOLE_CARDS_SHOWING_OR_MUCKING,
    Automation.HAND_KILLING,
    Automation.CHIPS_PUSHING,
    Automation.CHIPS_PULLING,
)
_LIMITS = {
    "no-limit": BettingStructure.NO_LIMIT,
    "pot-limit": BettingStructure.POT_LIMIT,
    "fixed-limit": BettingStructure.FIXED_LIMIT,
}
_HOLE_CARDS = {"holdem": 2, "omaha": 4, "omaha8": 4}
_BOARD = (0, 3, 1, 1)


class Ready(NamedTuple):
    """A hand for PokerKit: the arguments of a `State`, and the actions."""

    state: tuple[Any, ...]
    acts: tuple[Act, ...]


def prepared(hand: Played) -> Ready | None:
    """The hand for PokerKit; None where it has no such game, or would refuse an action that our rules allow."""
    game = hand.game
    if game.variant not in _HOLE_CARDS or game.structure not in _LIMITS:
        return None
    order = clockwise(tuple(hand.stacks), hand.placed.button)
    ready = Ready(
        (
            AUTOMATIONS,
            Deck.STANDARD,
            (StandardHighHand,),
            _streets(game),
            _LIMITS[game.structure],
            game.ante_by == "each",
            _as_read(_antes(game, hand.placed, order)),
            _as_read([dict(hand.placed.blinds).get(seat, 0) for seat in order]),
            0,
            tuple(hand.stacks[seat] for seat in order),
            len(order),
        ),
        tuple(deed.act for deed in hand.deeds if deed.act is not None),
    )
    try:
        play(ready)
    except (ValueError, AssertionError):
        return None
    return ready


def _streets(game: Game) -> tuple[Street, ...]:
    most = game.raises + 1 if game.structure == "fixed-limit" else None
    hole = ((False,) * _HOLE_CARDS[game.variant], (), (), ())
    return tuple(
        Street(bool(n), hole[n], _BOARD[n], False, Opening.POSITION, game.base_size(n + 1), most) for n in range(4)
    )


def _antes(game: Game, placed: Placement, order: tuple[int, ...]) -> list[int]:
    if game.ante_by == "each":
        return [game.ante] * len(order)
    payer = placed.big_place if game.ante_by == "big-blind" else order[-1]
    return [game.ante if seat == payer else 0 for seat in order]


def _as_read(amounts: list[int]) -> tuple[int, ...]:
    """Heads-up, PokerKit expects what the button posts first."""
    return tuple(amounts[::-1] if len(amounts) == 2 else amounts)


def play(ready: Ready) -> State:
    """The hand played by PokerKit, asking after each action. Raises ValueError where it refuses one."""
    state = State(*ready.state)
    while state.can_deal_hole():
        state.deal_hole("??")
    asked(state)
    for act in ready.acts:
        if act.verb is Verb.FOLD:
            state.fold()
        elif act.verb is Verb.WAGER:
            state.complete_bet_or_raise_to(act.total)
        else:
            state.check_or_call()
        asked(state)
    return state


def asked(state: State) -> tuple[object, ...]:
    """What `bench_rules.asked` asks."""
    return (
        state.checking_or_calling_amount,
        state.min_completion_betting_or_raising_to_amount,
        state.max_completion_betting_or_raising_to_amount,
        tuple(state.pots),
    )
