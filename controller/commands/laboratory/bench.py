"""The commands `bench …`, which measure the program."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click
import msgspec

from controller.commands.error_exit import exit_on_bad_input
from controller.commands.laboratory.lab_extra import report_option, require_lab, require_plots, write_page_or_exit
from controller.commands.room import require_room_extra
from controller.commands.script_files import print_bytes
from controller.progress import show_progress
from hardware.text_input_validation import BadInputError


@click.group()
def bench() -> None:
    """Measure rules, journal, latency, polling order, screen and room."""
    require_lab()


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
@report_option
@click.option(
    "--picture",
    type=click.Path(path_type=Path),
    callback=require_plots,
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
        write_page_or_exit(report, latency_page(rows), picture)
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
@report_option
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
        write_page_or_exit(report, sweep_page(rows))
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
        print_bytes(msgspec.json.encode(rows))
        return
    table = [[str(name) for name in rows[0]], *([str(value) for value in row.values()] for row in rows)]
    widths = [max(len(row[column]) for row in table) for column in range(len(table[0]))]
    for row in table:
        click.echo("  ".join(f"{part:>{width}}" for part, width in zip(row, widths, strict=True)))


def _print_figures(figures: Mapping[str, Any], as_json: bool) -> None:
    """Print figures as JSON, or one on each line."""
    if as_json:
        print_bytes(msgspec.json.encode(figures))
        return
    for name, value in figures.items():
        shown = "  ".join(f"{key} {part}" for key, part in value.items()) if isinstance(value, dict) else f"{value}"
        click.echo(f"{name:24} {shown}")
