"""The command line: `potkeeper COMMAND`. Exit codes: 0 done, 1 the thing checked does not hold, 2 bad input.

Bad input is one line: what, where, what was expected. Commands import what they need when they run: `script` starts
in a fraction of a second, without readers or screen.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec

from controller.commands import archive_bytes, chips, journal_group, named_port, screen
from controller.config import BadInputError, one_line
from controller.progress import shown

if TYPE_CHECKING:
    from controller.histories import PlaysScript
    from controller.report import Page
    from controller.table import Step, Table

DOES_NOT_HOLD = 1
BAD_INPUT = 2
HISTORIES = Path("../shared/hands/phh")
"""Where hand histories may lie for the demonstration; it does without."""


def _to_draw(_context: click.Context, _option: click.Parameter, path: Path | None) -> Path | None:
    """A file for plots; that it can be written is known before the run and not after it."""
    if path is not None:
        from controller.report import look

        with _drawing():
            look(path)
    return path


_PAGE = click.option(
    "--report", type=click.Path(path_type=Path), callback=_to_draw, help="An HTML page with plots of the run."
)


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="potkeeper", message="potkeeper %(version)s")
def main() -> None:
    """Potkeeper: the dealer's assistant of a live poker table."""


@main.command()
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--rules-only", is_flag=True, help="Feed the controller directly, without chips and readers.")
def script(paths: tuple[Path, ...], rules_only: bool) -> None:
    """Play table scripts and print what is seen: one JSON object a step."""
    files, several = _files(paths, "*.toml")
    encoder, failed = msgspec.json.Encoder(), False
    with shown("script", "files") as progress:
        for number, file in enumerate(files):
            progress(number, len(files))
            name = {"file": _given(file)} if several else {}
            try:
                for seen in _seen(file, rules_only):
                    _print(encoder.encode({**name, **seen}))
            except BadInputError as error:
                _print(encoder.encode({"file": _given(file), "error": str(error)}))
                failed = True
    sys.stdout.flush()
    if failed:
        sys.exit(BAD_INPUT)


def _files(paths: tuple[Path, ...], pattern: str) -> tuple[list[Path], bool]:
    """The files that are named and those of the pattern under the folders that are named, and whether more than one
    was asked for."""
    files: list[Path] = []
    for path in paths:
        files.extend(sorted(path.rglob(pattern)) if path.is_dir() else [path])
    return files, len(paths) > 1 or any(path.is_dir() for path in paths)


def _given(file: Path) -> str:
    """A file as it was named: its name need not be text."""
    return os.fsencode(file).decode(errors="replace")


def _seen(file: Path, rules_only: bool) -> Iterator[dict[str, Any]]:
    """What is seen at each step of a script."""
    from controller.scripts import load

    return _player(rules_only)(load(file))


def _player(rules_only: bool) -> PlaysScript:
    """What plays a script: the rules alone, or the whole pipeline."""
    if rules_only:
        from controller.scripts import play_rules

        return play_rules
    from controller.simulation import play_pipeline

    return play_pipeline


@main.command()
@click.option("--config", type=click.Path(path_type=Path), help="The table: game, seats. Default: 1/2 no-limit.")
@click.option("--journal", type=click.Path(path_type=Path), help="Where every step is recorded. Default: nowhere.")
@click.option("--socket", "address", type=click.Path(path_type=Path), default=Path("potkeeper.sock"), show_default=True)
@click.option(
    "--layout", type=click.Path(path_type=Path), help="Readers, antennas, chips. Default: the reference table."
)
@click.option("--port", "ports", multiple=True, metavar="NAME=PATH", help="Another port for a reader or board.")
@click.option("--tags", type=click.Choice(["iso15693", "mode3"]), help="The chips' tags, if not as in the layout.")
@click.option("--encoded", is_flag=True, help="Chips are what their UID says: simulated ones, or for trying out.")
@click.option("--badges", type=click.Path(path_type=Path), help="Badges of the floor. Default: no badge reader.")
@click.option("--roles", type=click.Path(path_type=Path), help="Who may do what. Default: as roles.toml has it.")
@click.option("--key", type=click.Path(path_type=Path), help="The table's key, which signs the journal. Default: none.")
@click.option("--high-water", type=click.Path(path_type=Path), help="A mark of the journal's end on another device.")
@click.option("--archive-mb", metavar="N", default="1000", show_default=True, help="Room for the journal's archive.")
@click.option("--gpio/--no-gpio", default=True, help="Keys at the Pi's own pins.")
@click.option("--trays/--no-trays", default=True, help="Sensors; without them everything is keyed in.")
def serve(
    config: Path | None, journal: Path | None, address: Path, ports: tuple[str, ...], archive_mb: str, **told: Any
) -> None:
    """Run the table: trays and keys in, journal, views on a Unix socket."""
    from controller import service

    with _bad_input():
        given = dict(named_port(port) for port in ports)
        assembly = service.Assembly(config=config, ports=given, archive_bytes=archive_bytes(archive_mb), **told)
        service.serve(assembly, journal, address, _written)


