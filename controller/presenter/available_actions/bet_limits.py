"""Betting limits of the seat in turn: how its largest bet is computed, and what its all-in counts as."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, NamedTuple, get_args

from controller.presenter.view_inputs import ViewInputs
from controller.rules import (
    UNLIMITED,
    BettingOptions,
    Hand,
    HandEvent,
    RuleRefusal,
    betting_structures,
    legal_actions,
)
from controller.table import Table, interpret_all_in
from controller.view import (
    ActionView,
    Addend,
    AllInView,
    BetLimit,
    BetPart,
    LargestBetView,
    NoRaiseReason,
    PotAddend,
    PotPart,
    QuickBet,
)

LIMIT_OF_STRUCTURE: Final[dict[str, BetLimit]] = {
    "pot-limit": "pot",
    "half-pot": "half-pot",
    "fixed-limit": "fixed",
    "spread-limit": "spread",
    "no-limit": "none",
}
"""The limit of a bet in each betting structure."""
RULE_OF_LIMIT: Final[dict[BetLimit, str]] = {
    "pot": "over-limit",
    "half-pot": "half-pot-limit",
    "fixed": "fixed-limit",
    "spread": "spread-limit",
    "cap": "hand-cap",
    "none": "",
}
"""The rule behind each limit as a key of the message catalogue, or "" if nothing limits the bet.

