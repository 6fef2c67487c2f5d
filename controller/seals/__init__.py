"""What a journal's records are held against: the key of the table, which signs each head, and high-water marks.

`TableKey` signs, `signed_by` checks. `read_mark` reads a high-water mark, `Guard` does at each commit all that there is
to do: it signs the head that is written with the records, and notes it in the marks afterwards. What is found wrong
with a journal says `controller.journal.inspect`.
"""

from controller.seals.guard import NO_GUARD, Guard, guard_of, mark_beside
from controller.seals.heads import Head, SealError, TableKey, make_key, occasion_at, read_key, read_public, signed_by
from controller.seals.mark import FarMark, Mark, MarkFile, read_mark

__all__ = [
    "NO_GUARD",
    "FarMark",
    "Guard",
    "Head",
    "Mark",
    "MarkFile",
    "SealError",
    "TableKey",
    "guard_of",
    "make_key",
    "mark_beside",
    "occasion_at",
    "read_key",
    "read_mark",
    "read_public",
    "signed_by",
]
