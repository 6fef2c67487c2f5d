"""Check that all texts of `ui` are in the message catalogue, and that the fonts have all their characters."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import msgspec
import pytest
from PIL import ImageFont

from controller.messages import Messages, ScreenKey, languages
from controller.view import Money
from tests.changed_catalogue import plant, texts_of
from ui.scene import fonts, view_models
from ui.scene.paint import Text, draw_scene
from ui.view_samples import ViewSample, view_samples

UI = Path(__file__).resolve().parents[2] / "ui"
_KIVY = find_spec("kivy")  # importing Kivy would create a folder and a log
assert _KIVY is not None and _KIVY.origin is not None
KIVY_FONTS = Path(_KIVY.origin).parent / "data" / "fonts"


# --- every drawn text is from the catalogue or from the view ---

MASK = "ж"
"""Letter that replaces every letter of the message catalogue. Any other letter on the screen then comes from elsewhere.
"""
SIGNS = frozenset({"D", *view_models.ALERT_SIGNS.values()})
"""Texts that need not be in the catalogue: the letter on the dealer button and the signs of alerts."""
CLDR_WORDS = frozenset({"and"})
"""Words that join lists, such as "and". They come from the Unicode language data (CLDR) instead of the catalogue."""


def masked(_: str, text: str) -> str:
    """Return the text with every letter replaced by `MASK`, except in placeholders such as {amount}."""
    parts = re.split(r"(\{\w+\})", text)
    return "".join(part if part.startswith("{") else re.sub(r"[^\W\d_]", MASK, part) for part in parts)


def drawn_texts(sample: ViewSample) -> Iterator[str]:
    """Yield all texts of the picture."""
    for items in draw_scene(sample.scene()).values():
        yield from (item.text for item in items if isinstance(item, Text))


def names_in(value: Any) -> Iterator[str]:
    """Yield all strings in a view or a page, such as names of players and devices, ports and texts of files."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from names_in(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from names_in(item)


def texts_outside_catalogue(sample: ViewSample) -> list[str]:
    """Return the drawn texts that contain a letter from elsewhere than the catalogue, the view and the page."""
    given = {
        *names_in(msgspec.to_builtins(sample.view)),
        *names_in(msgspec.to_builtins(sample.page)),
        *SIGNS,
        *CLDR_WORDS,
    }
    given |= {word for name in given for word in re.split(r"[\s:]+", name)}
    allowed = {name.upper() for name in given} | given
    texts = []
    for text in drawn_texts(sample):
        other_words = [word for word in re.split(r"[\s:,()·]+", text) if not _is_name(word, allowed)]
        texts += [
            text
            for word in other_words
            if any(letter.isalpha() and letter not in (MASK, MASK.upper()) for letter in word)
        ]
    return texts


def _is_name(word: str, names: set[str]) -> bool:
    """Return True for a name, also if only the beginning of the name is shown."""
    return word in names or (word.endswith("…") and any(name.startswith(word[:-1]) for name in names))


EXCLUDED_SAMPLES = frozenset({"keyboard", "page-phh"})
"""Names of the samples that the test skips. They show the letters of the keyboard, and the text of a file."""
PLAIN = [sample for sample in view_samples() if sample.name not in EXCLUDED_SAMPLES and sample.view.money.decimals == 0]


@pytest.mark.parametrize("sample", PLAIN, ids=lambda sample: sample.name)
def test_every_text_on_the_screen_is_from_the_catalogue(sample: ViewSample, monkeypatch: pytest.MonkeyPatch) -> None:
    plant(monkeypatch, masked)
    assert texts_outside_catalogue(sample) == []


def test_planted_text_outside_the_catalogue_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    plant(monkeypatch, lambda key, text: "MENU" if key == "screen.menu" else masked(key, text))
    assert texts_outside_catalogue(PLAIN[0]) == ["MENU"]


# --- no text literals in the packages that lay out and draw ---

NO_LITERALS = ("scene", "state", "window")
COMMANDS_MODULE = "commands.py"
"""Module with the words of the table-script language. The screen sends these words but never shows them."""
ALLOWED_LITERALS = SIGNS | {"DejaVuSans", "Roboto", "MicroHei", "RGB", "L", "PNG"}
"""String literals that modules of `ui` may contain: signs, and names of fonts and pixel formats."""
_CODE = re.compile(r"[a-z0-9_.-]*|#[0-9a-f]+|[\W\d_]*")
"""Pattern of other string literals that are allowed: codes in small letters, colours, and signs without a letter."""