The limit by the seat's own stack is missing, because no rule is behind it.
"""
_BY_POT: Final[dict[BetLimit, Addend]] = {"pot": "pot", "half-pot": "half-pot"}
_NO_RAISE_REASONS: Final[dict[RuleRefusal, NoRaiseReason]] = {
    RuleRefusal(code): code for code in get_args(NoRaiseReason) if code
}
_REASONS_WITH_RULE: Final = frozenset({"capped", "not-reopened", "no-check-raise"})
_POT_PARTS: Final[tuple[PotAddend, ...]] = ("there", "call", "blinds", "antes", "rounded")
"""Names of the amounts that add up to the pot after a call, in the order of `betting_structures.PotAfterCall`."""


def _own_limit(hand: Hand, seat: int) -> BetLimit:
    """Return the limit of a seat that cannot bet the maximum of the betting structure.

    The limit is the seat's stack, or the cap of the hand.
    """
    cap = hand.game.hand_cap
    capped = cap and (seat in hand.unknown_stacks or cap - hand.contributed(seat) < hand.stacks[seat])
    return "cap" if capped else "stack"


class BetLimits(NamedTuple):
    """The seat in turn, its amount to call, and the limits of its next bet. Most are None while no seat is in turn."""

    seat: int | None = None
    to_call: int | None = None
    min_raise_to: int | None = None
    max_raise_to: int | None = None
    limit: BetLimit = "none"
    largest_bet: LargestBetView | None = None
    pot_to: int | None = None
    quick_bets: Mapping[QuickBet, int] = MappingProxyType({})
    all_in: AllInView | None = None


def bet_limits(inputs: ViewInputs) -> BetLimits:
    """Return the limits of the seat in turn: its bets and raises, its pot bet, its quick bets, and its all-in."""
    hand, options, breakdown = inputs.hand, inputs.choices, inputs.max_bet
    if hand is None or options is None or breakdown is None:
        return BetLimits()
    may_choose = options.no_raise_reason is None and hand.game.structure != "fixed-limit"
    max_total = min(options.structure_max, options.all_in_total)
    can_reach_minimum = options.no_raise_reason is None and options.min_total <= options.all_in_total
    return BetLimits(
        seat=hand.turn,
        to_call=options.to_call,
        min_raise_to=options.min_total if can_reach_minimum else None,
        max_raise_to=max_total if can_reach_minimum and max_total < UNLIMITED else None,
        limit=_limit(hand, options, max_total) if can_reach_minimum else "stack",
        largest_bet=_largest_bet(hand, options, breakdown, inputs.wager_word),
        pot_to=breakdown.pot_bet_total
        if may_choose and options.min_total <= breakdown.pot_bet_total <= max_total
        else None,
        quick_bets=_legal_quick_bets(
            {**breakdown.quick_bets, **_last_bet(inputs.live.table, hand)},
            hand.game.unit,
            options.min_total,
            max_total,
        )
        if may_choose
        else {},
        all_in=_all_in(inputs.live.table, hand, options, inputs.wager_word),
    )


def _limit(hand: Hand, options: BettingOptions, max_total: int) -> BetLimit:
    """Return what limits the largest bet or raise of the seat in turn to `max_total`."""
    if max_total >= UNLIMITED:
        return "none"
    is_own = options.all_in_total < options.structure_max
    return _own_limit(hand, hand.turn) if is_own else LIMIT_OF_STRUCTURE[hand.game.structure]


def _last_bet(table: Table, hand: Hand) -> dict[QuickBet, int]:
    """Return the last bet of an earlier round, which is a common size of an opening bet.

    Return {} if this round has a bet, or if no earlier round had one.
    """
    if hand.current_bet:
        return {}
    for entry in reversed(table.undo_stack):
        before = entry.table_before.hand
        if before is None or entry.table_before.hands_started != table.hands_started:
            return {}
        if before.round_number < hand.round_number and before.current_bet:
            return {"last-bet": before.current_bet}
    return {}


def _legal_quick_bets(
    quick_bets: Mapping[QuickBet, int], unit: int, min_total: int, max_total: int
) -> dict[QuickBet, int]:
    """Return the bets that the seat can make of those that players name by their size.

    A total that only the rounding makes too large becomes the largest total.
    """
    totals = {kind: max_total if max_total < total <= max_total + unit else total for kind, total in quick_bets.items()}
    return {kind: total for kind, total in totals.items() if min_total <= total <= max_total}


def _largest_bet(
    hand: Hand, options: BettingOptions, breakdown: betting_structures.MaxBetBreakdown, word: legal_actions.WagerWord
) -> LargestBetView:
    limit = LIMIT_OF_STRUCTURE[hand.game.structure]
    parts: tuple[BetPart, ...] = ()
    pot_parts: tuple[PotPart, ...] = ()
    if options.structure_max < UNLIMITED:
        addends: tuple[tuple[Addend, int], ...] = (
            ("in-front", breakdown.already_bet),
            ("call", breakdown.call),
            (_BY_POT.get(limit) or word, breakdown.raise_size),
            ("on-unit", breakdown.unit_adjustment),
        )
        parts = tuple([BetPart(kind, amount) for kind, amount in addends if amount])
    if limit in _BY_POT:
        pot_parts = tuple(
            [PotPart(kind, amount) for kind, amount in zip(_POT_PARTS, breakdown.pot, strict=True) if amount]
        )
    no_raise_reason = _NO_RAISE_REASONS[options.no_raise_reason] if options.no_raise_reason is not None else ""
    has_enough = options.all_in_total >= options.structure_max
    return LargestBetView(
        limit=limit,
        max_total=options.structure_max if options.structure_max < UNLIMITED else None,
        parts=parts,
        pot_parts=pot_parts,
        stack=options.all_in_total - breakdown.already_bet if options.all_in_total < UNLIMITED else None,
        has_enough=has_enough,
        no_raise_reason=no_raise_reason,
        rule=no_raise_reason
        if no_raise_reason in _REASONS_WITH_RULE
        else RULE_OF_LIMIT.get(limit if has_enough else _own_limit(hand, hand.turn), ""),
    )


def _all_in(table: Table, hand: Hand, options: BettingOptions, word: legal_actions.WagerWord) -> AllInView:
    seat = hand.turn
    if options.all_in_total >= UNLIMITED or seat in hand.unknown_stacks:
        return AllInView(action=ActionView(verb="all-in"))
    ruling = interpret_all_in(hand, seat, options, table.street.spot_totals[seat])
    total = hand.bets[seat] + max(0, hand.stacks[seat])
    total -= total % hand.game.unit
    action = ruling.action
    if action is None:
        verb = ruling.held_action.kind if ruling.held_action is not None else "all-in"
        return AllInView(action=ActionView(verb=verb), total=total)
    if action.event is HandEvent.WAGER:
        action_view = ActionView(verb=word, amount=action.total, all_in=action.total >= options.all_in_total)
    elif action.event is HandEvent.CALL:
        called = hand.bets[seat] + options.to_call
        action_view = ActionView(verb="call", amount=called, all_in=called >= options.all_in_total)
    else:
        action_view = ActionView(verb="check", amount=0)
    counted = action_view.amount or hand.bets[seat]
    return AllInView(action=action_view, total=total, excess=max(0, total - counted))
