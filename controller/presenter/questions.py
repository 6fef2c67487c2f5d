"""What waits for the dealer in a hand."""

from __future__ import annotations

from typing import Literal

from controller.live import (
    Live,
    answers_to,
    before_their_turn,
    has_pad,
    is_betting,
    is_open_doubt,
    is_waiting,
    lying,
    spot_of,
)
from controller.presenter.asking import about_chips
from controller.presenter.codes import alert
from controller.presenter.known import Known
from controller.rules import Hand, Phase, to_call, why_no_raise
from controller.table import (
    ActionOn,
    AnswersActsNow,
    AnswersOutOfTurn,
    Deals,
    FloorBinds,
    FloorReleases,
    Held,
    HeldOutOfTurn,
    Meant,
    line,
)
from controller.view import Alert, Choice, Did, Label, Values
from hardware.spots import bet_spot

_TOO_EARLY = {
    ("holdem", 2): "flop-too-early",
    ("holdem", 3): "turn-too-early",
    ("holdem", 4): "river-too-early",
    ("omaha", 2): "flop-too-early",
    ("omaha", 3): "turn-too-early",
    ("omaha", 4): "river-too-early",
    ("omaha8", 2): "flop-too-early",
    ("omaha8", 3): "turn-too-early",
    ("omaha8", 4): "river-too-early",
}
"""By variant and betting round, where what to do with the cards is known."""


def questions(known: Known, held: dict[int, Did]) -> list[Alert]:
    """All that stand, in the order in which they are asked. `held` is what is held of seats."""
    live, hand = known.live, known.hand
    if hand is None:
        return []
    found = []
    if known.swept:
        close = Choice(label="street-closed", do=line(Deals(closing=True)))
        is_asked = any(bet_spot(seat) in live.ripe for seat in known.swept)  # till then the dealer may be about to deal
        values = Values(seat=_left_alone(hand), seats=known.swept)
        found.append(alert("sweep-question", values, (close,), level="question" if is_asked else "info"))
    found += [
        _of_held(live, hand, seat, action, held[seat])
        for seat, action in live.table.street.held.items()
        if not _may_open(live, hand, action)
    ]
    found += [_of_answer(hand, seat, other) for seat in known.deferred for other in answers_to(live, seat)[:1]]
    found += _before_their_turn(live, hand)
    found += [
        about_chips(each, hand.turn, len(spot_of(live, each.seat).strangers), pad=has_pad(live)) for each in known.asked
    ]
    found += [each for seat in known.doubtful for each in _of_strangers(live, seat)]
    if live.too_early and is_betting(live.table):
        dealt = _TOO_EARLY.get((hand.game.variant, hand.round + 1), "street-too-early")
        code = "betting-open" if hand.last_round else dealt  # after the last round there are no cards to deal
        close = Choice(label="they-have-acted", do=line(Deals(closing=True)))
        found.append(alert(code, Values(turn=hand.turn), (close,)))
    return found


def _left_alone(hand: Hand) -> int:
    """The seat that is left where those left to act have folded to a bet, 0 where others are."""
    left = [seat for seat in hand.live if seat not in hand.pending or not to_call(hand, seat)]
    return left[0] if len(left) == 1 else 0


def _may_open(live: Live, hand: Hand, held: Held) -> bool:
    """True for chips that came before the dealer has named who opens: till then they are before nobody."""
    return live.setup.patient and hand.phase in (Phase.BRING_IN, Phase.FIRST) and isinstance(held, HeldOutOfTurn)


def _of_held(live: Live, hand: Hand, seat: int, held: Held, did: Did) -> Alert:
    heard = seat in live.acknowledged
    if isinstance(held, HeldOutOfTurn) and held.meant.kind != "fold" and live.setup.patient and hand.turn and not heard:
        skipped, answer = _waiting_before(hand, seat), AnswersOutOfTurn(seat)
        if skipped and answer not in live.answered:
            return _were_they_passed(hand, seat, skipped, line(answer), is_asked=seat in live.overdue)
    stands = (Choice(label="it-stands", do=line(FloorBinds(seat))),) if _may_stand(hand, seat, held) else ()
    rulings = (*stands, Choice(label="give-it-back", do=line(FloorReleases(seat))))
    values = Values(seat=seat, turn=hand.turn, held=did)
    if isinstance(held, HeldOutOfTurn):
        waits = () if heard or not hand.turn else (action_is_on(hand.turn),)
        return alert("out-of-turn", values, (*waits, *rulings), level="info" if heard else None)
    return alert("held-for-the-floor" if held.added else "not-possible", values, rulings)


