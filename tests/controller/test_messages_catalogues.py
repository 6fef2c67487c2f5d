"""All catalogues have the same keys and values. Translations contain no English, and generated files are up to date."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from click.testing import CliRunner

from controller.cli import main
from controller.messages import CatalogueError, Messages, catalogue, generate, language_name, languages
from controller.messages.catalogue import Catalogue, base_of, fields
from controller.messages.compile import LOCALES, compile_catalogues
from controller.messages.keys import KEYS
from tests.changed_catalogue import ChangedTranslations, texts_of

ROOT = Path(__file__).resolve().parents[2]
LANGUAGES = languages()
OTHERS = tuple(language for language in LANGUAGES if language != "en")
TEXTS = {language: texts_of(language) for language in LANGUAGES}
ENGLISH = TEXTS["en"]

Texts = Mapping[str, tuple[str, ...]]


def path_of(language: str) -> Path:
    return LOCALES / language / "LC_MESSAGES" / "potkeeper.po"


# --- languages ---


def test_every_catalogue_is_a_language() -> None:
    assert LANGUAGES == ("en", "de", "zh")
    assert [language_name(language) for language in LANGUAGES] == ["English", "Deutsch", "中文"]


def test_new_language_is_one_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(LOCALES / "en", tmp_path / "fr", ignore=shutil.ignore_patterns("*.mo"))
    assert len(compile_catalogues(tmp_path)) == 1
    monkeypatch.setattr(catalogue, "LOCALES", tmp_path)
    assert languages() == ("fr",)
    french = Messages(language="fr")
    assert french.text("unknown-chips", count=2) == "2 unknown chips"
    assert french.count(1250) == "1\xa0250"


def test_missing_catalogue_is_one_error_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(CatalogueError, match=r"no compiled messages for language 'xx', expected one of en, de, zh$"):
        Messages(language="xx")
    (tmp_path / "eo" / "LC_MESSAGES").mkdir(parents=True)
    (tmp_path / "eo" / "LC_MESSAGES" / "potkeeper.po").touch()
    monkeypatch.setattr(catalogue, "LOCALES", tmp_path)
    with pytest.raises(CatalogueError, match=r"no compiled messages for language 'eo', run `make setup`$"):
        Messages(language="eo")
    catalogue.catalogue.cache_clear()
    result = CliRunner().invoke(main, ["check", "--offline"])
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
    assert "no compiled messages for language 'en'" in result.stderr


def test_catalogue_without_a_text_names_the_key() -> None:
    def drop(key: str, text: str) -> str:
        return key if key == "alert.owes.title" else text

    with pytest.raises(CatalogueError, match=r"^eo: no text for alert\.owes\.title, "):
        Catalogue(ChangedTranslations("en", drop), "eo")


# --- the files are valid ---


@pytest.mark.parametrize("language", LANGUAGES)
def test_msgfmt_accepts_the_catalogue(language: str) -> None:
    result = subprocess.run(
        ["msgfmt", "--check", "--output-file", "/dev/null", path_of(language)], capture_output=True, check=False
    )
    assert (result.returncode, result.stderr) == (0, b"")


@pytest.mark.parametrize("language", LANGUAGES)
def test_babel_accepts_the_catalogue(language: str) -> None:
    messages = generate.read(path_of(language))
    assert [(message.id, errors) for message, errors in messages.check()] == []
    assert not messages.fuzzy
    assert not [message.id for message in messages if message.fuzzy]


def test_generated_files_match_the_catalogues() -> None:
    """If the generated files are out of date, run `python -m controller.messages.generate`."""
    assert generate.stale() == []


def test_check_command_lists_outdated_files(tmp_path: Path) -> None:
    copy = tmp_path / "controller"
    shutil.copytree(ROOT / "controller", copy, ignore=shutil.ignore_patterns("__pycache__", "*.mo"))
    for name in ("firmware_bridge", "hardware"):
        (tmp_path / name).symlink_to(ROOT / name)
    english = copy / "messages" / "locale" / "en" / "LC_MESSAGES" / "potkeeper.po"
    english.write_text(english.read_text("utf-8") + '\nmsgid "screen.sing"\nmsgstr "SING"\n', "utf-8")

    def run(*arguments: str) -> tuple[int, str]:
        command = [sys.executable, "-m", "controller.messages.generate", *arguments]
        result = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert result.stderr == ""
        return result.returncode, result.stdout

    code, output = run("--check")
    assert (code, output.count("out of date")) == (1, 4)
    assert run()[0] == 0
    assert run("--check") == (0, "")
    assert '"sing"' in (copy / "messages" / "keys.py").read_text("utf-8")
    german = copy / "messages" / "locale" / "de" / "LC_MESSAGES" / "potkeeper.po"
    assert '#. SING\nmsgid "screen.sing"\nmsgstr ""\n' in german.read_text("utf-8")


def test_only_changed_catalogues_are_compiled(tmp_path: Path) -> None:
    shutil.copytree(LOCALES, tmp_path / "locale", ignore=shutil.ignore_patterns("*.mo"))
    assert len(compile_catalogues(tmp_path / "locale")) == len(LANGUAGES)
    assert compile_catalogues(tmp_path / "locale") == []
    (tmp_path / "locale" / "de" / "LC_MESSAGES" / "potkeeper.po").touch()
    assert [path.parts[-3] for path in compile_catalogues(tmp_path / "locale")] == ["de"]


# --- the same keys and values in all languages ---


def differing_keys(texts: Texts) -> set[str]:
    return texts.keys() ^ ENGLISH.keys()


def differing_values(texts: Texts) -> set[str]:
    """Return the keys of texts with other values, such as {seat}, than the English text of the same key."""
    return {key for key in texts if named_values(texts[key]) != named_values(ENGLISH[key])}


def named_values(forms: tuple[str, ...]) -> frozenset[str]:
    return frozenset().union(*map(fields, forms))


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_the_same_keys(language: str) -> None:
    assert differing_keys(TEXTS[language]) == set()
    assert TEXTS[language].keys() == KEYS


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_names_the_same_values(language: str) -> None:
    assert differing_values(TEXTS[language]) == set()


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_text_is_empty(language: str) -> None:
    assert not [key for key, forms in TEXTS[language].items() if not all(forms)]


@pytest.mark.parametrize("language", LANGUAGES)
def test_forms_leave_out_no_value_but_the_count(language: str) -> None:
    """A singular form may write "one" for {count}, but must contain all other values of its message."""
    assert not [
        key
        for key, forms in TEXTS[language].items()
        for form in forms
        if not named_values(forms) - fields(form) <= {"count"}
    ]


def test_planted_differences_between_languages_are_caught() -> None:
    without_a_key = {key: forms for key, forms in ENGLISH.items() if key != "alert.owes.title"}
    with_another_key = {**without_a_key, "choice.sing": ("SING",)}
    assert differing_keys(with_another_key) == {"alert.owes.title", "choice.sing"}
    assert differing_values({**ENGLISH, "pattern.ante": ("Ante",)}) == {"pattern.ante"}


# --- variants ---


def test_variants_name_the_values_that_their_keys_promise() -> None:
    for key in sorted(key for key in KEYS if "+" in key):
        base, *promised = key.split("+")
        assert base in KEYS, key
        assert set(promised) <= named_values(ENGLISH[key]), key
        assert named_values(ENGLISH[base]) | set(promised) >= named_values(ENGLISH[key]), key


def test_variants_for_one_count_belong_to_countable_messages() -> None:
    for key in sorted(key for key in KEYS if "=" in key):
        base, count = key.split("=")
        assert len(ENGLISH[base]) > 1, key
        assert count.isdigit(), key


def test_texts_contain_no_square_brackets() -> None:
    assert not [key for texts in TEXTS.values() for key, forms in texts.items() if "[" in "".join(forms)]


# --- every key is used ---


def literals(*files: Path) -> set[str]:
    """Return all string literals in the source files."""
    nodes = (node for file in files for node in ast.walk(ast.parse(file.read_text("utf-8"))))
    return {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}


def test_every_text_of_the_screen_is_used() -> None:
    used = literals(*(ROOT / "ui").rglob("*.py"), ROOT / "controller/messages/renderer.py")
    screen = {key.removeprefix("screen.") for key in KEYS if key.startswith("screen.")}
    assert screen - used == set()


def test_every_pattern_and_list_is_used() -> None:
    used = literals(ROOT / "controller/messages/renderer.py")
    pattern_keys = {key for key in KEYS if key.split(".")[0] in ("pattern", "list", "keyboard")}
    sources = {f"pattern.{source}" for source in ("sensed", "confirmed", "keyed")}
    assert {base_of(key) for key in pattern_keys} - used - sources == set()


# --- nothing is left in English ---

# Common English words that do not occur in German or Chinese texts. Nearly every English sentence contains such a word.
_ENGLISH = re.compile(
    r"\b(and|are|at|be|been|by|cards|chips are|first|folded|for|from|give|has|have|is|it|its|key|least|missing|more"
    r"|most|nobody|not|of|or|owes|player|push|raised?|seats?|than|that|the|there|this|to|touch|wins|with|who)\b",
    re.IGNORECASE,
)
TERMS = re.compile(r"^(variant|structure|street|book)\.|check-raise")
"""Keys of texts that may be English in a translation.

