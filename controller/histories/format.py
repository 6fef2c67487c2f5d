"""The PHH file format: a hand history as text, read into a typed value.

Source: "Recording and Describing Poker Hands" (Kim, 2024), https://phh.readthedocs.io. A code is a letter for the limit
(F, P, N) and one for the game: `NT` is no-limit hold'em, `F2L3D` limit deuce-to-seven triple draw.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any, NamedTuple

from controller.config import BadInputError, named, read_file, shown
from controller.histories.own import Own, read_own
from controller.rules import MOST_AMOUNT, SEATS, VARIANTS, Structure, VariantName

MOST_BYTES = 1_000_000
"""A hand is a few kilobytes; a larger file is a mistake."""
MOST_ACTIONS = 5_000
MOST_DECIMALS = 6
"""No currency is counted finer; keeps a typing error from becoming a number that no screen can show."""

LIMITS: dict[str, Structure] = {"F": "fixed-limit", "P": "pot-limit", "N": "no-limit"}
GAMES: dict[str, VariantName] = {
    "T": "holdem",
    "S": "short-deck",
    "O": "omaha",
    "O/8": "omaha8",
    "7S": "stud",
    "7S/8": "stud8",
    "R": "razz",
    "5S": "five-card-stud",  # no code of the standard
    "2L1D": "single-draw",
    "2L3D": "triple-draw",
    "B": "badugi",
}
VARIANT_CODES: tuple[str, ...] = tuple(limit + game for limit in LIMITS for game in GAMES)

_OPTIONAL = (
    *("author", "event", "url", "venue", "address", "city", "region", "postal_code", "country"),
    *("time", "time_zone", "time_zone_abbreviation", "day", "month", "year", "time_limit", "time_banks"),
    *("hand", "level", "seats", "seat_count", "table", "players", "ante_trimming_status"),
    *("finishing_stacks", "winnings", "currency", "currency_symbol"),
)
_REQUIRED = ("variant", "antes", "starting_stacks", "actions")
_AMOUNTS = ("bring_in", "small_bet", "big_bet", "min_bet")
_CARDS = re.compile(r"(?:(?:10|[2-9TJQKA?])[cdhs?])+")
_PLAYER = re.compile(r"p[1-9][0-9]?")
_NUMBER = re.compile(r"[0-9][0-9,]*(?:\.[0-9]+)?")


class Action(NamedTuple):
    """One action of the file. `verb` is as in the file: f, cc, cbr, pb, sd, sm, db, dh; "" for a comment alone."""

    verb: str
    player: int = 0
    """From 1; 0 for the board."""
    amount: int = 0
    cards: str = ""
    """As written; "" for none, "-" for shown without being named."""
    text: str = ""


BETTING = frozenset({"f", "cc", "cbr", "pb"})
"""What counts as an action of a player: folds, checks and calls, bets and raises, bring-ins."""


class PhhHand(NamedTuple):
    """One hand. All amounts are whole: those of the file times `scale`. By-player tuples begin with player 1, the first
    left of the button; heads-up player 2 has the button."""

    code: str
    variant: VariantName
    structure: Structure
    antes: tuple[int, ...]
    blinds: tuple[int, ...]
    """As posted, so heads-up the other way round than in the file. Negative: a post out of position."""
    stacks: tuple[int, ...]
    actions: tuple[Action, ...]
    bring_in: int = 0
    small_bet: int = 0
    big_bet: int = 0
    min_bet: int = 0
    finishing: tuple[int, ...] = ()
    """The stacks after the hand, () where the file does not say."""
    players: tuple[str, ...] = ()
    scale: int = 1
    own: Own | None = None
    """The hand as it happened, in a file that we wrote."""


def load_hand(path: Path) -> PhhHand:
    """The hand in a file. Raises BadInputError with one line: key, value, what was expected."""
    try:
        data = read_file(path, MOST_BYTES)
    except OSError as error:
        raise BadInputError(f"cannot be read: {error.strerror}, expected the file of one hand") from None
    try:
        return parse_hand(data.decode())
    except UnicodeDecodeError as error:
        raise BadInputError(f"byte {error.start}: expected UTF-8 text") from None


def parse_hand(text: str) -> PhhHand:
    """The hand that PHH text describes. Raises BadInputError."""
    try:
        values = tomllib.loads(text, parse_float=Decimal)
    except ArithmeticError:
        raise BadInputError("not TOML: a number that is out of all bounds, expected TOML") from None
    except (ValueError, RecursionError) as error:  # ValueError: also int's limit of digits
        raise BadInputError(f"not TOML: {error}") from None
    return read_hand(values)


def read_hand(values: Mapping[str, Any]) -> PhhHand:
    """The hand that TOML values describe, floats given as Decimal. Raises BadInputError."""
    code = values.get("variant")
    if not isinstance(code, str) or code not in VARIANT_CODES:
        raise BadInputError(f"variant = {shown(code)}: expected one of {', '.join(VARIANT_CODES)}")
    structure, variant = LIMITS[code[0]], GAMES[code[1:]]
    needed = _needed(structure, variant)
    for key in values:
        if key not in (*needed, "blinds_or_straddles", *_AMOUNTS) and key not in _OPTIONAL and not key.startswith("_"):
            raise BadInputError(f"{named(key)}: no such key, expected a PHH field or a name that begins with _")
    for key in needed:
        if key not in values:
            raise BadInputError(f"{key}: missing, expected it with variant {code}")
    raw = _Raw(values)
    count = len(raw.stacks)
    blinds = raw.list_of("blinds_or_straddles", count) if not VARIANTS[variant].by_board else (Decimal(0),) * count
    scale = raw.scale()
    players = _players(values.get("players"), count)
    hand = PhhHand(
        code=code,
        variant=variant,
        structure=structure,
        antes=_at_table(_whole(raw.list_of("antes", count), scale)),
        blinds=_at_table(_whole(blinds, scale)),
        stacks=_whole(raw.stacks, scale),
        actions=tuple(_scaled(action, amount, scale) for action, amount in raw.actions),
        **{key: _whole((raw.amount(key),), scale)[0] for key in _AMOUNTS},
        finishing=_whole(raw.finishing, scale),
        players=players,
        scale=scale,
        own=read_own(values, count),
    )
    _check(hand, needed)
    return hand


def _needed(structure: Structure, variant: VariantName) -> tuple[str, ...]:
    bets = ("small_bet", "big_bet") if structure == "fixed-limit" else ("min_bet",)
    return (*_REQUIRED, "bring_in" if VARIANTS[variant].by_board else "blinds_or_straddles", *bets)


class _Raw:
    """The amounts of a file before they are made whole."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self.values = values
        self.stacks = self.list_of("starting_stacks")
        if not 2 <= len(self.stacks) <= SEATS:
            raise BadInputError(f"starting_stacks: {len(self.stacks)} players, expected 2 to {SEATS}")
        given = values.get("finishing_stacks")
        self.finishing = self.list_of("finishing_stacks", len(self.stacks)) if given is not None else ()
        self.actions = self._actions()

    def list_of(self, key: str, count: int | None = None) -> tuple[Decimal, ...]:
        value = self.values.get(key, [])
        if not isinstance(value, list) or (count is not None and len(value) != count):
            raise BadInputError(f"{key} = {shown(value)}: expected a list of {count or 'some'} amounts")
        return tuple(_decimal(f"{key}[{index}]", item) for index, item in enumerate(value))

    def amount(self, key: str) -> Decimal:
        return _decimal(key, self.values.get(key, 0))

    def _actions(self) -> list[tuple[Action, Decimal]]:
        lines = self.values["actions"]
        if not isinstance(lines, list) or len(lines) > MOST_ACTIONS:
            raise BadInputError(f"actions = {shown(lines)}: expected a list of at most {MOST_ACTIONS} actions")
        return [_action(f"actions[{index}]", line, len(self.stacks)) for index, line in enumerate(lines)]

    def scale(self) -> int:
        """The least power of ten that makes all amounts whole."""
        amounts = [*self.stacks, *self.finishing, *(amount for _, amount in self.actions)]
        amounts += [self.amount(key) for key in _AMOUNTS]
        for key in ("antes", "blinds_or_straddles"):
            amounts += self.list_of(key)
        decimals = max(_decimals(amount) for amount in amounts)
        if decimals > MOST_DECIMALS:
            raise BadInputError(f"amounts with {decimals} decimals: expected at most {MOST_DECIMALS}")
        return int(10**decimals)


