"""Amounts, letters, colours: what is written, that it fits, that it can be read."""

from __future__ import annotations

import math
import re
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from controller.view import Money
from ui.samples import samples
from ui.scene import lay_out, letters, theme
from ui.state import PadKey, Screen, Typed, amount_of, as_typed, show, type_key, typed_field

WINDOW = Path(__file__).resolve().parents[2] / "ui" / "window"
PLAIN, DOLLARS, CENTS = Money(), Money(prefix="$"), Money(prefix="$", decimals=2)


def luminance(colour: str) -> float:
    """Relative luminance of "#rrggbb" after WCAG 2."""

    def linear(part: str) -> float:
        value = int(part, 16) / 255
        return value / 12.92 if value <= 0.03928 else float(((value + 0.055) / 1.055) ** 2.4)

    red, green, blue = (linear(colour[at : at + 2]) for at in (1, 3, 5))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    """Contrast ratio of two colours after WCAG 2, from 1 to 21."""
    bright, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (bright + 0.05) / (dark + 0.05)


@pytest.mark.parametrize(
    ("keys", "money", "amount"),
    [
        (["6", "0"], PLAIN, 60),
        (["6", "00"], PLAIN, 600),
        (["0", "6"], PLAIN, 6),
        (["6", "back"], PLAIN, None),
        (["6", "."], PLAIN, 6),
        (["1", "2", ".", "5"], CENTS, 1250),
        (["1", "2", ".", "5", "0", "5"], CENTS, 1250),
        ([".", "5"], CENTS, 50),
        (["6", "0"], CENTS, 6000),
        (["1"] * 12, PLAIN, 111_111_111),
        (["6", "0", "clear"], PLAIN, None),
        (["1", "2", ".", "back", "5"], CENTS, 12500),
        (["1", "2", ".", "."], CENTS, 1200),
        ([], PLAIN, None),
    ],
)
def test_typed_digits_become_an_amount(keys: list[PadKey], money: Money, amount: int | None) -> None:
    typed = Typed()
    for key in keys:
        typed = type_key(typed, key, money)
    assert amount_of(typed, money) == amount


@pytest.mark.parametrize(
    ("typed", "money", "field"),
    [
        (Typed(), DOLLARS, "$_"),
        (Typed("1250"), DOLLARS, "$1,250"),
        (Typed("1250", ""), CENTS, "$1,250."),
        (Typed("0", "05"), CENTS, "$0.05"),
    ],
)
def test_the_field_shows_what_was_typed(typed: Typed, money: Money, field: str) -> None:
    assert typed_field(typed, money) == field


@given(st.integers(0, 9_999_999), st.sampled_from([PLAIN, CENTS]))
def test_an_amount_typed_is_the_amount_meant(amount: int, money: Money) -> None:
    assert amount_of(as_typed(amount, money), money) == amount


@given(st.text(max_size=60), st.floats(20, 400))
def test_fitted_words_fit(words: str, room: float) -> None:
    size = letters.fitted(words, 40, room)
    assert 1 <= size <= 40
    assert size == 1 or max(letters.width(line) for line in words.split("\n")) * size <= room + 0.001


@given(st.text("ab $1,.", max_size=200), st.floats(100, 600))
@example("1" * 17, 100.0)
def test_a_paragraph_fits_its_height(words: str, room: float) -> None:
    size = letters.paragraph(words, 20, room, 48)
    assert 1 <= size <= 20
    lines = letters.width(words) * size / room
    assert size == 1 or math.ceil(lines) * letters.LINE * size <= 48 + 1


@pytest.mark.parametrize(("words", "size"), [("", 20), ("short", 20), ("word " * 40, 14)])
def test_only_a_long_paragraph_is_written_smaller(words: str, size: float) -> None:
    assert letters.paragraph(words, 20, 600, 48) == size


def test_long_keys_break_into_two_lines() -> None:
    assert letters.on_key("CALL FLOOR", 27, 120, 24) == "CALL\nFLOOR"
    assert letters.on_key("FOLD", 27, 150, 24) == "FOLD"


@pytest.mark.parametrize("path", sorted(WINDOW.glob("*.kv")), ids=lambda path: path.stem)
def test_what_a_kv_file_names_is_there(path: Path) -> None:
    """No type checker reads these files."""
    for module, name in re.findall(r"\b(letters|theme)\.(\w+)", path.read_text(encoding="utf-8")):
        assert hasattr({"letters": letters, "theme": theme}[module], name), f"{path.name}: {module}.{name}"


@pytest.mark.parametrize(
    ("seats", "words"),
    [((), ""), ((3,), "3"), ((3, 4), "3 4"), ((3, 4, 5), "3-5"), ((1, 2, 3, 4, 6, 8, 9, 10), "1-4 6 8-10")],
)
def test_seats_in_short(seats: tuple[int, ...], words: str) -> None:
    assert letters.runs(seats) == words


@pytest.mark.parametrize("name", [name for name in theme.TONES if name not in ("off", "other-choice")])
def test_letters_stand_out_from_their_ground(name: str) -> None:
    tone = theme.TONES[name]
    least = 7 if name not in ("folded", "away", "empty", "main", "ok", "strong", "warning") else 5.5
    assert contrast(tone.ground, tone.ink) >= least


def test_only_one_thing_is_red() -> None:
    def red(colour: str) -> bool:
        r, g, b = (int(colour[at : at + 2], 16) for at in (1, 3, 5))
        return r > 120 and r > 2 * g and r > 2 * b

    assert [name for name, tone in theme.TONES.items() if red(tone.ground) or red(tone.line)] == ["warning"]


def test_levels_of_alerts_differ_in_word_and_sign_not_in_colour_alone() -> None:
    faces = [lay_out(show(Screen(), sample.view)).band for sample in samples() if sample.view.alerts]
    by_level = {face.level: (face.sign, face.word) for face in faces}
    assert by_level.keys() == {"question", "warning", "info"}
    assert len({sign for sign, _ in by_level.values()}) == len({word for _, word in by_level.values()}) == 3
