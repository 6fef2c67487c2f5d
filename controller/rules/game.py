"""Rules of a game as a house plays it: structure, forced bets and house rules.

A `Game` is the typed form of `[game]` in a table script. tests/table-scripts.md describes every key and its default. A
`Game` is always complete, because it fills in the defaults that depend on other keys when it is created.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import ClassVar, Literal

from controller.rules.variants import VARIANTS, VariantName, VariantRules
from firmware_bridge.errors import FaultSource, PotkeeperError

Structure = Literal["no-limit", "pot-limit", "half-pot", "fixed-limit", "spread-limit"]
"""Betting structure of a game."""

BIG_BET_STRUCTURES = ("no-limit", "pot-limit", "half-pot")
"""Betting structures without bets of a fixed size. In these structures, the number of raises has no maximum, and a
short bet is never completed to a full bet."""
MAX_BLINDS = 3
"""Maximum number of forced blinds: button, small blind and big blind. No cardroom game has a fourth."""
UNSET = -1
"""Placeholder for a number that the house did not set. Other keys then decide its default."""


MAX_AMOUNT = 10**14
"""Maximum stack, bet or limit in units of account. Larger amounts must be typing errors, and no screen could show them.
The maximum also keeps all chips of a table together far below `hand.UNLIMITED`."""
MAX_RESTRADDLES = 7
"""Maximum number of re-straddles: one for each of ten seats except the two blinds and the first straddle."""
MAX_BOARDS = 3
"""Maximum number of boards in one hand. A deck has too few cards for four boards."""
MAX_KILL_FACTOR = 10
"""Maximum factor of a kill. Real kill games at most double, so that a larger factor is a typing error."""


class GameError(PotkeeperError):
    """Raised if a key of the game has a value that cannot be played. Names the key, the value and what was expected."""

    fault: ClassVar[FaultSource] = "person"

    def __init__(self, key: str, value: object, expected: str) -> None:
        super().__init__(f"{key} = {value!r}: expected {expected}")
        self.key = key


@dataclass(frozen=True, slots=True, kw_only=True)
class Rake:
    """Rake: the part of the called chips that the house keeps."""

    percent: float
    """Percentage of the called chips in all pots together."""
    cap: int = 0
    """Maximum rake in a hand, or 0 for no maximum."""
    no_flop_no_drop: bool = False
    """True if the house takes nothing from a hand that ends in the first betting round."""
    as_built: bool = False
    """True if the rake is taken street by street, at each deal."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Jackpot:
    """A jackpot or kitty: `amount` is taken out of the pot when the called chips reach the total `pot`."""

    amount: int
    pot: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Kill:
    """Condition and size of a kill.

    A player kills the next hand by winning a pot of at least `pot`, or `wins` hands in a row. The kill blind is
    `factor` times the big blind, and all limits are multiplied by `factor`.
    """

    factor: float = 2
    pot: int = 0
    wins: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Game:
    """Complete rules of a game, with amounts in the unit of account.

    Raises GameError if a value cannot be played. tests/table-scripts.md explains each field.
    """

    variant: VariantName = "holdem"
    structure: Structure = "no-limit"
    blinds: tuple[int, ...] = ()
    blind_on: Literal["left", "button"] = "left"
    ante: int = 0
    ante_by: Literal["each", "button", "big-blind"] = "each"
    ante_per_player: bool = False
    """True if one seat pays for all players, and pays `ante` for each player who is dealt in."""
    ante_order: Literal["ante", "blind"] | None = None
    bring_in: int = 0
    bets: tuple[int, ...] = ()
    spread: tuple[tuple[int, int], ...] = ()
    opening: tuple[int | tuple[int, int], ...] = ()
    min_bet: int = UNSET
    unit: int = 1
    raises: int = UNSET
    heads_up_uncapped: bool | None = None
    """True if the maximum number of raises no longer applies once only two players are left in the hand. If the maximum
    was reached before, it still applies. None, the default with `tda`, means that only a table with two players has no
    maximum."""
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
    """Seat that acts first if the button straddles, or `none` if the button may not straddle."""
    rock: int = 0
    kill: Kill | None = None
    kill_acts: Literal["last", "turn"] = "last"
    button_rule: Literal["dead", "moving", "simplified"] = "dead"
    absent: Literal["skipped", "dealt-in"] = "skipped"
    new_player_posts: bool = False
    new_game_free: bool = False
    """True if in a newly started game nobody posts or waits in a seat that the blinds have not passed yet."""
    double_post: bool = False
    """True if a new player posts twice the big blind, as in lowball."""
    between_blinds: Literal["wait", "deal"] = "wait"
    buy_button: bool = False
    """True if the step `buys-button` is allowed."""
    seat_change: Literal["free", "waits"] | None = None
    """The value `waits` if a player who moves away from the big blind must sit out some hands, or post."""
    post_one_at_a_time: bool = False
    min_blind_chips: int = 0
    chop: bool | None = None
    open_all_in_hands: bool | None = None
    """True if the players turn their hands up once a player is all-in and nobody can bet any longer. None means True
    with `tda` and False with `roberts`."""
    stakes: Literal["table", "open"] = "table"
    buy_in: tuple[int, int | Literal["largest"]] | None = None
    return_minutes: int = 0
    clock_seconds: int = 30
    """Time in seconds for a player on whom the clock is called. TDA 29: 25 seconds, and a countdown of 5."""
    rake: Rake | None = None
    jackpot: tuple[Jackpot, ...] = ()
    kitty: tuple[Jackpot, ...] = ()
    boards: int = 1
    runs: int = UNSET
    bomb_button: Literal["moves", "stays"] = "moves"
    rulebook: Literal["roberts", "tda"] = "roberts"
    substantial_action: int = UNSET

    def __post_init__(self) -> None:
        _check(self)
        fill = object.__setattr__  # A frozen dataclass does not allow plain assignment.
        if self.min_bet == UNSET:
            fill(self, "min_bet", max(self.blinds) if any(self.blinds) else self.unit)
        if self.raises == UNSET:
            fill(self, "raises", 4 if len(self.variant_rules.round_names) == 2 else 3)
        if self.heads_up_uncapped is None and self.rulebook == "roberts":
            fill(self, "heads_up_uncapped", True)
        if self.all_in_rule is None:
            fill(self, "all_in_rule", "full-bet" if self.structure in BIG_BET_STRUCTURES else "half-bet")
        if self.runs == UNSET:
            fill(self, "runs", 1 if self.rulebook == "tda" else MAX_BOARDS)
        if self.raise_in_motions is None:
            fill(self, "raise_in_motions", self.rulebook == "roberts" and self.structure in BIG_BET_STRUCTURES)
        if self.ante_order is None:
            fill(self, "ante_order", "blind" if self.rulebook == "tda" else "ante")
        if self.seat_change is None:
            fill(self, "seat_change", "waits" if self.rulebook == "roberts" else "free")
        if self.chop is None:
            fill(self, "chop", self.rulebook == "roberts")
        if self.ante_counts_first_round is None:
            fill(self, "ante_counts_first_round", self.ante_by == "each")

    @property
    def variant_rules(self) -> VariantRules:
        """Return the properties of the variant of this game, such as its betting rounds."""
        return VARIANTS[self.variant]

    @property
    def big_blind(self) -> int:
        """Return the largest forced blind, or 0 in a game without blinds."""
        return max(self.blinds, default=0)

    @property
    def opens_all_in_hands(self) -> bool:
        """Return True if hands are turned up once a player is all-in and nobody can bet any longer (TDA 16)."""
        return self.rulebook == "tda" if self.open_all_in_hands is None else self.open_all_in_hands

    def ante_for_all(self, dealt_in: int) -> int:
        """Return the ante that one seat pays for all players if this number of players is dealt in."""
        return self.ante * dealt_in if self.ante_per_player else self.ante

    def min_bet_of_round(self, betting_round: int) -> int:
        """Return the minimum opening bet of a betting round. `betting_round` is 1 for the first round."""
        if self.structure == "fixed-limit":
            return self.bets[betting_round - 1]
        if self.structure == "spread-limit":
            return self.spread[betting_round - 1][0]
        return self.min_bet

    def opening_range(self, betting_round: int) -> tuple[int, int] | None:
        """Return the range of a round's opening bet, or None if it is the same as for later bets.

        `betting_round` is 1 for the first round. Only fixed and spread limit can have such a range.
        Source: Betting in poker, "Open".
        """
        if self.structure in BIG_BET_STRUCTURES or len(self.opening) < betting_round:
            return None
        minimum, maximum = _as_range(self.opening[betting_round - 1])
        return (minimum, maximum) if maximum else None

    def substantial_action_count(self, with_chips: bool) -> int:
        """Return how many players must act behind a skipped seat before the skipping is final (substantial action).

        `with_chips` is True if at least one of these players put in chips.
        Source: Robert's Rules 3.11, TDA 36.
        """
        if self.substantial_action != UNSET:
            return self.substantial_action
        return 2 if self.rulebook == "tda" and with_chips else 3

    def with_kill_limits(self) -> Game:
        """Return a copy of the game with all limits multiplied by the kill factor."""
        assert self.kill is not None
        factor = Fraction(self.kill.factor)

        def grow(amount: int) -> int:
            return int(amount * factor)

        grown = replace(
            self,
            kill=None,  # The check of `kill.factor` applies to the limits before the kill, not to the grown limits.
            bets=tuple(grow(bet) for bet in self.bets),
            spread=tuple((grow(minimum), grow(maximum)) for minimum, maximum in self.spread),
            opening=tuple(
                grow(entry) if isinstance(entry, int) else (grow(entry[0]), grow(entry[1])) for entry in self.opening
            ),
            min_bet=grow(self.min_bet),
        )
        object.__setattr__(grown, "kill", self.kill)
        return grown


