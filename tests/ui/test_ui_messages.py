"""Check the entry of amounts, the levels of alerts, and the language that the house has set."""

from __future__ import annotations

import os

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from controller.commands.display.screen import screen
from controller.messages import CatalogueError
from controller.view import Money
from ui import __main__ as ui_main
from ui.scene import lay_out_scene
from ui.state import (
    ScreenState,
    amount_entry,
    show_view,
)
from ui.view_samples import view_samples

PLAIN, CENTS = Money(), Money(prefix="$", decimals=2)


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
def test_typed_digits_become_an_amount(keys: list[amount_entry.PadKey], money: Money, amount: int | None) -> None:
    typed = amount_entry.TypedAmount()
    for key in keys:
        typed = amount_entry.press_pad_key(typed, key, money)
    assert amount_entry.typed_amount(typed, money) == amount


@given(st.integers(0, 9_999_999), st.sampled_from([PLAIN, CENTS]))
def test_entry_of_an_amount_means_this_amount(amount: int, money: Money) -> None:
    assert amount_entry.typed_amount(amount_entry.amount_as_typed(amount, money), money) == amount


def test_alert_levels_differ_in_word_and_sign_as_well_as_colour() -> None:
    bands = [
        lay_out_scene(show_view(ScreenState(), sample.view)).alert_band
        for sample in view_samples()
        if sample.view.alerts
    ]
    by_level = {band.level: (band.sign, band.level_name) for band in bands}
    assert by_level.keys() == {"question", "warning", "info"}
    assert len({sign for sign, _ in by_level.values()}) == len({level_name for _, level_name in by_level.values()}) == 3


@pytest.mark.parametrize(
    ("environment", "arguments", "language", "theme"),
    [
        ({}, [], "en", "dark"),
        ({"POTKEEPER_LANGUAGE": "de", "POTKEEPER_THEME": "bright"}, [], "de", "bright"),
        ({"POTKEEPER_LANGUAGE": "de"}, ["--language", "zh"], "zh", "dark"),
    ],
)
def test_house_language_is_used_unless_another_is_given(
    environment: dict[str, str], arguments: list[str], language: str, theme: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[list[str]] = []
    monkeypatch.setattr(os, "execv", lambda _, argv: started.append(argv))
    assert CliRunner(env=environment).invoke(screen, arguments).exit_code == 0
    (options,) = started
    assert (options[options.index("--language") + 1], options[options.index("--theme") + 1]) == (language, theme)


def test_wrong_value_in_the_file_of_the_screen_leaves_no_panel_dark(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[list[str]] = []
    monkeypatch.setattr(os, "execv", lambda _, argv: started.append(argv))
    wrong = {"POTKEEPER_LANGUAGE": "fr", "POTKEEPER_THEME": "pink", "NOTIFY_SOCKET": "/run/none"}
    result = CliRunner(env=wrong).invoke(screen)
    (options,) = started
    assert (options[options.index("--language") + 1], options[options.index("--theme") + 1]) == ("en", "dark")
    assert "screen.conf: POTKEEPER_LANGUAGE: 'fr' is not one of 'en', 'de', 'zh'" in result.stderr
    assert "screen.conf: POTKEEPER_THEME: 'pink' is not one of 'dark', 'bright'" in result.stderr
    assert CliRunner(env=wrong).invoke(screen, ["--theme", "pink"]).exit_code == 2


def test_missing_catalogue_ends_the_screen_with_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def display() -> None:
        raise CatalogueError("en: no text for alert.owes.title, run `make setup`")

    monkeypatch.setattr(ui_main, "display", display)
    assert ui_main.main(["--socket", "none.sock"]) == 2
    assert capsys.readouterr().err == "ui: en: no text for alert.owes.title, run `make setup`\n"


def test_unknown_language_is_one_error_line() -> None:
    result = CliRunner(env={"POTKEEPER_LANGUAGE": "fr"}).invoke(screen)
    assert result.exit_code == 2
    assert "'fr' is not one of 'en', 'de', 'zh'" in result.output
