"""What waits for the dealer in a hand."""

from __future__ import annotations

from typing import Literal

from controller.live import (
    Live,
    answers_to,
    explained,
    has_pad,
    is_open_doubt,
    is_waiting,
    lying,
    spot_of,
    uncounted,
    waiting_seats,
)
from controller.presenter.asking import about_chips
from controller.presenter.codes import alert
from controller.presenter.known import Known
from controller.rules import Hand, to_call
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
    is_open,
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
    found += [_of_held(live, hand, seat, action, held[seat]) for seat, action in live.table.street.held.items()]
    found += [_of_answer(hand, seat, other) for seat in known.deferred for other in answers_to(live, seat)[:1]]
    found += _before_their_turn(live, hand)
    found += [
        about_chips(each, hand.turn, len(spot_of(live, each.seat).strangers), pad=has_pad(live)) for each in known.asked
    ]
    found += [each for seat in known.doubtful for each in _of_strangers(live, seat)]
    for seat in known.between:
        amount = lying(live, seat) - explained(live, seat)
        found.append(alert("chips-between-rounds", Values(seat=seat, amount=amount)))
    if live.too_early and is_open(live.table) and not hand.last_round:
        code = _TOO_EARLY.get((hand.game.variant, hand.round + 1), "street-too-early")
        close = Choice(label="they-have-acted", do=line(Deals(closing=True)))
        found.append(alert(code, Values(turn=hand.turn), (close,)))
    return found


def _left_alone(hand: Hand) -> int:
    """The seat that is left where those left to act have folded to a bet, 0 where others are."""
    left = [seat for seat in hand.live if seat not in hand.pending or not to_call(hand, seat)]
    return left[0] if len(left) == 1 else 0


def _of_held(live: Live, hand: Hand, seat: int, held: Held, did: Did) -> Alert:
    if isinstance(held, HeldOutOfTurn) and held.meant.kind != "fold" and live.setup.patient and hand.turn:
        skipped, answer = _waiting_before(hand, seat), AnswersOutOfTurn(seat)
        if skipped and answer not in live.answered:
            return _were_they_passed(hand, seat, skipped, line(answer), is_asked=seat in live.overdue)
    stands = (Choice(label="it-stands", do=line(FloorBinds(seat))),) if _may_stand(hand, seat, held) else ()
    rulings = (*stands, Choice(label="give-it-back", do=line(FloorReleases(seat))))
    values = Values(seat=seat, turn=hand.turn, held=did)
    if isinstance(held, HeldOutOfTurn):
        return alert("out-of-turn", values, rulings)
    return alert("held-for-the-floor" if held.added else "not-possible", values, rulings)


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
    """Chips that wait, for whatever reason, at seats behind the one in turn. It is only told: by the time that it is
    known what they are the turn may have come to them."""
    seats = (seat for seat in waiting_seats(live) if seat in hand.pending and uncounted(live, seat).amount)
    return [
        alert("behind-the-turn", Values(seat=seat, turn=hand.turn), level="info")
        for seat in seats
        if live.setup.patient and hand.turn not in (0, seat) and not _is_asked_otherwise(live, seat)
    ]


def _is_asked_otherwise(live: Live, seat: int) -> bool:
    """True for chips that protect cards, or so it seems, and for those that are asked about with what they answer."""
    answers = is_waiting(live, seat, "deferred") and bool(answers_to(live, seat))
    return answers or is_waiting(live, seat, "own-stack")


def _may_stand(hand: Hand, seat: int, held: Held) -> bool:
    """True where the floor can still bind it: it is not bound, and it is something that can be done."""
    if isinstance(held, HeldOutOfTurn):
        return not held.bound
    return held.meant != Meant("check" if to_call(hand, seat) else "call")


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
