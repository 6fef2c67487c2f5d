"""What the dealer and the floor do: touches on the screen, the dealer's six keys, the buttons of the seats.

Fingers are late: a key can come when the chips that it speaks of have been read, or the turn has moved on.
Source: rulings.md, "A dealer is a person".
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from controller.live.asking import answer
from controller.live.change import Change
from controller.live.counting import meaning, reject_reason
from controller.live.queries import is_betting, is_open_doubt, is_unsure, lying, possible_answers, spot_of
from controller.live.state import Live, LiveReason
from controller.live.waits import follow_up, last_motions, lying_uncounted, motion_is_over, raise_is_over, unheard
from controller.rules import Hand, Refusal, Verb, clockwise, to_call
from controller.table import (
    ActionOn,
    AnswersActsNow,
    AnswersOutOfTurn,
    Awards,
    CallsFloor,
    ChipsAre,
    Confirms,
    Deals,
    DealtTooEarly,
    Declaration,
    Declares,
    DropsCount,
    EndsCount,
    EndsMotion,
    FloorCame,
    KeyCameLate,
    Kind,
    Moves,
    Note,
    RecordsChecked,
    RestartChecked,
    Says,
    Source,
    StartsCount,
    Step,
    TagsChecked,
    Undoes,
    declared_chips,
    is_open,
)
from hardware.events import Key
from hardware.spots import BET_SPOTS

KEY_GRACE_US: Final = 700_000
"""A check/call key so soon after a tray moved the turn on is for the seat before: a finger was already on its way."""
LATE_KEY_US: Final = 2_500_000
"""The same of a key that would be a call in words at a tray that sees no chips: who calls puts chips in, and fingers
are two seconds late."""
OF_PEOPLE: Final = (
    AnswersOutOfTurn,
    AnswersActsNow,
    ChipsAre,
    StartsCount,
    EndsCount,
    DropsCount,
    CallsFloor,
    FloorCame,
    RestartChecked,
    RecordsChecked,
    TagsChecked,
)
"""The notes that a person can give."""
_NO_WAGER: Final[Mapping[Kind, Verb]] = {"call": Verb.CALL, "check": Verb.CHECK, "fold": Verb.FOLD}
"""What is declared -> what it does; all others put in a wager."""


# --- commands ---


def command(change: Change, step: Step, source: Source, shown_turn: int | None = None) -> Change:
    """A touch or key. `shown_turn` is the seat in turn that the person saw."""
    if change.live.glimpses and isinstance(step, ActionOn | Declares | Says):
        change = raise_is_over(change, step.seat)
    if isinstance(step, Deals | Awards):
        change = unheard(last_motions(change))
    if isinstance(step, Note):
        change = _noted(change, step, source)
    elif isinstance(step, Declares):
        late = _is_late(change.live, step, shown_turn)
        change = _too_late(change, step, source) if late else _keyed(change, step, source)
    elif isinstance(step, EndsMotion):
        change = _motion_ended(change, step, source)
    elif isinstance(step, Deals):
        change = _checked_first(change, source).then(source, step)
    else:
        change = change.then(source, step)
    if change.refused is None:
        return follow_up(change)
    if isinstance(step, Deals) and is_open(change.live.table):
        return change.then(source, DealtTooEarly())._replace(refused=change.refused)
    return change


def _checked_first(change: Change, source: Source) -> Change:
    """Who deals says that a key was a check which could as well have confirmed the seat before."""
    hand, seat = change.live.table.hand, change.live.ruled.late_key
    if hand is None or not seat or hand.turn != seat or set(hand.pending) != {seat} or to_call(hand, seat):
        return change
    return change.then(source, Declares(seat, Declaration("check")))


def _noted(change: Change, step: Note, source: Source) -> Change:
    if isinstance(step, AnswersActsNow | AnswersOutOfTurn) and step not in possible_answers(change.live):
        return change._replace(refused=Refusal(LiveReason.NO_OPEN_QUESTION, seat=step.seat))
    if source != "sensor" and not isinstance(step, OF_PEOPLE):
        return change._replace(refused=Refusal(LiveReason.NOT_KEYED))
    if isinstance(step, ChipsAre):
        return answer(change, step, source)
    if isinstance(step, StartsCount | EndsCount | DropsCount):
        return _counts(change, step, source)
    return change.then(source, step)


def _counts(change: Change, step: StartsCount | EndsCount | DropsCount, source: Source) -> Change:
    """The dealer begins or ends a count on the pad. What the table does not take goes on being counted."""
    refused = reject_reason(change.live, step)
    if refused is not None:
        return change._replace(refused=refused)
    made = change.then(source, *(meaning(change.live) if isinstance(step, EndsCount) else ()), step)
    return made if made.refused is None else change._replace(refused=made.refused)


def _is_late(live: Live, step: Declares, shown_turn: int | None) -> bool:
    """True for a key for the seat that was shown in turn, whose chips have been taken meanwhile."""
    hand = live.table.hand
    return (
        shown_turn == step.seat
        and hand is not None
        and hand.turn != step.seat
        and _last_act(live, step.seat) is not None
    )


def _last_act(live: Live, seat: int) -> Verb | None:
    """What the seat did last in this round; None for nothing."""
    log = live.table.hand.log if live.table.hand is not None else ()
    return next((act.verb for act in reversed(log) if act.seat == seat), None)


def _too_late(change: Change, step: Declares, source: Source) -> Change:
    """The same action again is a confirmation, another is refused."""
    last = _last_act(change.live, step.seat)
    if last is _NO_WAGER.get(step.declaration.kind, Verb.WAGER):
        return change.then(source, Confirms(step.seat))
    name = last.value if last else ""
    return change._replace(refused=Refusal(LiveReason.READ_ALREADY, seat=step.seat, name=name))


def _keyed(change: Change, step: Declares, source: Source) -> Change:
    """Keyed words; where the tray cannot say it, they count as chips put in, in the same piece. Words stand without
    chips that the table does not take: a fold leaves lying what lies there."""
    live, seat = change.live, step.seat
    chips: Moves | None
    if _unseen(live, seat):
        chips = declared_chips(live.table, step)
    else:
        lying = lying_uncounted(live, seat)
        chips = Moves(seat, lying) if lying else None
    change = change.then(source, step)
    if change.refused is not None or chips is None:
        return change
    with_chips = change.then(source, chips)
    return change if with_chips.refused is not None else with_chips


def _motion_ended(change: Change, step: EndsMotion, source: Source) -> Change:
    """The seat's motion is over: what is seen there and is not settled counts at once. Where that is all it had, or can
    do, nothing more was to be said."""
    before = change.live.table
    if is_betting(before):
        change = motion_is_over(change, step.seat)
    ended = change.then(source, step)
    return change if ended.refused is not None and change.live.table is not before else ended


def _unseen(live: Live, seat: int) -> bool:
    """True where no reader tells for sure what the seat puts in."""
    doubtful = is_unsure(live, seat) or bool(spot_of(live, seat).failed)
    return doubtful or not live.setup.trays or seat in live.table.offline


# --- the dealer's keys ---


def key(change: Change, pressed: Key) -> Change:
    """One of the six keys went down."""
    hand = change.live.table.hand
    if pressed == "undo":
        return command(change, Undoes(), "dealer")
    if pressed == "deal":
        return command(change, Deals(), "dealer")
    if pressed == "floor":
        return command(change, FloorCame() if change.live.floor_called else CallsFloor(), "dealer")
    return _turn_key(change, pressed, hand.turn) if hand is not None and hand.turn else change


def _turn_key(change: Change, pressed: Key, shown: int) -> Change:
    """A key that is about the seat in turn."""
    change = raise_is_over(change, shown)
    before = change.live.table
    if pressed != "check-call" or not _has_answered(change.live, shown):
        change = motion_is_over(change, shown)
    if pressed == "fold" and change.live.table is before:
        change = _doubtful_is_over(change, shown)
    hand = change.live.table.hand
    if hand is None or not hand.turn:
        return change
    seat = hand.turn
    if pressed == "check-call" and change.live.table is not before:  # that the motion is over was its meaning
        return change if seat == shown or to_call(hand, seat) else change.then("dealer", KeyCameLate(seat))
    if pressed == "check-call" and _is_for_seat_before(change, hand):
        return _confirms_before(change, hand)
    if pressed == "next-seat":
        behind = [other for other in clockwise(hand.order, seat) if other in hand.pending and other != seat]
        return command(change, ActionOn(behind[0]) if behind else Declares(seat, Declaration("check")), "dealer")
    if pressed == "fold":
        return command(change, Declares(seat, Declaration("fold")), "dealer")
    if pressed == "check-call":
        return command(change, Declares(seat, Declaration("call" if to_call(hand, seat) else "check")), "dealer")
    return change


def _doubtful_is_over(change: Change, seat: int) -> Change:
    """A fold key while chips of the seat in turn are read that are less than a call, and not all there are: they are
    one, and the key is for the next seat."""
    live, hand = change.live, change.live.table.hand
    if (
        hand is None
        or not is_open_doubt(live, seat)
        or spot_of(live, seat).strangers
        or lying(live, seat) >= hand.level
    ):
        return change
    return command(change, Declares(seat, Declaration("call")), "dealer")


def _has_answered(live: Live, seat: int) -> bool:
    """True where chips that are seen at the seat in turn came after those of a seat behind it: where it could check, it
    has, and its chips answer the bet of the other."""
    hand, own = live.table.hand, live.glimpses.get(BET_SPOTS[seat - 1])
    if hand is None or own is None or to_call(hand, seat):
        return False
    behind = (live.glimpses.get(BET_SPOTS[other - 1]) for other in hand.pending if other != seat)
    return any(glimpse is not None and glimpse.since_us < own.since_us for glimpse in behind)


def _is_for_seat_before(change: Change, hand: Hand) -> bool:
    """True for a check/call key that comes when a tray has just moved the turn on. Pressed again it is for the seat."""
    live, since_us = change.live, change.at_us - change.live.turned_us
    if not live.turned_us or since_us < 0 or live.ruled.late_key == hand.turn:
        return False
    may_be_words = not to_call(hand, hand.turn) or _unseen(live, hand.turn)
    return since_us < (KEY_GRACE_US if may_be_words else LATE_KEY_US)


def _confirms_before(change: Change, hand: Hand) -> Change:
    """The key confirms what the tray has told of the seat that acted last."""
    before = hand.log[-1].seat if hand.log else 0
    is_sensed = change.live.sources.get(before) == "sensed"
    return change.then("dealer", *((Confirms(before),) if is_sensed else ()), KeyCameLate(hand.turn))


def seat_button(change: Change, seat: int) -> Change:
    """The button of a seat went down: the action is on it."""
    return command(change, ActionOn(seat), "dealer")
