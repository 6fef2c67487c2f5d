"""The command line `potkeeper COMMAND`.

Exit codes are 0 if all is well, 1 if a check has failed, and 2 for bad input. Bad input ends a command with one line
that says what is wrong, where, and what was expected.

Commands import what they need when they run. This way `script` starts in a fraction of a second, without readers or a
screen.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec

from controller.commands import (
    EXIT_BAD_INPUT,
    EXIT_CHECK_FAILED,
    OPTIONS_PARAMETER,
    MainGroup,
    backup,
    badge,
    bundle,
    chips,
    enroll,
    exit_on,
    exit_on_bad_input,
    find,
    journal_group,
    log_level_option,
    parse_archive_days,
    parse_archive_mb,
    parse_port_option,
    pit,
    practice,
    print_error,
    put_back,
    release,
    require_room_extra,
    restore,
    rollback,
    room_group,
    screen,
    setup_door,
    tune,
    update,
    uplink,
    verify_program,
    web,
    wiring,
    with_options_file,
)
from controller.config import BadInputError
from controller.log_setup import configure_logging
from controller.progress import show_progress

if TYPE_CHECKING:
    from controller.histories import ScriptPlayer
    from controller.report import HtmlPage
    from controller.scripts import Script
    from controller.steps import Step
    from controller.table import Table

EXIT_BUSY = 75
"""Exit code of a service of systemd if another process uses its journal. Systemd then tries again.

Source: EX_TEMPFAIL in sysexits(3).
"""
LAB_PACKAGES = ("matplotlib", "pokerkit")
"""Packages of the extra `lab`, without which the commands for people who develop or evaluate Potkeeper do not run."""
DEFAULT_HISTORIES = Path(__file__).resolve().parent.parent / "tests" / "hands" / "phh"
"""Folder of hand histories that the demonstration plays. An installed package has none and skips them."""


def _check_can_draw(_context: click.Context, _option: click.Parameter, path: Path | None) -> Path | None:
    """Return the path of a file for plots. End the program if plots cannot be drawn or the file cannot be written."""
    if path is not None:
        from controller.report import ReportError, check_can_draw

        with exit_on(ReportError):
            check_can_draw(path)
    return path


def _require_lab() -> None:
    """End the program with one line and exit code 2 if the extra `lab` is not installed, as on an appliance."""
    missing = [name for name in LAB_PACKAGES if find_spec(name) is None]
    if missing:
        names = " and ".join(missing)
        print_error(BadInputError(f"{names} not installed, expected the extra: pip install potkeeper[lab]"))
        sys.exit(EXIT_BAD_INPUT)


_report_option = click.option(
    "--report",
    type=click.Path(path_type=Path),
    callback=_check_can_draw,
    help="Write an HTML page with plots of the run.",
)


_options_file_option = click.option(
    "--options", OPTIONS_PARAMETER, type=click.Path(path_type=Path), help="File with more options of `serve`."
)


def _program_name() -> str:
    """Return the version and the build of this program, such as `potkeeper 0.1.0, build 5b0c…`."""
    from controller.journal import build_id, program_version

    return f"potkeeper {program_version() or 'unknown'}, build {build_id() or 'unknown'}"


def _print_version(context: click.Context, _option: click.Parameter, is_given: bool) -> None:
    if is_given:
        click.echo(_program_name())
        context.exit()


@click.group(cls=MainGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_version,
    help="Version and build.",
)
def main() -> None:
    """Potkeeper: the dealer's assistant of a live poker table."""


@main.command()
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
        if not _files((path,), "*.toml")[0]:
            print_error(BadInputError(f"{path}: no scripts, expected files that end in .toml"))
            sys.exit(EXIT_BAD_INPUT)
    files, has_several = _files(paths, "*.toml")
    encoder, failed, wrong = msgspec.json.Encoder(), False, 0
    with show_progress("script", "files") as progress:
        for number, file in enumerate(files):
            progress(number, len(files))
            name = {"file": _file_name(file)} if has_several else {}
            try:
                loaded = load_script(file)
                played = _script_player(rules_only)(loaded)
                if check:
                    wrong += _print_differences(file, loaded, played)
                elif text:
                    _print_text(file if has_several else None, loaded, played)
                else:
                    _print_objects(encoder, name, played, changed)
            except BadInputError as error:
                line = mistake_line(file, error)
                message = f"{_file_name(file)}{f':{line}' if line else ''}: {error}"
                if check or text:
                    _print_bytes(message.encode())
                else:
                    _print_bytes(encoder.encode({"file": _file_name(file), "error": str(error)}))
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
        _print_bytes(encoder.encode({**name, **(changed_fields(before, fields) if changed else fields)}))
        before = fields


