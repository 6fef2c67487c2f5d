"""Check the form of the glossary.

Its tables must be alphabetical. Each term must have one short sentence, and each poker term a source.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parent.parent
GLOSSARY = ROOT / "controller" / "GLOSSARY.md"
MAX_WORDS = 25
POKER_AREAS = ("Betting", "Table and house")
"""Sections of the glossary in which each term needs a source."""
SOURCE = re.compile(r"(?:House|BP|RR \d+(?:\.\d+)?|TDA (?:\d+(?:-[A-Z])?|RP(?:-\d+)?))")


class Entry(NamedTuple):
    """One row in a table of the glossary."""

    area: str
    term: str
    meaning: str
    source: str


def entries(text: str) -> list[Entry]:
    """Return the rows of a glossary in their order."""
    rows, area = [], ""
    for line in text.splitlines():
        if line.startswith("## "):
            area = line.removeprefix("## ")
        elif line.startswith("| ") and not line.startswith(("| term |", "| --- |")):
            cells = [cell.strip() for cell in line.strip("|").split("|")]
            rows.append(Entry(area, cells[0], cells[1], cells[2] if len(cells) > 2 else ""))
    return rows


def problems(rows: list[Entry]) -> list[str]:
    """Return one line for each error in the rows of a glossary."""
    messages = []
    for before, entry in pairwise(rows):
        if before.area == entry.area and before.term.casefold() >= entry.term.casefold():
            messages.append(f"{entry.term}: expected before {before.term}")
    messages += [
        f"{term}: defined {count} times" for term, count in Counter(row.term for row in rows).items() if count > 1
    ]
    for entry in rows:
        if len(entry.meaning.split()) > MAX_WORDS:
            messages.append(f"{entry.term}: {len(entry.meaning.split())} words, expected at most {MAX_WORDS}")
        if not re.fullmatch(r"[A-Z][^.!?]*(?:\w\.\w[^.!?]*)*\.", entry.meaning):
            messages.append(
                f"{entry.term}: expected one sentence that starts with a capital letter and ends with a period"
            )
        sources = entry.source.split(", ") if entry.source else []
        if entry.area in POKER_AREAS and not (sources and all(map(SOURCE.fullmatch, sources))):
            messages.append(f"{entry.term}: expected a source such as RR 3.6 or TDA 47, got {entry.source!r}")
    return messages


def test_glossary_is_in_order_and_every_term_has_one_short_sentence() -> None:
    rows = entries(GLOSSARY.read_text(encoding="utf-8"))
    assert len(rows) > 100
    assert problems(rows) == []


@pytest.mark.parametrize("document", ["README.md", "CONTRIBUTING.md"])
def test_document_links_to_the_glossary(document: str) -> None:
    assert "](controller/GLOSSARY.md)" in (ROOT / document).read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ("## A\n| b | A b. |\n| c | A c. |", []),
        ("## A\n| c | A c. |\n| b | A b. |", ["b: expected before c"]),
        ("## A\n| b | A b. |\n## B\n| b | A b. |", ["b: defined 2 times"]),
        (f"## A\n| b | A{' b' * 25}. |", ["b: 26 words, expected at most 25"]),
        ("## A\n| b | A b. It is c. |", ["b: expected one sentence"]),
        ("## A\n| b | a b |", ["b: expected one sentence"]),
        ("## Betting\n| b | A b. | |", ["b: expected a source"]),
        ("## Betting\n| b | A b. | RR 3.6, TDA 47 |", []),
    ],
)
def test_wrong_entries_are_found(rows: str, expected: list[str]) -> None:
    assert [problem[: len(start)] for problem, start in zip(problems(entries(rows)), expected, strict=True)] == expected