def action_is_on(turn: int) -> Choice:
    """What a dealer says to who acts out of turn, and then waits: what was done is held till its turn comes."""
    return Choice(label="action-is-on", do=line(ActionOn(turn)), values=Values(turn=turn))


def _were_they_passed(hand: Hand, seat: int, skipped: tuple[int, ...], otherwise: str, *, is_asked: bool) -> Alert:
    """The seats before may have acted without a key; `otherwise` is the step that says that they have not. Their keys
    may be on the way: at first it is only told."""
    did, label = _passed(hand, hand.turn)
    answers = (
        Choice(label=label, do=line(ActionOn(seat)), values=Values(seats=skipped)),
        Choice(label="out-of-turn", do=otherwise),
    )
    values = Values(seat=seat, turn=hand.turn, seats=skipped, did=did)
    return alert("behind-the-turn", values, answers, level="question" if is_asked else "info")


def _before_their_turn(live: Live, hand: Hand) -> list[Alert]:
    """Chips that are seen, or wait, at seats behind the one in turn. It is only told: by the time that it is known what
    they are the turn may have come to them, by keys that are late. Not of those that are asked about with what they
    answer."""
    seats = before_their_turn(live) if live.setup.patient else ()
    answering = {seat for seat in seats if is_waiting(live, seat, "deferred") and answers_to(live, seat)}
    return [
        alert("behind-the-turn", Values(seat=seat, turn=hand.turn), level="info")
        for seat in seats
        if seat not in answering and seat not in live.table.street.held
    ]


def _may_stand(hand: Hand, seat: int, held: Held) -> bool:
    """True where the floor can still bind it: it is not bound, as a fold always is, and can be done as it was meant."""
    if isinstance(held, HeldOutOfTurn):
        return not held.bound and _can_be_done(hand, seat, held.meant)
    return held.meant != Meant("check" if to_call(hand, seat) else "call")


def _can_be_done(hand: Hand, seat: int, meant: Meant) -> bool:
    """True for what the seat could do if the turn came to it now."""
    match meant.kind:
        case "fold":
            return False
        case "check":
            return not to_call(hand, seat)
        case "bet" | "raise":
            return meant.total > hand.level and why_no_raise(hand, seat) is None
    return True


def _of_answer(hand: Hand, seat: int, other: int) -> Alert:
    """Chips of `seat` may be an answer to the bet of `other` behind it, or its act before that."""
    first = _waiting_before(hand, other)
    did, label = _passed(hand, seat)
    answers = (
        Choice(label=label, do=line(ActionOn(other)), values=Values(seats=first)),
        Choice(label="acts-now", do=line(AnswersActsNow(seat)), values=Values(seat=seat)),
    )
    return alert("act-or-answer", Values(seat=seat, turn=other, seats=first, did=did), answers)


def _of_strangers(live: Live, seat: int) -> list[Alert]:
    """Tags that hide no bet are only told."""
    strangers = len(spot_of(live, seat).strangers)
    if not strangers or is_open_doubt(live, seat):
        return []
    return [alert("unknown-chip", Values(seat=seat, amount=lying(live, seat), count=strangers), level="info")]


def _waiting_before(hand: Hand, seat: int) -> tuple[int, ...]:
    """The seats from the turn up to, not with, this one that have still to act."""
    if hand.turn not in hand.order:
        return ()
    at = hand.order.index(hand.turn)
    ring = (*hand.order[at:], *hand.order[:at])
    before = ring[: ring.index(seat)] if seat in ring else ()
    return tuple(other for other in before if other in hand.pending and other not in hand.folded)


def _passed(hand: Hand, seat: int) -> tuple[Literal["checked", "folded"], Label]:
    """What a seat that was passed over has done, or so it seems."""
    return ("folded", "they-folded") if to_call(hand, seat) else ("checked", "they-checked")
