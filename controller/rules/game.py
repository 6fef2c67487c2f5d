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
MOST_BOARDS = 3
"""A deck has cards for no more, and no house runs it oftener."""
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
    """A jackpot, or the players' kitty: `amount` is taken when the called chips reach `pot`."""

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
    ante_order: Literal["ante", "blind"] | None = None
    bring_in: int = 0
    bets: tuple[int, ...] = ()
    spread: tuple[tuple[int, int], ...] = ()
    opening: tuple[int | tuple[int, int], ...] = ()
    min_bet: int = BY_DEFAULT
    unit: int = 1
    raises: int = BY_DEFAULT
    heads_up_uncapped: bool | None = None
    """None with `tda`: only where no third player is seated."""
    check_raise: bool = True
    all_in_rule: Literal["full-bet", "half-bet"] | None = None
    half_raise: bool = True
    raise_in_motions: bool | None = None
    hand_cap: int = 0
    small_blind_counts_as_big: bool = False
    dead_small_blind: bool = False
    ante_counts_first_round: bool | None = None
    pot_unit: int = 0
    straddle: Literal["none", "live", "mississippi", "sleeper"] = "none"
    straddle_raise: Literal["difference", "double"] = "difference"
    restraddles: int = 0
    straddle_counts: bool = True
    button_straddle: Literal["none", "small-blind", "under-the-gun"] = "none"
    """Whether the button may straddle, and who then acts first."""
    rock: int = 0
    kill: Kill | None = None
    kill_acts: Literal["last", "turn"] = "last"
    button_rule: Literal["dead", "moving", "simplified"] = "dead"
    absent: Literal["skipped", "dealt-in"] = "skipped"
    new_player_posts: bool = False
    between_blinds: Literal["wait", "deal"] = "wait"
    buy_button: bool = False
    """Whether the step `buys-button` is allowed."""
    seat_change: Literal["free", "waits"] | None = None
    """Whether who moves away from the big blind waits for the same relative position, or posts."""
    post_one_at_a_time: bool = False
    min_blind_chips: int = 0
    chop: bool | None = None
    stakes: Literal["table", "open"] = "table"
    buy_in: tuple[int, int | Literal["largest"]] | None = None
    return_minutes: int = 0
    rake: Rake | None = None
    jackpot: tuple[Jackpot, ...] = ()
    kitty: tuple[Jackpot, ...] = ()
    boards: int = 1
    runs: int = BY_DEFAULT
    bomb_button: Literal["moves", "stays"] = "moves"
    rulebook: Literal["roberts", "tda"] = "roberts"
    substantial_action: int = BY_DEFAULT

    def __post_init__(self) -> None:
        _check(self)
        fill = object.__setattr__  # the one place where a frozen game is written: defaults that hang on other keys
        if self.min_bet == BY_DEFAULT:
            fill(self, "min_bet", max(self.blinds) if any(self.blinds) else self.unit)
        if self.raises == BY_DEFAULT:
            fill(self, "raises", 4 if len(self.kind.rounds) == 2 else 3)
        if self.heads_up_uncapped is None and self.rulebook == "roberts":
            fill(self, "heads_up_uncapped", True)
        if self.all_in_rule is None:
            fill(self, "all_in_rule", "full-bet" if self.structure in BIG_BET else "half-bet")
        if self.runs == BY_DEFAULT:
            fill(self, "runs", 1 if self.rulebook == "tda" else MOST_BOARDS)
        if self.raise_in_motions is None:
            fill(self, "raise_in_motions", self.rulebook == "roberts" and self.structure in BIG_BET)
        if self.ante_order is None:
            fill(self, "ante_order", "blind" if self.rulebook == "tda" else "ante")
        if self.seat_change is None:
            fill(self, "seat_change", "waits" if self.rulebook == "roberts" else "free")
        if self.chop is None:
            fill(self, "chop", self.rulebook == "roberts")
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

    def to_open(self, betting_round: int) -> tuple[int, int] | None:
        """Fixed and spread limit: the least and most that a betting round (from 1) may be opened for, where that
        differs from the later bets. Source: Betting in poker, "Open"."""
        if self.structure in BIG_BET or len(self.opening) < betting_round:
            return None
        least, most = _as_range(self.opening[betting_round - 1])
        return (least, most) if most else None

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
            opening=tuple(
                grow(each) if isinstance(each, int) else (grow(each[0]), grow(each[1])) for each in self.opening
            ),
            min_bet=grow(self.min_bet),
        )
        object.__setattr__(grown, "kill", self.kill)
        return grown


def _as_range(opening: int | tuple[int, int]) -> tuple[int, int]:
    """The least and most of one amount, or as they are written."""
    return (opening, opening) if isinstance(opening, int) else opening


