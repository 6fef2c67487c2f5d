"""Kill a service at each line of a take-up: the journal has the old configuration or the new one, and nothing else."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Callable
from pathlib import Path
from types import CodeType
from typing import TypeVar

import pytest

from controller.config import parse_config
from controller.integrity import make_guard
from controller.journal import DiskWorker, Journal, LayoutInForce, audit_journal
from controller.journal.archive import verify
from controller.live import Live, TableSetup
from controller.service import TableService
from controller.service.recorder import JournalLocation
from controller.service.recovery import recover_with_timeout
from controller.steps import parse_step
from tests.kill_at_line import is_killed, kill_before_line
from tests.service.service_process import CONFIG

OLD, NEW = parse_config(CONFIG), parse_config(CONFIG.replace("[5, 10]", "[10, 20]"))
LAYOUT = LayoutInForce("layout.toml", "5e" * 32, list_number=2)
PLAYED = ("hand", "4 fold", "1 fold", "2 fold", "award main 3", "3 tip 5", "call-floor")
FILES_OF_TAKE_UP = (
    "/journal/journal.py",
    "/journal/archive.py",
    "/journal/sqlite_file.py",
    "/service/recorder.py",
    "/service/table_service.py",
)
"""Modules whose lines are counted. The lines that encode the snapshot change no file."""
STEP_LINES = 11
"""Distance of the tested lines. The soak tests every line."""
MIN_LINES = 100
"""Minimum number of lines of a take-up. With fewer lines, the kills have not reached the code that moves files."""
TakeUp = Callable[[TableService], bool]
T = TypeVar("T")

TAKE_UPS: dict[str, TakeUp] = {
    "configuration": lambda service: service.use_configuration(NEW),
    "layout": lambda service: service.use_layout(LAYOUT),
}


def work_at_once(self: DiskWorker, work: Callable[[], T], timeout_s: float) -> T:
    """Do the work of the disk in the thread of the caller, so that the harness can count its lines."""
    return work()


def is_part_of_take_up(code: CodeType) -> bool:
    return code.co_filename.endswith(FILES_OF_TAKE_UP)


def take_up(path: Path, change: TakeUp, moment: int = 0) -> None:
    """Open the table of this journal and take up a change. End the process before line number `moment`, if not 0."""

    async def run() -> None:
        service = TableService.open(OLD, JournalLocation(path, make_guard(path)), trays=False)
        with kill_before_line(moment, is_part_of_take_up):
            assert change(service)
        service.apply_step(parse_step("hand"))

    asyncio.run(run())


def without_clock(live: Live) -> Live:
    """Return the state without the time from which minutes are counted, which a take-up may set."""
    return live._replace(times=live.times._replace(minutes_counted_us=0))


def recovered(path: Path) -> Live:
    location = JournalLocation(path, make_guard(path))
    _, live, recorder, _ = recover_with_timeout(OLD, location, TableSetup(), 10**15)
    assert not recorder.is_unrecorded
    recorder.close()
    return live


@pytest.fixture
def played(ram_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of a journal in which a hand was played."""
    monkeypatch.setattr(DiskWorker, "run", work_at_once)
    folder = ram_path / "played"
    folder.mkdir()

    async def play() -> None:
        service = TableService.open(OLD, folder / "table.journal", trays=False)
        for line in PLAYED:
            assert service.apply_step(parse_step(line)) is None, line
        assert service._recorder is not None
        service._recorder.close()

    asyncio.run(play())
    return folder


def check_kills(played: Path, change: TakeUp, step: int) -> set[tuple[int, ...]]:
    """Kill the take-up at every `step`-th line. Return the blinds with which the journals then started."""
    before, blinds, moment = recovered(played / "table.journal"), set[tuple[int, ...]](), 1
    while True:
        work = played.with_name("work")
        shutil.rmtree(work, ignore_errors=True)
        shutil.copytree(played, work)
        path = work / "table.journal"
        if not is_killed(lambda path=path, moment=moment: take_up(path, change, moment)):  # type: ignore[misc]
            break
        live = recovered(path)
        games = live.table.games
        blinds.add(games["main"].blinds)
        assert games in (OLD.table.games, NEW.table.games), moment
        assert live.table._replace(games={}, undo_stack=()) == before.table._replace(games={}, undo_stack=()), moment
        assert without_clock(live._replace(table=before.table)) == without_clock(before), moment
        assert len(live.table.undo_stack) == len(before.table.undo_stack), moment
        verify(path)
        assert audit_journal(path, (), [path.with_name("table.journal.mark")], all_segments=True).findings == (), moment
        moment += step
    assert moment > MIN_LINES, "the kills have not reached the code that moves files"
    return blinds


@pytest.mark.parametrize("change", TAKE_UPS)
def test_kill_in_a_take_up_leaves_the_old_configuration_or_the_new_one(played: Path, change: str) -> None:
    expected = {(5, 10), (10, 20)} if change == "configuration" else {(5, 10)}
    assert check_kills(played, TAKE_UPS[change], STEP_LINES) == expected


@pytest.mark.soak
@pytest.mark.parametrize("change", TAKE_UPS)
def test_kill_at_every_line_of_a_take_up(played: Path, change: str) -> None:
    check_kills(played, TAKE_UPS[change], 1)


def test_planted_take_up_in_two_steps_is_caught(played: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    original = Journal.rotate

    def rotate_without_state(self: Journal, state: bytes, *args: object, **options: object) -> None:
        original(self, b"", *args, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(Journal, "rotate", rotate_without_state)
    with pytest.raises(AssertionError):
        check_kills(played, TAKE_UPS["configuration"], STEP_LINES)
