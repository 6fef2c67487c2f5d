"""A Debian system with systemd in a container, in which the tests install the appliance as a technician does.

debootstrap makes the system once for each release, and keeps it in `build/appliance`. systemd-nspawn boots a copy of
the system, and nsenter runs the commands of the tests in the container.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import signal
import subprocess
import time
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Final

from controller.simulation.demo import ServiceConnection
from tests.appliance.debian_archive import KEYRING, mirror, run

ROOT: Final = Path(__file__).resolve().parents[2]
CACHE: Final = ROOT / "build" / "appliance"
DEADLINE_S: Final = 300.0
"""Maximum time, in seconds, that a test waits for an event. Only a failing test waits this long."""
INSTALL_DEADLINE_S: Final = 2400.0
"""Time limit, in seconds, of the installation, which takes 70 s on two cores that do nothing else."""
POLL_S: Final = 0.1
PACKAGES: Final = "systemd,systemd-sysv,libpam-systemd,dbus,udev,sudo,python3-venv,ca-certificates"
"""Packages of a small Debian system that has sudo and Python, as Raspberry Pi OS has."""
PROGRAM: Final = ("LICENSE", "README.md", "pyproject.toml", "firmware_bridge", "hardware", "controller", "ui")
"""Files and folders that a technician copies to the machine."""
CERTIFICATES: Final = Path("/etc/ssl/certs/ca-certificates.crt")
TECHNICIAN: Final = "ann"
SOCKET: Final = "run/potkeeper/table.sock"
PATH: Final = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
TOOLS: Final = {"debootstrap": "debootstrap", "systemd-nspawn": "systemd-container", "nsenter": "util-linux"}
"""Programs that the tests need, each with its Debian package."""
CONTROL_GROUPS: Final = tuple(Path("/sys/fs/cgroup", name) for name in ("systemd", "unified", ""))
"""Possible roots of the control groups with which systemd kills the processes of a unit."""


def why_no_container() -> str:
    """Return the reason why this machine cannot boot a container, or "" if it can."""
    if os.geteuid() != 0:
        return "a container needs root"
    for program, package in TOOLS.items():
        if shutil.which(program, path=PATH) is None:
            return f"{program} is not installed (Debian: {package})"
    return ""


def cached_system(release: str) -> Path:
    """Return the folder of a fresh system of this release. Raise NotAvailableError if it cannot be made."""
    folder = CACHE / f"{release}-{zlib.crc32(PACKAGES.encode()):08x}"
    CACHE.mkdir(parents=True, exist_ok=True)
    with (CACHE / f"{release}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # Two processes of soak may need the same system.
        if not folder.exists():
            address, unfinished = mirror(), CACHE / f"{folder.name}.new"
            shutil.rmtree(unfinished, ignore_errors=True)
            options = ["--variant=minbase", f"--include={PACKAGES}", f"--keyring={KEYRING}"]
            run(["debootstrap", *options, release, str(unfinished), address])
            unfinished.rename(folder)
    return folder


class Container:
    """Copy of a fresh system, which can be booted several times. All its files are removed at the end."""

    def __init__(self, release: str) -> None:
        self.root = CACHE / f"run-{release}-{os.getpid()}"
        self._log = CACHE / f"{release}.console"
        self._process: subprocess.Popen[bytes] | None = None
        self._leader = 0
        self._links: list[ServiceConnection] = []
        system = cached_system(release)
        run(["cp", "-a", "--reflink=auto", str(system), str(self.root)])
        (self.root / "etc/hostname").write_text("table\n")
        (self.root / "etc/hosts").write_text("127.0.0.1 localhost table\n")
        if CERTIFICATES.exists():
            shutil.copyfile(CERTIFICATES, self.root / CERTIFICATES.relative_to("/"))
            (self.root / "etc/pip.conf").write_text(f"[global]\ncert = {CERTIFICATES}\n")

    def boot(self, *, has_network: bool) -> None:
        """Boot the system, and wait until it has started. With a network it uses the network of this machine.

        A system with a network installs packages. It does not flush files to the disk, because dpkg does so very often.
        """
        options = ["--register=no", "--keep-unit", "--console=pipe", f"--machine=table-{os.getpid()}"]
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                [
                    *self._in_separate_control_group(),
                    *("systemd-nspawn", "--quiet", "--boot", f"--directory={self.root}", *options),
                    "--suppress-sync=yes" if has_network else "--private-network",
                ],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True,
            )  # fmt: skip
        self.until(self._find_leader, "the container has a first process")
        self.until(lambda: self.output("systemctl", "is-system-running", check=False) in {"running", "degraded"}, "up")

    def _in_separate_control_group(self) -> list[str]:
        """Return the start of a command that runs in a separate control group.

        Otherwise, the units of two containers that run at the same time would have the same control groups, and one
        systemd would kill the processes of the other.
        """
        groups = [root / self.root.name for root in CONTROL_GROUPS if (root / "cgroup.procs").exists()]
        for group in groups:
            group.mkdir(exist_ok=True)
        enter = "".join(f"echo $$ > {group}/cgroup.procs; " for group in groups)
        return ["sh", "-ec", f'{enter}exec "$@"', "sh"]

    def _find_leader(self) -> bool:
        assert self._process is not None
        assert self._process.poll() is None, self._log.read_text(errors="replace")
        children = Path(f"/proc/{self._process.pid}/task/{self._process.pid}/children").read_text().split()
        self._leader = int(children[0]) if children else 0
        return self._leader > 0 and Path(f"/proc/{self._leader}/root/run/systemd/system").exists()

    def shut_down(self) -> None:
        """Shut the system down, so that `boot` can start it again."""
        self.hang_up()
        process, self._process = self._process, None
        if process is not None:
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(DEADLINE_S)
            finally:
                process.kill()
                process.wait()

    def cut_power(self) -> None:
        """End all processes at once, so that `boot` can start the system again."""
        self.hang_up()
        process, self._process = self._process, None
        assert process is not None
        os.kill(self._leader, signal.SIGKILL)
        process.wait(DEADLINE_S)

    def remove(self) -> None:
        """Shut the system down and remove its files."""
        self.shut_down()
        shutil.rmtree(self.root)
        for root in CONTROL_GROUPS:
            for group, _, _ in os.walk(root / self.root.name, topdown=False):
                with contextlib.suppress(OSError):  # Killed processes may still be in the group.
                    Path(group).rmdir()
        self.root.with_name(f".#{self.root.name}.lck").unlink(missing_ok=True)

    def run(
        self,
        *command: str,
        user: str = "root",
        check: bool = True,
        text: str | None = None,
        deadline_s: float = DEADLINE_S,
    ) -> subprocess.CompletedProcess[str]:
        """Run a command in the container, as a user. Raise AssertionError if it fails and `check` is True."""
        enter = ["nsenter", f"--target={self._leader}", "--mount", "--uts", "--ipc", "--net", "--pid", "--cgroup"]
        enter += ["env", "-i", f"PATH={PATH}", "LANG=C.UTF-8", "HOME=/root"]
        enter += () if user == "root" else ("setpriv", f"--reuid={user}", f"--regid={user}", "--init-groups")
        result = subprocess.run(
            [*enter, *command], capture_output=True, text=True, input=text or "", timeout=deadline_s, check=False
        )
        assert not check or result.returncode == 0, f"{' '.join(command)}: {result.stdout}{result.stderr}"
        return result

    def output(self, *command: str, user: str = "root", check: bool = True) -> str:
        """Return the output of a command without spaces at its ends."""
        return self.run(*command, user=user, check=check).stdout.strip()

    def until(self, condition: Callable[[], object], description: str) -> None:
        """Test a condition until it is true. Raise AssertionError if it is still false after the deadline."""
        end_s = time.monotonic() + DEADLINE_S
        while not condition():
            assert time.monotonic() < end_s, f"not within {DEADLINE_S:g} s: {description}"
            time.sleep(POLL_S)

    def copy_program(self) -> None:
        """Copy the project into the home of a technician who may use sudo."""
        self.run("useradd", "--create-home", "--shell=/bin/bash", TECHNICIAN)
        (self.root / "etc/sudoers.d" / TECHNICIAN).write_text(f"{TECHNICIAN} ALL=(ALL) NOPASSWD: ALL\n")
        folder = self.root / "home" / TECHNICIAN / "potkeeper"
        folder.mkdir()
        for name in PROGRAM:
            run(["cp", "-R", str(ROOT / name), str(folder)])
        self.run("chown", "-R", f"{TECHNICIAN}:", f"/home/{TECHNICIAN}/potkeeper")

    def as_technician(self, script: str) -> subprocess.CompletedProcess[str]:
        """Run a script in the project's folder as the technician, without raising an error if it fails."""
        command = ["sudo", "--login", f"--user={TECHNICIAN}", "bash", "-c", f"cd potkeeper && {script}"]
        return self.run(*command, check=False, deadline_s=INSTALL_DEADLINE_S)

    @property
    def files(self) -> Path:
        """Path of the files of the running container on this machine."""
        return Path(f"/proc/{self._leader}/root")

    def write(self, path: str, text: str) -> None:
        """Write a file in the container."""
        target = self.files / path.lstrip("/")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)

    def property(self, unit: str, name: str) -> str:
        """Return a property of a systemd unit, such as MainPID."""
        return self.output("systemctl", "show", unit, f"--property={name}", "--value")

    def log(self, unit: str) -> str:
        """Return the log of a systemd unit since the boot."""
        return self.output("journalctl", "--boot", "--output=cat", f"--unit={unit}")

    def listening_ports(self) -> list[int]:
        """Return the TCP ports on which a program of the container listens. The container has its own network."""
        ports = []
        for name in ("tcp", "tcp6"):
            for line in self.output("cat", f"/proc/net/{name}").splitlines()[1:]:
                _, address, _, state, *_ = line.split()
                if state == "0A":
                    ports.append(int(address.rpartition(":")[2], 16))
        return sorted(ports)

    def link(self) -> ServiceConnection:
        """Return a connection to the service in the container."""
        link = ServiceConnection(self.files / SOCKET, DEADLINE_S)
        self._links.append(link)
        return link

    def hang_up(self) -> None:
        """Close the connections."""
        for link in self._links:
            link.close()
        self._links.clear()
