"""Texts of the screen in every language.

The view has codes and typed amounts. `Messages` turns them into text for one table, one audience and one language. The
texts are in gettext catalogues, one file for each language, such as `locale/de/LC_MESSAGES/potkeeper.po`. `make setup`
compiles the catalogues. Each text has a name, its key, such as `alert.under-bet.title`. The key is the same in all
languages.

Gettext selects plural forms. Babel formats numbers, money and lists by the CLDR data of the language. A text is a
template for `str.format` with named values. If a part of a text is optional, the catalogue has a second text with this
part, which is called a variant. Example: `action.raise+amount` replaces `action.raise` if the amount is known.
`Messages` chooses the variant.

    >>> from controller.messages import Messages
    >>> from controller.view import Alert, MessageValues, Money
    >>> alert = Alert(code="under-bet", level="warning", values=MessageValues(seat=3, amount=1500, least=4000))
    >>> english = Messages(Money(prefix="$", decimals=2))
    >>> english.alert_title(alert)
    'Seat 3 bet too little'
    >>> english.alert_text(alert)
    'Short by $15. The minimum bet is $40. Have the bet made good. It does not reopen the betting.'
    >>> Messages(language="de").text("unknown-chips", count=1)
    '1 fremder Chip'

To add a language, copy `locale/en` to a folder with the code of the language, translate `potkeeper.po`, and run `python
-m controller.messages.generate`. To add a text, add it to the English catalogue, run the same command, and translate
the text in the other catalogues.
"""

from __future__ import annotations

from controller.messages.catalogue import CatalogueError, language_name, languages
from controller.messages.key_codes import STREETS, Rule
from controller.messages.keys import ScreenKey
from controller.messages.renderer import NO_AMOUNT, Audience, Messages, messages_for

__all__ = [
    "NO_AMOUNT",
    "STREETS",
    "Audience",
    "CatalogueError",
    "Messages",
    "Rule",
    "ScreenKey",
    "language_name",
    "languages",
    "messages_for",
]
