"""The commands `demo`, `replay` and `simulate`, which play hands at a simulated table."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, Final

import click
import msgspec

from controller.commands.error_exit import EXIT_BAD_INPUT, EXIT_CHECK_FAILED, exit_on_bad_input, print_error
from controller.commands.laboratory.lab_extra import report_option, require_lab, write_page_or_exit
from controller.commands.script_files import file_name, find_files, print_bytes, script_player
from controller.progress import show_progress
from hardware.text_input_validation import BadInputError

DEFAULT_HISTORIES: Final = Path(__file__).resolve().parents[3] / "tests" / "hands" / "phh"
"""Folder of hand histories that the demonstration plays. An installed package has none and skips them."""


@click.command()
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
    require_lab()
    from controller.simulation import run_demo

    with exit_on_bad_input():
        if histories is not None and not histories.is_dir():
            raise BadInputError(f"--histories {histories}: no such folder, expected one with .phh files")
        sys.exit(run_demo(speed, hands, seed, pictures, histories or DEFAULT_HISTORIES))


@click.command()
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--rules-only", is_flag=True, help="Use the rules alone, without chips and readers.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object for each hand.")
def replay(paths: tuple[Path, ...], rules_only: bool, as_json: bool) -> None:
    """Play hand histories at a simulated table, in simulated time.

    PATHS are PHH files or folders with PHH files.
    """
    require_lab()
    files, has_several = find_files(paths, "*.phh")
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
        result = replay_file(file, script_player(rules_only))
    except BadInputError as error:
        print_error(BadInputError(f"{file}: {error}"))
        return EXIT_BAD_INPUT
    if as_json:
        name = {"file": file_name(file)} if has_several else {}
        fields = {"stacks": result.stacks, "pots": result.pots, "actions": result.actions}
        print_bytes(msgspec.json.encode({**name, **fields}))
    elif has_several:
        click.echo(f"{file_name(file)}: {result.actions} actions, {len(result.pots)} pots")
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


@click.command()
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
@report_option
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def simulate(jobs: int, report: Path | None, as_json: bool, **settings: Any) -> None:
    """Play sessions in which people and devices make mistakes.

    Sessions are played in simulated time. The same seed always gives the same result.
    """
    require_lab()
    from controller import report as pages
    from controller.simulation import SimulationPlan, min_latency_ms
    from controller.simulation import simulate as play

    with exit_on_bad_input(), show_progress("simulate", "hands") as progress:
        result = play(SimulationPlan(**settings), jobs, progress)
    for failure in result.failures:
        click.echo(failure, err=True)
    figures = result.report._asdict()
    if report is not None:
        write_page_or_exit(report, pages.evening_page(figures, result.motions, min_latency_ms))
    if as_json:
        print_bytes(msgspec.json.encode(figures))
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
