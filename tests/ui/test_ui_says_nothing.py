"""`ui` has no word of its own, and every word of the catalogue has its letters in a font that is there."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import msgspec
import pytest
from PIL import ImageFont

from controller.words.catalogue import Catalogue
from controller.words.english import CATALOGUE
from controller.words.words import LANGUAGES
from ui.samples import Sample, samples
from ui.scene import faces, fonts
from ui.scene.paint import Text, draw

UI = Path(__file__).resolve().parents[2] / "ui"
_KIVY = find_spec("kivy")  # not imported: that would set up its folder and its log
assert _KIVY is not None and _KIVY.origin is not None
ROBOTO = Path(_KIVY.origin).parent / "data" / "fonts" / "Roboto-Bold.ttf"


# --- what is drawn comes from the catalogue or from the view ---

MASK = "ж"
"""Stands for every letter of a masked language."""
SIGNS_OF_ITS_OWN = frozenset({"D", *faces.SIGNS.values()})
"""The letter on the dealer button, as it stands on the button itself; the signs of alerts."""


def masked(says: Any) -> Any:
    """The same texts with every letter masked; what they name stays."""
    if isinstance(says, str):
        parts = re.split(r"(\{\w+\})", says)
        return "".join(part if part.startswith("{") else re.sub(r"[^\W\d_]", MASK, part) for part in parts)
    if isinstance(says, Mapping):
        return {key: masked(text) for key, text in says.items()}
    return type(says)(*map(masked, says)) if hasattr(says, "_fields") else tuple(map(masked, says))


def masked_catalogue() -> Catalogue:
    texts = {name: masked(getattr(CATALOGUE, name)) for name in Catalogue.__slots__ if name != "keyboard"}
    return replace(CATALOGUE, **texts)


def drawn(sample: Sample) -> Iterator[str]:
    """All words on the glass."""
    for marks in draw(sample.scene()).values():
        yield from (mark.words for mark in marks if isinstance(mark, Text))


def names(value: Any) -> Iterator[str]:
    """What a view or a page itself names: tables, players, devices, ports, texts of files."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for one in value.values():
            yield from names(one)
    elif isinstance(value, list | tuple):
        for one in value:
            yield from names(one)


def own_words(sample: Sample) -> list[str]:
    """Words on the glass with a letter that is neither of the catalogue nor of a name."""
    given = {*names(msgspec.to_builtins(sample.view)), *names(msgspec.to_builtins(sample.answer)), *SIGNS_OF_ITS_OWN}
    given |= {word for name in given for word in re.split(r"[\s:]+", name)}
    letters = {name.upper() for name in given} | given
    found = []
    for words in drawn(sample):
        left = [word for word in re.split(r"[\s:,()·]+", words) if not _named(word, letters)]
        found += [words for word in left if any(each.isalpha() and each not in (MASK, MASK.upper()) for each in word)]
    return found


def _named(word: str, letters: set[str]) -> bool:
    """A name, or the beginning of one that was cut."""
    return word in letters or (word.endswith("…") and any(name.startswith(word[:-1]) for name in letters))


NOT_WORDS = frozenset({"keyboard", "page-phh"})
"""Letters to type, and a file as it is."""
PLAIN = [sample for sample in samples() if sample.name not in NOT_WORDS and sample.view.money.decimals == 0]


@pytest.mark.parametrize("sample", PLAIN, ids=lambda sample: sample.name)
def test_every_word_on_the_glass_is_of_the_catalogue(sample: Sample, monkeypatch: pytest.MonkeyPatch) -> None:
    assert isinstance(LANGUAGES, dict)
    monkeypatch.setitem(LANGUAGES, "en", masked_catalogue())
    assert own_words(sample) == []


def test_a_word_of_the_screens_own_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    assert isinstance(LANGUAGES, dict)
    planted = masked_catalogue()
    monkeypatch.setitem(LANGUAGES, "en", replace(planted, screen={**planted.screen, "deal": "DEAL"}))
    assert own_words(PLAIN[0]) == ["DEAL"]


# --- no literal of words in the parts that lay out and draw ---

NO_LITERALS = ("scene", "state", "window")
STEPS = "sending.py"
"""Steps in the words of table scripts: what is sent, nothing that is shown."""
NAMED = SIGNS_OF_ITS_OWN | {"DejaVuSans", "Roboto", "MicroHei", "RGB", "L", "PNG"}
"""Fonts, and how the pixels of a picture are named."""
_CODE = re.compile(r"[a-z0-9_.-]*|#[0-9a-f]+|[\W\d_]*")
"""Codes, colours, signs without a letter."""


