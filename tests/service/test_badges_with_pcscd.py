"""A table with the real pcscd and two virtual readers: the alerts of each reader are right at every step.

The commands `potkeeper badge …` make the cards and the list, as a house does.
"""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from controller.cli import main
from controller.commands import EXIT_BAD_INPUT
from controller.commands.badge import EXIT_REFUSED
from controller.integrity import read_public_key
from controller.service import TableService
from hardware.badges import load_badge_list
from hardware.simulated.virtual_card import CardOnVirtualReader, VirtualCard
from tests.hardware.badge_fixtures import KEY, OTHER_KEY, wait_until
from tests.hardware.pcscd_fixtures import FIRST, SECOND, Pcscd, inserted, pcscd, pcscd_home, reader_has_card
from tests.service.test_badge_list_watch import House, house, serve, until
from tests.service.test_badge_readers import badge_alerts

__all__ = ["house", "pcscd", "pcscd_home"]

FIRST_DEVICE, SECOND_DEVICE = "badge-reader:Virtual-PCD-00-00", "badge-reader:Virtual-PCD-00-01"
PULLED_DEVICES = {"badge-reader:Pulled-PCD-00-00", "badge-reader:Pulled-PCD-00-01"}
ANN_UID, BOB_UID = "04A1B2C3", "04A1B2C4"


def badge(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, ["badge", *map(str, arguments)])


@contextmanager
def on_reader(card: CardOnVirtualReader, reader: str = FIRST) -> Iterator[None]:
    """Put a card on a reader, and wait until pcscd has noticed that it was taken away again.

    If another virtual card followed at once, pcscd would not notice the change.
    """
    with inserted(card):
        yield
    wait_until(lambda: not reader_has_card(reader))


def make_badge(house: House, card: CardOnVirtualReader, name: str, role: str) -> None:
    """Make a badge of this card, which has no key yet."""
    with on_reader(card):
        result = badge(
            "make", house.path, "--key", house.folder / "house.key", "--name", name, "--role", role, "--house", "Grand"
        )
    assert result.exit_code == 0, result.output


def test_card_made_by_the_house_is_valid_until_it_is_revoked(pcscd: Pcscd, house: House) -> None:
    ann, bob = VirtualCard(ANN_UID, b"", pcscd.port), VirtualCard(BOB_UID, b"", pcscd.port)
    make_badge(house, ann, "Ann", "floor")
    make_badge(house, bob, "Bob", "technician")
    public = house.folder / "house.key.pub"
    badge_list = load_badge_list(house.path, read_public_key(public))
    assert (badge_list.house, badge_list.number, len(badge_list.badges)) == ("Grand", 2, 2)
    assert [bytes.fromhex(entry.key) for entry in badge_list.badges] == [ann.applet.key, bob.applet.key]
    with on_reader(bob):
        result = badge("try", house.path)
        assert (result.output, result.exit_code) == (f"{FIRST}: Bob (technician), valid\n", 0)
        again = badge("make", house.path, "--key", house.folder / "house.key", "--name", "Eve", "--role", "floor")
        assert (again.exit_code, "is on the list already" in again.output) == (EXIT_BAD_INPUT, True)
    assert badge("revoke", house.path, "bob", "--key", house.folder / "house.key").exit_code == 0
    with on_reader(bob):
        result = badge("try", house.path)
        assert (result.output, result.exit_code) == (f"{FIRST}: Bob (technician), revoked\n", EXIT_REFUSED)
    assert badge("list", house.path, "--key", public).output.splitlines() == [
        "list 3 of Grand, signed by the house",
        "04A1B2C3              floor       Ann  valid",
        "04A1B2C4              technician  Bob  revoked",
        "secret keys of 1 badge: whoever has this file can copy these cards",
    ]
    with on_reader(VirtualCard("04A1B2C5", KEY, pcscd.port)):
        used = badge("make", house.path, "--key", house.folder / "house.key", "--name", "Eve", "--role", "floor")
    assert (used.exit_code, "takes no key" in used.output) == (EXIT_BAD_INPUT, True), "a card got a second key"
    assert load_badge_list(house.path).number == 3


