"""A virtual machine with an installed table: kernel, udev, USB serial adapters, a graphics card and a pointer.

The disk is made from the files of a container. qemu emulates the processor, so that the tests need no KVM. The screen
reports each frame with its touch targets, and the console of the machine has these reports.
"""

from __future__ import annotations

import contextlib
import json
import re
import shutil
import socket
import struct
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from PIL import Image

from controller.simulation.demo import ServiceConnection
from tests.appliance.container import DEADLINE_S, ROOT, Container
from tests.appliance.debian_archive import run
from tests.end_to_end.screen_process import Frame

QEMU: Final = "qemu-system-x86_64"
KERNEL_PACKAGES: Final = ("linux-image-amd64", "initramfs-tools", "kmod", "systemd-timesyncd")
"""Packages of a system that starts on a machine. Raspberry Pi OS has the last one too, for its clock."""
DISK_SIZE: Final = "6G"
PICTURES: Final = ROOT / "build" / "soak" / "machine"
BOOT_DEADLINE_S: Final = 900.0
"""Maximum time, in seconds, of a boot, which takes one to two minutes without KVM."""
TOUCH_S: Final = 0.2
"""Time, in seconds, for which a finger touches the screen."""
MAX_POSITION: Final = 32767
"""Position of a pointer at the right or lower edge of the screen."""
PORT: Final = "/dev/virtio-ports/table"
BRIDGE: Final = f'''
"""Connect the host's end of the virtual port to the service."""
import os, select, socket, time

def carry(port, link):
    poll = select.poll()
    poll.register(port, select.POLLIN)
    poll.register(link, select.POLLIN)
    while True:
        for descriptor, event in poll.poll():
            if event & select.POLLHUP and descriptor == port:
                return
            data = os.read(descriptor, 65536)
            if not data:
                return
            while data:
                data = data[os.write(link if descriptor == port else port, data):]

while True:
    try:
        with open("{PORT}", "r+b", buffering=0) as port, socket.socket(socket.AF_UNIX) as link:
            poll = select.poll()
            poll.register(port, select.POLLIN)
            while any(event & select.POLLHUP for _, event in poll.poll(0)):
                time.sleep(0.1)
            link.connect("/run/potkeeper/table.sock")
            carry(port.fileno(), link.fileno())
    except OSError:
        time.sleep(0.5)
'''
BRIDGE_UNIT: Final = """
[Service]
ExecStart=/usr/bin/python3 /root/bridge.py
Restart=always
[Install]
WantedBy=multi-user.target
"""
STICK_BYTES: Final = 16 * 1024 * 1024
FIRST_SECTOR: Final = 2048
SECTOR_BYTES: Final = 512
COMMANDS_UNIT: Final = """
[Service]
Type=exec
ExecStart=/bin/sh /root/commands.sh
StandardOutput=journal
[Install]
WantedBy=multi-user.target
"""
COMMANDS_DONE: Final = "documented commands: done"
COMMANDS_FAILED: Final = "documented commands: failed"
PATIENT_PROGRAM: Final = (
    "import sys; from controller.view import protocol; "
    "protocol.HEARTBEAT_TIMEOUT_S = protocol.MAX_COMMAND_AGE_S = 600\n"
)
"""Line of a file for Python's start, so that the touch of an emulated screen is not too late for the service.

Python runs the line only if it begins with `import`.
"""
PATIENT_WATCHDOG: Final = "[Service]\nWatchdogSec=600\n"
"""Setting of the units, because an emulated processor is twenty times slower than a Pi."""


def why_no_machine() -> str:
    """Return the reason why this machine cannot run a virtual machine, or "" if it can."""
    for program, package in {QEMU: "qemu-system-x86", "mkfs.ext4": "e2fsprogs"}.items():
        if shutil.which(program) is None:
            return f"{program} is not installed (Debian: {package})"
    return ""


