"""After a restart the last twenty hands are those of earlier segments as well, as far as the archive has them."""

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

from controller.config import read_config
from controller.journal.archive import place
from controller.live import Live, Setup, obey
from controller.service import Service
from controller.service.looks import Looks, Played, asked, looks
from controller.service.looks.played import HANDS, PlayedHand
from controller.table import line, parse
from controller.view import HandPage, HandsPage, Refused
from tests.service.inside import Inside, inside
from tests.service.running import CONFIG, DEADLINE_S, Bare, connected
from tests.service.test_looks import HAND, SECOND_US, Sitting, look, play, sitting


@contextmanager
def running(folder: Path) -> Iterator[tuple[Inside, Bare]]:
    with inside(folder, journal=folder / "t.journal") as table, connected(table.address) as bare:
        yield table, bare


def rotated(table: Inside) -> None:
    """Another segment is begun."""
    recorder = table.service._recorder
    assert recorder is not None
    before = recorder._journal and recorder._journal.begun.segment
    table.call(lambda: recorder.rotate(table.service.live, 0))
    assert recorder._journal is not None and recorder._journal.begun.segment != before


def folded_around(table: Inside, bare: Bare) -> None:
    """One raises, the others fold, the pot is given."""

    def turn() -> int:
        hand = table.service.live.table.hand
        return hand.turn if hand is not None else 0

    play(bare, "hand")
    raiser = turn()
    play(bare, f"{raiser} raise to 30")
    while turn():
        play(bare, f"{turn()} fold")
    play(bare, f"award main {raiser}")


def numbers(bare: Bare) -> list[int]:
    page = look(bare, "hands")
    assert isinstance(page, HandsPage)
    return [hand.number for hand in page.hands]


def three_segments(folder: Path) -> tuple[HandsPage, list[HandPage]]:
    """Two hands in each of three; gives the pages of them."""
    with running(folder) as (table, bare):
        for segment in range(3):
            if segment:
                rotated(table)
            folded_around(table, bare)
            play(bare, "hand", "void")
        hands = look(bare, "hands")
        pages = [look(bare, f"hand {number}") for number in range(1, 7)]
    assert isinstance(hands, HandsPage)
    return hands, [page for page in pages if isinstance(page, HandPage)]


def test_hands_of_earlier_segments_are_there_after_a_restart(tmp_path: Path) -> None:
    hands, pages = three_segments(tmp_path)
    assert [hand.number for hand in hands.hands] == [6, 5, 4, 3, 2, 1] and hands.is_all
    with running(tmp_path) as (_, bare):
        assert [look(bare, f"hand {number}") for number in range(1, 7)] == pages
        assert look(bare, "hands") == hands
        play(bare, "hand")
        assert numbers(bare) == [7, 6, 5, 4, 3, 2, 1]


def test_a_segment_that_is_begun_before_anybody_looks_back_is_told_once(tmp_path: Path) -> None:
    three_segments(tmp_path)
    with running(tmp_path) as (table, bare):
        play(bare, "hand", "void")
        rotated(table)
        play(bare, "hand")
        assert numbers(bare) == [8, 7, 6, 5, 4, 3, 2, 1]


def changed(segment: Path) -> None:
    segment.chmod(0o644)
    data = segment.read_bytes()
    assert b"raise to 30" in data
    segment.write_bytes(data.replace(b"raise to 30", b"raise to 31"))


def emptied(segment: Path) -> None:
    segment.chmod(0o644)
    segment.write_bytes(b"")


MISSING: dict[str, tuple[Callable[[Path], object], list[int]]] = {
    "the archive": (lambda path: shutil.rmtree(place(path, 1).parent), [6, 5]),
    "the oldest segment": (lambda path: place(path, 1).unlink(), [6, 5, 4, 3]),
    "the segment before": (lambda path: place(path, 2).unlink(), [6, 5]),
    "a record": (lambda path: changed(place(path, 1)), [6, 5, 4, 3]),
    "a whole file": (lambda path: emptied(place(path, 2)), [6, 5]),
    "the segment before, exchanged": (lambda path: place(path, 1).rename(place(path, 2)), [6, 5]),
}
"""By what of the archive is gone: how, and the hands that are there."""


@pytest.mark.parametrize("name", MISSING)
def test_what_the_archive_does_not_have_is_not_there_and_is_said_so(tmp_path: Path, name: str) -> None:
    three_segments(tmp_path)
    take_away, left = MISSING[name]
    take_away(tmp_path / "t.journal")
    with running(tmp_path) as (_, bare):
        page = look(bare, "hands")
        assert isinstance(page, HandsPage) and not page.is_all
        assert [hand.number for hand in page.hands] == left and all(hand.whole for hand in page.hands)
        gone = look(bare, "hand 1")
        assert isinstance(gone, Refused) and gone.code == "no-such-hand"


def test_no_more_than_the_last_twenty_are_there(tmp_path: Path) -> None:
    with running(tmp_path) as (table, bare):
        for _ in range(4):
            play(bare, *["hand", "void"] * 8)
            rotated(table)
        play(bare, "hand", "void")
    with running(tmp_path) as (_, bare):
        assert numbers(bare) == list(range(33, 33 - HANDS, -1))


