"""A name typed on the screen, key by key."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum, auto
from typing import Final

MOST_LETTERS: Final = 20
"""Longest name that can be typed: what a seat's tile has room for."""
JOINTS: Final = frozenset({"-", ".", "'"})
"""After these a name goes on with a capital: Smith-Jones, J.Lee, O'Neill."""


@dataclass(frozen=True, slots=True)
class Letter:
    """A key of the keyboard: what it adds to the name. Some add more than one letter."""

    adds: str


class KeyboardKey(Enum):
    """A key of the keyboard that adds nothing."""

    DELETE = auto()
    OTHER_LETTERS = auto()


@dataclass(frozen=True, slots=True)
class Typing:
    """A name as far as it was typed: what each touch has added."""

    keys: tuple[str, ...] = ()
    layer: int = 0
    """Which letters the keyboard shows, where it has more than one set."""

    @property
    def name(self) -> str:
        return "".join(self.keys)


def capital(letter: str) -> str:
    """The letter as a name begins with it; one whose capital is two letters stays as it is, none begins a name."""
    large = letter.upper()
    return large if len(large) == len(letter) else letter


def typing(name: str) -> Typing:
    """A name that is there already, to be changed."""
    return Typing(tuple(name))


def type_letter(typing: Typing, letter: Letter) -> Typing:
    """The name with one more key. What would be beyond its longest changes nothing."""
    begins = not typing.keys or typing.keys[-1] in JOINTS
    adds = capital(letter.adds) if begins else letter.adds
    if len(typing.name) + len(adds) > MOST_LETTERS:
        return typing
    return replace(typing, keys=(*typing.keys, adds))


def type_other(typing: Typing, key: KeyboardKey) -> Typing:
    """The name without its last key, or with other letters to choose from."""
    if key is KeyboardKey.DELETE:
        return replace(typing, keys=typing.keys[:-1])
    return replace(typing, layer=typing.layer + 1)
