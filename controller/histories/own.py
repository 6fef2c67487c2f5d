"""What PHH has no place for: fields that begin with an underscore, written, and read back.

`_steps` are the steps of the hand as they happened, and `_whole_table` is the table before the first of them, so that
whatever a rule needs to know is there: who owes what, whose rock it is, which game of a mix comes next. The others say
for readers what the two hold: `_game` the keys of `[game]` that are not as by default, `_accounts` what left the
players in this hand, `_markers` what they owe after it, `_behind` chips that did not play, `_killer`, `_straddlers`,
`_bomb`, `_boards`, `_chopped`, `_warnings`, `_unknown_stacks`: only where there are any.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass
from hashlib import blake2b
from typing import Any, NamedTuple

from controller.config import BadInputError, shown
from controller.histories.played import WholeHand
from controller.journal import whole
from controller.rules import BY_DEFAULT, SEATS, Game
from controller.table import Note, Step, StepError, Table, line, markers_owed, parse

WHOLE, DIGEST, STEPS, BEHIND, SEATED = "_whole_table", "_whole_digest", "_steps", "_behind", "seats"
_DIGEST_BYTES = 8
"""Enough to tell a file that was edited by hand from one that was not."""


class Own(NamedTuple):
    """A hand as it happened at our table."""

    table: Table
    """As it was before the first step."""
    steps: tuple[Step, ...]
    seats: tuple[int, ...]
    """By player, the first one first."""
    behind: tuple[int, ...]
    """By player, chips that did not play behind an all-in: the stacks of the file are without them."""


# --- written ---


def own_fields(table: Table, played: WholeHand, steps: Sequence[Step]) -> dict[str, Any]:
    """The fields of our own for a hand that was played from this table by these steps."""
    hand, game = played.showdown, played.game
    own: dict[str, Any] = {"_variant": game.variant, "_structure": game.structure, "_game": not_by_default(game)}
    own |= {"_game_name": played.game_name, "_button": hand.button, STEPS: [line(what) for what in steps]}
    own |= {key: value for key, value in _where_there_is_one(table, played).items() if value}
    text = whole.write(table._replace(past=(), future=())).decode()
    return own | {WHOLE: text, DIGEST: digest(text)}


def _where_there_is_one(table: Table, played: WholeHand) -> dict[str, Any]:
    hand, after = played.showdown, played.after
    left = {
        name: now - before
        for name, now, before in zip(after.accounts._fields, after.accounts, table.accounts, strict=True)
        if now != before
    }
    return {
        "_warnings": list(played.warnings),
        "_accounts": left,
        "_unknown_stacks": sorted(hand.unknown),
        "_markers": {str(seat): amount for seat, amount in markers_owed(after).items()},
        "_killer": hand.killer,
        "_bomb": hand.bomb,
        "_boards": hand.boards if hand.boards > 1 else 0,
        "_chopped": not played.awards,
        "_straddlers": list(hand.straddles),
        BEHIND: [played.behind[seat] for seat in hand.order] if any(played.behind) else [],
    }


def not_by_default(game: Game) -> dict[str, Any]:
    """The keys of `[game]` with which this game is made; `variant` and `structure` beside them make it again."""
    keys = {key: getattr(game, key) for key in ("variant", "structure")}
    for field in fields(Game):
        value = getattr(game, field.name)
        if value != field.default and field.name not in keys:
            keys[field.name] = value
    usual = _usual(keys)
    told = {key: value for key, value in keys.items() if key not in usual or usual[key] != value}
    return {key: _plain(value) for key, value in told.items() if key not in ("variant", "structure")}


def _usual(keys: Mapping[str, Any]) -> dict[str, Any]:
    """What the keys that hang on others would be if they were not set."""
    hanging = [field.name for field in fields(Game) if field.default is None or field.default == BY_DEFAULT]
    usual = Game(**{key: value for key, value in keys.items() if key not in hanging})
    return {key: getattr(usual, key) for key in hanging}


def _plain(value: Any) -> Any:
    """The value as `[game]` writes it: a table says what is not as by default."""
    if is_dataclass(value):
        said = {field.name: _plain(getattr(value, field.name)) for field in fields(value)}
        by_default = {field.name: field.default for field in fields(value) if field.default is not MISSING}
        return {key: item for key, item in said.items() if key not in by_default or item != by_default[key]}
    return [_plain(item) for item in value] if isinstance(value, (list, tuple)) else value


def digest(text: str) -> str:
    """What tells a text that was edited from the one that was written."""
    return blake2b(text.encode(), digest_size=_DIGEST_BYTES).hexdigest()


# --- read back ---


def read_own(values: Mapping[str, Any], count: int) -> Own | None:
    """The hand as it happened, from a file of ours with `count` players. None where the file is not ours, or of a
    release whose tables had other parts: its other fields still tell the hand.

    Raises BadInputError where fields of ours are not as we write them.
    """
    if WHOLE not in values:
        return None
    text, steps, seats = values[WHOLE], values.get(STEPS), values.get(SEATED)
    if not isinstance(text, str) or values.get(DIGEST) != digest(text):
        raise BadInputError(f"{WHOLE}: changed since it was written, expected the {DIGEST} that belongs to it")
    if not isinstance(steps, list) or not steps:
        raise BadInputError(f"{STEPS} = {shown(steps)}: expected the steps of the hand")
    if not isinstance(seats, list) or len(seats) != count or not all(_is_seat(seat) for seat in seats):
        raise BadInputError(f"{SEATED} = {shown(seats)}: expected the seats of {count} players, 1 to {SEATS}")
    behind = values.get(BEHIND, [0] * count)
    if not isinstance(behind, list) or len(behind) != count or not all(type(chips) is int for chips in behind):
        raise BadInputError(f"{BEHIND} = {shown(behind)}: expected {count} amounts")
    try:
        table = whole.read(Table, text.encode())
    except whole.WholeError:
        return None
    return Own(table, tuple(_step(number, text) for number, text in enumerate(steps, 1)), tuple(seats), tuple(behind))


def _is_seat(seat: object) -> bool:
    return type(seat) is int and 1 <= seat <= SEATS


def _step(number: int, text: object) -> Step:
    try:
        what = parse(text) if isinstance(text, str) else None
    except StepError as error:
        raise BadInputError(f"{STEPS}[{number - 1}]: {error}") from None
    if what is None or isinstance(what, Note):
        raise BadInputError(f"{STEPS}[{number - 1}] = {shown(text)}: expected a step that happens at a table")
    return what