def text_literals(text: str) -> list[str]:
    """Return the string literals of a module that could be texts on the screen."""
    tree = ast.parse(text)
    ignored: set[ast.AST] = set()
    for node in ast.walk(tree):
        is_export_list = isinstance(node, ast.Assign) and any(
            getattr(item, "id", "") == "__all__" for item in node.targets
        )
        if isinstance(node, ast.Raise) or is_export_list or _is_literal_type(node) or _is_print_or_log(node):
            ignored |= set(ast.walk(node))
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            ignored.add(node.value)
    constants = [node for node in ast.walk(tree) if isinstance(node, ast.Constant) and node not in ignored]
    return [item.value for item in constants if isinstance(item.value, str) and not _CODE.fullmatch(item.value)]


def _is_literal_type(node: ast.AST) -> bool:
    return isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and node.value.id == "Literal"


def _is_print_or_log(node: ast.AST) -> bool:
    if not isinstance(node, ast.Call):
        return False
    function = node.func
    return (isinstance(function, ast.Name) and function.id == "print") or (
        isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name) and function.value.id == "_logger"
    )


@pytest.mark.parametrize("folder", NO_LITERALS)
def test_no_ui_module_has_a_text_literal(folder: str) -> None:
    modules = [path for path in sorted((UI / folder).rglob("*.py")) if path.name not in (COMMANDS_MODULE, "fonts.py")]
    assert modules
    literals = {path.name: set(text_literals(path.read_text(encoding="utf-8"))) - ALLOWED_LITERALS for path in modules}
    assert {name: texts for name, texts in literals.items() if texts} == {}


def test_planted_text_literal_is_caught() -> None:
    assert text_literals(
        '"""Doc."""\nraise ValueError("No seat")\nx = "turn", "#0b0e12", " · ", "TO CALL", "chips moving"'
    ) == [
        "TO CALL",
        "chips moving",
    ]


# --- the fonts have every character ---

FONT_SIZE_PX = 100
"""Font size in pixels at which characters are measured. It is so large that widths relative to it are precise to a
hundredth."""
FILES: Mapping[fonts.Font, Path] = {
    "Roboto": KIVY_FONTS / "Roboto-Bold.ttf",
    "MicroHei": fonts.MICRO_HEI_FILE,
    "DejaVuSans": KIVY_FONTS / "DejaVuSans.ttf",
}


@cache
def load_font(name: fonts.Font) -> Any:  # Pillow has no complete type for its fonts
    """Return the font in a size that is fast to draw."""
    return ImageFont.truetype(str(FILES[name]), FONT_SIZE_PX, layout_engine=ImageFont.Layout.BASIC)


@cache
def has_glyph(name: fonts.Font, character: str) -> bool:
    """Return True if the font has this character. Otherwise it would draw a box."""
    drawn, missing = load_font(name).getmask(character), load_font(name).getmask("\uffff")
    return character in " \n" or bytes(drawn) != bytes(missing)


def characters_without_glyph(texts: Iterable[str]) -> set[str]:
    """Return the characters that are missing from the font of their text."""
    plain = [re.sub(r"\{\w+\}", "", text) for text in texts]
    return {character for text in plain for character in text if not has_glyph(fonts.font_for(text), character)}


@pytest.mark.parametrize("language", languages())
def test_no_character_is_missing_from_the_fonts(language: str) -> None:
    assert characters_without_glyph(text for forms in texts_of(language).values() for text in forms) == set()


@pytest.mark.parametrize("language", languages())
def test_amounts_are_drawn_in_the_bold_font(language: str) -> None:
    """Check an amount in each language, because some languages have no-break spaces in amounts."""
    amount = Messages(Money(prefix="€", decimals=2), language=language).amount(-1_234_567)
    assert fonts.font_for(amount) == "Roboto"
    assert characters_without_glyph([amount]) == set()


def test_planted_character_without_a_font_is_caught() -> None:
    assert characters_without_glyph(["{seat} \u1e9f"]) == {"\u1e9f"}


