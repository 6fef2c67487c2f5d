"""One game as a house spreads it: structure, forced bets and house rules. `[game]` of a table script, typed.

Every key and its default is described in the contract (table-scripts.md, `[game]`). A `Game` is complete: defaults that
depend on other keys are filled in when it is made, so that the rules never ask "what if it was not set".
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import ClassVar, Literal

from controller.rules.variants import VARIANTS, Variant, VariantName
from firmware_bridge.errors import PotkeeperError, Whose

Structure = Literal["no-limit", "pot-limit", "half-pot", "fixed-limit", "spread-limit"]

BIG_BET = ("no-limit", "pot-limit", "half-pot")
"""Structures whose raises go on top of what is faced and are never capped or completed."""
MOST_BLINDS = 3
"""Button, small blind and big blind: no cardroom game has a fourth forced blind."""
BY_DEFAULT = -1
"""A number that was not set and gets the default that other keys decide."""


MOST_AMOUNT = 10**14
"""No stack, bet or limit is larger: a typing error must not become a number that no screen can show, and all the chips
of a table stay far below `hand.UNBOUNDED`."""
MOST_RESTRADDLES = 7
"""One a seat that is neither in the blinds nor straddles first; each doubles the one before."""
MOST_FACTOR = 10
"""Kill games double at most; a larger factor is a typing error."""


class GameError(PotkeeperError):
    """A key of the game has a value that cannot be played; says which, and what was expected."""

    whose: ClassVar[Whose] = "person"

    def __init__(self, key: str, value: object, expected: str) -> None:
        super().__init__(f"{key} = {value!r}: expected {expected}")
        self.key = key


@dataclass(frozen=True, slots=True, kw_only=True)
class Rake:
    """Percent of the called chips, at most `cap` (0 = no cap)."""

    percent: float
    cap: int = 0
    no_flop_no_drop: bool = False
    as_built: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Jackpot:
    """`amount` is taken when the called chips reach `pot`."""

    amount: int
    pot: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Kill:
    """Who wins a pot of `pot`, or `wins` hands in a row, posts `factor` big blinds and all limits grow by it."""

    factor: float = 2
    pot: int = 0
    wins: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Game:
    """The rules of one game; amounts in the unit of account. Raises GameError where it cannot be played."""

    variant: VariantName = "holdem"
    structure: Structure = "no-limit"
    blinds: tuple[int, ...] = ()
    blind_on: Literal["left", "button"] = "left"
    ante: int = 0
    ante_by: Literal["each", "button", "big-blind"] = "each"
    bring_in: int = 0
    bets: tuple[int, ...] = ()
    spread: tuple[tuple[int, int], ...] = ()
    min_bet: int = BY_DEFAULT
    unit: int = 1
    raises: int = BY_DEFAULT
    heads_up_uncapped: bool | None = None
    all_in_rule: Literal["full-bet", "half-bet"] | None = None
    half_raise: bool = True
    hand_cap: int = 0
    small_blind_counts_as_big: bool = False
    ante_counts_first_round: bool | None = None
    pot_unit: int = 0
    straddle: Literal["none", "live", "mississippi", "sleeper"] = "none"
    straddle_raise: Literal["difference", "double"] = "difference"
    restraddles: int = 0
    straddle_counts: bool = True
    rock: int = 0
    kill: Kill | None = None
    kill_acts: Literal["last", "turn"] = "last"
    button_rule: Literal["dead", "moving", "simplified"] = "dead"
    absent: Literal["skipped", "dealt-in"] = "skipped"
    new_player_posts: bool = False
    post_one_at_a_time: bool = False
    min_blind_chips: int = 0
    stakes: Literal["table", "open"] = "table"
    buy_in: tuple[int, int] | None = None
    rake: Rake | None = None
    jackpot: Jackpot | None = None
    rulebook: Literal["roberts", "tda"] = "roberts"
    substantial_action: int = BY_DEFAULT

    def __post_init__(self) -> None:
        _check(self)
        fill = object.__setattr__  # the one place where a frozen game is written: defaults that hang on other keys
        if self.min_bet == BY_DEFAULT:
            fill(self, "min_bet", max(self.blinds) if any(self.blinds) else self.unit)
        if self.raises == BY_DEFAULT:
            fill(self, "raises", 4 if len(self.kind.rounds) == 2 else 3)
        if self.heads_up_uncapped is None:
            fill(self, "heads_up_uncapped", self.rulebook == "roberts")
        if self.all_in_rule is None:
            fill(self, "all_in_rule", "full-bet" if self.structure in BIG_BET else "half-bet")
        if self.ante_counts_first_round is None:
            fill(self, "ante_counts_first_round", self.ante_by == "each")

    @property
    def kind(self) -> Variant:
        """The variant's betting rounds and who opens them."""
        return VARIANTS[self.variant]

    @property
    def big_blind(self) -> int:
        """The largest forced blind, 0 in a game without."""
        return max(self.blinds, default=0)

    def base_size(self, betting_round: int) -> int:
        """The least bet of a betting round (from 1) before anybody has bet in it."""
        if self.structure == "fixed-limit":
            return self.bets[betting_round - 1]
        if self.structure == "spread-limit":
            return self.spread[betting_round - 1][0]
        return self.min_bet

    def acts_behind(self, with_chips: bool) -> int:
        """How many players acting behind a skipped seat are substantial action. Source: Robert's Rules 3.11; TDA 36."""
        if self.substantial_action != BY_DEFAULT:
            return self.substantial_action
        return 2 if self.rulebook == "tda" and with_chips else 3

    def killed(self) -> Game:
        """The same game with all limits grown by the kill factor."""
        assert self.kill is not None
        factor = Fraction(self.kill.factor)

        def grow(amount: int) -> int:
            return int(amount * factor)

        grown = replace(
            self,
            kill=None,  # its factor was checked against the limits that it grows, not against the grown ones
            bets=tuple(grow(bet) for bet in self.bets),
            spread=tuple((grow(least), grow(most)) for least, most in self.spread),
            min_bet=grow(self.min_bet),
        )
        object.__setattr__(grown, "kill", self.kill)
        return grown


