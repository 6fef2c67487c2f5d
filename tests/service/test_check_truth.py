"""Broken set-ups of a table: `potkeeper check` reports each in one line, with and without the running service."""

from __future__ import annotations

import asyncio
import json
import threading
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from controller import cli
from controller.config import parse_config
from controller.service import CheckResult, TableService, setup_check
from controller.service.checks import ask_service, check_badge_readers, check_machine, check_pins
from controller.service.checks.machine import SCREEN_UNIT
from firmware_bridge.feig import reader_settings
from hardware import layout
from hardware.badges import PcscError
from hardware.layout import TableLayout
from hardware.simulated.pty_table import PtyTable
from hardware.simulated.world import World
from hardware.table_io import TableIO
from tests.service.service_process import CONFIG, DEADLINE_S

LAYOUT_FILE = Path(layout.__file__).parent.with_name("layout.toml")
DEVICES = ("odd", "even", "panel-low", "panel-high")


def _write_layout(folder: Path, *, keys: str = "keys = {}") -> Path:
    """Write the reference layout with the serial numbers of its devices and without pins."""
    text = LAYOUT_FILE.read_text()
    for name in DEVICES:
        digits = 8 if name in ("odd", "even") else 16
        serial = f"{zlib.crc32(name.encode()):0{digits}X}"
        for space in ("     ", "    "):
            text = text.replace(f'name{space}= "{name}"\n', f'name = "{name}"\nserial = "{serial}"\n')
    path = folder / "layout.toml"
    path.write_text(text.replace(text[text.index("keys = { fold = 5") : text.index("\n# Chips by UID")], keys + "\n"))
    return path


@dataclass(frozen=True)
class SetUp:
    """A table with emulated devices, its layout file, and the ports at which the devices are connected."""

    table: PtyTable
    layout: Path
    ports: dict[str, str]

    @property
    def used_layout(self) -> TableLayout:
        return layout.load_layout(self.layout).with_ports(self.ports)


@contextmanager
def _healthy(folder: Path) -> Iterator[SetUp]:
    path = _write_layout(folder)
    with PtyTable(layout.load_layout(path), World({})) as table:
        yield SetUp(table, path, dict(table.layout.ports))


def _scan_mode(set_up: SetUp) -> None:
    set_up.table.configure_reader("odd", reader_settings.INTERFACE_BLOCK, reader_settings.MODE_OFFSET, 1)


def _afi_filter(set_up: SetUp) -> None:
    set_up.table.configure_reader(
        "odd", reader_settings.TRANSPONDER_BLOCK, reader_settings.AFI_OFFSET, reader_settings.AFI_BIT
    )


def _tags_once(set_up: SetUp) -> None:
    value = reader_settings.ONT_BIT | reader_settings.ANTICOLLISION_BIT
    set_up.table.configure_reader("odd", reader_settings.ANTICOLLISION_BLOCK, reader_settings.ONT_OFFSET, value)


def _two_dead_antennas(set_up: SetUp) -> None:
    set_up.table.unplug("bet3")
    set_up.table.unplug("bet7")


def _swap(set_up: SetUp, first: str, second: str) -> None:
    set_up.ports[first], set_up.ports[second] = set_up.ports[second], set_up.ports[first]


def _swapped_readers(set_up: SetUp) -> None:
    _swap(set_up, "odd", "even")


def _swapped_boards(set_up: SetUp) -> None:
    _swap(set_up, "panel-low", "panel-high")


def _pins_without_gpio(set_up: SetUp) -> None:
    _write_layout(set_up.layout.parent, keys="keys = { fold = 5 }")


BROKEN: list[tuple[Callable[[SetUp], None], str]] = [
    (_scan_mode, "mode is 01, expected 00, ISO host mode"),
    (_afi_filter, "afi is tags of one family only, expected all tags"),
    (_tags_once, "ont is 1, a tag answers once, expected 0, or rf_reset = true in the layout"),
    (_two_dead_antennas, "antenna 2 (bet3), 4 (bet7): RF error"),
    (_swapped_readers, "even and odd are swapped"),
    (_swapped_boards, "panel-high and panel-low are swapped"),
    (_pins_without_gpio, "keys at GPIO pins: they cannot be opened"),
]


def _bad(results: list[CheckResult]) -> list[str]:
    return [text for is_ok, text in results if not is_ok]


