"""Chips in the pot or the tray that no bet spot has heard in this hand: their tags are weak, or lay badly."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from controller.live.queries import IN_TURN
from controller.live.state import Found, Live
from controller.rules import BEING_GIVEN, Hand
from controller.table import SpotHolds, owed
from hardware.events import Chip, ChipsTurnUp
from hardware.spots import POT, TRAY

MOST_MISSING: Final = 0.5
"""Antes come together, and lie in the pot for a round: where no more than this share of them is still to be told when
the first bets are swept, what turns up then was not heard for long, as an ante or as a bet."""

LINGERS_US: Final = 10_000_000
"""So soon after a hand has begun the pot's antenna may still tell of the last pot, also as if that were antes; no bet
has been swept by then."""


def is_new_here(live: Live, uid: str) -> bool:
    """Whether no spot but a rack has told the chip in this hand, nor does one still hold it from before."""
    place = live.places.get(uid)
    return place is None or (place.hand != live.table.hands and not place.here) or place.spot == TRAY


def unheard_among(live: Live, event: ChipsTurnUp) -> tuple[Chip, ...]:
    """Those of the chips that are new to the pot, and that no bet spot has heard in this hand. One answer is not enough
    for a chip of the last hand before the first sweep: it may be a ghost of the last pot."""
    spot, hand = live.spots.get(event.spot), live.table.hand
    if spot is None or spot.lies is None or hand is None:
        return ()
    heard = zip(event.chips, event.heard_us, strict=True)
    silent = (chip for chip, at_us in heard if at_us <= live.hand_us)
    new = (chip for chip in silent if is_new_here(live, chip.uid) and chip not in spot.lies)
    return tuple(chip for chip in new if _are_swept(hand) or not _is_of_last_hand(live, chip.uid))


def found_in(live: Live, step: SpotHolds, at_us: int) -> Iterator[Found]:
    """Those among what has come to the pot or the tray that nobody was heard to bet in this hand, neither told at a bet
    spot nor heard there. Chips that may be antes still to be told are none; after a restart in the middle of the hand
    it is not known what was heard. In the tray they may be anybody's once the hand is over."""
    hand, table = live.table.hand, live.table
    if hand is None or live.restarted or not live.setup.patient or not _only_bets_come(live, hand, step.spot, at_us):
        return
    owing = [seat for seat in hand.order if owed(table, seat)]
    are_swept = _are_swept(hand)
    all_in = are_swept and _antes_missing(live, hand) <= MOST_MISSING * hand.antes
    antes = () if all_in else _antes_among(live, hand, step)
    lingering = not are_swept and at_us - live.hand_us < LINGERS_US
    for chip in _unheard(live, step):
        if chip not in antes and not (lingering and (_is_scooped(hand) or _is_of_last_hand(live, chip.uid))):
            seat = owing[0] if len(owing) == 1 else 0
            yield Found(step.spot, chip.uid, chip.denomination, seat, table.hands)


def _only_bets_come(live: Live, hand: Hand, spot: str, at_us: int) -> bool:
    """Whether all that comes to the pot or the tray now was bet. When a hand begins the last pot may still lie there;
    antes go past the spots, and are told of the pot before the first bets are swept."""
    scooped = _is_scooped(hand)
    if spot == TRAY:
        return live.table.playing and not scooped
    if _are_swept(hand) and live.table.playing:
        return True
    lies = [live.places[chip.uid] for chip in live.spots[spot].lies or () if chip.uid in live.places]
    before = [place for place in lies if place.at_us < at_us]
    told = any(place.hand == live.table.hands for place in before)
    return told or not (before or scooped or not live.table.playing)


def _is_scooped(hand: Hand) -> bool:
    return bool(hand.game.ante or hand.bomb)


def _are_swept(hand: Hand) -> bool:
    """Whether the first bets are in the pot, and before them the antes, by the book."""
    return hand.round > 1 or hand.phase not in (*BEING_GIVEN, *IN_TURN)


def _antes_missing(live: Live, hand: Hand) -> int:
    """What of the antes the pot's antenna has not told."""
    return max(0, hand.antes - live.antes_in) if _is_scooped(hand) else 0


def antes_in(live: Live, step: SpotHolds) -> int:
    """What of the antes the pot's antenna has told, with what has come now: the worth of chips that nobody was heard to
    bet, as far as antes are still to be told."""
    hand = live.table.hand
    if step.spot != POT or hand is None:
        return live.antes_in
    return live.antes_in + sum(chip.denomination for chip in _antes_among(live, hand, step))


def _antes_among(live: Live, hand: Hand, step: SpotHolds) -> list[Chip]:
    """Those of the chips that nobody was heard to bet that may be the antes still to be told."""
    missing, antes = _antes_missing(live, hand), []
    for chip in _unheard(live, step):
        if chip.denomination <= missing:
            missing -= chip.denomination
            antes.append(chip)
    return antes


def _unheard(live: Live, step: SpotHolds) -> Iterator[Chip]:
    return (chip for chip in step.came if is_new_here(live, chip.uid) and chip.uid not in step.heard)


def _is_of_last_hand(live: Live, uid: str) -> bool:
    place = live.places.get(uid)
    return place is not None and place.hand == live.table.hands - 1
