"""Actions of simulated players: what they do in turn, how much they bet, and the chips that they use."""

from __future__ import annotations

from random import Random
from typing import Final, NamedTuple

from controller.rules import BIG_BET_STRUCTURES, Hand, bet_range, betting_options, legal_words, total_to_match
from controller.steps import Declaration, hand_steps
from controller.table import smallest_playable_chip
from hardware.chip_set import DENOMINATIONS, break_amount, chips_for

THINKING_TIME_S: Final = (0.6, 3.0)
"""Range of a player's thinking time in seconds.

Real players sometimes think longer, which only gives the program more time.
"""
ACTION_WEIGHTS: Final = {"fold": 2, "check": 5, "call": 7, "bet": 3, "raise": 1, "complete": 1}
"""Relative frequencies of a player's actions. Players fold rarely, because the simulation measures motions of chips."""
FREE_FOLD_RATE: Final = 0.02
"""Probability that a seat folds although it could check."""
ALL_IN_RATE: Final = 0.02
"""Share of bets and raises that are all-in."""
BREAK_CHIP_RATE: Final = 0.45
"""Probability that another chip of a bet is exchanged for smaller chips, tested again after each exchange.

Real players often bet more chips than necessary.
"""
MAX_CHIPS_ON_SPOT: Final = 20
"""Maximum number of chips on a bet spot. A dealer would exchange a higher stack for larger chips."""
ANNOUNCED_RAISE_RATE: Final = 0.5
"""Share of raises with a single chip in which the player announces the raise.

Without an announcement, a single chip would be a call. In the other raises, the player therefore puts in several
smaller chips.
"""


class PlayerAction(NamedTuple):
    """An action of a player."""

    declaration: hand_steps.Declares
    """The action in the form in which a player declares it."""
    chips: tuple[int, ...] = ()
    """The chips that the player puts in."""
    is_spoken: bool = False
    """True if the player announces the action, because the chips alone would mean another action."""


def choose_action(
    hand: Hand, spot_total: int, chips_on_spot: int, random: Random, *, is_passive: bool = False
) -> PlayerAction:
    """Return a random action of the seat in turn.

    The seat has `chips_on_spot` chips with a value of `spot_total` on its bet spot. If `is_passive` is True, the seat
    neither bets nor raises.
    """
    seat = hand.turn
    words = legal_words(hand, betting_options(hand, seat))
    kinds = [word for word in words if not (is_passive and word in ("bet", "raise", "complete"))]
    if seat == hand.bring_in_seat or ("check" in kinds and random.random() >= FREE_FOLD_RATE):
        kinds.remove("fold")
    kind = random.choices(kinds, [ACTION_WEIGHTS[kind] for kind in kinds])[0]
    if kind in ("fold", "check"):
        return PlayerAction(hand_steps.Declares(seat, Declaration(kind)))
    total = total_to_match(hand, seat) if kind == "call" else _wager_total(hand, seat, random)
    total = min(total, betting_options(hand, seat).all_in_total)
    declared = hand_steps.Declares(seat, Declaration(kind, 0 if kind == "call" else total))
    return _choose_chips(hand, declared, total - spot_total, chips_on_spot, random)


def _choose_chips(
    hand: Hand, declaration: hand_steps.Declares, amount: int, chips_on_spot: int, random: Random
) -> PlayerAction:
    """Return an action with this declaration and with chips of this value, which the player puts in."""
    chips = pick_chips(amount, hand.game.unit, MAX_CHIPS_ON_SPOT - chips_on_spot, random)
    is_clear = (
        declaration.declaration.kind == "call" or total_to_match(hand, declaration.seat) <= hand.bets[declaration.seat]
    )
    if not is_clear and len(chips) == 1 and random.random() >= ANNOUNCED_RAISE_RATE:
        chips = break_chip(chips, hand.game.unit, random)
    return PlayerAction(declaration, chips, is_spoken=not is_clear and len(chips) == 1)


def _wager_total(hand: Hand, seat: int, random: Random) -> int:
    """Return a random total for a bet or raise, such as a part of the pot or all chips."""
    allowed = bet_range(hand, seat)
    if allowed is None:
        return betting_options(hand, seat).all_in_total
    minimum, maximum = allowed
    if hand.game.structure not in BIG_BET_STRUCTURES:
        return (
            minimum
            if hand.game.structure == "fixed-limit"
            else _round_to_unit(random.randint(minimum, maximum), hand, minimum)
        )
    if random.random() < ALL_IN_RATE:
        return maximum
    wanted = hand.current_bet + int(hand.pot_total * random.choice((0.33, 0.5, 0.5, 0.75, 1.0)))
    return min(maximum, max(minimum, _round_to_unit(wanted, hand, minimum)))


def _round_to_unit(amount: int, hand: Hand, least: int) -> int:
    """Return the amount rounded down to a multiple of the game's unit, but not less than `least`."""
    return max(least, amount - amount % hand.game.unit)


# --- chips ---


def pick_chips(amount: int, unit: int, max_chips: int, random: Random) -> tuple[int, ...]:
    """Return random chips with this total value. Use at most `max_chips` chips if this is possible."""
    chips = chips_for(amount)
    while random.random() < BREAK_CHIP_RATE:
        broken = break_chip(chips, unit, random)
        if len(broken) > max_chips:
            break
        chips = broken
    return chips


def break_chip(chips: tuple[int, ...], unit: int, random: Random) -> tuple[int, ...]:
    """Return the chips after one chip was exchanged for smaller chips.

    Return the chips unchanged if no chip can be exchanged.
    """
    least = smallest_playable_chip(unit)
    large = [chip for chip in set(chips) if chip > least]
    if not large:
        return chips
    chip = random.choice(sorted(large))
    smaller = break_amount(chip, [value for value in DENOMINATIONS if least <= value < chip])
    rest = list(chips)
    rest.remove(chip)
    return tuple(sorted([*rest, *smaller], reverse=True))
