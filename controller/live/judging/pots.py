"""Chips that were somebody else's a moment ago: of the last pot, or of a neighbour's bet."""

from __future__ import annotations

from typing import Final

from controller.live.queries import SEAT_OF, explained, is_betting, is_call, is_paid, passed, spot_of, worth
from controller.live.state import Live, Place
from controller.table import Taken
from hardware.events import Chip, StackComplete
from hardware.spots import BET_SPOTS, POT

PUSHED_US: Final = 15_000_000
"""So long after a hand chips of its pot may still be on their way over a spot; who bets them has stacked them first."""
DEALT_US: Final = 2_000_000
"""A pot is pushed before the next hand is dealt, or while it is: chips that surely came later are a bet."""
MOST_OF_POT: Final = 0.7
"""A pot that is pushed comes whole, but for the chips that are not heard."""
FEW_PUSHED: Final = 3
"""Fewer chips are no pot: it holds two blinds at least, and somebody's bet."""


def is_last_pot(live: Live, seat: int, came: list[Chip], at_us: int, after_us: int = 0) -> bool:
    """True for chips that were swept in this hand, or lay in the last pot a moment ago and are most of it; some of the
    seat itself may be among them. They came after `after_us`."""
    known = [(chip, live.places.get(chip.uid)) for chip in came]
    places = [place for _, place in known if place is not None and not _is_there(place)]
    new = worth(chip for chip, place in known if place is None)
    posted = max(0, live.table.street.felt[seat] - explained(live, seat))
    if len(places) < FEW_PUSHED or any(place is not None and _is_there(place) for _, place in known):
        return False
    if new > posted or is_call(live, seat, came):
        return False
    if live.table.hand is None or all(place.spot == BET_SPOTS[seat - 1] for place in places):
        return False
    hand, round_ = live.table.hands, live.table.hand.round
    if all(place.spot in SEAT_OF and place.hand == hand and place.round < round_ for place in places):
        return True
    has_acted = any(act.seat == seat for act in live.table.hand.log)
    if has_acted or not live.over_us or passed(live.over_us, at_us, PUSHED_US) or after_us > live.hand_us + DEALT_US:
        return False
    last = all(place.hand == hand - 1 or _lay_in_pot(place, at_us) for place in places)
    return last and len(places) >= MOST_OF_POT * _in_pot(live, hand - 1)


def _lay_in_pot(place: Place, at_us: int) -> bool:
    """True for a chip that the pot holds, or held a moment ago: what was pushed in a hand before has been stacked."""
    return place.spot == POT and (place.here or not passed(place.gone_us, at_us, PUSHED_US))


def heap_of_last_pot(live: Live, seat: int, event: StackComplete) -> Taken | None:
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
    if not is_betting(live.table) or not (more_of_it or is_last_pot(live, seat, pushed, event.at_us)):
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


def is_neighbours(live: Live, seat: int, came: list[Chip]) -> bool:
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
