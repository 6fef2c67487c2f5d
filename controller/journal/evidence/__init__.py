"""Evidence in a journal and its archive that outlasts the segments and the alerts.

`audit_exports` reads the exports of deleted segments and follows their chain of hashes. `find_recorded_findings`
returns the records about lost or altered records, which `verify` lists until an auditor accepts them.
"""

from controller.journal.evidence.explanations import EXPLANATIONS, Explanation, alteration_label
from controller.journal.evidence.exports import (
    ExportReport,
    audit_exports,
    find_hashes,
    iter_export_lines,
    read_export,
)
from controller.journal.evidence.record_ages import segments_older_than
from controller.journal.evidence.recorded_findings import (
    RecordedFinding,
    accept_finding,
    find_by_name,
    find_recorded_findings,
)
from controller.journal.evidence.sent_heads import HeadProblem, compare_with_heads

__all__ = [
    "EXPLANATIONS",
    "Explanation",
    "ExportReport",
    "HeadProblem",
    "RecordedFinding",
    "accept_finding",
    "alteration_label",
    "audit_exports",
    "compare_with_heads",
    "find_by_name",
    "find_hashes",
    "find_recorded_findings",
    "iter_export_lines",
    "read_export",
    "segments_older_than",
]