def make_disk(container: Container, folder: Path, commands: Sequence[str]) -> None:
    """Write the disk, the kernel and the initial file system of a machine with the container's files.

    The container must be running, with a network. It is shut down. The machine runs the commands of a shell as soon as
    its USB stick is plugged in.
    """
    make_stick(folder / "stick")
    trap = f"trap 'test $? = 0 || echo {COMMANDS_FAILED}' EXIT"
    lines = [trap, "set -e", "until test -b /dev/sda1; do sleep 1; done", "set -x"]
    container.write("/root/commands.sh", "\n".join([*lines, *commands, f"echo {COMMANDS_DONE}", ""]))
    container.write("/etc/systemd/system/commands.service", COMMANDS_UNIT)
    environment = ("env", "DEBIAN_FRONTEND=noninteractive")
    container.run(*environment, "apt-get", "-qq", "-y", "--no-install-recommends", "install", *KERNEL_PACKAGES)
    container.write("/etc/fstab", "/dev/vda / ext4 defaults 0 1\n")
    container.write("/root/bridge.py", BRIDGE)
    container.write("/etc/systemd/system/bridge.service", BRIDGE_UNIT)
    for unit in ("potkeeper", "potkeeper-screen"):
        container.write(f"/etc/systemd/system/{unit}.service.d/slow.conf", PATIENT_WATCHDOG)
    container.write("/etc/systemd/system/potkeeper-screen.service.d/report.conf", _reporting_screen())
    (packages,) = container.root.glob("opt/potkeeper/releases/1/venv/lib/python3*/site-packages")
    (packages / "patient.pth").write_text(PATIENT_PROGRAM)
    units = ("bridge.service", "commands.service", "potkeeper.service", "potkeeper-screen.service")
    container.run("systemctl", "enable", *units, check=False)
    container.shut_down()
    for name, pattern in (("kernel", "vmlinuz-*"), ("initrd", "initrd.img-*")):
        shutil.copyfile(next((container.root / "boot").glob(pattern)), folder / name)
    run(["mkfs.ext4", "-q", "-F", "-d", str(container.root), str(folder / "disk"), DISK_SIZE])


def make_stick(path: Path) -> None:
    """Write the content of a USB stick with one partition, which has the file system ext4."""
    first, sectors = FIRST_SECTOR, STICK_BYTES // SECTOR_BYTES - FIRST_SECTOR
    entry = struct.pack("<B3xB3xII", 0, 0x83, first, sectors)  # Source: the partition table of a master boot record
    with path.open("wb") as file:
        file.write(bytes(446) + entry + bytes(48) + b"\x55\xaa")
        file.truncate(STICK_BYTES)
    offset, blocks = first * SECTOR_BYTES, f"{sectors * SECTOR_BYTES // 1024}k"
    run(["mkfs.ext4", "-q", "-F", "-E", f"offset={offset}", str(path), blocks])


def _reporting_screen() -> str:
    """Return the setting with which the screen's unit runs the same screen, which also reports its frames."""
    unit = (ROOT / "hardware" / "deploy" / "potkeeper-screen.service").read_text()
    match = re.search(r"^ExecStart=(?:.*\\\n)*.*$", unit, re.MULTILINE)
    assert match is not None
    command = re.sub(r"bin/potkeeper screen ", "bin/python -m ui --report-frames ", match[0])
    assert command != match[0]
    return f"[Service]\nExecStart=\n{command}\n"


