"""The command line: `potkeeper COMMAND`. Exit codes: 0 done, 1 the thing checked does not hold, 2 bad input.

Bad input is one line: what, where, what was expected. Commands import what they need when they run: `script` starts
in a fraction of a second, without readers or screen.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
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
        given = os.fsencode(file).decode(errors="replace")  # a file's name need not be text
        name = {"file": given} if several else {}
        try:
            for seen in _play(file, rules_only):
                _print(encoder.encode({**name, **seen}))
        except BadInputError as error:
            _print(encoder.encode({"file": given, "error": str(error)}))
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


@main.command()
@click.option(
    "--config", type=click.Path(path_type=Path), help="The table: game, seats (config.py). Default: 1/2 no-limit."
)
@click.option("--journal", type=click.Path(path_type=Path), help="Where every step is recorded. Default: nowhere.")
@click.option("--socket", "address", type=click.Path(path_type=Path), default=Path("potkeeper.sock"), show_default=True)
@click.option(
    "--layout", type=click.Path(path_type=Path), help="Readers, antennas, chips. Default: the reference table."
)
@click.option("--port", "ports", multiple=True, metavar="NAME=PATH", help="Another port for a reader or board.")
@click.option("--no-gpio", is_flag=True, help="Without keys at the Pi's own pins.")
@click.option("--no-trays", is_flag=True, help="Without any sensors: everything is keyed in.")
def serve(
    config: Path | None,
    journal: Path | None,
    address: Path,
    layout: Path | None,
    ports: tuple[str, ...],
    no_gpio: bool,
    no_trays: bool,
) -> None:
    """Run the table: trays and keys in, journal, views on a Unix socket."""
    from controller import serving

    with _bad_input():
        named = dict(_named(port) for port in ports)
        table = serving.Table(config, layout, named, trays=not no_trays, gpio=not no_gpio)
        serving.serve(table, journal, address)


@main.command()
@click.option("--speed", type=float, default=1.0, show_default=True, help="2 is twice as fast.")
@click.option("--hands", type=int, default=0, help="So many hands; 0: all there are.")
@click.option("--seed", type=int, default=1, show_default=True, help="Who misbehaves when.")
@click.option("--pictures", type=click.Path(path_type=Path), default=Path("build/demo"), show_default=True)
@click.option(
    "--histories", type=click.Path(path_type=Path), help="A folder of .phh files. Default: ../shared/hands/phh."
)
def demo(speed: float, hands: int, seed: int, pictures: Path, histories: Path | None) -> None:
    """Play hands on simulated sensors, with the screen."""
    from controller import demo as demonstration

    with _bad_input():
        folder = histories or Path("../shared/hands/phh")
        sys.exit(demonstration.run(speed, hands, seed, pictures, folder))


def _named(port: str) -> tuple[str, str]:
    name, equals, path = port.partition("=")
    if not equals or not name or not path:
        raise BadInputError(f"--port {port}: expected NAME=PATH")
    return name, path


@main.command()
@click.option("--socket", "address", type=click.Path(path_type=Path), default=Path("potkeeper.sock"), show_default=True)
@click.option("--fullscreen", is_flag=True, help="Fill the panel.")
def screen(address: Path, fullscreen: bool) -> None:
    """Show the dealer's screen of a running table."""
    arguments = [sys.executable, "-m", "ui", "--socket", str(address), *(["--fullscreen"] if fullscreen else [])]
    os.execv(sys.executable, arguments)


@contextmanager
def _bad_input() -> Iterator[None]:
    """Bad input ends the program with one line and exit code 2."""
    from controller.journal_file import JournalError
    from hardware.layout import LayoutError

    try:
        yield
    except (BadInputError, LayoutError, JournalError) as error:
        print(f"potkeeper: {error}", file=sys.stderr)
        sys.exit(BAD_INPUT)


def _print(line: bytes) -> None:
    sys.stdout.buffer.write(line + b"\n")


if __name__ == "__main__":
    main()
