"""Rates of the errors of people, tags and readers at a simulated table, and named sets of these rates.

hardware/README.md gives the reasons for the rates. Source: readers.md, 1.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Final


@dataclass(frozen=True, slots=True, kw_only=True)
class NoiseRates:
    """Probability of each error, from 0 to 1.

    - Rates named `…_read` apply to each reading.
    - The other rates before `splash` apply to each chip or stack that is put down, except `dead`, which applies to each
      tag.
    - `splash` and the rates after it apply to each wager, unless the text of the rate names another event. These rates
      need `HumanActions`.
    """

    miss_read: float = 0.0
    """Probability that a chip does not answer."""
    sticky: float = 0.0
    """Probability that a chip has its own miss rate while it is on the spot. That miss rate is a random number from 0
    to 1."""
    height_read: float = 0.0
    """Probability that the 13th chip from the top of a stack does not answer. Each further chip down to the 20th adds
    this rate once more. Each chip below the 20th adds this rate five times. Example: the 14th chip has twice the
    rate."""
    half_missing: float = 0.0
    """Probability that the lower half of a stack of eight or more chips does not answer in any reading."""
    dead: float = 0.0
    """Probability that a tag never answers, wherever it is."""
    capture: float = 0.0
    """Probability, per pair of tags in the same slot, that the tag higher in the stack is never heard beside the other.
    """
    short_response: float = 0.0
    """Probability, per reader, that its response time is only 100 ms, so that it misses chips of tall stacks."""
    dead_height: float = 0.0
    """Probability, per antenna, that no chip of a stack of one certain height answers."""
    burst_read: float = 0.0
    """Probability that a chip does not answer during a burst. A burst disturbs all antennas for 3 s every 20 s."""
    random_uid: float = 0.0
    """Probability, per bet spot, that a phone beside it answers in every reading, each time with a new random UID."""
    presence_stuck: float = 0.0
    """Probability, per presence sensor, that it never changes. A table has presence sensors only if one of the rates
    named `presence_…` is above 0."""
    presence_missing: float = 0.0
    """Probability that a presence sensor does not notice a change of its spot."""
    presence_false: float = 0.0
    """Probability, per minute, that a presence sensor changes although nothing moves."""
    ghost: float = 0.0
    """Probability that a chip that was taken away answers in one or two more readings."""
    crosstalk_read: float = 0.0
    """Probability that a chip on a neighbour spot answers at this spot."""
    edge_read: float = 0.0
    """Probability that a chip of a player's stack answers, if the stack is at the edge of the antenna's reach."""
    hand_read: float = 0.0
    """Probability that a person's hand is over the antenna, so that all readings fail for 0.2 to 2 s."""
    field_lost_read: float = 0.0
    """Probability that the reader reports status 83 or 84, which are errors of the radio field."""
    corrupt_read: float = 0.0
    """Probability that a bit of the answer is flipped."""
    late_read: float = 0.0
    """Probability that the answer arrives 20 to 400 ms late."""
    silent_read: float = 0.0
    """Probability that the answer does not arrive."""
    reset_read: float = 0.0
    """Probability that the reader restarts in the middle of an inventory."""

    splash: float = 0.0
    """Probability that some of the chips land on a neighbour's spot, and the dealer moves them to the right spot."""
    cut_out: float = 0.0
    """Probability that the player puts in more chips than the wager, and takes back the surplus after 1 to 5 s."""
    two_motions: float = 0.0
    """Probability that the player puts in the chips with two motions within a second."""
    change: float = 0.0
    """Probability that after some seconds a chip of the wager is changed for smaller chips of a neighbour's bet."""
    change_house: float = 0.0
    """Probability that after some seconds the dealer changes a chip of the wager for smaller chips."""
    beside: float = 0.0
    """Probability that some or all of the chips land next to the spot, so that no antenna reads them."""
    between: float = 0.0
    """Probability that a chip is between two spots, so that the neighbour's antenna reads the chip too."""
    own_stack: float = 0.0
    """Probability that some chips of the player's stack slide onto the spot and rest there for some seconds."""
    metal: float = 0.0
    """Probability that a glass or a metal object is on the spot, so that readings succeed but find no tags."""
    hand: float = 0.0
    """Probability that a person's hand is over the antenna for 0.2 to 2 s. Either all readings fail, or some of the
    chips are hidden."""
    phone: float = 0.0
    """Probability that a phone is on the spot, so that all readings fail for 0.2 to 2 s."""
    key: float = 0.0
    """Probability that a hotel key is on the spot for some seconds."""
    foreign: float = 0.0
    """Probability that a chip of another house is on the spot for some seconds."""
    copied: float = 0.0
    """Probability that one of the chips has a tag that answers with the UID of another chip in play."""
    protector: float = 0.0
    """Probability, per seat, that a chip or a token with a tag protects the cards on the spot. The protector stays
    until the player folds or the hand ends."""
    edge_stack: float = 0.0
    """Probability, per seat, that the player keeps the stack at the edge of the antenna's reach."""
    touch_check: float = 0.0
    """Probability, per check, that the player touches the spot or leans over it, so that readings fail or chips are
    hidden for 0.2 to 2 s."""
    cable: float = 0.0
    """Probability, per hand, that the cable of a reader is unplugged for 2 to 10 s."""
    over_spot: float = 0.0
    """Probability, per award, that the pot is pushed over the winner's spot."""
    last_pot: float = 0.0
    """Probability, per award, that the pot rests on the winner's spot for more than 5 s."""
    dragged: float = 0.0
    """Probability, per swept spot, that the dealer drags the chips over a neighbour's spot to the pot."""
    tip: float = 0.0
    """Probability, per award, that the winner puts a chip down as a tip, and the dealer takes it."""

    @property
    def has_presence_faults(self) -> bool:
        """Return True if presence sensors fail, so that the table must have presence sensors."""
        return max(self.presence_stuck, self.presence_missing, self.presence_false) > 0

    def __post_init__(self) -> None:
        for item in fields(self):
            value = getattr(self, item.name)
            if not 0 <= value <= 1:
                raise ValueError(f"noise rate {item.name} = {value!r}: expected 0 to 1")


