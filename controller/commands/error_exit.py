"""How a command that uses a journal ends if its input or the journal is bad: with one line and an exit code."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from hardware.text_input_validation import BadInputError, to_one_line

EXIT_CHECK_FAILED: Final = 1
"""Exit code of a command if the journal is altered or incomplete."""
EXIT_BAD_INPUT: Final = 2
"""Exit code of a command with bad input."""


@contextmanager
def exit_on_bad_input() -> Iterator[None]:
    """Run the block.

    If the block raises an error about the input or the journal, print one line and end the program.

    The exit code is 2 for bad input and 1 for an incomplete journal.
    """
    from controller.journal import JournalError, JournalIncomplete

    try:
        yield
    except JournalIncomplete as error:
        print(f"potkeeper: {to_one_line(str(error))}", file=sys.stderr)
        sys.exit(EXIT_CHECK_FAILED)
    except (BadInputError, JournalError) as error:
        print(f"potkeeper: {to_one_line(str(error))}", file=sys.stderr)
        sys.exit(EXIT_BAD_INPUT)
