"""Actions that wait for their turn, or for the floor: what they mean, what becomes of them, when somebody is skipped.

Source: rulings.md, "When"; RRP 3.10 and 3.11; TDA 36 and 53.
"""

from __future__ import annotations

from controller.rules.betting import raised, to_call
from controller.rules.hand import Act, Hand, Phase, Verb, put, replace
from controller.table import meaning as rulings
from controller.table.meaning import Ruling
from controller.table.state import Held, Table, owed
from controller.table.steps import Words

NOT_OPEN = (Phase.BRING_IN, Phase.FIRST)
"""The dealer has to name a seat before anyone is in turn."""


def may_still_act(table: Table, seat: int) -> bool:
    """True for a seat that has something to decide before the round is over, later than now."""
    hand = table.hand
    assert hand is not None
    if seat in hand.all_in:
        return False
    if hand.phase in NOT_OPEN:
        return seat in hand.active
    if seat in hand.pending:
        return True
    raised_behind = any(other != seat and held.wager for other, held in table.held.items())
    return not owed(table, seat) and hand.phase is Phase.BETTING and (raised_behind or hand.level > hand.bets[seat])


def as_if_in_turn(table: Table, seat: int) -> Hand:
    """The hand as a seat sees it that does not wait for its turn: it acts next, and faces the bets and raises of others
    that are held."""
    hand = table.hand
    assert hand is not None
    if seat == hand.turn:
        return hand
    for other, held in table.held.items():
        if other != seat and held.out_of_turn and held.wager > hand.level:
            hand = replace(raised(hand, held.wager), bets=put(hand.bets, other, held.wager))
    others = [other for other in hand.pending if other != seat]
    return replace(hand, pending=(seat, *others), phase=Phase.BETTING)


def held_as(table: Table, seat: int, ruling: Ruling, words: Words | None, added: tuple[int, ...]) -> Held:
    """What is held of an action out of turn that comes to this ruling."""
    assert table.hand is not None
    hand, act = as_if_in_turn(table, seat), ruling.act
    needs = total = 0
    if act is not None:
        total = act.total if act.verb is Verb.WAGER else 0
        needs = act.total or (hand.bets[seat] + to_call(hand, seat) if act.verb is Verb.CALL else 0)
        if words is not None and words.amount and total:
            needs = max(needs, ruling.named)
    return Held(
        rulings.in_words(hand, ruling),
        words,
        added,
        max(needs, hand.bets[seat]),
        len(table.hand.log),
        aware=frozenset(table.held),
        wager=total,
        felt=table.felt[seat],
        open_amount=ruling.open_amount,
    )


def said_of_chips(table: Table, seat: int, words: Words) -> Table:
    """Words that were heard before chips that are held: what they come to, still at the same moment."""
    held = table.held[seat]
    seen = as_if_in_turn(table, seat)
    ruling = rulings.by_words(seen, seat, words, 0)
    if ruling.open_amount and ruling.act and held.felt > ruling.act.total:
        ruling = rulings.chips_after_raise(seen, seat, held.felt, held.added)
        words = _sized(words, ruling)
    return _anew(table, seat, held_as(table, seat, ruling, words, held.added))


def chips_of_bare_raise(table: Table, seat: int, felt: int, added: tuple[int, ...]) -> Table:
    """The first chips after a bare "raise" out of turn decide how much it is (RRP 3.8); less than the least decide
    nothing."""
    held = table.held[seat]
    assert held.words is not None
    if felt <= held.needs:
        return table._replace(held={**table.held, seat: held._replace(open_amount=False)})
    ruling = rulings.chips_after_raise(as_if_in_turn(table, seat), seat, felt, added)
    return _anew(table, seat, held_as(table, seat, ruling, _sized(held.words, ruling), added))


def _sized(words: Words, ruling: Ruling) -> Words:
    return words._replace(amount=ruling.act.total) if ruling.act and ruling.act.verb is Verb.WAGER else words


def _anew(table: Table, seat: int, judged: Held) -> Table:
    """What is held for the seat means something else; it was done when it was done."""
    old = table.held[seat]
    judged = judged._replace(at=old.at, aware=old.aware, bound=old.bound, felt=old.felt, open_amount=False)
    return table._replace(held={**table.held, seat: judged})


def has_changed(hand: Hand, held: Held) -> bool:
    """True where the action changed since this one was held. Source: RRP 3.10 (a bet, call or raise in between); TDA 53
    (a call changes nothing). A bring-in that was due already is neither."""
    changes = (Verb.WAGER,) if hand.game.rulebook == "tda" else (Verb.WAGER, Verb.CALL)
    owed_bring_in = hand.opening.bring_in if hand.opening else 0
    for act in hand.log[held.at :]:
        if act.seat == owed_bring_in and act.verb is Verb.CALL:
            owed_bring_in = 0
        elif act.verb in changes and act.seat not in held.aware:
            return True
    return False


def forget_folds(table: Table) -> Table:
    """A fold out of turn is carried out when the turn has passed its seat."""
    hand = table.hand
    assert hand is not None
    if hand.phase in NOT_OPEN:
        return table
    kept = {
        seat: held
        for seat, held in table.held.items()
        if held.said != "fold" or not held.out_of_turn or seat in hand.pending
    }
    return table if len(kept) == len(table.held) else table._replace(held=kept)


def early_folds(table: Table) -> frozenset[int]:
    """Seats whose fold out of turn waits for its turn."""
    return frozenset(seat for seat, held in table.held.items() if held.said == "fold" and held.out_of_turn)


def take_back_fold(table: Table, seat: int) -> Table:
    """The fold out of turn as if it had not been made: what was done after it keeps its place in the round."""
    hand = table.hand
    assert hand is not None
    opening = hand.opening
    if opening is not None and seat in opening.folded:
        opening = replace(opening, folded=opening.folded - {seat})
    fold = Act(Verb.DEAD, seat)
    place = hand.log.index(fold) if fold in hand.log else len(hand.log)
    held = {other: what._replace(at=what.at - (what.at > place)) for other, what in table.held.items()}
    motions = {other: what._replace(place=what.place - (what.place > place)) for other, what in table.motions.items()}
    log = (*hand.log[:place], *hand.log[place + 1 :])
    hand = replace(hand, folded=hand.folded - {seat}, log=log, opening=opening)
    return table._replace(hand=hand, held=held, motions=motions)


def is_skipped(table: Table) -> bool:
    """True where enough players have acted behind the seat in turn, which has not called time. Source: RRP 3.11; TDA
    36."""
    hand = table.hand
    assert hand is not None
    behind = [held for held in table.held.values() if held.out_of_turn]
    chips = any(held.said.split()[0] in ("bet", "raise", "call") for held in behind)
    return bool(hand.turn) and hand.turn not in table.timed and len(behind) >= hand.game.acts_behind(chips)
