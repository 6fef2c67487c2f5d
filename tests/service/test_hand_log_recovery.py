"""Check that the list of the last twenty hands survives a restart of the service.

Hands from earlier segments of the journal must be listed too, if the archive has these segments.
"""

from __future__ import annotations

import asyncio
import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.config import parse_config
from controller.journal.archive import closed_segment_path
from controller.live import Live, TableSetup, handle_command
from controller.service import TableService
from controller.service.queries import HandLog, QueryHandler, parse_query, query_handler
from controller.service.queries.hand_log import MAX_HANDS, LoggedHand
from controller.steps import format_step, parse_step
from controller.view import (
    RefusalView,
    pages,
)
from tests.service.in_process_service import InProcessService, in_process_service
from tests.service.service_process import CONFIG, DEADLINE_S, RawConnection, raw_connection
from tests.service.test_queries import HAND, SECOND_US, LoggedTable, logged_table, look, play


@contextmanager
def running_service(folder: Path) -> Iterator[tuple[InProcessService, RawConnection]]:
    """Run a service on the journal in this folder, and yield the service with a connection to it."""
    with in_process_service(folder, journal=folder / "t.journal") as table, raw_connection(table.address) as connection:
        yield table, connection


def rotate_journal(table: InProcessService) -> None:
    """Close the running segment of the journal and start a new one."""
    recorder = table.service._recorder
    assert recorder is not None
    before = recorder._journal and recorder._journal.header.segment
    table.call(lambda: recorder.rotate(table.service.live, 0))
    assert recorder._journal is not None and recorder._journal.header.segment != before


def play_hand_to_one_winner(table: InProcessService, connection: RawConnection) -> None:
    """Play a hand in which one seat raises, all others fold, and the raiser gets the pot."""

    def turn() -> int:
        hand = table.service.live.table.hand
        return hand.turn if hand is not None else 0

    play(connection, "hand")
    raiser = turn()
    play(connection, f"{raiser} raise to 30")
    while turn():
        play(connection, f"{turn()} fold")
    play(connection, f"award main {raiser}")


def hand_numbers(connection: RawConnection) -> list[int]:
    """Return the numbers of the hands on the page of the last hands, newest first."""
    page = look(connection, "hands")
    assert isinstance(page, pages.HandsPage)
    return [hand.number for hand in page.hands]


def play_three_segments(folder: Path) -> tuple[pages.HandsPage, list[pages.HandPage]]:
    """Play two hands in each of three segments. Return the page of the last hands, and a page for each hand."""
    with running_service(folder) as (table, connection):
        for segment in range(3):
            if segment:
                rotate_journal(table)
            play_hand_to_one_winner(table, connection)
            play(connection, "hand", "void")
        hands = look(connection, "hands")
        answers = [look(connection, f"hand {number}") for number in range(1, 7)]
    assert isinstance(hands, pages.HandsPage)
    return hands, [page for page in answers if isinstance(page, pages.HandPage)]


def test_hands_of_earlier_segments_are_listed_after_a_restart(tmp_path: Path) -> None:
    hands, hand_pages = play_three_segments(tmp_path)
    assert [hand.number for hand in hands.hands] == [6, 5, 4, 3, 2, 1] and hands.is_complete
    with running_service(tmp_path) as (_, connection):
        assert [look(connection, f"hand {number}") for number in range(1, 7)] == hand_pages
        assert look(connection, "hands") == hands
        play(connection, "hand")
        assert hand_numbers(connection) == [7, 6, 5, 4, 3, 2, 1]


def test_hand_of_a_segment_begun_before_the_first_query_is_listed_once(tmp_path: Path) -> None:
    play_three_segments(tmp_path)
    with running_service(tmp_path) as (table, connection):
        play(connection, "hand", "void")
        rotate_journal(table)
        play(connection, "hand")
        assert hand_numbers(connection) == [8, 7, 6, 5, 4, 3, 2, 1]


def change_record(segment: Path) -> None:
    """Change one amount in a record of this segment file, so that the hash of the record is wrong."""
    segment.chmod(0o644)
    data = segment.read_bytes()
    assert b"raise to 30" in data
    segment.write_bytes(data.replace(b"raise to 30", b"raise to 31"))


