"""What stands on the table, for the technician: from the hardware's own counts and from what the table knows of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from controller.live import BADGE_READER, HIGH_WATER, STORAGE, TABLE_KEY, Live
from controller.view import AntennaLine, DeviceKind, DeviceLine, DevicesPage, KeyLine
from hardware.health import AntennaHealth, DeviceHealth, Health, Pressed

HasHealth = Callable[[], Health]
_KINDS: Final[dict[str, DeviceKind]] = {
    BADGE_READER: "badge-reader",
    HIGH_WATER: "storage",
    TABLE_KEY: "storage",
    STORAGE: "storage",
}
"""Devices that are no part of the layout."""


def devices_page(live: Live, health: Health, now_us: int, *, up_us: int, version: str, records: str) -> DevicesPage:
    """Everything as it is at `now_us`, `up_us` after the service began."""
    listed = tuple([_device(device, live.devices.get(device.name)) for device in health.devices])
    others = tuple(
        [
            DeviceLine(name=name, kind=_KINDS[name], up=why is None, reason=why or "")
            for name, why in live.devices.items()
            if name in _KINDS
        ]
    )
    return DevicesPage(
        antennas=tuple([_antenna(antenna, now_us) for antenna in health.antennas]),
        devices=(*listed, *others),
        keys=tuple([_key(which, pressed, now_us) for which, pressed in health.pressed.items()]),
        lamps=tuple(sorted(health.lamps)),
        version=version,
        up_s=up_us // 1_000_000,
        records=records,
    )


def _antenna(antenna: AntennaHealth, now_us: int) -> AntennaLine:
    return AntennaLine(
        spot=antenna.spot,
        reader=antenna.reader,
        antenna=antenna.antenna,
        up=antenna.online,
        tags=antenna.tags,
        reads=antenna.reads,
        failed=antenna.failed,
        age_ms=None if antenna.read_us is None else (now_us - antenna.read_us) // 1_000,
        fault=antenna.fault,
        fault_age_s=_age_s(antenna.fault_us, now_us),
    )


def _device(device: DeviceHealth, why: str | None) -> DeviceLine:
    return DeviceLine(
        name=device.name,
        kind=device.kind,
        up=device.up,
        reason="" if device.up else why or "",
        port=device.port,
        model=device.model,
        version=device.version,
        frames=device.frames,
        bad_frames=device.bad_frames,
        timeouts=device.timeouts,
        reboots=device.reboots,
    )


def _key(which: str | int, pressed: Pressed, now_us: int) -> KeyLine:
    seat = which if isinstance(which, int) else 0
    key = which if isinstance(which, str) else ""
    return KeyLine(key=key, seat=seat, presses=pressed.presses, age_s=_age_s(pressed.at_us, now_us))


def _age_s(at_us: int | None, now_us: int) -> int | None:
    return None if at_us is None else (now_us - at_us) // 1_000_000