def _print_text(file: Path | None, loaded: Script, played: Iterator[dict[str, Any]]) -> None:
    """Print one readable line for each step, below the name of the file if there are several."""
    from controller.scripts import step_text

    if file is not None:
        _print_bytes(f"{_file_name(file)}:".encode())
    before: dict[str, Any] | None = None
    for fields in played:
        _print_bytes(f"{fields['step']}  {step_text(_step_line(loaded, fields['step']), before, fields)}".encode())
        before = fields


def _print_differences(file: Path, loaded: Script, played: Iterator[dict[str, Any]]) -> int:
    """Print one line for each field that differs from its expected value, and return the number of these lines."""
    from controller.scripts import differences, step_lines

    count, lines = 0, step_lines(file)
    for fields in played:
        number = fields["step"]
        line = lines[number] if number < len(lines) else 0
        place = f"{_file_name(file)}:{line}" if line else _file_name(file)
        for difference in differences(loaded.expected[number], fields):
            count += 1
            _print_bytes(f"{place}: step {number} {_step_line(loaded, number)!r}: {difference}".encode())
    return count


def _step_line(loaded: Script, number: int) -> str:
    """Return the line of a step, or "start" for the state before the first step."""
    from controller.steps import format_step

    return format_step(loaded.steps[number - 1]) if number else "start"


def _files(paths: tuple[Path, ...], pattern: str) -> tuple[list[Path], bool]:
    """Return the files to process, and True if the user asked for several files.

    Each path is a file, or a folder that is searched for files that match `pattern`. A folder counts as several files.
    """
    files: list[Path] = []
    for path in paths:
        files.extend(sorted(path.rglob(pattern)) if path.is_dir() else [path])
    return files, len(paths) > 1 or any(path.is_dir() for path in paths)


def _file_name(file: Path) -> str:
    """Return the name of a file as it was given, with a replacement for bytes that are not text."""
    return os.fsencode(file).decode(errors="replace")


def _script_player(rules_only: bool) -> ScriptPlayer:
    """Return the function that plays a script, through the rules alone or through the whole pipeline."""
    if rules_only:
        from controller.scripts import play_rules

        return play_rules
    from controller.simulation import play_pipeline

    return play_pipeline


