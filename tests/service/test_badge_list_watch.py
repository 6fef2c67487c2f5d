"""A running table takes up a newer signed list of badges between two hands, and refuses an older one."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from controller.config import BadInputError
from controller.integrity import create_key_file
from controller.journal import Journal, new_header
from controller.service import ServeOptions, TableService, bootstrap
from controller.service.start_files import BadgeListWatch, StartFiles, read_start_files
from controller.steps import hand_steps
from hardware.badges import Badge, BadgeEvent, BadgeList, format_badge_list
from hardware.chip_register import sign_text
from tests.service.service_process import CONFIG
from tests.service.test_service_faults import recorded_steps

ANN = Badge(uid="04A1B2C3", name="Ann", role="floor", key="5E" * 16)
BOB = Badge(uid="04A1B2C4", name="Bob", role="floor", key="5F" * 16)
BOB_REVOKED = Badge(uid="04A1B2C4", name="Bob", role="floor", key="5F" * 16, revoked=True)


class House:
    """A house with a key, and a table that must have lists of this house."""

    def __init__(self, folder: Path) -> None:
        create_key_file(folder / "house.key")
        create_key_file(folder / "other.key")
        self.folder = folder
        self.path = folder / "badges.toml"
        self.journal = folder / "table.journal"
        Journal.create(self.journal, new_header(CONFIG)).close()
        self.options = ServeOptions(None, None, {}, badges=self.path, badges_key=folder / "house.key.pub", trays=False)

    def put(self, number: int, *badges: Badge, key: str = "house.key") -> None:
        """Copy a signed list into place, as a technician does."""
        private = (self.folder / key).read_text().strip()
        new = self.folder / "new"
        new.write_bytes(sign_text(format_badge_list(BadgeList("Grand", number, badges)), private))
        new.chmod(0o640)
        os.replace(new, self.path)

    def files(self) -> StartFiles:
        return read_start_files(self.options, self.journal)


@pytest.fixture
def house(tmp_path: Path) -> House:
    return House(tmp_path)


def fault_of(files: StartFiles) -> str:
    [fault] = files.faults
    return fault.error


def test_list_signed_by_the_house_is_used(house: House) -> None:
    house.put(7, ANN, BOB_REVOKED)
    files = house.files()
    assert files.badge_list == BadgeList("Grand", 7, (ANN, BOB_REVOKED))
    assert (files.access_policy.badge_count, files.access_policy.badge_list_number) == (2, 7)
    assert files.faults == ()


@pytest.mark.parametrize("spoil", ["other key", "altered", "not signed", "no key file"])
def test_list_that_the_house_has_not_signed_authorises_nobody(house: House, spoil: str) -> None:
    house.put(7, ANN, key="other.key" if spoil == "other key" else "house.key")
    if spoil == "altered":
        house.path.write_bytes(house.path.read_bytes().replace(b"floor", b"dealer"))
    if spoil == "not signed":
        house.path.write_bytes(format_badge_list(BadgeList("Grand", 7, (ANN,))))
    if spoil == "no key file":
        (house.folder / "house.key.pub").unlink()
    files = house.files()
    assert files.badge_list == BadgeList()
    assert "expected" in fault_of(files) and "5e5e" not in fault_of(files).lower()


def test_signed_list_is_read_without_a_key_as_before(house: House) -> None:
    house.put(7, ANN)
    assert replace(house.options, badges_key=None).read_badge_list() == BadgeList("Grand", 7, (ANN,))


def test_newer_list_is_noticed_once(house: House) -> None:
    house.put(7, ANN, BOB)
    watch = BadgeListWatch(house.files(), lambda: 7)
    assert watch.poll() is None
    house.put(8, ANN, BOB_REVOKED)
    change = watch.poll()
    assert change is not None and change.fault is None
    assert change.badge_list == BadgeList("Grand", 8, (ANN, BOB_REVOKED))
    assert watch.poll() is None


@pytest.mark.parametrize("spoil", ["older", "other key", "missing"])
def test_list_that_cannot_be_used_leaves_the_list_in_use(house: House, spoil: str) -> None:
    house.put(8, ANN, BOB_REVOKED)
    watch = BadgeListWatch(house.files(), lambda: 8)
    assert watch.poll() is None
    if spoil == "missing":
        house.path.unlink()
    else:
        house.put(7 if spoil == "older" else 9, ANN, BOB, key="house.key" if spoil == "older" else "other.key")
    change = watch.poll()
    assert change is not None and change.fault is not None and change.fault.is_replaced
    assert change.badge_list.number == 8
    if spoil == "older":
        assert change.fault.error.endswith("badges.toml:2: number = 7, expected 8 or more, as the table has used")
    house.put(9, ANN)
    mended = watch.poll()
    assert mended is not None and mended.fault is None and mended.badge_list.number == 9


def test_older_list_copied_into_place_while_the_table_is_off_is_replaced_by_the_copy(house: House) -> None:
    house.put(8, ANN, BOB_REVOKED)
    house.files().keep_copies()
    house.put(7, ANN, BOB)
    change = BadgeListWatch(house.files(), lambda: 8).poll()
    assert change is not None and change.fault is not None
    assert (change.badge_list.number, change.fault.is_replaced) == (8, True)


def test_older_list_in_both_places_authorises_nobody(house: House) -> None:
    house.put(7, ANN, BOB)
    house.files().keep_copies()
    change = BadgeListWatch(house.files(), lambda: 8).poll()
    assert change is not None and change.fault is not None
    assert (change.badge_list, change.fault.is_replaced) == (BadgeList(), False)


# --- with the whole service ---


class NoReaders:
    """A monitor of badge readers at a table without badge readers."""

    def __init__(self, badges: tuple[Badge, ...], on_event: Callable[[BadgeEvent], None], **_: object) -> None:
        self.badges = badges
        MONITORS.append(self)

    def start(self) -> None: ...
    def stop(self) -> bool:
        return True

    def replace_badges(self, badges: tuple[Badge, ...]) -> None:
        self.badges = badges


MONITORS: list[NoReaders] = []


@pytest.fixture
def no_readers(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(bootstrap, "BadgeMonitor", NoReaders)
    monkeypatch.setattr(bootstrap, "BADGE_LIST_POLL_S", 0.01)
    monkeypatch.delenv("NOTIFY_SOCKET", raising=False)
    yield
    MONITORS.clear()


def serve(house: House, monkeypatch: pytest.MonkeyPatch, play: Callable[[TableService], Awaitable[None]]) -> None:
    """Run the real service of this table, and call `play` when it is ready."""
    real_open = TableService.open
    failures: list[BaseException] = []

    def open_and_play(*args: object, **options: object) -> TableService:
        service: TableService = real_open(*args, **options)  # type: ignore[arg-type]

        async def run() -> None:
            try:
                await play(service)
            except BaseException as error:
                failures.append(error)
            finally:
                service.stop()

        tasks.append(asyncio.get_running_loop().create_task(run()))
        return service

    tasks: list[asyncio.Task[None]] = []
    monkeypatch.setattr(TableService, "open", open_and_play)
    try:
        bootstrap.serve(house.options, house.journal, house.folder / "table.sock")
    finally:
        monkeypatch.setattr(TableService, "open", real_open)
    if failures:
        raise failures[0]


def has_copied(house: House) -> bool:
    """Return True when the service has copied the present list, which it does after it takes the list up."""
    copy = last_good_copy(house)
    return copy.exists() and copy.read_bytes() == house.path.read_bytes()


def last_good_copy(house: House) -> Path:
    return house.folder / "table.journal.last-good" / "badges.toml"


async def until(condition: Callable[[], bool]) -> None:
    """Let the service work until the condition holds."""
    async with asyncio.timeout(60):
        while not condition():
            await asyncio.sleep(0.005)


def badge_codes(service: TableService) -> list[str]:
    return [alert.code for alert in service.view.alerts if alert.subject == "badges"]


@pytest.mark.usefixtures("no_readers")
def test_newer_list_is_taken_up_after_the_hand(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    house.put(7, ANN, BOB)

    async def play(service: TableService) -> None:
        await until(lambda: service.live.badge_list_number == 7)
        assert service.apply_step(hand_steps.StartsHand()) is None
        house.put(8, ANN, BOB_REVOKED)
        await until(lambda: badge_codes(service) == ["file-waits"])
        await asyncio.sleep(0.2)
        assert (service.live.badge_list_number, MONITORS[-1].badges) == (7, (ANN, BOB)), "taken up in a hand"
        assert service.apply_step(hand_steps.VoidsHand()) is None
        await until(lambda: service.live.badge_list_number == 8)
        assert MONITORS[-1].badges == (ANN, BOB_REVOKED)
        await until(lambda: badge_codes(service) == [])
        await until(lambda: has_copied(house))

    serve(house, monkeypatch, play)
    assert "badges 2 8" in recorded_steps(house.journal)


@pytest.mark.usefixtures("no_readers")
def test_older_list_is_reported_and_never_valid_again(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    house.put(8, ANN, BOB_REVOKED)

    async def replace_while_running(service: TableService) -> None:
        await until(lambda: service.live.badge_list_number == 8)
        await until(lambda: has_copied(house))
        house.put(7, ANN, BOB)
        await until(lambda: badge_codes(service) == ["file-replaced"])
        assert MONITORS[-1].badges == (ANN, BOB_REVOKED)

    async def start_with_older_list(service: TableService) -> None:
        await until(lambda: badge_codes(service) == ["file-replaced"])
        assert MONITORS[-1].badges == (ANN, BOB_REVOKED)
        house.put(9, ANN)
        await until(lambda: badge_codes(service) == [] and service.live.badge_list_number == 9)
        await until(lambda: has_copied(house))

    async def start_with_older_list_and_copy(service: TableService) -> None:
        await until(lambda: badge_codes(service) == ["badges-unusable"])
        assert MONITORS[-1].badges == () and not service.view.has_open_access

    serve(house, monkeypatch, replace_while_running)
    serve(house, monkeypatch, start_with_older_list)
    house.put(7, ANN, BOB)
    last_good_copy(house).write_bytes(house.path.read_bytes())
    serve(house, monkeypatch, start_with_older_list_and_copy)


def test_list_of_another_house_is_refused(house: House) -> None:
    house.put(1, ANN)
    with pytest.raises(BadInputError, match="expected the signature"):
        replace(house.options, badges_key=house.folder / "other.key.pub").read_badge_list()
