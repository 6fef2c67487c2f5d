"""Random hands that our rules and PokerKit can both play: how they are drawn, and how each begins them.

Of the amounts, antes, blinds, structures, variants and bomb pots only what PokerKit can say too. A bomb pot is for it a
hand with antes that begins on the flop.
"""

from __future__ import annotations

import random
from collections.abc import Iterable
from typing import Any, NamedTuple, cast

from pokerkit import Automation, BettingStructure, Card, Deck, Opening, State, Street

from controller import rules
from controller.rules import VARIANTS, Game, Hand, VariantName, first_placement

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
    """Who holds the highest card wins, equal ranks split: poker hands would cost most of the time and prove no more."""

    @staticmethod
    def from_game(hole: Iterable[Card], board: Iterable[Card] = ()) -> int:
        return max("23456789TJQKA".index(card.rank.value) for card in hole)


class LowestCard:
    """For the low half: who holds the lowest card. Somebody always has one: where nobody in a side pot had, but
    somebody else, PokerKit would give half of it to all in it, not to the high hand."""

    @staticmethod
    def from_game(hole: Iterable[Card], board: Iterable[Card] = ()) -> int:
        return -min("A23456789TJQK".index(card.rank.value) for card in hole)


class Setup(NamedTuple):
    """One random hand before it begins."""

    game: Game
    stacks: tuple[int, ...]
    bomb: int = 0
    """Of a bomb pot what everybody antes."""

    @property
    def high_low(self) -> bool:
        """Whether a low hand wins half of each pot."""
        return self.game.variant in HIGH_LOW

    @property
    def first_round(self) -> int:
        """The betting round with which the hand begins."""
        return 2 if self.bomb else 1

    @property
    def small_change(self) -> tuple[int, ...]:
        """What of the stacks does not play (Robert's Rules 3.7): PokerKit knows no unit, and never sees it."""
        return tuple(stack % self.game.unit for stack in self.stacks)

    @property
    def whole(self) -> tuple[int, ...]:
        """What of the stacks plays."""
        return tuple(stack - left for stack, left in zip(self.stacks, self.small_change, strict=True))

    def behind(self, hand: Hand) -> list[int]:
        """The stacks of the hand, but for what does not play."""
        return [stack - left for stack, left in zip(hand.stacks[1:], self.small_change, strict=False)]


def setup(chance: random.Random) -> Setup:
    """A random game and stacks: deep, short and very short ones."""
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
        least = 2 * big if chance.random() < 0.1 else big
        values["bets"] = (least, least, 2 * least, 2 * least, 2 * least)[: 5 if stud else 4]
        values["all_in_rule"] = chance.choice(["half-bet", "full-bet"])
        values["heads_up_uncapped"] = chance.random() < 0.5
    if stud:
        values |= {"variant": "stud", "bring_in": small, "ante": ante or 1}
    depth = chance.choice([6, 30, 120])
    stacks = tuple(chance.randint(1 + big // 2, depth * big) for _ in range(count))
    unit = random.Random(sum(stacks)).choice([1, 1, 1, 5])
    values |= variety(random.Random(str(stacks)), structure, stud)
    if structure == "fixed-limit":
        values["bets"] = values["bets"][: len(VARIANTS[values["variant"]].rounds)]
    if unit > 1:
        for key in ("blinds", "bets"):
            values[key] = tuple(unit * amount for amount in values.get(key, ()))
        values |= {"unit": unit, "ante": unit * values["ante"], "bring_in": unit * values.get("bring_in", 0)}
        stacks = tuple(unit * stack + (stack * 7) % unit for stack in stacks)
    game = Game(**values)
    bombs = game.kind.by_flop and random.Random(str(stacks)).random() < 0.1
    return Setup(game, stacks, chance.choice([1, small, 2 * big]) * unit if bombs else 0)


def variety(chance: random.Random, structure: str, stud: bool) -> dict[str, Any]:
    """Another variant, drawn beside the rest, and now and then no raise by who has checked."""
    variants = STUD if stud else chance.choice([FLOP, FLOP, FLOP, DRAW])
    return {"variant": chance.choice(variants), "check_raise": chance.random() > 0.1}


def by_rules(at: Setup) -> Hand:
    count = len(at.stacks)
    stacks = dict(enumerate(at.stacks, 1))
    if at.bomb:
        return rules.start_bomb(at.game, count, stacks, amount=at.bomb)
    return rules.start_hand(at.game, first_placement(at.game, count, tuple(stacks)), stacks)


def by_pokerkit(at: Setup) -> State:
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
        at.whole,
        count,
    )


def streets(at: Setup) -> tuple[Street, ...]:
    """The betting rounds. Two cards in the hand, or four in draw, stand for as many as there are: bets do not ask."""
    game = at.game
    count = len(game.kind.rounds)
    most = game.raises + 1 if game.structure == "fixed-limit" else None
    if game.kind.by_board:
        first = (False, True) if count == 4 else (False, False, True)
        last = (True,) if count == 4 else (False,)
        down = (first, *[(True,)] * (count - 2), last)
        opens = (Opening.LOW_CARD, *[Opening.HIGH_HAND] * 4)
        return tuple(
            Street(bool(number), cards, 0, False, opens[number], game.base_size(number + 1), most)
            for number, cards in enumerate(down)
        )
    board = {"Flop": 3, "Turn": 1, "River": 1, "First flop card": 1}
    shared = [board.get(name, 0) for name in game.kind.rounds]
    if game.variant == "courchevel":
        shared[1] = 2
    if at.bomb:
        shared[: at.first_round] = [sum(shared[: at.first_round])]
    draws = not game.kind.by_flop
    return tuple(
        Street(
            bool(number),
            () if number else (False, False),
            cards,
            draws and bool(number),
            Opening.POSITION,
            game.base_size(number + at.first_round),
            most,
        )
        for number, cards in enumerate(shared)
    )
