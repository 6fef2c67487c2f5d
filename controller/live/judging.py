"""Whether a settled reading of a bet spot is a motion, or waits, and why.

Source: rulings.md, "A dealer is a person".
"""

from __future__ import annotations

from typing import Final

from controller.live.queries import (
    SEAT_OF,
    SWEEP_US,
    UNTOLD,
    answers_to,
    explained,
    is_betting,
    is_open_doubt,
    is_paid,
    is_unsure,
    is_waiting,
    lying,
    owes_chips,
    passed,
    spot_of,
    waiting,
    worth,
)
from controller.live.state import Live, Place
from controller.rules import Hand, Phase, to_call
from controller.table import Moves, Taken, counted, due_back, owed, pot, stack
from hardware.events import Chip, StackComplete
from hardware.spots import BET_SPOTS, POT

SPLASH_US: Final = 600_000
"""Chips of one hand land on two spots within this time; the next player has not seen them by then."""
PUSHED_US: Final = 15_000_000
"""So long after a hand chips of its pot may still be on their way over a spot; who bets them has stacked them first."""
MOST_OF_POT: Final = 0.7
"""A pot that is pushed comes whole, but for the chips that are not heard."""
FEW_PUSHED: Final = 3
"""Fewer chips are no pot: it holds two blinds at least, and somebody's bet."""
DEALING_US: Final = 12_000_000
"""The first cards come within this time, and with them the chips that protect them."""
CUT_US: Final = 5_000_000
"""Who cuts chips back out of a bet does so at once."""
OVERBET: Final = 20
"""A bet of so many pots that is not all that a player has is more often a stack that came too near."""
FEW_CHIPS: Final = 5
"""A stack that comes too near is seen in part; whoever means such a bet puts in many chips, or says so."""


def made_of(live: Live, seat: int, event: StackComplete) -> Taken | None:
    """Why the reading waits, or why no motion is concluded from it; None where it is one, or explains itself."""
    if _is_doubtful(live, seat, event):
        return _heap_of_last_pot(live, seat, event) or "doubt"
    if not live.setup.patient:
        return None
    if not is_betting(live.table):
        if owes_chips(live.table, seat):
            less = worth(event.stack) < explained(live, seat)
            return "lies" if less and _others_swept(live, seat, event.at_us) else None
        if _is_more(live, seat, event):
            return "left" if is_paid(live.table) else "between"
        return "lies"
    if not event.stack and event.doubt != "covered" and _may_be_swept(live, seat):
        return "change" if _is_change(live, seat, event) else "emptied"
    if _is_more(live, seat, event):
        return _no_bet(live, seat, event)
    if worth(event.stack) < explained(live, seat) and _may_be_swept(live, seat):
        if event.doubt == "covered":
            return "covered"
        if _is_change(live, seat, event):
            return "change"
        return "emptied" if _others_swept(live, seat, event.at_us) else None
    return None


def _is_doubtful(live: Live, seat: int, event: StackComplete) -> bool:
    """True where the reader is not sure. A strange tag that lies there already says nothing about the chips that come
    to it: it protects cards. Nor does one beside just the chips that the seat owes."""
    spot = spot_of(live, seat)
    if event.at_least and spot.left and set(event.stack) <= set(spot.lies or ()):
        return is_waiting(live, seat, "doubt")
    if event.at_least or not event.strangers:
        return event.at_least
    if spot.lies is None or set(event.stack) <= set(spot.lies) or is_open_doubt(live, seat):
        return True
    if owes_chips(live.table, seat) and worth(set(event.stack) - set(spot.lies)) == owed(live.table, seat):
        return False
    glimpse = live.glimpses.get(event.spot)
    return not set(event.strangers) <= {*spot.strangers, *(glimpse.first if glimpse is not None else ())}


# --- chips that have come ---