def _run(set_up: SetUp, address: Path | None, *options: str) -> Result:
    """Run `potkeeper check` with the options of a set-up."""
    ports = [part for name, path in set_up.ports.items() for part in ("--port", f"{name}={path}")]
    socket = str(address or set_up.layout.with_name("none"))
    return CliRunner().invoke(cli.main, ["check", "--layout", str(set_up.layout), "--socket", socket, *ports, *options])


def _check(set_up: SetUp, address: Path | None = None) -> list[CheckResult]:
    """Return the lines that the command prints. Its exit code is 1 if there is a line with BAD, and otherwise 0."""
    result = _run(set_up, address)
    lines = [CheckResult(line.startswith("ok  "), line[4:]) for line in result.stdout.splitlines()]
    assert result.exit_code == (1 if _bad(lines) else 0), result.output
    assert len(lines) > len(DEVICES), result.output
    return lines


@contextmanager
def _running_service(set_up: SetUp, address: Path) -> Iterator[None]:
    """Run a service with the devices of a set-up until the context ends."""
    stopping: list[Callable[[], object]] = []
    is_up = threading.Event()

    async def run() -> None:
        service = TableService.open(parse_config(CONFIG), None, trays=True)
        table_io = TableIO(set_up.used_layout, service.on_event)
        service.attach(table_io, table_io.health)
        ready = asyncio.Event()
        task = asyncio.create_task(service.run(address, ready=ready))
        await ready.wait()
        loop = asyncio.get_running_loop()
        stopping.append(partial(loop.call_soon_threadsafe, service.stop))
        is_up.set()
        await task

    thread = threading.Thread(target=asyncio.run, args=(run(),), daemon=True)
    thread.start()
    try:
        assert is_up.wait(DEADLINE_S), "the service did not start"
        yield
    finally:
        for stop in stopping:
            stop()
        thread.join(DEADLINE_S)


def _until(expected: Callable[[list[CheckResult]], bool], set_up: SetUp, address: Path) -> list[CheckResult]:
    """Check again until the service has read all antennas, so that the result is as expected, or until the deadline."""
    deadline_s = time.monotonic() + DEADLINE_S
    while not expected(results := _check(set_up, address)) and time.monotonic() < deadline_s:
        time.sleep(0.1)
    return results


def test_healthy_table_has_no_bad_line(tmp_path: Path) -> None:
    with _healthy(tmp_path) as set_up:
        assert _bad(_check(set_up)) == []
        address = tmp_path / "table.sock"
        with _running_service(set_up, address):
            results = _until(lambda results: not _bad(results), set_up, address)
            assert _bad(results) == []
            assert any(text.startswith("service: it runs") for _, text in results)


@pytest.mark.parametrize(("break_it", "line"), BROKEN)
def test_broken_set_up_is_one_bad_line_and_exit_code_1(
    tmp_path: Path, break_it: Callable[[SetUp], None], line: str
) -> None:
    with _healthy(tmp_path) as set_up:
        break_it(set_up)
        (bad,) = _bad(_check(set_up))
    assert line in bad


@pytest.mark.parametrize(("break_it", "line"), BROKEN)
def test_broken_set_up_is_one_bad_line_and_exit_code_1_while_the_service_runs(
    tmp_path: Path, break_it: Callable[[SetUp], None], line: str
) -> None:
    with _healthy(tmp_path) as set_up:
        break_it(set_up)
        address = tmp_path / "table.sock"
        with _running_service(set_up, address):
            results = _until(lambda results: len(_bad(results)) == 1 and line in _bad(results)[0], set_up, address)
    (bad,) = _bad(results)
    assert line in bad


