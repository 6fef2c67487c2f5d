"""How often each thing goes wrong between a player's hand and an answer on the wire, and four tables of it.

Why the rates are as they are: hardware/README.md. Source: readers.md, 1."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Final


@dataclass(frozen=True, slots=True, kw_only=True)
class Rates:
    """Probabilities, 0 to 1: `…_read` at each reading; from `splash` on for each wager unless said, which take hands
    (`hands.py`) to happen; the others for each chip or stack that is put down."""

    miss_read: float = 0.0
    """A chip does not answer."""
    sticky: float = 0.0
    """A chip has a miss rate of its own, drawn evenly from 0 to 1, as long as it lies there."""
    height_read: float = 0.0
    """A chip does not answer, for each chip that it lies above the twelfth from the top of its stack; five times so
    much for each above the twentieth."""
    half_missing: float = 0.0
    """The lower half of a stack of eight or more is missing in every reading."""
    dead: float = 0.0
    """A tag never answers, wherever it lies."""
    ghost: float = 0.0
    """A chip that was taken away answers once or twice more."""
    crosstalk_read: float = 0.0
    """A chip of a neighbour spot answers here."""
    hand_read: float = 0.0
    """A hand is put over the antenna at any time: all readings fail for 0.2 to 2 seconds."""
    field_lost_read: float = 0.0
    """Status 83 or 84."""
    corrupt_read: float = 0.0
    """A bit of the answer is flipped."""
    late_read: float = 0.0
    """The answer comes 20 to 400 ms late."""
    silent_read: float = 0.0
    """The answer does not come."""
    reset_read: float = 0.0
    """The reader starts anew in the middle of an inventory."""

    splash: float = 0.0
    """Some of the chips land on the neighbour's spot; the dealer's hand corrects it."""
    cut_out: float = 0.0
    """More chips than the wager are put in, and the others taken back within 1 to 5 s."""
    two_motions: float = 0.0
    """The chips come in two motions within a second."""
    change: float = 0.0
    """A chip of the wager is changed into smaller ones of a neighbour's bet, seconds later."""
    change_house: float = 0.0
    """A chip of the wager is changed by the dealer, seconds later."""
    beside: float = 0.0
    """Some or all of the chips lie off the spot: no antenna sees them."""
    between: float = 0.0
    """A chip lies between two spots: the neighbour's antenna sees it too."""
    own_stack: float = 0.0
    """Some chips of the stack behind slide onto the spot, and rest there for seconds."""
    metal: float = 0.0
    """A glass or metal stands on the spot: good readings, no tags."""
    hand: float = 0.0
    """A hand rests over the antenna for 0.2 to 2 s: all readings fail, or some of the chips are hidden."""
    phone: float = 0.0
    """A phone lies on the spot: all readings fail for 0.2 to 2 s."""
    key: float = 0.0
    """A hotel key lies with the chips for seconds."""
    foreign: float = 0.0
    """A chip of another house lies with the chips for seconds."""
    copied: float = 0.0
    """One of the chips has a tag that answers with the UID of another one in play."""
    protector: float = 0.0
    """Of each seat: a chip or a tagged token lies on its spot as card protector, from the deal until its cards go."""
    cable: float = 0.0
    """Of each hand: the cable of a reader is out for 2 to 10 s."""
    over_spot: float = 0.0
    """Of each award: the pot is pushed over the winner's spot."""
    last_pot: float = 0.0
    """Of each award: the pot rests on the winner's spot for more than 5 s."""
    tip: float = 0.0
    """Of each award: the winner lays a chip down as a tip, and the dealer takes it."""

    def __post_init__(self) -> None:
        for item in fields(self):
            value = getattr(self, item.name)
            if not 0 <= value <= 1:
                raise ValueError(f"noise rate {item.name} = {value!r}: 0 to 1 expected")


NONE: Final = Rates()
"""Every tag answers, nobody's hand shakes."""
USUAL: Final = Rates(
    miss_read=0.02,
    ghost=0.02,
    crosstalk_read=0.002,
    field_lost_read=0.002,
    corrupt_read=0.002,
    late_read=0.001,
)
"""Readers in good order, misses that are independent: up to this, no wrong amount may be told as complete."""
STICKY1: Final = replace(USUAL, miss_read=0.005, sticky=0.01)
"""The same with one chip in a hundred that misses at a rate of its own."""
ALL: Final = replace(
    USUAL,
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
    tip=0.005,
)
"""An evening at a real table: everything at once."""
