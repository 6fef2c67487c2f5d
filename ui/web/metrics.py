"""Measurements of the table in the text format of Prometheus."""

from __future__ import annotations

import hmac
import shutil
from contextlib import suppress
from pathlib import Path
from typing import Final

from prometheus_client import CollectorRegistry, Counter, Gauge, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_LATEST

from controller.view import pages
from ui.web.live_table import LiveTable, TableUnreachableError
from ui.web.oidc import HouseSignIn

CONTENT_TYPE: Final = CONTENT_TYPE_LATEST
THERMAL_FOLDER: Final = Path("/sys/class/thermal")
TOKEN_NAME: Final = "metrics.token"
"""File in the folder of the people whose first line lets Prometheus read the measurements without a session."""
MIN_TOKEN_CHARACTERS: Final = 32
"""Minimum length of the token, so that nobody can guess it. `openssl rand -hex 32` writes twice as many."""


def read_token(folder: Path) -> str:
    """Return the token in this folder, or "" without a token. Raises OSError if the file cannot be used."""
    path = folder / TOKEN_NAME
    if not path.exists():
        return ""
    token = path.read_text(encoding="ascii", errors="replace").strip()
    if len(token) < MIN_TOKEN_CHARACTERS or "\n" in token:
        raise OSError(f"{path}: expected one line of at least {MIN_TOKEN_CHARACTERS} characters")
    return token


def has_token(authorization: str, token: str) -> bool:
    """Return True if the header `Authorization` of a request has the token. Without a token, return False."""
    return token != "" and hmac.compare_digest(authorization.encode(), f"Bearer {token}".encode())


async def exposition(table: LiveTable, house_sign_in: HouseSignIn | None = None) -> bytes:
    """Return all measurements. If the service does not answer, `potkeeper_up` is 0 and the others are left out."""
    registry = CollectorRegistry()
    up = Gauge("potkeeper_up", "1 if the service of the table answers", registry=registry)
    disk = Gauge("potkeeper_disk_free_bytes", "Free space of the disk with the program", registry=registry)
    disk.set(shutil.disk_usage("/").free)
    if house_sign_in is not None:
        used = Counter("potkeeper_local_account_sign_ins", "Sign-ins with the local account", registry=registry)
        used.inc(house_sign_in.local_account_sign_ins)
    if (degrees := _temperature()) is not None:
        Gauge("potkeeper_temperature_celsius", "Highest temperature of the computer", registry=registry).set(degrees)
    try:
        devices = await table.ask("look devices")
    except TableUnreachableError:
        return generate_latest(registry)
    view = table.view
    up.set(view is not None and table.screen.is_live)
    if view is None or not isinstance(devices, pages.DevicesPage):
        return generate_latest(registry)
    Gauge("potkeeper_hand_number", "Number of the present or last hand", registry=registry).set(view.hand_number)
    Gauge("potkeeper_uptime_seconds", "Time since the service started", registry=registry).set(devices.uptime_s)
    alerts = Gauge("potkeeper_alerts", "Open alerts", ("code", "level"), registry=registry)
    for alert in view.alerts:
        alerts.labels(alert.code, alert.level).inc()
    antenna_labels = ("spot", "reader", "antenna")
    reads = Gauge("potkeeper_antenna_reads", "Recent readings of an antenna", antenna_labels, registry=registry)
    failed = Gauge("potkeeper_antenna_failed_reads", "Recent failed readings", antenna_labels, registry=registry)
    for row in devices.antennas:
        reads.labels(row.spot, row.reader, row.antenna).set(row.reads)
        failed.labels(row.spot, row.reader, row.antenna).set(row.failed)
    _add_storage(devices, registry)
    device_up = Gauge("potkeeper_device_up", "1 if the device works", ("device", "kind"), registry=registry)
    bad_frames = Gauge("potkeeper_device_bad_frames", "Damaged frames of a device", ("device",), registry=registry)
    for device in devices.devices:
        device_up.labels(device.name, device.kind).set(device.up)
        bad_frames.labels(device.name).set(device.bad_frames)
    return generate_latest(registry)


def _add_storage(devices: pages.DevicesPage, registry: CollectorRegistry) -> None:
    times = devices.append_times
    Gauge("potkeeper_appends", "Transactions of the journal since the service started", registry=registry).set(
        times.count
    )
    total = Gauge("potkeeper_append_seconds", "Time of all appends with their flushes to the disk", registry=registry)
    total.set(times.total_us / 1_000_000)
    longest = Gauge("potkeeper_longest_append_seconds", "Time of the longest append with its flush", registry=registry)
    longest.set(times.longest_us / 1_000_000)
    if devices.journal_free_bytes is not None:
        free = Gauge("potkeeper_journal_disk_free_bytes", "Free space of the disk with the journal", registry=registry)
        free.set(devices.journal_free_bytes)


def _temperature() -> float | None:
    """Return the highest temperature of the computer in °C, or None if it has no sensor."""
    degrees = []
    for path in THERMAL_FOLDER.glob("thermal_zone*/temp"):
        with suppress(OSError, ValueError):
            degrees.append(int(path.read_text()) / 1_000)
    return max(degrees, default=None)
