"""From two readings of a bet spot to the motion between them.

Part of a change on a spot is expected, because the book is ahead of the hands: the dealer has keyed the deal and sweeps
a second later, keyed a bet at a tray that was out, or taken a step back. That part explains itself when it is seen;
what is left was a person's motion.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection

from controller.live.change import Change
from controller.live.places import is_new_here
from controller.live.queries import UNTOLD, few, values, worth
from controller.live.state import Glimpse, Live, Spot
from controller.table import Moves, SpotHolds, Taken
from hardware.chips import chips_for
from hardware.events import Chip, StackComplete
from hardware.spots import BET_SPOTS


def motion(felt: int, spot: Spot, stack: tuple[Chip, ...]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The motion that brought a bet spot to the chips `stack`: what was put forward and what was taken back, nothing of
    either where there was none. `felt` is what lies there by the book: what was keyed while nobody could see it lay
    there, a blind may not lie there yet. Chips of which it is known that they are no bet are no part of it."""
    lay = tuple(chip for chip in spot.explained or () if chip.uid not in spot.left)
    stack = tuple(chip for chip in stack if chip.uid not in spot.left)
    old, new = values(lay), values(stack)
    was, now = sum(old), sum(new)
    if spot.explained is None or (spot.hidden and spot.altered and was < felt):
        return _difference(now - felt)
    change, expected = now - was, felt - was
    came, went = Counter(new) - Counter(old), Counter(old) - Counter(new)
    # What goes is expected where the book has less, and what comes with it is a motion, also in the same values: then
    # the tags tell. What comes is expected where the book has more.
    if expected < 0:
        came = Counter(chip.denomination for chip in set(stack) - set(lay))
        net = change + min(-expected, worth(set(lay) - set(stack)))
    else:
        net = change - min(expected, max(0, change))
    if spot.hidden and spot.altered:
        return _difference(net)
    if net and net == change:
        return few(_listed(came)), few(_listed(went))
    if came and net == _value(came):
        return few(_listed(came)), ()
    return _difference(net)


def _difference(net: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    return few(chips_for(max(0, net))), few(chips_for(max(0, -net)))


def _value(chips: Counter[int]) -> int:
    return sum(chips.elements())


def _listed(chips: Counter[int]) -> tuple[int, ...]:
    return tuple(sorted(chips.elements(), reverse=True))


# --- readings that are taken ---


def moved(change: Change, seat: int, reading: StackComplete | Glimpse | Spot) -> Change:
    """The reading is taken, with the motion in it. `refused` says why the table refuses that."""
    live, name = change.live, BET_SPOTS[seat - 1]
    spot = live.spots.get(name, UNTOLD)
    if isinstance(reading, Spot):  # it has waited, and is older than what was keyed while the tray was out
        stack, spot = reading.lies or (), spot._replace(hidden=False)
    else:
        stack = reading.stack
    forward, back = motion(live.table.street.felt[seat], _of_this_hand(live, spot, stack), stack)
    holds = as_note(live, name, reading, "lies")
    if not forward and not back:
        return change.then("sensor", holds)
    return change.then("sensor", holds, Moves(seat, forward, back))


def _of_this_hand(live: Live, spot: Spot, stack: tuple[Chip, ...]) -> Spot:
    """What lay there; chips of an earlier hand that have gone were none of this one's bets: nobody takes them back."""
    gone = {chip.uid for chip in set(spot.explained or ()) - set(stack)}
    old = {uid for uid in gone if uid in live.places and live.places[uid].hand != live.table.hands}
    return spot._replace(left=spot.left | old) if old else spot


def as_note(live: Live, name: str, reading: StackComplete | Glimpse | Spot, taken: Taken) -> SpotHolds:
    """The reading as what came and went since the spot last told."""
    old = live.spots.get(name, UNTOLD).lies or ()
    new = reading.lies or () if isinstance(reading, Spot) else reading.stack
    came, went = set(new) - set(old), set(old) - set(new)
    return SpotHolds(
        name,
        taken,
        came=tuple(chip for chip in new if chip in came),
        went=tuple(chip.uid for chip in old if chip in went),
        strangers=reading.strangers,
        lammers=reading.lammers,
        at_least=reading.at_least,
        heard=_heard(live, reading, came) if isinstance(reading, StackComplete) else (),
    )


def _heard(live: Live, reading: StackComplete, came: Collection[Chip]) -> tuple[str, ...]:
    """Those of the chips that a bet spot has heard in this hand, and did not tell."""
    heard = zip(reading.stack, reading.heard_us, strict=False)
    known = (chip for chip, at_us in heard if chip in came and at_us > live.hand_us)
    return tuple(chip.uid for chip in known if is_new_here(live, chip.uid))
