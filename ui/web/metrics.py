"""Measurements of the table in the text format of Prometheus."""

from __future__ import annotations

import shutil
from typing import Final

from prometheus_client import CollectorRegistry, Gauge, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_LATEST

from controller.view import pages
from ui.web.live_table import LiveTable, TableUnreachableError

CONTENT_TYPE: Final = CONTENT_TYPE_LATEST


async def exposition(table: LiveTable) -> bytes:
    """Return all measurements. If the service does not answer, `potkeeper_up` is 0 and the others are left out."""
    registry = CollectorRegistry()
    up = Gauge("potkeeper_up", "1 if the service of the table answers", registry=registry)
    disk = Gauge("potkeeper_disk_free_bytes", "Free space of the disk with the program", registry=registry)
    disk.set(shutil.disk_usage("/").free)
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
    device_up = Gauge("potkeeper_device_up", "1 if the device works", ("device", "kind"), registry=registry)
    bad_frames = Gauge("potkeeper_device_bad_frames", "Damaged frames of a device", ("device",), registry=registry)
    for device in devices.devices:
        device_up.labels(device.name, device.kind).set(device.up)
        bad_frames.labels(device.name).set(device.bad_frames)
    return generate_latest(registry)
