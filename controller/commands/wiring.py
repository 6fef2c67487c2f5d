"""The command `potkeeper wiring`, which writes the wiring of a layout."""

from __future__ import annotations

from pathlib import Path

import click

from controller.commands.error_exit import exit_on
from hardware.text_input_validation import BadInputError


@click.command()
@click.option("--layout", "path", type=click.Path(path_type=Path), help="Layout of the hardware.")
@click.option("--svg", type=click.Path(path_type=Path), help="File for the diagram.")
def wiring(path: Path | None, svg: Path | None) -> None:
    """Print which antenna, key, button and lamp belongs to which port and pin.

    The tables are in Markdown. With --svg, also write a diagram.
    """
    from hardware.layout import load_layout, reference_layout
    from hardware.wiring import draw_wiring, wiring_tables

    with exit_on(BadInputError, OSError):
        layout = load_layout(path) if path is not None else reference_layout()
        if svg is not None:
            svg.write_text(draw_wiring(layout))
    click.echo(wiring_tables(layout))
