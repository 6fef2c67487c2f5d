"""The compiled catalogue of one language, and the variants of its messages.

The key, that is the name, of a message may have variants. Example: `action.raise+amount` replaces `action.raise` if the
amount is known, and `choice.runs-boards=2` replaces `choice.runs-boards` if the count is 2. Numbered keys, such as
`alert.under-bet.text.1` and `alert.under-bet.text.2`, are the sentences of one text. A sentence is left out if it names
a value that is not known.
"""

from __future__ import annotations

import gettext
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import ClassVar, Final

from babel import Locale

from controller.messages.keys import KEYS, PLURALS
from firmware_bridge.errors import FaultSource, PotkeeperError

DOMAIN: Final = "potkeeper"
LOCALES: Final = Path(__file__).parent / "locale"
UNKNOWN: Final = "?"
"""The text for a value that a message needs but that is not known. A missing number must never prevent a message."""

_FIELD: Final = re.compile(r"\{(\w+)\}")
_SENTENCE: Final = re.compile(r"(.+)\.\d+")


class CatalogueError(PotkeeperError, ValueError):
    """A catalogue is missing or incomplete. The message names the catalogue and says what to do."""

    fault: ClassVar[FaultSource] = "ours"


class KnownValues(dict[str, str]):
    """Values of a message, with a question mark for each unknown value."""

    def __missing__(self, name: str) -> str:
        return UNKNOWN


def languages() -> tuple[str, ...]:
    """Return the codes of all languages that have a catalogue, English first."""
    found = {path.parts[-3] for path in LOCALES.glob(f"*/LC_MESSAGES/{DOMAIN}.[mp]o")}
    return tuple(sorted(found, key=lambda code: (code != "en", code)))


def language_name(language: str) -> str:
    """Return the name of a language in that language itself, by CLDR: "Deutsch", "中文"."""
    return Locale.parse(language).get_display_name() or language


@cache
def catalogue(language: str) -> Catalogue:
    """Return the catalogue of a language, which is read only once.

    Raise CatalogueError if it is missing or incomplete.
    """
    path = LOCALES / language / "LC_MESSAGES" / f"{DOMAIN}.mo"
    try:
        with path.open("rb") as file:
            return Catalogue(gettext.GNUTranslations(file), str(path))
    except FileNotFoundError:
        known = ", ".join(languages())
        fix = "run `make setup`" if language in languages() else f"expected one of {known}"
        raise CatalogueError(f"{path}: no compiled messages for language {language!r}, {fix}") from None


class Catalogue:
    """The messages of one language."""

    def __init__(self, translations: gettext.NullTranslations, source: str) -> None:
        """Load the texts. Raise CatalogueError if a key has no text. `source` names the catalogue in the error."""
        self._translations = translations
        self.texts: Mapping[str, str] = {key: translations.gettext(key) for key in KEYS - PLURALS}
        """Template of each message without plural forms, by key."""
        missing = sorted(key for key in KEYS if self.template(key, None) == key)
        if missing:
            raise CatalogueError(f"{source}: no text for {', '.join(missing[:3])}, run `make setup` or translate them")
        self.needs = {key: fields(self.template(key, None)) for key in KEYS}
        """Names of the values in the template of every message."""

    def template(self, key: str, count: int | None) -> str:
        """Return the template of a message, which has a plural form for this count if the message has plural forms."""
        if key not in PLURALS:
            return self.texts[key]
        exact = f"{key}={count}"
        return self.texts[exact] if exact in KEYS else self._translations.ngettext(key, key, count or 0)


def fields(template: str) -> frozenset[str]:
    """Return the names of the values that a template contains."""
    return frozenset(_FIELD.findall(template))


def base_of(key: str) -> str:
    """Return the key without the suffix of its variant: `action.raise` for `action.raise+amount`."""
    return key.partition("+")[0].partition("=")[0]


def _variants() -> dict[str, tuple[str, ...]]:
    """Return the keys of the variants of every message, by the base key of the message.

    The base key is one of the variants. The variants with the most values come first.
    """
    found: dict[str, list[str]] = {}
    for key in KEYS:
        if "=" not in key:
            found.setdefault(base_of(key), []).append(key)
    return {base: tuple(sorted(keys, key=lambda key: -key.count("+"))) for base, keys in found.items() if len(keys) > 1}


def _sentences() -> dict[str, tuple[str, ...]]:
    """Return the keys of the sentences of each text, in order. A text has a key such as `alert.under-bet.text`."""
    found: dict[str, list[str]] = {}
    for key in sorted({base_of(key) for key in KEYS}):
        match = _SENTENCE.fullmatch(key)
        if match:
            found.setdefault(match[1], []).append(key)
    return {text: tuple(keys) for text, keys in found.items()}


VARIANTS: Final[Mapping[str, tuple[str, ...]]] = _variants()
SENTENCES: Final[Mapping[str, tuple[str, ...]]] = _sentences()
