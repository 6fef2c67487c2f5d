"""The derived rows equal what the pages of the table show, whatever is undone, missing or not readable."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import pytest

from controller.derived import Changes, DerivedHand, HandPlace, TableDeriver
from controller.histories import export_recorded, parse_hand
from controller.journal import Stretch
from controller.service.queries import LoggedHand, hand_row, hand_seats
from tests.room.recorded_table import RecordedTable


class Tables:
    """The derived rows of one table, to which changes are applied as in the database."""

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
                open_calls = [call for call in tables.rows["calls"].values() if call.ended_at is None]
                restarted.continue_with(deriver.opening, open_calls[0] if open_calls else None)
                deriver = restarted
    tables.apply(deriver.take_changes())
    whole = derive_all(stretches)
    assert (tables.hands, tables.pushes, tables.rows) == (whole.hands, whole.pushes, whole.rows)
