"""Faults of an emulated reader, such as inventories that fail and times in which the reader ignores requests."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

MAX_INJECTED_FAULTS: Final = 1_000
"""Maximum number of injected faults that wait for an inventory. Each inventory uses up one fault, so more waiting
faults mean that the caller never reads an antenna."""

FaultKind: TypeAlias = Literal["rf-error", "rf-warning", "corrupt", "late", "silence", "reset"]


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault that an emulated reader simulates in one inventory.

    - `rf-error` and `rf-warning`: the reader answers with the RF status of this name.
    - `corrupt`: bit number `value` of the answer is flipped, counted modulo the number of bits.
    - `late`: the answer and all later answers are delayed by `value` µs.
    - `silence`: the reader does not answer.
    - `reset`: the reader restarts during the inventory.
    """

    kind: FaultKind
    value: int = 0


class FaultInjector:
    """Base class of emulated readers that decides which inventories fail.

    Faults that were passed to `inject` are used first, in the order of the calls. Otherwise `fault` is called with
    antenna and time, and returns the fault of this inventory or None.
    """

    def __init__(self, fault: Callable[[int, int], Fault | None] | None) -> None:
        self._fault = fault
        self._injected: deque[Fault] = deque()
        self._deaf_until_us = 0

    def inject(self, fault: Fault, count: int = 1) -> None:
        """Make the next `count` inventories fail with this fault.

        Raises ValueError if more than `MAX_INJECTED_FAULTS` injected faults would be waiting.
        """
        if len(self._injected) + count > MAX_INJECTED_FAULTS:
            raise ValueError(f"{len(self._injected) + count} faults: expected at most {MAX_INJECTED_FAULTS}")
        self._injected.extend([fault] * count)

    def silence(self, until_us: int) -> None:
        """Ignore all requests and send nothing until this time."""
        self._deaf_until_us = max(self._deaf_until_us, until_us)

    def _next_fault(self, antenna: int, now_us: int) -> Fault | None:
        """Return the fault of the inventory that begins now, or None."""
        if self._injected:
            return self._injected.popleft()
        return self._fault(antenna, now_us) if self._fault is not None else None

    def reset(self, now_us: int) -> None:
        """Restart the reader. Each emulator implements this."""
        raise NotImplementedError

    def _deliver(self, answer: bytes, ready_us: int) -> list[tuple[int, bytes]]:
        """Return the bytes of an answer that is ready at this time, and when they have been sent."""
        raise NotImplementedError

    def _apply_fault(self, fault: Fault, answer: bytes, ready_us: int) -> list[tuple[int, bytes]]:
        """Return what the reader sends instead of this answer, with the times."""
        if fault.kind == "late":
            return self._deliver(answer, ready_us + fault.value)
        if fault.kind == "reset":
            self.reset(ready_us)
            return []
        ((sent_us, data),) = self._deliver(answer, ready_us)
        if fault.kind == "silence":
            return []
        corrupted = bytearray(data)
        bit = fault.value % (8 * len(data))
        corrupted[bit // 8] ^= 1 << bit % 8
        return [(sent_us, bytes(corrupted))]
