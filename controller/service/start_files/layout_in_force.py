"""What the journal records about a layout, so that an auditor can compare it with the files of the house."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from controller.journal import LayoutInForce
from hardware.layout import LayoutError, chip_register_of
from hardware.text_input_validation import to_one_line

if TYPE_CHECKING:
    from hardware.chip_register import ChipList

REFERENCE_LAYOUT: Final = "layout.toml"
"""Name of the layout of the reference table in the package `hardware`."""


def describe_layout(
    layout: Path | None, register: Path | None, chip_list: ChipList | None, options: str
) -> LayoutInForce:
    """Return what the journal records about a layout, which is that of the reference table if `layout` is None.

    `register` is the file that was read instead of the register that the layout names. Raises LayoutError if a file
    cannot be read.
    """
    try:
        if layout is None:
            content = files("hardware").joinpath(REFERENCE_LAYOUT).read_bytes()
            return LayoutInForce(f"{REFERENCE_LAYOUT} of the program", _sha256(content), to_one_line(options))
        in_force = LayoutInForce(to_one_line(layout.name), _sha256(layout.read_bytes()), to_one_line(options))
        if chip_list is None or (named_register := chip_register_of(layout)) is None:
            return in_force
        file, key = register or named_register[0], named_register[1]
        changed_at = datetime.fromtimestamp(int(file.stat().st_mtime), UTC)
        return msgspec.structs.replace(
            in_force,
            house=to_one_line(chip_list.house),
            list_number=chip_list.number,
            list_hash=_sha256(file.read_bytes()),
            list_date=changed_at.isoformat(),
            list_key=key,
        )
    except OSError as error:
        raise LayoutError(f"{layout}: {error.strerror or error}: expected a readable layout and register") from None


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
