"""The journal of a table: every step is on disk before any screen shows what it did.

`Journal` writes one, `segments` reads one, `verify` checks one, `inspect` says what was done to one, `salvage` repairs
a damaged one, `export` and `show` print one, `trim` keeps its archive small, `thin` what was set aside. `whole` writes
a frozen value, such as the live state of a table, in one piece, reads it back, and gives its digest.
"""

from controller.journal import whole
from controller.journal.archive import (
    USUAL_BYTES,
    goes_on_from,
    is_closed,
    segments,
    segments_of,
    take_over,
    trim,
    verify,
)
from controller.journal.clerk import Clerk, StuckError
from controller.journal.damage import (
    ASIDE_BYTES,
    Salvage,
    finish,
    is_ours,
    prove,
    proven_in_memory,
    replace,
    salvage,
    thin,
)
from controller.journal.difference import difference
from controller.journal.file import Trouble, is_there
from controller.journal.inspection import Finding, Inspection, inspect, inspect_closed
from controller.journal.journal import Journal
from controller.journal.opening import Opening, is_of_this_run, opening_of
from controller.journal.printed import export, show
from controller.journal.records import (
    Entry,
    JournalBusy,
    JournalDead,
    JournalError,
    JournalIncomplete,
    Record,
    encode,
    proven,
)
from controller.journal.segment import Segment

__all__ = [
    "ASIDE_BYTES",
    "USUAL_BYTES",
    "Clerk",
    "Entry",
    "Finding",
    "Inspection",
    "Journal",
    "JournalBusy",
    "JournalDead",
    "JournalError",
    "JournalIncomplete",
    "Opening",
    "Record",
    "Salvage",
    "Segment",
    "StuckError",
    "Trouble",
    "difference",
    "encode",
    "export",
    "finish",
    "goes_on_from",
    "inspect",
    "inspect_closed",
    "is_closed",
    "is_of_this_run",
    "is_ours",
    "is_there",
    "opening_of",
    "prove",
    "proven",
    "proven_in_memory",
    "replace",
    "salvage",
    "segments",
    "segments_of",
    "show",
    "take_over",
    "thin",
    "trim",
    "verify",
    "whole",
]