def empty_file(segment: Path) -> None:
    """Remove all contents of this segment file."""
    segment.chmod(0o644)
    segment.write_bytes(b"")


MISSING: dict[str, tuple[Callable[[Path], object], list[int]]] = {
    "the archive": (lambda path: shutil.rmtree(closed_segment_path(path, 1).parent), [6, 5]),
    "the oldest segment": (lambda path: closed_segment_path(path, 1).unlink(), [6, 5, 4, 3]),
    "the segment before": (lambda path: closed_segment_path(path, 2).unlink(), [6, 5]),
    "a record": (lambda path: change_record(closed_segment_path(path, 1)), [6, 5, 4, 3]),
    "the contents of a file": (lambda path: empty_file(closed_segment_path(path, 2)), [6, 5]),
    "the segment before, exchanged": (
        lambda path: closed_segment_path(path, 1).rename(closed_segment_path(path, 2)),
        [6, 5],
    ),
}
"""Cases of a damaged archive, by the part that is damaged or missing.

Each case has a function that damages the archive, and the numbers of the hands that must still be listed afterwards.
"""


@pytest.mark.parametrize("name", MISSING)
def test_hands_missing_from_the_archive_are_reported_missing(tmp_path: Path, name: str) -> None:
    play_three_segments(tmp_path)
    remove, remaining = MISSING[name]
    remove(tmp_path / "t.journal")
    with running_service(tmp_path) as (_, connection):
        page = look(connection, "hands")
        assert isinstance(page, pages.HandsPage) and not page.is_complete
        assert [hand.number for hand in page.hands] == remaining and all(hand.is_complete for hand in page.hands)
        reply = look(connection, "hand 1")
        assert isinstance(reply, RefusalView) and reply.code == "no-such-hand"


def test_hand_log_lists_at_most_twenty_hands(tmp_path: Path) -> None:
    with running_service(tmp_path) as (table, connection):
        for _ in range(4):
            play(connection, *["hand", "void"] * 8)
            rotate_journal(table)
        play(connection, "hand", "void")
    with running_service(tmp_path) as (_, connection):
        assert hand_numbers(connection) == list(range(33, 33 - MAX_HANDS, -1))


def test_new_configuration_starts_an_empty_hand_log(tmp_path: Path) -> None:
    play_three_segments(tmp_path)
    path = tmp_path / "t.journal"
    service = TableService.open(parse_config(CONFIG), path, trays=False)
    assert service._recorder is not None and service._recorder._journal is not None
    service._recorder._journal.rotate(b"", "configuration")
    service._recorder.close()
    with running_service(tmp_path) as (_, connection):
        play(connection, "hand")
        page = look(connection, "hands")
        assert isinstance(page, pages.HandsPage) and page.is_complete and [hand.number for hand in page.hands] == [1]


# --- undo and redo ---


def test_undo_across_a_segment_change_reopens_the_hand(tmp_path: Path) -> None:
    with running_service(tmp_path) as (table, connection):
        play(connection, *HAND, "award main 4")
        rotate_journal(table)
        play(connection, "undo")
    with running_service(tmp_path) as (_, connection):
        page = look(connection, "hands")
        assert isinstance(page, pages.HandsPage) and [hand.result for hand in page.hands] == [""]
        play(connection, "redo")
        page = look(connection, "hands")
        assert isinstance(page, pages.HandsPage) and [hand.result for hand in page.hands] == ["won"]


def steps_of(hands: tuple[LoggedHand, ...]) -> list[tuple[int, list[str]]]:
    """Return the number of every hand, together with the texts of its steps."""
    return [(hand.number, [format_step(step) for step in hand.steps]) for hand in hands]


def _identity(log: HandLog) -> HandLog:
    return log


