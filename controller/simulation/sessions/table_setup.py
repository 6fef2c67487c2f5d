"""Choose a random table for a session: its game, its players and their stacks."""

from __future__ import annotations

from random import Random
from typing import Final, NamedTuple

from controller.config import BadInputError
from controller.rules import BIG_BET_STRUCTURES, MAX_SEATS, VARIANTS, Game, Player, Rake, Structure, VariantName
from controller.table import MAIN_GAME, Table, open_table

MIN_PLAYERS: Final = 2
STARTING_STACK_IN_BETS: Final = (40, 150)
"""Range of the stacks at the beginning of a session, in big bets."""
REBUY_BELOW_IN_BETS: Final = 20
"""Stack in big bets below which a player buys chips before the next hand."""
RAKE: Final = Rake(percent=5, cap=20, no_flop_no_drop=False)
"""The rake in every random game."""
STAKES: Final = ((1, 2, 1), (5, 10, 5), (5, 10, 5), (25, 50, 25))
"""Small blind, big blind and unit, as in real cardrooms. 5/10 is listed twice, so that it is chosen most often."""
BLIND_STRUCTURES: Final[tuple[Structure, ...]] = ("no-limit", "pot-limit", "half-pot", "fixed-limit", "spread-limit")
STUD_STRUCTURES: Final[tuple[Structure, ...]] = ("fixed-limit", "spread-limit")
"""Betting structures of stud games. Stud is a limit game, because the bring-in is less than a bet."""
MAX_PLAYERS_BY_VARIANT: Final = {
    "stud": 8,
    "stud8": 8,
    "razz": 8,
    "draw": 6,
    "single-draw": 7,
    "triple-draw": 6,
    "badugi": 8,
}
"""Maximum number of players, for variants in which the deck does not have enough cards for ten players."""


class DrawnTable(NamedTuple):
    """A random table before its first hand."""

    table: Table
    big_bet: int
    """The amount by which stack sizes are measured. It is the big blind, or the larger limit in stud."""


def draw_table(random: Random, variant: str = "", seats: int = 0) -> DrawnTable:
    """Return a random table. If a variant or a number of players is given, only the rest is random."""
    variant_name = parse_variant(variant) if variant else random.choice(tuple(VARIANTS))
    game = _game(variant_name, random)
    max_players = min(MAX_SEATS, MAX_PLAYERS_BY_VARIANT.get(variant_name, MAX_SEATS))
    count = seats or random.randint(MIN_PLAYERS, max_players)
    big_bet = max(game.big_blind, *game.bets, game.spread[-1][1] if game.spread else 0, 2 * game.unit)
    players = {
        seat: Player(name=f"p{seat}", stack=big_bet * random.randint(*STARTING_STACK_IN_BETS))
        for seat in sorted(random.sample(range(1, MAX_SEATS + 1), count))
    }
    return DrawnTable(open_table({MAIN_GAME: game}, random.choice(tuple(players)), players), big_bet)


def parse_variant(variant: str) -> VariantName:
    """Return the variant with this name. Raise BadInputError if no such variant exists."""
    known_name = next((name for name in VARIANTS if name == variant), None)
    if known_name is None:
        raise BadInputError(f"--variant {variant}: expected one of {', '.join(VARIANTS)}")
    return known_name


def _game(variant: VariantName, random: Random) -> Game:
    """Return a random game of this variant."""
    variant_rules, (small, big, unit) = VARIANTS[variant], random.choice(STAKES)
    structure = random.choice(STUD_STRUCTURES if variant_rules.opener_by_cards else BLIND_STRUCTURES)
    rounds = len(variant_rules.round_names)
    small_bets = (rounds + 1) // 2
    bets = (big,) * small_bets + (2 * big,) * (rounds - small_bets) if structure == "fixed-limit" else ()
    spread = ((big, 4 * big),) * rounds if structure == "spread-limit" else ()
    if variant_rules.opener_by_cards:
        return Game(
            variant=variant,
            structure=structure,
            ante=unit,
            bring_in=small,
            bets=bets,
            spread=spread,
            unit=unit,
            rake=RAKE,
        )
    ante = unit if structure in BIG_BET_STRUCTURES and random.random() < 0.25 else 0
    return Game(
        variant=variant,
        structure=structure,
        blinds=(small, big),
        ante=ante,
        bets=bets,
        spread=spread,
        unit=unit,
        rake=RAKE,
    )
