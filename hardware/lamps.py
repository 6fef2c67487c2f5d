"""Seat lamps of the panel boards."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from hardware.layout import SEAT_NAMES, TableLayout


class LampMap:
    """Converts between seat numbers and the lamp masks of the panel boards in a layout."""

    def __init__(self, layout: TableLayout) -> None:
        self._bits: dict[str, dict[int, int]] = {}
        for panel in layout.panels:
            seats = {number: SEAT_NAMES.index(name) + 1 for number, name in panel.lamps.items()}
            self._bits[panel.name] = seats

    def masks(self, seats: Collection[int]) -> dict[str, int]:
        """Return the lamp mask of every panel board in which only the lamps of these seats are on.

        Seats without a lamp are ignored.
        """
        return {
            board: sum(1 << number for number, seat in lamps.items() if seat in seats)
            for board, lamps in self._bits.items()
        }

    def lit_seats(self, masks: Mapping[str, int]) -> frozenset[int]:
        """Return the seats whose lamps are on in these masks. This is the inverse of `masks`."""
        return frozenset(
            seat
            for board, lamps in self._bits.items()
            for number, seat in lamps.items()
            if masks.get(board, 0) >> number & 1
        )
