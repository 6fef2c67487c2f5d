"""What the seat in turn does, by words or by chips, and what follows: the next seat's turn, and the actions that waited
for it.

Source: rulings.md, "What was meant" and "When".
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from controller import rules
from controller.rules import ACTIONS, Act, Hand, Phase, Verb, choices, facing
from controller.table import holding, meaning
from controller.table.book import hand_of, require_in_hand
from controller.table.codes import Caution, Cautions, Reason, Warned, refused
from controller.table.holding import with_held, without_held
from controller.table.meaning import Ruling
from controller.table.state import HeldForRuling, HeldOutOfTurn, Meant, Motion, Presumed, Spoken, Street, Table
from controller.table.steps import ActionOn, Declaration

CALL = Declaration("call")
_T = TypeVar("_T")


# --- words and chips of the seat in turn ---


def acts_by_words(table: Table, hand: Hand, seat: int, declaration: Declaration, cautions: Cautions) -> Table:
    """Words of the seat in turn, or of one whose words the floor would have ruled on."""
    street = table.street
    if declaration.kind == "fold" and seat in street.must_call:
        cautions.append(Warned(Caution.NOT_POSSIBLE, seat))
        return with_held(table, seat, _not_possible(hand, seat, holding.FOLD, declaration))
    ruling = meaning.by_words(hand, seat, choices(hand, seat), declaration, street.felt[seat])
    for code in ruling.warnings:
        cautions.append(Warned(code, seat))
    if ruling.act is None:
        if meaning.bars_a_raise(hand, seat, declaration):
            table = table._replace(hand=rules.bar(hand, seat))
        held = _not_possible(hand, seat, meaning.meant(hand, ruling), declaration)
        return with_held(table, seat, _waits(ruling, held))
    after = rules.apply(hand, ruling.act) if seat == hand.turn else rules.force(hand, ruling.act)
    spoken = {**street.spoken, seat: Spoken(max(ruling.named, ruling.act.total), ruling.open_amount)}
    street = street._replace(spoken=spoken, motions=_without(street.motions, seat))
    return _acted(table, after, street, ruling.act, cautions)


def _waits(ruling: Ruling, held: HeldForRuling) -> HeldForRuling:
    """What is held, for the floor to make a full call of where it is an under-call."""
    if Caution.UNDER_CALL not in ruling.warnings:
        return held
    return held._replace(why="under-call", declaration=CALL, needs=max(held.needs, ruling.named))


def _not_possible(hand: Hand, seat: int, meant: Meant, declaration: Declaration) -> HeldForRuling:
    return HeldForRuling(meant, "not-possible", declaration, needs=hand.bets[seat])


def acts_by_chips(
    table: Table, hand: Hand, seat: int, felt: int, added: tuple[int, ...], before: int, cautions: Cautions
) -> Table:
    """Chips without words of the seat in turn, or of one that the book wrongly called all-in: `added` in the last
    motion, `before` it so much lay there, after it `felt`."""
    street, found = table.street, choices(hand, seat)
    plays = meaning.what_plays(hand, found, felt, street.small[seat])
    ruling = meaning.by_chips(hand, seat, found, felt, added, plays)
    for code in ruling.warnings:
        cautions.append(Warned(code, seat))
    if ruling.act is None:
        held = HeldForRuling(meaning.meant(hand, ruling), "not-possible", CALL, felt, added)
        return with_held(table, seat, _waits(ruling, held))
    after = rules.apply(hand, ruling.act) if seat == hand.turn else rules.force(hand, ruling.act)
    motion = Motion(len(hand.log), felt, before, added, ruling.under_call)
    street = street._replace(motions={**street.motions, seat: motion}, spoken=_without(street.spoken, seat))
    return _acted(table, after, street, ruling.act, cautions)


def _acted(table: Table, after: Hand, street: Street, act: Act, cautions: Cautions) -> Table:
    """What follows from an act: nothing is held for its seat any more, and nothing restricts it."""
    seat = act.seat
    if act.verb is Verb.WAGER and table.players[seat].borrowed:
        after = rules.lend(after, seat)
    street = street._replace(held=_without(street.held, seat), must_call=street.must_call - {seat})
    return carry_on(table._replace(street=street), after, cautions)


def _without(by_seat: Mapping[int, _T], seat: int) -> dict[int, _T]:
    return {other: value for other, value in by_seat.items() if other != seat}


def free(table: Table, seat: int) -> Table:
    """The table where nothing that the seat did before restricts it."""
    return table._replace(street=table.street._replace(must_call=table.street.must_call - {seat}))


# --- whose turn comes ---


def carry_on(table: Table, hand: Hand, cautions: Cautions) -> Table:
    """The table with this hand and everything that follows by itself: absent seats fold in turn, held actions are
    carried out or released when the turn reaches their seat."""
    while True:
        table = table._replace(hand=hand)
        if table.street.held:
            table = holding.forget_folds(table, hand)
        seat, street = hand.turn, table.street
        if not seat:
            absent = _absent(table, hand) if hand.phase is Phase.CLOSED else 0
            if not absent:
                return _closed(table, hand)
            hand = rules.declare_dead(hand, absent)
            continue
        held = street.held.get(seat)
        if seat in hand.folded:
            hand = rules.pass_over(hand)
        elif table.players[seat].away:
            hand = rules.apply(hand, Act(Verb.FOLD, seat))
        elif not isinstance(held, HeldOutOfTurn):
            return table
        else:
            table, changed = without_held(table, seat), holding.has_changed(hand, held)
            if held.bound or not changed:
                return _carried_out(table, hand, seat, held, changed, cautions)
            if hand.game.rulebook == "roberts" and held.meant.kind in ("check", "call"):
                hand = rules.bar(hand, seat)


def _closed(table: Table, hand: Hand) -> Table:
    """Nothing waits for a turn that does not come any more."""
    return table._replace(street=table.street._replace(held={})) if hand.phase is Phase.CLOSED else table


def _absent(table: Table, hand: Hand) -> int:
    """A seat that is away and could win what somebody is there for, 0 for none: whoever is away wins nothing."""
    away = [seat for seat in hand.live if table.players[seat].away]
    return away[0] if away and len(away) < len(hand.live) else 0


def _carried_out(table: Table, hand: Hand, seat: int, held: HeldOutOfTurn, changed: bool, cautions: Cautions) -> Table:
    """The held action as it stood: it has not changed, or the floor bound it."""
    if held.declaration is None:
        return acts_by_chips(table, hand, seat, held.felt, held.added, hand.bets[seat], cautions)
    no_raise_any_more = changed and 0 < held.wager <= hand.level
    table = acts_by_words(table, hand, seat, CALL if no_raise_any_more else held.declaration, cautions)
    return _in_motion(table, seat, held.open_amount) if hand.game.raise_in_motions else table


def motion_over(table: Table, seat: int) -> Table:
    """The table where more chips of the seat do not make a bare "raise" larger."""
    return _in_motion(table, seat, open_amount=False)


def is_followed(table: Table, hand: Hand, place: int) -> bool:
    """True where a seat has acted in turn after the act at this place of the log; who is away has not."""
    return any(act.verb in ACTIONS and not table.players[act.seat].away for act in hand.log[place + 1 :])


def _in_motion(table: Table, seat: int, open_amount: bool) -> Table:
    spoken = table.street.spoken.get(seat)
    if spoken is None:
        return table
    spoken = spoken._replace(open_amount=open_amount)
    return table._replace(street=table.street._replace(spoken={**table.street.spoken, seat: spoken}))


def floor_binds(table: Table, hand: Hand, seat: int, held: HeldOutOfTurn, cautions: Cautions) -> Table:
    """A held action stands; it is carried out now where its seat is in turn."""
    table = with_held(table, seat, held)
    return carry_on(free(table, seat), hand, cautions) if hand.turn == seat else table


# --- out of turn ---


def fold_out_of_turn(table: Table, hand: Hand, seat: int, cautions: Cautions) -> Table:
    """A fold out of turn binds at once; it is carried out when its turn comes."""
    after = rules.fold_early(hand, seat)
    cautions.append(Warned(Caution.OUT_OF_TURN, seat))
    held = HeldOutOfTurn(holding.FOLD, Declaration("fold"), (), hand.bets[seat], len(hand.log))
    return carry_on(_skipping(with_held(table, seat, held), after, seat, cautions), after, cautions)


def acts_out_of_turn(
    table: Table,
    hand: Hand,
    seen: Hand,
    seat: int,
    ruling: Ruling,
    declaration: Declaration | None,
    added: tuple[int, ...],
    cautions: Cautions,
) -> Table:
    """An action out of turn waits for its turn; `seen` is the hand as if the seat were in turn."""
    cautions.append(Warned(Caution.OUT_OF_TURN, seat))
    held = holding.held_as(table, seen, seat, ruling, declaration, added)
    return _skipping(with_held(table, seat, held), hand, seat, cautions)


def once_more_out_of_turn(table: Table, hand: Hand, seat: int, cautions: Cautions) -> Table:
    """A second action out of turn changes nothing."""
    cautions.append(Warned(Caution.OUT_OF_TURN, seat))
    return _skipping(table, hand, seat, cautions)


def _skipping(table: Table, hand: Hand, seat: int, cautions: Cautions) -> Table:
    if holding.is_skipped(table, hand):
        cautions.append(Warned(Caution.SKIPPED, seat))
    return table


# --- what the dealer shows ---


def action_on(table: Table, hand: Hand, step: ActionOn, cautions: Cautions) -> Table:
    """The action is on this seat: those from the turn up to it have folded, or checked where there was nothing to
    call."""
    seat = step.seat
    require_in_hand(table, hand, seat)
    if hand.phase is not Phase.BETTING or seat not in hand.pending:
        raise refused(rules.Why.CANNOT_ACT, seat)
    while hand.phase is Phase.BETTING and seat in hand.pending and hand.turn != seat:
        table = presume(table, hand, cautions)
        hand = hand_of(table)
    return table


def presume(table: Table, hand: Hand, cautions: Cautions) -> Table:
    """The seat in turn is taken to have checked, or folded to a bet; not one that has to bring it in, nor one whose
    call waits for the floor."""
    seat = hand.turn
    if seat == hand.bring_in and not hand.bring_in_passes:
        raise refused(Reason.OWES_BRING_IN, seat)
    held = table.street.held.get(seat)
    if isinstance(held, HeldForRuling) and held.meant.kind != "check":
        raise refused(Reason.STILL_HELD, seat)
    folds = facing(hand, seat) > hand.bets[seat]
    taken: Presumed = "fold" if folds else "check"
    act = Act(Verb.FOLD if folds else Verb.CHECK, seat)
    street = table.street._replace(presumed={**table.street.presumed, seat: taken})
    return _acted(table, rules.apply(hand, act), street, act, cautions)
