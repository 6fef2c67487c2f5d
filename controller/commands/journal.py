"""`potkeeper journal …`: look into a journal, check that nobody changed it, make the key that it is signed with."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from hardware.bad_input import BadInputError, one_line

if TYPE_CHECKING:
    from controller.journal import Inspection
    from controller.seals import Guard

DOES_NOT_HOLD: Final = 1
BAD_INPUT: Final = 2
_FILE: Final = click.Path(path_type=Path)


@click.group("journal")
def journal_group() -> None:
    """Look into a journal: verify, export, show; make the table's key."""


@journal_group.command("key")
@click.argument("file", type=_FILE)
def key(file: Path) -> None:
    """Make the table's private key in FILE, the public one in FILE.pub, and print that."""
    from controller.seals import make_key

    with _bad_input():
        click.echo(make_key(file))


@journal_group.command("verify")
@click.argument("file", type=_FILE)
@click.option("--key", "keys", multiple=True, type=_FILE, help="The table's public key, FILE.pub; also an earlier one.")
@click.option("--high-water", "far", type=_FILE, help="The high-water mark on another device.")
@click.option("--badges", "house", type=_FILE, help="The list of badges, to check who decided.")
def verify(file: Path, keys: tuple[Path, ...], far: Path | None, house: Path | None) -> None:
    """Check every record, the signatures, the marks and the badges. Exit code 1 with one line for each thing that is
    not as the table wrote it, 2 where the file is no journal."""
    from controller.journal import inspect
    from controller.seals import mark_beside, read_public
    from hardware.badges import load_badges

    with _bad_input():
        public = [read_public(each) for each in keys]
        if far is not None and not far.exists():
            raise BadInputError(f"{far}: no such file, expected a high-water mark")
        marks = [each for each in (mark_beside(file), far) if each is not None and each.exists()]
        inspected = inspect(file, public, marks, load_badges(house) if house is not None else None)
    _tell(inspected)
    if inspected.found:
        sys.exit(DOES_NOT_HOLD)
    noted = [mark for mark in marks if _says_something(mark)]
    for line in _all_well(inspected, signed=bool(public), noted=noted, far=far, badges=house is not None):
        click.echo(line)


def _says_something(mark: Path) -> bool:
    """False for a file that nothing was noted in."""
    from controller.seals import read_mark

    return read_mark(mark) is not None


def _all_well(
    inspected: Inspection, *, signed: bool, noted: list[Path], far: Path | None, badges: bool
) -> Iterator[str]:
    several = f" in {inspected.segments} segments" if inspected.segments > 1 else ""
    yield f"{inspected.records} records{several}, all as they were written"
    if inspected.gone:
        gone = "segment 1, which is" if inspected.gone == 1 else f"segments 1 to {inspected.gone}, which are"
        yield f"not checked: {gone} not in the archive; an export is not looked at"
    if not signed:
        yield "not checked: the signatures, for want of --key: records written anew with new hashes would not be found"
    if not noted:
        why = "for want of a high-water mark" if far is None else f"{far} is empty"
        yield f"not checked: whether it once went on, {why}: an older copy would not be found"
    elif far not in noted:
        why = "for want of --high-water" if far is None else f"{far} is empty"
        yield (
            f"not checked: a high-water mark on another device, {why}: an older copy of the whole folder would not be "
            "found"
        )
    if not badges:
        yield "not checked: who decided, for want of --badges: a forged badge would not be found"


@journal_group.command("export")
@click.argument("file", type=_FILE)
def export(file: Path) -> None:
    """Print the records as JSON lines, of a damaged journal all that can be proven. Exit code 1 with one line that says
    what is missing, 2 where the file is no journal."""
    from controller import journal

    with _bad_input():
        for line in journal.export(file):
            click.echo(line)


@journal_group.command("show")
@click.argument("file", type=_FILE)
def show(file: Path) -> None:
    """Print the records for people, of a damaged journal all that can be proven, and what is missing in its place. Exit
    code 1 with one line that says what is missing, 2 where the file is no journal."""
    from controller import journal

    with _bad_input():
        for line in journal.show(file):
            click.echo(line)


