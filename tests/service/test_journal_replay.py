"""Check the state of the table that the replay of a journal computes.

The program that wrote the journal must compute the recorded state again. A changed program may compute another state.
In this case the replay must continue from the recorded state and report the first hand that differs.
"""

from __future__ import annotations

import sqlite3
import statistics
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner

from controller.bench import start_cpu_s, write_long_journal
from controller.bench.journal import hand_lines
from controller.cli import main
from controller.config import parse_config
from controller.journal import Entry, Journal, JournalError, Segment, iter_segments, new_header, verify
from controller.live import Live, tick, without_transient
from controller.rules import Refusal
from controller.service import TableService
from controller.service.journal_replay import (
    ReplayResult,
    full_snapshot,
    hand_end_snapshot,
    live_from_snapshot,
    replay_segment,
)
from controller.steps import Step, hand_steps, parse_step
from controller.table import StepOutcome, Table, TableRefusal, dealer_shifts
from tests.controller.live_harness import LiveHarness

STEP_EFFECTS = sys.modules["controller.live.step_effects"]
CODEC = sys.modules["controller.journal.snapshot.codec"]
RECORDER = sys.modules["controller.service.recorder"]


class JournaledHarness(LiveHarness):
    """Table that writes its steps to a journal, with a snapshot after each hand."""

    def __init__(self, path: Path) -> None:
        super().__init__(trays=False, hand=False)
        self.journal = Journal.create(path, new_header("{}"))
        self._written = 0
        self._was_playing = False

    def write_records(self) -> None:
        """Append all steps to the journal that are not written yet."""
        entries = [Entry(at_us, parse_step(do), source) for do, source, at_us in self.records[self._written :]]
        is_hand_end = self._was_playing and not self.table.is_hand_in_progress
        self.journal.append(entries, hand_end_snapshot(self.live) if is_hand_end else b"")
        self._written, self._was_playing = len(self.records), self.table.is_hand_in_progress

    def play_hand(self, winner: int) -> None:
        """Play a hand in which all seats call and then check to the showdown. Award the pot to the seat `winner`."""
        self.do_and_record("hand")
        hand = self.table.hand
        assert hand is not None
        small, big, *others = hand.dealt_seats
        for seat in (*others, small):
            self.do_and_record(f"{seat} call")
        self.do_and_record(f"{big} check")
        for _ in range(3):
            self.do_and_record("deal")
            for seat in hand.dealt_seats:
                self.do_and_record(f"{seat} check")
        self.do_and_record(f"award main {winner}")
        assert not self.table.is_hand_in_progress

    def do_and_record(self, do: str) -> None:
        """Apply a step one second after the previous step, and write it to the journal."""
        self.advance(1_000_000)
        self.do(do)
        self.write_records()


def write_four_hands(path: Path) -> Live:
    """Write a journal of four hands, won by seats 2, 3, 2 and 4, and the start of a fifth. Return the last state."""
    game = JournaledHarness(path)
    with closing(game.journal):
        game.do_and_record("1 add 50")
        for winner in (2, 3, 2, 4):
            game.play_hand(winner)
        for do in ("2 tip 5", "hand"):
            game.do_and_record(do)
    return game.live


def replay(path: Path) -> ReplayResult:
    """Replay the running segment of a journal, and return the result."""
    game = LiveHarness(trays=False, hand=False)
    with closing(Journal.open_read_only(path)) as segment:
        return replay_segment(segment, game.live)


@pytest.mark.parametrize("is_in_earlier_segment", [False, True])
def test_floor_call_keeps_its_time_over_a_restart(tmp_path: Path, *, is_in_earlier_segment: bool) -> None:
    game = JournaledHarness(tmp_path / "t.journal")
    with closing(game.journal):
        game.do_and_record("hand")
        called_us = game.now_us + 1_000_000
        game.do_and_record("call-floor fill")
        game.do_and_record("floor-answers Ann Lee")
        if is_in_earlier_segment:
            game.journal.rotate(full_snapshot(game.live))
            game.do_and_record("4 fold")
    restarted = replay(tmp_path / "t.journal").live
    waiting = tick(restarted, called_us + 180_000_000)
    assert waiting.live.ended_delays.floor_waiting_minutes == 3
    assert (restarted.floor_call.reason, restarted.floor_call.answered_by) == ("fill", "Ann Lee")


