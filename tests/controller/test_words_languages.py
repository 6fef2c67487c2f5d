"""German and Chinese say all that English says: the same keys, the same values in each text, none left in English."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import pytest

from controller.words.catalogue import Catalogue, missing
from controller.words.english import CATALOGUE
from controller.words.templates import placeholders
from controller.words.words import LANGUAGES


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_the_same_keys(language: Any) -> None:
    assert not missing(LANGUAGES[language], CATALOGUE)


def test_a_language_without_a_key_is_noticed() -> None:
    fewer = {code: text for code, text in CATALOGUE.alerts.items() if code != "owes"}
    more = MappingProxyType({**CATALOGUE.labels, "sing": "SING"})
    planted = replace(CATALOGUE, alerts=fewer, labels=more)
    assert missing(planted, CATALOGUE) == ("alerts.owes", "labels.sing")


def _named(catalogue: Catalogue) -> dict[str, str]:
    """Every text of a language by its place: "alerts.owes.title"."""
    return {
        place: text
        for part in Catalogue.__slots__
        if part != "keyboard"
        for place, text in _places(getattr(catalogue, part), part)
    }


def _places(says: object, place: str) -> Iterator[tuple[str, str]]:
    if isinstance(says, str):
        yield place, says
    elif isinstance(says, Mapping):
        for key, value in says.items():
            yield from _places(value, f"{place}.{key}")
    elif isinstance(says, tuple):
        names = getattr(says, "_fields", range(len(says)))
        for name, value in zip(names, says, strict=True):
            yield from _places(value, f"{place}.{name}")


def strange(catalogue: Catalogue) -> list[str]:
    """Texts that do not name what the English ones name: no value is left out in one language."""
    mine, english = _named(catalogue), _named(CATALOGUE)
    return [place for place in mine if placeholders(mine[place]) != placeholders(english[place])]


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_names_the_same_values(language: Any) -> None:
    assert not strange(LANGUAGES[language])


# Words that are of no other language here: hardly a sentence does without one of them.
_ENGLISH = re.compile(
    r"\b(and|are|at|be|been|by|cards|chips are|first|folded|for|from|give|has|have|is|it|its|key|least|missing|more"
    r"|most|nobody|not|of|or|owes|player|push|raised?|seats?|than|that|the|there|this|to|touch|wins|with|who)\b",
    re.IGNORECASE,
)


# English in every cardroom.
TERMS = re.compile(r"^(variants|structures|streets)\.|\.book$|check-raise")


def _words(text: str) -> str:
    """A template without its values."""
    return re.sub(r"\{\w+\}", "", text)


def untranslated(catalogue: Catalogue) -> list[str]:
    """Sentences with a word in them that only English has."""
    found = [place for place, text in _named(catalogue).items() if _ENGLISH.search(_words(text))]
    return [place for place in found if not TERMS.search(place)]


@pytest.mark.parametrize("language", [language for language in LANGUAGES if language != "en"])
def test_no_sentence_is_left_in_english(language: Any) -> None:
    assert not untranslated(LANGUAGES[language])


def test_chinese_is_written_in_chinese() -> None:
    """Wherever English says more than a name, an amount or a sign."""
    terms = re.compile(r"\.number$|\.book$|^screen\.kill-blind$|^pots_short\.")
    mine = _named(LANGUAGES["zh"])
    assert not [
        place
        for place, english in _named(CATALOGUE).items()
        if re.search(r"[A-Za-z]{3}", _words(english))
        and not re.search(r"[\u4e00-\u9fff]", mine[place])
        and not terms.search(place)
    ]


def test_an_english_sentence_in_another_language_is_noticed() -> None:
    planted = replace(LANGUAGES["de"], held="seat {seat}: {did}, held", ante="Ante")
    assert untranslated(planted) == ["held"]
    assert strange(planted) == ["ante"]
