"""A running table takes up changed files between two hands, without a restart."""

from __future__ import annotations

import asyncio
import threading
from contextlib import closing
from pathlib import Path

import pytest

from controller.config import TableConfig, parse_config
from controller.integrity import create_key_file, make_guard
from controller.journal import (
    Journal,
    JournalBusy,
    JournalFollower,
    JournalWriteFailed,
    Segment,
    audit_journal,
    rebuild_journal,
)
from controller.journal.archive import verify
from controller.live import Live, TableSetup
from controller.service import ServeOptions, TableService, read_hand_log
from controller.service.recorder import JournalLocation
from controller.service.recovery import recover_with_timeout
from controller.service.roles import Endpoint
from controller.service.start_files import FileWatch
from controller.steps import parse_step
from controller.table import require_chips_conserved
from controller.view import Command, protocol
from tests.controller.test_journal_replication import collect, read_all
from tests.service.running_table import RunningTable, do, file_alerts, state_of, until
from tests.service.service_process import CONFIG

HIGHER = CONFIG.replace("[5, 10]", "[10, 20]")
HAND = ("hand", "4 fold", "1 fold", "2 fold", "award main 3")
"""A whole hand of the table, in which the big blind of seat 3 wins."""
ROLES = """
[may.dealer]
always = ["sit", "hand"]
[doors.screen]
role = "dealer"
"""


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> RunningTable:
    return RunningTable(tmp_path, monkeypatch)


def blinds(service: TableService) -> tuple[int, ...]:
    return service.live.table.games["main"].blinds


def headers(journal: Path) -> list[tuple[int, str, bool]]:
    """Return number and reason of each segment, and whether it names a parent."""
    paths = [*sorted(journal.with_name(journal.name + ".archive").glob("*.journal")), journal]
    result: list[tuple[int, str, bool]] = []
    for path in paths:
        with closing(Segment.open_read_only(path, closed=path != journal)) as segment:
            header = segment.read_header()
            result.append((header.segment, header.origin, bool(header.parent_journal)))
    return result


def recovered(journal: Path, config: str = CONFIG) -> Live:
    """Return the state with which a service starts from this journal."""
    location = JournalLocation(journal, make_guard(journal))
    live, recorder = recover_with_timeout(parse_config(config), location, TableSetup(), 10**15)[1:3]
    recorder.close()
    return live


def without_setup(live: Live) -> object:
    return live._replace(setup=TableSetup())


# --- the configuration ---


def test_configuration_changed_in_a_hand_is_taken_up_after_it_with_a_screen_connected(table: RunningTable) -> None:
    async def play(service: TableService) -> None:
        reader, writer = await asyncio.open_unix_connection(str(table.socket), limit=1 << 20)
        do(service, "hand", "4 fold")
        table.put(HIGHER.replace("[game]", '[table]\nname = "Table 9"\n[game]'))
        await until(lambda: file_alerts(service) == [("file-waits", "config")])
        await asyncio.sleep(0.1)
        assert blinds(service) == (5, 10), "taken up in a hand"
        before = service.live.table
        do(service, "1 fold", "2 fold", "award main 3")
        await until(lambda: blinds(service) == (10, 20))
        after = service.live.table
        assert {seat: player.stack for seat, player in after.players.items()} == {1: 1000, 2: 995, 3: 1005, 4: 1000}
        assert (after.accounts, after.bought_in_total) == (before.accounts, before.bought_in_total)
        assert after.seat_sessions == before.seat_sessions
        do(service, "hand")
        assert service.live.table.hand is not None and service.live.table.hand.current_bet == 20
        names = set()
        async with asyncio.timeout(60):
            while "Table 9" not in names:
                line = await reader.readline()
                assert line, "the service closed the connection"
                view = protocol.decode_service_message(line).view
                names.add(view.table_name if view else "")
        writer.close()
        assert file_alerts(service) == []

    table.serve(play)
    assert headers(table.journal) == [(1, "", False), (2, "configuration", True)]
    assert (table.folder / "table.journal.last-good" / "config.toml").read_text() == table.config.read_text()


