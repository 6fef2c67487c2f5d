"""Scripts that are played with simulated chips and readers print the same as with the rules alone.

A table that is restarted from its recorded steps continues in the same state.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from controller.histories import replay_file
from controller.journal import Entry, snapshot
from controller.live import Live, TableSetup, Transition, apply_step, handle_command, handle_event, without_transient
from controller.presenter import build_table_view
from controller.scripts import STEP_INTERVAL_US, Script, load_script, play_rules, starting_table, visible_fields
from controller.simulation import ScriptedTable, play_pipeline, script_pipeline
from controller.steps import Step, StepSource, format_step, observations, parse_step
from hardware.events import Event, StackSettled
from tests.controller.script_runner import CASES, HANDS, script_files, script_id

EVERY = 12
"""The test plays every twelfth of the random and recorded hands. `make soak` plays all of them."""


class Played(NamedTuple):
    """Result of a script that was played through chips and readers."""

    script: Script
    shown: list[dict[str, Any]]
    """Printed output before the first step and after each step."""
    lives: list[Live]
    """Live state before the first step and after each step."""
    recorded: list[int]
    """Number of journal entries before the first step and after each step."""
    journal: list[Entry]


def played(script: Script) -> Played:
    """Play a script with simulated chips and readers."""
    table = ScriptedTable(starting_table(script))
    shown, lives, recorded = [{"step": 0, **visible_fields(table.table)}], [table.live], [len(table.journal)]
    for number, step in enumerate(script.steps, 1):
        outcome = table.perform_step(step, number * STEP_INTERVAL_US)
        shown.append({"step": number, **visible_fields(table.table, outcome.refusal, tuple(outcome.warning_codes))})
        lives.append(table.live)
        recorded.append(len(table.journal))
    return Played(script, shown, lives, recorded, table.journal)


def _sample() -> Iterator[Path]:
    for folder, every in (("historic", 1), ("wsop", 2), ("pluribus", EVERY), ("random", EVERY)):
        yield from script_files(HANDS / folder)[::every]


@pytest.fixture(scope="module", params=[*script_files(CASES), *_sample()], ids=script_id)
def case(request: pytest.FixtureRequest) -> tuple[str, Played]:
    """Return the name of a script and its result. Each script is played only once for all tests."""
    return script_id(request.param), played(load_script(request.param))


# --- the same as the rules alone ---


def test_script_prints_the_same_through_the_pipeline(case: tuple[str, Played]) -> None:
    _, result = case
    for directly, shown in zip(play_rules(result.script), result.shown, strict=True):
        assert shown == directly, f"step {directly['step']}"


@pytest.mark.soak
def test_every_hand_prints_the_same_through_the_pipeline() -> None:
    for path in script_files(HANDS):
        assert list(play_pipeline(load_script(path))) == list(play_rules(load_script(path))), path.name
    for path in HISTORIES:
        assert_replayed(path)


HISTORIES = sorted((HANDS / "phh").rglob("*.phh"))
EVERY_RECORDED = 4
"""Interval of the tested hand histories, which are one in `EVERY_RECORDED` recorded histories.

`test_phh` replays all histories with the rules alone. `make soak` replays all histories in both ways.
"""
SAMPLE = [
    path for number, path in enumerate(HISTORIES) if path.parent.name != "pluribus" or not number % EVERY_RECORDED
]


def assert_replayed(path: Path) -> None:
    """Check that a replay ends with the stacks of the history, both with simulated chips and with the rules alone."""
    result, alone = replay_file(path, play_pipeline), replay_file(path, play_rules)
    assert result == alone
    if result.finishing is not None:
        assert result.stacks == result.finishing


@pytest.mark.parametrize("path", SAMPLE, ids=script_id)
def test_replay_ends_with_the_stacks_of_the_history(path: Path) -> None:
    assert_replayed(path)


A_RAISE = CASES / "limits" / "pot-limit-raise-the-pot.toml"


def test_planted_fault_unread_chip_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted fault: one chip of every stack is not reported."""

    def drop_chip(live: Live, event: Event, at_us: int) -> Transition:
        return handle_event(
            live, replace(event, stack=event.stack[:-1]) if isinstance(event, StackSettled) else event, at_us
        )

    monkeypatch.setattr(script_pipeline, "handle_event", drop_chip)
    with pytest.raises(AssertionError):
        test_script_prints_the_same_through_the_pipeline(("planted", played(load_script(A_RAISE))))


FOLDED = CASES / "refused" / "a-folded-seat-takes-its-blind-back.toml"


def test_refused_answer_is_given_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Check that the dealer does not repeat an answer that was refused. Otherwise the script would never end."""
    answers: list[Step] = []

    def record_answers(live: Live, step: Step, at_us: int, *, source: StepSource) -> Transition:
        if isinstance(step, observations.ExplainsChips):
            answers.append(step)
            assert len(answers) == 1, "the refused answer was given again"
        return handle_command(live, step, at_us, source=source)

    monkeypatch.setattr(script_pipeline, "handle_command", record_answers)
    list(play_pipeline(load_script(FOLDED)))
    assert answers == [observations.ExplainsChips(1, "taken")]


# --- a restart after any step ---


def restarted(live: Live, entry: Entry) -> Live:
    """Format and parse one recorded step as for a restart, and apply the result."""
    after, outcome = apply_step(live, parse_step(format_step(entry.step)), entry.source, entry.at_us)
    assert outcome.refusal is None, f"{format_step(entry.step)!r}: {outcome.refusal}"
    return after


def without_undo(live: Live) -> Live:
    """Return the state without the undo stack.

    The undo stack grows with each step, so the test compares the undo stack only at the end.
    """
    return without_transient(live)._replace(table=live.table._replace(undo_stack=()))


def test_restart_after_any_step_continues_the_same_table(case: tuple[str, Played]) -> None:
    _, result = case
    restored, done = Live(TableSetup(), starting_table(result.script)), 0
    for live, recorded in zip(result.lives, result.recorded, strict=True):
        for entry in result.journal[done:recorded]:
            restored = restarted(restored, entry)
        done = recorded
        assert without_undo(restored) == without_undo(live)
    last, data = without_transient(result.lives[-1]), snapshot.encode(restored)
    assert restored == last
    assert snapshot.encode(last) == data
    assert snapshot.decode(Live, data) == last
    assert build_table_view(restored, 1) == build_table_view(last, 1)


def test_planted_fault_unrecorded_change_is_caught() -> None:
    """Planted fault: the state contains a change that is not recorded as a step."""
    result = played(load_script(A_RAISE))
    changed_lives = [live._replace(floor_called=True) for live in result.lives]
    with pytest.raises(AssertionError):
        test_restart_after_any_step_continues_the_same_table(("planted", result._replace(lives=changed_lives)))
