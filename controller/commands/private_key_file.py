"""The file of the private key with which the house signs its lists and releases."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from hardware.text_input_validation import BadInputError, find_exposure, read_file

MAX_KEY_FILE_BYTES: Final = 200
"""Maximum size in bytes of a key file, which has one line of 64 hex digits."""


def read_private_key(key_file: Path) -> str:
    """Return the private key in a file, in hex. Raises BadInputError if other users can read the file."""
    try:
        private = read_file(key_file, MAX_KEY_FILE_BYTES).decode(errors="replace").strip()
    except OSError as error:
        raise BadInputError(f"{key_file}: {error.strerror}, expected the file of a private key") from None
    if problem := find_exposure(key_file, 0o077):
        raise BadInputError(problem)
    return private
