"""What the journal records about a layout, so that an auditor can compare it with the files of the house."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from controller.journal import LayoutInForce
from hardware.layout import LayoutError, LoadedLayout
from hardware.text_input_validation import to_one_line

if TYPE_CHECKING:
    pass

REFERENCE_LAYOUT: Final = "layout.toml"
"""Name of the layout of the reference table in the package `hardware`."""


def describe_layout(path: Path | None, loaded: LoadedLayout | None, options: str) -> LayoutInForce:
    """Return what the journal records about a layout and the options that change it.

    `path` and `loaded` are None for the layout of the reference table. Raises LayoutError if a file cannot be read.
    """
    if path is None or loaded is None:
        content = files("hardware").joinpath(REFERENCE_LAYOUT).read_bytes()
        return LayoutInForce(f"{REFERENCE_LAYOUT} of the program", _sha256(content), to_one_line(options))
    in_force = LayoutInForce(to_one_line(path.name), loaded.sha256, to_one_line(options))
    if loaded.chip_list is None or loaded.register is None:
        return in_force
    try:
        changed_at = datetime.fromtimestamp(int(loaded.register.stat().st_mtime), UTC)
        list_hash = _sha256(loaded.register.read_bytes())
    except OSError as error:
        raise LayoutError(f"{loaded.register}: {error.strerror or error}: expected a readable register") from None
    return msgspec.structs.replace(
        in_force,
        house=to_one_line(loaded.chip_list.house),
        list_number=loaded.chip_list.number,
        list_hash=list_hash,
        list_date=changed_at.isoformat(),
        list_key=loaded.register_key,
    )


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
