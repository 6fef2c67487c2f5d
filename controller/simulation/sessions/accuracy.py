"""Measure how well the table understood each motion of chips.

The table may apply a motion, ask about the motion, or warn about it. The tracker compares the table's conclusion with
what the player really did.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Final, get_args

from controller.live import (
    Live,
    Transition,
    derived_state,
)
from controller.report import MotionOutcome, MotionResult
from controller.rules import Hand
from controller.simulation.sessions.statistics import SessionStatistics, UnreportedError
from controller.steps import hand_steps, observations
from controller.table import Table
from controller.view import Alert
from hardware.events import StackProvisional, StackSettled
from hardware.simulated.human_actions import HumanActions
from hardware.spots import POT, bet_spot, seat_of_spot

AMOUNT_QUESTIONS: Final = frozenset({"at-least", "unknown-chip", "strangers", *get_args(observations.AskedReason)}) - {
    "emptied"
}
"""Codes of questions about the amount that a seat has put in."""
AMOUNT_ALERTS: Final = AMOUNT_QUESTIONS | {
    "unsettled",
    "owes",
    "due-back",
    "tray-offline",
    "failed",
    "string-bet",
    "under-bet",
    "under-call",
    "under-raise",
    "over-limit",
    "oversized-chip",
    "chips-withdrawn",
    "stack-corrected",
    "chips-between-rounds",
    "chips-left-over",
    "not-on-the-felt",
    "chips-found",
    "emptied",
    "fold-meant",
    "act-or-answer",
}
"""Codes of alerts that say that the amount of a seat may be wrong."""
OUT_OF_TURN_ALERTS: Final = frozenset(
    {"behind-the-turn", "out-of-turn", "act-or-answer", "skipped", "string-bet", "chips-between-rounds", "folded-seat"}
)
"""Codes of alerts that warn of chips out of turn.