def _decimal(where: str, value: object) -> Decimal:
    if isinstance(value, bool) or not isinstance(value, (int, Decimal)):
        raise BadInputError(f"{where} = {shown(value)}: expected an amount")
    amount = Decimal(value)
    if not amount.is_finite() or amount.copy_abs() > MOST_AMOUNT:
        text = named(value) if isinstance(value, Decimal) else shown(value)
        raise BadInputError(f"{where} = {text}: expected an amount up to {MOST_AMOUNT}")
    return amount


def _decimals(amount: Decimal) -> int:
    exponent = amount.normalize().as_tuple().exponent
    return max(0, -exponent) if isinstance(exponent, int) else 0


def _whole(amounts: tuple[Decimal, ...], scale: int) -> tuple[int, ...]:
    return tuple(int(amount * scale) for amount in amounts)


def _scaled(action: Action, amount: Decimal, scale: int) -> Action:
    return action._replace(amount=int(amount * scale))


def _at_table(amounts: tuple[int, ...]) -> tuple[int, ...]:
    """Heads-up, the file names the small blind first, which player 2 posts: the one with the button."""
    return amounts[::-1] if len(amounts) == 2 else amounts


def _players(value: object, count: int) -> tuple[str, ...]:
    if value is None:
        return ()
    if not isinstance(value, list) or len(value) != count or not all(isinstance(name, str) for name in value):
        raise BadInputError(f"players = {shown(value)}: expected a list of {count} names")
    return tuple(value)


