"""Findings of an audit: the ways in which somebody can alter a journal, each with one line for people."""

from __future__ import annotations

from pathlib import Path
from typing import Final, Literal, NamedTuple, TypeAlias

from controller.journal.evidence import EXPLANATIONS, Explanation, alteration_label
from controller.steps import kind_of_alteration

AlterationKind: TypeAlias = Literal[
    "changed",
    "exchanged",
    "removed",
    "inserted",
    "remade",
    "unsigned",
    "cut",
    "older-copy",
    "wal-removed",
    "deleted",
    "replaced",
    "badge-forged",
    "mark-damaged",
]
"""Ways in which a journal can differ from the journal that the table wrote. `changed` includes damage by a bad disk."""

EXPECTED_RECORDS: Final = "expected the records as the table wrote them"
"""End of the line of a finding."""


class Finding(NamedTuple):
    """One alteration of a journal: its name, and one line that says where and how the journal was altered."""

    kind: AlterationKind
    line: str

    @property
    def explanation(self) -> Explanation:
        """What the alteration means, and what people must do."""
        return EXPLANATIONS[kind_of_alteration(self.kind)]


def make_finding(kind: AlterationKind, path: Path, problem: str) -> Finding:
    """Return a finding about the journal file `path`, with its line for people."""
    return Finding(kind, f"journal {path}: {alteration_label(kind)}: {problem}, {EXPECTED_RECORDS}")
