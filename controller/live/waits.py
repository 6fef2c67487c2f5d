"""Readings that have waited, and motions that are over before they are settled.

A key, an act of the next seat or a sweep ends a motion: what was seen of it is all there was. Source: rulings.md, "A
dealer is a person".
"""

from __future__ import annotations

from typing import Final

from controller.live.change import Change
from controller.live.judging import came_early, comes_after, is_coming, is_splash
from controller.live.motions import moved
from controller.live.queries import (
    SEAT_OF,
    SWEEP_US,
    UNTOLD,
    answers_to,
    few,
    is_betting,
    is_lone,
    is_open_doubt,
    is_waiting,
    owes_chips,
    passed,
    raising,
    spot_of,
    sweeping,
    values,
    waiting,
    worth,
)
from controller.live.state import Glimpse, Live, Spot
from controller.rules import NO_SEATS, Phase, clockwise
from controller.table import AnswersOutOfTurn, Moves, SpotHolds, WaitsFor, counted, owed
from hardware.chips import chips_for
from hardware.events import StackComplete, StackSeen
from hardware.spots import BET_SPOTS

ALONE_US: Final = 2_500_000
"""One spot that emptied alone for so long was not swept: its player took the chips back."""


# --- readings that have waited ---


def follow_up(change: Change) -> Change:
    """Readings whose meaning has become clear: chips that came between the rounds are the first motions of the street
    that has opened now, and chips that answer nothing any more are an act. What the table refuses of them was not what
    the change is about."""
    if not any(spot.waiting for spot in change.live.spots.values()):
        return change
    refused = change.refused
    if is_betting(change.live.table):
        for seat in waiting(change.live, "between"):
            if not of_this_round(change.live, seat) and not _leave(change.live, seat):
                change = take_waiting(change, seat)
    for seat in waiting(change.live, "splash"):
        if not is_splash(change.live, seat):
            change = take_waiting(change, seat)
    for seat in waiting(change.live, "deferred"):
        held_back = spot_of(change.live, seat).waiting
        later = held_back is not None and comes_after(change.live, seat, held_back.at_us)
        later |= any(is_coming(change.live, other) for other in _ahead(change.live, seat))
        if not later and not answers_to(change.live, seat):
            change = take_waiting(change, seat)
    return change._replace(refused=refused)


def of_this_round(live: Live, seat: int) -> bool:
    """True for chips that came behind a sweep while the round that is open still was so: they are of the next one."""
    held_back, hand = spot_of(live, seat).waiting, live.table.hand
    return held_back is not None and hand is not None and held_back.round == hand.round


def _leave(live: Live, seat: int) -> bool:
    """True where chips that wait at the seat are seen to go: what is left of them will be told."""
    spot, glimpse = spot_of(live, seat), live.glimpses.get(BET_SPOTS[seat - 1])
    came = set(spot.lies or ()) - set(spot.explained or ())
    return glimpse is not None and not came <= set(glimpse.stack)


def take_waiting(change: Change, seat: int) -> Change:
    """What waited at the seat is taken now. Whose chips came before has acted out of turn."""
    early = [other for other in _ahead(change.live, seat) if _has_acted_early(change.live, other)]
    change = moved(change, seat, spot_of(change.live, seat))
    rest = {other: ahead for other, ahead in change.live.ahead.items() if other != seat}
    change = change._replace(live=change.live._replace(ahead=rest))
    return change.then("sensor", *(AnswersOutOfTurn(other) for other in early)) if change.refused is None else change


def _ahead(live: Live, seat: int) -> frozenset[int]:
    """Seats whose chips came before those that wait at this seat, while it is still in turn: once it has acted, by a
    key or a touch, those may be in turn."""
    in_turn = live.table.hand is not None and live.table.hand.turn == seat
    return live.ahead.get(seat, NO_SEATS) if in_turn else NO_SEATS


def _has_acted_early(live: Live, seat: int) -> bool:
    """True where chips of the seat, which is not in turn, are held, or seen."""
    return seat in live.table.street.held or is_open_doubt(live, seat) or came_early(live, seat)


