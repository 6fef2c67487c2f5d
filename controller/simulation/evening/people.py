"""What players do when it is their turn: the act, its size, and the chips that they take for it."""

from __future__ import annotations

from random import Random
from typing import Final, NamedTuple

from controller.rules import BIG_BET, Hand, bounds, choices, facing, may
from controller.table import Declaration, Declares, smallest_that_plays
from hardware.chips import DENOMINATIONS, chips_for, made_of

THINK_S: Final = (0.6, 3.0)
"""How long a player thinks. Real ones think longer now and then, which only gives everybody else more time."""
WEIGHTS: Final = {"fold": 2, "check": 5, "call": 7, "bet": 3, "raise": 1, "complete": 1}
"""How often players choose what: loose ones, as chips are what is measured."""
FOLDS_ALIKE: Final = 0.02
"""Who may check for free folds all the same."""
ALL_IN: Final = 0.02
"""A bet or raise that is all the player has."""
BROKEN: Final = 0.45
"""How often one chip more is exchanged for smaller ones: people bet stacks, not the fewest chips."""
MOST_ON_SPOT: Final = 20
"""Chips that somebody has in front: more are coloured up."""
ANNOUNCED: Final = 0.5
"""A raise with one chip is announced or put in with smaller chips: alone it would be a call."""


class Deed(NamedTuple):
    """What a player does."""

    declared: Declares
    """What it comes to."""
    chips: tuple[int, ...] = ()
    spoken: bool = False
    """It is said: the chips alone would not say it."""


def decide(hand: Hand, felt: int, lies: int, random: Random, *, quiet: bool = False) -> Deed:
    """What the seat in turn does with `felt` on its spot, in `lies` chips; `quiet`: it neither bets nor raises."""
    seat = hand.turn
    words = [word for word in may(hand, seat) if not (quiet and word in ("bet", "raise", "complete"))]
    if seat == hand.bring_in or ("check" in words and random.random() >= FOLDS_ALIKE):
        words.remove("fold")
    word = random.choices(words, [WEIGHTS[word] for word in words])[0]
    if word in ("fold", "check"):
        return Deed(Declares(seat, Declaration(word)))
    total = facing(hand, seat) if word == "call" else _size(hand, seat, random)
    total = min(total, choices(hand, seat).has)
    declared = Declares(seat, Declaration(word, 0 if word == "call" else total))
    return _with_chips(hand, declared, total - felt, lies, random)


def _with_chips(hand: Hand, declared: Declares, amount: int, lies: int, random: Random) -> Deed:
    chips = in_chips(amount, hand.game.unit, MOST_ON_SPOT - lies, random)
    says_it = declared.declaration.kind == "call" or facing(hand, declared.seat) <= hand.bets[declared.seat]
    if not says_it and len(chips) == 1 and random.random() >= ANNOUNCED:
        chips = broken(chips, hand.game.unit, random)
    return Deed(declared, chips, spoken=not says_it and len(chips) == 1)


def _size(hand: Hand, seat: int, random: Random) -> int:
    """The total of a bet or raise: a small one, some part of the pot, or everything."""
    allowed = bounds(hand, seat)
    if allowed is None:
        return choices(hand, seat).has
    least, most = allowed
    if hand.game.structure not in BIG_BET:
        return least if hand.game.structure == "fixed-limit" else _on_unit(random.randint(least, most), hand, least)
    if random.random() < ALL_IN:
        return most
    wanted = hand.level + int(hand.total * random.choice((0.33, 0.5, 0.5, 0.75, 1.0)))
    return min(most, max(least, _on_unit(wanted, hand, least)))


def _on_unit(amount: int, hand: Hand, least: int) -> int:
    return max(least, amount - amount % hand.game.unit)


# --- chips ---


def in_chips(amount: int, unit: int, most: int, random: Random) -> tuple[int, ...]:
    """The amount in chips as people have them at hand; not more than `most` where fewer can do."""
    chips = chips_for(amount)
    while random.random() < BROKEN:
        more = broken(chips, unit, random)
        if len(more) > most:
            break
        chips = more
    return chips


def broken(chips: tuple[int, ...], unit: int, random: Random) -> tuple[int, ...]:
    """One of the chips in smaller ones that play; the same chips where none can be broken."""
    least = smallest_that_plays(unit)
    large = [chip for chip in set(chips) if chip > least]
    if not large:
        return chips
    chip = random.choice(sorted(large))
    smaller = made_of(chip, [value for value in DENOMINATIONS if least <= value < chip])
    rest = list(chips)
    rest.remove(chip)
    return tuple(sorted([*rest, *smaller], reverse=True))
