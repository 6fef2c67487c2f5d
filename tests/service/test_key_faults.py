"""Faults of keys in a running service: the alert, the restart, and the end of the fault."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from firmware_bridge.clock import monotonic_us
from hardware.events import KEY_BOUNCES, KEY_DEVICES, KEY_STUCK, DeviceDown, DeviceUp, Event
from tests.service.in_process_service import InProcessService, in_process_service

FOLD = KEY_DEVICES["fold"]


def _key_alerts(table: InProcessService) -> list[str]:
    view = table.call(table.service._make_view)
    return [alert.code for alert in view.alerts if alert.code.startswith("key-")]


def _send(table: InProcessService, event: Event) -> None:
    table.call(partial(table.service.on_event, event))


def test_fault_of_a_key_is_an_alert_until_the_key_is_good_again(tmp_path: Path) -> None:
    with in_process_service(tmp_path) as table:
        for reason, code in ((KEY_STUCK, "key-stuck"), (KEY_BOUNCES, "key-bounces")):
            _send(table, DeviceDown(FOLD, reason, monotonic_us()))
            assert _key_alerts(table) == [code]
            _send(table, DeviceUp(FOLD, monotonic_us()))
            assert _key_alerts(table) == []


def test_restart_ends_the_fault_of_a_key_because_a_faulty_key_is_reported_again(tmp_path: Path) -> None:
    journal = tmp_path / "table.journal"
    with in_process_service(tmp_path, journal=journal) as table:
        _send(table, DeviceDown(FOLD, KEY_STUCK, monotonic_us()))
        assert _key_alerts(table) == ["key-stuck"]
    with in_process_service(tmp_path, journal=journal) as table:
        assert _key_alerts(table) == []
