"""The journal of a table: every step is on disk before any screen shows its effect.

A journal is a SQLite file, the running segment, with an archive of closed segments. Each segment begins with a header
and a snapshot of the table's state. Each other row of a segment is a record: one step, with a hash that covers all rows
before it. After a restart the service loads the snapshot and replays the records, so that the table continues at the
same point of the same hand.

- `Journal` writes a journal, and `iter_segments` reads one.
- `verify` checks hashes. `audit_journal` also checks signatures, high-water marks and badges.
- `salvage_journal` replaces a damaged journal with a new one. The new journal has the records that are proven by their
  hashes.
- `export_jsonl` and `show_text` print a journal.
- `JournalFollower` reads new records while the table writes, and `rebuild_journal` writes an equal journal elsewhere.
- `trim_archive` and `trim_quarantine` keep old files within their space limits.
- `snapshot` writes and reads frozen values, such as the live state of a table.

A minimal journal:

    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from controller.journal import Entry, Journal, new_header, show_text, verify
    >>> from controller.steps import parse_step
    >>> folder = TemporaryDirectory()
    >>> path = Path(folder.name) / "table.journal"
    >>> journal = Journal.create(path, new_header("{}"))
    >>> journal.append([Entry(1_000_000, parse_step("3 sit 200 as ann"), "dealer")])
    1
    >>> journal.close()
    >>> verify(path)  # numbers of records and segments
    (1, 1)
    >>> print([*show_text(path)][-1].strip())
    1  0:00:00.000  dealer  3 sit 200 as ann
    >>> folder.cleanup()
"""

from controller.journal import snapshot
from controller.journal.archive import (
    DEFAULT_ARCHIVE_BYTES,
    archive_folder,
    copy_running_segment,
    files_before,
    import_segments,
    is_closed,
    iter_segments,
    open_previous_segment,
    segment_paths_of_copy,
    trim_archive,
    verify,
)
from controller.journal.audit import AuditReport, Finding, audit_closed_segment, audit_journal
from controller.journal.build_identity import build_id
from controller.journal.disk_worker import DiskTimeoutError, DiskWorker
from controller.journal.evidence import (
    EXPLANATIONS,
    RecordedFinding,
    accept_finding,
    alteration_label,
    find_by_name,
    segments_older_than,
)
from controller.journal.evidence.audit_report import Period, build_audit_report
from controller.journal.journal import Journal
from controller.journal.records import (
    Entry,
    JournalBusy,
    JournalError,
    JournalIncomplete,
    JournalWriteFailed,
    Record,
    encode_entries,
    with_proof,
)
from controller.journal.replication import (
    JournalFollower,
    SegmentRows,
    Stretch,
    StretchError,
    StretchProblem,
    follow_text,
    rebuild_journal,
)
from controller.journal.salvage import (
    MAX_QUARANTINE_BYTES,
    SalvageResult,
    find_proven_records,
    finish_replacement,
    is_journal_file,
    open_salvaged_in_memory,
    replace_journal,
    salvage_journal,
    trim_quarantine,
)
from controller.journal.segment import Segment
from controller.journal.segment_header import (
    LayoutInForce,
    SegmentHeader,
    boot_id,
    is_from_current_run,
    new_header,
    program_version,
)
from controller.journal.sqlite_file import FileChange, follow_link, journal_exists
from controller.journal.text_export import export_jsonl, show_text
from controller.journal.value_diff import first_difference

__all__ = [
    "DEFAULT_ARCHIVE_BYTES",
    "EXPLANATIONS",
    "MAX_QUARANTINE_BYTES",
    "AuditReport",
    "DiskTimeoutError",
    "DiskWorker",
    "Entry",
    "FileChange",
    "Finding",
    "Journal",
    "JournalBusy",
    "JournalError",
    "JournalFollower",
    "JournalIncomplete",
    "JournalWriteFailed",
    "LayoutInForce",
    "Period",
    "Record",
    "RecordedFinding",
    "SalvageResult",
    "Segment",
    "SegmentHeader",
    "SegmentRows",
    "Stretch",
    "StretchError",
    "StretchProblem",
    "accept_finding",
    "alteration_label",
    "archive_folder",
    "audit_closed_segment",
    "audit_journal",
    "boot_id",
    "build_audit_report",
    "build_id",
    "copy_running_segment",
    "encode_entries",
    "export_jsonl",
    "files_before",
    "find_by_name",
    "find_proven_records",
    "finish_replacement",
    "first_difference",
    "follow_link",
    "follow_text",
    "import_segments",
    "is_closed",
    "is_from_current_run",
    "is_journal_file",
    "iter_segments",
    "journal_exists",
    "new_header",
    "open_previous_segment",
    "open_salvaged_in_memory",
    "program_version",
    "rebuild_journal",
    "replace_journal",
    "salvage_journal",
    "segment_paths_of_copy",
    "segments_older_than",
    "show_text",
    "snapshot",
    "trim_archive",
    "trim_quarantine",
    "verify",
    "with_proof",
]
