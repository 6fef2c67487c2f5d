"""Actions that wait for their turn, or for the floor: what they mean, what becomes of them, when somebody is skipped.

Source: rulings.md, "When"; Robert's Rules 3.10 and 3.11; TDA 36 and 53.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from controller import rules
from controller.rules import Hand, Phase, Verb, choices, to_call
from controller.table import meaning
from controller.table.book import owed
from controller.table.codes import Caution
from controller.table.meaning import Ruling
from controller.table.state import Held, HeldForRuling, HeldOutOfTurn, Meant, Table
from controller.table.steps import Declaration

FOLD = Meant("fold")
_NOT_OPEN = (Phase.BRING_IN, Phase.FIRST)
"""The dealer has to name a seat before anyone is in turn."""


def with_held(table: Table, seat: int, held: Held) -> Table:
    """The table where this waits for the seat."""
    return table._replace(street=table.street._replace(held={**table.street.held, seat: held}))


def without_held(table: Table, seat: int) -> Table:
    """The table where nothing waits for the seat any more."""
    if seat not in table.street.held:
        return table
    rest = {other: held for other, held in table.street.held.items() if other != seat}
    return table._replace(street=table.street._replace(held=rest))


def out_of_turn(table: Table) -> Iterator[tuple[int, HeldOutOfTurn]]:
    """The seats whose action out of turn waits, with it."""
    return ((seat, held) for seat, held in table.street.held.items() if isinstance(held, HeldOutOfTurn))


def may_still_act(table: Table, hand: Hand, seat: int) -> bool:
    """True for a seat that has something to decide before the round is over, later than now."""
    if seat in hand.all_in:
        return False
    if hand.phase in _NOT_OPEN:
        return seat in hand.active
    if seat in hand.pending:
        return True
    raised_behind = any(other != seat and held.wager for other, held in out_of_turn(table))
    return not owed(table, seat) and hand.phase is Phase.BETTING and (raised_behind or hand.level > hand.bets[seat])


def seen_by(table: Table, hand: Hand, seat: int) -> Hand:
    """The hand as a seat sees it that does not wait for its turn: it acts next, and faces the bets and raises of others
    that are held."""
    if seat == hand.turn:
        return hand
    return rules.as_if_in_turn(hand, seat, {other: held.wager for other, held in out_of_turn(table)})


def held_as(
    table: Table, seen: Hand, seat: int, ruling: Ruling, declaration: Declaration | None, added: tuple[int, ...]
) -> HeldOutOfTurn:
    """What is held of an action out of turn that comes to this ruling; `seen` is the hand as if the seat were in
    turn."""
    act = ruling.act
    needs = total = 0
    if act is not None:
        total = act.total if act.verb is Verb.WAGER else 0
        needs = act.total or (seen.bets[seat] + to_call(seen, seat) if act.verb is Verb.CALL else 0)
        if declaration is not None and declaration.amount and total:
            needs = max(needs, ruling.named)
    elif Caution.UNDER_CALL in ruling.warnings:
        needs = max(ruling.named, table.street.felt[seat])
    return HeldOutOfTurn(
        meaning.meant(seen, ruling),
        declaration,
        added,
        max(needs, seen.bets[seat]),
        len(seen.log),
        aware=frozenset(table.street.held),
        wager=total,
        felt=table.street.felt[seat],
        open_amount=ruling.open_amount,
    )


def heard_before_chips(table: Table, hand: Hand, seat: int, held: HeldOutOfTurn, declaration: Declaration) -> Table:
    """Words that were heard before chips that are held: what they come to, still at the same moment."""
    seen = seen_by(table, hand, seat)
    found = choices(seen, seat)
    ruling = meaning.by_words(seen, seat, found, declaration, 0)
    open_amount = ruling.open_amount and bool(hand.game.raise_in_motions)
    if ruling.open_amount and ruling.act and held.felt > ruling.act.total:
        ruling = meaning.chips_after_raise(seen, seat, found, held.felt, held.added)
        declaration = _sized(declaration, ruling)
    return _anew(table, seat, held, held_as(table, seen, seat, ruling, declaration, held.added), open_amount)


def chips_of_bare_raise(
    table: Table, hand: Hand, seat: int, held: HeldOutOfTurn, felt: int, added: tuple[int, ...]
) -> Table:
    """The chips after a bare "raise" out of turn decide how much it is (Robert's Rules 3.8), all motions where they
    add up, else the first; less than the least decide nothing."""
    assert held.declaration is not None
    open_amount = bool(hand.game.raise_in_motions)
    if felt <= held.needs:
        return with_held(table, seat, held._replace(open_amount=open_amount))
    seen = seen_by(table, hand, seat)
    ruling = meaning.chips_after_raise(seen, seat, choices(seen, seat), felt, added)
    judged = held_as(table, seen, seat, ruling, _sized(held.declaration, ruling), added)
    return _anew(table, seat, held, judged, open_amount)


def _sized(declaration: Declaration, ruling: Ruling) -> Declaration:
    act = ruling.act
    return replace(declaration, amount=act.total) if act and act.verb is Verb.WAGER else declaration


def _anew(table: Table, seat: int, old: HeldOutOfTurn, judged: HeldOutOfTurn, open_amount: bool) -> Table:
    """What is held for the seat means something else; it was done when it was done. `open_amount`: more chips may make
    it more."""
    judged = judged._replace(at=old.at, aware=old.aware, bound=old.bound, felt=old.felt, open_amount=open_amount)
    return with_held(table, seat, judged)


def bound_by_floor(held: Held) -> HeldOutOfTurn:
    """The held action as it is carried out when the turn is on its seat, whatever has happened."""
    if isinstance(held, HeldForRuling):
        return HeldOutOfTurn(held.meant, held.declaration, held.added, held.needs, at=0, bound=True)
    return held._replace(bound=True)


def has_changed(hand: Hand, held: HeldOutOfTurn) -> bool:
    """True where the action changed since this one was held. A bring-in that was due already is no change.

    Source: Robert's Rules 3.10 (a bet, call or raise in between); TDA 53 (a call changes nothing).
    """
    changes = (Verb.WAGER,) if hand.game.rulebook == "tda" else (Verb.WAGER, Verb.CALL)
    owed_bring_in = _brought_in(hand)
    for act in hand.log[held.at :]:
        if act.seat == owed_bring_in and act.verb is Verb.CALL:
            owed_bring_in = 0
        elif act.verb in changes and act.seat not in held.aware:
            return True
    return False


def _brought_in(hand: Hand) -> int:
    """The seat that owed this round's bring-in as it opened, or that it was passed on to; 0 for none."""
    owed = hand.opening.bring_in if hand.opening else 0
    if not owed or not hand.bring_in_passes:
        return owed
    return next((act.seat for act in hand.log if act.verb in (Verb.CALL, Verb.WAGER)), hand.bring_in)


def forget_folds(table: Table, hand: Hand) -> Table:
    """A fold out of turn is carried out when the turn has passed its seat."""
    if hand.phase in _NOT_OPEN:
        return table
    passed = [seat for seat in early_folds(table) if seat not in hand.pending]
    for seat in passed:
        table = without_held(table, seat)
    return table


def early_folds(table: Table) -> frozenset[int]:
    """Seats whose fold out of turn waits for its turn."""
    return frozenset(seat for seat, held in out_of_turn(table) if held.meant == FOLD)


def take_back_fold(table: Table, hand: Hand, seat: int) -> Table:
    """The fold out of turn as if it had not been made: what was done after it keeps its place in the round."""
    hand, place = rules.fold_taken_back(hand, seat)
    street = table.street
    moved = {other: held._replace(at=held.at - (held.at > place)) for other, held in out_of_turn(table)}
    motions = {other: what._replace(place=what.place - (what.place > place)) for other, what in street.motions.items()}
    return table._replace(hand=hand, street=street._replace(held={**street.held, **moved}, motions=motions))


def is_skipped(table: Table, hand: Hand) -> bool:
    """True where enough players have acted behind the seat in turn, which has not called time.

    Source: Robert's Rules 3.11; TDA 36.
    """
    behind = [held for _, held in out_of_turn(table)]
    chips = any(held.meant.kind in ("bet", "raise", "call") for held in behind)
    return bool(hand.turn) and hand.turn not in table.street.timed and len(behind) >= hand.game.acts_behind(chips)