def taken_back(change: Change) -> Change:
    """Spots that have been empty alone for so long that it was no sweep; not where it may have been the last bet. What
    the table refuses of it is told, as of chips that are read."""
    for seat in waiting(change.live, "emptied"):
        held_back = spot_of(change.live, seat).waiting
        if sweeping(change.live) or held_back is None or is_lone(change.live, seat):
            continue
        if passed(held_back.at_us, change.at_us, ALONE_US):
            change = take_waiting(change, seat)
    return change


def lying_uncounted(live: Live, seat: int) -> tuple[int, ...]:
    """The chips on the spot that the book does not count since a step was taken back, or they were said to go back."""
    felt, hand, spot = live.table.street.felt[seat], live.table.hand, spot_of(live, seat)
    chips = tuple(chip for chip in spot.explained or () if chip.uid not in spot.left)
    if seat not in live.undone and hand is not None and live.setup.patient:
        since = (live.table.hands, hand.round)
        places = [live.places.get(chip.uid) for chip in chips]
        if any(place is None or (place.hand, place.round) != since for place in places):
            return ()
    excess = worth(chips) - felt
    if excess <= 0:
        return ()
    return few(chips_for(excess) if felt else values(chips))


# --- motions that are over before they are settled ---


def motion_is_over(change: Change, seat: int, *, last: bool = False) -> Change:
    """A key while chips of the seat in turn are seen and not settled, or have been seen and left: its motion is over,
    because the next seat acts or the dealer says so. The table is another one where that was a motion. A stack that may
    hold more counts only where no more can be seen of it: it has left, or the round is over (`last`)."""
    live, name = change.live, BET_SPOTS[seat - 1]
    glimpse = live.vanished.get(name) or live.glimpses.get(name)
    if glimpse is None or glimpse.strangers or (answers_to(live, seat) and not last):
        return change
    if glimpse.at_least and not last and not glimpse.gone_us:
        return change
    if live.table.street.felt[seat] >= worth(glimpse.stack):
        return change
    return _over(change, seat, glimpse)._replace(refused=None)  # the key is about something else


def _over(change: Change, seat: int, glimpse: Glimpse) -> Change:
    """What was seen is the motion; what the spot has told since is told again behind it."""
    name = BET_SPOTS[seat - 1]
    spot = spot_of(change.live, seat)
    live = change.live.without_vanished(name)
    change = change._replace(live=live if glimpse.gone_us else live.without_glimpse(name))
    change = moved(change, seat, glimpse)
    if not glimpse.gone_us:
        return change
    held_back, lies = spot.waiting, spot.lies or ()
    swept = change.live.setup.patient and is_betting(change.live.table) and counted(change.live.table, seat) > 0
    now, then = set(lies), set(glimpse.stack)
    again = SpotHolds(
        name,
        held_back.why if held_back is not None else "emptied" if swept else "lies",
        came=tuple(chip for chip in lies if chip not in then),
        went=tuple(chip.uid for chip in glimpse.stack if chip not in now),
        strangers=spot.strangers,
        lammers=spot.lammers,
        at_least=spot.at_least,
    )
    return change.then("sensor", again)


def raise_is_over(change: Change, by: int) -> Change:
    """Another seat acts: chips that are seen of a raise in several motions, and are not settled, are the last of it."""
    raiser = raising(change.live.table) if change.live.glimpses else 0
    return change if raiser in (0, by) else motion_is_over(change, raiser)


# --- seen, then swept ---


def vanishing(live: Live, event: StackSeen | StackComplete) -> Live:
    """The state that remembers chips of an open round which were seen and have left before they were settled."""
    name, at_us = event.spot, event.at_us
    spot = live.spots.get(name, UNTOLD)
    glimpse, gone = live.glimpses.get(name) or _uncounted(spot), live.vanished.get(name)
    if gone is not None and not set(gone.stack).isdisjoint(event.stack):
        return live.without_vanished(name)  # a hand was over them
    if event.stack or glimpse is None or glimpse.strangers or not glimpse.stack:
        return live
    if not live.setup.patient or not _may_act(live, SEAT_OF.get(name, 0)):
        return live
    if set(glimpse.stack) <= set(spot.explained or ()):
        return live
    return live._replace(vanished={**live.vanished, name: glimpse._replace(gone_us=at_us)})