def test_journal_with_a_new_configuration_replays_verifies_and_can_be_copied(table: RunningTable) -> None:
    create_key_file(table.folder / "table.key")
    key = (table.folder / "table.key.pub").read_text().strip()
    states: list[object] = []

    async def play(service: TableService) -> None:
        do(service, *HAND, "dealer Ann", "5 sit 300 as eve")
        table.put(HIGHER)
        await until(lambda: blinds(service) == (10, 20))
        do(service, "hand", "4 fold", "call-floor")
        states.append(state_of(service))

    table.serve(play, key=table.folder / "table.key")
    verify(table.journal)
    assert audit_journal(table.journal, [key], all_segments=True).findings == ()
    copy = table.folder / "copy.journal"
    stretches = read_all(JournalFollower(table.journal))
    rebuild_journal(copy, [segment.rows() for segment in collect(stretches)])
    assert audit_journal(copy, [key], all_segments=True).findings == ()
    assert len(read_hand_log(table.journal).hands()) == 2
    live = recovered(copy)
    assert live.table.games["main"].blinds == (10, 20)
    assert without_setup(live._replace(restarted=False)) == without_setup(
        recovered(table.journal)._replace(restarted=False)
    )
    [state] = states
    assert live.table == state.table  # type: ignore[attr-defined]
    assert live.floor_called and live.table.dealer == "Ann"


def test_changed_file_of_a_stopped_table_is_taken_up_after_the_start(table: RunningTable) -> None:
    async def leave_in_a_hand(service: TableService) -> None:
        do(service, "hand")
        table.put(HIGHER)
        await until(lambda: file_alerts(service) == [("file-waits", "config")])

    async def end_the_hand(service: TableService) -> None:
        await until(lambda: file_alerts(service) == [("file-waits", "config")])
        do(service, "4 fold", "1 fold", "2 fold", "award main 3")
        await until(lambda: blinds(service) == (10, 20))
        states.append(state_of(service))

    async def start_again(service: TableService) -> None:
        assert (blinds(service), state_of(service)) == ((10, 20), states[0])
        await asyncio.sleep(0.1)
        assert file_alerts(service) == []

    states: list[object] = []
    table.serve(leave_in_a_hand)
    table.serve(end_the_hand)
    table.serve(start_again)
    assert [origin for _, origin, _ in headers(table.journal)] == ["", "configuration"]


def test_mistake_is_an_alert_with_its_line_and_changes_nothing_until_it_is_mended(table: RunningTable) -> None:
    async def play(service: TableService) -> None:
        before = state_of(service)
        table.put(HIGHER.replace("[10, 20]", '"many"'))
        await until(lambda: file_alerts(service) == [("file-replaced", "config")])
        [alert] = [alert for alert in service.view.alerts if alert.subject == "config"]
        assert alert.values.reason == f"{table.config}:6: game.blinds = 'many': expected a list"
        assert state_of(service) == before
        table.put(HIGHER)
        await until(lambda: blinds(service) == (10, 20) and file_alerts(service) == [])

    table.serve(play)


@pytest.mark.parametrize("loss", ["missing", "folder", "empty"])
def test_file_that_is_gone_is_an_alert_until_it_is_back(table: RunningTable, loss: str) -> None:
    async def play(service: TableService) -> None:
        table.config.unlink()
        if loss == "folder":
            table.config.mkdir()
        elif loss == "empty":
            table.config.write_text("")
        await until(lambda: file_alerts(service) == [("file-replaced", "config")])
        if loss == "folder":
            table.config.rmdir()
        table.put(CONFIG)
        await until(lambda: file_alerts(service) == [])
        assert blinds(service) == (5, 10)

    table.serve(play)


def test_change_that_is_taken_back_before_the_end_of_the_hand_is_not_taken_up(table: RunningTable) -> None:
    async def play(service: TableService) -> None:
        do(service, "hand")
        table.put(HIGHER)
        await until(lambda: file_alerts(service) == [("file-waits", "config")])
        table.put(CONFIG)
        await until(lambda: file_alerts(service) == [])
        do(service, "4 fold", "1 fold", "2 fold", "award main 3")
        await asyncio.sleep(0.2)

    table.serve(play)
    assert headers(table.journal) == [(1, "", False)]


@pytest.mark.parametrize("change", ["comment", "players"])
def test_change_without_effect_on_a_running_table_records_nothing(table: RunningTable, change: str) -> None:
    text = CONFIG + "# a comment\n" if change == "comment" else CONFIG.replace("= 1000", "= 2000")

    async def play(service: TableService) -> None:
        before = state_of(service)
        table.put(text)
        await asyncio.sleep(0.3)
        assert (file_alerts(service), state_of(service)) == ([], before)

    table.serve(play)
    assert headers(table.journal) == [(1, "", False)]


