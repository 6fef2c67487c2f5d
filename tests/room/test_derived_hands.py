"""The derived rows equal what the pages of the table show, whatever is undone, missing or not readable."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import pytest

from controller.derived import CallRow, Changes, DerivedHand, FillRow, HandPlace, HoleRow, TableDeriver
from controller.histories import export_recorded, parse_hand
from controller.integrity import make_guard
from controller.journal import Stretch, salvage_journal
from controller.service.queries import LoggedHand, hand_row, hand_seats
from tests.controller.journal_tampering import KEY
from tests.room.recorded_table import RecordedTable


class Tables:
    """The derived rows of a table, to which changes are applied as in the database."""

    def __init__(self) -> None:
        self.hands: dict[HandPlace, DerivedHand] = {}
        self.pushes: dict[tuple[int, int], str] = {}
        self.rows: dict[str, dict[object, object]] = {"calls": {}, "fills": {}, "holes": {}}
        self.problems: list[str] = []

    def apply(self, changes: Changes) -> None:
        last, last_push = changes.no_hands_after, changes.no_pushes_after
        self.hands = {place: hand for place, hand in self.hands.items() if last is None or place <= last}
        self.pushes = {place: name for place, name in self.pushes.items() if last_push is None or place <= last_push}
        self.hands.update(changes.hands)
        self.pushes.update({place: row.dealer for place, row in changes.pushes.items()})
        for name, rows in self.rows.items():
            rows.update(getattr(changes, name))
        self.problems += [problem.message for problem in changes.problems]

    @property
    def summaries(self) -> list[tuple[object, ...]]:
        return [summary_of_row(hand) for _, hand in sorted(self.hands.items())]


def summary_of_row(hand: DerivedHand) -> tuple[object, ...]:
    row = hand.hand
    seats = [(seat.seat, seat.player, seat.stack_before, seat.stack_after, seat.won) for seat in hand.seats]
    return row.number, row.result, row.pot, row.rounds, row.warnings, row.is_complete, seats


def summary_of_page(hand: LoggedHand) -> tuple[object, ...]:
    """Return what the pages of the table show of a hand."""
    row = hand_row(hand)
    seats = [(seat.seat, seat.name, seat.stack_before, seat.stack_after, seat.won) for seat in hand_seats(hand)]
    return row.number, row.result, row.pot, row.round, row.warning_count, row.is_complete, seats


def derive_all(stretches: Sequence[Stretch]) -> Tables:
    deriver, tables = TableDeriver(), Tables()
    for number, stretch in enumerate(stretches, 1):
        deriver.add(number, stretch)
    tables.apply(deriver.take_changes())
    return tables


@pytest.fixture
def table(tmp_path: Path) -> Iterator[RecordedTable]:
    with closing(RecordedTable(tmp_path)) as recorded:
        yield recorded


def test_hand_equals_the_page_and_the_history_of_the_table(table: RecordedTable) -> None:
    table.do("dealer Ann", "1 name Zoe")
    for _ in range(3):
        table.play_hand()
    table.do("hand", "4 all-in", "1 all-in", "2 all-in", "3 fold", "deal", "deal", "deal")
    table.do("award main 4", "award side1 1 2")
    tables = derive_all(table.new_stretches())
    assert tables.summaries == [summary_of_page(hand) for hand in table.hands_over()]
    last = tables.hands[HandPlace(1, 4)]
    assert [(pot.pot, pot.seats) for pot in last.pots] == [("main", [4]), ("side1", [1, 2])]
    assert sum(pot.amount for pot in last.pots) + last.hand.rake == last.hand.pot
    assert last.hand.dealer == "Ann"
    logged = table.hands_over()[-1]
    history = parse_hand(export_recorded(logged.table_before, logged.steps))
    assert [seat.stack_after for seat in last.seats] == list(history.finishing)


def play_random_table(dice: Random, folder: Path) -> tuple[RecordedTable, list[Stretch]]:
    table = RecordedTable(folder)
    stretches: list[Stretch] = []
    for _ in range(dice.randint(1, 6)):
        table.play_at_random(dice, dice.randint(1, 60))
        if dice.random() < 0.5:
            table.rotate()
        if dice.random() < 0.7:
            stretches += table.new_stretches()
    return table, stretches + table.new_stretches()


@pytest.mark.parametrize("seed", range(20))
def test_random_play_with_undo_gives_the_hands_of_the_table(seed: int) -> None:
    dice = Random(seed)
    with TemporaryDirectory() as folder:
        table, stretches = play_random_table(dice, Path(folder))
        table.close()
    tables = derive_all(stretches)
    assert tables.problems == []
    assert tables.rows["holes"] == {}
    assert tables.summaries == [summary_of_page(hand) for hand in table.hands_over()]
    sessions = table.live.table.dealer_sessions
    opening = max((place[0] for place in tables.pushes), default=1)
    assert [name for place, name in sorted(tables.pushes.items()) if place[0] == opening] == [s.name for s in sessions]


@pytest.mark.parametrize("seed", range(20))
def test_restarts_between_any_spans_change_no_row(seed: int) -> None:
    dice = Random(seed)
    with TemporaryDirectory() as folder:
        table, stretches = play_random_table(dice, Path(folder))
        table.close()
    tables, deriver = Tables(), TableDeriver()
    for number, stretch in enumerate(stretches):
        deriver.add(number, stretch)
        if dice.random() < 0.5:
            tables.apply(deriver.take_changes())
            if dice.random() < 0.5:
                restarted = TableDeriver()
                for earlier in range(deriver.restart_span, number + 1):
                    restarted.add(earlier, stretches[earlier])
                restarted.take_changes()
                calls = [call for call in tables.rows["calls"].values() if isinstance(call, CallRow)]
                open_calls = [call for call in calls if call.ended_at is None]
                restarted.continue_with(deriver.opening, open_calls[0] if open_calls else None)
                deriver = restarted
    tables.apply(deriver.take_changes())
    whole = derive_all(stretches)
    assert (tables.hands, tables.pushes, tables.rows) == (whole.hands, whole.pushes, whole.rows)


# --- calls, dealers, fills ---


def test_call_has_its_reason_its_answer_and_its_end(table: RecordedTable) -> None:
    table.do("call-floor", "call-floor fill")
    table.do("floor-answers Eve", source="floor")
    table.rotate()
    table.do("floor-came", source="floor", badge="eve")
    table.do("call-floor player")
    first, second = derive_all(table.new_stretches()).rows["calls"].values()
    assert isinstance(first, CallRow)
    assert isinstance(second, CallRow)
    assert (first.record, first.why, first.answered_by, first.ended_by) == (1, "fill", "Eve", "eve")
    assert first.called_at is not None
    assert first.answered_at is not None
    assert first.called_at <= first.answered_at <= (first.ended_at or first.called_at)
    assert (second.why, second.answered_at, second.ended_at) == ("player", None, None)


def test_undone_fill_has_no_row_until_it_is_redone(table: RecordedTable) -> None:
    table.do("fill 500", source="floor", badge="eve")
    table.do("credit 100", "credit 30", source="floor")
    table.do("undo", "undo", "redo", source="floor")
    rows = [row for row in derive_all(table.new_stretches()).rows["fills"].values() if isinstance(row, FillRow)]
    assert [(row.kind, row.amount, row.badge) for row in rows] == [("fill", 500, "eve"), ("credit", 100, "")]
    assert table.live.table.cage_transfers == (500, 100)


def test_undone_push_has_no_row(table: RecordedTable) -> None:
    table.do("dealer Ann", "hand", "void", "dealer Bob", "undo", "dealer Joe")
    assert derive_all(table.new_stretches()).pushes == {(1, 0): "", (1, 1): "Ann", (1, 2): "Joe"}


# --- records that are missing ---


def split(stretches: Sequence[Stretch]) -> list[Stretch]:
    """Return spans with one record each."""
    return [
        stretch.part(index, index + 1, has_opening=stretch.begins_segment and index == 0)
        for stretch in stretches
        for index in range(len(stretch.bodies))
    ]


@pytest.mark.parametrize("seed", range(20))
def test_lost_spans_give_holes_and_only_hands_of_the_table(seed: int) -> None:
    dice = Random(seed)
    with TemporaryDirectory() as folder:
        table, stretches = play_random_table(dice, Path(folder))
        table.close()
    spans = split(stretches)
    lost = set(dice.sample(range(len(spans)), min(3, len(spans))))
    remaining = [span for number, span in enumerate(spans) if number not in lost]
    tables = derive_all(remaining)
    # A step that undoes a hand may be lost.
    pages = [summary_of_page(hand) for hand in table.ever_over]
    complete = [summary for summary in tables.summaries if summary[5]]
    assert [summary for summary in complete if summary not in pages] == []
    assert bool(tables.rows["holes"]) == (remaining != spans[: len(remaining)])


def test_planted_deriver_that_ignores_missing_records_is_caught(
    table: RecordedTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(3):
        table.play_hand()
    spans = split(table.new_stretches())
    monkeypatch.setattr(TableDeriver, "_lose", lambda *_: None)
    tables = derive_all([*spans[:7], *spans[8:]])
    assert tables.summaries != [summary_of_page(hand) for hand in table.hands_over()]
    assert tables.rows["holes"] == {}


def test_hand_that_a_salvage_has_lost_has_no_row(table: RecordedTable) -> None:
    for number in range(4):
        table.play_hand()
        if number == 1:
            table.rotate()
    stretches = table.new_stretches()
    pages = [summary_of_page(hand) for hand in table.hands_over()]
    assert derive_all(stretches).summaries == pages
    table.close()
    with closing(sqlite3.connect(table.path)) as db:
        db.execute("UPDATE record SET body = 'damaged' WHERE number = (SELECT max(number) FROM record)")
        db.commit()
    assert salvage_journal(table.path, guard=make_guard(table.path, KEY)).damaged_path is not None
    tables = derive_all([*stretches, *table.new_stretches()])
    assert tables.summaries == pages[:3]
    (hole,) = tables.rows["holes"].values()
    assert isinstance(hole, HoleRow)
    assert (hole.reason, hole.ended_at is not None) == ("salvage", True)
