"""Facts about a settled reading of a bet spot, computed once for all hypotheses."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal, NamedTuple

from controller.live.derived_state import (
    SEAT_OF_SPOT,
    SWEEP_WINDOW_US,
    UNREAD_SPOT,
    has_elapsed,
    has_unresolved_doubt,
    is_betting,
    is_exact_call,
    is_pending_for,
    may_have_called,
    owes_chips,
    seats_to_act,
    total_value,
)
from controller.live.pending_reasons import PENDING_POLICIES
from controller.live.state import Live, MotionStart, Spot, UnsettledReading
from controller.rules import Hand
from controller.steps import Step, hand_steps
from controller.table import balances
from hardware.events import Chip, StackSettled
from hardware.spots import BET_SPOTS

Evidence = Literal[
    "no-delays",
    "closed",
    "open",
    "doubtful",
    "copied",
    "covered",
    "more",
    "unexpected",
    "fewer",
    "replaced",
    "several-new",
    "weak-tags",
    "known-chips",
    "seat-out",
    "last-motion",
    "neighbour-moves",
    "others-wait",
    "other-swept",
]
"""What a reading shows, or what the table knows when it arrives. A hypothesis is examined if all its evidence is there.

- `no-delays`: the table reports everything without delay, as in scripts.
- `closed`: nobody can bet.
- `open`: a seat is in turn, or will be when the dealer names it.
- `doubtful`: the reader is not certain of the stack.
- `copied`: the reader reports that a tag of the stack also answers on another spot.
- `covered`: the reader reports that something covers the chips.
- `more`: the value of the chips on the spot has grown.
- `unexpected`: the value has grown while the betting is open, and the table expects no chips from this seat.
- `fewer`: chips of a recorded bet, or of an action out of turn, have left while the betting is open.
- `replaced`: all chips of the last reading have left, and others are there.
- `several-new`: at least two chips are not explained by the recorded steps.
- `weak-tags`: chips on the spot miss many readings.
- `known-chips`: another reading of a spot has shown one of the new chips before.
- `seat-out`: the seat has folded, or was not dealt in.
- `last-motion`: the last step is a motion of chips of this seat.
- `neighbour-moves`: chips are moving on a neighbouring spot, or wait because they may be part of this seat's bet.
- `others-wait`: chips of other seats are moving, wait for an explanation, or were bet out of turn.
- `other-swept`: another seat's bet has just left its spot, or is leaving it.
"""


class SpotFacts(NamedTuple):
    """What the table knows about a spot when a settled reading of the spot arrives."""

    seat: int
    event: StackSettled
    """The reading, with the chips on the spot."""
    spot: Spot
    """The spot before this reading."""
    unsettled: UnsettledReading | None
    """Last unsettled reading, which showed the chips earlier than this reading. None if there was no such reading."""
    hand: Hand | None
    last_step: Step | None
    """Last step that undo can take back, or None."""
    is_open: bool
    """True if a seat is in turn, or will be when the dealer names it."""
    recorded_total: int
    """Value that the recorded steps put on the spot in this street."""
    value: int
    """Value of the chips in this reading."""
    accounted_value: int
    """Value of the chips on the spot that the recorded steps explain."""
    new_chips: list[Chip]
    """Chips in this reading that the recorded steps do not explain, in the order of the reading."""
    arrival: MotionStart
    """Time at which the first unexplained chip arrived on the spot."""
    evidence: frozenset[Evidence]


def collect_spot_facts(live: Live, seat: int, event: StackSettled) -> SpotFacts:
    """Return the facts about this reading of the seat's spot."""
    spot, table = live.spots.get(event.spot, UNREAD_SPOT), live.table
    accounted, recorded_total = set(spot.accounted or ()), table.street.spot_totals[seat]
    unsettled, arrivals = live.reader.unsettled.get(event.spot), live.reader.first_seen_us.get(event.spot, {})
    new_chips = [chip for chip in event.stack if chip not in accounted]
    facts = SpotFacts(
        seat=seat,
        event=event,
        spot=spot,
        unsettled=unsettled,
        hand=table.hand,
        last_step=table.last_step,
        is_open=is_betting(table),
        recorded_total=recorded_total,
        value=total_value(event.stack),
        accounted_value=total_value(spot.accounted) if spot.accounted is not None else recorded_total,
        new_chips=new_chips,
        arrival=_first_arrival(motion_start(event, unsettled), new_chips, arrivals),
        evidence=frozenset(),
    )
    return facts._replace(evidence=frozenset(name for name, is_there in _evidence(live, facts) if is_there))


