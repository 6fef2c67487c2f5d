"""The PHH file format: a hand history as text, read into a typed value.

The format is described in "Recording and Describing Poker Hands" (Kim, 2024), https://phh.readthedocs.io. The code of a
game consists of a letter for the limit (F, P or N) and letters for the variant. `NT` is no-limit hold'em, and `F2L3D`
is fixed-limit deuce-to-seven triple draw.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any, NamedTuple

from controller.config import BadInputError, quote_key, quote_value, read_file
from controller.histories.custom_fields import OriginalHand, read_custom_fields
from controller.rules import MAX_AMOUNT, MAX_SEATS, VARIANTS, Structure, VariantName
from hardware.text_input_validation import EXPECTED_NAME, is_valid_name

MAX_FILE_BYTES = 1_000_000
"""Maximum size of a file in bytes. A hand has only a few kilobytes, so a larger file must be a mistake."""
MAX_ACTIONS = 5_000
"""Maximum number of actions in a file."""
MAX_DECIMALS = 6
"""Maximum number of decimals of an amount.

No currency has more decimals. Without this limit, a typing error could become a number that is too long for the screen.
"""

LIMITS: dict[str, Structure] = {"F": "fixed-limit", "P": "pot-limit", "N": "no-limit"}
"""Betting structures by the limit letter of a game code, such as `N` for no-limit."""
GAMES: dict[str, VariantName] = {
    "T": "holdem",
    "S": "short-deck",
    "O": "omaha",
    "O/8": "omaha8",
    "7S": "stud",
    "7S/8": "stud8",
    "R": "razz",
    "5S": "five-card-stud",  # The PHH standard does not define this code.
    "2L1D": "single-draw",
    "2L3D": "triple-draw",
    "B": "badugi",
}
"""Variants by the rest of a game code after the limit letter, such as `T` for hold'em."""
VARIANT_CODES: tuple[str, ...] = tuple(limit + game for limit in LIMITS for game in GAMES)
"""All codes of games that can be read."""

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


class PhhAction(NamedTuple):
    """One action of the file.

    `verb` is the word that names the action in the file: f, cc, cbr, pb, sd, sm, db or dh. The verb is "" if the line
    has only a comment.
    """

    verb: str
    player: int = 0
    """Number of the player, beginning with 1. The number is 0 if the cards belong to the board."""
    amount: int = 0
    cards: str = ""
    """The cards of the action, as written in the file.

    The text is "" for an action without cards. The text is "-" if a player shows cards that the file does not name.
    """
    text: str = ""


BETTING_VERBS = frozenset({"f", "cc", "cbr", "pb"})
"""Verbs for a fold (f), a check or call (cc), a bet or raise (cbr), and a bring-in (pb)."""


class PhhHand(NamedTuple):
    """One hand of a PHH file.

    All amounts are the amounts of the file times `scale`, so that they are integers. Tuples with a value for every
    player begin with player 1, who sits to the left of the button. If only two players are in the hand, player 2 has
    the button.
    """

    code: str
    variant: VariantName
    structure: Structure
    antes: tuple[int, ...]
    blinds: tuple[int, ...]
    """The blind of every player. A negative amount is a post out of position.

    If only two players are in the hand, the file lists their two amounts in reverse order.
    """
    stacks: tuple[int, ...]
    actions: tuple[PhhAction, ...]
    bring_in: int = 0
    small_bet: int = 0
    big_bet: int = 0
    min_bet: int = 0
    finishing: tuple[int, ...] = ()
    """The final stacks, or () if the file does not contain them."""
    players: tuple[str, ...] = ()
    scale: int = 1
    original: OriginalHand | None = None
    """The hand as Potkeeper recorded it at the table, or None if another program wrote the file."""


