"""Amounts that are typed, the words of alerts, the language of the house."""

from __future__ import annotations

import os

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from controller.commands.screen import screen
from controller.view import Money
from ui.samples import samples
from ui.scene import lay_out
from ui.state import PadKey, Screen, Typed, amount_of, as_typed, show, type_key, typed_field

PLAIN, DOLLARS, CENTS = Money(), Money(prefix="$"), Money(prefix="$", decimals=2)


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


def test_levels_of_alerts_differ_in_word_and_sign_not_in_colour_alone() -> None:
    faces = [lay_out(show(Screen(), sample.view)).band for sample in samples() if sample.view.alerts]
    by_level = {face.level: (face.sign, face.word) for face in faces}
    assert by_level.keys() == {"question", "warning", "info"}
    assert len({sign for sign, _ in by_level.values()}) == len({word for _, word in by_level.values()}) == 3


@pytest.mark.parametrize(
    ("house", "said", "language", "theme"),
    [
        ({}, [], "en", "dark"),
        ({"POTKEEPER_LANGUAGE": "de", "POTKEEPER_THEME": "bright"}, [], "de", "bright"),
        ({"POTKEEPER_LANGUAGE": "de"}, ["--language", "zh"], "zh", "dark"),
    ],
)
def test_the_language_is_the_houses_unless_another_is_named(
    house: dict[str, str], said: list[str], language: str, theme: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[list[str]] = []
    monkeypatch.setattr(os, "execv", lambda _, arguments: started.append(arguments))
    assert CliRunner(env=house).invoke(screen, said).exit_code == 0
    (options,) = started
    assert (options[options.index("--language") + 1], options[options.index("--theme") + 1]) == (language, theme)


def test_a_language_that_there_is_not_is_one_clear_line() -> None:
    told = CliRunner(env={"POTKEEPER_LANGUAGE": "fr"}).invoke(screen)
    assert told.exit_code == 2
    assert "'fr' is not one of 'en', 'de', 'zh'" in told.output
