"""A table in a virtual machine: late USB adapters, a hand by touch on a graphics card, and a power cut in a hand.

All tests use one machine, in the order of this file. They need no KVM. The machine is switched on twice.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator

import pytest

from controller.simulation import match_chips_to_table
from controller.simulation.script_runner import AFTER_SWEEP_DELAY_S, KEY_DELAY_S, view_differences
from controller.view import TableView
from hardware.layout import reference_layout
from hardware.simulated.pty_table import PtyTable
from hardware.simulated.world import World
from tests.appliance.container import CACHE, ROOT, Container, why_no_container
from tests.appliance.debian_archive import NotAvailableError
from tests.appliance.virtual_machine import (
    BOOT_DEADLINE_S,
    COMMANDS_DONE,
    COMMANDS_FAILED,
    VirtualMachine,
    make_disk,
    running,
    wait_until,
    why_no_machine,
)
from tests.service.service_process import alert_codes
from tests.test_technician_commands import documented
from tests.ui.touch_evening import shortest_touches
from tests.ui.touch_table import TouchTable
from ui.scene import tokens

ADAPTERS = ("odd", "even", "panel-low", "panel-high")
STACKS = dict.fromkeys((1, 2, 3, 4), 1000)
STACKS_TEXT = "{ 1 = 1000, 2 = 1000, 3 = 1000, 4 = 1000 }"
GAME = "blinds = [5, 10]"
CONFIG = f"button = 1\nstacks = {STACKS_TEXT}\n[game]\n{GAME}\n"
OFFLINE = {"reader-offline", "board-offline"}
"""Codes of the alerts about readers and boards that are not connected."""
KEYS = {"3 fold": "fold"}
"""Steps that are entered with a key at a panel board, each with the key."""
OPTIONS = 'POTKEEPER_OPTIONS="--no-gpio"\n'
REAL_ADAPTER, VIRTUAL_ADAPTER = "usb-FTDI_FT232R_USB_UART_", "usb-QEMU_QEMU_USB_SERIAL_"
FELT, FELT_PIXELS = tuple(bytes.fromhex(tokens.THEMES["dark"].felt[1:])), 100_000
"""Colour of the table, and the least number of its pixels on a screen that shows the table."""


PEOPLE_S = 2.0
"""Time, in seconds, in which a person looks at a new frame. A touch just after a change does not count."""
REPEAT_S = 120.0
"""Time, in seconds, after which a touch without an effect is repeated."""
KEY_PRESS_S = 0.1


class Table:
    """The virtual machine, and the emulated devices at its adapters."""

    def __init__(self, machine: VirtualMachine, devices: PtyTable) -> None:
        self.machine = machine
        self.devices = devices
        self.rules = TouchTable(GAME, stacks=STACKS_TEXT)
        """Table that computes what the machine must show, without sensors and a machine."""
        self._sequence = 0
        """Number of the view with the result of the last step."""

    def view(self) -> TableView:
        return self.machine.link().view()

    def is_shown(self, name: str) -> bool:
        """Return True if the screen shows the table. The picture is kept under this name."""
        colours = self.machine.picture(name).getcolors(1 << 24) or []
        return any(colour == FELT and count >= FELT_PIXELS for count, colour in colours)

    def until_up(self, *names: str) -> None:
        """Wait until the service reports these devices, and no other adapters, as up."""

        def are_up(view: TableView) -> bool:
            return {device.name for device in view.devices if device.up} & set(ADAPTERS) == set(names)

        assert self.machine.link().wait_for_view(are_up, BOOT_DEADLINE_S), self.machine.console()

    def alerts(self) -> set[str]:
        """Return the codes of the alerts about devices that are not connected."""
        return {code for code, _ in alert_codes(self.view())} & OFFLINE

    def move_chips(self, do: str) -> None:
        """Let a player move the chips of an action, and wait until the machine shows it."""
        self.rules.do(do)
        self._finish(do)

    def touch(self, do: str) -> None:
        """Enter a step by a touch on the screen of the machine, and wait until the machine shows it."""
        (target,), before = shortest_touches(self.rules, do), self.rules.live.table
        assert self.rules.touch(target) == [do]

        def is_entered() -> bool:
            """Touch the key as people do, and return True if the machine shows a change."""
            wait_until(lambda: self._is_touchable(str(target)), f"{target} can be touched")
            time.sleep(PEOPLE_S)
            self.machine.touch(*self.machine.frame().targets[str(target)])
            return self.machine.link().wait_for_view(lambda view: view_differences(view, before) != "", REPEAT_S)

        wait_until(is_entered, f"{do} is entered by a touch on {target}")
        self._finish(do)

    def _is_touchable(self, name: str) -> bool:
        frame = self.machine.frame()
        return name in frame.targets and frame.is_live and frame.sequence >= self._sequence

    def press(self, do: str) -> None:
        """Enter a step with a key at a panel board, and wait until the machine shows it."""
        time.sleep(KEY_DELAY_S)
        self.devices.press(KEYS[do])
        time.sleep(KEY_PRESS_S)
        self.devices.release(KEYS[do])
        self.rules.do(do)
        self._finish(do)

    def _finish(self, do: str) -> None:
        """Move the chips as the rules demand, and wait until the machine shows what the rules compute."""
        expected = self.rules.live.table
        with self.devices.exclusive_world() as world:
            match_chips_to_table(world, expected)
        shown = self.machine.link().wait_for_view(lambda view: not view_differences(view, expected), BOOT_DEADLINE_S)
        assert shown, (do, view_differences(self.view(), expected), alert_codes(self.view()))
        self._sequence = self.view().sequence
        time.sleep(AFTER_SWEEP_DELAY_S)


def commands_of_a_machine() -> list[str]:
    """Return the commands of the document that need a disk or a clock, each with a test of its result."""
    commands = documented("lsblk", "mkdir", "mount /dev/sda1", "umount", "timedatectl")
    assert [line.split()[0] for line in commands].count("timedatectl") >= 2
    results = {
        "lsblk": "lsblk | grep sda1",
        "mount": "mountpoint /media/usb",
        "umount": "if mountpoint -q /media/usb; then false; fi",
        "timedatectl set-ntp false": "while systemctl -q is-active systemd-timesyncd; do sleep 1; done; sleep 5",
        "timedatectl set-time": 'test "$(date +%F)" = 2026-11-28',
    }
    # A clock that a time server sets cannot be set by hand, so the order is that of an evening without a network.
    commands.sort(key=lambda line: (line.startswith("timedatectl"), line.endswith("true"), "set-time" in line))
    return [
        line
        for command in commands
        for line in (command, *(test for words, test in results.items() if command.startswith(words)))
    ]


@pytest.fixture(scope="module")
def table() -> Iterator[Table]:
    """Yield a virtual machine that has just been switched on, without adapters."""
    if reason := why_no_container() or why_no_machine():
        pytest.skip(reason)
    folder = CACHE / "machine"
    shutil.rmtree(folder, ignore_errors=True)
    try:
        container = Container("bookworm")
    except NotAvailableError as error:
        pytest.skip(f"Debian 12 cannot be fetched: {error}")
    folder.mkdir()
    try:
        container.boot(has_network=True)
        container.copy_program()
        installation = container.as_technician("hardware/deploy/install.sh --no-start")
        assert installation.returncode == 0, installation.stdout + installation.stderr
        layout = (ROOT / "hardware" / "layout.toml").read_text()
        assert layout.count(REAL_ADAPTER) == len(ADAPTERS)
        container.write("/etc/potkeeper/layout.toml", layout.replace(REAL_ADAPTER, VIRTUAL_ADAPTER))
        container.write("/etc/potkeeper/table.toml", CONFIG)
        container.write("/etc/potkeeper/options", OPTIONS)
        make_disk(container, folder, commands_of_a_machine())
    finally:
        container.remove()
    world = World(STACKS, chips=reference_layout().chip_set)
    with (
        PtyTable(reference_layout(), world) as devices,
        running(VirtualMachine(folder, devices.layout.ports)) as machine,
    ):
        yield Table(machine, devices)
    shutil.rmtree(folder)


@pytest.mark.soak
def test_adapters_that_are_plugged_in_after_the_start_work_and_their_alerts_end(table: Table) -> None:
    assert not table.is_shown("before"), "expected a screen without the table before the boot"
    table.until_up()
    wait_until(lambda: table.alerts() == OFFLINE, "the alerts about readers and boards")
    wait_until(lambda: table.is_shown("no-adapters"), "the screen shows the table")
    for number, name in enumerate(ADAPTERS, 1):
        table.machine.plug(name)
        table.until_up(*ADAPTERS[:number])
    wait_until(lambda: not table.alerts(), "the alerts end without a touch or a restart")
    wait_until(lambda: table.is_shown("all-adapters"), "the screen shows the table")
    assert "connected to the service, showing the table" in table.machine.console()


@pytest.mark.soak
def test_hand_is_played_by_touch_chips_and_a_key(table: Table) -> None:
    table.touch("hand")
    table.move_chips("4 raise to 30")
    table.touch("1 fold")
    table.move_chips("2 call")
    table.press("3 fold")
    table.touch("deal")
    table.touch("2 check")
    table.move_chips("4 bet 50")
    wait_until(lambda: table.is_shown("bet"), "the screen shows the table")
    table.touch("2 fold")
    table.touch("award main 4")
    assert [seat.stack for seat in table.view().seats[:4]] == [1000, 970, 990, 1040]


@pytest.mark.soak
def test_power_cut_with_a_raise_open_continues_at_the_same_place(table: Table) -> None:
    table.touch("hand")
    table.move_chips("1 raise to 30")
    before = table.view()
    table.machine.cut_power()
    table.machine.start(*ADAPTERS)
    after = table.view()
    for name in ("hand_number", "phase", "turn", "pot", "to_call", "min_raise_to", "accounts"):
        assert getattr(after, name) == getattr(before, name), name
    assert [(seat.stack, seat.bet) for seat in after.seats] == [(seat.stack, seat.bet) for seat in before.seats]
    table.until_up(*ADAPTERS)
    wait_until(lambda: table.is_shown("after-power-cut"), "the screen shows the table")
    table.touch("2 fold")


@pytest.mark.soak
def test_adapter_that_is_unplugged_is_reported(table: Table) -> None:
    table.machine.unplug(ADAPTERS[0])
    table.until_up(*ADAPTERS[1:])
    wait_until(lambda: table.alerts() == {"reader-offline"}, "the alert about the reader")


@pytest.mark.soak
def test_documented_stick_and_clock_of_the_machine(table: Table) -> None:
    """The machine runs the commands as soon as the stick is plugged in."""
    assert COMMANDS_DONE not in table.machine.console()
    table.machine.plug_stick()

    def are_done() -> bool:
        console = table.machine.console()
        assert COMMANDS_FAILED not in console, console[-5000:]
        return COMMANDS_DONE in console

    wait_until(are_done, "the commands of the document are done")
