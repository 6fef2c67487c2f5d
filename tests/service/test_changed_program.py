"""Replay a session with a program in which one rule has changed, at every place of the session.

The replay must name the first record after which an amount differs: between hands, in a hand, in seating, in accounts
and in the rake.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Callable
from contextlib import closing
from itertools import count
from pathlib import Path
from typing import Any, Final

import msgspec
import pytest

from controller.config import parse_config
from controller.journal import Entry, Journal, JournalError, Record, Segment, new_header
from controller.live import Live, TableSetup, handle_command
from controller.service import recovery
from controller.service.journal_replay import ReplayResult, replay_segment
from controller.service.queries import HandLog
from controller.service.recorder import JournalLocation, Recorder
from controller.service.recovery import recover
from controller.steps import Step, parse_step
from controller.steps.observations import JournalAltered
from controller.table import StepOutcome, Table, apply_table_step
from tests.kill_at_line import KILLED, is_killed

CONFIG: Final = """
button = 1
stacks = { 1 = 1000, 2 = 1000, 3 = 1000, 4 = 1000 }
[game]
blinds = [5, 10]
rake   = { percent = 5, cap = 4 }
"""
SESSION: Final = (
    *("1 add 50", "2 tip 5", "5 sit 300", "undo", "redo", "3 time 6", "3 stack 990", "hand"),
    *("4 call", "5 call", "1 call", "2 call", "undo", "2 call", "3 check", "deal"),
    *("2 check", "3 bet 25", "4 raise to 75", "5 fold", "1 fold", "2 fold", "3 call", "deal"),
    *("3 check", "floor bet 4 40", "3 call", "deal", "3 bet 50", "3 was 60", "4 call"),
    *("kitty 5", "drop 1", "award main 4", "undo", "award main 3", "3 leave", "4 tip 5", "2 away", "2 back", "hand"),
    *("5 raise to 40", "1 call", "4 says raise", "4 chips 25 100", "void", "3 sit 500", "2 add 100", "floor button 2"),
    *("hand", "floor pot 20", "undo", "5 tip 1", "floor turn 1", "1 all-in"),
)
"""Commands of a session of three hands."""

STEP_EFFECTS = sys.modules["controller.live.step_effects"]
Change = Callable[[Table], Table]


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the journal of the session."""
    path = tmp_path_factory.mktemp("session") / "t.journal"
    config = parse_config(CONFIG)
    live, at_us = Live(TableSetup(has_sensors=False), config.table), 0
    journal = Journal.create(path, new_header(config.text))
    with closing(Recorder(JournalLocation(path), journal.header, journal)) as recorder:
        for do in SESSION:
            at_us += 1_000_000
            change = handle_command(live, parse_step(do), at_us, source="dealer")
            assert change.refusal is None, (do, change.refusal)
            live = change.live
            recorder.record(change.steps, at_us, live)
    return path


def records_of(path: Path) -> list[Record]:
    with closing(Segment.open_read_only(path)) as segment:
        return list(segment.records())


def replay(path: Path) -> ReplayResult:
    with closing(Segment.open_read_only(path)) as segment:
        return replay_segment(segment, Live(TableSetup(has_sensors=False), parse_config(CONFIG).table))


def change_step(monkeypatch: pytest.MonkeyPatch, place: int, change: Change) -> None:
    """Simulate a changed program, in which `change` changes the table after step number `place`, counted from 1."""
    numbers = count(1)

    def table_step(table: Table, step: Step, at_us: int) -> StepOutcome:
        outcome = apply_table_step(table, step, at_us)
        return outcome._replace(table=change(outcome.table)) if next(numbers) == place else outcome

    monkeypatch.setattr(STEP_EFFECTS, "table_step", table_step)


def with_changed_hand(table: Table, **amounts: object) -> Table:
    return table._replace(hand=msgspec.structs.replace(table.hand, **amounts)) if table.hand is not None else table


def add_to_stack(table: Table) -> Table:
    if table.hand is not None and table.is_hand_in_progress:
        return with_changed_hand(
            table, stacks=(*table.hand.stacks[:1], table.hand.stacks[1] + 1, *table.hand.stacks[2:])
        )
    return table._replace(players={**table.players, 1: table.players[1]._replace(stack=table.players[1].stack + 1)})


def add_to_bet(table: Table) -> Table:
    hand = table.hand
    return table if hand is None else with_changed_hand(table, bets=(*hand.bets[:2], hand.bets[2] + 5, *hand.bets[3:]))


def add_to_pot(table: Table) -> Table:
    return table if table.hand is None else with_changed_hand(table, middle=table.hand.middle + 1)


def move_turn(table: Table) -> Table:
    return table if table.hand is None else with_changed_hand(table, turn=5 if table.hand.turn != 5 else 1)


def take_rake(table: Table) -> Table:
    return table._replace(accounts=table.accounts._replace(rake=table.accounts.rake + 1))


def move_button(table: Table) -> Table:
    carry_over = table.carry_over
    placement = carry_over.placement._replace(button=carry_over.placement.button % 5 + 1)
    return table._replace(carry_over=carry_over._replace(placement=placement))


CHANGES: Final[tuple[Change, ...]] = (add_to_stack, add_to_bet, add_to_pot, move_turn, take_rake, move_button)
MIN_NAMED: Final = 61
"""Minimum number of places at which the replay must name each change."""


