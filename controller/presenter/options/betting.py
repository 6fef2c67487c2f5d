"""What bounds the seat in turn: how the largest bet or raise is made up, and what all-in comes to."""

from __future__ import annotations

from typing import Final, NamedTuple, get_args

from controller.presenter.known import Known
from controller.rules import UNBOUNDED, Choices, Hand, MadeUp, RaiseWord, Verb, Why, made_up, raise_word
from controller.table import Table, all_in
from controller.view import Addend, AllInView, Did, LargestView, Limit, Part, PotAddend, PotPart, WhyNoRaise

LIMITS: Final[dict[str, Limit]] = {
    "pot-limit": "pot",
    "half-pot": "half-pot",
    "fixed-limit": "fixed",
    "spread-limit": "spread",
    "no-limit": "none",
}
"""By structure."""
RULES: Final[dict[Limit, str]] = {
    "pot": "over-limit",
    "half-pot": "half-pot-limit",
    "fixed": "fixed-limit",
    "spread": "spread-limit",
    "cap": "hand-cap",
    "none": "",
}
"""By what bounds a bet, the key of its rule; a seat's own chips need none."""
_BY_POT: Final[dict[Limit, Addend]] = {"pot": "pot", "half-pot": "half-pot"}
_WHY: Final[dict[Why, WhyNoRaise]] = {Why(code): code for code in get_args(WhyNoRaise) if code}
_WITH_A_RULE: Final = frozenset({"capped", "not-reopened", "no-check-raise"})
_POT_PARTS: Final[tuple[PotAddend, ...]] = ("there", "call", "blinds", "antes", "rounded")
"""In the order of `rules.PotParts`."""


def own_bound(hand: Hand, seat: int) -> Limit:
    """What bounds a seat that could bet more by the structure: what it has, or what the hand's cap leaves of that."""
    cap = hand.game.hand_cap
    capped = cap and (seat in hand.unknown or cap - hand.contributed(seat) < hand.stacks[seat])
    return "cap" if capped else "stack"


class Bounds(NamedTuple):
    """What bounds the seat in turn; None for all while nobody is."""

    largest: LargestView | None = None
    pot_to: int | None = None
    half_pot_to: int | None = None
    all_in: AllInView | None = None


def bounds(known: Known) -> Bounds:
    """How the largest bet or raise of the seat in turn is made up, bets by the pot, and what all-in comes to."""
    hand, found = known.hand, known.choices
    if hand is None or found is None:
        return Bounds()
    word, built = raise_word(hand), made_up(hand, hand.turn, found.limit)
    may_choose = found.why_no_raise is None and hand.game.structure != "fixed-limit"
    most = min(found.limit, found.has)
    return Bounds(
        _largest(hand, found, built, word),
        built.pot_to if may_choose and found.least <= built.pot_to <= most else None,
        built.half_pot_to if may_choose and found.least <= built.half_pot_to <= most else None,
        _all_in(known.live.table, hand, found, word),
    )


def _largest(hand: Hand, found: Choices, built: MadeUp, word: RaiseWord) -> LargestView:
    limit = LIMITS[hand.game.structure]
    parts: tuple[Part, ...] = ()
    pot: tuple[PotPart, ...] = ()
    if found.limit < UNBOUNDED:
        addends: tuple[tuple[Addend, int], ...] = (
            ("in-front", built.own),
            ("call", built.call),
            (_BY_POT.get(limit) or word, built.on_top),
            ("on-unit", built.on_unit),
        )
        parts = tuple([Part(what, amount) for what, amount in addends if amount])
    if limit in _BY_POT:
        pot = tuple([PotPart(what, amount) for what, amount in zip(_POT_PARTS, built.pot, strict=True) if amount])
    why = _WHY[found.why_no_raise] if found.why_no_raise is not None else ""
    reaches = found.has >= found.limit
    return LargestView(
        limit=limit,
        most=found.limit if found.limit < UNBOUNDED else None,
        parts=parts,
        pot=pot,
        stack=found.has - built.own if found.has < UNBOUNDED else None,
        reaches=reaches,
        why_no_raise=why,
        rule=why if why in _WITH_A_RULE else RULES.get(limit if reaches else own_bound(hand, hand.turn), ""),
    )


def _all_in(table: Table, hand: Hand, found: Choices, word: RaiseWord) -> AllInView:
    seat = hand.turn
    if found.has >= UNBOUNDED or seat in hand.unknown:
        return AllInView(did=Did(verb="all-in"))
    ruling = all_in(hand, seat, found, table.street.felt[seat])
    total = hand.bets[seat] + max(0, hand.stacks[seat])
    total -= total % hand.game.unit
    act = ruling.act
    if act is None:
        verb = ruling.held.kind if ruling.held is not None else "all-in"
        return AllInView(did=Did(verb=verb), total=total)
    if act.verb is Verb.WAGER:
        did = Did(verb=word, amount=act.total, all_in=act.total >= found.has)
    elif act.verb is Verb.CALL:
        called = hand.bets[seat] + found.to_call
        did = Did(verb="call", amount=called, all_in=called >= found.has)
    else:
        did = Did(verb="check", amount=0)
    plays = did.amount or hand.bets[seat]
    return AllInView(did=did, total=total, back=max(0, total - plays))
