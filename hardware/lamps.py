"""Seat lamps: which lamps of which panel board shine for which seats."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from hardware.layout import SEAT_NAMES, Layout


class Lamps:
    """Turns seats into the lamp masks of the layout's panel boards, and back."""

    def __init__(self, layout: Layout) -> None:
        self._bits: dict[str, dict[int, int]] = {}
        for panel in layout.panels:
            seats = {number: SEAT_NAMES.index(name) + 1 for number, name in panel.lamps.items()}
            self._bits[panel.name] = seats

    def masks(self, seats: Collection[int]) -> dict[str, int]:
        """By board, the mask in which exactly the lamps of these seats are set; seats without a lamp are left
        out."""
        return {
            board: sum(1 << number for number, seat in lamps.items() if seat in seats)
            for board, lamps in self._bits.items()
        }

    def seats(self, masks: Mapping[str, int]) -> frozenset[int]:
        """The seats whose lamps shine by these masks; the reverse of `masks`."""
        return frozenset(
            seat
            for board, lamps in self._bits.items()
            for number, seat in lamps.items()
            if masks.get(board, 0) >> number & 1
        )