def load_hand(path: Path) -> PhhHand:
    """Return the hand in a file.

    Raise BadInputError with one line that says which key and value are wrong and what was expected.
    """
    try:
        data = read_file(path, MAX_FILE_BYTES)
    except OSError as error:
        raise BadInputError(f"cannot be read: {error.strerror}, expected a file with one hand") from None
    try:
        return parse_hand(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise BadInputError(f"byte {error.start}: expected UTF-8 text") from None


def parse_hand(text: str) -> PhhHand:
    """Return the hand in a PHH text. Raise BadInputError if the text is not valid."""
    try:
        values = tomllib.loads(text, parse_float=Decimal)
    except ArithmeticError:
        raise BadInputError("not TOML: a number is too large, expected TOML") from None
    except (ValueError, RecursionError) as error:  # An int with too many digits raises ValueError.
        raise BadInputError(f"not TOML: {error}") from None
    return hand_from_values(values)


def hand_from_values(values: Mapping[str, Any]) -> PhhHand:
    """Return the hand that TOML values describe. Raise BadInputError if a value is not valid.

    Amounts with a fraction must have the type Decimal.
    """
    if values and all(isinstance(value, dict) for value in values.values()):  # A file .phhs has numbered tables.
        raise BadInputError(f"{len(values)} hands in tables, as in a .phhs file: expected a .phh file with one hand")
    code = values.get("variant")
    if not isinstance(code, str) or code not in VARIANT_CODES:
        raise BadInputError(f"variant = {quote_value(code)}: expected one of {', '.join(VARIANT_CODES)}")
    structure, variant = LIMITS[code[0]], GAMES[code[1:]]
    required_keys = _required_keys(structure, variant)
    for key in values:
        if (
            key not in (*required_keys, "blinds_or_straddles", *_AMOUNTS)
            and key not in _OPTIONAL
            and not key.startswith("_")
        ):
            raise BadInputError(f"{quote_key(key)}: no such key, expected a PHH field or a name that begins with _")
    for key in required_keys:
        if key not in values:
            raise BadInputError(f"{key}: missing, variant {code} needs it")
    raw_amounts = _RawAmounts(values)
    count = len(raw_amounts.stacks)
    blinds = (
        raw_amounts.list_of("blinds_or_straddles", count)
        if not VARIANTS[variant].opener_by_cards
        else (Decimal(0),) * count
    )
    scale = raw_amounts.scale()
    players = _players(values.get("players"), count)
    hand = PhhHand(
        code=code,
        variant=variant,
        structure=structure,
        antes=_in_seat_order(_to_integers(raw_amounts.list_of("antes", count), scale)),
        blinds=_in_seat_order(_to_integers(blinds, scale)),
        stacks=_to_integers(raw_amounts.stacks, scale),
        actions=tuple(_with_integer_amount(action, amount, scale) for action, amount in raw_amounts.actions),
        **{key: _to_integers((raw_amounts.amount(key),), scale)[0] for key in _AMOUNTS},
        finishing=_to_integers(raw_amounts.finishing, scale),
        players=players,
        scale=scale,
        original=read_custom_fields(values, count),
    )
    _check_amounts(hand, required_keys)
    return hand


def _required_keys(structure: Structure, variant: VariantName) -> tuple[str, ...]:
    """Return the keys that a file with this betting structure and variant must contain."""
    bets = ("small_bet", "big_bet") if structure == "fixed-limit" else ("min_bet",)
    return (*_REQUIRED, "bring_in" if VARIANTS[variant].opener_by_cards else "blinds_or_straddles", *bets)


class _RawAmounts:
    """The amounts of a file as decimal numbers, before they are converted to integers."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        """Read all amounts of the file. Raise BadInputError if an amount is not valid."""
        self.values = values
        self.stacks = self.list_of("starting_stacks")
        if not 2 <= len(self.stacks) <= MAX_SEATS:
            raise BadInputError(f"starting_stacks: {len(self.stacks)} players, expected 2 to {MAX_SEATS}")
        finishing = values.get("finishing_stacks")
        self.finishing = self.list_of("finishing_stacks", len(self.stacks)) if finishing is not None else ()
        self.actions = self._actions()

    def list_of(self, key: str, count: int | None = None) -> tuple[Decimal, ...]:
        """Return the list of amounts under a key.

        If `count` is given, the list must have this number of entries. Raise BadInputError if the list is not valid.
        """
        value = self.values.get(key, [])
        if not isinstance(value, list) or (count is not None and len(value) != count):
            raise BadInputError(f"{key} = {quote_value(value)}: expected {count or 'some'} amounts in a list")
        return tuple(_decimal(f"{key}[{index}]", item) for index, item in enumerate(value))

    def amount(self, key: str) -> Decimal:
        """Return a single amount, or 0 if the file does not contain the key."""
        return _decimal(key, self.values.get(key, 0))

    def _actions(self) -> list[tuple[PhhAction, Decimal]]:
        """Return all actions with their amounts."""
        lines = self.values["actions"]
        if not isinstance(lines, list) or len(lines) > MAX_ACTIONS:
            raise BadInputError(f"actions = {quote_value(lines)}: expected at most {MAX_ACTIONS} actions in a list")
        return [_action(f"actions[{index}]", line, len(self.stacks)) for index, line in enumerate(lines)]

    def scale(self) -> int:
        """Return the smallest power of ten by which all amounts must be multiplied to become integers."""
        amounts = [*self.stacks, *self.finishing, *(amount for _, amount in self.actions)]
        amounts += [self.amount(key) for key in _AMOUNTS]
        for key in ("antes", "blinds_or_straddles"):
            amounts += self.list_of(key)
        decimals = max(_decimals(amount) for amount in amounts)
        if decimals > MAX_DECIMALS:
            raise BadInputError(f"amounts with {decimals} decimals: expected at most {MAX_DECIMALS}")
        return int(10**decimals)


def _decimal(where: str, value: object) -> Decimal:
    """Return the value as an amount. Raise BadInputError if the value is not an amount."""
    if isinstance(value, bool) or not isinstance(value, (int, Decimal)):
        raise BadInputError(f"{where} = {quote_value(value)}: expected an amount")
    amount = Decimal(value)
    if not amount.is_finite() or amount.copy_abs() > MAX_AMOUNT:
        text = quote_key(value) if isinstance(value, Decimal) else quote_value(value)
        raise BadInputError(f"{where} = {text}: expected an amount up to {MAX_AMOUNT}")
    return amount


def _decimals(amount: Decimal) -> int:
    """Return the number of decimals of an amount."""
    exponent = amount.normalize().as_tuple().exponent
    return max(0, -exponent) if isinstance(exponent, int) else 0


def _to_integers(amounts: tuple[Decimal, ...], scale: int) -> tuple[int, ...]:
    """Return amounts as integers."""
    return tuple(int(amount * scale) for amount in amounts)


def _with_integer_amount(action: PhhAction, amount: Decimal, scale: int) -> PhhAction:
    """Return a copy of the action with its amount multiplied by `scale`, as an integer."""
    return action._replace(amount=int(amount * scale))


def _in_seat_order(amounts: tuple[int, ...]) -> tuple[int, ...]:
    """Return amounts in the order of the seats.

    A file with two players lists the amount of player 2 first. Player 2 has the button and posts the small blind.
    """
    return amounts[::-1] if len(amounts) == 2 else amounts


def _players(value: object, count: int) -> tuple[str, ...]:
    """Return the names of the players, or () if the file does not contain them."""
    if value is None:
        return ()
    if not isinstance(value, list) or len(value) != count or not all(isinstance(name, str) for name in value):
        raise BadInputError(f"players = {quote_value(value)}: expected {count} names in a list")
    for number, name in enumerate(value):
        if name and not is_valid_name(name):
            raise BadInputError(f"players[{number}] = {quote_value(name)}: {EXPECTED_NAME}")
    return tuple(value)


def _action(where: str, line: object, count: int) -> tuple[PhhAction, Decimal]:
    """Parse the text of an action. Return the action and the amount that the file has for it.

    Text after a # is a comment.
    """
    expected = "'p1 f', 'p1 cc', 'p1 cbr 40', 'p1 pb', 'p1 sd CARDS', 'p1 sm CARDS', 'd dh p1 CARDS' or 'd db CARDS'"
    if not isinstance(line, str):
        raise BadInputError(f"{where} = {quote_value(line)}: expected {expected}")
    no_amount, text = Decimal(0), line.partition("#")[0].strip()
    match text.split():
        case []:
            return PhhAction("", text=text), no_amount
        case [player, ("f" | "cc" | "pb" | "sd" | "sm") as verb] if _is_player(player, count):
            return PhhAction(verb, int(player[1:]), text=text), no_amount
        case [player, "cbr", number] if _is_player(player, count) and _NUMBER.fullmatch(number):
            amount = _decimal(where, Decimal(number.replace(",", "")))
            if not amount:
                raise BadInputError(f"{where} = {quote_value(line)}: expected an amount above 0")
            return PhhAction("cbr", int(player[1:]), text=text), amount
        case [player, ("sd" | "sm") as verb, cards] if _is_player(player, count) and _are_cards(cards, verb):
            return PhhAction(verb, int(player[1:]), cards=cards, text=text), no_amount
        case ["d", "db", cards] if _are_cards(cards):
            return PhhAction("db", cards=cards, text=text), no_amount
        case ["d", "dh", player, cards] if _is_player(player, count) and _are_cards(cards):
            return PhhAction("dh", int(player[1:]), cards=cards, text=text), no_amount
    raise BadInputError(f"{where} = {quote_value(line)}: expected {expected} with {count} players")


def _is_player(word: str, count: int) -> bool:
    """Return True if the word is the name of one of `count` players, such as `p1`."""
    return bool(_PLAYER.fullmatch(word)) and int(word[1:]) <= count


def _are_cards(word: str, verb: str = "") -> bool:
    """Return True if the word is a list of cards."""
    return bool(_CARDS.fullmatch(word)) or (verb == "sm" and word == "-")


def _check_amounts(hand: PhhHand, required_keys: tuple[str, ...]) -> None:
    """Raise BadInputError if an amount of the hand is too small or too large."""
    for key, amounts, minimum in (
        ("starting_stacks", hand.stacks, 1),
        ("antes", hand.antes, 0),
        ("finishing_stacks", hand.finishing, 0),
    ):
        if any(amount < minimum for amount in amounts):
            raise BadInputError(f"{key} = {list(amounts)}: expected amounts from {minimum}")
        _check_maximum(key, amounts, hand.scale)
    _check_maximum("blinds_or_straddles", hand.blinds, hand.scale)
    _check_maximum("actions", tuple(action.amount for action in hand.actions), hand.scale)
    for key in _AMOUNTS:
        amount = getattr(hand, key)
        _check_maximum(key, (amount,), hand.scale)
        if amount < (1 if key in required_keys and key != "bring_in" else 0):
            raise BadInputError(f"{key} = {amount}: expected an amount from 1")
    if sum(hand.finishing) > sum(hand.stacks) and hand.original is None:
        raise BadInputError(
            f"finishing_stacks: total {sum(hand.finishing)}, expected at most {sum(hand.stacks)} as in starting_stacks"
        )


def _check_maximum(key: str, amounts: tuple[int, ...], scale: int) -> None:
    """Raise BadInputError if an amount, in the smallest unit of the file, is larger than the table supports."""
    maximum = max((abs(amount) for amount in amounts), default=0)
    if maximum > MAX_AMOUNT:
        raise BadInputError(
            f"{key}: {Decimal(maximum) / scale} is {maximum} smallest units, expected {MAX_AMOUNT} or less"
        )