def _written(table: Table, steps: Sequence[Step]) -> str:
    """A hand as it was recorded, as PHH text. The libraries for it are loaded with the first one that is looked at."""
    from controller.histories import export_recorded

    return export_recorded(table, steps)


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
    from controller.simulation import run_demo

    with _bad_input():
        if histories is not None and not histories.is_dir():
            raise BadInputError(f"--histories {histories}: no such folder, expected one with .phh files")
        sys.exit(run_demo(speed, hands, seed, pictures, histories or HISTORIES))


@main.command()
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--rules-only", is_flag=True, help="Feed the controller directly, without chips and readers.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a hand.")
def replay(paths: tuple[Path, ...], rules_only: bool, as_json: bool) -> None:
    """Play real hands (PHH files, or folders of them) through simulated chips and readers, in simulated time."""
    files, several = _files(paths, "*.phh")
    if not files:
        _say(BadInputError(f"{paths[0]}: no hands in it, expected files that end in .phh"))
        sys.exit(BAD_INPUT)
    ends = set[int]()
    with shown("replay", "hands") as progress:
        for number, file in enumerate(files):
            progress(number, len(files))
            ends.add(_replayed(file, rules_only, as_json, several))
    sys.stdout.flush()
    sys.exit(max(ends, default=0))


def _replayed(file: Path, rules_only: bool, as_json: bool, several: bool) -> int:
    """Plays one hand and prints how it ended. Gives the exit code."""
    from controller.histories import replay_history

    try:
        played = replay_history(file, _player(rules_only))
    except BadInputError as error:
        _say(BadInputError(f"{file}: {error}"))
        return BAD_INPUT
    if as_json:
        name = {"file": _given(file)} if several else {}
        ended = {"stacks": played.stacks, "pots": played.pots, "actions": played.actions}
        _print(msgspec.json.encode({**name, **ended}))
    elif several:
        click.echo(f"{_given(file)}: {played.actions} actions, {len(played.pots)} pots")
    else:
        for pot in played.pots:
            click.echo(f"{pot['name']:6} {pot['amount']:>12,}  seats {', '.join(map(str, pot['seats']))}")
        for seat, amount in played.stacks.items():
            click.echo(f"seat {seat:2} {'unknown' if amount is None else f'{amount:,}':>12}")
        click.echo(f"{played.actions} actions")
    if played.holds:
        return 0
    click.echo(f"potkeeper: {file}: the stacks are not those that the file says", err=True)
    return DOES_NOT_HOLD


@main.command()
@click.option("--hands", type=int, default=100, show_default=True)
@click.option("--seed", type=int, default=1, show_default=True)
@click.option("--faults", default="none", show_default=True, help="How much goes wrong: none, usual, sticky1 or all.")
@click.option("--jobs", type=click.IntRange(1), default=1, show_default=True, help="Processes at work.")
@click.option("--technology", default="iso15693", show_default=True, help="The chips' tags: iso15693 or mode3.")
@click.option("--variant", default="", help="The game, as holdem. Default: drawn for each evening.")
@click.option("--seats", type=int, default=0, help="Players, 2 to 10. Default: drawn for each evening.")
@click.option("--dealer", default="usual", show_default=True, help="How the dealer works: patient, usual or hasty.")
@_PAGE
@click.option("--json", "as_json", is_flag=True, help="One JSON object as the last line.")
def simulate(jobs: int, report: Path | None, as_json: bool, **told: Any) -> None:
    """Play evenings in simulated time, with people as they are and a world in which things go wrong."""
    from controller import report as pages
    from controller.simulation import Plan, floor_ms
    from controller.simulation import simulate as play

    with _bad_input(), shown("simulate", "hands") as progress:
        played = play(Plan(**told), jobs, progress)
    for failure in played.failures:
        click.echo(failure, err=True)
    figures = played.report._asdict()
    if report is not None:
        _write_page(report, pages.of_evening(figures, played.motions, floor_ms))
    if as_json:
        _print(msgspec.json.encode(figures))
    else:
        for name, value in figures.items():
            click.echo(f"{name:20} {value:,}")
    found = played.report
    if found.exceptions or found.drift_units or (told["faults"] == "none" and found.wrong_hands_silent):
        sys.exit(DOES_NOT_HOLD)


def _write_page(path: Path | None, page: Page, picture: Path | None = None) -> None:
    """Writes a page of plots, and its first plot alone. Whatever is in the way of that is one line and exit code 2."""
    from controller.report import draw, write

    with _drawing():
        if path is not None:
            write(path, page)
        if picture is not None:
            draw(page.plots[0], picture)


main.add_command(chips)
main.add_command(screen)
main.add_command(journal_group)


@main.group()
def bench() -> None:
    """Measure: rules, latency, sweep, screen."""


@bench.command("rules")
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--vs-pokerkit", is_flag=True, help="The same hands with PokerKit, in the same run.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object as the last line.")
def bench_rules(paths: tuple[Path, ...], vs_pokerkit: bool, as_json: bool) -> None:
    """Decisions a second: after each action the call, least and largest raise, and pots are asked for."""
    from controller.bench import measure_rules

    with _bad_input(), shown("bench rules", "runs") as progress:
        figures = measure_rules(list(paths), vs_pokerkit, progress)
    _report(figures, as_json)


