"""Take up new chips pile by pile, and write the next list of the house's chips.

Each pile is counted by a person and by the antenna. A pile is refused as a whole if the two numbers differ, or if one
of its tags is on the list or in an earlier pile already. Otherwise a chip could be worth two amounts, or a tag that
does not answer would stay unnoticed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, Final, Literal

import tomlkit

from hardware.chip_register import ChipList, parse_chip_list
from hardware.guided_setup.device_bench import Antenna, DeviceBench

PILE_READINGS: Final = 20
"""Number of readings of a pile."""
MIN_READINGS: Final = 2
"""Number of readings in which a tag must answer. A tag that was just taken away may answer once more."""


class PileProblem(str):
    """Why a pile is refused: a line in English, with the tag and the kind of the problem for other languages."""

    kind: Literal["listed", "twice", "count"]
    tag: str

    def __new__(cls, text: str, kind: Literal["listed", "twice", "count"], tag: str = "") -> PileProblem:
        """Return the line with its values."""
        problem = super().__new__(cls, text)
        problem.kind, problem.tag = kind, tag
        return problem


class Enrolment:
    """The chips of one denomination that are taken up for the next list."""

    def __init__(self, chip_list: ChipList, denomination: int) -> None:
        self._list = chip_list
        self._denomination = denomination
        self._pile_by_tag: dict[str, int] = {}
        """Number of the pile of each tag that was taken up."""
        self._pile_count = 0

    @property
    def tags(self) -> tuple[str, ...]:
        """Return the tags that were taken up, in order of the piles."""
        return tuple(self._pile_by_tag)

    def add_pile(self, tags: Sequence[str], count: int) -> tuple[PileProblem, ...]:
        """Take up a pile that a person has counted. Return the problems, or () if the pile was taken up."""
        problems = [
            PileProblem(text, "twice" if tag in self._pile_by_tag else "listed", tag)
            for tag in sorted(tags)
            if (text := self._problem_of(tag))
        ]
        if len(tags) != count:
            problems.append(PileProblem(f"{len(tags)} tags answer, but the pile has {count} chips", "count"))
        if not problems:
            self._pile_count += 1
            self._pile_by_tag.update(dict.fromkeys(sorted(tags), self._pile_count))
        return tuple(problems)

    def _problem_of(self, tag: str) -> str:
        """Return why a tag must not be taken up, or ""."""
        chip_list = self._list
        if tag in self._pile_by_tag:
            return f"{tag}: already in pile {self._pile_by_tag[tag]}"
        if tag in chip_list.revoked:
            return f"{tag}: revoked"
        if tag in chip_list.lammers:
            return f"{tag}: listed as lammer {chip_list.lammers[tag]}"
        if tag in chip_list.listed:
            return f"{tag}: already listed as {chip_list.listed[tag]}"
        for item in chip_list.ranges:
            if item.first <= tag <= item.last and len(tag) == len(item.first):
                return f"{tag}: already listed as {item.denomination}, by a range"
        if any(tag.startswith(prefix) for prefix in chip_list.ignored):
            return f"{tag}: listed as ignored"
        return ""

    def next_list(self, text: bytes, where: str) -> bytes:
        """Return the text of the next list, which the house has to sign. `text` is the old list without its signature.

        The comments of the old list stay. Raises RegisterError.
        """
        document = tomlkit.parse(text.decode())
        document["number"] = self._list.number + 1
        listed: Any = document.setdefault("listed", tomlkit.table())
        for tag in self.tags:
            listed[tag] = self._denomination
        new_text = tomlkit.dumps(document).encode()
        parse_chip_list(new_text, where)
        return new_text


def read_pile(bench: DeviceBench, antenna: Antenna) -> tuple[str, ...]:
    """Return the tags on a spot, after several readings."""
    counts: Counter[str] = Counter()
    for _ in range(PILE_READINGS):
        counts.update(bench.read(antenna).tags)
    return tuple(sorted(tag for tag, count in counts.items() if count >= MIN_READINGS))
