"""What the page for technicians says: each antenna, device, key and lamp, as it is now."""

from __future__ import annotations

from typing import Final

from controller.view import AntennaLine, DeviceLine, DevicesPage, KeyLine
from controller.words import ScreenKey, Words
from ui.scene.faces import SEPARATOR
from ui.scene.pages.sheet import Column, Line, Paint, Sheet
from ui.scene.pages.times import lasted

ANTENNA: Final = (
    *(Column(0.2), Column(0.28), Column(0.12, right=True), Column(0.2, right=True), Column(0.2, right=True)),
)
"""Spot, reader and antenna, tags, failed of readings, age; a fault has a line of its own."""
DEVICE: Final = (
    *(Column(0.25), Column(0.2), Column(0.19)),
    *(Column(0.12, right=True), Column(0.12, right=True), Column(0.12, right=True)),
)
"""Name, whether it is up, version, damaged frames, questions not answered, restarts; why it is not up has a line of its
own."""
KEY: Final = (Column(0.4), Column(0.2, right=True), Column(0.4))
WHOLE: Final = (Column(1.0),)
ANTENNA_HEADS: Final[tuple[ScreenKey, ...]] = ("head-spot", "head-reader", "head-tags", "head-failed", "head-age")
DEVICE_HEADS: Final[tuple[ScreenKey, ...]] = (
    *("head-device", "head-link", "head-version"),
    *("head-damaged", "head-unanswered", "head-restarts"),
)
KINDS: Final[dict[str, ScreenKey]] = {
    "reader": "kind-reader",
    "board": "kind-board",
    "badge-reader": "kind-badge-reader",
    "keys": "kind-keys",
    "storage": "kind-storage",
}


def devices(page: DevicesPage, words: Words) -> Sheet:
    """Antennas first, those that fail in the tone of a warning."""
    lines = [Line(ANTENNA, tuple([words.say(head) for head in ANTENNA_HEADS]), "soft")] if page.antennas else []
    for antenna in page.antennas:
        lines += _antenna(antenna, words)
    lines += [Line(DEVICE, tuple([words.say(head) for head in DEVICE_HEADS]), "soft")] if page.devices else []
    for device in page.devices:
        lines += _device(device, words)
    if not lines:
        lines.append(Line(WHOLE, (words.say("sensors-off"),)))
    lamps = ", ".join(map(str, page.lamps)) or words.say("no-lamps")
    lines.append(Line(WHOLE, (words.say("lamps", seats=lamps),)))
    if page.keys:
        lines.append(Line(KEY, (words.say("head-key"), words.say("head-presses"), words.say("head-last")), "soft"))
        lines += [_key(line, words) for line in page.keys]
    about = [words.say("version", name=page.version), words.say("running-for", time=lasted(page.up_s))]
    if page.records:
        lines.append(Line(WHOLE, (words.say("records-in", path=page.records),)))
    return Sheet(words.say("title-devices"), SEPARATOR.join(about), tuple(lines))


def _antenna(line: AntennaLine, words: Words) -> list[Line]:
    out = line.up is False
    paint: Paint = "warning" if out else "calm"
    told = [
        Line(
            ANTENNA,
            (
                words.spot(line.spot),
                SEPARATOR.join((line.reader, str(line.antenna))),
                str(line.tags) if line.up else words.say("not-read" if out else "not-known"),
                words.say("failed-of", failed=line.failed, count=line.reads),
                words.say("age-ms", count=line.age_ms) if line.age_ms is not None else "",
            ),
            paint,
        )
    ]
    if line.fault:
        ago = words.say("seconds-ago", count=line.fault_age_s or 0)
        told.append(Line(WHOLE, (SEPARATOR.join((ago, words.reason(line.fault))),), paint))
    return told


def _device(line: DeviceLine, words: Words) -> list[Line]:
    paint: Paint = "calm" if line.up else "warning"
    told = [
        Line(
            DEVICE,
            (
                SEPARATOR.join((words.say(KINDS[line.kind]), line.name)),
                line.port if line.up else words.say("device-out"),
                SEPARATOR.join(filter(None, (line.model, line.version))),
                *map(str, (line.bad_frames, line.timeouts, line.reboots)),
            ),
            paint,
        )
    ]
    if line.reason and not line.up:
        told.append(Line(WHOLE, (words.reason(line.reason),), paint))
    return told


def _key(line: KeyLine, words: Words) -> Line:
    name = line.key or words.say("seat-button", seat=line.seat)
    last = words.say("seconds-ago", count=line.age_s) if line.age_s is not None else ""
    return Line(KEY, (name, str(line.presses), last))
