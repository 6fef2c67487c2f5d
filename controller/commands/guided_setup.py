"""The commands of the guided set-up: `potkeeper find`, `enroll` and `tune`."""

from __future__ import annotations

import datetime
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from controller.commands.error_exit import OneLineErrorCommand
from controller.commands.option_values import parse_port_option
from hardware.text_input_validation import BadInputError, read_file

if TYPE_CHECKING:
    from hardware.guided_setup import AntennaReport, DeviceKind, Prompt, SerialBench
    from hardware.layout import TableLayout

EXIT_INCOMPLETE: Final = 1
"""Exit code if something was not found, or if an antenna is not as it should be."""
MAX_STACK: Final = 200
"""Maximum number of chips in a stack to measure. No antenna reads as many."""
MAX_REGISTER_BYTES: Final = 32_000_000
"""Maximum size of the register of chips in bytes."""
MAX_LAYOUT_BYTES: Final = 4_000_000
_KIND_NAMES: Final[dict[DeviceKind, str]] = {"feig": "FEIG reader", "pepper": "Pepper reader", "panel": "panel board"}
_LAYOUT: Final = click.argument("layout", type=click.Path(path_type=Path))
_PORTS: Final = click.option(
    "--port", "ports", multiple=True, metavar="NAME=PATH", help="Use another port for a device."
)


@click.command(cls=OneLineErrorCommand)
@_LAYOUT
@_PORTS
def find(layout: Path, ports: tuple[str, ...]) -> None:
    """Find the ports, antennas and buttons of a table, and write them into LAYOUT.

    Follow the instructions: put one chip on each spot, and press each button. The comments in LAYOUT stay. Stop the
    service first, because it has the ports open.
    """
    from hardware.guided_setup import find_layout_wiring, with_wiring, write_layout

    text, table = _read_layout(layout, ports)
    with _open_bench(table) as bench:
        for port in table.ports.values():
            click.echo(f"{port}: {_KIND_NAMES[bench.kinds[port]] if port in bench.kinds else 'nothing answers'}")
        wiring = find_layout_wiring(bench, table, _tell)
    change = with_wiring(text, wiring, str(layout))
    for note in change.notes:
        click.echo(note)
    if change.text != text:
        write_layout(layout, change.text)
        click.echo(f"{layout}: written")
    else:
        click.echo(f"{layout}: as the table is wired")
    if wiring.missing:
        sys.exit(EXIT_INCOMPLETE)


def _tell(prompt: Prompt) -> None:
    instruction = f"put one chip on {prompt.name}" if prompt.kind == "chip" else f"press {prompt.name}"
    click.echo(instruction)


def _read_layout(path: Path, ports: tuple[str, ...]) -> tuple[str, TableLayout]:
    """Return the text of a layout, and the layout with the given ports. Raises BadInputError."""
    from hardware.layout import load_layout

    layout = load_layout(path).with_ports(dict(parse_port_option(port) for port in ports))
    return read_file(path, MAX_LAYOUT_BYTES).decode(), layout


def _open_bench(layout: TableLayout) -> SerialBench:
    from hardware.guided_setup import SerialBench

    kinds: dict[str, DeviceKind] = {reader.port: reader.protocol for reader in layout.readers}
    kinds |= {panel.port: "panel" for panel in layout.panels}
    return SerialBench(kinds, layout.sensing)


@click.command(cls=OneLineErrorCommand)
@_LAYOUT
@_PORTS
@click.option("--denomination", required=True, type=click.IntRange(1), help="Denomination of the new chips.")
@click.option("--out", required=True, type=click.Path(path_type=Path), help="File for the next list, to be signed.")
@click.option("--spot", default="pad", show_default=True, help="Spot on which the piles are counted.")
@click.option("--pile", default=20, show_default=True, type=click.IntRange(1, 200), help="Chips in a usual pile.")
def enroll(layout: Path, ports: tuple[str, ...], denomination: int, out: Path, spot: str, pile: int) -> None:
    """Take up new chips pile by pile, and write the next list of the register that LAYOUT names.

    Put a pile on the spot and enter its number of chips. A pile is refused if another number of tags answers, or if a
    tag is on the list already, or in an earlier pile. Sign the new list with `potkeeper chips sign`.
    """
    from hardware.chip_register import load_chip_list, strip_signature
    from hardware.guided_setup import Antenna, Enrolment, read_pile
    from hardware.layout import chip_register_of

    register = chip_register_of(layout)
    if register is None:
        raise BadInputError(f"{layout}: chips: no register, expected chips.register and chips.register_key")
    _, table = _read_layout(layout, ports)
    if spot not in table.spot_antennas:
        raise BadInputError(f"--spot {spot}: expected one of {', '.join(table.spot_antennas.spots)}")
    if out.exists():
        raise BadInputError(f"{out}: exists, expected a file that does not exist yet")
    place = table.spot_antennas[spot]
    antenna = Antenna(table.ports[place.reader], place.antenna)
    chip_list = load_chip_list(*register)
    enrolment = Enrolment(chip_list, denomination)
    with _open_bench(table) as bench:
        if antenna.port not in bench.kinds:
            raise BadInputError(f"{place.reader} at {antenna.port}: nothing answers, expected a reader")
        while count := _ask_for_pile(spot, pile):
            problems = enrolment.add_pile(read_pile(bench, antenna), count)
            for problem in problems:
                click.echo(problem)
            taken = f"pile of {count} taken up" if not problems else "pile refused, nothing taken up"
            click.echo(f"{taken}: {len(enrolment.tags)} chips in all")
    if not enrolment.tags:
        raise BadInputError("no chips were taken up, so no list is written")
    text = strip_signature(read_file(register[0], MAX_REGISTER_BYTES))
    try:
        out.write_bytes(enrolment.next_list(text, str(out)))
    except OSError as error:
        raise BadInputError(f"{out}: {error.strerror}, expected a file that can be written") from None
    click.echo(
        f"{out}: list {chip_list.number + 1} of {chip_list.house}, {len(enrolment.tags)} new chips, not signed yet"
    )


