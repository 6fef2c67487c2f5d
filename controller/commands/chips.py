"""The commands `potkeeper chips …`, for the house's register of chips and for an inventory of a table's chips."""

from __future__ import annotations

import asyncio
import os
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from controller.commands.error_exit import OneLineErrorGroup
from controller.commands.option_values import parse_port_option
from controller.commands.private_key_file import read_private_key
from hardware.file_replacement import PRIVATE_FILE_MODE
from hardware.text_input_validation import BadInputError, read_file

if TYPE_CHECKING:
    from hardware.chip_register import ChipList
    from hardware.layout import TableLayout

MAX_LIST_BYTES: Final = 32_000_000
"""Maximum size of a chip list in bytes."""
SCAN_TIMEOUT_S: Final = 20.0
"""Maximum time in seconds for which a command waits until the chips on a spot stay unchanged.

The handshake of a reader takes up to two seconds. A stack of a hundred chips then needs two readings of a second each.
After that, the chips must stay unchanged for a short time.
"""


@click.group(cls=OneLineErrorGroup)
def chips() -> None:
    """Manage the house's register of chips.

    The register is a signed list of tags and denominations.
    """


@chips.command()
@click.argument("file", type=click.Path(path_type=Path))
def key(file: Path) -> None:
    """Create a private key in FILE and print the public key.

    The public key is for `register_key` in the layout.
    """
    from hardware.chip_register import derive_public_key, generate_private_key

    private = generate_private_key()
    try:
        descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, PRIVATE_FILE_MODE)
    except OSError as error:
        raise BadInputError(f"{file}: {error.strerror}, expected a file that does not exist yet") from None
    with os.fdopen(descriptor, "w") as out:
        out.write(private + "\n")
    click.echo(derive_public_key(private))


@chips.command()
@click.argument("listed", metavar="LIST", type=click.Path(path_type=Path))
@click.option("--key", "key_file", required=True, type=click.Path(path_type=Path), help="File with the private key.")
@click.option("--out", required=True, type=click.Path(path_type=Path), help="File for the signed list.")
def sign(listed: Path, key_file: Path, out: Path) -> None:
    """Sign LIST, a TOML file with house, number and chips."""
    from hardware.chip_register import derive_public_key, parse_chip_list, sign_text

    text = _read(listed, "expected a list of chips")
    chip_list = parse_chip_list(text, str(listed))
    private = read_private_key(key_file)
    data = sign_text(text, private)
    try:
        out.write_bytes(data)
    except OSError as error:
        raise BadInputError(f"{out}: {error.strerror}, expected a file that can be written") from None
    click.echo(f"{out}: list {chip_list.number} of {chip_list.house}, signed with {derive_public_key(private)[:8]}…")


@chips.command("import")
@click.argument("listed", metavar="LIST", type=click.Path(path_type=Path))
@click.option("--layout", required=True, type=click.Path(path_type=Path), help="The layout that names the register.")
def import_list(listed: Path, layout: Path) -> None:
    """Install a newer signed LIST in a layout's register.

    A running table uses the list after its next start.
    """
    from hardware.chip_register import install_chip_list

    register, public = _register_of(layout)
    chip_list = install_chip_list(listed, register, public)
    click.echo(f"{register}: {_summary(chip_list)}")


@chips.command()
@click.option("--layout", required=True, type=click.Path(path_type=Path), help="The layout that names the register.")
def check(layout: Path) -> None:
    """Verify the signature of the register, and check that the layout is valid."""
    from hardware.chip_register import load_chip_list
    from hardware.layout import load_layout

    register, public = _register_of(layout)
    chip_list = load_chip_list(register, public)
    load_layout(layout)
    click.echo(f"{register}: {_summary(chip_list)}")


@chips.command("list")
@click.option("--layout", required=True, type=click.Path(path_type=Path), help="The layout that names the register.")
def list_chips(layout: Path) -> None:
    """Print the register: tags, lammers (markers without value) and revoked chips."""
    from hardware.chip_register import load_installed_list

    chip_list = load_installed_list(*_register_of(layout))
    tags: Counter[int] = Counter(chip_list.listed.values())
    for chip_range in chip_list.ranges:
        tags[chip_range.denomination] += int(chip_range.last, 16) - int(chip_range.first, 16) + 1
    for denomination, count in sorted(tags.items()):
        click.echo(f"{denomination:>12,} {count:>12,} tags")
    for uid, name in sorted(chip_list.lammers.items()):
        click.echo(f"{name:>12} {uid}")
    for uid in chip_list.revoked:
        click.echo(f"{'revoked':>12} {uid}")


