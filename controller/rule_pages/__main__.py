"""Command line of the rule pages: `python -m controller.rule_pages --help`."""

from __future__ import annotations

from pathlib import Path

import click

from controller.rule_pages import write_pages, write_readme
from controller.rule_pages.page_writer import PAGES


@click.command()
@click.argument("folder", type=click.Path(path_type=Path), default=PAGES)
def main(folder: Path) -> None:
    """Write the pages of the rules to FOLDER and update the README of the rules.

    FOLDER is build/docs/controller/rules/pages by default.
    """
    for path in [*write_pages(folder), *write_readme()]:
        click.echo(path)


main(prog_name="python -m controller.rule_pages")