@pytest.mark.parametrize("is_in_earlier_segment", [False, True])
def test_fills_and_credits_are_kept_over_a_restart(tmp_path: Path, *, is_in_earlier_segment: bool) -> None:
    game = JournaledHarness(tmp_path / "t.journal")
    with closing(game.journal):
        for do in ("fill 500", "credit 200", "undo", "credit 300", "dealer ann", "fill 100"):
            game.do_and_record(do)
        if is_in_earlier_segment:
            game.journal.rotate(full_snapshot(game.live))
        game.play_hand(2)
    result = replay(tmp_path / "t.journal")
    assert (result.difference, result.live.table.cage_transfers) == ("", (600, 300))
    assert [shift.cage_transfers for shift in dealer_shifts(result.live.table)] == [(500, 300), (100, 0)]


@pytest.fixture
def journal_path(tmp_path: Path) -> Path:
    return tmp_path / "t.journal"


def plant(monkeypatch: pytest.MonkeyPatch, change: Callable[[StepOutcome, Table, Step], StepOutcome]) -> None:
    """Simulate a changed program: `change(outcome, table_before, step)` replaces the outcome of each step."""
    original = STEP_EFFECTS.table_step
    monkeypatch.setattr(
        STEP_EFFECTS, "table_step", lambda table, step, at_us: change(original(table, step, at_us), table, step)
    )


def plant_changed_award(monkeypatch: pytest.MonkeyPatch, seat: int) -> None:
    """Simulate a changed rule, by which this seat gives one unit to seat 1 whenever it wins a pot."""

    def change_award(outcome: StepOutcome, _: Table, step: Step) -> StepOutcome:
        if not isinstance(step, hand_steps.AwardsPot) or outcome.refusal is not None or seat not in step.high:
            return outcome
        players = dict(outcome.table.players)
        players[seat] = players[seat]._replace(stack=players[seat].stack - 1)
        players[1] = players[1]._replace(stack=players[1].stack + 1)
        return outcome._replace(table=outcome.table._replace(players=players))

    plant(monkeypatch, change_award)


def test_replay_with_the_same_program_gives_the_recorded_state(journal_path: Path) -> None:
    live = write_four_hands(journal_path)
    assert replay(journal_path) == ReplayResult(without_transient(live))


@pytest.mark.parametrize(("seat", "hand"), [(2, 1), (3, 2), (4, 4)])
def test_changed_rule_is_reported_at_the_first_affected_hand(
    journal_path: Path, monkeypatch: pytest.MonkeyPatch, seat: int, hand: int
) -> None:
    live = write_four_hands(journal_path)
    plant_changed_award(monkeypatch, seat)
    result = replay(journal_path)
    assert f"hand {hand}, record " in result.difference
    assert "table.players[1].stack: " in result.difference, result.difference
    assert "\n" not in result.difference
    assert result.live == without_transient(live)._replace(
        table=live.table._replace(undo_stack=result.live.table.undo_stack)
    )
    # The replay continues from the snapshot after the last hand. Only the steps after this hand can be undone.
    assert [entry.step for entry in result.live.table.undo_stack] == [parse_step("2 tip 5"), parse_step("hand")]