Card rooms use the English terms of these texts.
"""
CARD_ROOM = re.compile(r"\b(raise)\b", re.IGNORECASE)
"""English words that may be used in translations, because German card rooms use them."""


def own_words(text: str) -> str:
    """Return a text without values such as {seat}, and without the English words that a translation may use."""
    return CARD_ROOM.sub("", re.sub(r"\{\w+\}", "", text))


def untranslated(texts: Texts) -> list[str]:
    """Return the keys of translated texts that contain an English word without permission."""
    keys = [key for key, forms in texts.items() if any(_ENGLISH.search(own_words(form)) for form in forms)]
    return [key for key in keys if not TERMS.search(key)]


@pytest.mark.parametrize("language", OTHERS)
def test_no_translation_contains_english_words(language: str) -> None:
    assert untranslated(TEXTS[language]) == []


def test_chinese_is_written_in_chinese() -> None:
    """A Chinese text must contain Chinese characters if the English text contains a word of three letters."""
    commands = r"^screen\.set-up-(copy|restart)$"
    terms = re.compile(rf"^rule\..*\.number$|^book\.|^screen\.kill-blind$|^pot-short\.|^keyboard$|{commands}")
    assert not [
        key
        for key, forms in ENGLISH.items()
        if re.search(r"[A-Za-z]{3}", own_words(forms[0]))
        and not re.search(r"[\u4e00-\u9fff]", TEXTS["zh"][key][0])
        and not terms.search(key)
    ]


def test_planted_english_sentence_in_a_translation_is_caught() -> None:
    assert untranslated({**TEXTS["de"], "pattern.out-of-turn": ("seat {seat} is out of turn: {action}",)}) == [
        "pattern.out-of-turn"
    ]


# --- texts are short ---

MAX_WORDS = 8
"""Maximum number of words of an alert's title, and of its first piece of advice. Further text may be longer."""


def test_titles_and_first_advice_have_at_most_eight_words() -> None:
    short = re.compile(r"alert\..*\.(title|(tda-)?advice\.1)(\+.*)?")
    assert not [
        text
        for key, forms in ENGLISH.items()
        for text in forms
        if short.fullmatch(key) and len(text.split()) > MAX_WORDS
    ]