@main.command()
@click.option("--config", type=click.Path(path_type=Path), help="Configuration of the table. Default: no-limit 1/2.")
@click.option("--journal", type=click.Path(path_type=Path), help="File that records every step. Default: no record.")
@click.option(
    "--socket",
    "address",
    type=click.Path(path_type=Path),
    default=Path("potkeeper.sock"),
    show_default=True,
    help="Socket to which screens connect.",
)
@click.option("--socket-group", metavar="NAME", help="Group that may use this socket. Default: that of the service.")
@click.option("--room-group", metavar="NAME", help="Group that may use the read-only socket room/table.sock.")
@click.option("--layout", type=click.Path(path_type=Path), help="Layout of the hardware. Default: the reference table.")
@click.option("--port", "ports", multiple=True, metavar="NAME=PATH", help="Use another port for a reader or board.")
@click.option(
    "--tags", type=click.Choice(["iso15693", "mode3"]), help="Tags of the chips. Default: those of the layout."
)
@click.option("--encoded", is_flag=True, help="Take denominations from the UIDs, for simulated chips.")
@click.option(
    "--badges", type=click.Path(path_type=Path), help="List of badges of the floor. Default: no badge reader."
)
@click.option("--badges-key", type=click.Path(path_type=Path), help="Public key of the house, which signs the list.")
@click.option(
    "--roles", type=click.Path(path_type=Path), help="File of roles and permissions. Default: built-in roles."
)
@click.option("--key", type=click.Path(path_type=Path), help="File with the private key that signs the journal.")
@click.option("--high-water", type=click.Path(path_type=Path), help="High-water mark on another device.")
@click.option(
    "--heads", multiple=True, metavar="TARGET", help="Where signed heads go after each hand: a file, syslog, or a URL."
)
@click.option("--heads-ca", type=click.Path(path_type=Path), help="Certificates for a URL. Default: the system's.")
@click.option("--archive-mb", metavar="N", default="1000", show_default=True, help="Maximum size of the archive in MB.")
@click.option(
    "--archive-days",
    metavar="N",
    default="0",
    show_default=True,
    help="Maximum age of the archive in days. 0: any age.",
)
@click.option("--gpio/--no-gpio", default=True, help="Use keys at the pins of the Raspberry Pi.")
@click.option("--trays/--no-trays", default=True, help="Use the sensors. Without them, everything is keyed in.")
@log_level_option
@_options_file_option
def serve(**given: Any) -> None:
    """Run a table.

    Read the sensors and keys, write the journal, and send views to the screens on a Unix socket.
    """
    gc.disable()  # Loading the program creates no garbage, and each collection would look at all of it.
    from controller import service
    from controller.journal import JournalBusy, JournalError
    from controller.systemd import is_run_by_systemd

    gc.freeze()
    gc.enable()
    busy_code = EXIT_BUSY if is_run_by_systemd() else EXIT_BAD_INPUT
    with exit_on(BadInputError, JournalError), exit_on(JournalBusy, code=busy_code):
        options = with_options_file(given, serve)
        configure_logging(options.pop("log_level"))
        journal, address = options.pop("journal"), options.pop("address")
        serve_options = service.ServeOptions(
            ports=dict(parse_port_option(port) for port in options.pop("ports")),
            archive_bytes=parse_archive_mb(options.pop("archive_mb")),
            archive_days=parse_archive_days(options.pop("archive_days")),
            **options,
        )
        service.serve(serve_options, journal, address, _export_hand)


def _export_hand(table: Table, steps: Sequence[Step]) -> str:
    """Return a recorded hand as PHH text.

    The first call loads the libraries for this format.
    """
    from controller.histories import export_recorded

    return export_recorded(table, steps)


@main.command()
@click.option("--speed", type=float, default=1.0, show_default=True, help="Speed, where 2 is twice as fast.")
@click.option("--hands", type=int, default=0, help="Maximum number of hands, or 0 for all.")
@click.option("--seed", type=int, default=1, show_default=True, help="Seed that decides who misplays when.")
@click.option(
    "--pictures",
    type=click.Path(path_type=Path),
    default=Path("build/demo"),
    show_default=True,
    help="Folder for pictures if no display is available.",
)
@click.option("--histories", type=click.Path(path_type=Path), help="Folder of .phh files. Default: tests/hands/phh.")
def demo(speed: float, hands: int, seed: int, pictures: Path, histories: Path | None) -> None:
    """Play hands on simulated sensors with the dealer's screen."""
    _require_lab()
    from controller.simulation import run_demo

    with exit_on_bad_input():
        if histories is not None and not histories.is_dir():
            raise BadInputError(f"--histories {histories}: no such folder, expected one with .phh files")
        sys.exit(run_demo(speed, hands, seed, pictures, histories or DEFAULT_HISTORIES))


@main.command()
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--rules-only", is_flag=True, help="Use the rules alone, without chips and readers.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object for each hand.")
def replay(paths: tuple[Path, ...], rules_only: bool, as_json: bool) -> None:
    """Play hand histories at a simulated table, in simulated time.

    PATHS are PHH files or folders with PHH files.
    """
    _require_lab()
    files, has_several = _files(paths, "*.phh")
    if not files:
        print_error(BadInputError(f"{paths[0]}: no hands, expected files that end in .phh"))
        sys.exit(EXIT_BAD_INPUT)
    exit_codes = set[int]()
    with show_progress("replay", "hands") as progress:
        for number, file in enumerate(files):
            progress(number, len(files))
            exit_codes.add(_replay_hand_file(file, rules_only, as_json, has_several))
    sys.stdout.flush()
    sys.exit(max(exit_codes, default=0))


