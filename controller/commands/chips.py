"""`potkeeper chips …`: the house's register of chips, from the key to the list that a table takes."""

from __future__ import annotations

import asyncio
import os
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from controller.commands.ports import named_port
from hardware.bad_input import BadInputError, read_file

if TYPE_CHECKING:
    from hardware.layout import Layout
    from hardware.register import ChipList

BAD_INPUT: Final = 2
MOST_LIST_BYTES: Final = 32_000_000
SCAN_S: Final = 20.0
"""A reader greets within a second or two, a hundred tags take two readings of a second each and a quiet time."""
OWNER_ONLY: Final = 0o600
"""Nobody else may read a private key."""


class OneLine(click.Group):
    """A group whose commands end with one line and exit code 2 on bad input."""

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except BadInputError as error:
            print(f"potkeeper: {error}", file=sys.stderr)
            sys.exit(BAD_INPUT)


@click.group(cls=OneLine)
def chips() -> None:
    """The house's register of chips: signed lists of which tag is worth what."""


@chips.command()
@click.argument("file", type=click.Path(path_type=Path))
def key(file: Path) -> None:
    """Make a private key in FILE and print the public one, which goes into the layout as `register_key`."""
    from hardware.register import new_key, public_key

    private = new_key()
    try:
        descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, OWNER_ONLY)
    except OSError as error:
        raise BadInputError(f"{file}: {error.strerror}, expected a file that does not exist yet") from None
    with os.fdopen(descriptor, "w") as out:
        out.write(private + "\n")
    click.echo(public_key(private))


@chips.command()
@click.argument("listed", metavar="LIST", type=click.Path(path_type=Path))
@click.option("--key", "key_file", required=True, type=click.Path(path_type=Path), help="The private key.")
@click.option("--out", required=True, type=click.Path(path_type=Path), help="Where the signed list is written.")
def sign(listed: Path, key_file: Path, out: Path) -> None:
    """Sign the LIST, a TOML file with house, number and chips."""
    from hardware.register import public_key, read_list, signed

    text = _read(listed, "expected a list of chips")
    found = read_list(text, str(listed))
    private = _read(key_file, "expected the file of a private key").decode(errors="replace").strip()
    data = signed(text, private)
    try:
        out.write_bytes(data)
    except OSError as error:
        raise BadInputError(f"{out}: {error.strerror}, expected a file that can be written") from None
    click.echo(f"{out}: list {found.number} of {found.house}, signed with {public_key(private)[:8]}…")


@chips.command("import")
@click.argument("listed", metavar="LIST", type=click.Path(path_type=Path))
@click.option("--layout", required=True, type=click.Path(path_type=Path), help="The layout that names the register.")
def import_list(listed: Path, layout: Path) -> None:
    """Take a newer signed LIST into the register that the layout names. A running table takes it when it is started
    again."""
    from hardware.register import newer

    into, public = _register_of(layout)
    found = newer(listed, into, public)
    click.echo(f"{into}: {_said(found)}")


@chips.command()
@click.option("--layout", required=True, type=click.Path(path_type=Path), help="The layout that names the register.")
def check(layout: Path) -> None:
    """Check that the register is as it was signed, and that layout and register agree."""
    from hardware.layout import load
    from hardware.register import installed

    into, public = _register_of(layout)
    found = installed(into, public)
    load(layout)
    click.echo(f"{into}: {_said(found)}")


@chips.command("list")
@click.option("--layout", required=True, type=click.Path(path_type=Path), help="The layout that names the register.")
def list_chips(layout: Path) -> None:
    """Print what the register holds: denominations, how many tags, lammers, revoked chips."""
    from hardware.register import installed

    found = installed(*_register_of(layout))
    tags: Counter[int] = Counter(found.listed.values())
    for each in found.ranges:
        tags[each.denomination] += int(each.last, 16) - int(each.first, 16) + 1
    for denomination, count in sorted(tags.items()):
        click.echo(f"{denomination:>12,} {count:>12,} tags")
    for uid, name in sorted(found.lammers.items()):
        click.echo(f"{name:>12} {uid}")
    for uid in found.revoked:
        click.echo(f"{'revoked':>12} {uid}")


@chips.command()
@click.argument("journal", type=click.Path(path_type=Path))
@click.option("--layout", type=click.Path(path_type=Path), help="The layout whose register names revoked chips.")
def inventory(journal: Path, layout: Path | None) -> None:
    """Print what a table's JOURNAL says of its chips: how many were seen, and the tags that need a look."""
    from controller.commands.inventory import lines, taken_of
    from hardware.register import installed

    revoked = installed(*_register_of(layout)).revoked if layout is not None else ()
    for line in lines(taken_of(journal, revoked)):
        click.echo(line)


@chips.command()
@click.option("--layout", required=True, type=click.Path(path_type=Path), help="The table that reads the chips.")
@click.option("--spot", default="pad", show_default=True, help="Where they lie: pad, tray, pot, bet1 to bet10.")
@click.option("--denomination", required=True, type=click.IntRange(1), help="What each of them is worth.")
@click.option("--port", "ports", multiple=True, metavar="NAME=PATH", help="Another port for a reader.")
def scan(layout: Path, spot: str, denomination: int, ports: tuple[str, ...]) -> None:
    """Read the tags that lie on a spot and print them as lines for `listed` of a list."""
    from hardware.layout import load

    table = load(layout).with_ports(dict(named_port(port) for port in ports))
    if spot not in table.places:
        raise BadInputError(f"--spot {spot}: expected one of {', '.join(table.places.spots)}")
    for uid in asyncio.run(_tags_on(table, spot)):
        click.echo(f"{uid} = {denomination}")


async def _tags_on(layout: Layout, spot: str) -> list[str]:
    """The UIDs of all tags on the spot once it has settled. Raises BadInputError where it does not."""
    from hardware.events import Event, StackComplete
    from hardware.table_io import TableIO

    found: asyncio.Future[list[str]] = asyncio.get_running_loop().create_future()

    def on_event(event: Event) -> None:
        if isinstance(event, StackComplete) and event.spot == spot and not found.done():
            found.set_result(sorted([*(chip.uid for chip in event.stack), *event.strangers]))

    table = TableIO(layout, on_event)
    table.start()
    try:
        return await asyncio.wait_for(found, SCAN_S)
    except TimeoutError:
        raise BadInputError(f"{spot}: nothing settled within {SCAN_S:.0f} s, expected its reader to answer") from None
    finally:
        table.stop()


def _register_of(layout: Path) -> tuple[Path, str]:
    """Where the register of a layout lies, and its public key."""
    from hardware.layout import register_of

    found = register_of(layout)
    if found is None:
        raise BadInputError(f"{layout}: chips: no register, expected chips.register and chips.register_key")
    return found


def _read(file: Path, expected: str) -> bytes:
    try:
        return read_file(file, MOST_LIST_BYTES)
    except OSError as error:
        raise BadInputError(f"{file}: {error.strerror}, {expected}") from None


def _said(found: ChipList) -> str:
    counted = f"{len(found.ranges)} ranges, {len(found.listed)} single chips, {len(found.lammers)} lammers"
    return f"list {found.number} of {found.house}: {counted}, {len(found.revoked)} revoked"
