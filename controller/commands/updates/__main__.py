"""Use a release that install.sh has installed: `python -m controller.commands.updates ROOT ID`."""

from __future__ import annotations

import sys
from contextlib import suppress
from pathlib import Path

from controller.commands.error_exit import exit_on
from controller.commands.updates.releases import Releases
from controller.journal import program_version
from hardware.text_input_validation import BadInputError


def main(root: str, release_id: str) -> None:
    """Write the note of the release with this id below `root`, let the link name it, and remove old releases."""
    releases, number = Releases(Path(root)), 0
    with exit_on(BadInputError, OSError), releases.locked():
        with suppress(BadInputError):
            # An older release of the house is still refused after install.sh has run.
            number = releases.current().note.number
        folder = Path(root) / "releases" / release_id
        releases.use(releases.finish(folder, number=number, version=program_version()))
        releases.trim()


if __name__ == "__main__":
    main(*sys.argv[1:])
