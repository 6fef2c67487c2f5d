"""Keys and touches that come while chips of the seat in turn are on their way: they wait until its spot has told.

A dealer sees a raise before a reader does, and keys the fold behind it. Source: rulings.md, "A dealer is a person".
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from controller.live import keys
from controller.live.change import Change
from controller.live.queries import SEAT_OF, is_betting, is_open_doubt, is_waiting, lying, passed, worth
from controller.live.state import Live, Pressed
from controller.live.waits import take_waiting
from controller.table import Confirms, Declares, Kind, Source, Step, due_back
from hardware.events import Key, SpotStirs
from hardware.spots import BET_SPOTS

STIR_US: Final = 2_000_000
"""A stack of twenty is seen within a second of its first chip, at a noisy spot within two: a key waits no longer."""
GROWS_US: Final = 6_000_000
"""A stack that is seen and not sure is told within this time, as "at least" if need be."""
MOST_WAITING: Final = 20
"""Keys that wait: two for each seat. Beyond, they count at once."""


_KEYS: Final[Mapping[Kind, Key]] = {"fold": "fold", "check": "check-call", "call": "check-call"}
"""What is declared by a touch -> the key that says the same."""


def stirs(live: Live, event: SpotStirs, at_us: int) -> Live:
    """The state in which something moves at a bet spot that is not told yet."""
    spot = event.spot
    if spot not in SEAT_OF:
        return live
    if event.blind:
        live, at_us = live._replace(blind=live.blind | {spot}), live.stirring.get(spot, at_us)
    return live._replace(stirring={**live.stirring, spot: at_us})


def told(live: Live, spot: str) -> Live:
    """The state in which the spot has told what moved there."""
    if spot not in live.stirring:
        return live
    stirring = {name: at_us for name, at_us in live.stirring.items() if name != spot}
    return live._replace(stirring=stirring, blind=live.blind - {spot})


def pressed(change: Change, what: Key) -> Change:
    """A key went down."""
    live = change.live
    if what == "undo" and live.keys:
        return change._replace(live=live._replace(keys=live.keys[:-1]))
    if what in ("fold", "check-call", "deal") and _must_wait(live, what, change.at_us):
        return _waits(change, what)
    return _pressed(change, what)


def _pressed(change: Change, what: Key) -> Change:
    """The key counts now. Who has put chips in that wait for those of others does not fold: they are its act, and the
    key is for the next seat. If that seat has chips due back, of an act out of turn that stands no longer, it is not
    known whom the key folds: pressed again it is for that seat."""
    began, hand = change.live.table, change.live.table.hand
    while what == "fold" and hand is not None and hand.turn and is_waiting(change.live, hand.turn, "deferred"):
        before, change = change.live.table, take_waiting(change, hand.turn)._replace(refused=None)
        hand = change.live.table.hand
        if change.live.table is before or hand is None or not hand.turn:
            return change
    after = change.live.table
    if after is not began and hand is not None and due_back(after, hand.turn):
        return change
    return keys.key(change, what)


def touched(change: Change, step: Step, source: Source, shown_turn: int | None) -> Change:
    """A touch on the screen, or a command. One that has to wait is a key."""
    hand = change.live.table.hand
    if isinstance(step, Declares) and hand is not None and step.seat == shown_turn == hand.turn and source == "dealer":
        what = _KEYS.get(step.declaration.kind)
        if what is not None and _must_wait(change.live, what, change.at_us):
            return _waits(change, what)
    return keys.command(change, step, source, shown_turn)


def _waits(change: Change, what: Key) -> Change:
    live, hand = change.live, change.live.table.hand
    later = Pressed(what, change.at_us, hand.turn if hand is not None else 0)
    return change._replace(live=live._replace(keys=(*live.keys, later)))


def _must_wait(live: Live, what: Key, at_us: int) -> bool:
    """True while chips of the seat in turn are on their way, or lie there and are not wholly read: what is keyed then
    is for the next seat."""
    if not live.setup.patient or not is_betting(live.table) or len(live.keys) >= MOST_WAITING:
        return False
    return bool(live.keys) or _is_stirring(live, at_us) or _is_unsure(live, what)


def _is_stirring(live: Live, at_us: int) -> bool:
    hand = live.table.hand
    if hand is None or not hand.turn:
        return False
    name = BET_SPOTS[hand.turn - 1]
    glimpse = live.glimpses.get(name)
    if glimpse is not None:
        grows = glimpse.at_least and worth(glimpse.stack) > live.table.street.felt[hand.turn]
        return grows and not passed(glimpse.since_us, at_us, GROWS_US)
    return name in live.stirring and not passed(live.stirring[name], at_us, STIR_US)


def _is_unsure(live: Live, what: Key) -> bool:
    """True where the seat in turn has put in at least a call, and how much is asked: it does not fold."""
    hand = live.table.hand
    if hand is None or not hand.turn or what != "fold":
        return False
    at_least = is_open_doubt(live, hand.turn) and lying(live, hand.turn) >= hand.level
    return at_least or is_waiting(live, hand.turn, "splash") or is_waiting(live, hand.turn, "last-pot")


def now_clear(change: Change) -> Change:
    """Keys and touches that have waited are taken, as far as their spot has told by now, or does not."""
    while change.live.keys:
        first, *rest = change.live.keys
        what = first.key
        alone = change.live._replace(keys=())
        if _is_stirring(alone, change.at_us) or _is_unsure(alone, what):
            return change
        refused = change.refused
        change = _taken(change._replace(live=change.live._replace(keys=())), first)
        hand = change.live.table.hand
        turn = hand.turn if hand is not None else 0
        rest = [each._replace(turn=turn) if each.turn == first.turn else each for each in rest]  # for the next seat
        change = change._replace(refused=refused, live=change.live._replace(keys=tuple(rest)))
    return change


def _taken(change: Change, first: Pressed) -> Change:
    """What was meant: chips that came meanwhile were the act of the seat that was in turn."""
    hand = change.live.table.hand
    moved_on = hand is not None and hand.turn != first.turn and first.turn in change.live.sources
    if first.key == "check-call" and moved_on:
        return change.then("dealer", Confirms(first.turn))
    return _pressed(change, first.key)


def next_key_us(live: Live) -> int | None:
    """When a key that waits for a spot is taken at the latest; None for none."""
    hand = live.table.hand
    if not live.keys or _is_unsure(live, live.keys[0].key):
        return None
    if hand is None or not hand.turn:
        return live.keys[0].at_us
    name = BET_SPOTS[hand.turn - 1]
    glimpse = live.glimpses.get(name)
    return glimpse.since_us + GROWS_US if glimpse is not None else live.stirring.get(name, live.keys[0].at_us) + STIR_US
