"""The files of an installed table, and the options with which its service runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any, Final, NamedTuple

import click

from controller.commands.options_file import option_lines
from controller.config import BadInputError

_OPTION_FILES: Final = {"--config": "table.toml", "--layout": "layout.toml", "--key": "journal.key"}
"""Options of `check`, and the files in the folder of the configuration that the installation names."""
_SHARED_OPTIONS: Final = frozenset({"--badges", "--badges-key", "--roles", "--high-water", "--port"})
"""Options of `serve` that `check` has as well, and that an installation may add."""
_FILE: Final = click.Path(path_type=Path)


class InstalledTable(NamedTuple):
    """The folder of the configuration, the journal and the socket of a table."""

    folder: Path
    journal: Path
    socket: Path

    def check_options(self) -> list[str]:
        """Return the options with which `check` tests this table."""
        options = ["--journal", str(self.journal), "--socket", str(self.socket)]
        for option, name in _OPTION_FILES.items():
            if (self.folder / name).exists():
                options += [option, str(self.folder / name)]
        return [*options, *_extra_options(self.folder / "options")]


def table_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of a command for an installed table: --folder, --journal and --socket."""
    places = {
        "--socket": ("/run/potkeeper/table.sock", "Socket of the table."),
        "--journal": ("/var/lib/potkeeper/table.journal", "Journal of the table."),
        "--folder": ("/etc/potkeeper", "Folder of the configuration."),
    }
    for option, (path, text) in places.items():
        command = click.option(option, type=_FILE, default=Path(path), show_default=True, help=text)(command)
    return command


def _extra_options(path: Path) -> Iterator[str]:
    """Yield the options of `serve` in the file of the installation that `check` has as well, with their values."""
    try:
        words = [word for line in option_lines(path) for word in line]
    except BadInputError:
        return
    for option, value in pairwise(words):
        if option in _SHARED_OPTIONS:
            yield from (option, value)