def _as_range(entry: int | tuple[int, int]) -> tuple[int, int]:
    """Return the range of an opening bet that an entry of the key `opening` describes.

    A single amount is both the minimum and the maximum.
    """
    return (entry, entry) if isinstance(entry, int) else entry


def _check(game: Game) -> None:
    """Raise GameError for the first invalid setting of a game."""
    amounts: tuple[tuple[str, int, int], ...] = (
        ("unit", game.unit, 1),
        ("ante", game.ante, 0),
        ("bring_in", game.bring_in, 0),
        ("min_bet", game.min_bet, UNSET),
        ("raises", game.raises, UNSET),
        ("boards", game.boards, 1),
        ("runs", game.runs, UNSET),
        ("hand_cap", game.hand_cap, 0),
        ("pot_unit", game.pot_unit, 0),
        ("restraddles", game.restraddles, 0),
        ("min_blind_chips", game.min_blind_chips, 0),
        ("return_minutes", game.return_minutes, 0),
        ("clock_seconds", game.clock_seconds, 1),
        ("substantial_action", game.substantial_action, UNSET),
    )
    for key, value, minimum in amounts:
        if not minimum <= value <= MAX_AMOUNT:
            raise GameError(key, value, f"a whole number from {max(minimum, 0)} to {MAX_AMOUNT}")
    if game.restraddles > MAX_RESTRADDLES:
        raise GameError("restraddles", game.restraddles, f"at most {MAX_RESTRADDLES}")
    for key, count in (("boards", game.boards), ("runs", game.runs)):
        if count > MAX_BOARDS or count == 0:
            raise GameError(key, count, f"1 to {MAX_BOARDS}")
    if game.boards > 1 and not game.variant_rules.has_flop:
        raise GameError("boards", game.boards, f"1, because {game.variant} has no board")
    if game.ante_per_player and game.ante_by == "each":
        raise GameError("ante_per_player", True, 'false, because with ante_by = "each" every player pays the ante')
    if game.button_straddle != "none" and game.straddle == "sleeper":
        raise GameError(
            "button_straddle", game.button_straddle, '"none", because straddle = "sleeper" allows no button straddle'
        )
    if not 0 <= game.rock <= 10:
        raise GameError("rock", game.rock, "the seat with the rock, 1 to 10, or 0 for no rock")
    if len(game.blinds) > MAX_BLINDS or not all(0 <= blind <= MAX_AMOUNT for blind in game.blinds):
        raise GameError("blinds", list(game.blinds), f"up to {MAX_BLINDS} amounts from 0 to {MAX_AMOUNT}")
    _check_limits(game)
    _check_buy_in(game)
    _check_house_money(game)


