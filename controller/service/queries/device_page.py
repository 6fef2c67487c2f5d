"""The devices page for the technician: whether each device works, and its counters of readings and faults."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Final

from controller.live import (
    Live,
    derived_state,
)
from controller.view import (
    pages,
)
from hardware.health import AntennaHealth, DeviceHealth, HardwareHealth, PressStats

HealthSource = Callable[[], HardwareHealth]
_KIND_OF_OTHER_DEVICES: Final[dict[str, pages.DeviceKind]] = {
    derived_state.HIGH_WATER_MARK: "storage",
    derived_state.TABLE_KEY: "storage",
    derived_state.STORAGE: "storage",
}
"""Kinds of the devices that are not in the layout of the hardware, by device name. Badge readers are left out."""


def devices_page(
    live: Live,
    health: HardwareHealth,
    now_us: int,
    *,
    uptime_us: int,
    version: str,
    build: str,
    journal_path: str,
    web_code: str,
) -> pages.DevicesPage:
    """Return the page with the state of the devices at `now_us`. `uptime_us` is the time since the service started."""
    layout_devices = tuple([device_row(device, live.device_faults.down.get(device.name)) for device in health.devices])
    other_devices = tuple(
        [
            pages.DeviceRow(name=name, kind=kind, up=reason is None, reason=reason or "")
            for name, reason in live.device_faults.down.items()
            if (kind := _kind_of_other_device(name)) is not None
        ]
    )
    return pages.DevicesPage(
        antennas=tuple([_antenna_row(antenna, now_us) for antenna in health.antennas]),
        devices=(*layout_devices, *other_devices),
        keys=tuple([_key_row(key_or_seat, stats, now_us) for key_or_seat, stats in health.press_stats.items()]),
        lamps=tuple(sorted(health.lit_seats)),
        version=version,
        build=build,
        uptime_s=uptime_us // 1_000_000,
        journal_path=journal_path,
        web_code=web_code,
        journal_free_bytes=_free_bytes(journal_path),
    )


def _free_bytes(journal_path: str) -> int | None:
    try:
        return shutil.disk_usage(Path(journal_path).parent).free if journal_path else None
    except OSError:
        return None


def _kind_of_other_device(name: str) -> pages.DeviceKind | None:
    """Return the kind of a device that is not in the layout, or None for a device of the layout."""
    return "badge-reader" if derived_state.is_badge_reader(name) else _KIND_OF_OTHER_DEVICES.get(name)


def _antenna_row(antenna: AntennaHealth, now_us: int) -> pages.AntennaRow:
    return pages.AntennaRow(
        spot=antenna.spot,
        reader=antenna.reader,
        antenna=antenna.antenna,
        up=antenna.is_online,
        tags=antenna.tag_count,
        reads=antenna.read_count,
        failed=antenna.failed_count,
        age_ms=None if antenna.last_read_us is None else (now_us - antenna.last_read_us) // 1_000,
        fault=antenna.last_fault,
        fault_age_s=_age_s(antenna.last_fault_us, now_us),
    )


def device_row(device: DeviceHealth, down_reason: str | None) -> pages.DeviceRow:
    """Return the row of a device. `down_reason` is the reason why it is down, or None."""
    return pages.DeviceRow(
        name=device.name,
        kind=device.kind,
        up=device.is_up,
        reason="" if device.is_up else down_reason or "",
        port=device.port,
        model=device.model,
        version=device.version,
        frames=device.frames,
        bad_frames=device.bad_frames,
        timeouts=device.timeouts,
        reboots=device.reboots,
        serial=device.serial,
        expected_serial=device.expected_serial,
        problems=device.problems,
    )


def _key_row(key_or_seat: str | int, stats: PressStats, now_us: int) -> pages.KeyRow:
    seat = key_or_seat if isinstance(key_or_seat, int) else 0
    key = key_or_seat if isinstance(key_or_seat, str) else ""
    return pages.KeyRow(key=key, seat=seat, presses=stats.press_count, age_s=_age_s(stats.last_us, now_us))


def _age_s(at_us: int | None, now_us: int) -> int | None:
    return None if at_us is None else (now_us - at_us) // 1_000_000
