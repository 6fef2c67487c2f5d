"""The command line: `potkeeper COMMAND`. Exit codes: 0 done, 1 the thing checked does not hold, 2 bad input.

Bad input is one line: what, where, what was expected. Commands import what they need when they run: `script` starts
in a fraction of a second, without readers or screen.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import msgspec

from controller.configuring import BadInputError

BAD_INPUT = 2


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def main() -> None:
    """Potkeeper: the dealer's assistant of a live poker table."""


@main.command()
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--rules-only", is_flag=True, help="Feed the controller directly, without chips and readers.")
def script(paths: tuple[Path, ...], rules_only: bool) -> None:
    """Play table scripts and print what is seen: one JSON object a step."""
    files, several = _script_files(paths)
    encoder, failed = msgspec.json.Encoder(), False
    for file in files:
        name = {"file": str(file)} if several else {}
        try:
            for seen in _play(file, rules_only):
                _print(encoder.encode({**name, **seen}))
        except BadInputError as error:
            _print(encoder.encode({"file": str(file), "error": str(error)}))
            failed = True
    sys.stdout.flush()
    if failed:
        sys.exit(BAD_INPUT)


def _script_files(paths: tuple[Path, ...]) -> tuple[list[Path], bool]:
    """The files under the paths, and whether more than one was asked for."""
    files: list[Path] = []
    for path in paths:
        files.extend(sorted(path.rglob("*.toml")) if path.is_dir() else [path])
    return files, len(paths) > 1 or any(path.is_dir() for path in paths)


def _play(file: Path, rules_only: bool) -> Iterator[dict[str, Any]]:
    from controller import scripts

    loaded = scripts.load(file)
    if rules_only:
        return scripts.play(loaded)
    from controller import pipeline

    return pipeline.play(loaded)


def _print(line: bytes) -> None:
    sys.stdout.buffer.write(line + b"\n")


if __name__ == "__main__":
    main()