def _no_bet(live: Live, seat: int, event: StackComplete) -> Taken | None:
    """Why chips that have come to a spot while the betting is open are no motion of its seat, or may be none."""
    hand, spot = live.table.hand, spot_of(live, seat)
    expected = worth(event.stack) <= live.table.street.felt[seat] or owes_chips(live.table, seat)
    if hand is None or spot.explained is None or expected:
        return "deferred" if answers_to(live, seat) else None
    came, own = [chip for chip in event.stack if chip not in set(spot.explained)], live.glimpses.get(event.spot)
    if is_splash(live, seat, own.since_us if own is not None else event.since_us or event.at_us):
        return "splash"
    if seat in hand.folded or seat not in hand.order:
        return "folded-seat"
    if event.doubt == "copied":
        return "copied"
    if _is_last_pot(live, seat, came, event.at_us):
        return "last-pot" if seat == hand.turn else "left"
    if _is_neighbours(live, seat, came):
        return "change"
    if _is_own_stack(live, seat, came, event):
        return "own-stack"
    since_us = own.since_us if own is not None else event.since_us or event.at_us
    return "deferred" if answers_to(live, seat) or comes_after(live, seat, since_us) else None


def is_splash(live: Live, seat: int, since_us: int | None = None) -> bool:
    """True where chips have come to the next spot too, with those that began to come at `since_us` (None: that was
    asked before), count for nothing yet, and one of the two seats is in turn."""
    hand = live.table.hand
    return hand is not None and any(
        hand.turn in (seat, other) and _lands_with(live, other, since_us) and not _is_called(live, seat, other)
        for other in (seat - 1, seat + 1)
        if 1 <= other <= len(BET_SPOTS)
    )


def _is_called(live: Live, seat: int, other: int) -> bool:
    """True where somebody behind the two has put in just the larger of what lies at them: each is a bet of its own."""
    larger = max(lying(live, seat), lying(live, other))
    behind = waiting(live, "deferred")
    return any(lying(live, third) == larger for third in behind if third not in (seat, other))


def comes_after(live: Live, seat: int, since_us: int) -> bool:
    """True where chips of the seat in turn came before these, and are not told or not wholly read yet: what lies behind
    them is judged by what they are."""
    hand = live.table.hand
    if hand is None or hand.turn in (0, seat) or seat not in hand.pending:
        return False
    glimpse = live.glimpses.get(BET_SPOTS[hand.turn - 1])
    if glimpse is not None and glimpse.since_us < since_us:
        return worth(glimpse.stack) > live.table.street.felt[hand.turn]
    return is_open_doubt(live, hand.turn) or is_waiting(live, hand.turn, "splash")


def _lands_with(live: Live, seat: int, since_us: int | None) -> bool:
    if is_waiting(live, seat, "splash"):
        return True
    glimpse = live.glimpses.get(BET_SPOTS[seat - 1])
    if glimpse is None or (since_us is not None and abs(glimpse.since_us - since_us) > SPLASH_US):
        return False
    return worth(glimpse.stack) > max(explained(live, seat), live.table.street.felt[seat])


def _is_last_pot(live: Live, seat: int, came: list[Chip], at_us: int) -> bool:
    """True for chips that were swept in this hand, or lay in the last pot a moment ago and are most of it; some of the
    seat itself may be among them."""
    known = [(chip, live.places.get(chip.uid)) for chip in came]
    places = [place for _, place in known if place is not None and not _is_there(place)]
    new = worth(chip for chip, place in known if place is None)
    posted = max(0, live.table.street.felt[seat] - explained(live, seat))
    if len(places) < FEW_PUSHED or any(place is not None and _is_there(place) for _, place in known):
        return False
    if new > posted or _is_call(live, seat, came):
        return False
    if live.table.hand is None or all(place.spot == BET_SPOTS[seat - 1] for place in places):
        return False
    hand, round_ = live.table.hands, live.table.hand.round
    if all(place.spot in SEAT_OF and place.hand == hand and place.round < round_ for place in places):
        return True
    has_acted = any(act.seat == seat for act in live.table.hand.log)
    if has_acted or not live.over_us or passed(live.over_us, at_us, PUSHED_US):
        return False
    last = all(place.spot == POT or place.hand == hand - 1 for place in places)
    return last and len(places) >= MOST_OF_POT * _in_pot(live, hand - 1)


