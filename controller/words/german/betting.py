"""What bounds a bet, what it is made up of, and why a player is not in the hand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from controller.view import Addend, Limit, PotAddend, WhyNoRaise, WhyOut

ADDENDS: Final[Mapping[Addend, str]] = {
    "in-front": "{amount} vorn",
    "call": "Mitgehen {amount}",
    "pot": "Pott {amount}",
    "half-pot": "halber Pott {amount}",
    "bet": "Einsatz {amount}",
    "raise": "Erhöhung {amount}",
    "complete": "Auffüllen {amount}",
    "on-unit": "Einheit {amount}",
}

POT_ADDENDS: Final[Mapping[PotAddend, str]] = {
    "there": "drin {amount}",
    "call": "Mitgehen {amount}",
    "blinds": "volle Blinds {amount}",
    "antes": "Antes {amount}",
    "rounded": "aufgerundet {amount}",
}

WHY_NO_RAISE: Final[Mapping[WhyNoRaise, str]] = {
    "": "",
    "capped": "CAP: keine Erhöhung mehr",
    "no-check-raise": "hat gecheckt: keine Erhöhung",
    "not-reopened": "nicht wieder offen: keine Erhöhung",
    "nobody-to-raise": "niemand, gegen den erhöht würde",
    "no-chips": "nur Chips zum Mitgehen",
}

WHY_OUT: Final[Mapping[WhyOut, str]] = {
    "": "",
    "away": "abwesend",
    "no-chips": "keine Chips",
    "short": "zu wenig für den Blind",
    "posts": "schuldet Blinds[: {amount}]",
    "between-blinds": "zwischen den Blinds: wartet",
    "moved": "umgesetzt: wartet[, noch {count}]",
    "next-hand": "ab der nächsten Hand dabei",
}

OVER: Final[Mapping[Limit, tuple[str, str]]] = {
    "pot": ("mehr als der Pott: {amount}", "mehr als die Pott-Erhöhung: {amount}"),
    "half-pot": ("mehr als der halbe Pott: {amount}", "mehr als die halbe Pott-Erhöhung: {amount}"),
    "stack": ("mehr als der Stack: All-in ist {amount}", "mehr als der Stack: All-in ist {amount}"),
    "cap": ("mehr als der Cap: {amount}", "mehr als der Cap: {amount}"),
    "fixed": ("der Einsatz ist {amount}", "die Erhöhung geht auf {amount}"),
    "spread": ("mehr als der größte Einsatz: {amount}", "mehr als die größte Erhöhung: {amount}"),
    "none": ("keine Grenze", "keine Grenze"),
}
