"""How a command ends if its input or the journal is bad: with one line and an exit code."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

import click

from firmware_bridge.errors import PotkeeperError
from hardware.text_input_validation import BadInputError, to_one_line

EXIT_CHECK_FAILED: Final = 1
"""Exit code of a command whose check has failed, for example for a damaged journal."""
EXIT_BAD_INPUT: Final = 2
"""Exit code of a command with bad input."""


class MainGroup(click.Group):
    """The commands of the program.

    A command prints one line and ends if its options are wrong, or if the compiled messages do not fit the program.
    """

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        """Read the options before the name of the command. If they are wrong, print one line and exit."""
        with _one_line_usage_errors():
            return super().make_context(info_name, args, parent, **extra)

    def invoke(self, ctx: click.Context) -> object:
        """Run a command. If a compiled catalogue is missing or old, as after a pull, print one line and exit."""
        try:
            with _one_line_usage_errors():
                return super().invoke(ctx)
        except PotkeeperError as error:
            from controller.messages import CatalogueError

            if not isinstance(error, CatalogueError):
                raise
            print_error(error)
            sys.exit(EXIT_BAD_INPUT)


@contextmanager
def _one_line_usage_errors() -> Iterator[None]:
    """Run the block. If a command, an option or an argument is wrong, print one line and exit.

    A group without a command prints its help instead.
    """
    try:
        yield
    except click.exceptions.NoArgsIsHelpError:
        raise
    except click.UsageError as error:
        command = error.ctx.command_path if error.ctx is not None else "potkeeper"
        print(f"{command}: {to_one_line(error.format_message())} See `{command} --help`", file=sys.stderr)
        sys.exit(EXIT_BAD_INPUT)


class OneLineErrorCommand(click.Command):
    """A command that prints one line and ends with exit code 2 if its input is bad."""

    def invoke(self, ctx: click.Context) -> object:
        """Run the command. If its input is bad, print one line and exit."""
        with exit_on(BadInputError):
            return super().invoke(ctx)


class OneLineErrorGroup(click.Group):
    """A group of command-line commands. If its input is bad, a command prints one line and ends with exit code 2."""

    def invoke(self, ctx: click.Context) -> object:
        """Run a command of the group. If the input of the command is bad, print one line and exit."""
        with exit_on(BadInputError):
            return super().invoke(ctx)


@contextmanager
def exit_on_bad_input() -> Iterator[None]:
    """Run the block of a command that uses a journal.

    If the block raises an error about the input or the journal, print one line and end the program. The exit code is 2
    for bad input and 1 for an incomplete journal.
    """
    from controller.journal import JournalError, JournalIncomplete

    with exit_on(BadInputError, JournalError), exit_on(JournalIncomplete, code=EXIT_CHECK_FAILED):
        yield


@contextmanager
def exit_on(*errors: type[Exception], code: int = EXIT_BAD_INPUT) -> Iterator[None]:
    """Run the block. If it raises one of these errors, print one line and end the program with this exit code."""
    try:
        yield
    except errors as error:
        print_error(error)
        sys.exit(code)


def print_error(error: Exception) -> None:
    """Print an error as one line on standard error, with the line of a file that is to be mended."""
    from controller.config import add_line_number

    print(f"potkeeper: {to_one_line(add_line_number(str(error)))}", file=sys.stderr)
