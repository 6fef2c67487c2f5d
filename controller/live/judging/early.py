"""Acts before their turn: chips behind the seat in turn, and which of them came before its own.

Source: rulings.md, "A dealer is a person".
"""

from __future__ import annotations

from controller.live.judging.order import began
from controller.live.judging.own import DEALING_US, may_protect
from controller.live.queries import explained, is_waiting, spot_of, uncounted, worth
from controller.live.state import Began, Live
from controller.rules import NO_SEATS, Hand
from controller.table import HeldOutOfTurn, owed
from hardware.events import Chip, StackComplete
from hardware.spots import BET_SPOTS


def before_their_turn(live: Live) -> tuple[int, ...]:
    """Seats behind the one in turn at which chips have come that count for nothing yet, whatever they turn out to be:
    as soon as they are seen; one chip that came with the cards, alone, once it is asked about."""
    hand = live.table.hand
    if hand is None or not hand.turn:
        return ()
    behind = [seat for seat in hand.live if seat not in hand.all_in and seat != hand.turn]
    return tuple(seat for seat in behind if _may_act(live, hand, seat) and (_is_seen(live, seat) or _waits(live, seat)))


def _may_act(live: Live, hand: Hand, seat: int) -> bool:
    """True for a seat that has still to act, or has to act again because of a raise that is held, or seen at the seat
    in turn."""
    held = [other for who, other in live.table.street.held.items() if who != seat]
    raised = any(isinstance(other, HeldOutOfTurn) and other.wager > hand.bets[seat] for other in held)
    glimpse = live.glimpses.get(BET_SPOTS[hand.turn - 1])
    return seat in hand.pending or raised or (glimpse is not None and worth(glimpse.stack) > hand.level)


def _is_seen(live: Live, seat: int) -> bool:
    """True where chips come to the seat. Weak tags alone may have lain there before, but for those beside a blind of
    which every chip has answered."""
    glimpse, spot = live.glimpses.get(BET_SPOTS[seat - 1]), spot_of(live, seat)
    if glimpse is None:
        return False
    came = [chip for chip in set(glimpse.stack) - set(spot.lies or ()) if chip.uid not in glimpse.weak]
    if not came and not 0 < _expected(live, seat) <= worth(spot.lies or ()):
        return False
    if may_protect(live, seat, glimpse.stack, glimpse.since_us):
        return False
    return worth(glimpse.stack) > _expected(live, seat) or (bool(spot.left) and _come_beside(live, seat, came))


def _come_beside(live: Live, seat: int, came: list[Chip]) -> bool:
    """True where more than the seat has to post comes beside chips that are no bet, of which a part may not be heard
    meanwhile. Those that were bet in the last hand may belong to them."""
    places, spot = live.places, spot_of(live, seat)
    new = worth(chip for chip in came if chip.uid not in places or places[chip.uid].hand < live.table.hands - 1)
    posted = live.table.street.felt[seat] + owed(live.table, seat)
    return new > max(0, posted - worth(chip for chip in spot.lies or () if chip.uid not in spot.left))


def _waits(live: Live, seat: int) -> bool:
    """True where chips that are told at the seat wait. Those that may be its own stack may be half of a bet as well."""
    if spot_of(live, seat).waiting is None:
        return False
    return _is_deferred(live, seat) or uncounted(live, seat).amount > 0


def _is_deferred(live: Live, seat: int) -> bool:
    """True where chips of the seat that are an act wait for those before it."""
    return is_waiting(live, seat, "deferred") and worth(spot_of(live, seat).lies or ()) > _expected(live, seat)


def _expected(live: Live, seat: int) -> int:
    """What may lie at the seat without an act of it: what steps account for, and besides chips that are no bet its
    blind and what it owes."""
    spot = spot_of(live, seat)
    no_bet = worth(chip for chip in spot.lies or () if chip.uid in spot.left)
    return max(explained(live, seat), no_bet + live.table.street.felt[seat] + owed(live.table, seat))


def first_came(live: Live, seat: int, event: StackComplete) -> Began:
    """When the chips of a reading that nothing explains began to come: the first of them, also where the last of them
    has answered only now."""
    then = began(event, live.glimpses.get(event.spot))
    came, shown = set(event.stack) - set(spot_of(live, seat).explained or ()), live.shown.get(event.spot, {})
    first_us = min((shown.get(chip.uid, then.since_us) for chip in came), default=then.since_us)
    return Began(min(then.after_us, first_us), min(then.since_us, first_us))


def ahead_of(live: Live, seat: int, own: Began) -> frozenset[int]:
    """Seats behind the one in turn whose chips are seen and not told, or wait for those before them, and lay there
    before its own began to come, for certain: its spot was read without them after that. They acted out of turn,
    whatever is keyed."""
    hand = live.table.hand
    if hand is None or hand.turn != seat:
        return NO_SEATS
    behind = (other for other in hand.pending if other != seat and came_early(live, other))
    return frozenset(other for other in behind if _surely_there_by(live, other, own.after_us))


def came_early(live: Live, seat: int) -> bool:
    """True where chips of a seat that is not in turn are seen and not told, or wait for those before them."""
    return is_coming(live, seat, late=True) or _is_deferred(live, seat)


def _surely_there_by(live: Live, seat: int, at_us: int) -> bool:
    """True where chips of the seat that count for nothing had come by then, besides those of its blind. A weak tag may
    have lain there unheard, one chip that came with the cards protects them, and what began to come before the hand is
    of the last one."""
    hand, spot, shown = live.table.hand, spot_of(live, seat), live.shown.get(BET_SPOTS[seat - 1], {})
    glimpse = live.glimpses.get(BET_SPOTS[seat - 1])
    lay = set(spot.lies or () if glimpse is not None else spot.explained or ())
    came = [chip for chip in (glimpse.stack if glimpse is not None else spot.lies or ()) if chip not in lay]
    weak = glimpse.weak if glimpse is not None else ()
    told_us = min((shown.get(chip.uid, spot.told_us) for chip in came), default=spot.told_us)
    since_us = glimpse.since_us if glimpse is not None else told_us
    if since_us < live.hand_us:
        return False
    dealt_us = live.hand_us + DEALING_US if hand is not None and hand.round == 1 else 0
    if since_us >= dealt_us and {chip.uid for chip in came}.isdisjoint(weak):
        return since_us <= at_us
    heard = ((chip, shown.get(chip.uid, since_us)) for chip in came if chip.uid not in weak)
    there = {chip: heard_us for chip, heard_us in heard if heard_us <= at_us}
    protects = max((chip.denomination for chip, heard_us in there.items() if heard_us < dealt_us), default=0)
    bet = worth(chip for chip in lay if chip.uid not in spot.left)
    blind = max(0, live.table.street.felt[seat] - bet) if dealt_us else 0
    return worth(there) > protects + blind


def is_coming(live: Live, seat: int, *, late: bool = False) -> bool:
    """True while chips of the seat are seen that are not told yet, and count for nothing; with `late` also where they
    have been seen for longer than a motion takes."""
    glimpse = live.glimpses.get(BET_SPOTS[seat - 1])
    if glimpse is None or (glimpse.late and not late) or glimpse.strangers:
        return False
    return worth(glimpse.stack) > _expected(live, seat)
