"""Chips at trays that are out: what hands have done there, and what a tray shows of it when it is back.

Nobody sees it before; the dealer's keys and the sweeps of the streets are all that the book has meanwhile.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from controller.table import MOST_CHIPS, Moves, Table
from hardware.chips import chips_for

Unseen = Mapping[int, Moves]
"""By seat, all that came to its spot and went from it unseen, as one motion in one direction."""
NOTHING_UNSEEN: Unseen = {}


def lies_unseen(table: Table, unseen: Unseen, seat: int) -> int:
    """The chips that really lie in front of a seat whose tray is out."""
    motion = unseen.get(seat)
    return table.street.felt[seat] + (motion.net if motion is not None else 0)


def out_of_sight(unseen: Unseen, motion: Moves) -> Unseen:
    """After one more motion at a tray that is out."""
    before = unseen.get(motion.seat, Moves(motion.seat))
    return _with(unseen, motion.seat, (*before.forward, *motion.forward), (*before.back, *motion.back))


def covered(unseen: Unseen, keyed: Moves) -> Unseen:
    """After the chips of words that were keyed at a tray that is out: those that lie there unseen are part of them."""
    before = unseen.get(keyed.seat)
    if before is None or not before.forward:
        return unseen
    value = min(sum(before.forward), sum(keyed.forward))
    return _with(unseen, keyed.seat, left_of(before.forward, value), ())


def cleared(unseen: Unseen, before: Table, after: Table) -> Unseen:
    """After a step with which hands took chips off the spots: what was gone already is not missed twice."""
    for seat, motion in unseen.items():
        fell = before.street.felt[seat] - after.street.felt[seat]
        if motion.back and fell > 0:
            unseen = _with(unseen, seat, (), left_of(motion.back, min(sum(motion.back), fell)))
    return unseen


def altered(seats: frozenset[int], before: Table, after: Table) -> frozenset[int]:
    """The seats whose chips were keyed, or given back in part, since their tray went out, one step later: nobody can
    tell any more which of those that lie there are new."""
    was, now = before.street.felt, after.street.felt
    return (seats | {seat for seat in before.offline if now[seat] not in (0, was[seat])}) & after.offline


def shown_when_back(unseen: Unseen, seat: int, is_altered: bool) -> Moves | None:
    """The motion that a tray which is back shows; only its amount where nobody can tell which chips are new."""
    motion = unseen.get(seat)
    if motion is None or not is_altered:
        return motion
    return Moves(seat, _few(chips_for(max(0, motion.net))), _few(chips_for(max(0, -motion.net))))


def seen_again(unseen: Unseen, seat: int) -> Unseen:
    """After the seat's tray has shown what was done there."""
    return {other: motion for other, motion in unseen.items() if other != seat}


def _with(unseen: Unseen, seat: int, came: tuple[int, ...], went: tuple[int, ...]) -> Unseen:
    """What has come to a spot and gone from it, as one motion in one direction; nothing where neither is left."""
    both = Counter(came) & Counter(went)
    came, went = _without(came, both), _without(went, both)
    same = min(sum(came), sum(went))
    came, went = _few(left_of(came, same)), _few(left_of(went, same))
    others = seen_again(unseen, seat)
    return {**others, seat: Moves(seat, came, went)} if came or went else others


def _without(chips: tuple[int, ...], others: Counter[int]) -> tuple[int, ...]:
    return tuple((Counter(chips) - others).elements())


def left_of(chips: tuple[int, ...], value: int) -> tuple[int, ...]:
    """What is left of chips, largest first, when a value that they hold is taken out of them: whole chips as far as
    they fit, the rest in change of the smallest that is larger."""
    left: list[int] = []
    for chip in sorted(chips, reverse=True):
        if chip <= value:
            value -= chip
        else:
            left.append(chip)
    if value:
        left += chips_for(left.pop() - value)
    return tuple(sorted(left, reverse=True))


def _few(chips: tuple[int, ...]) -> tuple[int, ...]:
    """The chips, or fewer of the same value where they are more than one motion has."""
    return chips if len(chips) <= MOST_CHIPS else chips_for(sum(chips))
