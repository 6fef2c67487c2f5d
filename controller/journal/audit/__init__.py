"""The audit of a journal: find out whether anybody altered it, and how.

- `journal_audit.py` reads the journal, its signatures and high-water marks, and collects the findings of all parts.
- `bad_records.py` finds the first record that does not fit, and classifies the alteration.
- `badge_proofs.py` checks the badge of each decision.
- `stored_hashes.py` reads hashes of segments that may be altered.
- `findings.py` names the ways in which a journal can be altered.
"""

from controller.journal.audit.findings import Finding
from controller.journal.audit.journal_audit import AuditReport, audit_closed_segment, audit_journal

__all__ = ["AuditReport", "Finding", "audit_closed_segment", "audit_journal"]