NO_NOISE: Final = NoiseRates()
"""No noise: every tag answers, and people make no errors."""
USUAL_NOISE: Final = NoiseRates(
    miss_read=0.02,
    ghost=0.02,
    crosstalk_read=0.002,
    field_lost_read=0.002,
    corrupt_read=0.002,
    late_read=0.001,
)
"""Noise of readers and tags in good order. With this noise, every settled stack must have the correct amount."""
STICKY_TAG_NOISE: Final = replace(USUAL_NOISE, miss_read=0.005, sticky=0.01)
"""Usual noise with a lower miss rate, except for one chip in a hundred, which has its own miss rate."""
FULL_NOISE: Final = replace(
    USUAL_NOISE,
    miss_read=0.005,
    sticky=0.03,
    height_read=0.01,
    half_missing=0.002,
    dead=1 / 2_000,
    silent_read=0.0005,
    reset_read=0.0001,
    splash=0.003,
    cut_out=0.015,
    two_motions=0.05,
    change=0.003,
    change_house=0.003,
    beside=0.003,
    between=0.003,
    own_stack=0.002,
    metal=0.002,
    hand=0.03,
    phone=0.001,
    key=0.001,
    foreign=0.001,
    copied=0.0002,
    protector=0.1,
    cable=1 / 200,
    over_spot=0.3,
    last_pot=0.05,
    dragged=0.05,
    tip=0.005,
)
"""Noise of a session at a real table, with all disturbances."""

SINGLE_CAUSE_NOISE: Final[Mapping[str, NoiseRates]] = {
    "edge": replace(USUAL_NOISE, edge_stack=0.3, edge_read=0.02),
    "capture": replace(USUAL_NOISE, capture=0.1),
    "dragged": replace(USUAL_NOISE, dragged=0.3),
    "touch-check": replace(USUAL_NOISE, touch_check=0.3),
    "burst": replace(USUAL_NOISE, burst_read=0.5),
    "random-uid": replace(USUAL_NOISE, random_uid=0.2),
    "short-response": replace(USUAL_NOISE, short_response=1.0),
    "dead-height": replace(USUAL_NOISE, dead_height=1.0),
    "presence": replace(USUAL_NOISE, presence_stuck=0.1, presence_missing=0.1, presence_false=1.0),
}
"""Usual noise with one more cause, by the name of the cause. The rates of these causes are estimates."""
