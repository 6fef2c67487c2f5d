"""Find out which proofs `journal verify` needs to find each kind of tampering, at five moments.

`python -m tests.controller.tampering_matrix` writes the result into `controller/journal/README.md`.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from itertools import combinations
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from click.testing import CliRunner

from controller.cli import main
from controller.integrity import local_mark_path
from controller.journal import trim_archive
from controller.journal.archive import exported_segments
from controller.steps import parse_step
from firmware_bridge.clock import monotonic_us
from tests.controller.journal_tampering import (
    FLOOR,
    KEY,
    OTHER_FLOOR,
    TAMPERINGS,
    GuardedJournal,
    close_service,
    copy_table_journal,
    forge_acceptances,
    open_service,
    rechain,
    truncate_to_sent_head,
)

README: Final = Path(__file__).parents[2] / "controller" / "journal" / "README.md"
MATRIX_TAMPERINGS: Final[dict[str, Callable[[GuardedJournal], None]]] = {
    **{name: tamper for name, (tamper, _) in TAMPERINGS.items()},
    "chain remade, findings accepted in advance": lambda book: rechain(book, forge_acceptances),
    "tail cut to a signed head": truncate_to_sent_head,
}
"""Each kind of tampering, and combinations that a forger may try."""
PROOFS: Final = ("key", "mark", "heads", "badges")
"""Names of the proofs that an auditor may have: the table's public key, the mark on another device, the log of signed
heads on another device, and the badges."""
PROOF_SETS: Final = tuple(frozenset(names) for count in range(5) for names in combinations(PROOFS, count))
"""All sets of proofs, the smallest first."""


def play(book: GuardedJournal, *steps: str, rotates: bool = False) -> None:
    """Start the service, acknowledge its alerts, do these steps, and close the service.

    If `rotates` is True, the service also closes the segment and begins a new one.
    """

    async def run() -> None:
        service = open_service(book)
        assert service._recorder is not None
        if service.view.alerts:
            service.apply_step(parse_step("records-checked"))
        for step in steps:
            assert service.apply_step(parse_step(step)) is None, step
        await asyncio.sleep(0)
        if rotates:
            service._recorder.rotate(service.live, monotonic_us())
        close_service(service)

    asyncio.run(run())


def do_nothing(book: GuardedJournal) -> None:
    """Leave the journal as it is. No service has read it since the tampering."""


def play_hand(book: GuardedJournal) -> None:
    """Let the floor acknowledge the alert, and play a hand after another start."""
    play(book)
    play(book, "2 sit 1000", "hand", "here 1", "1 fold", "award main 2")


def salvage(book: GuardedJournal) -> None:
    """Let the floor acknowledge the alert. The disk then damages the file, and the service salvages the records."""
    play(book)
    data = bytearray(book.path.read_bytes())
    data[100:4096] = bytes(3996)  # the page with the schema, so that SQLite cannot open the file
    book.path.write_bytes(data)
    play(book)


def export(book: GuardedJournal) -> None:
    """Let the floor acknowledge the alert. The service then closes the segment and replaces it by its export."""
    play(book, rotates=True)
    trim_archive(book.path, 0)
    assert exported_segments(book.path)


MOMENTS: Final[dict[str, Callable[[GuardedJournal], None]]] = {
    "at once": do_nothing,
    "acknowledged": play,
    "after a hand": play_hand,
    "after a salvage": salvage,
    "exported": export,
}
"""What happens between the tampering and the audit."""


def count_findings(book: GuardedJournal, proofs: Iterable[str]) -> int:
    """Return the number of findings that `journal verify` prints with these proofs.

    A journal that it cannot read counts as one finding.
    """
    folder = book.path.parent
    (folder / "table.key.pub").write_text(KEY.public_key + "\n")
    (folder / "badges.toml").write_text(
        "".join(
            f'[[badges]]\nuid = "{badge.uid}"\nname = "{badge.name}"\nrole = "floor"\nkey = "{badge.key}"\n'
            for badge in (FLOOR, OTHER_FLOOR)
        )
    )
    options = {
        "key": ("--key", folder / "table.key.pub"),
        "mark": ("--high-water", book.far_mark),
        "heads": ("--heads", book.heads),
        "badges": ("--badges", folder / "badges.toml"),
    }
    words = [str(word) for proof in proofs for word in options[proof]]
    result = CliRunner().invoke(main, ["journal", "verify", str(book.path), *words])
    return sum(line.startswith("potkeeper: ") for line in result.output.splitlines())


@contextmanager
def tampered_journal(moment: str, tamper: Callable[[GuardedJournal], None]) -> Iterator[GuardedJournal]:
    """Yield a journal at this moment after the tampering. The attacker also deletes the mark next to the journal."""
    with TemporaryDirectory() as folder:
        book = copy_table_journal(Path(folder))
        tamper(book)
        local_mark_path(book.path).unlink(missing_ok=True)
        MOMENTS[moment](book)
        yield book


@cache
def _counts_without_tampering(moment: str) -> dict[frozenset[str], int]:
    with tampered_journal(moment, do_nothing) as book:
        return {proofs: count_findings(book, proofs) for proofs in PROOF_SETS}


def needed_proofs(tampering: str, moment: str, *, tries_all: bool = False) -> str:
    """Return the smallest sets of proofs with which `verify` finds this tampering at this moment.

    It finds the tampering if it prints more findings than for a journal that nobody has changed. The result is "always"
    if no proof is needed. If `tries_all` is True, try the larger sets too. A larger set that finds nothing is named
    after "but not".
    """
    usual = _counts_without_tampering(moment)
    smallest: list[frozenset[str]] = []
    silent: list[frozenset[str]] = []
    with tampered_journal(moment, MATRIX_TAMPERINGS[tampering]) as book:
        for proofs in PROOF_SETS:
            is_larger = any(other < proofs for other in smallest)
            if is_larger and not tries_all:
                continue
            is_found = count_findings(book, proofs) > usual[proofs]
            if is_found and not is_larger:
                smallest.append(proofs)
            if is_larger and not is_found:
                silent.append(proofs)
    if silent:
        return "but not " + " or ".join(" and ".join(sorted(proofs)) for proofs in silent)
    texts = [" and ".join(name for name in PROOFS if name in proofs) or "always" for proofs in smallest]
    return " or ".join(texts) or "not found"


def row_of(tampering: str, *, tries_all: bool = False) -> str:
    """Return the line of the table for this tampering."""
    cells = (needed_proofs(tampering, moment, tries_all=tries_all) for moment in MOMENTS)
    return f"| {' | '.join((tampering, *cells))} |"


def table_lines() -> list[str]:
    """Return the lines of the table in the README, without its head."""
    head = re.escape(f"| tampering | {' | '.join(MOMENTS)} |")
    match = re.search(rf"{head}\n\|[- |]+\n((?:\|.*\n)*)", README.read_text())
    return match[1].splitlines() if match else []


def main_program() -> None:
    """Write the table into the README."""
    old, new = table_lines(), [row_of(tampering) for tampering in MATRIX_TAMPERINGS]
    text = README.read_text()
    README.write_text(text.replace("".join(f"{line}\n" for line in old), "".join(f"{line}\n" for line in new)))


if __name__ == "__main__":
    main_program()
