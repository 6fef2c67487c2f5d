"""Remove keys, names of people and UIDs of badges from text that leaves the house."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

from controller.journal import JournalError, iter_segments
from controller.steps import personal_name
from hardware.badges import BadgeError, load_badge_list

MAX_FILE_BYTES: Final = 5_000_000
"""Maximum size in bytes of a configuration file that is searched for names."""
MAX_SEGMENTS: Final = 20
"""Number of the newest segments that are searched for names, which is about a thousand hands."""
MIN_NAME_CHARS: Final = 2
"""Minimum length of a name that is removed. A single letter is no name of a person, and is part of many lines."""
_LONG_HEX: Final = re.compile(r"(?<![0-9A-Fa-f])[0-9A-Fa-f]{32,}(?![0-9A-Fa-f])")
"""A key, a signature or a hash: at least 32 hex digits, which is the minimum length of a badge's key."""


class Redactor:
    """Replaces what must not leave the house: known names, UIDs of badges, and everything that looks like a key."""

    def __init__(self, names: Iterable[str], badge_uids: Iterable[str]) -> None:
        known = {name for name in names if len(name) >= MIN_NAME_CHARS}
        # Longer names first, so that no part of "Ann Lee" remains after "Ann" was replaced.
        alternatives = "|".join(re.escape(name) for name in sorted(known, key=len, reverse=True))
        self._names = re.compile(rf"(?<!\w)(?:{alternatives})(?!\w)", re.IGNORECASE) if known else None
        uids = "|".join(re.escape(uid) for uid in sorted(set(badge_uids), key=len, reverse=True) if uid)
        self._uids = re.compile(uids, re.IGNORECASE) if uids else None

    def redact(self, text: str) -> str:
        """Return the text without names, UIDs of badges and keys."""
        text = _LONG_HEX.sub("[key or hash]", text)
        if self._uids is not None:
            text = self._uids.sub("[badge]", text)
        return self._names.sub("[name]", text) if self._names is not None else text


def redactor_of(folder: Path, journal: Path) -> Redactor:
    """Return a redactor for everything that the files of this table name."""
    names, uids = set(_names_in_journal(journal)), set[str]()
    for path in folder.rglob("*.toml"):
        with suppress(BadgeError):
            for badge in load_badge_list(path).badges:
                names.add(badge.name)
                uids.add(badge.uid)
        names.update(_named_players(path))
    return Redactor(names, uids)


def _named_players(path: Path) -> Iterator[str]:
    """Yield the names of players in a configuration."""
    with suppress(OSError, ValueError, RecursionError):
        if path.stat().st_size <= MAX_FILE_BYTES:
            named = tomllib.loads(path.read_text()).get("names", {})
            yield from (name for name in named.values() if isinstance(name, str)) if isinstance(named, dict) else ()


def _names_in_journal(journal: Path) -> Iterator[str]:
    """Yield the names of players, dealers and badges in the newest segments of a journal."""
    with suppress(JournalError):
        count = sum(1 for _ in iter_segments(journal))
        for number, segment in enumerate(iter_segments(journal)):
            if number < count - MAX_SEGMENTS:
                continue
            for record in segment.records():
                step = record.entry().step
                if name := personal_name(step):
                    yield name
                if record.badge:
                    yield record.badge
                    yield record.badge.rpartition(" (")[0]
