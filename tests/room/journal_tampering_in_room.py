"""Do each tampering of the journal to what travels to the room, and to the rows of its database.

The tampering is done to the files of a journal, by the same function as at the table. Spans are then made from these
files as an attacker would make them, without any check and without the key.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from controller.integrity import ChainHead
from controller.journal import JournalFollower, Stretch
from tests.controller.journal_tampering import GuardedJournal, copy_table_journal, rows_of
from tests.controller.tampering_matrix import MATRIX_TAMPERINGS


class WatchedJournal(GuardedJournal):
    """A journal that a follower reads before somebody tampers with the records."""

    def watch(self) -> None:
        """Begin to read. The records that are there are the first honest span."""
        self.follower = JournalFollower(self.path)
        self.honest: list[Stretch] = []
        self.read()

    def read(self) -> None:
        """Read what the table has written since, as its uplink does."""
        while (stretch := self.follower.read()) is not None:
            self.honest.append(stretch)

    def send_head(self, head: ChainHead) -> None:
        """Add a signed head to the log of heads. Some kinds of tampering write more records before this."""
        super().send_head(head)
        self.read()


class Tampered(NamedTuple):
    """The spans that the table has written, and those that an attacker has made from them."""

    honest: list[Stretch]
    forged: list[Stretch]
    heads: Path
    """Log of the heads that have left the table on another way."""


def tamper_with(name: str, folder: Path) -> Tampered:
    """Do a tampering of the journal to a copy of a journal in this folder, which it creates."""
    copy = copy_table_journal(folder)
    book = WatchedJournal(copy.path, copy.far_mark)
    book.watch()
    MATRIX_TAMPERINGS[name](book)
    return Tampered(book.honest, [forged_span(book.path)] if book.path.exists() else [], book.heads)


def forged_span(path: Path) -> Stretch:
    """Return the rows of a journal as one span, as they are in its file."""
    rows, (number, last_hash, signature) = rows_of(path)
    opening, header_hash = rows.pop(0)
    previous = ChainHead(header_hash.hex(), 1, 0, header_hash)
    with closing(sqlite3.connect(path)) as db:
        states = dict(db.execute("SELECT number, body FROM state"))
    bodies = tuple(rows[record][0] for record in sorted(rows))
    return Stretch(opening, previous, bodies, states, previous._replace(number=number, hash=last_hash), signature)