@bench.command("latency")
@click.option("--quick", is_flag=True, help="Few of each, to see that it works.")
@click.option("--seed", type=int, default=1, show_default=True)
@_PAGE
@click.option(
    "--picture", type=click.Path(path_type=Path), callback=_to_draw, help="The first plot of that page, as PNG."
)
@click.option("--json", "as_json", is_flag=True, help="One JSON list as the last line.")
def bench_latency(quick: bool, seed: int, report: Path | None, picture: Path | None, as_json: bool) -> None:
    """From the chips to the table: air, wire and sweep in simulated time, the software in real time over ptys."""
    from controller.bench import measure_latency
    from controller.report import of_latency

    with shown("bench latency", "steps") as progress:
        rows = measure_latency(quick, seed, progress)
    if report is not None or picture is not None:
        _write_page(report, of_latency(rows), picture)
    _rows(rows, as_json)


@bench.command("sweep")
@click.option("--quick", is_flag=True, help="Few of each, to see that it works.")
@click.option("--seed", type=int, default=1, show_default=True)
@_PAGE
@click.option("--json", "as_json", is_flag=True, help="One JSON list as the last line.")
def bench_sweep(quick: bool, seed: int, report: Path | None, as_json: bool) -> None:
    """Ways to sweep the antennas: how soon chips are seen, how long a spot goes unread. Simulated time."""
    from controller.bench import measure_sweep
    from controller.report import of_sweep

    with shown("bench sweep", "scenes") as progress:
        rows = measure_sweep(quick, seed, progress)
    if report is not None:
        _write_page(report, of_sweep(rows))
    _rows(rows, as_json)


@bench.command("screen")
@click.option("--json", "as_json", is_flag=True, help="One JSON object as the last line.")
def bench_screen(as_json: bool) -> None:
    """From a view, or from a touch, to its frame, beside a bare window."""
    from controller.bench import measure_screen

    with shown("bench screen", "views") as progress:
        figures = measure_screen(progress=progress)
    _report(figures, as_json)


def _rows(rows: Sequence[Mapping[str, Any]], as_json: bool) -> None:
    """A list as JSON, or as a table with the names on top."""
    if as_json:
        _print(msgspec.json.encode(rows))
        return
    table = [[str(name) for name in rows[0]], *([str(value) for value in row.values()] for row in rows)]
    widths = [max(len(row[column]) for row in table) for column in range(len(table[0]))]
    for row in table:
        click.echo("  ".join(f"{part:>{width}}" for part, width in zip(row, widths, strict=True)))


def _report(figures: Mapping[str, Any], as_json: bool) -> None:
    if as_json:
        _print(msgspec.json.encode(figures))
        return
    for name, value in figures.items():
        shown = "  ".join(f"{key} {part}" for key, part in value.items()) if isinstance(value, dict) else f"{value}"
        click.echo(f"{name:24} {shown}")


@main.command()
@click.option("--config", type=click.Path(path_type=Path), help="The table's configuration.")
@click.option("--layout", type=click.Path(path_type=Path), help="The hardware's layout.")
@click.option("--port", "ports", multiple=True, metavar="NAME=PATH", help="Another port for a reader or board.")
@click.option("--badges", type=click.Path(path_type=Path), help="Badges of the floor.")
@click.option("--roles", type=click.Path(path_type=Path), help="Who may do what.")
@click.option("--journal", type=click.Path(path_type=Path), help="Where every step is recorded.")
@click.option("--key", type=click.Path(path_type=Path), help="The table's key.")
@click.option("--high-water", type=click.Path(path_type=Path), help="The mark on another device.")
def check(ports: tuple[str, ...], **files: Any) -> None:
    """Check configuration, layout, ports and chip set: one line each."""
    from controller import service

    with _bad_input():
        lines = service.check(ports=dict(named_port(port) for port in ports), **files)
    for holds, line in lines:
        click.echo(f"{'ok ' if holds else 'BAD'} {line}")
    if not all(holds for holds, _ in lines):
        sys.exit(DOES_NOT_HOLD)


@contextmanager
def _bad_input() -> Iterator[None]:
    """Bad input ends the program with one line and exit code 2."""
    from controller.journal import JournalError

    try:
        yield
    except (BadInputError, JournalError) as error:
        _say(error)
        sys.exit(BAD_INPUT)


@contextmanager
def _drawing() -> Iterator[None]:
    """The same of plots that cannot be drawn."""
    from controller.report import ReportError

    try:
        yield
    except ReportError as error:
        _say(error)
        sys.exit(BAD_INPUT)


def _say(error: Exception) -> None:
    """What is wrong, as one line."""
    print(f"potkeeper: {one_line(str(error))}", file=sys.stderr)


def _print(line: bytes) -> None:
    sys.stdout.buffer.write(line + b"\n")


if __name__ == "__main__":
    main()
