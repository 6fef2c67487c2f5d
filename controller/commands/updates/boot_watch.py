"""The watch of a new release that goes on after a power cut.

A power cut ends the command that watches a new release. Before the switch, the command therefore writes a unit of
systemd, which continues the watch after the next boot. The unit runs the program of the release before, because the
new program may be unable to start. It is removed at the end of the watch.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from hardware.file_replacement import fsync_folder, replace_file
from hardware.text_input_validation import BadInputError

UNIT_FOLDER: Final = Path("/etc/systemd/system")
WATCH_UNIT: Final = "potkeeper-update-watch.service"
_WANTS: Final = "multi-user.target.wants"
"""Folder with links to the units that systemd starts at a boot."""
_UNIT_MODE: Final = 0o644
_UNIT: Final = """\
# Written by an update or a restore, whose watch of the service a power cut has ended. It goes on after the boot.
[Unit]
Description=Potkeeper, the watch of a new release or a restored table after a power cut

[Service]
ExecStart={command}

# It runs as root, because it changes the release, restarts the units and removes itself. It writes to these folders
# only. It reads the journal of another user, and SQLite gives the files that it makes beside the journal to that user.
ReadWritePaths={folders}
CapabilityBoundingSet=CAP_DAC_OVERRIDE CAP_CHOWN
UMask=0022
RestrictAddressFamilies=AF_UNIX
PrivateNetwork=yes
IPAddressDeny=any
PrivateDevices=yes
DevicePolicy=closed
NoNewPrivileges=yes
ProtectSystem=strict
ProtectHome=yes
PrivateTmp=yes
PrivateMounts=yes
ProtectClock=yes
ProtectControlGroups=yes
ProtectHostname=yes
ProtectKernelLogs=yes
ProtectKernelModules=yes
ProtectKernelTunables=yes
ProtectProc=invisible
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
LockPersonality=yes
MemoryDenyWriteExecute=yes
SystemCallArchitectures=native
SystemCallFilter=@system-service
SystemCallFilter=~@privileged @resources
SystemCallFilter=@chown
SystemCallErrorNumber=EPERM
"""


class BootWatch:
    """The unit that continues a watch after the next boot."""

    def __init__(self, folder: Path = UNIT_FOLDER) -> None:
        self.unit = folder / WATCH_UNIT
        self._link = folder / _WANTS / WATCH_UNIT

    def prepare(self, command: Sequence[str], folders: Sequence[Path] = ()) -> None:
        """Let systemd run a command after the next boot. It may write to these folders. Raises BadInputError."""
        try:
            with replace_file(self.unit, _UNIT_MODE) as file:
                paths = " ".join(f"-{path.absolute()}" for path in (self.unit.parent, *folders))
                file.write(_UNIT.format(command=" ".join(command), folders=paths).encode())
            self._link.parent.mkdir(exist_ok=True)
            if not self._link.is_symlink():
                self._link.symlink_to(self.unit)
            fsync_folder(self._link.parent)
        except OSError as error:
            raise BadInputError(f"{self.unit}: {error.strerror}, expected a unit that can be written") from None

    def remove(self) -> None:
        """Remove the unit. Do nothing if there is none."""
        self._link.unlink(missing_ok=True)
        self.unit.unlink(missing_ok=True)