def _replay_hand_file(file: Path, rules_only: bool, as_json: bool, has_several: bool) -> int:
    """Play one hand, print its result, and return the exit code."""
    from controller.histories import replay_file

    try:
        result = replay_file(file, _script_player(rules_only))
    except BadInputError as error:
        print_error(BadInputError(f"{file}: {error}"))
        return EXIT_BAD_INPUT
    if as_json:
        name = {"file": _file_name(file)} if has_several else {}
        fields = {"stacks": result.stacks, "pots": result.pots, "actions": result.actions}
        _print_bytes(msgspec.json.encode({**name, **fields}))
    elif has_several:
        click.echo(f"{_file_name(file)}: {result.actions} actions, {len(result.pots)} pots")
    else:
        for pot in result.pots:
            click.echo(f"{pot['name']:6} {pot['amount']:>12,}  seats {', '.join(map(str, pot['seats']))}")
        for seat, amount in result.stacks.items():
            click.echo(f"seat {seat:2} {'unknown' if amount is None else f'{amount:,}':>12}")
        click.echo(f"{result.actions} actions")
    if result.matches_file:
        return 0
    click.echo(f"potkeeper: {file}: the final stacks differ from finishing_stacks in the file", err=True)
    return EXIT_CHECK_FAILED


@main.command()
@click.option("--hands", type=int, default=100, show_default=True, help="Number of hands.")
@click.option("--seed", type=int, default=1, show_default=True, help="Seed of all random choices.")
@click.option(
    "--faults",
    default="none",
    show_default=True,
    help="Rates of disturbances: none, usual, sticky1 or all, or usual with one more cause, such as capture.",
)
@click.option("--jobs", type=click.IntRange(1), default=1, show_default=True, help="Number of processes.")
@click.option("--technology", default="iso15693", show_default=True, help="Tags of the chips: iso15693 or mode3.")
@click.option("--variant", default="", help="Game, such as holdem. Default: drawn for each session.")
@click.option("--seats", type=int, default=0, help="Number of players, 2 to 10. Default: drawn for each session.")
@click.option("--dealer", default="usual", show_default=True, help="Style of the dealer: patient, usual or hasty.")
@click.option("--ont", type=int, default=0, show_default=True, help="Setting ONT of the FEIG readers, 0 or 1.")
@_report_option
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def simulate(jobs: int, report: Path | None, as_json: bool, **settings: Any) -> None:
    """Play sessions in which people and devices make mistakes.

    Sessions are played in simulated time. The same seed always gives the same result.
    """
    _require_lab()
    from controller import report as pages
    from controller.simulation import SimulationPlan, min_latency_ms
    from controller.simulation import simulate as play

    with exit_on_bad_input(), show_progress("simulate", "hands") as progress:
        result = play(SimulationPlan(**settings), jobs, progress)
    for failure in result.failures:
        click.echo(failure, err=True)
    figures = result.report._asdict()
    if report is not None:
        _write_page(report, pages.evening_page(figures, result.motions, min_latency_ms))
    if as_json:
        _print_bytes(msgspec.json.encode(figures))
    else:
        for name, value in figures.items():
            click.echo(f"{name:20} {value:,}")
    figures_report = result.report
    if (
        figures_report.exceptions
        or figures_report.drift_units
        or (settings["faults"] == "none" and figures_report.wrong_hands_silent)
    ):
        sys.exit(EXIT_CHECK_FAILED)


def _write_page(path: Path | None, page: HtmlPage, picture: Path | None = None) -> None:
    """Write a page of plots, and its first plot as a picture. End the program if writing fails."""
    from controller.report import ReportError, write_page, write_png

    with exit_on(ReportError):
        if path is not None:
            write_page(path, page)
        if picture is not None:
            write_png(page.plots[0], picture)


main.add_command(backup)
main.add_command(restore)
main.add_command(put_back)
main.add_command(badge)
main.add_command(bundle)
main.add_command(release)
main.add_command(update)
main.add_command(rollback)
main.add_command(verify_program)
main.add_command(chips)
main.add_command(find)
main.add_command(enroll)
main.add_command(tune)
main.add_command(screen)
main.add_command(setup_door)
main.add_command(practice)
main.add_command(web)
main.add_command(pit)
main.add_command(wiring)
main.add_command(journal_group)
main.add_command(room_group)
main.add_command(uplink)


@main.group()
def bench() -> None:
    """Measure rules, journal, latency, polling order, screen and room."""
    _require_lab()


