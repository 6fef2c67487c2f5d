"""The extra `lab`, which commands for people who develop or evaluate Potkeeper need, and its pages of plots."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from controller.commands.error_exit import EXIT_BAD_INPUT, exit_on, print_error
from hardware.text_input_validation import BadInputError

if TYPE_CHECKING:
    from controller.report import HtmlPage

LAB_PACKAGES: Final = ("matplotlib", "pokerkit")
"""Packages of the extra `lab`, without which the commands for people who develop or evaluate Potkeeper do not run."""


def require_lab() -> None:
    """End the program with one line and exit code 2 if the extra `lab` is not installed, as on an appliance."""
    missing = [name for name in LAB_PACKAGES if find_spec(name) is None]
    if missing:
        names = " and ".join(missing)
        print_error(BadInputError(f"{names} not installed, expected the extra: pip install potkeeper[lab]"))
        sys.exit(EXIT_BAD_INPUT)


def require_plots(_context: click.Context, _option: click.Parameter, path: Path | None) -> Path | None:
    """Return the path of a file for plots. If plots cannot be drawn or written, end the program."""
    if path is not None:
        from controller.report import ReportError, check_can_draw

        with exit_on(ReportError):
            check_can_draw(path)
    return path


report_option = click.option(
    "--report",
    type=click.Path(path_type=Path),
    callback=require_plots,
    help="Write an HTML page with plots of the run.",
)


def write_page_or_exit(path: Path | None, page: HtmlPage, picture: Path | None = None) -> None:
    """Write a page of plots, and its first plot as a picture. End the program if writing fails."""
    from controller.report import ReportError, write_page, write_png

    with exit_on(ReportError):
        if path is not None:
            write_page(path, page)
        if picture is not None:
            write_png(page.plots[0], picture)
