"""Choose random games and stacks that PokerKit can play too, and start the hand in both programs.

The settings use only amounts, antes, blinds, structures and variants that PokerKit supports. PokerKit plays a bomb pot
as a hand with antes that begins on the flop.
"""

from __future__ import annotations

import random
from collections.abc import Iterable
from typing import Any, NamedTuple, cast

from pokerkit import Automation, BettingStructure, Card, Deck, Opening, State, Street

from controller import rules
from controller.rules import (
    VARIANTS,
    Game,
    Hand,
    VariantName,
    button_and_blinds,
)

AUTOMATIONS = (
    Automation.ANTE_POSTING,
    Automation.BET_COLLECTION,
    Automation.BLIND_OR_STRADDLE_POSTING,
    Automation.HOLE_CARDS_SHOWING_OR_MUCKING,
    Automation.HAND_KILLING,
    Automation.CHIPS_PUSHING,
    Automation.CHIPS_PULLING,
)
LIMITS = {
    "no-limit": BettingStructure.NO_LIMIT,
    "pot-limit": BettingStructure.POT_LIMIT,
    "fixed-limit": BettingStructure.FIXED_LIMIT,
}
FLOP: tuple[VariantName, ...] = (
    *("holdem", "holdem", "holdem", "omaha", "short-deck", "pineapple", "crazy-pineapple", "irish", "omaha5"),
    *("omaha8", "big-o", "courchevel"),
)
DRAW: tuple[VariantName, ...] = ("draw", "single-draw", "triple-draw", "badugi")
STUD: tuple[VariantName, ...] = ("stud", "stud", "stud8", "five-card-stud")
HIGH_LOW = ("omaha8", "big-o", "stud8")


class HighestCard:
    """Evaluator for PokerKit in which the seat with the highest card wins, and equal ranks split the pot.

    Real poker hands would take most of the test's time and test nothing in addition.
    """

    @staticmethod
    def from_game(hole: Iterable[Card], board: Iterable[Card] = ()) -> int:
        return max("23456789TJQKA".index(card.rank.value) for card in hole)


class LowestCard:
    """Evaluator of low hands that gives the low half of the pot to the seat with the lowest card.

    With this evaluator every player has a low hand, which avoids a fault of PokerKit. The fault occurs if only a player
    who cannot win a side pot has a low hand. PokerKit then splits half of the side pot among all players who
    can win the side pot, instead of giving this half to the high hand.
    """

    @staticmethod
    def from_game(hole: Iterable[Card], board: Iterable[Card] = ()) -> int:
        return -min("A23456789TJQK".index(card.rank.value) for card in hole)


class HandSetup(NamedTuple):
    """The game and stacks of a random hand."""

    game: Game
    stacks: tuple[int, ...]
    bomb: int = 0
    """Ante per player in a bomb pot, or 0 for another hand."""

    @property
    def high_low(self) -> bool:
        """Return True if the best low hand wins half of the pot in this game."""
        return self.game.variant in HIGH_LOW

    @property
    def first_round(self) -> int:
        """Return the number of the first betting round of the hand."""
        return 2 if self.bomb else 1

    @property
    def unplayed_stacks(self) -> tuple[int, ...]:
        """Return for each seat the chips beyond whole units, which do not play (Robert's Rules 3.7).

        PokerKit does not know units, so that its stacks leave these chips out.
        """
        return tuple(stack % self.game.unit for stack in self.stacks)

    @property
    def playable_stacks(self) -> tuple[int, ...]:
        """Return for each seat the chips that play, which are the whole units of its stack."""
        return tuple(stack - unplayed for stack, unplayed in zip(self.stacks, self.unplayed_stacks, strict=True))

    def remaining_stacks(self, hand: Hand) -> list[int]:
        """Return the stacks at this moment of the hand, without the chips that do not play."""
        return [stack - unplayed for stack, unplayed in zip(hand.stacks[1:], self.unplayed_stacks, strict=False)]


