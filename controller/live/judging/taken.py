"""Whether a settled reading of a bet spot is a motion, or waits, and why.

Source: rulings.md, "A dealer is a person".
"""

from __future__ import annotations

from controller.live.judging.early import ahead_of, first_came
from controller.live.judging.gone import is_change, others_swept, takes_own_change
from controller.live.judging.order import began, comes_after, is_splash
from controller.live.judging.own import is_own_stack
from controller.live.judging.pots import heap_of_last_pot, is_last_pot, is_neighbours
from controller.live.queries import (
    answers_to,
    explained,
    is_betting,
    is_call,
    is_open_doubt,
    is_paid,
    is_unsure,
    is_waiting,
    owes_chips,
    spot_of,
    to_act,
    worth,
)
from controller.live.state import Live
from controller.table import Taken, counted, is_unknown, owed, stack
from hardware.events import StackComplete


def made_of(live: Live, seat: int, event: StackComplete) -> Taken | None:
    """Why the reading waits, or why no motion is concluded from it; None where it is one, or explains itself."""
    if _is_doubtful(live, seat, event):
        return heap_of_last_pot(live, seat, event) or "doubt"
    if not live.setup.patient:
        return None
    if not is_betting(live.table):
        if owes_chips(live.table, seat):
            less = worth(event.stack) < explained(live, seat)
            return "lies" if less and others_swept(live, seat, event.at_us) else None
        if _is_more(live, seat, event) and not _was_said(live, seat, event):
            return "left" if is_paid(live.table) else "between"
        return None if takes_own_change(live, seat, event) else "lies"
    if not event.stack and event.doubt != "covered" and _may_be_swept(live, seat):
        return "change" if is_change(live, seat, event) else "emptied"
    if _is_more(live, seat, event):
        return _no_bet(live, seat, event)
    if worth(event.stack) < explained(live, seat) and _may_be_swept(live, seat):
        if event.doubt == "covered":
            return "covered"
        if is_change(live, seat, event):
            return "change"
        return "emptied" if others_swept(live, seat, event.at_us) else None
    return None


def _is_doubtful(live: Live, seat: int, event: StackComplete) -> bool:
    """True where the reader is not sure. A strange tag that lies there already says nothing about the chips that come
    to it: it protects cards. Nor does one beside just the chips that the seat owes, or has to call."""
    spot = spot_of(live, seat)
    if event.at_least and spot.left and set(event.stack) <= set(spot.lies or ()):
        return is_waiting(live, seat, "doubt")
    if event.at_least and not event.strangers:
        return not _comes_to_just_that(live, seat, event)
    if event.at_least or not event.strangers:
        return event.at_least
    if spot.lies is None or set(event.stack) <= set(spot.lies) or is_open_doubt(live, seat):
        return True
    came = [chip for chip in event.stack if chip not in set(spot.lies)]
    if worth(came) == owed(live.table, seat) or (seat in to_act(live) and is_call(live, seat, came)):
        return False
    glimpse = live.glimpses.get(event.spot)
    return not set(event.strangers) <= {*spot.strangers, *(glimpse.first if glimpse is not None else ())}


def _comes_to_just_that(live: Live, seat: int, event: StackComplete) -> bool:
    """True where what is read of a stack is just what the seat owes, has to call, or has: that chips of it were not
    heard would be a rare chance."""
    spot, table = spot_of(live, seat), live.table
    if spot.explained is None or seat not in table.players or not live.setup.patient:
        return False
    came = [chip for chip in event.stack if chip not in set(spot.explained) and chip.uid not in spot.left]
    if not came or not set(spot.explained) <= set(event.stack):
        return False
    all_in = not is_unknown(table, seat) and worth(came) == stack(table, seat)
    owes = worth(came) == owed(table, seat)
    return owes or (seat in to_act(live) and (all_in or is_call(live, seat, came)))


def _no_bet(live: Live, seat: int, event: StackComplete) -> Taken | None:
    """Why chips that have come to a spot while the betting is open are no motion of its seat, or may be none."""
    hand, spot = live.table.hand, spot_of(live, seat)
    expected = worth(event.stack) <= live.table.street.felt[seat] or owes_chips(live.table, seat)
    if hand is None or spot.explained is None or expected:
        return "deferred" if answers_to(live, seat) else None
    came, own = [chip for chip in event.stack if chip not in set(spot.explained)], live.glimpses.get(event.spot)
    if is_splash(live, seat, began(event, own)):
        return "splash"
    if seat in hand.folded or seat not in hand.order:
        return "folded-seat"
    if event.doubt == "copied":
        return "copied"
    if is_last_pot(live, seat, came, event.at_us, began(event, own).after_us):
        return "last-pot" if seat == hand.turn else "left"
    if is_neighbours(live, seat, came):
        return "change"
    if is_own_stack(live, seat, came, event):
        return "own-stack"
    then = first_came(live, seat, event)
    waits = answers_to(live, seat) or comes_after(live, seat, then.since_us) or ahead_of(live, seat, then)
    return "deferred" if waits else None


def _is_more(live: Live, seat: int, event: StackComplete) -> bool:
    """True where more lies at the seat than before. Swept chips are gone though they count still; what was keyed
    because the tray was out or not sure lies there though no reading says so, and what counts again since a step was
    taken back, or since the floor has set the bet, is put back there."""
    was, spot = explained(live, seat), spot_of(live, seat)
    if spot.hidden or spot.failed or seat in live.put_back or is_unsure(live, seat):
        was = max(was, live.table.street.felt[seat])
    return worth(event.stack) > was


def _was_said(live: Live, seat: int, event: StackComplete) -> bool:
    """True where chips come to those of the seat's bet that lie there still, up to what the book counts already: a
    neighbour's spot had them, or the dealer has named the amount."""
    lay = set(spot_of(live, seat).explained or ())
    return bool(lay) and lay <= set(event.stack) and worth(event.stack) <= live.table.street.felt[seat]


def _may_be_swept(live: Live, seat: int) -> bool:
    """True for a spot whose chips count, or are held: that they go was not to be expected while the round is open. A
    blind that does not lie there yet has not gone."""
    felt, lay = live.table.street.felt[seat], explained(live, seat) > 0 or spot_of(live, seat).hidden
    counts = counted(live.table, seat) > 0 or seat in live.table.street.held
    return lay and counts and felt > 0 and felt >= explained(live, seat)