def _evidence(live: Live, facts: SpotFacts) -> tuple[tuple[Evidence, object], ...]:
    """Return each kind of evidence with a value that is true if the evidence is there."""
    seat, event, spot, hand, table = facts.seat, facts.event, facts.spot, facts.hand, live.table
    is_open, is_more, last_step = facts.is_open, _is_more(live, facts), facts.last_step
    is_expected = hand is None or spot.accounted is None or facts.value <= facts.recorded_total
    is_less = facts.value < facts.accounted_value or not event.stack
    neighbours = [BET_SPOTS[other - 1] for other in (seat - 1, seat + 1) if 1 <= other <= len(BET_SPOTS)]
    other_spots = [(name, other) for name, other in live.spots.items() if name != event.spot]
    moving_spots = live.reader.unsettled.keys() | live.reader.vanished.keys()
    is_other_swept = any(_is_swept(live, name, other, is_open, event.at_us) for name, other in other_spots)
    waiting = {name: other.pending.reason for name, other in other_spots if other.pending is not None}
    return (
        ("no-delays", not live.setup.tolerates_delays),
        ("closed", not is_open),
        ("open", is_open),
        ("doubtful", (event.at_least or event.unknown_tags) and _is_doubtful(live, facts)),
        ("copied", event.doubt == "copied"),
        ("covered", event.doubt == "covered"),
        ("more", is_more),
        ("unexpected", is_open and is_more and not is_expected and not owes_chips(table, seat)),
        ("fewer", is_open and is_less and _may_be_swept(live, facts, is_other_swept)),
        ("replaced", spot.on_spot and event.stack and set(spot.on_spot).isdisjoint(event.stack)),
        ("several-new", len(facts.new_chips) > 1),
        ("weak-tags", event.weak_tags),
        ("known-chips", any(chip.uid in live.chip_locations for chip in facts.new_chips)),
        ("seat-out", hand is not None and (seat in hand.folded or seat not in hand.dealt_seats)),
        ("last-motion", isinstance(last_step, hand_steps.MovesChips) and last_step.seat == seat),
        (
            "neighbour-moves",
            any(name in moving_spots or waiting.get(name) == "splash" for name in neighbours),
        ),
        ("others-wait", waiting or table.street.held_actions or live.reader.unsettled.keys() - {event.spot}),
        ("other-swept", is_other_swept),
    )


# --- times ---


def motion_start(event: StackSettled | UnsettledReading, unsettled: UnsettledReading | None = None) -> MotionStart:
    """Return when the chips began to move.

    Use the unsettled reading of the spot if there is one, because it showed the chips earlier than the settled stack.
    """
    if unsettled is not None:
        return MotionStart(unsettled.last_absent_us, unsettled.first_seen_us)
    at_us = event.at_us if isinstance(event, StackSettled) else 0
    return MotionStart(event.last_absent_us, event.first_seen_us or at_us)


def _first_arrival(start: MotionStart, new_chips: Iterable[Chip], first_seen_us: Mapping[str, int]) -> MotionStart:
    """Return the time at which the first unexplained chip arrived on the spot.

    Chips that followed later do not change the result.
    """
    first_us = min(
        (first_seen_us.get(chip.uid, start.first_seen_us) for chip in new_chips), default=start.first_seen_us
    )
    return MotionStart(min(start.last_absent_us, first_us), min(start.first_seen_us, first_us))


# --- reliability ---