def _check_limits(game: Game) -> None:
    """Raise GameError if the game does not set the limits that its betting structure needs."""
    rounds = len(game.variant_rules.round_names)
    if game.structure == "fixed-limit" and (
        len(game.bets) < rounds or not all(0 < bet <= MAX_AMOUNT for bet in game.bets)
    ):
        raise GameError(
            "bets", list(game.bets), f"a bet size for each of the {rounds} betting rounds of {game.variant}"
        )
    if game.structure == "spread-limit" and (
        len(game.spread) < rounds or any(not 0 < minimum <= maximum <= MAX_AMOUNT for minimum, maximum in game.spread)
    ):
        raise GameError(
            "spread", [list(pair) for pair in game.spread], f"[minimum, maximum] for each of {rounds} rounds"
        )
    if game.structure not in BIG_BET_STRUCTURES:
        _check_opening(game)


def _check_opening(game: Game) -> None:
    for entry in game.opening:
        minimum, maximum = _as_range(entry)
        if entry != 0 and not 0 < minimum <= maximum <= MAX_AMOUNT:
            values = [item if isinstance(item, int) else list(item) for item in game.opening]
            raise GameError(
                "opening", values, "for each round an amount, [minimum, maximum], or 0 for no special opening bet"
            )


def _check_buy_in(game: Game) -> None:
    minimum, maximum = game.buy_in or (1, 1)
    if not 0 < minimum <= (MAX_AMOUNT if maximum == "largest" else maximum) <= MAX_AMOUNT:
        raise GameError("buy_in", [minimum, maximum], '[minimum, maximum], in which the maximum may be "largest"')


