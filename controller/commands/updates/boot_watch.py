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
# Written by `potkeeper update`, whose watch of the new release a power cut has ended. It goes on after the boot.
[Unit]
Description=Potkeeper, the watch of a new release after a power cut

[Service]
ExecStart={command}
"""


class BootWatch:
    """The unit that continues a watch after the next boot."""

    def __init__(self, folder: Path = UNIT_FOLDER) -> None:
        self.unit = folder / WATCH_UNIT
        self._link = folder / _WANTS / WATCH_UNIT

    def prepare(self, command: Sequence[str]) -> None:
        """Let systemd run a command after the next boot. Raises BadInputError."""
        try:
            with replace_file(self.unit, _UNIT_MODE) as file:
                file.write(_UNIT.format(command=" ".join(command)).encode())
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