def _check(game: Game) -> None:
    """Raises GameError for the first key that cannot be played."""
    amounts: tuple[tuple[str, int, int], ...] = (
        ("unit", game.unit, 1),
        ("ante", game.ante, 0),
        ("bring_in", game.bring_in, 0),
        ("min_bet", game.min_bet, BY_DEFAULT),
        ("raises", game.raises, BY_DEFAULT),
        ("boards", game.boards, 1),
        ("runs", game.runs, BY_DEFAULT),
        ("hand_cap", game.hand_cap, 0),
        ("pot_unit", game.pot_unit, 0),
        ("restraddles", game.restraddles, 0),
        ("min_blind_chips", game.min_blind_chips, 0),
        ("return_minutes", game.return_minutes, 0),
        ("substantial_action", game.substantial_action, BY_DEFAULT),
    )
    for key, value, least in amounts:
        if not least <= value <= MOST_AMOUNT:
            raise GameError(key, value, f"a whole number from {max(least, 0)} to {MOST_AMOUNT}")
    if game.restraddles > MOST_RESTRADDLES:
        raise GameError("restraddles", game.restraddles, f"at most {MOST_RESTRADDLES}")
    for key, most in (("boards", game.boards), ("runs", game.runs)):
        if most > MOST_BOARDS or most == 0:
            raise GameError(key, most, f"1 to {MOST_BOARDS}")
    if game.boards > 1 and not game.kind.by_flop:
        raise GameError("boards", game.boards, f"1 in {game.variant}, which has no board")
    if game.button_straddle != "none" and game.straddle == "sleeper":
        raise GameError("button_straddle", game.button_straddle, "none where straddles are sleepers")
    if not 0 <= game.rock <= 10:
        raise GameError("rock", game.rock, "the seat that holds the rock, 1 to 10, or 0")
    if len(game.blinds) > MOST_BLINDS or not all(0 <= blind <= MOST_AMOUNT for blind in game.blinds):
        raise GameError("blinds", list(game.blinds), f"up to {MOST_BLINDS} amounts from 0 to {MOST_AMOUNT}")
    _check_limits(game)
    _check_buy_in(game)
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
    if game.structure not in BIG_BET:
        _check_opening(game)


def _check_opening(game: Game) -> None:
    for entry in game.opening:
        least, most = _as_range(entry)
        if entry != 0 and not 0 < least <= most <= MOST_AMOUNT:
            written = [each if isinstance(each, int) else list(each) for each in game.opening]
            raise GameError("opening", written, "by round one amount or [least, most]; 0: as the later bets")


def _check_buy_in(game: Game) -> None:
    least, most = game.buy_in or (1, 1)
    if not 0 < least <= (MOST_AMOUNT if most == "largest" else most) <= MOST_AMOUNT:
        raise GameError("buy_in", [least, most], '[least, most]; the most may be "largest"')


def _check_house_money(game: Game) -> None:
    amounts = [("rake.cap", game.rake.cap)] if game.rake else []
    drops = [("jackpot", one) for one in game.jackpot] + [("kitty", one) for one in game.kitty]
    amounts += [(f"{key}.{field}", value) for key, one in drops for field, value in _of_drop(one)]
    amounts += [("kill.pot", game.kill.pot), ("kill.wins", game.kill.wins)] if game.kill else []
    for key, value in amounts:
        if not 0 <= value <= MOST_AMOUNT:
            raise GameError(key, value, f"a whole number from 0 to {MOST_AMOUNT}")
    if game.rake and not 0 <= game.rake.percent <= 100:
        raise GameError("rake.percent", game.rake.percent, "0 to 100")
    if game.kill:
        _check_kill(game, game.kill)


def _of_drop(drop: Jackpot) -> tuple[tuple[str, int], ...]:
    return ("amount", drop.amount), ("pot", drop.pot)


def _check_kill(game: Game, kill: Kill) -> None:
    if not 1 <= kill.factor <= MOST_FACTOR:  # nan is neither
        raise GameError("kill.factor", kill.factor, f"a number from 1 to {MOST_FACTOR}")
    opening = tuple(amount for entry in game.opening for amount in _as_range(entry))
    limits = {
        "fixed-limit": (*game.bets, *opening),
        "spread-limit": (*(amount for pair in game.spread for amount in pair), *opening),
    }
    factor = Fraction(kill.factor)
    largest = max((*game.blinds, game.min_bet, *game.bets, *(most for _, most in game.spread), *opening), default=0)
    if largest * factor > MOST_AMOUNT:
        raise GameError("kill.factor", kill.factor, f"one that keeps {largest} below {MOST_AMOUNT}")
    for amount in (game.big_blind, *limits.get(game.structure, (max(0, game.min_bet),))):
        grown = amount * factor
        if grown.denominator != 1 or grown % game.unit:
            raise GameError("kill.factor", kill.factor, f"one that keeps {amount} a multiple of the unit")
