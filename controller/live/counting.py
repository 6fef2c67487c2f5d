"""The count pad: piles that settle on it add up, until the dealer says that all was counted.

A chip counts once, by its UID. A pile that is too high to be sure of, or with strange tags in it, is added once it has
been cut. Source: readers.md, 1: a large all-in counts on the pad, cut in twenties.
"""

from __future__ import annotations

from controller.live.queries import UNTOLD, few, spot_of, values, worth
from controller.live.state import Counting, Live, LiveReason
from controller.rules import Refusal
from controller.table import (
    Adds,
    ChipsAre,
    Confirms,
    Counted,
    DropsCount,
    EndsCount,
    Moves,
    Reason,
    Sits,
    StartsCount,
    Step,
)
from controller.table import step as table_step
from hardware.spots import PAD


def counts_bet(live: Live, seat: int) -> bool:
    """True while the seat's bet is carried over the pad: what goes from its spot is not taken back."""
    return live.counting is not None and (live.counting.seat, live.counting.what) == (seat, "bet")


def is_uncertain(live: Live) -> bool:
    """True where a pile lies on the pad that is not added as it is."""
    pad = live.spots.get(PAD, UNTOLD)
    return live.counting is not None and (pad.at_least or bool(pad.strangers))


def has_pad(live: Live) -> bool:
    """True where a count pad is read."""
    pad = live.spots.get(PAD, UNTOLD)
    return live.setup.trays and pad.lies is not None and pad.out is None


# --- why not, and what it means ---


def reject_reason(live: Live, step: StartsCount | EndsCount | DropsCount) -> Refusal | None:
    """Why a count may not begin or end now; None where it may."""
    if isinstance(step, StartsCount):
        if not has_pad(live):
            return Refusal(LiveReason.NO_COUNT_PAD, seat=step.seat)
        if step.what == "bet":
            return table_step(live.table, Moves(step.seat, (1,))).refused
        is_empty = step.what == "stack" and step.seat not in live.table.players
        return Refusal(Reason.EMPTY_SEAT, seat=step.seat) if is_empty else None
    if live.counting is None:
        return Refusal(LiveReason.NOT_COUNTING if has_pad(live) else LiveReason.NO_COUNT_PAD)
    if isinstance(step, EndsCount) and not live.counting.chips:
        return Refusal(LiveReason.NOTHING_COUNTED, seat=live.counting.seat)
    return None


def meaning(live: Live) -> tuple[Step, ...]:
    """What the count comes to as steps; none where there is no count."""
    if live.counting is None:
        return ()
    seat, what, booked, chips, _ = live.counting
    if what == "stack":
        return (Counted(seat, worth(chips)),)
    if what == "buy-in":
        return ((Adds if seat in live.table.players else Sits)(seat, worth(chips)),)
    new = tuple(chip for chip in chips if chip.uid not in booked)
    if not new:
        return (Confirms(seat),)
    return ChipsAre(seat, "bet", worth(new)), Moves(seat, few(values(new))), Confirms(seat)


# --- what it does to the state ---


def begun(live: Live, step: StartsCount) -> Live:
    """The state in which a count begins; what lies on the pad by then is its first pile."""
    explained = spot_of(live, step.seat).explained or ()
    booked = frozenset(chip.uid for chip in explained if live.table.street.felt[step.seat])
    return settled(live._replace(counting=Counting(step.seat, step.what, booked)))


def settled(live: Live) -> Live:
    """The state with what lies on the pad now."""
    pad = live.spots.get(PAD, UNTOLD)
    lies = pad.lies or ()
    live = live._replace(spent=live.spent & {chip.uid for chip in lies})
    if live.counting is None or is_uncertain(live):
        return live
    counted = set(live.counting.chips)
    new = tuple(chip for chip in lies if chip not in counted and chip.uid not in live.spent)
    if not new:
        return live
    piles = live.counting.piles + (1 if counted.isdisjoint(lies) else 0)
    return live._replace(counting=live.counting._replace(chips=(*live.counting.chips, *new), piles=piles))


def ended(live: Live) -> Live:
    """The state in which what was counted has been taken. The chips of a bet may yet be put before the spot."""
    spent = frozenset(chip.uid for chip in live.spots.get(PAD, UNTOLD).lies or ())
    if live.counting is not None and live.counting.what == "bet":
        live = live._replace(put_back=live.put_back | {live.counting.seat})
    return live._replace(counting=None, spent=spent)
