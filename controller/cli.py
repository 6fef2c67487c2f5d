"""The command line `potkeeper COMMAND`.

Exit codes are 0 if all is well, 1 if a check has failed, and 2 for bad input. Bad input ends a command with one line
that says what is wrong, where, and what was expected.

Commands import what they need when they run. This way `script` starts in a fraction of a second, without readers or a
screen.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec

from controller.commands import (
    COMMANDS,
    EXIT_BAD_INPUT,
    EXIT_CHECK_FAILED,
    OPTIONS_PARAMETER,
    MainGroup,
    exit_on,
    exit_on_bad_input,
    log_level_option,
    parse_archive_days,
    parse_archive_mb,
    parse_port_option,
    print_bytes,
    with_options_file,
)
from controller.config import BadInputError
from controller.log_setup import configure_logging

if TYPE_CHECKING:
    from controller.steps import Step
    from controller.table import Table

EXIT_BUSY = 75
"""Exit code of a service of systemd if another process uses its journal. Systemd then tries again.

Source: EX_TEMPFAIL in sysexits(3).
"""
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
        print_bytes(msgspec.json.encode([{"ok": is_ok, "line": line} for is_ok, line in lines]))
    else:
        for is_ok, line in ((True, _program_name()), *lines):
            click.echo(f"{'ok ' if is_ok else 'BAD'} {line}")
    if not all(is_ok for is_ok, _ in lines):
        sys.exit(EXIT_CHECK_FAILED)


for command in COMMANDS:
    main.add_command(command)


if __name__ == "__main__":
    main()
