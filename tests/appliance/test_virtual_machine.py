"""A table in a virtual machine: its devices at USB adapters, and its screen on a graphics card. KVM is not needed."""

from __future__ import annotations

import shutil
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
from ui.scene import tokens

ADAPTERS = ("odd", "even", "panel-low", "panel-high")
STACKS = dict.fromkeys((1, 2, 3, 4), 1000)
CONFIG = "button = 1\nstacks = { 1 = 1000, 2 = 1000, 3 = 1000, 4 = 1000 }\n[game]\nblinds = [5, 10]\n"
OPTIONS = 'POTKEEPER_OPTIONS="--no-gpio"\n'
REAL_ADAPTER, VIRTUAL_ADAPTER = "usb-FTDI_FT232R_USB_UART_", "usb-QEMU_QEMU_USB_SERIAL_"
FELT, FELT_PIXELS = tuple(bytes.fromhex(tokens.THEMES["dark"].felt[1:])), 100_000
"""Colour of the table, and the least number of its pixels on a screen that shows the table."""


class Table:
    """The virtual machine, and the emulated devices at its adapters."""

    def __init__(self, machine: VirtualMachine, devices: PtyTable) -> None:
        self.machine = machine
        self.devices = devices

    def is_shown(self, name: str) -> bool:
        """Return True if the screen shows the table. The picture is kept under this name."""
        colours = self.machine.picture(name).getcolors(1 << 24) or []
        return any(colour == FELT and count >= FELT_PIXELS for count, colour in colours)

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
