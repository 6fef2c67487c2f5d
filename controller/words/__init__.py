"""The catalogue of words: codes and typed amounts in, what people read out.

`Words` speaks to one audience, in one language and the house's money. A language is one folder beside this file with
the same keys (`catalogue.Catalogue`).
"""

from __future__ import annotations

from controller.words.catalogue import Rule, ScreenKey
from controller.words.words import NO_AMOUNT, Audience, Language, Words, words_of

__all__ = ["NO_AMOUNT", "Audience", "Language", "Rule", "ScreenKey", "Words", "words_of"]
