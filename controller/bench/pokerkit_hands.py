"""Play the hands of the benchmark with PokerKit, for comparison with our rules.

Only hands that end with the same final stacks as in our rules are played. PokerKit is used as it would be at a table:
hole cards are unknown until the showdown. At the showdown PokerKit needs cards with which the right seats win. The
function `histories.exported_cards` chooses these cards. PokerKit automatically does all operations that no player
decides. The benchmark determines the calls of PokerKit's methods before the measurement.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from pokerkit import Automation, BettingStructure, Deck, Mode, Opening, StandardHighHand, State, Street

from controller.bench import prepared_hands
from controller.bench.prepared_hands import PreparedHand
from controller.config import BadInputError
from controller.histories import exported_cards
from controller.rules import Game, HandEvent, Placement, SeatAction, clockwise_after
from controller.scripts import starting_table

AUTOMATIONS = (
    Automation.ANTE_POSTING,
    Automation.BET_COLLECTION,
    Automation.BLIND_OR_STRADDLE_POSTING,
    Automation.RUNOUT_COUNT_SELECTION,
    Automation.HAND_KILLING,
    Automation.CHIPS_PUSHING,
    Automation.CHIPS_PULLING,
)
"""Operations that PokerKit does automatically, because no player decides them."""
_LIMITS = {
    "no-limit": BettingStructure.NO_LIMIT,
    "pot-limit": BettingStructure.POT_LIMIT,
    "fixed-limit": BettingStructure.FIXED_LIMIT,
}
"""PokerKit's betting structures by their names in our rules."""
_HOLE_CARDS = {"holdem": 2, "omaha": 4, "omaha8": 4}
"""Number of hole cards of a player, for each variant."""
_BOARD = (0, 3, 1, 1)
"""Number of board cards before each betting round."""


class StateCall(NamedTuple):
    """A method call on PokerKit's `State`: the name of the method and its arguments."""

    method: str
    arguments: tuple[Any, ...] = ()
    is_decision: bool = False
    """True if the method call does what a player has decided, such as a bet or a fold."""


class PokerKitHand(NamedTuple):
    """A hand for PokerKit: the arguments for a new `State`, and the method calls."""

    state_arguments: tuple[Any, ...]
    calls: tuple[StateCall, ...]
    betting_calls: tuple[StateCall, ...]
    """The method calls of the betting only, up to the last decision of a player."""


def prepare_hand(hand: PreparedHand) -> PokerKitHand | None:
    """Return the hand in a form for PokerKit, or None if PokerKit cannot reach the same final stacks."""
    game = hand.game
    if game.variant not in _HOLE_CARDS or game.structure not in _LIMITS:
        return None
    order = clockwise_after(tuple(hand.stacks), hand.placement.button)
    arguments = (
        AUTOMATIONS,
        Deck.STANDARD,
        (StandardHighHand,),
        _streets(game),
        _LIMITS[game.structure],
        game.ante_by == "each",
        _in_pokerkit_order(_antes(game, hand.placement, order)),
        _in_pokerkit_order([dict(hand.placement.blind_amounts).get(seat, 0) for seat in order]),
        0,
        tuple(hand.stacks[seat] for seat in order),
        len(order),
    )
    state = _new_state(arguments)
    try:
        calls = tuple(_calls(state, hand, order))
    except (BadInputError, ValueError, AssertionError, StopIteration, RuntimeError, KeyError):
        return None
    own_stacks = prepared_hands.play_hand(hand).stacks
    if tuple(state.stacks) != tuple(own_stacks[seat] for seat in order):
        return None
    last_index = max(index for index, call in enumerate(calls) if call.is_decision)
    return PokerKitHand(arguments, calls, calls[: last_index + 1])


def _new_state(arguments: tuple[Any, ...]) -> State:
    """Return a new PokerKit state for these arguments."""
    return State(*arguments, mode=Mode.CASH_GAME)