def _check_house_money(game: Game) -> None:
    amounts = [("rake.cap", game.rake.cap)] if game.rake else []
    drops = [("jackpot", drop) for drop in game.jackpot] + [("kitty", drop) for drop in game.kitty]
    amounts += [(f"{key}.{field}", value) for key, drop in drops for field, value in _drop_fields(drop)]
    amounts += [("kill.pot", game.kill.pot), ("kill.wins", game.kill.wins)] if game.kill else []
    for key, value in amounts:
        if not 0 <= value <= MAX_AMOUNT:
            raise GameError(key, value, f"a whole number from 0 to {MAX_AMOUNT}")
    if game.rake and not 0 <= game.rake.percent <= 100:
        raise GameError("rake.percent", game.rake.percent, "0 to 100")
    if game.kill:
        _check_kill(game, game.kill)


def _drop_fields(drop: Jackpot) -> tuple[tuple[str, int], ...]:
    return ("amount", drop.amount), ("pot", drop.pot)


def _check_kill(game: Game, kill: Kill) -> None:
    if not 1 <= kill.factor <= MAX_KILL_FACTOR:  # also rejects nan
        raise GameError("kill.factor", kill.factor, f"a number from 1 to {MAX_KILL_FACTOR}")
    opening = tuple(amount for entry in game.opening for amount in _as_range(entry))
    limits = {
        "fixed-limit": (*game.bets, *opening),
        "spread-limit": (*(amount for pair in game.spread for amount in pair), *opening),
    }
    factor = Fraction(kill.factor)
    largest = max(
        (*game.blinds, game.min_bet, *game.bets, *(maximum for _, maximum in game.spread), *opening), default=0
    )
    if largest * factor > MAX_AMOUNT:
        raise GameError("kill.factor", kill.factor, f"a factor that keeps {largest} below {MAX_AMOUNT}")
    for amount in (game.big_blind, *limits.get(game.structure, (max(0, game.min_bet),))):
        grown = amount * factor
        if grown.denominator != 1 or grown % game.unit:
            raise GameError("kill.factor", kill.factor, f"a factor that keeps {amount} a multiple of the unit")
