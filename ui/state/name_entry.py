"""The entry of a name on the keyboard of the screen."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum, auto
from typing import Final

MAX_NAME_LENGTH: Final = 20
"""Maximum number of characters of a name, so that the name fits a seat tile."""
SPACE: Final = " "
CAPITAL_AFTER: Final = frozenset({SPACE, "-", ".", "'"})
"""Characters after which a letter becomes a capital, as in Ann Lee, Smith-Jones, J.Lee and O'Neill."""


@dataclass(frozen=True, slots=True)
class LetterKey:
    """A key that adds text to the name. Some keys add several letters."""

    text: str


class KeyboardKey(Enum):
    """A key of the keyboard that adds no text to the name."""

    DELETE = auto()
    OTHER_LETTERS = auto()


@dataclass(frozen=True, slots=True)
class TypedName:
    """A name during its entry, as a list of the texts of the touched keys."""

    keys: tuple[str, ...] = ()
    layer: int = 0
    """Number of the set of letters that the keyboard shows. Some languages have several sets."""

    @property
    def name(self) -> str:
        """Return the current name. It ends with a space if the next word has not begun."""
        return "".join(self.keys)


def capitalize_letter(letter: str) -> str:
    """Return the capital of a letter. Return the letter itself if its capital has two letters, as ß has."""
    capital = letter.upper()
    return capital if len(capital) == len(letter) else letter


def typed_name(name: str) -> TypedName:
    """Return an existing name in a form that the keyboard can change."""
    return TypedName(tuple(name))


def press_letter(typed: TypedName, letter: LetterKey) -> TypedName:
    """Return the name after a touch on a letter key.

    Return it unchanged if it would get too long, begin with a space, or have two spaces in a row.
    """
    if letter.text == SPACE and typed.name[-1:] in ("", SPACE):
        return typed
    is_capital = not typed.keys or typed.keys[-1] in CAPITAL_AFTER
    text = capitalize_letter(letter.text) if is_capital else letter.text
    if len(typed.name) + len(text) > MAX_NAME_LENGTH:
        return typed
    return replace(typed, keys=(*typed.keys, text))


def press_keyboard_key(typed: TypedName, key: KeyboardKey) -> TypedName:
    """Return the entry after a touch on a key that adds no text.

    DELETE removes the text of the last key. OTHER_LETTERS shows the next set of letters.
    """
    if key is KeyboardKey.DELETE:
        return replace(typed, keys=typed.keys[:-1])
    return replace(typed, layer=typed.layer + 1)
