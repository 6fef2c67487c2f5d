"""Words of seats: declared, said, and heard before chips; in turn and out of it.

Everything that people do is taken, ruled on and warned about: a machine cannot refuse what lies on the felt. Refused is
only what a seat that is not in the hand does.
Source: rulings.md, "What was meant" and "When".
"""

from __future__ import annotations

from controller.rules import Hand, Phase, Verb, choices, replay
from controller.table import chips, holding, meaning, turns
from controller.table.book import due_back, hand_of, owed, require_in_hand
from controller.table.codes import Caution, Cautions, Reason, Warned, refused
from controller.table.holding import without_held
from controller.table.state import HeldForRuling, HeldOutOfTurn, Spoken, Table
from controller.table.steps import Declaration, Declares, Heard, Says
from controller.table.turns import carry_on


def says(table: Table, hand: Hand, step: Declares | Says, cautions: Cautions) -> Table:
    """Words of a seat; the chips that go with them are a motion of their own."""
    seat, words = step.seat, step.declaration
    if seat != hand.turn:
        require_in_hand(table, hand, seat)
    if seat in hand.all_in and owed(table, seat) == 0:
        raise refused(Reason.ALL_IN, seat)
    if words.kind == "time":
        return _calls_time(table, seat)
    if seat == hand.turn:
        return turns.acts_by_words(table, hand, seat, words, cautions)
    if words.kind == "fold" and seat not in hand.all_in:
        return turns.fold_out_of_turn(table, hand, seat, cautions)
    if holding.may_still_act(table, hand, seat):
        if seat in table.street.held:
            return turns.once_more_out_of_turn(table, hand, seat, cautions)
        seen = holding.seen_by(table, hand, seat)
        ruling = meaning.by_words(seen, seat, choices(seen, seat), words, 0)
        return turns.acts_out_of_turn(table, hand, seen, seat, ruling, words, (), cautions)
    if not (owed(table, seat) and _repeats(hand, seat, words)):
        cautions.append(Warned(Caution.STRING_BET, seat))
    return table


def _calls_time(table: Table, seat: int) -> Table:
    return table._replace(street=table.street._replace(timed=table.street.timed | {seat}))


def _repeats(hand: Hand, seat: int, words: Declaration) -> bool:
    """True for words that only repeat what the seat is bound to."""
    done = [act for act in hand.log if act.seat == seat]
    if not done:
        return False
    total = words.amount == hand.bets[seat] and not words.by
    if done[-1].verb is Verb.CALL:
        return words.kind == "call" or (words.kind == "amount" and total)
    return total


def heard(table: Table, hand: Hand, step: Heard, cautions: Cautions) -> Table:
    """The dealer heard words before the seat's last motion: it is judged anew with them, until the next street."""
    seat, words = step.seat, step.declaration
    require_in_hand(table, hand, seat)
    if words.kind == "time":
        return _calls_time(table, seat)
    held = table.street.held.get(seat)
    if isinstance(held, HeldForRuling) and held.added:
        return _heard_of_under_call(table, hand, seat, held, words, cautions)
    if isinstance(held, HeldOutOfTurn) and held.declaration is None:
        return holding.heard_before_chips(table, hand, seat, held, words)
    return _judged_anew(table, hand, seat, words, cautions)


def _judged_anew(table: Table, hand: Hand, seat: int, words: Declaration, cautions: Cautions) -> Table:
    street = table.street
    motion = street.motions.get(seat)
    if motion is None or hand.phase not in (Phase.BETTING, Phase.CLOSED):
        raise refused(Reason.NO_CHIPS_BEFORE, seat)
    earlier = replay(hand, hand.log[: motion.place])
    found = choices(earlier, seat)
    ruling = meaning.by_words(earlier, seat, found, words, motion.felt if words.kind == "all-in" else motion.before)
    open_amount = ruling.open_amount and bool(hand.game.raise_in_motions)
    adds_up = open_amount and not turns.is_followed(table, hand, motion.place)
    felt = max(motion.felt, street.felt[seat]) if adds_up else motion.felt
    if ruling.open_amount and ruling.act and not ruling.act.all_in and felt > ruling.act.total:
        ruling = meaning.chips_after_raise(earlier, seat, found, felt, motion.added)
    if ruling.act is None:
        raise refused(Reason.COULD_NOT, seat, words.amount, words.kind)
    for code in ruling.warnings:
        cautions.append(Warned(code, seat))
    log = (*hand.log[: motion.place], ruling.act, *hand.log[motion.place + 1 :])
    street = street._replace(
        spoken={**street.spoken, seat: Spoken(max(ruling.named, ruling.act.total), open_amount)},
        motions={**street.motions, seat: motion._replace(under_call=False)},
    )
    return carry_on(table._replace(street=street), replay(hand, log), cautions)


def _heard_of_under_call(
    table: Table, hand: Hand, seat: int, held: HeldForRuling, words: Declaration, cautions: Cautions
) -> Table:
    """Words that were heard before too few chips: they bind, and nothing is left for the floor."""
    table = turns.acts_by_words(without_held(table, seat), hand, seat, words, cautions)
    spoken = table.street.spoken.get(seat)
    if spoken and spoken.open_amount and due_back(table, seat):
        before = held.needs - sum(held.added)
        return chips.sized_by_chips(table, hand_of(table), seat, before, held.added, cautions)
    return table