def test_replay_continues_from_the_recorded_state_if_a_rule_now_refuses_a_step(
    journal_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    live = write_four_hands(journal_path)

    def refuse_award(outcome: StepOutcome, table: Table, step: Step) -> StepOutcome:
        if table.hands_started == 2 and isinstance(step, hand_steps.AwardsPot):
            return StepOutcome(table, Refusal(TableRefusal.NO_HAND))
        return outcome

    plant(monkeypatch, refuse_award)
    result = replay(journal_path)
    assert "'award main 3' is refused" in result.difference
    assert result.live.table.players == live.table.players


def test_replay_continues_from_the_recorded_state_after_an_exception(
    journal_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    live = write_four_hands(journal_path)

    def faulty(outcome: StepOutcome, table: Table, step: Step) -> StepOutcome:
        if table.hands_started == 3:
            raise RuntimeError("planted")
        return outcome

    plant(monkeypatch, faulty)
    result = replay(journal_path)
    assert "RuntimeError: planted" in result.difference
    assert result.live.table.players == live.table.players


def test_replay_after_the_last_recorded_state_goes_as_far_as_possible(
    journal_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    live = write_four_hands(journal_path)

    def faulty(outcome: StepOutcome, table: Table, step: Step) -> StepOutcome:
        if table.hands_started == 4 and step == parse_step("hand"):
            raise ValueError("planted")
        return outcome

    plant(monkeypatch, faulty)
    result = replay(journal_path)
    assert "'hand'" in result.difference
    assert (result.live.table.hands_started, live.table.hands_started) == (4, 5)
    assert result.live.table.accounts == live.table.accounts


def test_undo_works_across_a_segment_change(journal_path: Path) -> None:
    game = JournaledHarness(journal_path)
    with closing(game.journal):
        for winner in (2, 3):
            game.play_hand(winner)
        game.journal.rotate(full_snapshot(game.live))
        game.do_and_record("2 tip 5")
        live = game.live
    result = replay(journal_path)
    assert result == ReplayResult(without_transient(live))
    assert len(result.live.table.undo_stack) == len(live.table.undo_stack) > 20


def write_seats_in_another_order(path: Path, *, by_seat: bool) -> None:
    """Write a segment that begins after seat 2 has sat down behind the seats after it, with digests of amounts."""
    game = JournaledHarness(path)
    with closing(game.journal):
        for do in ("2 leave", "2 sit 500"):
            game.do_and_record(do)
        assert [*game.table.players] != sorted(game.table.players)
        game.journal.rotate(full_snapshot(game.live))
        game.do("hand")
        entries = [Entry(at_us, parse_step(do), source) for do, source, at_us in game.records[game._written :]]
        game.journal.append(entries, b"", game.table.amounts(by_seat=by_seat))


def test_seats_in_another_order_are_no_difference_after_a_segment_change(journal_path: Path) -> None:
    write_seats_in_another_order(journal_path, by_seat=True)
    assert replay(journal_path).difference == ""


def test_planted_digest_in_the_order_of_sitting_down_is_a_difference(journal_path: Path) -> None:
    write_seats_in_another_order(journal_path, by_seat=False)
    assert "changes the amounts at the table" in replay(journal_path).difference


def test_unreadable_recorded_state_is_reported(journal_path: Path) -> None:
    with closing(Journal.create(journal_path, new_header("{}"), b'{"form":1}')):
        pass
    with pytest.raises(JournalError, match="its first snapshot: snapshot: another kind of file"):
        replay(journal_path)


def test_replay_uses_the_last_state_if_the_first_is_unreadable(journal_path: Path) -> None:
    game = JournaledHarness(journal_path)
    with closing(game.journal):
        game.play_hand(2)
        game.journal.rotate(b'{"form":1}')
        game.play_hand(3)
        game.do_and_record("2 tip 5")
        live = game.live
    result = replay(journal_path)
    assert "its first snapshot: snapshot: another kind of file" in result.difference
    assert result.live.table._replace(undo_stack=()) == live.table._replace(undo_stack=())


def test_replay_keeps_its_own_state_if_no_recorded_state_is_readable(
    journal_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    live = write_four_hands(journal_path)
    monkeypatch.setattr(CODEC, "FORMAT_VERSION", 2)
    result = replay(journal_path)
    assert "hand 1, record " in result.difference and "another kind of file" in result.difference
    assert result.live == without_transient(live)


def test_lost_state_is_reported(journal_path: Path) -> None:
    game = JournaledHarness(journal_path)
    with closing(game.journal):
        game.play_hand(2)
        game.journal.rotate(full_snapshot(game.live))
    with closing(sqlite3.connect(journal_path)) as db:
        db.executescript("DELETE FROM state")
    with pytest.raises(JournalError, match="its state is damaged: missing"):
        replay(journal_path)


def test_hand_state_is_the_table_state_without_undo_history(journal_path: Path) -> None:
    live = write_four_hands(journal_path)
    restored = live_from_snapshot(hand_end_snapshot(live), live.setup)
    assert restored.table == live.table._replace(undo_stack=())
    assert live_from_snapshot(full_snapshot(live), live.setup) == without_transient(live)


# --- commands ---

TABLE = """
button = 1
stacks = { 1 = 1000, 2 = 1000, 3 = 1000, 4 = 1000 }
[game]
blinds = [5, 10]
"""


def journal_command(*arguments: object) -> str:
    """Run `potkeeper journal` and return its output. The exit code must be 0."""
    result = CliRunner().invoke(main, ["journal", *map(str, arguments)])
    assert result.exit_code == 0, result.output
    return result.output


def open_service(config: str, path: Path) -> TableService:
    """Open the journal at this path, and return a service that does not run yet."""
    return TableService.open(parse_config(config), path, trays=False)


def close_service(service: TableService) -> Live:
    """Close the journal of a service, and return the last state of the table with its sensors."""
    assert service._recorder is not None
    service._recorder.close()
    return service.live


def test_new_configuration_starts_a_new_journal(tmp_path: Path, journal_path: Path) -> None:
    service = open_service(TABLE, journal_path)
    service.apply_step(parse_step("2 tip 5"))
    close_service(service)
    config = tmp_path / "table.toml"
    config.write_text(TABLE.replace("[5, 10]", "[10, 20]"))
    assert " continues " in journal_command("begin", journal_path, "--config", config)
    live = close_service(open_service(TABLE, journal_path))
    assert live.table.game.blinds == (10, 20)
    assert live.table.players[2].stack == 1000
    assert verify(journal_path)[1] == 2


def test_copied_journal_is_restored(tmp_path: Path, journal_path: Path) -> None:
    service = open_service(TABLE, journal_path)
    service.apply_step(parse_step("2 tip 5"))
    live = close_service(service)
    copy = tmp_path / "copy.journal"
    journal_path.rename(copy)
    assert " continues " in journal_command("restore", copy, journal_path)
    with closing(Segment.open_read_only(journal_path)) as segment, closing(Segment.open_read_only(copy)) as parent:
        assert (segment.read_header().origin, segment.read_header().parent_journal) == ("restore", parent.journal_name)
    restored = close_service(open_service(TABLE, journal_path))
    assert restored.table.players == live.table.players
    assert restored.table.undo_stack == live.table.undo_stack
    refused = CliRunner().invoke(main, ["journal", "restore", str(copy), str(journal_path)])
    assert (refused.exit_code, refused.output.count("\n")) == (2, 1)
    assert "exists, expected a path without a file" in refused.output


def test_service_starts_a_new_segment_between_hands(journal_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(RECORDER, "MAX_SEGMENT_RECORDS", 3)
    service = open_service(TABLE, journal_path)
    recorder = service._recorder
    assert recorder is not None
    for do in ("1 tip 1", "hand", "4 call", "1 call"):
        assert service.apply_step(parse_step(do)) is None
        recorder.maintain(service.live, 0)
    assert len(list(iter_segments(journal_path))) == 1, "a segment was started during a hand"
    for do in ("void", "2 tip 1"):
        assert service.apply_step(parse_step(do)) is None
        recorder.maintain(service.live, 0)
    live = close_service(service)
    assert [segment.read_header().segment for segment in iter_segments(journal_path)] == [1, 2]
    assert without_transient(close_service(open_service(TABLE, journal_path))) == without_transient(live)


def test_changed_rule_alert_lasts_until_the_floor_clears_it(
    journal_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    service = open_service(TABLE, journal_path)
    assert service.live.table.hand is None
    assert service.apply_step(parse_step("hand")) is None
    for do in hand_lines((2, 3, 4, 1)):
        assert service.apply_step(parse_step(do)) is None, do
    live = close_service(service)
    plant_changed_award(monkeypatch, 2)
    for _ in range(2):
        service = open_service(TABLE, journal_path)
        assert [alert.code for alert in service.view.alerts if alert.code == "journal-altered"]
        assert close_service(service).table.players == live.table.players
    log = caplog.text
    assert log.count("hand 1, record ") == log.count("table.players[1].stack: ") == 1, log


# --- a million records ---

MILLION = 1_000_000
MAX_START_S = 5.0
"""Maximum time in seconds for the start of a service that has only a quarter of a processor core. The test measures the
processor time of the start and multiplies it by four."""


@pytest.mark.soak
def test_service_starts_quickly_on_a_million_records(tmp_path: Path) -> None:
    """A start must also take at most twice as long as for a table without records, in processor time."""
    journal = tmp_path / "long.journal"
    hands = write_long_journal(journal, MILLION)
    size = sum(path.stat().st_size for path in tmp_path.rglob("*journal*") if path.is_file())
    starts = [(start_cpu_s(tmp_path / f"{n}", journal), start_cpu_s(tmp_path / f"empty-{n}", None)) for n in range(5)]
    used_s, empty_s = (statistics.median(seconds) for seconds in zip(*starts, strict=True))
    print(f"{MILLION} records of {hands} hands: {size / hands / 1000:.1f} kB a hand on disk,", end=" ")
    print(f"{used_s:.2f} s of a processor, {empty_s:.2f} s without records")
    assert used_s * 4 < MAX_START_S
    assert used_s <= 2 * empty_s