KINDS: Final[dict[str, set[str]]] = {
    "between hands": {"undo", "redo", "stack", "time"},
    "in a hand": {"call", "check", "bet", "raise", "fold", "deal", "award", "was"},
    "seating": {"sit", "leave", "away", "back", "button"},
    "accounts": {"add", "tip", "kitty"},
    "rake": {"drop", "award"},
}
"""Words of the session, by the kind of place at which a changed rule must be named."""
MIN_PLACES: Final = 200
"""Minimum number of places at which a changed rule is tried."""


def test_session_has_enough_places_of_every_kind(session: Path) -> None:
    words = {word for record in records_of(session) for word in record.do.split()}
    assert {kind: missing for kind, named in KINDS.items() if (missing := named - words)} == {}
    assert MIN_NAMED * len(CHANGES) >= MIN_PLACES


@pytest.mark.parametrize("is_readable", [True, False])
def test_kill_right_after_the_new_segment_begins_does_not_hide_the_difference(
    session: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_readable: bool
) -> None:
    path = Path(shutil.copy(session, tmp_path))
    with closing(Journal.open(path)[0]) as journal:
        journal.append([Entry(1, JournalAltered("remade"), "sensor")])

    def start() -> Live:
        _, live, recorder = recover(
            parse_config(CONFIG), JournalLocation(path), TableSetup(has_sensors=False), 1, HandLog()
        )
        recorder.close()
        return live

    def rotate_and_kill(*arguments: Any) -> None:
        rotate(*arguments)
        os._exit(KILLED)

    def fail_to_replay(*_: object) -> ReplayResult:
        raise JournalError("a snapshot that this program cannot read")

    rotate = Recorder.rotate
    with monkeypatch.context() as changed_program:
        if is_readable:
            change_step(changed_program, 2, add_to_stack)
        else:
            changed_program.setattr(recovery, "replay_segment", fail_to_replay)
        changed_program.setattr(Recorder, "rotate", rotate_and_kill)
        assert is_killed(start)
    recorded = [record.do for record in records_of(path) if record.do.startswith("records-")]
    assert recorded == ["records-damaged"] * (not is_readable) + ["records-altered differs"]
    record_faults = start().record_faults
    assert (record_faults.alterations, record_faults.are_damaged) == (
        frozenset({"differs", "remade"}),
        not is_readable,
    )


def test_unchanged_program_computes_the_recorded_amounts(session: Path) -> None:
    assert replay(session).difference == ""
    assert len([record for record in records_of(session) if record.amounts_digest]) == len(SESSION)


@pytest.mark.parametrize("change", CHANGES)
def test_first_record_with_another_amount_is_named_at_every_place(
    session: Path, monkeypatch: pytest.MonkeyPatch, change: Change
) -> None:
    first, named = 1, 0
    for record in records_of(session):
        if not record.amounts_digest:
            continue  # The next record ends the commit.
        commit = f"records {first} to {record.number}" if first < record.number else f"record {record.number}"
        for number in range(first, record.number + 1):
            with monkeypatch.context() as patch:
                change_step(patch, number, change)
                difference = replay(session).difference
            if difference:
                # If the second step of the commit cannot be done any longer, the replay names its record.
                assert f"{commit}: " in difference or re.match(rf"hand \d+, record {record.number}: ", difference), (
                    difference
                )
                named += 1
            else:  # There is no hand yet that could be changed.
                assert number < 8 and change in (add_to_bet, add_to_pot, move_turn), record
        first = record.number + 1
    assert named >= MIN_NAMED


@pytest.mark.parametrize("do", ["2 tip 5", "5 sit 300", "3 time 6", "hand", "drop 1", "floor bet 4 40", "3 leave"])
def test_rule_that_counts_an_amount_twice_is_named_at_its_first_use(
    session: Path, monkeypatch: pytest.MonkeyPatch, do: str
) -> None:
    """Change the rule of one verb. Before records had a digest, only the end of the hand was compared."""
    verb = type(parse_step(do))

    def table_step(table: Table, step: Step, at_us: int) -> StepOutcome:
        outcome = apply_table_step(table, step, at_us)
        return outcome._replace(table=add_to_stack(outcome.table)) if isinstance(step, verb) else outcome

    monkeypatch.setattr(STEP_EFFECTS, "table_step", table_step)
    record = next(record for record in records_of(session) if record.do == do)
    assert f", record {record.number}: '{do}' changes the amounts" in replay(session).difference


def test_difference_after_the_last_recorded_state_is_named_too(session: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    verb = type(parse_step("2 tip 5"))
    monkeypatch.setattr(
        STEP_EFFECTS,
        "table_step",
        lambda table, step, at_us: (
            (outcome := apply_table_step(table, step, at_us))._replace(table=add_to_stack(outcome.table))
            if isinstance(step, verb)
            else apply_table_step(table, step, at_us)
        ),
    )
    first, *_, last = (record for record in records_of(session) if " tip " in record.do)
    difference = replay(session).difference
    assert f"record {first.number}: '2 tip 5'" in difference and f"record {last.number}: '5 tip 1'" in difference


def test_journal_without_digests_of_amounts_is_replayed(session: Path, tmp_path: Path) -> None:
    path = tmp_path / "old.journal"
    with (
        closing(Journal.create(path, new_header(parse_config(CONFIG).text))) as journal,
        closing(Segment.open_read_only(session)) as segment,
    ):
        journal.append(list(segment.entries()))
    assert replay(path).difference == ""
