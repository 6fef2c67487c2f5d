"""Hypothesis: the only chip of a call protected the cards of a player who has folded, and leaves with them.

A player who protects the cards with one chip on the bet spot seems to call when in turn. When this player folds, the
chip leaves alone. The dealer presses the fold key for this player, but the table has the next seat in turn.

A fold key applies at once while the chip is read. If the chip then leaves alone, the dealer is asked, with "taken back"
as the first answer. This answer gives the folds to the seats for which they were meant. If the chip has left before the
key, the key waits for the answer. If the fold has closed the betting, the spot waits because of this hypothesis.
Otherwise the spot waits because of the hypothesis `sweep`.

Example: seat 3 puts 25 on its cards, which counts as a call of 10. Seat 3 folds, and the fold key folds seat 4. Half a
second later, spot 3 is empty. "Taken back" takes back this fold and the call, and folds seat 3.
"""

from __future__ import annotations

from itertools import takewhile
from typing import Final, NamedTuple

from controller.live.derived_state import SEAT_OF_SPOT, is_betting, spot_of
from controller.live.hypotheses.hypothesis import Hypothesis, Verdict
from controller.live.hypotheses.spot_facts import SpotFacts
from controller.live.silent_chips import has_lone_silence, silent_since_us
from controller.live.state import Live
from controller.rules import HandEvent
from controller.steps import hand_steps
from controller.table import UndoEntry
from hardware.spots import BET_SPOTS

_FOLDS: Final = frozenset({HandEvent.FOLD})
PROTECTOR_WINDOW_US: Final = 2_000_000
"""Maximum time in µs from the fold key until the spot of a withdrawn card protector is reported as empty. A player who
folds takes the chip back just before the key, and a reader reports an empty spot within this time."""


class LoneCall(NamedTuple):
    """Call with a single chip in the first betting round, after which only folds followed."""

    seat: int
    folds: tuple[UndoEntry, ...]
    """The folds since the call, oldest first."""

    def may_be_fold(self, gone_us: int) -> bool:
        """Return True if the first fold may have been meant for this seat, because its chip left at `gone_us`."""
        return bool(self.folds) and gone_us <= self.folds[0].at_us + PROTECTOR_WINDOW_US


def last_lone_call(live: Live) -> LoneCall | None:
    """Return the last action before the last folds if it is a call with a single chip, otherwise None."""
    entries = live.table.undo_stack
    folds = tuple(takewhile(_is_fold, reversed(entries)))[::-1]
    called = entries[-1 - len(folds)].step if len(entries) > len(folds) else None
    if not isinstance(called, hand_steps.MovesChips) or not _is_lone_call(live, called, len(folds)):
        return None
    return LoneCall(called.seat, folds)


def withdrawn_protector(live: Live) -> LoneCall | None:
    """Return the call whose only chip has left alone just before or after the next fold, otherwise None.

    If the fold has closed the betting, the result follows from the recorded steps alone.
    """
    call = last_lone_call(live)
    if call is None or _is_swept(live, call):
        return None
    if not is_betting(live.table):
        pending = spot_of(live, call.seat).pending
        is_waiting = pending is not None and pending.reason == "emptied" and call.may_be_fold(pending.since_us)
        return call if is_waiting else None
    is_withdrawn = has_lone_silence(live, call.seat)
    return call if is_withdrawn and (not call.folds or call.may_be_fold(silent_since_us(live, call.seat))) else None


def is_protector_withdrawn(live: Live) -> bool:
    """Return True if the last step recorded the only chip of a call as taken back."""
    steps = [entry.step for entry in live.table.undo_stack[-2:]]
    if len(steps) < 2 or not isinstance(called := steps[0], hand_steps.MovesChips):
        return False
    return steps[1] == hand_steps.MovesChips(called.seat, (), called.forward) and _is_lone_call(live, called, 0)


def _is_fold(entry: UndoEntry) -> bool:
    return isinstance(entry.step, hand_steps.Declares) and entry.step.declaration.kind == "fold"


def _is_lone_call(live: Live, step: hand_steps.MovesChips, folds: int) -> bool:
    """Return True if the step put in one chip, and this was a call after which only this number of folds followed."""
    hand = live.table.hand
    if hand is None or hand.round_number != 1 or len(hand.action_log) <= folds:
        return False
    if len(step.forward) != 1 or step.back:
        return False
    called, *later = hand.action_log[-1 - folds :]
    is_call = (called.seat, called.event) == (step.seat, HandEvent.CALL)
    return is_call and step.seat not in live.table.street.spoken_amounts and not {act.event for act in later} - _FOLDS


def _is_swept(live: Live, call: LoneCall) -> bool:
    """Return True if the chip of the call arrived on another spot, or if other bets have left since the call."""
    chips, name = spot_of(live, call.seat).accounted or (), BET_SPOTS[call.seat - 1]
    locations = [live.chip_locations.get(chip.uid) for chip in chips]
    if any(location is not None and location.spot != name for location in locations):
        return True
    since_us = call.folds[0].at_us if call.folds else 0
    return not is_betting(live.table) and any(
        live.table.street.spot_totals[seat] and not spot.on_spot and spot.changed_us >= since_us
        for other, spot in live.spots.items()
        if other != name and (seat := SEAT_OF_SPOT.get(other))
    )


def _explain(live: Live, facts: SpotFacts) -> Verdict | None:
    call, event = last_lone_call(live), facts.event
    if call is None or call.seat != facts.seat or event.stack or "other-swept" in facts.evidence:
        return None
    gone_us = facts.unsettled.first_seen_us if facts.unsettled is not None else event.at_us
    return Verdict("emptied") if call.may_be_fold(gone_us) else None


WITHDRAWN_PROTECTOR: Final = Hypothesis(frozenset({"closed"}), _explain)