def _is_call(live: Live, seat: int, came: list[Chip]) -> bool:
    """True for just the chips that the seat has to add."""
    hand = live.table.hand
    return hand is not None and live.table.street.felt[seat] + worth(came) == hand.level


def _heap_of_last_pot(live: Live, seat: int, event: StackComplete) -> Taken | None:
    """A heap that is too high to be read whole and is the last pot, but for a few chips, is no bet."""
    hand, spot = live.table.hand, spot_of(live, seat)
    if not event.at_least or event.strangers or hand is None or spot.explained is None:
        return None
    came = [chip for chip in event.stack if chip not in set(spot.explained)]
    pushed = [chip for chip in came if (place := live.places.get(chip.uid)) is not None and not _is_there(place)]
    if not pushed or len(pushed) < MOST_OF_POT * len(came):
        return None
    if is_paid(live.table):
        return "left" if len(pushed) >= FEW_PUSHED else None
    more_of_it = bool(spot.left) and _was_pushed(live, pushed, event.at_us)
    if not is_betting(live.table) or not (more_of_it or _is_last_pot(live, seat, pushed, event.at_us)):
        return None
    return "last-pot" if seat == hand.turn else "left"


def _was_pushed(live: Live, chips: list[Chip], at_us: int) -> bool:
    """True for chips that all lay in the pot of the last hand, a moment ago."""
    last = all(live.places[chip.uid].hand == live.table.hands - 1 for chip in chips)
    return last and live.over_us > 0 and not passed(live.over_us, at_us, PUSHED_US)


def _is_there(place: Place) -> bool:
    """True for a chip that should lie where it was last seen. The pot is read more slowly than a spot: what a spot
    shows of it has left it."""
    return place.here and place.spot != POT


def _in_pot(live: Live, hand: int) -> int:
    """How many chips the pot of the hand held, as far as they have not been seen since."""
    return sum(place.hand == hand and not _is_there(place) for place in live.places.values())


def _is_neighbours(live: Live, seat: int, came: list[Chip]) -> bool:
    """True for chips that lay on another spot in this round."""
    hand = live.table.hand
    known = [live.places.get(chip.uid) for chip in came]
    return hand is not None and all(
        place is not None
        and place.spot in SEAT_OF
        and place.spot != BET_SPOTS[seat - 1]
        and (place.hand, place.round) == (live.table.hands, hand.round)
        for place in known
    )


def _is_own_stack(live: Live, seat: int, came: list[Chip], event: StackComplete) -> bool:
    """True for chips that answer too seldom to lie on the spot, one that came with the cards, and a few that are worth
    many pots."""
    hand, table = live.table.hand, live.table
    if hand is None:
        return False
    if len(came) > 1 and {chip.uid for chip in came} <= set(event.weak):
        return True
    if seat != hand.turn:
        with_cards = hand.round == 1 and not passed(live.hand_us, event.at_us, DEALING_US)
        return with_cards and len(event.stack) == 1 and not table.street.felt[seat] and not _is_call(live, seat, came)
    amount = worth(came)
    return len(came) <= FEW_CHIPS and OVERBET * pot(table) <= amount < stack(table, seat)


# --- chips that have gone ---


def _is_change(live: Live, seat: int, event: StackComplete) -> bool:
    """True where a seat lost as much as another one has due back: they made change."""
    lost = explained(live, seat) - worth(event.stack)
    if _others_swept(live, seat, event.at_us):
        return False
    return any(due_back(live.table, other) == lost for other in live.table.players if other != seat)


def resized(live: Live, seat: int, event: StackComplete) -> tuple[int, ...]:
    """What the last motion of the seat is after all, where nobody has acted behind it: chips were cut back, or came
    in sight again. None where that is not so."""
    told, table = live.table.told, live.table
    if not live.setup.patient or not is_betting(table) or not isinstance(told, Moves) or seat in table.street.spoken:
        return ()
    before = table.past[-1].before.hand
    if told.seat != seat or told.back or before is None or before.turn != seat or seat in live.put_back:
        return ()
    lay, now = set(spot_of(live, seat).explained or ()), set(event.stack)
    if now < lay:
        return _cut_back(live, before, event, lay - now)
    left = spot_of(live, seat).left
    expected = table.street.felt[seat] > worth(chip for chip in lay if chip.uid not in left)  # said to be swept
    again = _reappeared(live, event, now - lay) if lay < now and not expected else ()
    return (*told.forward, *again) if again else ()