SWEPT_AS_BETS: Final[tuple[WaitsFor, ...]] = ("doubt", "splash", "copied", "deferred", "last-pot", "own-stack")
"""Readings that wait, and are motions once they are swept with the bets: nobody sweeps what is no bet."""


def _uncounted(spot: Spot) -> Glimpse | None:
    """What lies there by a reading that waits, and is a motion if it is swept with the others."""
    held_back = spot.waiting
    if held_back is None or held_back.why not in SWEPT_AS_BETS or not spot.lies:
        return None
    return Glimpse(spot.lies, spot.strangers, spot.lammers, spot.at_least, held_back.at_us)


def swept_in_time(change: Change) -> Change:
    """Chips that were seen and have left while others did were swept: they are the last motions of the round."""
    live = change.live
    if not live.vanished:
        return change
    times = [glimpse.gone_us for glimpse in live.vanished.values()]
    for seat in (*waiting(live, "emptied"), *waiting(live, "covered")):
        held_back = spot_of(live, seat).waiting
        if BET_SPOTS[seat - 1] not in live.vanished and held_back is not None:
            times.append(held_back.at_us)
    if len(times) < 2 or max(times) - min(times) > SWEEP_US:
        return change
    return last_motions(change)


def last_motions(change: Change) -> Change:
    """The round is over, or so a sweep or the dealer's key says: what was seen of its last motions is all there was."""
    live, hand = change.live, change.live.table.hand
    waits = live.vanished or live.glimpses or waiting(live, "splash")
    if hand is None or not waits or not live.setup.patient:
        return change
    refused = change.refused
    for seat in clockwise(hand.order, hand.turn - 1):
        name = BET_SPOTS[seat - 1]
        glimpse = change.live.glimpses.get(name)
        acts = seat in hand.pending or owes_chips(change.live.table, seat)
        stays = glimpse is not None and acts and _goes_on(change.live, seat, glimpse)
        if _may_act(change.live, seat) and (stays or name in change.live.vanished):
            change = motion_is_over(change, seat, last=True)
        elif is_waiting(change.live, seat, "splash") or _is_next(change.live, seat):
            change = take_waiting(change, seat)
    return change._replace(refused=refused)


def _is_next(live: Live, seat: int) -> bool:
    """True for the seat in turn where its chips have only waited for those of others."""
    in_turn = live.table.hand is not None and live.table.hand.turn == seat
    return in_turn and is_waiting(live, seat, "deferred") and not answers_to(live, seat)


def unheard(change: Change) -> Change:
    """The dealer deals, and all bets are swept: what a seat still owes of a call lay there, and was not heard."""
    live = change.live
    hand = live.table.hand
    if hand is None or hand.phase is not Phase.CLOSED or not live.setup.patient:
        return change
    owing = [seat for seat in hand.live if owes_chips(live.table, seat)]
    if not all(_is_swept(live, seat) for seat in owing):
        return change
    for seat in owing:
        change = change.then("dealer", Moves(seat, few(chips_for(owed(live.table, seat)))))
    return change


def _is_swept(live: Live, seat: int) -> bool:
    """True where most of what the seat is bound to lay there, and is gone."""
    spot, glimpse = spot_of(live, seat), live.glimpses.get(BET_SPOTS[seat - 1])
    is_empty = not glimpse.stack if glimpse is not None else spot.lies == ()
    return is_empty and not spot.hidden and 2 * counted(live.table, seat) > owed(live.table, seat)


def _may_act(live: Live, seat: int) -> bool:
    return is_betting(live.table) or owes_chips(live.table, seat)


def _goes_on(live: Live, seat: int, glimpse: Glimpse) -> bool:
    """True where what is seen came to what lay there; other chips altogether are of the next street."""
    hand, lay = live.table.hand, set(spot_of(live, seat).lies or ())
    return not lay or not lay.isdisjoint(glimpse.stack) or (hand is not None and hand.turn == seat)