@bench.command("rules")
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--vs-pokerkit", is_flag=True, help="Measure PokerKit with the same hands.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def bench_rules(paths: tuple[Path, ...], vs_pokerkit: bool, as_json: bool) -> None:
    """Measure how many decisions a second the rules can process.

    A decision includes its amount to call, the minimum and maximum raise, and the pots. PATHS are table scripts or
    folders with table scripts.
    """
    from controller.bench import measure_rules

    with exit_on_bad_input(), show_progress("bench rules", "runs") as progress:
        figures = measure_rules(list(paths), vs_pokerkit, progress)
    _print_figures(figures, as_json)


@bench.command("journal")
@click.option(
    "--records", type=click.IntRange(1, 10_000_000), default=1_000, show_default=True, help="Records at a start."
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def bench_journal(records: int, as_json: bool) -> None:
    """Measure the processor time of a commit to the journal, and of a start of the service.

    A start without records is measured for comparison.
    """
    from controller.bench import measure_journal

    with exit_on_bad_input(), show_progress("bench journal", "starts") as progress:
        figures = measure_journal(records, progress=progress)
    _print_figures(figures, as_json)


@bench.command("latency")
@click.option("--quick", is_flag=True, help="Measure only a few landings and wagers.")
@click.option("--seed", type=int, default=1, show_default=True, help="Seed of all random choices.")
@_report_option
@click.option(
    "--picture",
    type=click.Path(path_type=Path),
    callback=_check_can_draw,
    help="Write the first plot of that page as PNG.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON list.")
def bench_latency(quick: bool, seed: int, report: Path | None, picture: Path | None, as_json: bool) -> None:
    """Measure the time from the chips to the table.

    Air, wire and polling are measured in simulated time, and the program in real time on pseudo terminals.
    """
    from controller.bench import measure_latency
    from controller.report import latency_page

    with show_progress("bench latency", "steps") as progress:
        rows = measure_latency(quick, seed, progress)
    if report is not None or picture is not None:
        _write_page(report, latency_page(rows), picture)
    _print_rows(rows, as_json)


@bench.command("browsers")
@click.option("--wagers", type=click.IntRange(1, 1000), default=24, show_default=True, help="Wagers of each row.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON list.")
def bench_browsers(wagers: int, as_json: bool) -> None:
    """Measure whether browsers or an uplink to the room slow a table down.

    The first row has only the table. In the others, 20 browsers follow the table and one stops reading, or an uplink
    sends the journal. This process works, hangs, was killed, or has a network that takes nothing.
    """
    from controller.bench import measure_browsers

    with show_progress("bench browsers", "rows") as progress:
        rows = measure_browsers(wagers, progress)
    _print_rows(rows, as_json)


@bench.command("room")
@click.option("--tables", type=click.IntRange(1, 4000), multiple=True, help="Tables of a row. May be repeated.")
@click.option(
    "--seconds", type=click.FloatRange(1, 3600), default=20.0, show_default=True, help="Duration of each row."
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON list.")
def bench_room(tables: tuple[int, ...], seconds: float, as_json: bool) -> None:
    """Measure a room whose tables write two records a second.

    Each row has its own PostgreSQL, a room with TLS, and simulated tables. Without --tables, the rows have 10, 100, 300
    and 1000 tables. The column `lost` counts acknowledged records that the database does not have.
    """
    require_room_extra()
    from controller.bench import measure_room, why_no_postgres

    with exit_on_bad_input(), show_progress("bench room", "rows") as progress:
        if why := why_no_postgres():
            raise BadInputError(why)
        rows = measure_room(tables, seconds, progress)
    _print_rows(rows, as_json)


@bench.command("pit")
@click.option("--tables", type=click.IntRange(1, 4000), default=1000, show_default=True, help="Simulated tables.")
@click.option("--seconds", type=click.IntRange(1, 600), default=10, show_default=True, help="Time of the measurement.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def bench_pit(tables: int, seconds: int, as_json: bool) -> None:
    """Measure how soon the pit page shows a change of many simulated tables."""
    from controller.bench import measure_pit

    with show_progress("bench pit", "seconds") as progress:
        figures = measure_pit(tables, seconds, progress)
    _print_figures(figures, as_json)


@bench.command("sweep")
@click.option("--quick", is_flag=True, help="Measure only a few landings.")
@click.option("--seed", type=int, default=1, show_default=True, help="Seed of all random choices.")
@_report_option
@click.option("--json", "as_json", is_flag=True, help="Print one JSON list.")
def bench_sweep(quick: bool, seed: int, report: Path | None, as_json: bool) -> None:
    """Compare the orders in which antennas are read, and tables for several speeds.

    The figures are how soon chips are seen, and how long a spot is not read, in simulated time.
    """
    from controller.bench import measure_sweep
    from controller.report import sweep_page

    with show_progress("bench sweep", "scenarios") as progress:
        rows = measure_sweep(quick, seed, progress)
    if report is not None:
        _write_page(report, sweep_page(rows))
    _print_rows(rows, as_json)


@bench.command("screen")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def bench_screen(as_json: bool) -> None:
    """Measure the time from a view or a touch to its frame.

    A bare window is measured for comparison.
    """
    from controller.bench import measure_screen

    with show_progress("bench screen", "views") as progress:
        figures = measure_screen(progress=progress)
    _print_figures(figures, as_json)


def _print_rows(rows: Sequence[Mapping[str, Any]], as_json: bool) -> None:
    """Print rows as JSON, or as a table with a header."""
    if as_json:
        _print_bytes(msgspec.json.encode(rows))
        return
    table = [[str(name) for name in rows[0]], *([str(value) for value in row.values()] for row in rows)]
    widths = [max(len(row[column]) for row in table) for column in range(len(table[0]))]
    for row in table:
        click.echo("  ".join(f"{part:>{width}}" for part, width in zip(row, widths, strict=True)))


def _print_figures(figures: Mapping[str, Any], as_json: bool) -> None:
    """Print figures as JSON, or one on each line."""
    if as_json:
        _print_bytes(msgspec.json.encode(figures))
        return
    for name, value in figures.items():
        shown = "  ".join(f"{key} {part}" for key, part in value.items()) if isinstance(value, dict) else f"{value}"
        click.echo(f"{name:24} {shown}")


@main.command()
@click.option("--config", type=click.Path(path_type=Path), help="Configuration of the table.")
@click.option("--layout", type=click.Path(path_type=Path), help="Layout of the hardware.")
@click.option("--port", "ports", multiple=True, metavar="NAME=PATH", help="Use another port for a reader or board.")
@click.option("--badges", type=click.Path(path_type=Path), help="List of badges of the floor.")
@click.option("--badges-key", type=click.Path(path_type=Path), help="Public key of the house, which signs the list.")
@click.option("--roles", type=click.Path(path_type=Path), help="File of roles and permissions.")
@click.option("--journal", type=click.Path(path_type=Path), help="Journal of the table.")
@click.option("--key", type=click.Path(path_type=Path), help="File with the private key of the table.")
@click.option("--high-water", type=click.Path(path_type=Path), help="High-water mark on another device.")
@click.option(
    "--socket",
    "address",
    type=click.Path(path_type=Path),
    default=Path("potkeeper.sock"),
    show_default=True,
    help="Socket of the service, which is asked for its devices if it runs.",
)
@click.option("--gpio/--no-gpio", "uses_gpio", default=True, help="Test the pins of the dealer's keys.")
@click.option("--offline", is_flag=True, help="Test only the files, not the devices and the computer.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON list.")
@_options_file_option
def check(as_json: bool, **given: Any) -> None:
    """Check the files, devices and computer of a table.

    Print one line for each, after the version and build of the program. A line with BAD says how to mend it.
    """
    from controller import service

    with exit_on_bad_input():
        options = with_options_file(given, serve)
        if (fault := options.pop("options_fault", None)) is not None:
            raise BadInputError(fault.error)
        options["uses_gpio"] = options.pop("gpio", options["uses_gpio"])
        ports = dict(parse_port_option(port) for port in options["ports"])
        lines = service.check_table(**{**{name: options[name] for name in given if name in options}, "ports": ports})
    if as_json:
        _print_bytes(msgspec.json.encode([{"ok": is_ok, "line": line} for is_ok, line in lines]))
    else:
        for is_ok, line in ((True, _program_name()), *lines):
            click.echo(f"{'ok ' if is_ok else 'BAD'} {line}")
    if not all(is_ok for is_ok, _ in lines):
        sys.exit(EXIT_CHECK_FAILED)


def _print_bytes(line: bytes) -> None:
    """Print a line of bytes."""
    sys.stdout.buffer.write(line + b"\n")


if __name__ == "__main__":
    main()