def test_another_configuration_begins_the_hands_anew(tmp_path: Path) -> None:
    three_segments(tmp_path)
    path = tmp_path / "t.journal"
    service = Service.open(read_config(CONFIG), path, trays=False)
    assert service._recorder is not None and service._recorder._journal is not None
    service._recorder._journal.rotate(b"", "configuration")
    service._recorder.close()
    with running(tmp_path) as (_, bare):
        play(bare, "hand")
        page = look(bare, "hands")
        assert isinstance(page, HandsPage) and page.is_all and [hand.number for hand in page.hands] == [1]


# --- undo and redo ---


def test_undo_over_a_change_of_segment_opens_the_hand_again(tmp_path: Path) -> None:
    with running(tmp_path) as (table, bare):
        play(bare, *HAND, "award main 4")
        rotated(table)
        play(bare, "undo")
    with running(tmp_path) as (_, bare):
        page = look(bare, "hands")
        assert isinstance(page, HandsPage) and [hand.ended for hand in page.hands] == [""]
        play(bare, "redo")
        page = look(bare, "hands")
        assert isinstance(page, HandsPage) and [hand.ended for hand in page.hands] == ["won"]


def steps_of(hands: tuple[PlayedHand, ...]) -> list[tuple[int, list[str]]]:
    return [(hand.number, [line(step) for step in hand.steps]) for hand in hands]


def _itself(log: Played) -> Played:
    return log


def two_logs(dice: Random, after: type[Played]) -> tuple[Played, Played]:
    """The log of a table at which anything is tried and much is taken back, and one that was begun at some step and
    looks back at another."""
    table = sitting()
    restarted = None
    begun, looked = sorted(dice.sample(range(40), 2))
    for number in range(40):
        if number == begun:
            restarted = Sitting(table.live, after())
            log = table.played
            earlier = Played()
            earlier._acts, earlier._undone = log._acts.copy(), log._undone.copy()
            restarted.played.reads_earlier = partial(_itself, earlier)
        if number == looked and restarted is not None and restarted.played.reads_earlier is not None:
            restarted.played.goes_on_from(restarted.played.reads_earlier())
        hand = table.live.table.hand
        turn = (hand.turn if hand else 0) or 1
        usual = ["hand", "hand", f"{turn} call", f"{turn} check", f"{turn} fold", "deal", "void", "2 add 10"]
        step = dice.choice(["undo", "undo", "redo", *usual, *usual][:: dice.choice([1, 3])])
        change = obey(table.live, parse(step), (number + 1) * 60 * SECOND_US, source="dealer", shown_turn=None)
        if restarted is not None:
            restarted.take(change)
        table.take(change)
    assert restarted is not None
    return table.played, restarted.played


@settings(max_examples=200, deadline=None)
@given(st.randoms(use_true_random=False))
def test_a_log_that_looks_back_is_the_log_of_a_service_that_was_never_restarted(dice: Random) -> None:
    throughout, restarted = two_logs(dice, Played)
    assert steps_of(restarted.hands()) == steps_of(throughout.hands())


class Stays(Played):
    """A planted log, at which what was played before cannot be taken back."""

    def hands(self) -> tuple[PlayedHand, ...]:
        self._since = 0
        return super().hands()


def test_a_planted_log_that_does_not_follow_undo_over_the_restart_is_caught() -> None:
    logs = [two_logs(Random(seed), Stays) for seed in range(40)]
    assert any(steps_of(restarted.hands()) != steps_of(throughout.hands()) for throughout, restarted in logs)


# --- disks and faults ---


def of(looks: Looks, live: Live) -> HandsPage | Refused:
    found = asyncio.run(looks.page(asked("look hands") or pytest.fail("no look"), live))
    assert isinstance(found, HandsPage | Refused)
    return found


def test_a_disk_that_hangs_keeps_no_page(monkeypatch: pytest.MonkeyPatch) -> None:
    """The page has what is known; the rest is there at a later look."""
    monkeypatch.setattr(looks, "READ_S", 0.05)
    answers = threading.Event()
    table, before = sitting(), sitting()
    before.do("hand", "void")
    table.live = before.live
    table.do("hand")

    def hangs() -> Played:
        assert answers.wait(DEADLINE_S)
        return before.played

    async def looked() -> list[int]:
        pages = Looks(table.played)
        table.played.reads_earlier = hangs
        shown = []
        for _ in range(2):
            page = await pages.page(asked("look hands") or pytest.fail("no look"), table.live)
            assert isinstance(page, HandsPage)
            shown.append(len(page.hands))
            answers.set()
            monkeypatch.setattr(looks, "READ_S", DEADLINE_S)
        return shown

    assert asyncio.run(looked()) == [1, 2]


def test_a_fault_of_ours_is_told_once_and_the_hands_that_are_known_are_there() -> None:
    table = sitting()
    table.do("hand")

    def fails() -> Played:
        raise ZeroDivisionError

    pages = Looks(table.played)
    table.played.reads_earlier = fails
    with pytest.raises(ZeroDivisionError):
        of(pages, table.live)
    page = of(pages, table.live)
    assert isinstance(page, HandsPage) and len(page.hands) == 1


def test_who_knows_twenty_hands_reads_nothing() -> None:
    table = sitting()
    table.played.reads_earlier = lambda: pytest.fail("read")
    for _ in range(HANDS):
        table.do("hand", "void")
    page = of(Looks(table.played), Live(Setup(), table.live.table))
    assert isinstance(page, HandsPage) and len(page.hands) == HANDS
