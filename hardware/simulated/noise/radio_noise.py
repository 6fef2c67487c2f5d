"""Noise of tags and antennas: which chips answer, and which inventories fail.

- A sticky tag has its own miss rate until its chip is taken away.
- The lower half of a stack may stay silent until the stack is taken away.
- A dead tag never answers.
- A tag is not heard while another tag drowns it out in the same slot (capture effect). Such a tag answers in `field`,
  and the emulated reader leaves it out (`captured_tags`).

All other noise is decided at random for each reading. Source: readers.md, 1.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Final

from firmware_bridge.emulators.fault_injection import Fault
from hardware.chip_set import UID_DIGITS
from hardware.simulated.noise.random_streams import RandomStreams
from hardware.simulated.noise.rates import USUAL_NOISE, NoiseRates
from hardware.spots import SPOTS, seat_of_spot

MAX_EASY_DEPTH: Final = 12
"""Maximum depth in a stack at which a chip answers as well as a single chip. The topmost chip has depth 1."""
STEEP_DEPTH: Final = 20
"""Depth in a stack below which the miss rate increases steeply."""
STEEP_MISS_FACTOR: Final = 5
"""Slope of the miss rate below `STEEP_DEPTH`, as a multiple of its slope between `MAX_EASY_DEPTH` and `STEEP_DEPTH`."""
MIN_HALF_MISSING_CHIPS: Final = 8
"""Minimum number of chips in a stack for the fault that the lower half of the stack does not answer."""
HAND_DURATION_S: Final = (0.2, 2.0)
"""Shortest and longest time for which a person's hand or a phone is over an antenna."""
LATE_ANSWER_DELAY_US: Final = (20_000, 400_000)
"""Shortest and longest delay of a late answer."""
GHOST_READ_COUNT: Final = (1, 2)
"""Smallest and largest number of readings in which a chip that was taken away still answers."""

DEAD_HEIGHTS: Final = (2, 12)
"""Smallest and largest number of chips in a stack that detunes an antenna. An estimate."""
ISO15693_UID_DIGITS: Final = UID_DIGITS["iso15693"]
"""Number of hex digits in the UID of an ISO 15693 tag. Tags of mode 3 choose their slots at random in each round."""

BURST_PERIOD_US: Final = 20_000_000
"""Time from the start of one burst of interference to the start of the next. An estimate."""
BURST_DURATION_US: Final = 3_000_000
"""Time for which a burst of interference lasts. An estimate."""


_SPOTS: Final = frozenset(SPOTS)


class _SpotNoise:
    """Noise of a spot that lasts for more than one reading."""

    __slots__ = ("chips", "ghosts", "half_missing", "hand_until_us", "on_spot", "sticky_rates")

    def __init__(self) -> None:
        self.on_spot: Sequence[str] = ()
        self.sticky_rates: dict[str, float | None] = {}
        """Own miss rate of each chip on the spot, by UID. The rate is None for a chip with the usual rate."""
        self.chips: list[tuple[str, float]] = []
        """Chips that can answer, with their miss rates."""
        self.half_missing: bool | None = None
        """Whether the lower half of the stack does not answer, or None while the stack has too few chips."""
        self.ghosts: dict[str, int] = {}
        self.hand_until_us = -1


