"""Change the texts of a message catalogue, for tests that plant a wrong text or mark every text."""

from __future__ import annotations

import gettext
from collections.abc import Callable, Mapping

import pytest
from babel import Locale

from controller.messages import generate, renderer
from controller.messages.catalogue import Catalogue
from controller.messages.compile import LOCALES
from ui.scene import control_panel
from ui.scene.pages import page_dispatch

Texts = Mapping[str, tuple[str, ...]]
"""Texts of a catalogue, by the name (key) of the text. A name has one text, or one text for each plural form."""


def texts_of(language: str) -> dict[str, tuple[str, ...]]:
    """Return all texts of a language, read from its `.po` file."""
    path = LOCALES / language / "LC_MESSAGES" / "potkeeper.po"
    return {key: generate.forms_of(message) for key, message in generate.messages_of(generate.read(path)).items()}


class ChangedTranslations(gettext.NullTranslations):
    """Texts of a language, in which each text is replaced by the result of `change(key, text)`."""

    def __init__(self, language: str, change: Callable[[str, str], str]) -> None:
        super().__init__()
        self._texts = texts_of(language)
        self._change = change
        self._plural = Locale.parse(language).plural_form

    def gettext(self, message: str) -> str:
        return self._change(message, self._texts[message][0])

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        forms = self._texts[msgid1]
        return self._change(msgid1, forms[0] if self._plural(n) == "one" else forms[-1])


def plant(monkeypatch: pytest.MonkeyPatch, change: Callable[[str, str], str], language: str = "en") -> None:
    """Give every screen the catalogue of `language` with changed texts.

    `change(key, text)` returns the new text for each text.
    """
    planted = Catalogue(ChangedTranslations(language, change), "planted")
    monkeypatch.setattr(renderer, "catalogue", lambda _: planted)
    # The key CALL FLOOR is cached with its texts, so that the changed texts need a key without a cache.
    floor_key_in = control_panel.floor_key_in.__wrapped__
    monkeypatch.setattr(control_panel, "floor_key_in", floor_key_in)
    monkeypatch.setattr(page_dispatch, "floor_key_in", floor_key_in)
