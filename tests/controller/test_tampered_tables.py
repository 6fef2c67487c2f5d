"""A table says at its start, and while it is open, what was done to its journal."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from controller.journal import inspect
from controller.journal.file import beside
from controller.seals import guard_of, make_key, mark_beside, read_mark
from controller.service import Service, recorder
from controller.service.recorder import Place
from controller.table import parse
from tests.controller.tampered import (
    CONFIG,
    RECORDS,
    TAMPERINGS,
    altered,
    copied_table,
    end,
    opened,
)
from tests.service.running import DEADLINE_S, done, served, until


@pytest.mark.parametrize("name", TAMPERINGS)
def test_the_start_says_it_at_the_table_until_the_floor_has_seen_to_it(tmp_path: Path, name: str) -> None:
    book = copied_table(tmp_path)
    tamper, how = TAMPERINGS[name]

    async def start_twice() -> None:
        tamper(book)
        service = opened(book)
        # A record that is none of this table's cannot be played either.
        assert set(altered(service)) - {"differs"} == {how}
        end(service)
        again = opened(book)
        assert set(altered(again)) - {"differs"} == {how}, "it is told once only"
        assert again.do(parse("records-checked")) is None
        await asyncio.sleep(0)
        assert altered(again) == []
        end(again)
        once_more = opened(book)
        assert altered(once_more) == [], "what the floor has seen to is told again"
        end(once_more)

    asyncio.run(start_twice())
    assert book.found() == (["badge-forged"] if name == "badge forged" else [])


UNDER_THE_TABLE: dict[str, tuple[Callable[[Path], object], str]] = {
    "journal deleted": (Path.unlink, "deleted"),
    "journal exchanged": (lambda path: Path(shutil.copy(path, beside(path, ".x"))).replace(path), "replaced"),
    "WAL removed": (lambda path: beside(path, "-wal").unlink(), "wal-removed"),
}


@pytest.mark.parametrize("name", UNDER_THE_TABLE)
def test_what_is_done_while_the_table_is_open_is_told_at_once(tmp_path: Path, name: str) -> None:
    book = copied_table(tmp_path)
    tamper, how = UNDER_THE_TABLE[name]

    async def play() -> None:
        service = opened(book)
        assert service.do(parse("1 add 5")) is None
        tamper(book.path)
        assert service.do(parse("1 add 5")) is None
        service._keep()
        await asyncio.sleep(0)
        assert altered(service) == [how]
        end(service)
        again = opened(book)
        assert altered(again) == [how] and again.live.table.players[1].stack == 1000 + 5 * (RECORDS + 2)
        end(again)

    asyncio.run(play())
    assert book.found() == []


def test_a_served_table_signs_and_notes_and_says_what_was_done_to_it_while_it_was_down(tmp_path: Path) -> None:
    key, far = tmp_path / "table.key", tmp_path / "far.mark"
    public = make_key(key)
    with served(tmp_path, "--no-trays", "--key", str(key), "--high-water", str(far)) as service:
        link = service.start()
        for _ in range(3):
            done(link, "1 add 5")
        until(lambda: (mark := read_mark(far)) is not None and mark.number >= 3, "the mark on the other device")
        service.hang_up()
        service.kill()
        assert inspect(service.journal, (public,), (mark_beside(service.journal), far)).found == ()
        beside(service.journal, "-wal").unlink()
        view = service.start().view()
        assert [alert.values.reason for alert in view.alerts if alert.code == "journal-altered"] == ["wal-removed"]
    assert inspect(service.journal, (public,), (mark_beside(service.journal), far)).found == ()


def test_without_its_key_a_table_comes_up_unsigned_and_says_so_until_the_key_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    key, book = tmp_path / "table.key", copied_table(tmp_path)
    monkeypatch.setattr(recorder, "KEY_RETRY_US", 0)

    async def play() -> None:
        service = Service.open(CONFIG, Place(book.path, guard_of(book.path, key)), trays=False)

        def told() -> list[str]:
            service._keep()
            service._publish()
            return [alert.values.reason for alert in service.view.alerts if alert.code == "table-key-offline"]

        assert service.view.recorded
        assert told() == [f"{key}: No such file or directory, expected the private key of a table"]
        assert service.do(parse("1 add 5")) is None
        assert told(), "it is told once only"
        public = make_key(key)
        until(lambda: not told(), "the key that came")
        assert service.do(parse("1 add 5")) is None
        end(service)
        assert inspect(book.path, (public,), (mark_beside(book.path),)).found == ()

    asyncio.run(play())


def test_a_service_starts_without_its_key(tmp_path: Path) -> None:
    key = tmp_path / "table.key"
    with served(tmp_path, "--no-trays", "--key", str(key)) as service:
        link = service.start()
        assert link.wait(lambda view: "table-key-offline" in {alert.code for alert in view.alerts}, DEADLINE_S)
        assert done(link, "1 add 5").recorded
        service.hang_up()
        service.kill()
        public = make_key(key)
        assert [how for how, _ in inspect(service.journal, (public,)).found] == ["unsigned"]
        view = service.start().view()
        assert [alert.values.reason for alert in view.alerts if alert.code == "journal-altered"] == ["unsigned"]
    assert inspect(service.journal, (public,)).found == ()