def original_and_recovered_log(dice: Random, log_class: type[HandLog]) -> tuple[HandLog, HandLog]:
    """Return two hand logs of the same 40 random steps, many of which are undo and redo.

    The first log is filled with every step from the beginning. The second log simulates a restart. It begins with a
    later step and adds the earlier hands afterwards, as a service does at the first query.
    """
    table = logged_table()
    restarted = None
    start, first_query = sorted(dice.sample(range(40), 2))
    for number in range(40):
        if number == start:
            restarted = LoggedTable(table.live, log_class())
            log = table.played
            earlier = HandLog()
            earlier._groups, earlier._undone = log._groups.copy(), log._undone.copy()
            restarted.played.read_archived = partial(_identity, earlier)
        if number == first_query and restarted is not None and restarted.played.read_archived is not None:
            restarted.played.prepend(restarted.played.read_archived())
        hand = table.live.table.hand
        turn = (hand.turn if hand else 0) or 1
        usual_steps = ["hand", "hand", f"{turn} call", f"{turn} check", f"{turn} fold", "deal", "void", "2 add 10"]
        step = dice.choice(["undo", "undo", "redo", *usual_steps, *usual_steps][:: dice.choice([1, 3])])
        change = handle_command(
            table.live, parse_step(step), (number + 1) * 60 * SECOND_US, source="dealer", shown_turn=None
        )
        if restarted is not None:
            restarted.apply(change)
        table.apply(change)
    assert restarted is not None
    return table.played, restarted.played


@settings(max_examples=200, deadline=None)
@given(st.randoms(use_true_random=False))
def test_recovered_hand_log_equals_the_log_without_a_restart(dice: Random) -> None:
    original, recovered = original_and_recovered_log(dice, HandLog)
    assert steps_of(recovered.hands()) == steps_of(original.hands())


class LogThatKeepsArchivedHands(HandLog):
    """Planted fault: a hand log that ignores an undo of steps that were made before the restart."""

    def hands(self) -> tuple[LoggedHand, ...]:
        self._net_redone = 0
        return super().hands()


def test_planted_hand_log_that_ignores_undo_across_a_restart_is_caught() -> None:
    logs = [original_and_recovered_log(Random(seed), LogThatKeepsArchivedHands) for seed in range(40)]
    assert any(steps_of(recovered.hands()) != steps_of(original.hands()) for original, recovered in logs)


# --- disks and errors ---


def query_hands(handler: QueryHandler, live: Live) -> pages.HandsPage | RefusalView:
    """Ask for the page of the last hands. Return this page, or the refusal."""
    reply = asyncio.run(handler.build_page(parse_query("look hands") or pytest.fail("not a query"), live))
    assert isinstance(reply, pages.HandsPage | RefusalView)
    return reply


def test_hanging_disk_does_not_block_the_hands_page(monkeypatch: pytest.MonkeyPatch) -> None:
    # The first page lists only the hands since the restart. A later page also lists the hands from the archive.
    monkeypatch.setattr(query_handler, "ARCHIVE_READ_TIMEOUT_S", 0.05)
    disk_answers = threading.Event()
    table, before = logged_table(), logged_table()
    before.do("hand", "void")
    table.live = before.live
    table.do("hand")

    def read_slowly() -> HandLog:
        assert disk_answers.wait(DEADLINE_S)
        return before.played

    async def query_twice() -> list[int]:
        handler = QueryHandler(table.played)
        table.played.read_archived = read_slowly
        hand_counts = []
        for _ in range(2):
            page = await handler.build_page(parse_query("look hands") or pytest.fail("not a query"), table.live)
            assert isinstance(page, pages.HandsPage)
            hand_counts.append(len(page.hands))
            disk_answers.set()
            monkeypatch.setattr(query_handler, "ARCHIVE_READ_TIMEOUT_S", DEADLINE_S)
        return hand_counts

    assert asyncio.run(query_twice()) == [1, 2]


def test_error_while_reading_earlier_hands_is_reported_once() -> None:
    table = logged_table()
    table.do("hand")

    def fail() -> HandLog:
        raise ZeroDivisionError

    handler = QueryHandler(table.played)
    table.played.read_archived = fail
    with pytest.raises(ZeroDivisionError):
        query_hands(handler, table.live)
    page = query_hands(handler, table.live)
    assert isinstance(page, pages.HandsPage) and len(page.hands) == 1


def test_full_hand_log_reads_no_earlier_segments() -> None:
    table = logged_table()
    table.played.read_archived = lambda: pytest.fail("the archive was read")
    for _ in range(MAX_HANDS):
        table.do("hand", "void")
    page = query_hands(QueryHandler(table.played), Live(TableSetup(), table.live.table))
    assert isinstance(page, pages.HandsPage) and len(page.hands) == MAX_HANDS
