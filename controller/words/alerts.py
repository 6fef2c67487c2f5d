"""From a code and what is known of it to the alert that the screen shows, with the rule of the house's rulebook.

The texts are in `controller/alerts.py`, the rules in `controller/citations.py`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, Literal

from controller.view import Alert, Choice, Level, Rule
from controller.words.citations import RULES
from controller.words.entries import ENTRIES, Clears

Rulebook = Literal["roberts", "tda"]
UNKNOWN: Final = "?"


def alert(
    code: str,
    rulebook: Rulebook,
    seat: int | None = None,
    *,
    choices: tuple[Choice, ...] = (),
    about: str = "",
    level: Level | None = None,
    **values: object,
) -> Alert:
    """The alert of a code, as the screen shows it. `about` tells alerts of one code without a seat apart (a device, a
    pot); `level` overrides the entry's own.

    A value that the texts need and that was not given is shown as `UNKNOWN`: an alert never fails for want of a number.
    Raises KeyError for a code that is not in `ENTRIES`.
    """
    entry = ENTRIES[code]
    given = {name: value for name, value in {**values, "seat": seat}.items() if value is not None}
    tda = rulebook == "tda"
    text = (tda and entry.tda_text) or entry.text
    advice = (tda and entry.tda_advice) or entry.advice
    return Alert(
        key=" ".join(str(part) for part in (code, seat, about) if part),
        code=code,
        level=level or entry.level,
        seat=seat,
        title=_filled(entry.title, given),
        text=_capital(" ".join(f"{_filled(text, given)} {_filled(advice, given)}".split())),
        choices=choices,
        rule=rule(code, rulebook),
    )


def rule(code: str, rulebook: Rulebook) -> Rule | None:
    """The rule that a code rests on; None where it is no matter of the rules."""
    rules = RULES.get(ENTRIES[code].rule)
    return rules[rulebook == "tda"] if rules else None


def clears(code: str, rulebook: Rulebook) -> Clears:
    """Who may clear it: the dealer alone, the floor, or a technician."""
    entry = ENTRIES[code]
    return (entry.tda_clears if rulebook == "tda" else None) or entry.clears


def too_early(street: str) -> str:
    """The code for a street dealt before the betting was complete, by its name on the screen ("Turn")."""
    code = f"{street.lower()}-too-early"
    return code if code in ENTRIES else "street-too-early"


_OPTIONAL = re.compile(r"\[([^\[\]]*)\]")
_PLACEHOLDER = re.compile(r"\{(\w+)\}")


def placeholders(template: str) -> frozenset[str]:
    """The names of the values that a text can use."""
    return frozenset(_PLACEHOLDER.findall(template))


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _filled(template: str, values: Mapping[str, object]) -> str:
    def optional(match: re.Match[str]) -> str:
        return match[1] if placeholders(match[1]) <= values.keys() else ""

    return _PLACEHOLDER.sub(lambda match: str(values.get(match[1], UNKNOWN)), _OPTIONAL.sub(optional, template))
