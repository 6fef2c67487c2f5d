"""The journal of a table: every step is on disk before any screen shows what it did.

`Journal` writes and reads one, `salvage` repairs a damaged one, `export` and `show` print one. `whole` writes a frozen
value, such as the live state of a table, in one piece, reads it back, and gives its digest.
"""

from controller.journal import whole
from controller.journal.damage import Salvage, salvage
from controller.journal.journal import Journal
from controller.journal.printed import export, show
from controller.journal.records import Entry, JournalDead, JournalError, Opening, Record

__all__ = [
    "Entry",
    "Journal",
    "JournalDead",
    "JournalError",
    "Opening",
    "Record",
    "Salvage",
    "export",
    "salvage",
    "show",
    "whole",
]
