"""The changes of the derived rows of a table since its last commit."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from controller.derived.rows import CallRow, DerivedHand, FillRow, HandPlace, HoleRow, PushRow

RecordKey: TypeAlias = tuple[str, int, int]
"""Journal, segment and number of a record."""


class DeriveProblem(NamedTuple):
    """Records from which nothing can be derived. This is an alert of the room."""

    journal: str
    segment: int
    number: int
    message: str


@dataclass
class Changes:
    """Rows to write and to delete. Rows are deleted before others are written."""

    hands: dict[HandPlace, DerivedHand] = field(default_factory=dict)
    no_hands_after: HandPlace | None = None
    """Hands after this one do not exist, because they were undone or the table continues without them."""
    pushes: dict[tuple[int, int], PushRow] = field(default_factory=dict)
    no_pushes_after: tuple[int, int] | None = None
    calls: dict[RecordKey, CallRow] = field(default_factory=dict)
    fills: dict[RecordKey, FillRow | None] = field(default_factory=dict)
    """Fills and credits, or None for one that was undone."""
    holes: dict[RecordKey, HoleRow] = field(default_factory=dict)
    problems: list[DeriveProblem] = field(default_factory=list)

    def drop_hands_after(self, place: HandPlace) -> None:
        """Delete all hands after this one."""
        self.hands = {other: hand for other, hand in self.hands.items() if other <= place}
        self.no_hands_after = min(place, self.no_hands_after or place)

    def drop_pushes_after(self, place: tuple[int, int]) -> None:
        """Delete all dealers after this one."""
        self.pushes = {other: push for other, push in self.pushes.items() if other <= place}
        self.no_pushes_after = min(place, self.no_pushes_after or place)