def _is_doubtful(live: Live, facts: SpotFacts) -> bool:
    """Return True if the reader is not certain of the stack, which may have unread chips or has unknown tags.

    An unknown tag makes the chips doubtful, because it may be a chip of another house. There are two exceptions:

    - The unknown tag was on the spot before the chips, so it protects the cards. This also holds if only some chips of
      a bet have left since.
    - The new chips are exactly the amount that the seat owes or must call. Example: with 10 to call, chips of 5 and 5
      and an unknown tag are a call.
    """
    seat, event, spot = facts.seat, facts.event, facts.spot
    if event.at_least and spot.ignored and set(event.stack) <= set(spot.on_spot or ()):
        return is_pending_for(live, seat, "doubt")
    if event.at_least:
        return bool(event.unknown_tags) or not _is_expected_amount(live, facts)
    if spot.on_spot is None or has_unresolved_doubt(live, seat):
        return True
    if set(event.stack) <= set(spot.on_spot):
        is_reduced = 0 < len(event.stack) < len(spot.on_spot)
        return not is_reduced or not set(event.unknown_tags) <= set(spot.unknown_tags)
    new_chips = [chip for chip in event.stack if chip not in set(spot.on_spot)]
    if total_value(new_chips) == balances.owed(live.table, seat) or (
        seat in seats_to_act(live) and is_exact_call(live, seat, new_chips)
    ):
        return False
    earlier_tags = facts.unsettled.initial_unknown_tags if facts.unsettled is not None else ()
    return not set(event.unknown_tags) <= {*spot.unknown_tags, *earlier_tags}


def _is_expected_amount(live: Live, facts: SpotFacts) -> bool:
    """Return True if the value of the chips read is an amount that the table expects from the seat.

    Such an amount is the chips that the seat owes, the amount of a call, or all chips that the seat has left. The
    reading then counts as complete, because an expected amount with unread chips would be a rare coincidence. Example:
    a seat has 385 left, and the reader shows 385, perhaps with unread chips. The seat is all-in.
    """
    seat, spot, table = facts.seat, facts.spot, live.table
    if spot.accounted is None or seat not in table.players or not live.setup.tolerates_delays:
        return False
    new_chips = [chip for chip in facts.new_chips if chip.uid not in spot.ignored]
    if not new_chips or not set(spot.accounted) <= set(facts.event.stack):
        return False
    is_all_in = not balances.is_stack_unknown(table, seat) and total_value(new_chips) == balances.stack_behind(
        table, seat
    )
    is_owed = total_value(new_chips) == balances.owed(table, seat)
    return is_owed or (seat in seats_to_act(live) and (is_all_in or is_exact_call(live, seat, new_chips)))


# --- changes on this spot and on others ---


def _is_more(live: Live, facts: SpotFacts) -> bool:
    """Return True if the value of the chips on the spot has grown.

    The earlier value is that of the explained chips. Use the recorded total instead if it is higher and one of these is
    true:

    - The sensor was offline, the reading was doubtful, or the program failed. The dealer then entered the bet with
      keys.
    - The recorded chips may not be on the spot yet, because a step was undone or the floor set the bet.
    """
    spot, value_before = facts.spot, facts.accounted_value
    is_uncertain = spot.pending is not None and PENDING_POLICIES[spot.pending.reason].is_uncertain
    if spot.was_offline or spot.program_error or is_uncertain or facts.seat in live.bets.awaiting_chips:
        value_before = max(value_before, facts.recorded_total)
    return facts.value > value_before


def _may_be_swept(live: Live, facts: SpotFacts, is_other_swept: bool) -> bool:
    """Return True if a sweep may take the chips on the spot.

    The chips must be a recorded bet or an action out of turn. If another bet was swept, they may also be a call out of
    turn that no longer counts. Return False for a blind that is recorded but not on the spot yet.
    """
    had_chips = facts.accounted_value > 0 or facts.spot.was_offline
    is_counted = balances.counted_bet(live.table, facts.seat) > 0 or facts.seat in live.table.street.held_actions
    if is_other_swept and facts.hand is not None and facts.hand.turn == facts.seat:
        is_counted = is_counted or may_have_called(live)
    return had_chips and is_counted and 0 < facts.recorded_total >= facts.accounted_value


def _is_swept(live: Live, name: str, spot: Spot, is_open: bool, at_us: int) -> bool:
    """Return True if the bet on this spot has just left, or is leaving.

    Leave out a spot with an offline sensor, and a spot that was already empty when its chips were counted.
    """
    seat, reading = SEAT_OF_SPOT.get(name), live.reader.unsettled.get(name)
    if seat is None or not live.table.street.spot_totals[seat] or spot.was_offline:
        return False
    if spot.on_spot == ():
        return bool(spot.accounted or not is_open) and not has_elapsed(spot.changed_us, at_us, SWEEP_WINDOW_US)
    return bool(spot.on_spot) and reading is not None and not reading.stack