def test_undo_returns_into_the_hand_before_the_change_which_keeps_its_game(table: RunningTable) -> None:
    async def play(service: TableService) -> None:
        do(service, *HAND)
        table.put(HIGHER)
        await until(lambda: blinds(service) == (10, 20))
        do(service, "undo", "undo")
        hand = service.live.table.hand
        assert hand is not None and hand.game.blinds == (5, 10) and hand.turn == 2
        do(service, "2 fold", "award main 3", "hand")
        hand = service.live.table.hand
        assert hand is not None and hand.game.blinds == (10, 20)
        require_chips_conserved(service.live.table, parse_step("hand"))
        states.append(state_of(service))

    async def restart(service: TableService) -> None:
        assert service.live._replace(restarted=False, setup=None).table == states[0].table  # type: ignore[arg-type, attr-defined]

    states: list[object] = []
    table.serve(play)
    table.serve(restart)


def test_undone_step_cannot_be_repeated_after_the_change(table: RunningTable) -> None:
    async def play(service: TableService) -> None:
        do(service, "hand", "undo")
        table.put(HIGHER)
        await until(lambda: blinds(service) == (10, 20))
        assert service.live.table.redo_stack == ()

    table.serve(play)


def test_levels_in_their_own_file_are_taken_up_and_the_level_goes_on(table: RunningTable) -> None:
    levels = "".join(f"[[levels]]\nminutes = 20\nblinds = [{5 * n}, {10 * n}]\n" for n in (1, 2, 3))
    table.put(levels, table.folder / "levels.toml")
    table.put('levels_file = "levels.toml"\n' + CONFIG)

    async def play(service: TableService) -> None:
        do(service, "game 2", *HAND)
        table.put(levels.replace("[10, 20]", "[20, 40]"), table.folder / "levels.toml")
        await until(lambda: service.live.table.games["2"].blinds == (20, 40))
        live = service.live.table
        assert (live.game_name, live.level_start_minute, live.game.blinds) == ("2", 0, (20, 40))
        table.put(CONFIG)
        await until(lambda: not service.live.table.levels)
        assert service.live.table.game_name == "main"
        do(service, "hand")

    table.serve(play)


def test_busy_journal_delays_the_change(table: RunningTable, monkeypatch: pytest.MonkeyPatch) -> None:
    original, attempts = Journal.rotate, list[int]()

    def busy_twice(self: Journal, *args: object, **options: object) -> None:
        attempts.append(1)
        if len(attempts) < 3:
            raise JournalBusy("another process reads it")
        original(self, *args, **options)  # type: ignore[arg-type]

    async def play(service: TableService) -> None:
        monkeypatch.setattr(Journal, "rotate", busy_twice)
        table.put(HIGHER)
        await until(lambda: file_alerts(service) == [("file-waits", "config")])
        await until(lambda: blinds(service) == (10, 20) and file_alerts(service) == [])

    table.serve(play)
    assert len(attempts) == 3


