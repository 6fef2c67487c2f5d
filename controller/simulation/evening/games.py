"""Which game an evening plays, and who sits there with how much: drawn, all structures and variants."""

from __future__ import annotations

from random import Random
from typing import Final, NamedTuple

from controller.config import BadInputError
from controller.rules import BIG_BET, SEATS, VARIANTS, Game, Player, Rake, Structure, VariantName
from controller.table import MAIN_GAME, Table, open_table

FEWEST: Final = 2
STACK_IN_BETS: Final = (40, 150)
"""A stack at the beginning, in big bets: from a short buy-in to a deep one."""
SHORT_IN_BETS: Final = 20
"""Who has less buys again before the next hand."""
RAKE: Final = Rake(percent=5, cap=20, no_flop_no_drop=False)
STAKES: Final = ((1, 2, 1), (5, 10, 5), (5, 10, 5), (25, 50, 25))
"""Small blind, big blind and unit, as cardrooms have them; 5/10 most often."""
OF_BLINDS: Final[tuple[Structure, ...]] = ("no-limit", "pot-limit", "half-pot", "fixed-limit", "spread-limit")
OF_STUD: Final[tuple[Structure, ...]] = ("fixed-limit", "spread-limit")
"""Stud is played with limits: a bring-in is less than a bet."""
MOST_PLAYERS: Final = {"stud": 8, "stud8": 8, "razz": 8, "draw": 6, "single-draw": 7, "triple-draw": 6, "badugi": 8}
"""Where the deck has cards for fewer than ten."""


class Opening(NamedTuple):
    """A table before its first hand."""

    table: Table
    big_bet: int
    """What stacks are measured by: the big blind, or the larger limit of stud."""


def draw(random: Random, variant: str = "", seats: int = 0) -> Opening:
    """A table: of this variant and with so many players where they are named."""
    name = named(variant) if variant else random.choice(tuple(VARIANTS))
    game = _game(name, random)
    most = min(SEATS, MOST_PLAYERS.get(name, SEATS))
    count = seats or random.randint(FEWEST, most)
    big_bet = max(game.big_blind, *game.bets, game.spread[-1][1] if game.spread else 0, 2 * game.unit)
    players = {
        seat: Player(name=f"p{seat}", stack=big_bet * random.randint(*STACK_IN_BETS))
        for seat in sorted(random.sample(range(1, SEATS + 1), count))
    }
    return Opening(open_table({MAIN_GAME: game}, random.choice(tuple(players)), players), big_bet)


def named(variant: str) -> VariantName:
    """The variant of that name. Raises BadInputError."""
    found = next((name for name in VARIANTS if name == variant), None)
    if found is None:
        raise BadInputError(f"--variant {variant}: expected one of {', '.join(VARIANTS)}")
    return found


def _game(name: VariantName, random: Random) -> Game:
    kind, (small, big, unit) = VARIANTS[name], random.choice(STAKES)
    structure = random.choice(OF_STUD if kind.by_board else OF_BLINDS)
    rounds = len(kind.rounds)
    small_bets = (rounds + 1) // 2
    bets = (big,) * small_bets + (2 * big,) * (rounds - small_bets) if structure == "fixed-limit" else ()
    spread = ((big, 4 * big),) * rounds if structure == "spread-limit" else ()
    if kind.by_board:
        return Game(
            variant=name, structure=structure, ante=unit, bring_in=small, bets=bets, spread=spread, unit=unit, rake=RAKE
        )
    ante = unit if structure in BIG_BET and random.random() < 0.25 else 0
    return Game(
        variant=name,
        structure=structure,
        blinds=(small, big),
        ante=ante,
        bets=bets,
        spread=spread,
        unit=unit,
        rake=RAKE,
    )