class RadioNoise:
    """Noise of the antennas of a table. The same seed and the same readings give the same answers."""

    def __init__(self, rates: NoiseRates = USUAL_NOISE, seed: int = 0) -> None:
        self.rates = rates
        self._random = RandomStreams(rates, seed)
        self._miss_draw = self._random.stream("miss_read").random
        self._crosstalk_draw = self._random.stream("crosstalk_read").random
        self._spots: dict[str, _SpotNoise] = {}
        self._dead: dict[str, bool] = {}

    def is_dead(self, uid: str) -> bool:
        """Return True if this tag never answers. The result is the same wherever the chip is."""
        known = self._dead.get(uid)
        if known is None:
            known = self._dead[uid] = self._random.affects_tag("dead", uid)
        return known

    def has_short_response(self, reader: str) -> bool:
        """Return True if this reader ends an inventory too early."""
        return self._random.affects_tag("short_response", reader)

    def has_stuck_sensor(self, spot: str) -> bool:
        """Return True if the presence sensor of this spot never changes."""
        return self._random.affects_tag("presence_stuck", spot)

    def field(
        self, spot: str, on_spot: Sequence[str], neighbours: Mapping[str, Sequence[str]], now_us: int
    ) -> list[str]:
        """Return the UIDs that answer at this spot now. See `world.FieldNoiseSource`."""
        state = self._spots.get(spot) or self._create_state(spot)
        if on_spot is not state.on_spot:
            if on_spot != state.on_spot:
                self._draw_lasting_noise(state, on_spot, seat_of_spot(spot) is not None)
            state.on_spot = on_spot
        miss_draw = self._miss_draw
        answering = [uid for uid, miss in state.chips if not miss or miss_draw() >= miss]
        if self.rates.dead_height and len(on_spot) == self._dead_height(spot):
            answering = []
        if self.rates.burst_read and now_us % BURST_PERIOD_US < BURST_DURATION_US:
            answering = [uid for uid in answering if not self._random.happens("burst_read")]
        if self.rates.random_uid and seat_of_spot(spot) and self._random.affects_tag("random_uid", spot):
            answering.append(f"08{self._random.stream('random_uid').getrandbits(24):06X}000000")
        if state.ghosts:
            answering += self._answering_ghosts(state, answering)
        if neighbours and (self.rates.crosstalk_read or self.rates.edge_read):
            answering += self._crosstalk(neighbours, answering)
        return answering

    def captured_tags(self, spot: str, quiet: Collection[str]) -> frozenset[str]:
        """Return the tags on the spot that a lower tag in the same slot drowns out, unless that tag is quiet.

        The result for a pair of tags never changes. Call `field` first, which records the tags on the spot.
        """
        state = self._spots.get(spot)
        if not self.rates.capture or state is None:
            return frozenset()
        loud = [uid for uid in state.on_spot if uid not in quiet]
        return frozenset(
            upper
            for position, upper in enumerate(loud)
            if len(upper) == ISO15693_UID_DIGITS
            and any(
                lower[-1] == upper[-1] and self._random.affects_tag("capture", f"{lower} {upper}")
                for lower in loud[:position]
            )
        )

    def fault(self, reader: str, spot: str, now_us: int) -> Fault | None:
        """Return the fault if this whole inventory fails, or None if it succeeds."""
        state, random = self._spots.get(spot) or self._create_state(spot), self._random
        if now_us < state.hand_until_us:
            return Fault("rf-error")
        if random.happens("hand_read"):
            state.hand_until_us = now_us + random.duration_us("hand_read", HAND_DURATION_S)
            return Fault("rf-error")
        if random.happens("field_lost_read"):
            return Fault("rf-error" if random.stream("field_lost_read").random() < 0.5 else "rf-warning")
        if random.happens("corrupt_read"):
            return Fault("corrupt", random.stream("corrupt_read").randrange(1 << 16))
        if random.happens("late_read"):
            return Fault("late", random.stream("late_read").randint(*LATE_ANSWER_DELAY_US))
        if random.happens("silent_read"):
            return Fault("silence")
        if random.happens("reset_read"):
            return Fault("reset")
        return None

    def _create_state(self, spot: str) -> _SpotNoise:
        state = self._spots[spot] = _SpotNoise()
        return state

    def _draw_lasting_noise(self, state: _SpotNoise, on_spot: Sequence[str], stacked: bool) -> None:
        """Choose at random the noise of this spot that lasts for more than one reading.

        - A new chip may get a miss rate of its own.
        - The lower half of a stack may stop answering.
        - A chip that was taken away may become a ghost, which still answers in a few readings.

        `stacked` is False for a heap (pot, tray or count pad). The depth of a chip in a heap does not matter.
        """
        present, random = set(on_spot), self._random
        for uid in [uid for uid in state.sticky_rates if uid not in present]:
            del state.sticky_rates[uid]
            if random.happens("ghost") and not self.is_dead(uid):
                state.ghosts[uid] = random.stream("ghost").randint(*GHOST_READ_COUNT)
        for uid in on_spot:
            if uid not in state.sticky_rates:
                state.sticky_rates[uid] = random.stream("sticky").random() if random.happens("sticky") else None
        if len(on_spot) < MIN_HALF_MISSING_CHIPS or not stacked:
            state.half_missing = None
        elif state.half_missing is None:
            state.half_missing = random.happens("half_missing")
        hidden = len(on_spot) // 2 if state.half_missing else 0
        state.chips = [
            (uid, self._miss_rate(state.sticky_rates[uid], len(on_spot) - position if stacked else 1))
            for position, uid in enumerate(on_spot)
            if position >= hidden and not self.is_dead(uid)
        ]

    def _dead_height(self, spot: str) -> int:
        """Return the number of chips at which a stack on this bet spot detunes the antenna, or 0 if none does."""
        if seat_of_spot(spot) is None or not self._random.affects_tag("dead_height", spot):
            return 0
        return self._random.stream_of_tag("dead_height", f"height of {spot}").randint(*DEAD_HEIGHTS)

    def _miss_rate(self, sticky_rate: float | None, depth: int) -> float:
        """Return the miss rate of a chip at this depth. The topmost chip of a stack has depth 1."""
        miss = self.rates.miss_read if sticky_rate is None else sticky_rate
        if self.rates.height_read and depth > MAX_EASY_DEPTH:
            steep = max(0, depth - STEEP_DEPTH)
            miss += self.rates.height_read * (depth - MAX_EASY_DEPTH + (STEEP_MISS_FACTOR - 1) * steep)
        return min(miss, 1.0)

    def _answering_ghosts(self, state: _SpotNoise, answering: list[str]) -> list[str]:
        ghosts = [uid for uid in state.ghosts if uid not in answering]
        state.ghosts = {uid: left - 1 for uid, left in state.ghosts.items() if left > 1}
        return ghosts

    def _crosstalk(self, neighbours: Mapping[str, Sequence[str]], answering: list[str]) -> list[str]:
        rate, crosstalk_draw = self.rates.crosstalk_read, self._crosstalk_draw
        neighbour_tags = [
            uid
            for place, on_spot in neighbours.items()
            for uid in on_spot
            if (crosstalk_draw() < rate if place in _SPOTS else self._random.happens("edge_read"))
        ]
        return [uid for uid in neighbour_tags if uid not in answering and not self.is_dead(uid)]