def _action(where: str, line: object, count: int) -> tuple[Action, Decimal]:
    """An action and its amount. Words after a # are a remark."""
    expected = "'p1 f', 'p1 cc', 'p1 cbr 40', 'p1 pb', 'p1 sd CARDS', 'p1 sm CARDS', 'd dh p1 CARDS' or 'd db CARDS'"
    if not isinstance(line, str):
        raise BadInputError(f"{where} = {shown(line)}: expected {expected}")
    none, text = Decimal(0), line.partition("#")[0].strip()
    match text.split():
        case []:
            return Action("", text=text), none
        case [player, ("f" | "cc" | "pb" | "sd" | "sm") as verb] if _is_player(player, count):
            return Action(verb, int(player[1:]), text=text), none
        case [player, "cbr", number] if _is_player(player, count) and _NUMBER.fullmatch(number):
            amount = _decimal(where, Decimal(number.replace(",", "")))
            if not amount:
                raise BadInputError(f"{where} = {shown(line)}: expected an amount above 0")
            return Action("cbr", int(player[1:]), text=text), amount
        case [player, ("sd" | "sm") as verb, cards] if _is_player(player, count) and _are_cards(cards, verb):
            return Action(verb, int(player[1:]), cards=cards, text=text), none
        case ["d", "db", cards] if _are_cards(cards):
            return Action("db", cards=cards, text=text), none
        case ["d", "dh", player, cards] if _is_player(player, count) and _are_cards(cards):
            return Action("dh", int(player[1:]), cards=cards, text=text), none
    raise BadInputError(f"{where} = {shown(line)}: expected {expected}, players p1 to p{count}")


def _is_player(word: str, count: int) -> bool:
    return bool(_PLAYER.fullmatch(word)) and int(word[1:]) <= count


def _are_cards(word: str, verb: str = "") -> bool:
    return bool(_CARDS.fullmatch(word)) or (verb == "sm" and word == "-")


def _check(hand: PhhHand, needed: tuple[str, ...]) -> None:
    for key, amounts, least in (
        ("starting_stacks", hand.stacks, 1),
        ("antes", hand.antes, 0),
        ("finishing_stacks", hand.finishing, 0),
    ):
        if any(amount < least for amount in amounts):
            raise BadInputError(f"{key} = {list(amounts)}: expected amounts from {least}")
        _not_too_large(key, amounts, hand.scale)
    _not_too_large("blinds_or_straddles", hand.blinds, hand.scale)
    _not_too_large("actions", tuple(action.amount for action in hand.actions), hand.scale)
    for key in _AMOUNTS:
        amount = getattr(hand, key)
        _not_too_large(key, (amount,), hand.scale)
        if amount < (1 if key in needed and key != "bring_in" else 0):
            raise BadInputError(f"{key} = {amount}: expected an amount from 1")
    if sum(hand.finishing) > sum(hand.stacks) and hand.own is None:
        raise BadInputError(
            f"finishing_stacks: {sum(hand.finishing)} together, expected at most the {sum(hand.stacks)} of the start"
        )


def _not_too_large(key: str, amounts: tuple[int, ...], scale: int) -> None:
    """Decimals make whole amounts larger: these too must be amounts that a table can have."""
    most = max((abs(amount) for amount in amounts), default=0)
    if most > MOST_AMOUNT:
        raise BadInputError(
            f"{key}: {Decimal(most) / scale} is {most} of the smallest unit, expected at most {MOST_AMOUNT}"
        )