def test_alerts_of_both_readers_are_right_at_every_step(
    pcscd: Pcscd, house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann, bob = VirtualCard(ANN_UID, b"", pcscd.port), VirtualCard(BOB_UID, b"", pcscd.port)
    make_badge(house, ann, "Ann", "floor")
    make_badge(house, bob, "Bob", "technician")
    badge("revoke", house.path, BOB_UID, "--key", house.folder / "house.key")
    second = pcscd.port + 1
    copied, unknown = VirtualCard(ANN_UID, OTHER_KEY, second), VirtualCard("DEADBEEF", KEY, second)
    revoked = VirtualCard(BOB_UID, bob.applet.key, second)

    async def play(service: TableService) -> None:
        def alerts() -> set[tuple[str, str]]:
            service._publish_due()
            return badge_alerts(service.view)

        def refusal() -> str:
            return service.live.refused_badges.get(SECOND_DEVICE, "")

        await until(lambda: {FIRST_DEVICE, SECOND_DEVICE} <= service.live.device_faults.down.keys())
        with inserted(ann):
            await until(lambda: bool(service._command_handler.presence._badge_by_reader))
            assert alerts() == set(), "a valid badge has no alert"
            for card, reason in ((copied, "wrong-answer"), (unknown, "unknown"), (revoked, "revoked")):
                with on_reader(card, SECOND):
                    await until(lambda reason=reason: refusal() == reason)  # type: ignore[misc]
                    assert alerts() == {("badge-refused", SECOND_DEVICE)}, "the first reader has no alert"
            assert list(service._command_handler.presence._badge_by_reader) == [FIRST]
            for _ in range(4):
                count = count_refused(service)
                with on_reader(copied, SECOND):
                    await until(lambda count=count: count_refused(service) > count)  # type: ignore[misc]
            await until(lambda: ("badge-reader-paused", SECOND_DEVICE) in alerts())
            assert ("badge-reader-paused", FIRST_DEVICE) not in alerts()
            pcscd.stop(signal.SIGKILL)
            await until(lambda: ("badge-reader-offline", "badge-reader") in alerts())
            assert alerts() == {("badge-reader-offline", "badge-reader"), ("badge-refused", SECOND_DEVICE)}
            pcscd.start()
            await until(lambda: list(service._command_handler.presence._badge_by_reader) == [FIRST])
            still = {("badge-reader-paused", SECOND_DEVICE), ("badge-refused", SECOND_DEVICE)}
            await until(lambda: alerts() == still)
            # pcscd starts again without readers that were plugged in before.
            pcscd.stop()
            pcscd.start("Pulled PCD")
            await until(lambda: service.live.device_faults.down.keys() >= PULLED_DEVICES and alerts() == still)
            pcscd.stop()
            pcscd.start()
            out = {("badge-reader-offline", device) for device in PULLED_DEVICES}
            await until(lambda: alerts() == still | out)
            await until(lambda: list(service._command_handler.presence._badge_by_reader) == [FIRST])
        await until(lambda: not service._command_handler.presence._badge_by_reader)

    serve(house, monkeypatch, play)


def count_refused(service: TableService) -> int:
    """Return how many refused cards of the second reader this minute has."""
    return len(service._refused_cards._recent_us[SECOND_DEVICE])


def test_card_without_reader_or_pcscd_is_one_line(house: House) -> None:
    result = badge(
        "make", house.path, "--key", house.folder / "house.key", "--name", "Ann", "--role", "floor", "--house", "Grand"
    )
    assert result.exit_code == EXIT_BAD_INPUT
    assert "expected pcscd" in result.output and SECOND not in result.output


def test_card_written_elsewhere_gets_its_key_printed_once(house: House) -> None:
    house_key = house.folder / "house.key"
    arguments = ("make", house.path, "--key", house_key, "--role", "floor", "--house", "Grand")
    result = badge(*arguments, "--name", "Ann", "--uid", ANN_UID)
    [entry] = load_badge_list(house.path).badges
    assert result.output.splitlines()[0] == f"key of the card: {entry.key.lower()}"
    assert house.path.stat().st_mode & 0o077 == 0, "others may read the keys of the cards"
    assert "expected 8, 14 or 20 hex digits" in badge(*arguments, "--name", "Bob", "--uid", "04").output
    assert "expected one that is valid" in badge("revoke", house.path, "Eve", "--key", house_key).output
    other = badge("list", house.path, "--key", house.folder / "other.key.pub")
    assert (other.exit_code, "expected the signature" in other.output) == (EXIT_BAD_INPUT, True)
    assert entry.key.lower() not in badge("list", house.path).output.lower()
    house_key.chmod(0o644)
    assert "other users may read it" in badge(*arguments, "--name", "Bob", "--uid", "04BADA55").output
