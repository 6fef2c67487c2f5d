"""Badge readers at a table: each reader is a device of its own, and a refused card is recorded and reported."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from controller.journal import Journal
from controller.service import TableService
from controller.service.roles import denial_log
from controller.steps import hand_steps, observations, table_steps
from controller.view import TableView
from firmware_bridge.clock import monotonic_us
from hardware.badges import ALL_READERS, BadgeReaderOffline, BadgeReaderOnline, BadgeSeen, CardRefusal
from tests.service.test_service_faults import current_view, recorded_steps, run_service

FIRST, SECOND = "ACS ACR122U PICC 00 00", "ACS ACR122U PICC 01 00"
FIRST_DEVICE, SECOND_DEVICE = "badge-reader:ACS-ACR122U-PICC-00-00", "badge-reader:ACS-ACR122U-PICC-01-00"


def badge_alerts(view: TableView) -> set[tuple[str, str]]:
    """Return code and device of the alerts about badges."""
    return {(alert.code, alert.values.device) for alert in view.alerts if alert.code.startswith("badge")}


def refused(reason: CardRefusal, at_us: int, reader: str = FIRST, name: str = "") -> BadgeSeen:
    return BadgeSeen(reader, "04A1B2C3", "floor" if name else None, name, False, at_us, refusal=reason)


def test_working_reader_does_not_hide_that_another_one_is_out(tmp_path: Path) -> None:
    async def play(service: TableService) -> None:
        now = monotonic_us()
        service.on_badge(BadgeReaderOffline(SECOND, "unplugged", now))
        service.on_badge(BadgeReaderOnline(FIRST, now))
        assert badge_alerts(await current_view(service)) == {("badge-reader-offline", SECOND_DEVICE)}
        service.on_badge(BadgeReaderOffline(FIRST, "error", now, 0x80100016))
        assert badge_alerts(await current_view(service)) == {
            ("badge-reader-offline", FIRST_DEVICE),
            ("badge-reader-offline", SECOND_DEVICE),
        }
        service.on_badge(BadgeReaderOnline(SECOND, now))
        assert badge_alerts(await current_view(service)) == {("badge-reader-offline", FIRST_DEVICE)}

    run_service(tmp_path / "journal", play)


def test_missing_pcscd_is_one_alert_however_many_readers_there_are(tmp_path: Path) -> None:
    async def play(service: TableService) -> None:
        now = monotonic_us()
        for reader in (FIRST, SECOND, ALL_READERS):
            service.on_badge(BadgeReaderOffline(reader, "no-service", now))
        assert badge_alerts(await current_view(service)) == {("badge-reader-offline", "badge-reader")}

    run_service(tmp_path / "journal", play)


def test_restart_forgets_readers_that_the_monitor_does_not_report_again(tmp_path: Path) -> None:
    async def unplug(service: TableService) -> None:
        service.on_badge(BadgeReaderOffline(FIRST, "unplugged", monotonic_us()))
        service.on_badge(BadgeReaderOffline(ALL_READERS, "no-reader", monotonic_us()))

    async def check(service: TableService) -> None:
        assert badge_alerts(await current_view(service)) == set()
        service.on_badge(BadgeReaderOffline(SECOND, "unplugged", monotonic_us()))
        assert badge_alerts(await current_view(service)) == {("badge-reader-offline", SECOND_DEVICE)}

    run_service(tmp_path / "journal", unplug)
    run_service(tmp_path / "journal", check)


def test_paused_reader_has_an_alert_of_its_own(tmp_path: Path) -> None:
    async def play(service: TableService) -> None:
        service.on_badge(BadgeReaderOffline(FIRST, "paused", monotonic_us()))
        assert badge_alerts(await current_view(service)) == {("badge-reader-paused", FIRST_DEVICE)}
        service.on_badge(BadgeReaderOnline(FIRST, monotonic_us()))
        assert badge_alerts(await current_view(service)) == set()

    run_service(tmp_path / "journal", play)


def test_refused_card_is_recorded_and_reported_until_the_next_hand(tmp_path: Path) -> None:
    journal = tmp_path / "journal"

    async def play(service: TableService) -> None:
        service.on_badge(refused("wrong-answer", monotonic_us(), name="Ann"))
        service.on_badge(refused("unknown", monotonic_us(), SECOND))
        service.on_badge(refused("unreadable", monotonic_us(), "a card that moves"))
        expected = {("badge-refused", FIRST_DEVICE), ("badge-refused", SECOND_DEVICE)}
        assert badge_alerts(await current_view(service)) == expected
        service.apply_step(table_steps.TipsDealer(1, 1))
        assert badge_alerts(await current_view(service)) == expected
        assert recorded_steps(journal)[-3:-1] == [
            f"badge-refused {FIRST_DEVICE} wrong-answer Ann (floor)",
            f"badge-refused {SECOND_DEVICE} unknown",
        ], "an unknown card is recorded without its UID"
        service.apply_step(hand_steps.VoidsHand())
        service.apply_step(hand_steps.StartsHand())
        assert badge_alerts(await current_view(service)) == set()

    run_service(journal, play)


def test_at_most_ten_refused_cards_a_minute_are_recorded_for_each_reader(tmp_path: Path) -> None:
    journal = tmp_path / "journal"

    async def play(service: TableService) -> None:
        now = monotonic_us()
        for number in range(40):
            service.on_badge(refused("unknown", now + number))
        service.on_badge(refused("unknown", now + 40, SECOND))
        service.on_badge(refused("unknown", now + denial_log.MINUTE_US))

    run_service(journal, play)
    with closing(Journal.open_read_only(journal)) as segment:
        devices = [
            entry.step.device for entry in segment.entries() if isinstance(entry.step, observations.BadgeRefused)
        ]
    assert devices == [FIRST_DEVICE] * denial_log.MAX_DENIALS_PER_MINUTE + [SECOND_DEVICE, FIRST_DEVICE]