def test_chinese_font_has_the_letters_of_names_and_amounts() -> None:
    """Check the Western letters of the font, because Chinese texts also contain amounts and names."""
    assert not [
        character
        for character in "".join(map(chr, range(32, 127))) + "äöüÄÖÜßéñ€£¥–…"
        if not has_glyph("MicroHei", character)
    ]


@pytest.mark.parametrize("name", FILES)
def test_text_widths_match_the_fonts(name: fonts.Font) -> None:
    wrong = {}
    for character, width in fonts.CHAR_WIDTHS[name].items():
        real_width = load_font(name).getlength(character) * 1000 / FONT_SIZE_PX
        if abs(width - real_width) > 1000 / FONT_SIZE_PX:
            wrong[character] = (width, real_width)
    assert wrong == {}


# --- texts that dealers did not understand ---

UNCLEAR_TEXTS: Mapping[str, tuple[str, ...]] = {
    "en": (
        *("Type an amount", "touch what is so", "Touch a seat for its keys", "the next hand starts", "RUN IT 2 TIMES"),
        *("what was due back is with", "owed is in", "the game is", "IN STEAD", "FROM A TABLE", "STACK IS", "BET WAS"),
        *("CHIPS, SILENT", "ONE CHIP", "MOTION DONE", "IT IS IN", "ALL IS IN", "FLOOR: GIVE BACK", "FLOOR: IT STANDS"),
        *("FLOOR: TURN", "FLOOR: HOLD", "HELD:", "presumed", "not open again", "NOT THIS HAND", "CLOSE THE STREET"),
        *("+1 SHARE", "Touch who brings in", "FIXED RAISE", "eight-or-better", "more than the limit", "in no record"),
        *(
            "not dealt in before",
            "FLOOR HAS DECIDED",
            "accounts are told",
            "open: no badges",
            "WHO DEALS",
            "The last hands",
        ),
        *("HAND BEFORE", "AS PHH", "Excess", "what it owed", "DEL"),
        *("SITS", "ADDS CHIPS", "AWAY", "LEAVES", "STACK ?", "DROP", "GIVE POT", "AWARD"),
        *("By the records", "Mend", "answers?", "Each pays", "waits for seat", "Touch what", "IS MEANT", "TAKE UP"),
        *("NO BET OF", "in than the blinds", "in front of the seats", "Have it put in", "where is its", "words stand"),
        *("plays for no pot", "still to come", "Say so", "tells the table", "TAKES OFF", "as the file"),
    ),
    "de": (
        *(
            "STOPP",
            "ABBRUCH",
            "VOR DEM FLOP",
            "PLUS",
            "RETOUR",
            "GEHT",
            "LÖSCH",
            "ENTF",
            "EINSATZ WAR",
            "STACK OFFEN",
            "Zuviel",
        ),
        *("Geschuldetes", "EXTRA TEIL", "ZUM KASSEN", "TRACKEN", "WECHSEL VON", "ZIEHT UM", "erhöht", "Verbucht"),
        *("IST GEMEINT", "KEINE BET VON", "Berühren, was", "NICHT ZÄHLEN", "um keinen Pot", "steht noch aus"),
    ),
}
"""Earlier texts that people who tried the screen did not understand at first sight, by language."""


def unclear_texts(texts: Iterable[str], language: str) -> list[str]:
    """Return the texts that contain an unclear text."""
    return [text for text in texts if any(unclear in text for unclear in UNCLEAR_TEXTS[language])]


@pytest.mark.parametrize("language", UNCLEAR_TEXTS)
def test_no_unclear_text_is_left(language: str) -> None:
    assert unclear_texts((text for forms in texts_of(language).values() for text in forms), language) == []


DIFFERENT_TEXTS: tuple[tuple[ScreenKey, ScreenKey], ...] = (("cancel", "close-page"), ("cancel", "undo"))
"""Keys of which no two may have the same text, because one discards an entry and the other does something else."""


@pytest.mark.parametrize("language", languages())
@pytest.mark.parametrize(("first", "second"), DIFFERENT_TEXTS)
def test_cancel_has_a_text_of_its_own(first: ScreenKey, second: ScreenKey, language: str) -> None:
    messages = Messages(language=language)
    assert messages.text(first) != messages.text(second)


def test_planted_unclear_text_is_caught() -> None:
    assert unclear_texts(["BET COMPLETE", "MOTION DONE"], "en") == ["MOTION DONE"]