def _ask_for_pile(spot: str, pile: int) -> int:
    """Return the number of chips in the next pile, or 0 to end."""
    text = f"put a pile on {spot} and enter its number of chips (0 ends)"
    return int(click.prompt(text, default=pile, type=click.IntRange(0, MAX_STACK)))


@click.command(cls=OneLineErrorCommand)
@_LAYOUT
@_PORTS
@click.option("--spot", "spots", multiple=True, help="Measure this spot only. Default: every spot of the layout.")
@click.option("--heights", default="5,10,15,20", show_default=True, help="Heights of the stacks, in chips.")
def tune(layout: Path, ports: tuple[str, ...], spots: tuple[str, ...], heights: str) -> None:
    """Measure every antenna with the chips of the house, and write the sure heights into LAYOUT.

    Clear all spots, and follow the instructions. The command prints the share of missed chips by height, what other
    antennas hear, and how much a sure height differs from the last measurement. Stop the service first.
    """
    from hardware.guided_setup import measure_antennas, with_heights, write_layout

    text, table = _read_layout(layout, ports)
    stack_heights = _parse_heights(heights)
    unknown = next((spot for spot in spots if spot not in table.spot_antennas), None)
    if unknown is not None:
        raise BadInputError(f"--spot {unknown}: expected one of {', '.join(table.spot_antennas.spots)}")
    with _open_bench(table) as bench:
        silent = next((reader for reader in table.readers if reader.port not in bench.kinds), None)
        if silent is not None:
            raise BadInputError(f"{silent.name} at {silent.port}: nothing answers, expected a reader")
        chosen = spots or table.spot_antennas.spots
        reports = measure_antennas(bench, table, chosen, stack_heights, _ask_for_stack)
    for report in reports:
        for line in _report_lines(report, table):
            click.echo(line)
    change = with_heights(text, reports, datetime.date.today(), str(layout))
    for note in change.notes:
        click.echo(note)
    if change.text != text:
        write_layout(layout, change.text)
        click.echo(f"{layout}: written")
    if any(report.verdict != "good" for report in reports):
        sys.exit(EXIT_INCOMPLETE)


def _parse_heights(text: str) -> list[int]:
    """Return the heights of an option such as `5,10,20`. Raises BadInputError."""
    try:
        heights = [int(part) for part in text.split(",")]
    except ValueError:
        heights = []
    if not heights or not all(1 <= height <= MAX_STACK for height in heights):
        raise BadInputError(f"--heights {text}: expected numbers of chips from 1 to {MAX_STACK}, such as 5,10,20")
    return heights


def _ask_for_stack(spot: str, height: int) -> None:
    click.prompt(f"put {height} chips on {spot}, then press Enter", default="", show_default=False, prompt_suffix="")


def _report_lines(report: AntennaReport, layout: TableLayout) -> Iterator[str]:
    """Yield the lines of a report: the condition of the antenna, and what only a neighbour should hear."""
    advice = {
        "good": "",
        "weak": ": check the chips, the cable, and the distance to the felt",
        "dead": ": no chip is heard, check the cable of the antenna",
        "crossed": f": its chips are heard at {report.better_spot}, so that two cables are exchanged",
    }
    missed = ", ".join(f"{result.height}: {result.missed:.1%}" for result in report.heights)
    yield f"{report.spot}: {report.verdict}{advice[report.verdict]}"
    yield f"{report.spot}: missed chips by height: {missed}"
    for other, share in report.heard_at.items():
        if other not in layout.spot_antennas[report.spot].neighbours and other != report.better_spot:
            yield f"{report.spot}: also heard at {other} ({share:.0%}), expected as neighbours in [antennas]"
