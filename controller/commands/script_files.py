"""The command `potkeeper script`, and what it shares with other commands that play files."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec

from controller.commands.error_exit import EXIT_BAD_INPUT, EXIT_CHECK_FAILED, print_error
from controller.progress import show_progress
from hardware.text_input_validation import BadInputError

if TYPE_CHECKING:
    from controller.histories import ScriptPlayer
    from controller.scripts import Script


@click.command()
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--rules-only", is_flag=True, help="Use the rules alone, without chips and readers.")
@click.option("--check", is_flag=True, help="Print only what differs from `see`, and exit with 1 if anything does.")
@click.option("--text", is_flag=True, help="Print one readable line for each step.")
@click.option("--changed", is_flag=True, help="Print only the fields that a step has changed.")
def script(paths: tuple[Path, ...], rules_only: bool, check: bool, text: bool, changed: bool) -> None:
    """Play table scripts and print what is seen.

    Print one JSON object for each step. PATHS are table scripts or folders with table scripts.
    """
    if check + text + changed > 1:
        raise click.UsageError("expected at most one of --check, --text and --changed")
    from controller.scripts import load_script, mistake_line

    for path in paths:
        if not find_files((path,), "*.toml")[0]:
            print_error(BadInputError(f"{path}: no scripts, expected files that end in .toml"))
            sys.exit(EXIT_BAD_INPUT)
    files, has_several = find_files(paths, "*.toml")
    encoder, failed, wrong = msgspec.json.Encoder(), False, 0
    with show_progress("script", "files") as progress:
        for number, file in enumerate(files):
            progress(number, len(files))
            name = {"file": file_name(file)} if has_several else {}
            try:
                loaded = load_script(file)
                played = script_player(rules_only)(loaded)
                if check:
                    wrong += _print_differences(file, loaded, played)
                elif text:
                    _print_text(file if has_several else None, loaded, played)
                else:
                    _print_objects(encoder, name, played, changed)
            except BadInputError as error:
                line = mistake_line(file, error)
                message = f"{file_name(file)}{f':{line}' if line else ''}: {error}"
                if check or text:
                    print_bytes(message.encode())
                else:
                    print_bytes(encoder.encode({"file": file_name(file), "error": str(error)}))
                    # A program that plays several scripts reads the objects. A person who plays one needs the line.
                    if line and not has_several:
                        print_error(BadInputError(message))
                failed = True
    sys.stdout.flush()
    if failed:
        sys.exit(EXIT_BAD_INPUT)
    if wrong:
        sys.exit(EXIT_CHECK_FAILED)


def _print_objects(
    encoder: msgspec.json.Encoder, name: dict[str, str], played: Iterator[dict[str, Any]], changed: bool
) -> None:
    """Print one JSON object for each step, with all fields or only with those that the step has changed."""
    from controller.scripts import changed_fields

    before: dict[str, Any] | None = None
    for fields in played:
        print_bytes(encoder.encode({**name, **(changed_fields(before, fields) if changed else fields)}))
        before = fields


def _print_text(file: Path | None, loaded: Script, played: Iterator[dict[str, Any]]) -> None:
    """Print one readable line for each step, below the name of the file if there are several."""
    from controller.scripts import step_text

    if file is not None:
        print_bytes(f"{file_name(file)}:".encode())
    before: dict[str, Any] | None = None
    for fields in played:
        print_bytes(f"{fields['step']}  {step_text(_step_line(loaded, fields['step']), before, fields)}".encode())
        before = fields


def _print_differences(file: Path, loaded: Script, played: Iterator[dict[str, Any]]) -> int:
    """Print one line for each field that differs from its expected value, and return the number of these lines."""
    from controller.scripts import differences, step_lines

    count, lines = 0, step_lines(file)
    for fields in played:
        number = fields["step"]
        line = lines[number] if number < len(lines) else 0
        place = f"{file_name(file)}:{line}" if line else file_name(file)
        for difference in differences(loaded.expected[number], fields):
            count += 1
            print_bytes(f"{place}: step {number} {_step_line(loaded, number)!r}: {difference}".encode())
    return count


def _step_line(loaded: Script, number: int) -> str:
    """Return the line of a step, or "start" for the state before the first step."""
    from controller.steps import format_step

    return format_step(loaded.steps[number - 1]) if number else "start"


def find_files(paths: tuple[Path, ...], pattern: str) -> tuple[list[Path], bool]:
    """Return the files to process, and True if the user asked for several files.

    Each path is a file, or a folder that is searched for files that match `pattern`. A folder counts as several files.
    """
    files: list[Path] = []
    for path in paths:
        files.extend(sorted(path.rglob(pattern)) if path.is_dir() else [path])
    return files, len(paths) > 1 or any(path.is_dir() for path in paths)


def file_name(file: Path) -> str:
    """Return the name of a file as it was given, with a replacement for bytes that are not text."""
    return os.fsencode(file).decode(errors="replace")


def script_player(rules_only: bool) -> ScriptPlayer:
    """Return the function that plays a script, through the rules alone or through the whole pipeline."""
    if rules_only:
        from controller.scripts import play_rules

        return play_rules
    from controller.simulation import play_pipeline

    return play_pipeline


def print_bytes(line: bytes) -> None:
    """Print a line of bytes."""
    sys.stdout.buffer.write(line + b"\n")
