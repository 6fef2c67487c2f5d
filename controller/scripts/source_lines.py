"""Line numbers in the file of a script, for messages about its steps and mistakes.

TOML values do not know their place in the file, so that this module searches the text for the step or key.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from controller.config import BadInputError, find_line, find_message_line
from controller.scripts.script_file import read_script


def step_lines(path: Path) -> list[int]:
    """Return the number of the line of `[start]`, or 0 without it, and of the lines with which the steps begin.

    No step has a line if the steps are written in another way than with `[[step]]`.
    """
    text = read_script(path).decode("utf-8-sig")
    heads = [number for number, line in enumerate(text.splitlines(), 1) if _STEP_HEAD.match(line)]
    return [find_line(text, "start"), *heads]


def mistake_line(path: Path, error: BadInputError) -> int | None:
    """Return the number of the line in a script that an error of `load_script` is about, or None if unknown."""
    try:
        return _find_line(read_script(path).decode("utf-8-sig"), str(error))
    except (BadInputError, UnicodeDecodeError):
        return None


def _find_line(text: str, message: str) -> int | None:
    """Return the number of the line that an error message of `parse_script` is about, or None if it is not known."""
    if match := _TOML_LINE.search(message):
        return int(match[1])
    return find_message_line(text, _WORDS.sub(r"\1.do:", message)) or None


_TOML_LINE: Final = re.compile(r"\(at line (\d+), column \d+\)")
_STEP_HEAD: Final = re.compile(r"\s*\[\[\s*step\s*\]\]")
_WORDS: Final = re.compile(r"^(step \d+):")
"""Beginning of a message about the words of a step, which are in the key `do`."""