def random_setup(chance: random.Random) -> HandSetup:
    """Return a random game and random stacks.

    In some hands the stacks are deep, in others they are worth only a few big blinds.
    """
    structure = chance.choice(["no-limit", "pot-limit", "fixed-limit"])
    stud = structure == "fixed-limit" and chance.random() < 0.3
    count = chance.choice([2, 2, 3, 3, 4, 5, 6, 7, 8, 9, 10])
    count = min(count, 7) if stud else count
    small, big = chance.choice([(1, 2), (2, 5), (5, 10), (10, 25), (50, 100)])
    ante = chance.choice([0, 0, 1, small, big])
    values: dict[str, Any] = {"structure": structure, "ante": ante}
    if not stud:
        values["blinds"] = (small, big)
        values["ante_by"] = chance.choice(["each", "each", "big-blind", "button"])
    if structure == "fixed-limit":
        min_bet = 2 * big if chance.random() < 0.1 else big
        values["bets"] = (min_bet, min_bet, 2 * min_bet, 2 * min_bet, 2 * min_bet)[: 5 if stud else 4]
        values["all_in_rule"] = chance.choice(["half-bet", "full-bet"])
        values["heads_up_uncapped"] = chance.random() < 0.5
    if stud:
        values |= {"variant": "stud", "bring_in": small, "ante": ante or 1}
    depth = chance.choice([6, 30, 120])
    stacks = tuple(chance.randint(1 + big // 2, depth * big) for _ in range(count))
    unit = random.Random(sum(stacks)).choice([1, 1, 1, 5])
    values |= random_variant(random.Random(str(stacks)), structure, stud)
    if structure == "fixed-limit":
        values["bets"] = values["bets"][: len(VARIANTS[values["variant"]].round_names)]
    if unit > 1:
        for key in ("blinds", "bets"):
            values[key] = tuple(unit * amount for amount in values.get(key, ()))
        values |= {"unit": unit, "ante": unit * values["ante"], "bring_in": unit * values.get("bring_in", 0)}
        stacks = tuple(unit * stack + (stack * 7) % unit for stack in stacks)
    game = Game(**values)
    bombs = game.variant_rules.has_flop and random.Random(str(stacks)).random() < 0.1
    return HandSetup(game, stacks, chance.choice([1, small, 2 * big]) * unit if bombs else 0)


def random_variant(chance: random.Random, structure: str, stud: bool) -> dict[str, Any]:
    """Choose at random the variant, and whether check-raises are allowed.

    Return the choice as keys and values of a `[game]` section. `chance` is a random generator for this choice alone.
    All other random settings of a seed therefore stay the same if this choice changes.
    """
    variants = STUD if stud else chance.choice([FLOP, FLOP, FLOP, DRAW])
    return {"variant": chance.choice(variants), "check_raise": chance.random() > 0.1}


def start_rules_hand(at: HandSetup) -> Hand:
    count = len(at.stacks)
    stacks = dict(enumerate(at.stacks, 1))
    if at.bomb:
        return rules.bomb_pots.start_bomb_pot(at.game, count, stacks, amount=at.bomb)
    return rules.blinds.start_hand(at.game, button_and_blinds.first_placement(at.game, count, tuple(stacks)), stacks)


def start_pokerkit_hand(at: HandSetup) -> State:
    game, count = at.game, len(at.stacks)
    blinds, antes = [0] * count, [0] * count
    if game.blinds and not at.bomb:
        blinds[:2] = game.blinds
    if at.bomb or game.ante_by == "each":
        antes = [at.bomb or game.ante] * count
    else:
        payer = 1 if game.ante_by == "big-blind" else 0 if count == 2 else -1
        antes[payer] = game.ante
    return State(
        AUTOMATIONS,
        Deck.STANDARD,
        cast(Any, (HighestCard, LowestCard) if at.high_low else (HighestCard,)),
        streets(at),
        LIMITS[game.structure],
        bool(at.bomb) or game.ante_by == "each",
        antes,
        blinds,
        game.bring_in,
        at.playable_stacks,
        count,
    )


def streets(at: HandSetup) -> tuple[Street, ...]:
    """Return the betting rounds of the game in PokerKit's format.

    Each player gets two hole cards, or four in draw games, whatever the variant requires. The betting does not depend
    on the number of cards.
    """
    game = at.game
    count = len(game.variant_rules.round_names)
    max_raises = game.raises + 1 if game.structure == "fixed-limit" else None
    if game.variant_rules.opener_by_cards:
        first = (False, True) if count == 4 else (False, False, True)
        last = (True,) if count == 4 else (False,)
        down = (first, *[(True,)] * (count - 2), last)
        openings = (Opening.LOW_CARD, *[Opening.HIGH_HAND] * 4)
        return tuple(
            Street(bool(number), cards, 0, False, openings[number], game.min_bet_of_round(number + 1), max_raises)
            for number, cards in enumerate(down)
        )
    board = {"Flop": 3, "Turn": 1, "River": 1, "First flop card": 1}
    shared = [board.get(name, 0) for name in game.variant_rules.round_names]
    if game.variant == "courchevel":
        shared[1] = 2
    if at.bomb:
        shared[: at.first_round] = [sum(shared[: at.first_round])]
    draws = not game.variant_rules.has_flop
    return tuple(
        Street(
            bool(number),
            () if number else (False, False),
            cards,
            draws and bool(number),
            Opening.POSITION,
            game.min_bet_of_round(number + at.first_round),
            max_raises,
        )
        for number, cards in enumerate(shared)
    )
