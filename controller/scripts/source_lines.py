"""Line numbers in the file of a script, for messages about its steps and mistakes.

TOML values do not know their place in the file, so that this module searches the text for the step or key.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from controller.config import BadInputError
from controller.scripts.script_file import read_script


def step_lines(path: Path) -> list[int]:
    """Return the numbers of the lines with which the steps of a script begin.

    Return an empty list if the steps are written in another way than with `[[step]]`.
    """
    lines = read_script(path).decode().splitlines()
    return [number for number, line in enumerate(lines, 1) if _STEP_HEAD.match(line)]


def mistake_line(path: Path, error: BadInputError) -> int | None:
    """Return the number of the line in a script that an error of `load_script` is about, or None if unknown."""
    try:
        return _find_line(read_script(path).decode(), str(error))
    except (BadInputError, UnicodeDecodeError):
        return None


def _find_line(text: str, message: str) -> int | None:
    """Return the number of the line that an error message of `parse_script` is about, or None if it is not known."""
    if match := _TOML_LINE.search(message):
        return int(match[1])
    lines = text.splitlines()
    if match := _STEP.match(message):
        heads = [at for at, line in enumerate(lines) if _STEP_HEAD.match(line)]
        start = heads[int(match[1]) - 1] if 0 < int(match[1]) <= len(heads) else None
        return None if start is None else _line_of_key(lines, start + 1, match[2] or "do") or start + 1
    match = _KEY.match(message)
    if match is None:
        return None
    section, key = match[1], match[2]
    head = next((at for at, line in enumerate(lines) if section and line.strip() == f"[{section}]"), None)
    if section and head is None:
        return None
    return _line_of_key(lines, 0 if head is None else head + 1, key)


_TOML_LINE: Final = re.compile(r"\(at line (\d+), column \d+\)")
_STEP_HEAD: Final = re.compile(r"\s*\[\[\s*step\s*\]\]")
_STEP: Final = re.compile(r"step (\d+)(?:\.(\w+))?")
_KEY: Final = re.compile(r"(?:(\w+)\.)?(\w+)(?:\[\d+\])?(?:\.[\w.]+)?(?: =|:)")


def _line_of_key(lines: list[str], start: int, key: str) -> int | None:
    """Return the number of the line that sets a key, searched from the index `start` to the next section."""
    for at, line in enumerate(lines[start:], start + 1):
        if line.lstrip().startswith("["):
            return None
        if re.match(rf"\s*\"?{re.escape(key)}\"?\s*[.=]", line):
            return at
    return None
