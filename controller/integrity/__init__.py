"""Proofs that a journal is unaltered: signatures by the key of the table, and high-water marks.

The hashes in a journal show that its records fit together. Hashes alone prove little, because anybody who can write the
files can compute new ones. The table therefore signs the head of its journal, which is the last record with its hash,
at each commit. It also notes the head in mark files outside the journal. `JournalGuard` signs and notes the head.
`controller.journal.audit_journal` compares a journal with its signatures and marks, and reports the alterations.

Make a key, sign a head and check the signature:

    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from controller.integrity import ChainHead, create_key_file, is_signed_by, read_key
    >>> with TemporaryDirectory() as folder:
    ...     public_key = create_key_file(Path(folder) / "table.key")
    ...     key = read_key(Path(folder) / "table.key")
    >>> head = ChainHead("0123abcd", segment=1, number=20, hash=bytes(16))
    >>> signature = key.sign(head)
    >>> is_signed_by(public_key, head, signature)
    True
    >>> is_signed_by(public_key, head._replace(number=19), signature)
    False
"""

from controller.integrity.high_water import (
    ExternalMarkFile,
    HighWaterMark,
    MarkFile,
    head_log_path,
    open_without_links,
    read_mark,
)
from controller.integrity.journal_signer import NO_GUARD, JournalGuard, local_mark_path, make_guard
from controller.integrity.sent_heads import HeadSender, SentHead, check_head_target, read_sent_heads
from controller.integrity.signatures import (
    PUBLIC_KEY_SUFFIX,
    ChainHead,
    IntegrityFileError,
    TableKey,
    challenge_context_at,
    create_key_file,
    is_file_signed_by,
    is_signed_by,
    read_key,
    read_public_key,
)

__all__ = [
    "NO_GUARD",
    "PUBLIC_KEY_SUFFIX",
    "ChainHead",
    "ExternalMarkFile",
    "HeadSender",
    "HighWaterMark",
    "IntegrityFileError",
    "JournalGuard",
    "MarkFile",
    "SentHead",
    "TableKey",
    "challenge_context_at",
    "check_head_target",
    "create_key_file",
    "head_log_path",
    "is_file_signed_by",
    "is_signed_by",
    "local_mark_path",
    "make_guard",
    "open_without_links",
    "read_key",
    "read_mark",
    "read_public_key",
    "read_sent_heads",
]