def test_disk_that_fails_in_the_take_up_keeps_the_old_configuration_until_it_works(
    table: RunningTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    original = Journal.rotate

    def fail(self: Journal, *_: object, **__: object) -> None:
        raise JournalWriteFailed("the disk is gone")

    async def play(service: TableService) -> None:
        monkeypatch.setattr(Journal, "rotate", fail)
        table.put(HIGHER)
        await until(lambda: not service.live.setup.is_recorded)
        assert blinds(service) == (5, 10)
        monkeypatch.setattr(Journal, "rotate", original)
        await until(lambda: service.live.setup.is_recorded and blinds(service) == (10, 20))
        states.append(state_of(service))

    states: list[object] = []
    table.serve(play)
    assert [origin for _, origin, _ in headers(table.journal)][-1] == "configuration"
    assert recovered(table.journal).table == states[0].table  # type: ignore[attr-defined]


def test_program_error_in_the_take_up_is_an_alert_and_the_table_plays_on(
    table: RunningTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(self: TableService, _: object) -> bool:
        raise ZeroDivisionError

    async def play(service: TableService) -> None:
        with monkeypatch.context() as patch:
            patch.setattr(TableService, "use_configuration", fail)
            table.put(HIGHER)
            await until(lambda: any(alert.code == "failed" for alert in service.view.alerts))
        do(service, *HAND)
        table.put(HIGHER + "# again\n")
        await until(lambda: blinds(service) == (10, 20) and file_alerts(service) == [])

    table.serve(play)


def test_disk_that_hangs_while_a_file_is_read_does_not_stop_the_table(
    table: RunningTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    original, has_begun, works = ServeOptions.read_config, threading.Event(), threading.Event()

    def hang(self: ServeOptions) -> TableConfig:
        has_begun.set()
        works.wait(120)
        return original(self)

    async def play(service: TableService) -> None:
        await asyncio.sleep(0.1)
        monkeypatch.setattr(ServeOptions, "read_config", hang)
        table.put(HIGHER)
        await until(has_begun.is_set)
        do(service, *HAND)
        assert blinds(service) == (5, 10)
        works.set()
        await until(lambda: blinds(service) == (10, 20))

    table.serve(play)


# --- files that are being written ---


def watch_of(path: Path) -> FileWatch[str]:
    return FileWatch(lambda: (path,), path.read_text)


def test_file_is_read_when_it_has_rested(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("first")
    watch = watch_of(path)
    readings = [watch.poll() for _ in range(4)]
    assert [reading.value if reading else None for reading in readings] == [None, "first", None, None]
    with path.open("w") as file:  # As an editor that truncates and writes.
        assert watch.poll() is None
        file.write("half")
        file.flush()
        assert watch.poll() is None
        file.write(" whole")
        file.flush()
        assert watch.poll() is None
    reading = watch.poll()
    assert reading is not None and reading.value == "half whole"


def test_file_that_changes_before_every_look_is_never_read(tmp_path: Path) -> None:
    path, reads = tmp_path / "file", list[int]()
    watch = FileWatch(lambda: (path,), lambda: reads.append(1))
    for number in range(1000):
        path.write_text("x" * number)
        assert watch.poll() is None
    assert reads == []


def test_file_that_is_written_while_it_is_read_is_read_again(tmp_path: Path) -> None:
    path, reads = tmp_path / "file", list[str]()
    path.write_text("first")

    def read() -> str:
        text = path.read_text()
        if not reads:
            path.write_text("second")
        reads.append(text)
        return text

    watch = FileWatch(lambda: (path,), read)
    readings = [reading.value for reading in (watch.poll() for _ in range(6)) if reading is not None]
    assert (readings, reads) == (["second"], ["first", "second"])


def test_permission_that_is_lost_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("text")
    watch = watch_of(path)
    while watch.poll() is None:
        pass
    path.chmod(0)
    assert [watch.poll() is not None for _ in range(2)] == [False, True]


# --- roles, layout, options ---


def test_roles_are_taken_up_after_the_hand_and_another_socket_needs_a_restart(table: RunningTable) -> None:
    roles = table.folder / "roles.toml"
    table.put(ROLES, roles)
    more = ROLES.replace('"hand"', '"hand", "call-floor"')

    def refusal(service: TableService, line: str) -> str:
        endpoint = Endpoint("far", "dealer")
        command = Command(client="t", id=next(ids), do=line, view_sequence=service.view.sequence)
        policy = service._command_handler._access_policy
        service._command_handler._access_policy = policy._replace(badge_count=1)
        reply = service.handle_step_command(command, endpoint)
        return reply.refused.code if reply.refused is not None else ""

    async def play(service: TableService) -> None:
        do(service, "hand")
        table.put(more, roles)
        await until(lambda: file_alerts(service) == [("file-waits", "roles")])
        assert refusal(service, "call-floor") == "not-allowed"
        do(service, "4 fold", "1 fold", "2 fold", "award main 3")
        await until(lambda: file_alerts(service) == [])
        assert refusal(service, "call-floor") == ""
        table.put(more + '[doors.wall]\nrole = "player"\npath = "wall.sock"\n', roles)
        await until(lambda: file_alerts(service) == [("file-needs-restart", "roles")])
        table.put(more.replace("sit", "sits"), roles)
        await until(lambda: file_alerts(service) == [("file-replaced", "roles")])
        table.put(more, roles)
        await until(lambda: file_alerts(service) == [])

    ids = iter(range(1, 100))
    table.serve(play, roles=roles)


def test_changed_options_need_a_restart(table: RunningTable) -> None:
    options = table.folder / "options"

    async def play(service: TableService) -> None:
        await asyncio.sleep(0.2)
        table.put("--archive-mb 2000\n", options)
        await until(lambda: file_alerts(service) == [("file-needs-restart", "options")])
        options.unlink()
        await until(lambda: file_alerts(service) == [])

    table.serve(play, options_file=options)
