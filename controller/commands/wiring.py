"""The command `potkeeper wiring`, which writes the wiring of a layout."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from hardware.text_input_validation import BadInputError

EXIT_BAD_INPUT = 2


@click.command()
@click.option("--layout", "path", type=click.Path(path_type=Path), help="Layout of the hardware.")
@click.option("--svg", type=click.Path(path_type=Path), help="File for the diagram.")
def wiring(path: Path | None, svg: Path | None) -> None:
    """Print which antenna, key, button and lamp belongs to which port and pin.

    The tables are in Markdown. With --svg, also write a diagram.
    """
    from hardware.layout import load_layout, reference_layout
    from hardware.wiring import draw_wiring, wiring_tables

    try:
        layout = load_layout(path) if path is not None else reference_layout()
        if svg is not None:
            svg.write_text(draw_wiring(layout))
    except (BadInputError, OSError) as error:
        print(f"potkeeper: {error}", file=sys.stderr)
        sys.exit(EXIT_BAD_INPUT)
    click.echo(wiring_tables(layout))
