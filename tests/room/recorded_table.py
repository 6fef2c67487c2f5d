"""A table that plays steps, writes its journal as the service does, and has a complete log of its hands."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Final

from controller.config import parse_config
from controller.integrity import TableKey, make_guard
from controller.journal import Entry, Journal, JournalFollower, Stretch, new_header
from controller.live import Live, TableSetup, Transition, handle_command
from controller.service import full_snapshot, hand_end_snapshot
from controller.service.queries import HandLog, LoggedHand
from controller.steps import StepSource, format_step, parse_step
from tests.controller.journal_tampering import KEY

CONFIG: Final = """
button = 1
stacks = { 1 = 1000, 2 = 1000, 3 = 1000, 4 = 300 }
[game]
blinds = [5, 10]
rake = { percent = 5, cap = 4 }
"""
_STEPS_OF_FLOOR: Final = ("fill", "credit", "floor-answers")
STEP_US: Final = 60_000_000
"""Time between two steps, so that the table does not join them."""


class RecordedTable:
    """A table with a journal, without a service."""

    def __init__(self, folder: Path, config: str = CONFIG, *, key: TableKey = KEY, begun_us: int = STEP_US) -> None:
        self.path = folder / "t.journal"
        parsed = parse_config(config)
        self.live = Live(TableSetup(has_sensors=False, has_clock=True), parsed.table)
        self.journal = Journal.create(self.path, new_header(parsed.text), guard=make_guard(self.path, key))
        self.log = HandLog(1_000)
        self.now_us = begun_us
        self.ever_over: list[LoggedHand] = []
        """Each hand that was over at some time, although it may have been undone later."""
        self._follower = JournalFollower(self.path)

    def close(self) -> None:
        """Close the journal."""
        self.journal.close()

    def do(self, *lines: str, source: StepSource = "dealer", badge: str = "") -> None:
        """Do steps, all of which the table must accept."""
        for line in lines:
            assert self.try_step(line, source, badge), line

    def try_step(self, line: str, source: StepSource = "dealer", badge: str = "") -> bool:
        """Do a step and record it. Return False if the table refuses it."""
        self.now_us += STEP_US
        change = handle_command(self.live, parse_step(line), self.now_us, source=source, shown_turn=None)
        if change.refusal is not None or not change.steps:
            return False
        self._record(change, badge)
        return True

    def _record(self, change: Transition, badge: str) -> None:
        before, after = self.live.table, change.live.table
        ends_hand = before.is_hand_in_progress and not after.is_hand_in_progress
        entries = [Entry(self.now_us, step, source, badge) for step, source in change.steps]
        state = hand_end_snapshot(change.live) if ends_hand else b""
        self.journal.append(entries, state, after.amounts())
        self.log.add_transition(self.live, change, badge=badge)
        self.live = change.live
        self.ever_over += [hand for hand in self.log.hands()[:1] if hand.is_over]

    def rotate(self) -> None:
        """Begin a new segment."""
        self.journal.rotate(full_snapshot(self.live))

    def play_hand(self) -> None:
        """Play a hand in which the first seat raises and wins."""
        self.do("hand")
        hand = self.live.table.hand
        assert hand is not None
        raiser = hand.turn
        self.do(f"{raiser} raise to 30")
        while (hand := self.live.table.hand) is not None and hand.turn:
            self.do(f"{hand.turn} fold")
        self.do(f"award main {raiser}")

    def play_at_random(self, dice: Random, steps: int, *, closes: bool = True) -> None:
        """Try random steps, many of which are undo and redo."""
        for _ in range(steps):
            hand = self.live.table.hand
            turn = (hand.turn if hand is not None else 0) or dice.randint(1, 4)
            usual = ["hand", "hand", f"{turn} call", f"{turn} check", f"{turn} fold", f"{turn} all-in", "deal"]
            awards = [f"award main {dice.randint(1, 4)}", "award main 1 2", f"award side1 {dice.randint(1, 4)}"]
            rare = ["fill 500", "credit 200", "call-floor fill", "floor-answers Eve", "floor-came", "dealer Ann"]
            rare += ["dealer Bob", "void", "2 add 10", *(("close", "open") if closes else ())]
            rare += ["1 sit 500 as Eve", "2 sit 500", "3 sit 300 as Joe Doe", "4 sit 900"]
            step = dice.choice([*usual, *usual, *awards, *awards, *rare, "undo", "undo", "undo", "redo", "redo"])
            self.try_step(step, "floor" if step.startswith(_STEPS_OF_FLOOR) else "dealer")

    def new_stretches(self) -> list[Stretch]:
        """Return what was recorded since the last call."""
        stretches: list[Stretch] = []
        while (stretch := self._follower.read()) is not None:
            stretches.append(stretch)
        return stretches

    def hands_over(self) -> list[LoggedHand]:
        """Return the hands that the log of the table shows as over, oldest first."""
        return [hand for hand in reversed(self.log.hands()) if hand.is_over]


def texts_of(hands: Sequence[LoggedHand]) -> list[list[str]]:
    """Return the steps of hands as text."""
    return [[format_step(step) for step in hand.steps] for hand in hands]
