"""Read a journal while the table writes it, and build an equal journal elsewhere.

`JournalFollower` returns stretches: consecutive records in a segment with their snapshots and the signature of the
last record. It continues across segments and new journals, and opens at most three files for each stretch.
`rebuild_journal` writes the same rows into new files, so that `verify` accepts the signatures of the table.

Example: read all records that are on disk, and continue later at the same position.

```
follower = JournalFollower(path)
while (stretch := follower.read()) is not None:
    print(len(stretch.bodies), stretch.head.number)
```
"""

from controller.journal.replication.follower import JournalFollower, follow_text
from controller.journal.replication.rebuild import SegmentRows, rebuild_journal
from controller.journal.replication.stretch import Stretch, StretchError, StretchProblem

__all__ = [
    "JournalFollower",
    "SegmentRows",
    "Stretch",
    "StretchError",
    "StretchProblem",
    "follow_text",
    "rebuild_journal",
]