def _calls(state: State, hand: PreparedHand, order: tuple[int, ...]) -> Iterator[StateCall]:
    """Play the hand with PokerKit and yield each method call."""
    cards = exported_cards(starting_table(hand.script), hand.script.steps)
    shown = {index: cards.hands[seat] for index, seat in enumerate(order) if seat in cards.hands}
    board = list(cards.board)
    seat_actions = iter([hand_step.action for hand_step in hand.steps if isinstance(hand_step.action, SeatAction)])
    while state.status:
        call = _due_call(state, hand.game, shown, board) or _CALLS[(action := next(seat_actions)).event](action)
        getattr(state, call.method)(*call.arguments)
        yield call


_CALLS = {
    HandEvent.FOLD: lambda act: StateCall("fold", is_decision=True),
    HandEvent.CHECK: lambda act: StateCall("check_or_call", is_decision=True),
    HandEvent.CALL: lambda act: StateCall("check_or_call", is_decision=True),
    HandEvent.WAGER: lambda act: StateCall("complete_bet_or_raise_to", (act.total,), is_decision=True),
}


def _due_call(state: State, game: Game, shown: dict[int, str], board: list[str]) -> StateCall | None:
    """Return the method call that PokerKit needs before the next decision, or None if it needs no call."""
    if state.can_deal_hole():
        return StateCall("deal_hole", ("??" * _HOLE_CARDS[game.variant],))
    if state.can_burn_card():
        return StateCall("burn_card", ("??",))
    if state.can_deal_board():
        return StateCall("deal_board", (board.pop(0),) if board else ())
    if state.showdown_index is not None:
        return StateCall("show_or_muck_hole_cards", (shown.get(state.showdown_index, False),))
    return None


def _streets(game: Game) -> tuple[Street, ...]:
    """Return the streets of a game as PokerKit describes them."""
    max_bets = game.raises + 1 if game.structure == "fixed-limit" else None
    hole = ((False,) * _HOLE_CARDS[game.variant], (), (), ())
    return tuple(
        Street(bool(n), hole[n], _BOARD[n], False, Opening.POSITION, game.min_bet_of_round(n + 1), max_bets)
        for n in range(4)
    )


def _antes(game: Game, placement: Placement, order: tuple[int, ...]) -> list[int]:
    """Return the antes in the order of the seats."""
    if game.ante_by == "each":
        return [game.ante] * len(order)
    payer = placement.big_blind_position if game.ante_by == "big-blind" else order[-1]
    return [game.ante_for_all(len(order)) if seat == payer else 0 for seat in order]


def _in_pokerkit_order(amounts: list[int]) -> tuple[int, ...]:
    """Return amounts in the order that PokerKit expects. For two players, the order is reversed."""
    return tuple(amounts[::-1] if len(amounts) == 2 else amounts)


def play_hand(prepared: PokerKitHand) -> State:
    """Play a whole hand with PokerKit. Query the possible bets and the pots at the start and after each decision."""
    return _play_calls(prepared, prepared.calls)


def play_betting(prepared: PokerKitHand) -> State:
    """Play a hand with PokerKit up to the last decision, without showdown and awards."""
    return _play_calls(prepared, prepared.betting_calls)


def _play_calls(prepared: PokerKitHand, calls: tuple[StateCall, ...]) -> State:
    """Call these methods on PokerKit's state of a hand."""
    state = _new_state(prepared.state_arguments)
    query_choices(state)
    for call in calls:
        getattr(state, call.method)(*call.arguments)
        if call.is_decision:
            query_choices(state)
    return state


def query_choices(state: State) -> tuple[object, ...]:
    """Return the amount to call, the minimum and maximum raise, and the pots, as PokerKit computes them."""
    return (
        state.checking_or_calling_amount,
        state.min_completion_betting_or_raising_to_amount,
        state.max_completion_betting_or_raising_to_amount,
        tuple(state.pots),
    )
