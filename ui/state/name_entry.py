"""The entry of a name on the keyboard of the screen."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum, auto
from typing import Final

MAX_NAME_LENGTH: Final = 20
"""Maximum length of a name, which fits a seat tile."""
CAPITAL_AFTER: Final = frozenset({"-", ".", "'"})
"""Characters after which a capital follows, as in Smith-Jones, J.Lee and O'Neill."""


@dataclass(frozen=True, slots=True)
class LetterKey:
    """A key that adds its text to the name. Some keys add more than one letter."""

    text: str


class KeyboardKey(Enum):
    """A key of the keyboard that adds no text."""

    DELETE = auto()
    OTHER_LETTERS = auto()


@dataclass(frozen=True, slots=True)
class TypedName:
    """A name that is being entered, as the texts of the pressed keys."""

    keys: tuple[str, ...] = ()
    layer: int = 0
    """Index of the set of letters that the keyboard shows, if a language has several sets."""

    @property
    def name(self) -> str:
        """Return the current name."""
        return "".join(self.keys)


def capitalize_letter(letter: str) -> str:
    """Return the capital of a letter. A letter with a capital of two letters, such as ß, is unchanged."""
    capital = letter.upper()
    return capital if len(capital) == len(letter) else letter


def typed_name(name: str) -> TypedName:
    """Return the entry for an existing name, so that it can be changed."""
    return TypedName(tuple(name))


def press_letter(typed: TypedName, letter: LetterKey) -> TypedName:
    """Return the entry after one more letter key. A key that would exceed the maximum length changes nothing."""
    is_capital = not typed.keys or typed.keys[-1] in CAPITAL_AFTER
    text = capitalize_letter(letter.text) if is_capital else letter.text
    if len(typed.name) + len(text) > MAX_NAME_LENGTH:
        return typed
    return replace(typed, keys=(*typed.keys, text))


def press_keyboard_key(typed: TypedName, key: KeyboardKey) -> TypedName:
    """Return the entry after DELETE, without its last key, or after OTHER_LETTERS, with the next set of letters."""
    if key is KeyboardKey.DELETE:
        return replace(typed, keys=typed.keys[:-1])
    return replace(typed, layer=typed.layer + 1)