class VirtualMachine:
    """Virtual machine with the disk in `folder`. `ports` are the pseudo terminals of the devices, by name."""

    def __init__(self, folder: Path, ports: Mapping[str, str]) -> None:
        self._folder = folder
        self._ports = dict(ports)
        self._process: subprocess.Popen[bytes] | None = None
        self._link: ServiceConnection | None = None
        self._console = folder / "console"

    def start(self, *adapters: str) -> None:
        """Switch the machine on, with the USB adapters of these devices plugged in."""
        command = [
            QEMU,
            "-accel",
            "tcg",
            "-smp",
            "2",
            "-cpu",
            "Nehalem",
            "-m",
            "2048",
            "-display",
            "none",
            "-nodefaults",
        ]
        command += ["-kernel", str(self._folder / "kernel"), "-initrd", str(self._folder / "initrd")]
        options = "systemd.journald.forward_to_console=1 systemd.show_status=0 quiet mitigations=off no_timer_check"
        command += ["-append", f"root=/dev/vda rw console=ttyS0 {options}"]
        command += ["-drive", f"file={self._folder / 'disk'},format=raw,if=virtio"]
        command += ["-drive", f"file={self._folder / 'stick'},format=raw,if=none,id=stick"]
        command += ["-device", "virtio-vga", "-device", "qemu-xhci,p2=15", "-device", "usb-tablet"]
        command += ["-serial", f"file:{self._console}", "-qmp", f"unix:{self._folder / 'qmp'},server=on,wait=off"]
        command += ["-chardev", f"socket,id=table,path={self._folder / 'table'},server=on,wait=off"]
        command += ["-device", "virtio-serial", "-device", "virtserialport,chardev=table,name=table"]
        for name, port in self._ports.items():
            command += ["-chardev", f"serial,id={name},path={port}"]
        for name in adapters:
            command += ["-device", ",".join(f"{key}={value}" for key, value in self._adapter(name).items())]
        sockets = [self._folder / name for name in ("qmp", "table")]
        for path in sockets:
            path.unlink(missing_ok=True)
        self._process = subprocess.Popen(command, stdin=subprocess.DEVNULL, start_new_session=True)
        wait_until(lambda: all(path.exists() for path in sockets), "qemu has started")

    def _adapter(self, name: str) -> dict[str, str]:
        serial = name.upper().replace("-", "_")
        return {"driver": "usb-serial", "id": f"usb-{name}", "chardev": name, "serial": serial}

    def cut_power(self) -> None:
        """Switch the machine off without a warning."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.wait()
        if self._link is not None:
            self._link.close()
            self._link = None

    def plug(self, name: str) -> None:
        """Plug in the USB adapter of a device."""
        self._request("device_add", **self._adapter(name))

    def plug_stick(self) -> None:
        """Plug in the USB stick."""
        self._request("device_add", driver="usb-storage", id="usb-stick", drive="stick")

    def unplug(self, name: str) -> None:
        """Unplug the USB adapter of a device."""
        self._request("device_del", id=f"usb-{name}")

    def link(self) -> ServiceConnection:
        """Return the connection to the service. The first call after a start waits until the machine has booted."""
        if self._link is None:
            self._link = ServiceConnection(self._folder / "table", BOOT_DEADLINE_S)
        return self._link

    def console(self) -> str:
        """Return the log of the machine since it was switched on."""
        return self._console.read_text(errors="replace") if self._console.exists() else ""

    def frame(self) -> Frame:
        """Return the last frame that the screen has reported, or a frame without targets before the first report."""
        reports = re.findall(r'\{"sequence": .*\}', self.console())
        if not reports:
            return Frame(0, 0, False, "", {})
        report = json.loads(reports[-1])
        return Frame(report["sequence"], report["flipped_us"], report["live"], report["told"], report["targets"])

    def touch(self, x: int, y: int) -> None:
        """Touch the screen at this pixel."""
        size = self.picture("touched").size
        position: list[dict[str, Any]] = [
            {"type": "abs", "data": {"axis": axis, "value": pixel * MAX_POSITION // (pixels - 1)}}
            for axis, pixel, pixels in zip("xy", (x, y), size, strict=True)
        ]
        self._request("input-send-event", events=position)
        for is_down in (True, False):
            event = {"type": "btn", "data": {"button": "left", "down": is_down}}
            self._request("input-send-event", events=[event])
            time.sleep(TOUCH_S)

    def picture(self, name: str) -> Image.Image:
        """Return what the screen shows. The picture stays in `build/soak` under this name."""
        path = PICTURES / f"{name}.png"
        path.parent.mkdir(parents=True, exist_ok=True)
        self._request("screendump", filename=str(path), format="png")
        with Image.open(path) as image:
            picture: Image.Image = image.convert("RGB")
        return picture

    def _request(self, command: str, **arguments: Any) -> None:
        """Send a request to qemu. Raise AssertionError if qemu refuses it."""
        with socket.socket(socket.AF_UNIX) as link:
            link.settimeout(DEADLINE_S)
            link.connect(str(self._folder / "qmp"))
            with link.makefile("rw") as lines:
                lines.readline()
                for request in ({"execute": "qmp_capabilities"}, {"execute": command, "arguments": arguments}):
                    lines.write(json.dumps(request) + "\n")
                    lines.flush()
                    answer: dict[str, Any] = {}
                    while "return" not in answer:
                        answer = json.loads(lines.readline())
                        assert "error" not in answer, answer


def wait_until(condition: Any, description: str, limit_s: float = BOOT_DEADLINE_S) -> None:
    """Test a condition until it is true. Raise AssertionError if it is still false after the limit."""
    end_s = time.monotonic() + limit_s
    while not condition():
        assert time.monotonic() < end_s, f"not within {limit_s:g} s: {description}"
        time.sleep(0.5)


@contextlib.contextmanager
def running(machine: VirtualMachine, *adapters: str) -> Iterator[VirtualMachine]:
    """Yield a machine that is switched on, and switch it off at the end."""
    machine.start(*adapters)
    try:
        yield machine
    finally:
        machine.cut_power()