def literals(text: str) -> list[str]:
    """Literals in a module that could be read by people: no codes, no documentation, no errors, no names of its own."""
    tree = ast.parse(text)
    left_out: set[ast.AST] = set()
    for node in ast.walk(tree):
        exported = isinstance(node, ast.Assign) and any(getattr(one, "id", "") == "__all__" for one in node.targets)
        if isinstance(node, ast.Raise) or exported or _is_literal_type(node) or _is_print(node):
            left_out |= set(ast.walk(node))
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            left_out.add(node.value)
    constants = [node for node in ast.walk(tree) if isinstance(node, ast.Constant) and node not in left_out]
    return [one.value for one in constants if isinstance(one.value, str) and not _CODE.fullmatch(one.value)]


def _is_literal_type(node: ast.AST) -> bool:
    return isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and node.value.id == "Literal"


def _is_print(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print"


@pytest.mark.parametrize("folder", NO_LITERALS)
def test_no_module_has_a_literal_of_words(folder: str) -> None:
    modules = [path for path in sorted((UI / folder).rglob("*.py")) if path.name not in (STEPS, "fonts.py")]
    assert modules
    found = {path.name: set(literals(path.read_text(encoding="utf-8"))) - NAMED for path in modules}
    assert {name: words for name, words in found.items() if words} == {}


def test_a_literal_of_words_is_noticed() -> None:
    assert literals(
        '"""Doc."""\nraise ValueError("No seat")\nx = "turn", "#0b0e12", " · ", "TO CALL", "chips moving"'
    ) == [
        "TO CALL",
        "chips moving",
    ]


# --- every letter can be drawn ---

LETTERS = 100
"""Pixels of the letters that are looked at: their widths come out in hundredths of that."""
FILES: Mapping[fonts.Font, Path] = {"Roboto": ROBOTO, "MicroHei": fonts.MICRO_HEI_FILE}


@cache
def face(name: fonts.Font) -> Any:  # of what it does not all is typed
    """The font, small enough to be drawn at once."""
    return ImageFont.truetype(str(FILES[name]), LETTERS, layout_engine=ImageFont.Layout.BASIC)


@cache
def has(name: fonts.Font, letter: str) -> bool:
    """False where the font draws the box of a letter that it has not."""
    drawn, missing = face(name).getmask(letter), face(name).getmask("\uffff")
    return letter in " \n" or bytes(drawn) != bytes(missing)


def texts(says: object) -> Iterator[str]:
    """All texts of a language, templates without the names of their values."""
    if isinstance(says, str):
        yield re.sub(r"\{\w+\}|[\[\]]", "", says)
    elif isinstance(says, Mapping):
        for one in says.values():
            yield from texts(one)
    elif isinstance(says, tuple):
        for one in says:
            yield from texts(one)


def not_drawn(catalogue: Catalogue) -> set[str]:
    """Letters of the catalogue that the font of their words has not."""
    said = {text for name in Catalogue.__slots__ for text in texts(getattr(catalogue, name))}
    return {letter for text in said for letter in text if not has(fonts.font(text), letter)}


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_letter_is_missing_from_the_fonts(language: Any) -> None:
    assert not_drawn(LANGUAGES[language]) == set()


def test_a_letter_that_no_font_has_is_noticed() -> None:
    assert not_drawn(replace(CATALOGUE, comma="\u1e9f ")) == {"\u1e9f"}


def test_values_in_any_sentence_can_be_drawn_in_its_font() -> None:
    """Amounts and names in letters of the West stand in Chinese sentences as well."""
    assert not [
        letter for letter in "".join(map(chr, range(32, 127))) + "äöüÄÖÜßéñ€£¥–…" if not has("MicroHei", letter)
    ]


@pytest.mark.parametrize("name", FILES)
def test_widths_are_those_of_the_fonts(name: fonts.Font) -> None:
    wrong = {}
    for letter, width in fonts.WIDTHS[name].items():
        real = face(name).getlength(letter) * 1000 / LETTERS
        if abs(width - real) > 1000 / LETTERS:
            wrong[letter] = (width, real)
    assert wrong == {}