@journal_group.command("begin")
@click.argument("file", type=_FILE)
@click.option("--config", required=True, type=_FILE, help="The table, as for `serve`.")
@click.option("--key", "signs", type=_FILE, help="The table's key, as for `serve`.")
@click.option("--high-water", "far", type=_FILE, help="The mark on another device, as for `serve`.")
def begin(file: Path, config: Path, signs: Path | None, far: Path | None) -> None:
    """Begin a new journal with another configuration; the one in FILE goes to its archive. The service is stopped."""
    from controller.config import load_config
    from controller.journal import Journal, inspect

    with _bad_input():
        text = load_config(config).text
        guard = _guard(file, signs, far)
        _tell(inspect(file, guard.keys, [mark.path for mark in guard.marks]))
        with closing(Journal.open(file, guard=guard)[0]) as book:
            book.rotate(b"", "configuration", config=text)
            click.echo(f"journal {book.name}, after {book.begun.parent}")


@journal_group.command("restore")
@click.argument("copy", type=_FILE)
@click.argument("file", type=_FILE)
@click.option("--key", "signs", type=_FILE, help="The table's key, as for `serve`.")
@click.option("--high-water", "far", type=_FILE, help="The mark on another device, as for `serve`.")
def restore(copy: Path, file: Path, signs: Path | None, far: Path | None) -> None:
    """Begin a new journal in FILE with the state at the end of COPY, whose segments go to its archive. COPY is a copy
    of a journal, with its archive beside it or that alone, or a segment of an archive. The service is stopped, and
    there is no FILE."""
    from controller.config import read_config
    from controller.journal import Journal, JournalError, Segment, is_closed, opening_of, segments_of, take_over
    from controller.live import Live, Setup
    from controller.service import replayed, whole_of

    with _bad_input():
        guard = _guard(file, signs, far)
        if file.exists():
            raise JournalError(f"journal {file}: {file.name} exists, expected no journal yet")
        *_, last = taken = segments_of(copy)
        _tell(_of_copy(copy, last, guard.keys))
        with closing(Segment.view(last, closed=is_closed(last))) as segment:
            segment.verify()
            config = segment.opening().config
            found = replayed(segment, Live(Setup(), read_config(config).table))
            if found.differs:
                print(f"potkeeper: {copy}: {found.differs}; restored as it was recorded", file=sys.stderr)
            opening = opening_of(config, parent=segment.name, why="restore")
        count = take_over(taken, file)
        with closing(Journal.create(file, opening, whole_of(found.live), guard=guard)) as book:
            click.echo(f"journal {book.name}, after {book.begun.parent}, {count} segments before it")


def _of_copy(copy: Path, last: Path, keys: tuple[str, ...]) -> Inspection:
    """What is to be said of a copy before it is gone on from."""
    from controller.journal import inspect, inspect_closed

    if last == copy and copy.parent.suffix != ".archive":
        return inspect(copy, keys)
    if last != copy:
        print(f"potkeeper: {copy}: no such file, restored to the end of {last.name}", file=sys.stderr)
    return inspect_closed(last, keys)


def _tell(inspected: Inspection) -> None:
    """What was found, one line each."""
    for _, line in inspected.found:
        print(f"potkeeper: {one_line(line)}", file=sys.stderr)


def _guard(file: Path, signs: Path | None, far: Path | None) -> Guard:
    """What the service would guard the journal with."""
    from controller.seals import guard_of, read_key

    return guard_of(file, read_key(signs) if signs is not None else None, far)


@contextmanager
def _bad_input() -> Iterator[None]:
    """Bad input ends the program with one line and exit code 2, a journal of which something is missing with 1."""
    from controller.journal import JournalError, JournalIncomplete

    try:
        yield
    except JournalIncomplete as error:
        print(f"potkeeper: {one_line(str(error))}", file=sys.stderr)
        sys.exit(DOES_NOT_HOLD)
    except (BadInputError, JournalError) as error:
        print(f"potkeeper: {one_line(str(error))}", file=sys.stderr)
        sys.exit(BAD_INPUT)