@chips.command()
@click.argument("journal", type=click.Path(path_type=Path))
@click.option("--layout", type=click.Path(path_type=Path), help="Layout with the register of revoked chips.")
def inventory(journal: Path, layout: Path | None) -> None:
    """Print the chips in a table's JOURNAL.

    The inventory says how many chips were read, and which tags have a problem.
    """
    from controller.commands.journal_chip_inventory import format_inventory, take_inventory
    from hardware.chip_register import load_installed_list

    revoked = load_installed_list(*_register_of(layout)).revoked if layout is not None else ()
    for line in format_inventory(take_inventory(journal, revoked)):
        click.echo(line)


@chips.command()
@click.option(
    "--layout", required=True, type=click.Path(path_type=Path), help="Layout of the table that reads the chips."
)
@click.option("--spot", default="pad", show_default=True, help="Spot with the chips: pad, tray, pot, bet1 to bet10.")
@click.option("--denomination", required=True, type=click.IntRange(1), help="Denomination of these chips.")
@click.option("--port", "ports", multiple=True, metavar="NAME=PATH", help="Use another port for a reader.")
def scan(layout: Path, spot: str, denomination: int, ports: tuple[str, ...]) -> None:
    """Read the tags on a spot.

    Print the tags as lines for the table `listed` of a chip list.
    """
    from hardware.layout import load_layout

    table = load_layout(layout).with_ports(dict(parse_port_option(port) for port in ports))
    if spot not in table.spot_antennas:
        raise BadInputError(f"--spot {spot}: expected one of {', '.join(table.spot_antennas.spots)}")
    for uid in asyncio.run(_tags_on(table, spot)):
        click.echo(f"{uid} = {denomination}")


async def _tags_on(layout: TableLayout, spot: str) -> list[str]:
    """Wait until the tags on the spot stay unchanged, and return their UIDs.

    Raise BadInputError if the reader reports no unchanged stack within `SCAN_TIMEOUT_S` seconds.
    """
    from hardware.events import Event, StackSettled
    from hardware.table_io import TableIO

    result: asyncio.Future[list[str]] = asyncio.get_running_loop().create_future()

    def on_event(event: Event) -> None:
        if isinstance(event, StackSettled) and event.spot == spot and not result.done():
            result.set_result(sorted([*(chip.uid for chip in event.stack), *event.unknown_tags]))

    table = TableIO(layout, on_event)
    table.start()
    try:
        return await asyncio.wait_for(result, SCAN_TIMEOUT_S)
    except TimeoutError:
        raise BadInputError(
            f"{spot}: expected unchanged chips, but the reader reported none within {SCAN_TIMEOUT_S:.0f} s"
        ) from None
    finally:
        table.stop()


def _register_of(layout: Path) -> tuple[Path, str]:
    """Return the path of the chip register that a layout names, and the public key that verifies it.

    Raise BadInputError if the layout has no register.
    """
    from hardware.layout import chip_register_of

    register = chip_register_of(layout)
    if register is None:
        raise BadInputError(f"{layout}: chips: no register, expected chips.register and chips.register_key")
    return register


def _read(file: Path, expected: str) -> bytes:
    """Return the contents of a file, and raise BadInputError if it cannot be read."""
    try:
        return read_file(file, MAX_LIST_BYTES)
    except OSError as error:
        raise BadInputError(f"{file}: {error.strerror}, {expected}") from None


def _summary(chip_list: ChipList) -> str:
    """Return a short description of a chip list for the command's output."""
    counts = f"{len(chip_list.ranges)} ranges, {len(chip_list.listed)} single chips, {len(chip_list.lammers)} lammers"
    return f"list {chip_list.number} of {chip_list.house}: {counts}, {len(chip_list.revoked)} revoked"