The seat with such chips is not in turn, or has already acted or folded.
"""
SPOT_ALERTS: Final = AMOUNT_QUESTIONS - {"at-least", "folded-seat"}
"""Codes of alerts about the chips on a spot. These alerts are justified if a disturbance has happened at the spot."""


@dataclass(slots=True)
class ObservedWager:
    """A motion in which a player puts chips in, with the times at which the table noticed the chips.

    A time is 0 until it is known.
    """

    seat: int
    at_us: int
    uids: frozenset[str] = frozenset()
    """UIDs of the new chips, or empty until all new chips are on the spot."""
    on_spot: frozenset[str] = frozenset()
    """UIDs of all chips on the spot at the moment when the last new chip was put there."""
    landed_us: int = 0
    provisional_us: int = 0
    settled_us: int = 0
    was_applied: bool = False
    """True if the table applied the motion from its sensor readings, without help from the dealer."""
    was_asked: bool = False
    """True if the table asked the dealer about the amount of the motion."""
    was_needless: bool = False
    """True if the table asked about the amount although it had read exactly the chips on the spot."""


class AccuracyTracker:
    """Counters of a table's right and wrong conclusions about the actions of players."""

    def __init__(
        self, tally: SessionStatistics, hands: HumanActions, seed: int, is_dead: Callable[[str], bool]
    ) -> None:
        self.tally = tally
        self.motions: list[ObservedWager] = []
        """The wagers of the current betting round."""
        self.early_seats: set[int] = set()
        """Seats that really acted out of turn in the current betting round."""
        self._unreported_early_seats: set[int] = set()
        """Seats that acted out of turn, have not yet acted in turn, and were not named by an alert."""
        self.alerts_by_seat: dict[int, set[str]] = {}
        """Codes of the alerts in this round that warn of a wrong amount, by seat."""
        self.answered_tags: dict[str, set[str]] = {}
        """Tags that have answered in this betting round, by spot.

        For the pot, tags that have answered in this hand.
        """
        self._reported_bet_tags: set[str] = set()
        """UIDs of chips in the stacks that were reported at any bet spot in this round."""
        self.has_error = False
        """True if the table recorded a wrong amount in this hand."""
        self.has_unreported_error = False
        """True if the table recorded a wrong amount in this hand, without an alert about the seat."""
        self._human_actions = hands
        self._seed = seed
        self._is_dead = is_dead
        self._never_heard: set[str] = set()
        """UIDs of chips that were bet in this hand and never answered on a bet spot."""
        self._reported_missing: set[str] = set()
        """UIDs of chips in this hand that the table reports as never read on a spot."""
        self._hand = self._paid = 0
        """`_hand` is the number of the current hand. `_paid` is the number of the last hand with awarded pots.

        Until the next hand begins, the table still reports chips of the last hand that no spot had read. These chips
        must not be counted a second time.
        """
        self._shown_alerts: frozenset[tuple[tuple[str, int, str], str]] = frozenset()
        """The keys and the levels of the alerts that the screen showed last."""
        self._visible_seats: dict[int, frozenset[int]] = {}
        """Seats with a visible question or warning about their amount, by betting round of this hand.

        The seats of a round are those on the last screen before the next street was dealt.
        """

    # --- actions of people ---

    def start_wager(self, seat: int, at_us: int) -> ObservedWager:
        """Record that a player begins to put in chips, and return the new wager."""
        motion = ObservedWager(seat, at_us)
        self.motions.append(motion)
        self.tally.motions += 1
        return motion

    def record_landing(self, motion: ObservedWager, before: Collection[str], now_us: int) -> None:
        """Record that the last chip of a wager is on the spot. `before` are the chips that were on the spot earlier."""
        motion.on_spot = frozenset(self._human_actions.wagered_uids(motion.seat))
        motion.uids = motion.on_spot - frozenset(before)
        motion.landed_us = now_us

    def record_early_action(self, seat: int) -> None:
        """Record that a seat has acted out of turn."""
        self.early_seats.add(seat)
        self._unreported_early_seats.add(seat)
        self.tally.out_of_turn += 1

    def record_action(self, seat: int) -> None:
        """Record that a seat acts in turn.

        If the seat has acted out of turn before, an alert after this moment comes too late to report that early action.
        """
        if seat in self._unreported_early_seats:
            self._unreported_early_seats.remove(seat)
            self._count_missed_out_of_turn(seat)

    def _count_missed_out_of_turn(self, seat: int) -> None:
        """Count an action out of turn that no alert mentioned.

        An action is counted separately if none of its chips answered on the spot, because the table could not notice
        such an action.
        """
        if self._last_uids(seat).isdisjoint(self._answered_at(seat)):
            self.tally.unheard_out_of_turn += 1
        else:
            self.tally.missed_out_of_turn += 1

    # --- conclusions of the table ---

    def record_tags(self, spot: str, uids: Iterable[str]) -> None:
        """Record that tags answered at a spot."""
        self.answered_tags.setdefault(spot, set()).update(uids)

    def record_stack(self, event: StackProvisional | StackSettled) -> None:
        """Record the time of a stack event if the stack has exactly the chips that are on the spot."""
        if seat_of_spot(event.spot) is not None:
            self._reported_bet_tags.update(chip.uid for chip in event.stack)
        for motion in self.motions:
            if bet_spot(motion.seat) != event.spot or not motion.landed_us:
                continue
            if frozenset(chip.uid for chip in event.stack) == motion.on_spot:
                motion.provisional_us = motion.provisional_us or event.at_us
                if isinstance(event, StackSettled):
                    motion.settled_us = motion.settled_us or event.at_us

    def record_steps(self, change: Transition) -> None:
        """Mark the wagers that the table applied from the readings of its sensors."""
        for step, source in change.steps:
            if source == "sensor" and isinstance(step, hand_steps.MovesChips):
                for motion in self.motions:
                    motion.was_applied |= motion.seat == step.seat

    def record_alerts(self, live: Live, alerts: Iterable[Alert], is_true: Callable[[int], bool]) -> None:
        """Count the alerts that have appeared on the screen since the last call.

        `is_true` receives a seat and returns True if a disturbance has happened at the seat's spot.
        """
        alerts = tuple(alerts)
        self._hand = live.table.hands_started
        self._reported_missing.update(
            chip.uid for chip in derived_state.missed_chips_this_hand(live) if chip.hand != self._paid
        )
        for alert in alerts:
            if (alert.key, alert.level) not in self._shown_alerts:
                self._count_alert(live, alert, is_true)
            elif alert.code in OUT_OF_TURN_ALERTS and self._reads_last_motion(live, alert.values.seat):
                self._unreported_early_seats.discard(alert.values.seat)
        self._shown_alerts = frozenset((alert.key, alert.level) for alert in alerts)
        if live.table.hand is not None:
            self._visible_seats[live.table.hand.round_number] = frozenset(
                alert.values.seat for alert in alerts if alert.code in AMOUNT_ALERTS and alert.level != "info"
            )

    def _count_alert(self, live: Live, alert: Alert, is_true: Callable[[int], bool]) -> None:
        """Count a new alert."""
        seat, code, tally = alert.values.seat, alert.code, self.tally
        if alert.level == "question":
            tally.questions += 1
            tally.question_codes.append(code)
        if code in AMOUNT_ALERTS:
            self.alerts_by_seat.setdefault(seat, set()).add(code)
        if code in OUT_OF_TURN_ALERTS:
            self._unreported_early_seats.discard(seat)
        if code == "out-of-turn" and alert.level == "warning" and seat not in self.early_seats:
            tally.false_out_of_turn += 1
        if code in SPOT_ALERTS:
            tally.alerts_true += is_true(seat)
            tally.alerts_false += not is_true(seat)
        if alert.level == "question" and code in AMOUNT_QUESTIONS:
            self._record_question(live, seat)

    def _reads_last_motion(self, live: Live, seat: int) -> bool:
        """Return True if the table has read chips of the seat's last motion.

        If so, an older alert about the seat that is still on the screen also refers to this motion.
        """
        return not self._last_uids(seat).isdisjoint(_tags_read(live, seat))

    def _last_uids(self, seat: int) -> frozenset[str]:
        """Return the UIDs of the chips in the seat's last motion of this round."""
        return next((motion.uids for motion in reversed(self.motions) if motion.seat == seat), frozenset())

    def _record_question(self, live: Live, seat: int) -> None:
        """Record a question about the amount of the seat's last motion."""
        motions = [motion for motion in self.motions if motion.seat == seat]
        if motions and not motions[-1].was_asked:
            motions[-1].was_asked = True
            motions[-1].was_needless = _tags_read(live, seat) == frozenset(self._human_actions.wagered_uids(seat))

    # --- the end of a round ---

    def end_round(
        self,
        truth: Hand,
        table: Hand,
        pending: Collection[int],
        now_us: int,
        disturbances: Mapping[int, tuple[str, ...]],
    ) -> None:
        """Compare what each seat has really put in with what the table has recorded, and count the differences.

        `pending` are seats with an action that the table does not know yet. `disturbances` has the kinds of
        disturbances at the spots, by seat.
        """
        wrong: dict[int, MotionOutcome] = {}
        for seat in truth.dealt_seats:
            if table.contributed(seat) == truth.contributed(seat) or seat in pending:
                continue
            self.has_error = True
            is_visible = seat in self._visible_seats.get(truth.round_number, ())
            self.tally.wrong_visible += is_visible
            self.tally.wrong_not_visible += not is_visible
            if self.alerts_by_seat.get(seat):
                self.tally.wrong_told += 1
                continue
            self.has_unreported_error = True
            wrong[seat] = self._error_kind(seat)
            amounts = truth.contributed(seat), table.contributed(seat)
            context = self._seed, self.tally.hands + 1, truth.round_number, seat, now_us
            height = sum(len(motion.uids) for motion in self.motions if motion.seat == seat)
            self.tally.unreported_errors.append(
                UnreportedError(*context, wrong[seat], *amounts, height, disturbances.get(seat, ()))
            )
        self.tally.wrong_confirmed += sum(kind == "wrong-confirmed" for kind in wrong.values())
        self.tally.wrong_never_heard += sum(kind == "wrong-never-heard" for kind in wrong.values())
        self.tally.wrong_dead_tag += sum(kind == "wrong-dead-tag" for kind in wrong.values())
        for motion in reversed(self.motions):
            self._count_motion(motion, wrong.pop(motion.seat, None), disturbances.get(motion.seat, ()))
        for seat in self._unreported_early_seats:
            self._count_missed_out_of_turn(seat)
        self.motions, self.alerts_by_seat = [], {}
        self.early_seats.clear()
        self._unreported_early_seats.clear()
        self._reported_bet_tags.clear()
        self.answered_tags = {POT: self.answered_tags.get(POT, set())}

    def _error_kind(self, seat: int) -> MotionOutcome:
        """Return the kind of the error that made the amount of a seat wrong, such as a dead tag."""
        uids = frozenset[str]().union(*(motion.uids for motion in self.motions if motion.seat == seat))
        if any(self._is_dead(uid) for uid in uids):
            return "wrong-dead-tag"
        return "wrong-never-heard" if uids - self._answered_at(seat) else "wrong-confirmed"

    def _answered_at(self, seat: int) -> set[str]:
        """Return the tags that have answered on the seat's spot in this round."""
        return self.answered_tags.get(bet_spot(seat), set())

    def _count_motion(self, motion: ObservedWager, wrong: MotionOutcome | None, disturbances: tuple[str, ...]) -> None:
        """Add a wager to the statistics at the end of its betting round."""
        tally = self.tally
        tally.asked += motion.was_asked
        tally.asked_needlessly += motion.was_asked and motion.was_needless
        tally.confirmed += motion.was_applied and not motion.was_asked
        tally.unread += not motion.was_applied and not motion.was_asked
        asked: MotionOutcome = "asked-needlessly" if motion.was_needless else "asked"
        silent = motion.uids - self._answered_at(motion.seat)
        # A chip that was put next to its spot may have been read at another spot, so its tag is not dead.
        self._never_heard |= silent - self._reported_bet_tags
        cause = next(iter(disturbances), "") or ("never-heard" if silent else "")
        tally.records.append(
            MotionResult(
                bet_spot(motion.seat),
                len(motion.on_spot),
                _elapsed_us(motion.landed_us, motion.provisional_us),
                _elapsed_us(motion.landed_us, motion.settled_us),
                wrong or (asked if motion.was_asked else "right"),
                cause,
            )
        )

    def end_hand(self) -> None:
        """Count a hand after its pots have been paid."""
        self.tally.hands += 1
        self.tally.wrong_hands += self.has_error
        self.tally.wrong_hands_silent += self.has_unreported_error
        answered_in_pot = self._never_heard & self.answered_tags.get(POT, set())
        self.tally.dead_tags += len(answered_in_pot)
        self.tally.dead_tags_found += len(answered_in_pot & self._reported_missing)
        self.has_error = self.has_unreported_error = False
        self._paid = self._hand
        self._visible_seats.clear()
        self.answered_tags.clear()
        self._never_heard.clear()
        self._reported_missing.clear()


def _elapsed_us(landed_us: int, event_us: int) -> int | None:
    """Return the time between two moments in µs, or None if one of the moments is unknown."""
    return max(0, event_us - landed_us) if landed_us and event_us else None


def _tags_read(live: Live, seat: int) -> frozenset[str]:
    """Return the tags that the table has last read on the bet spot of a seat."""
    spot = bet_spot(seat)
    unsettled, settled = live.reader.unsettled.get(spot), live.spots.get(spot)
    stack = unsettled.stack if unsettled is not None else settled.on_spot or () if settled is not None else ()
    return frozenset(chip.uid for chip in stack)


def chip_drift(table: Table) -> int:
    """Return the value of the chips that the table's records have created or lost.

    The value is the difference between all chips in the records and the chips that were bought in.
    """
    hand, recorded = table.hand, sum(table.accounts)
    playing = hand.dealt_seats if hand is not None and table.is_hand_in_progress else ()
    recorded += sum(player.stack for seat, player in table.players.items() if seat not in playing)
    if hand is not None and playing:
        recorded += sum(hand.stacks[seat] for seat in playing) + hand.pot_total
    return abs(recorded - table.bought_in_total)