def _reappeared(live: Live, event: StackComplete, came: set[Chip]) -> tuple[int, ...]:
    """What the chips are worth, where all of them lay on the spot before in this round: a hand was over them."""
    hand = live.table.hand
    since = (event.spot, live.table.hands, hand.round if hand is not None else 0)
    lay = {uid for uid, place in live.places.items() if (place.spot, place.hand, place.round) == since}
    told_us = live.spots.get(event.spot, UNTOLD).told_us
    lay |= {uid for uid, at_us in live.shown.get(event.spot, {}).items() if at_us < told_us}
    if not {chip.uid for chip in came} <= lay:
        return ()
    return tuple(sorted((chip.denomination for chip in came), reverse=True))


def _cut_back(live: Live, before: Hand, event: StackComplete, went: set[Chip]) -> tuple[int, ...]:
    """What is left of the motion. What is less than the call is chips taken back."""
    own = live.glimpses.get(event.spot)
    since_us = own.since_us if own is not None else event.since_us or event.at_us
    behind = any(other.since_us < since_us for name, other in live.glimpses.items() if name != event.spot)
    times = {live.places[chip.uid].at_us for chip in went if chip.uid in live.places}
    if behind or len(times) != 1 or passed(max(times), since_us, CUT_US):
        return ()
    kept = tuple(chip.denomination for chip in event.stack if live.places[chip.uid].at_us in times)
    return kept if sum(kept) >= max(1, to_call(before, before.turn)) else ()


# --- chips that were swept before others came ---


def swept_and_new(live: Live, seat: int, event: StackComplete) -> tuple[str, ...]:
    """UIDs of the chips that were swept before those came that lie there now; none where it was no sweep. Chips for
    their like on a spot by itself are change."""
    spot, hand = spot_of(live, seat), live.table.hand
    if not live.setup.patient or hand is None or not event.stack or event.at_least or event.strangers:
        return ()
    if hand.phase is not Phase.CLOSED and not is_betting(live.table):
        return ()
    if not counted(live.table, seat) or owes_chips(live.table, seat) or spot.hidden or seat in live.put_back:
        return ()
    lay = spot.lies or ()
    if not lay or not set(lay).isdisjoint(event.stack):
        return ()
    between = live.glimpses.get(BET_SPOTS[seat - 1])
    was_empty = hand.phase is Phase.CLOSED and between is not None and not between.stack
    if not was_empty and not _others_swept(live, seat, event.at_us):
        return ()
    return tuple(chip.uid for chip in lay)


def _others_swept(live: Live, seat: int, at_us: int) -> bool:
    """True where the chips of another seat that count have just left its spot, or are leaving it."""
    felt = live.table.street.felt
    for other in range(1, len(felt)):
        spot, glimpse = spot_of(live, other), live.glimpses.get(BET_SPOTS[other - 1])
        if other == seat or not felt[other]:
            continue
        if spot.lies == () and not passed(spot.told_us, at_us, SWEEP_US):
            return True
        if spot.lies and glimpse is not None and not glimpse.stack:
            return True
    return False


def _is_more(live: Live, seat: int, event: StackComplete) -> bool:
    """True where more lies at the seat than before. Swept chips are gone though they count still; what was keyed
    because the tray was out or not sure lies there though no reading says so, and what counts again since a step was
    taken back, or since the floor has set the bet, is put back there."""
    was, spot = explained(live, seat), spot_of(live, seat)
    if spot.hidden or spot.failed or seat in live.put_back or is_unsure(live, seat):
        was = max(was, live.table.street.felt[seat])
    return worth(event.stack) > was


def _may_be_swept(live: Live, seat: int) -> bool:
    """True for a spot whose chips count, or are held: that they go was not to be expected while the round is open."""
    felt = live.table.street.felt[seat]
    counts = counted(live.table, seat) > 0 or seat in live.table.street.held
    return counts and felt > 0 and felt >= explained(live, seat)
