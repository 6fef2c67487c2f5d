"""A journal as text, for programs and for people."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from controller.journal.journal import Journal
from controller.journal.records import encode_json


def export(path: Path) -> Iterator[str]:
    """A journal as JSON lines: the opening, then each record. Raises JournalError at the first bad record."""
    journal = Journal.view(path)
    try:
        yield encode_json(journal.opening()).decode()
        for body, _ in journal.bodies():
            yield body.decode()
    finally:
        journal.close()


def show(path: Path) -> Iterator[str]:
    """A journal as text for people, times since the first record. Raises JournalError at the first bad record."""
    journal = Journal.view(path)
    try:
        opening = journal.opening()
        yield f"opened {opening.at}, configuration version {opening.version}, {len(opening.config)} characters"
        first: int | None = None
        for each in journal.records():
            first = each.at_us if first is None else first
            # A restart of the machine sets its clock back: the time then counts from there.
            first = min(first, each.at_us)
            seconds, us = divmod(each.at_us - first, 1_000_000)
            clock = f"{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}.{us // 1000:03}"
            badge = f"  [{each.badge}]" if each.badge else ""
            yield f"{each.number:7} {clock:>12}  {each.source:6}  {each.do}{badge}"
    finally:
        journal.close()
