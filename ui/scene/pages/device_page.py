"""Content of the page for technicians: the current state of antennas, devices, keys and lamps."""

from __future__ import annotations

from typing import Final

from controller.messages import Messages, ScreenKey
from controller.view import (
    pages,
)
from ui.scene.pages.page_layout import Column, LineTone, PageContent, TextLine
from ui.scene.pages.time_format import format_duration
from ui.scene.view_models import SEPARATOR

ANTENNA_COLUMNS: Final = (
    *(
        Column(0.2),
        Column(0.28),
        Column(0.12, align_right=True),
        Column(0.2, align_right=True),
        Column(0.2, align_right=True),
    ),
)
"""Columns of the list of spots: spot, reader and antenna, tags, failed readings, and time since the last reading. A
fault is shown in a line below."""
DEVICE_COLUMNS: Final = (
    *(Column(0.25), Column(0.2), Column(0.19)),
    *(Column(0.12, align_right=True), Column(0.12, align_right=True), Column(0.12, align_right=True)),
)
"""Columns of the list of devices: name, port, version, and numbers of damaged frames, timeouts and restarts. The reason
why a device is down is shown in a line below."""
KEY_COLUMNS: Final = (Column(0.4), Column(0.2, align_right=True), Column(0.4))
SINGLE_COLUMN: Final = (Column(1.0),)
ANTENNA_HEADINGS: Final[tuple[ScreenKey, ...]] = ("head-spot", "head-reader", "head-tags", "head-failed", "head-age")
DEVICE_HEADINGS: Final[tuple[ScreenKey, ...]] = (
    *("head-device", "head-link", "head-version"),
    *("head-damaged", "head-unanswered", "head-restarts"),
)
DEVICE_KIND_MESSAGES: Final[dict[str, ScreenKey]] = {
    "reader": "kind-reader",
    "board": "kind-board",
    "badge-reader": "kind-badge-reader",
    "keys": "kind-keys",
    "storage": "kind-storage",
}


def devices_content(page: pages.DevicesPage, messages: Messages) -> PageContent:
    """Return the page with antennas, devices, lamps and keys. Lines about failures have the colours of a warning."""
    lines = (
        [TextLine(ANTENNA_COLUMNS, tuple([messages.text(heading) for heading in ANTENNA_HEADINGS]), "soft")]
        if page.antennas
        else []
    )
    for antenna in page.antennas:
        lines += _antenna_lines(antenna, messages)
    lines += (
        [TextLine(DEVICE_COLUMNS, tuple([messages.text(heading) for heading in DEVICE_HEADINGS]), "soft")]
        if page.devices
        else []
    )
    for device in page.devices:
        lines += _device_lines(device, messages)
    if not lines:
        lines.append(TextLine(SINGLE_COLUMN, (messages.text("sensors-off"),)))
    lamps = ", ".join(map(str, page.lamps)) or messages.text("no-lamps")
    lines.append(TextLine(SINGLE_COLUMN, (messages.text("lamps", seats=lamps),)))
    if page.keys:
        lines.append(
            TextLine(
                KEY_COLUMNS,
                (messages.text("head-key"), messages.text("head-presses"), messages.text("head-last")),
                "soft",
            )
        )
        lines += [_key_line(key, messages) for key in page.keys]
    about = [
        messages.text("version", name=page.version),
        messages.text("running-for", time=format_duration(page.uptime_s)),
    ]
    if page.build:
        lines.append(TextLine(SINGLE_COLUMN, (messages.text("build", name=page.build),)))
    if page.web_code:
        lines.append(TextLine(SINGLE_COLUMN, (messages.text("web-code", code=page.web_code),), "info"))
    if page.journal_path:
        lines.append(TextLine(SINGLE_COLUMN, (messages.text("records-in", path=page.journal_path),)))
    return PageContent(messages.text("title-devices"), SEPARATOR.join(about), tuple(lines))


def _antenna_lines(antenna: pages.AntennaRow, messages: Messages) -> list[TextLine]:
    is_down = antenna.up is False
    tone: LineTone = "warning" if is_down else "calm"
    lines = [
        TextLine(
            ANTENNA_COLUMNS,
            (
                messages.spot(antenna.spot),
                SEPARATOR.join((antenna.reader, str(antenna.antenna))),
                str(antenna.tags) if antenna.up else messages.text("not-read" if is_down else "not-known"),
                messages.text("failed-of", failed=antenna.failed, total=antenna.reads),
                messages.text("age-ms", count=antenna.age_ms) if antenna.age_ms is not None else "",
            ),
            tone,
        )
    ]
    if antenna.fault:
        ago = messages.text("seconds-ago", count=antenna.fault_age_s or 0)
        lines.append(TextLine(SINGLE_COLUMN, (SEPARATOR.join((ago, messages.fault(antenna.fault))),), tone))
    return lines


def _device_lines(device: pages.DeviceRow, messages: Messages) -> list[TextLine]:
    tone: LineTone = "calm" if device.up else "warning"
    lines = [
        TextLine(
            DEVICE_COLUMNS,
            (
                SEPARATOR.join((messages.text(DEVICE_KIND_MESSAGES[device.kind]), device.name)),
                device.port if device.up else messages.text("device-out"),
                SEPARATOR.join(filter(None, (device.model, device.version))),
                *map(str, (device.bad_frames, device.timeouts, device.reboots)),
            ),
            tone,
        )
    ]
    if device.reason and not device.up:
        lines.append(TextLine(SINGLE_COLUMN, (messages.fault(device.reason),), tone))
    return lines


def _key_line(key: pages.KeyRow, messages: Messages) -> TextLine:
    name = key.key or messages.text("seat-button", seat=key.seat)
    last = messages.text("seconds-ago", count=key.age_s) if key.age_s is not None else ""
    return TextLine(KEY_COLUMNS, (name, str(key.presses), last))