def test_planted_fault_check_that_only_greets_is_caught(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every device that answers pass, as the check did before."""
    monkeypatch.setattr(
        setup_check,
        "device_results",
        lambda page: [CheckResult(row.up, f"{row.name}: answers") for row in page.devices],
    )
    monkeypatch.setattr(setup_check, "check_pins", lambda keys: CheckResult(True, f"{len(keys)} keys"))
    for break_it, _ in BROKEN:
        folder = tmp_path / break_it.__name__
        folder.mkdir()
        with _healthy(folder) as set_up:
            break_it(set_up)
            assert _bad(_check(set_up)) == []


def test_command_exits_with_one_and_prints_json(tmp_path: Path) -> None:
    with _healthy(tmp_path) as set_up:
        _two_dead_antennas(set_up)
        result = _run(set_up, None, "--json")
    assert result.exit_code == 1
    assert [row["line"] for row in json.loads(result.stdout) if not row["ok"]] == [
        f"reader odd at {set_up.ports['odd']}: antenna 2 (bet3), 4 (bet7): RF error, expected a good reading: "
        "check the antenna's cable, connector and tuning"
    ]


def test_other_device_than_the_layout_names_is_reported(tmp_path: Path) -> None:
    with _healthy(tmp_path) as set_up:
        text = set_up.layout.read_text()
        set_up.layout.write_text(text.replace(f"{zlib.crc32(b'odd'):08X}", "0BADC0DE"))
        (bad,) = _bad(_check(set_up))
    assert bad.endswith(f"its serial number is {zlib.crc32(b'odd'):08X}, expected 0BADC0DE")


def test_service_that_does_not_run_is_not_asked(tmp_path: Path) -> None:
    assert ask_service(tmp_path / "none") is None


def test_pins_of_the_bus_are_no_keys() -> None:
    assert check_pins({"fold": 2}).text.endswith("fold is at BCM 2, which belongs to I²C, expected another pin")
    assert check_pins({"fold": 5}, lambda keys: None) == (True, "keys at GPIO pins: 1 can be opened")


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (PcscError("no-service"), "pcscd does not run"),
        (PcscError("not-allowed"), "expected the polkit rule"),
        (ImportError(), "pyscard is not installed"),
        (None, "none is connected"),
    ],
)
def test_badge_reader_that_cannot_be_used_is_reported(error: Exception | None, line: str) -> None:
    def list_readers() -> tuple[str, ...]:
        if error is not None:
            raise error
        return ()

    is_ok, text = check_badge_readers(list_readers)
    assert not is_ok and line in text


def _machine(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text + "\n")
    return root


GOOD_MACHINE = {
    SCREEN_UNIT: "",
    "sys/class/drm/card1-HDMI-A-1/status": "connected",
    "sys/class/drm/card1-HDMI-A-2/status": "disconnected",
    "sys/class/watchdog/watchdog0/state": "active",
    "sys/class/thermal/thermal_zone0/temp": "55012",
    "sys/devices/platform/soc/soc:firmware/get_throttled": "0",
}


def _machine_lines(root: Path, journal: Path | None = None, now_s: float = 1_800_000_000) -> list[CheckResult]:
    return check_machine(journal, root=root, now_s=lambda: now_s, is_synchronised=lambda: True)


def test_good_machine_has_no_bad_line(tmp_path: Path) -> None:
    results = _machine_lines(_machine(tmp_path, GOOD_MACHINE), tmp_path / "table.journal")
    assert _bad(results) == []
    assert [text.partition(":")[0] for _, text in results] == [
        "clock", "disk", "display", "watchdog", "temperature", "power"
    ]  # fmt: skip
    assert "synchronised" in results[0].text


@pytest.mark.parametrize(
    ("name", "value", "line"),
    [
        ("sys/class/drm/card1-HDMI-A-1/status", "disconnected", "display: none is connected at HDMI-A-1, HDMI-A-2"),
        ("sys/class/watchdog/watchdog0/state", "inactive", "watchdog: not used, expected RuntimeWatchdogSec"),
        ("sys/class/thermal/thermal_zone0/temp", "85500", "temperature: 85 °C, expected at most 80"),
        ("sys/devices/platform/soc/soc:firmware/get_throttled", "50000", "the voltage was too low since the start"),
        ("sys/devices/platform/soc/soc:firmware/get_throttled", "50005", "the voltage was too low now"),
    ],
)
def test_machine_with_a_fault_has_one_bad_line(tmp_path: Path, name: str, value: str, line: str) -> None:
    (bad,) = _bad(_machine_lines(_machine(tmp_path, GOOD_MACHINE | {name: value})))
    assert line in bad


def test_journal_in_a_missing_folder_and_a_wrong_clock_are_reported(tmp_path: Path) -> None:
    clock, disk = _bad(_machine_lines(_machine(tmp_path, GOOD_MACHINE), tmp_path / "gone" / "t.journal", now_s=0))
    assert clock.startswith("clock: 19")
    assert disk.endswith("gone: No such file or directory, expected the folder of the journal")


def test_unknown_parts_of_a_machine_are_named_and_pass(tmp_path: Path) -> None:
    assert _bad(_machine_lines(tmp_path)) == []
