"""The hands of the benchmark played by PokerKit, asking the same as often, to the same stacks.

It runs as it would for this purpose: hole cards are unknown until the showdown, where PokerKit gives pots only to cards
that win them: those of `histories.cards_written`. Everything that nobody decides is automated. What is
to be called in which order is found beforehand.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from pokerkit import Automation, BettingStructure, Deck, Mode, Opening, StandardHighHand, State, Street

from controller.bench import hands
from controller.bench.hands import ReadyHand
from controller.config import BadInputError
from controller.histories import cards_written
from controller.rules import Act, Game, Placement, Verb, clockwise
from controller.scripts import begin

AUTOMATIONS = (
    Automation.ANTE_POSTING,
    Automation.BET_COLLECTION,
    Automation.BLIND_OR_STRADDLE_POSTING,
    Automation.RUNOUT_COUNT_SELECTION,
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


class Call(NamedTuple):
    """A method of a `State` and what it is called with."""

    method: str
    given: tuple[Any, ...] = ()
    asks: bool = False
    """It is a decision."""


class PokerKitHand(NamedTuple):
    """A hand for PokerKit: the arguments of a `State`, and the calls."""

    state: tuple[Any, ...]
    calls: tuple[Call, ...]
    betting: tuple[Call, ...]
    """Those up to the last decision."""


def prepared(hand: ReadyHand) -> PokerKitHand | None:
    """The hand for PokerKit; None where it has no such game, or does not come to the same stacks."""
    game = hand.game
    if game.variant not in _HOLE_CARDS or game.structure not in _LIMITS:
        return None
    order = clockwise(tuple(hand.stacks), hand.placed.button)
    arguments = (
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
    )
    state = _state(arguments)
    try:
        calls = tuple(_calls(state, hand, order))
    except (BadInputError, ValueError, AssertionError, StopIteration, RuntimeError, KeyError):
        return None
    ours = hands.play_hand(hand).stacks
    if tuple(state.stacks) != tuple(ours[seat] for seat in order):
        return None
    last = max(place for place, call in enumerate(calls) if call.asks)
    return PokerKitHand(arguments, calls, calls[: last + 1])


def _state(arguments: tuple[Any, ...]) -> State:
    return State(*arguments, mode=Mode.CASH_GAME)


def _calls(state: State, hand: ReadyHand, order: tuple[int, ...]) -> Iterator[Call]:
    """Plays the hand and tells each call."""
    cards = cards_written(begin(hand.script), hand.script.steps)
    shown = {index: cards.shown[seat] for index, seat in enumerate(order) if seat in cards.shown}
    board = list(cards.board)
    acts = iter([deed.what for deed in hand.deeds if isinstance(deed.what, Act)])
    while state.status:
        call = _due(state, hand.game, shown, board) or _CALLS[(act := next(acts)).verb](act)
        getattr(state, call.method)(*call.given)
        yield call


_CALLS = {
    Verb.FOLD: lambda act: Call("fold", asks=True),
    Verb.CHECK: lambda act: Call("check_or_call", asks=True),
    Verb.CALL: lambda act: Call("check_or_call", asks=True),
    Verb.WAGER: lambda act: Call("complete_bet_or_raise_to", (act.total,), asks=True),
}


def _due(state: State, game: Game, shown: dict[int, str], board: list[str]) -> Call | None:
    """What has to be done before the next decision, if anything."""
    if state.can_deal_hole():
        return Call("deal_hole", ("??" * _HOLE_CARDS[game.variant],))
    if state.can_burn_card():
        return Call("burn_card", ("??",))
    if state.can_deal_board():
        return Call("deal_board", (board.pop(0),) if board else ())
    if state.showdown_index is not None:
        return Call("show_or_muck_hole_cards", (shown.get(state.showdown_index, False),))
    return None


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


def play_hand(ready: PokerKitHand) -> State:
    """The hand played by PokerKit, asking at the start and after each decision."""
    return _played(ready, ready.calls)


def play_betting(ready: PokerKitHand) -> State:
    """The same up to the last decision: no showdown, no pot given after one."""
    return _played(ready, ready.betting)


def _played(ready: PokerKitHand, calls: tuple[Call, ...]) -> State:
    state = _state(ready.state)
    asked(state)
    for call in calls:
        getattr(state, call.method)(*call.given)
        if call.asks:
            asked(state)
    return state


def asked(state: State) -> tuple[object, ...]:
    """What `hands.asked` asks."""
    return (
        state.checking_or_calling_amount,
        state.min_completion_betting_or_raising_to_amount,
        state.max_completion_betting_or_raising_to_amount,
        tuple(state.pots),
    )
