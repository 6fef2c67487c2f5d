"""A table in a virtual machine: its devices at USB adapters, its screen on a graphics card, and a power cut in a hand.

All tests use one machine, in the order of this file. No test of this file needs KVM.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator

import pytest

from controller.view import TableView
from hardware.layout import reference_layout
from hardware.simulated.pty_table import PtyTable
from hardware.simulated.world import World
from tests.appliance.container import CACHE, ROOT, Container, why_no_container
from tests.appliance.debian_archive import NotAvailableError
from tests.appliance.virtual_machine import (
    BOOT_DEADLINE_S,
    VirtualMachine,
    make_disk,
    running,
    wait_until,
    why_no_machine,
)
from tests.service.service_process import alert_codes, command_view
from ui.scene import tokens

ADAPTERS = ("odd", "even", "panel-low", "panel-high")
LATE_ADAPTER = "even"
STACKS = dict.fromkeys((1, 2, 3, 4), 1000)
CONFIG = "button = 1\nstacks = { 1 = 1000, 2 = 1000, 3 = 1000, 4 = 1000 }\n[game]\nblinds = [5, 10]\n"
OPTIONS = 'POTKEEPER_OPTIONS="--no-gpio"\n'
REAL_ADAPTER, VIRTUAL_ADAPTER = "usb-FTDI_FT232R_USB_UART_", "usb-QEMU_QEMU_USB_SERIAL_"
CALL_FLOOR = (0.933, 0.95)
"""Position of the key CALL FLOOR."""
FELT, FELT_PIXELS = tuple(bytes.fromhex(tokens.THEMES["dark"].felt[1:])), 100_000
"""Colour of the table, and the least number of its pixels on a screen that shows the table."""
REPEAT_S = 60.0
"""Time, in seconds, after which a touch without an effect is repeated."""
KEY_PRESS_S = 0.1
BLINDS = {2: (5,), 3: (5, 5)}
RAISE = 30


class Table:
    """The virtual machine, and the emulated devices at its adapters."""

    def __init__(self, machine: VirtualMachine, devices: PtyTable) -> None:
        self.machine = machine
        self.devices = devices

    def view(self) -> TableView:
        return self.machine.link().view()

    def is_shown(self, name: str) -> bool:
        """Return True if the screen shows the table. The picture is kept under this name."""
        colours = self.machine.picture(name).getcolors(1 << 24) or []
        return any(colour == FELT and count >= FELT_PIXELS for count, colour in colours)

    def press(self, key: str) -> None:
        """Press a key at a panel board."""
        self.devices.press(key)
        time.sleep(KEY_PRESS_S)
        self.devices.release(key)

    def until_up(self, *names: str) -> None:
        """Wait until the service reports these devices, and no other adapters, as up."""

        def are_up(view: TableView) -> bool:
            return {device.name for device in view.devices if device.up} & set(ADAPTERS) == set(names)

        assert self.machine.link().wait_for_view(are_up, BOOT_DEADLINE_S), self.machine.console()


@pytest.fixture(scope="module")
def table() -> Iterator[Table]:
    """Yield a virtual machine that has just been switched on, with all adapters."""
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
        make_disk(container, folder)
    finally:
        container.remove()
    world = World(STACKS, chips=reference_layout().chip_set)
    with (
        PtyTable(reference_layout(), world) as devices,
        running(VirtualMachine(folder, devices.layout.ports), *ADAPTERS) as machine,
    ):
        yield Table(machine, devices)
    shutil.rmtree(folder)


@pytest.mark.soak
def test_machine_boots_with_all_devices_and_shows_the_table(table: Table) -> None:
    assert not table.is_shown("before"), "expected a screen without the table before the boot"
    table.until_up(*ADAPTERS)
    wait_until(lambda: table.is_shown("idle"), "the screen shows the table")
    assert "connected to the service, showing the table" in table.machine.console()


@pytest.mark.soak
def test_touch_on_the_screen_of_the_machine_reaches_the_service(table: Table) -> None:
    link = table.machine.link()

    def calls_floor() -> bool:
        """Touch the key, and return True if the service has accepted it. A touch on a slow machine may be too late."""
        table.machine.touch(*CALL_FLOOR)
        is_called = link.wait_for_view(lambda view: ("floor-called", 0) in alert_codes(view), REPEAT_S)
        table.machine.picture("touch")
        return is_called

    wait_until(calls_floor, "the touch reaches the service")


@pytest.mark.soak
def test_chips_at_a_usb_adapter_are_a_bet(table: Table) -> None:
    link = table.machine.link()
    with table.devices.exclusive_world() as world:
        for seat, chips in BLINDS.items():
            world.put_on_spot(seat, chips)
    assert command_view(link, "hand").turn == 4
    with table.devices.exclusive_world() as world:
        world.put_on_spot(4, (25, 5))
    assert link.wait_for_view(lambda view: view.seats[3].bet == RAISE and view.turn == 1, BOOT_DEADLINE_S)


@pytest.mark.soak
def test_power_cut_in_a_hand_continues_at_the_same_place(table: Table) -> None:
    before = table.view()
    table.machine.cut_power()
    table.machine.start(*(name for name in ADAPTERS if name != LATE_ADAPTER))
    after = table.view()
    assert (after.turn, after.pot, after.phase, after.hand_number) == (
        before.turn,
        before.pot,
        before.phase,
        before.hand_number,
    )
    assert [(seat.stack, seat.bet) for seat in after.seats] == [(seat.stack, seat.bet) for seat in before.seats]


@pytest.mark.soak
def test_adapter_that_is_plugged_in_after_the_start_works(table: Table) -> None:
    table.until_up(*(name for name in ADAPTERS if name != LATE_ADAPTER))
    table.machine.plug(LATE_ADAPTER)
    table.until_up(*ADAPTERS)


@pytest.mark.soak
def test_hand_ends_with_keys_at_a_usb_adapter(table: Table) -> None:
    link = table.machine.link()
    for next_turn in (2, 3, None):
        table.press("fold")
        assert link.wait_for_view(lambda view, turn=next_turn: view.turn == turn, BOOT_DEADLINE_S)  # type: ignore[misc]
    view = command_view(link, "award main 4")
    assert [seat.stack for seat in view.seats[:4]] == [1000, 995, 990, 1015]
    wait_until(lambda: table.is_shown("end"), "the screen shows the table")


@pytest.mark.soak
def test_adapter_that_is_unplugged_is_reported(table: Table) -> None:
    table.machine.unplug(LATE_ADAPTER)
    table.until_up(*(name for name in ADAPTERS if name != LATE_ADAPTER))
