"""What goes wrong at an emulated reader: faults of inventories, and times in which it hears nothing."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

MAX_INJECTED: Final = 1_000
"""Faults that may wait for their inventories: more is a caller that never reads."""

FaultKind: TypeAlias = Literal["rf-error", "rf-warning", "corrupt", "late", "silence", "reset"]


@dataclass(frozen=True, slots=True)
class Fault:
    """What goes wrong with one inventory.

    `rf-error` and `rf-warning` are answered as such, `corrupt` flips one bit of the answer (`value` counts
    it, modulo the answer's length), `late` holds the answer, and all behind it, back by `value`
    microseconds, `silence` drops it, `reset` starts the reader anew in the middle.
    """

    kind: FaultKind
    value: int = 0


class Faulty:
    """A reader that goes wrong as it is told. `fault` is asked at each inventory, by antenna and time; faults given to
    `inject` come first."""

    def __init__(self, fault: Callable[[int, int], Fault | None] | None) -> None:
        self._fault = fault
        self._injected: deque[Fault] = deque()
        self._deaf_until_us = 0

    def inject(self, fault: Fault, count: int = 1) -> None:
        """The next `count` inventories go wrong so. Raises ValueError beyond MAX_INJECTED waiting faults."""
        if len(self._injected) + count > MAX_INJECTED:
            raise ValueError(f"{len(self._injected) + count} faults wait: at most {MAX_INJECTED} expected")
        self._injected.extend([fault] * count)

    def silence(self, until_us: int) -> None:
        """Hears and says nothing until then."""
        self._deaf_until_us = max(self._deaf_until_us, until_us)

    def _next_fault(self, antenna: int, now_us: int) -> Fault | None:
        """What goes wrong with the inventory that begins now."""
        if self._injected:
            return self._injected.popleft()
        return self._fault(antenna, now_us) if self._fault is not None else None