def _check(game: Game) -> None:
    """Raises GameError for the first key that cannot be played."""
    amounts: tuple[tuple[str, int, int], ...] = (
        ("unit", game.unit, 1),
        ("ante", game.ante, 0),
        ("bring_in", game.bring_in, 0),
        ("min_bet", game.min_bet, BY_DEFAULT),
        ("raises", game.raises, BY_DEFAULT),
        ("hand_cap", game.hand_cap, 0),
        ("pot_unit", game.pot_unit, 0),
        ("restraddles", game.restraddles, 0),
        ("min_blind_chips", game.min_blind_chips, 0),
        ("substantial_action", game.substantial_action, BY_DEFAULT),
    )
    for key, value, least in amounts:
        if not least <= value <= MOST_AMOUNT:
            raise GameError(key, value, f"a whole number from {max(least, 0)} to {MOST_AMOUNT}")
    if game.restraddles > MOST_RESTRADDLES:
        raise GameError("restraddles", game.restraddles, f"at most {MOST_RESTRADDLES}")
    if not 0 <= game.rock <= 10:
        raise GameError("rock", game.rock, "the seat that holds the rock, 1 to 10, or 0")
    if len(game.blinds) > MOST_BLINDS or not all(0 <= blind <= MOST_AMOUNT for blind in game.blinds):
        raise GameError("blinds", list(game.blinds), f"up to {MOST_BLINDS} amounts from 0 to {MOST_AMOUNT}")
    _check_limits(game)
    if game.buy_in and not 0 < game.buy_in[0] <= game.buy_in[1] <= MOST_AMOUNT:
        raise GameError("buy_in", list(game.buy_in), "[least, most]")
    _check_house_money(game)


def _check_limits(game: Game) -> None:
    rounds = len(game.kind.rounds)
    if game.structure == "fixed-limit" and (
        len(game.bets) < rounds or not all(0 < bet <= MOST_AMOUNT for bet in game.bets)
    ):
        raise GameError(
            "bets", list(game.bets), f"a bet size for each of the {rounds} betting rounds of {game.variant}"
        )
    if game.structure == "spread-limit" and (
        len(game.spread) < rounds or any(not 0 < least <= most <= MOST_AMOUNT for least, most in game.spread)
    ):
        raise GameError("spread", [list(pair) for pair in game.spread], f"[least, most] for each of {rounds} rounds")


def _check_house_money(game: Game) -> None:
    amounts = [("rake.cap", game.rake.cap)] if game.rake else []
    amounts += [("jackpot.amount", game.jackpot.amount), ("jackpot.pot", game.jackpot.pot)] if game.jackpot else []
    amounts += [("kill.pot", game.kill.pot), ("kill.wins", game.kill.wins)] if game.kill else []
    for key, value in amounts:
        if not 0 <= value <= MOST_AMOUNT:
            raise GameError(key, value, f"a whole number from 0 to {MOST_AMOUNT}")
    if game.rake and not 0 <= game.rake.percent <= 100:
        raise GameError("rake.percent", game.rake.percent, "0 to 100")
    if game.kill:
        _check_kill(game, game.kill)


def _check_kill(game: Game, kill: Kill) -> None:
    if not 1 <= kill.factor <= MOST_FACTOR:  # nan is neither
        raise GameError("kill.factor", kill.factor, f"a number from 1 to {MOST_FACTOR}")
    limits = {
        "fixed-limit": game.bets,
        "spread-limit": tuple(amount for pair in game.spread for amount in pair),
    }
    factor = Fraction(kill.factor)
    largest = max((*game.blinds, game.min_bet, *game.bets, *(most for _, most in game.spread)), default=0)
    if largest * factor > MOST_AMOUNT:
        raise GameError("kill.factor", kill.factor, f"one that keeps {largest} below {MOST_AMOUNT}")
    for amount in (game.big_blind, *limits.get(game.structure, (max(0, game.min_bet),))):
        grown = amount * factor
        if grown.denominator != 1 or grown % game.unit:
            raise GameError("kill.factor", kill.factor, f"one that keeps {amount} a multiple of the unit")
