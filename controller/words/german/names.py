"""What games, streets, pots, places, devices and states are called."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from controller.view import Limit, SeatStatus, Urgency

_FLOP = ("Vor dem Flop", "Flop", "Turn", "River")
_STUD = ("Third Street", "Fourth Street", "Fifth Street", "Sixth Street", "Seventh Street")
_ONE_DRAW = ("Vor dem Tausch", "Nach dem Tausch")
_DRAWS = ("Vor dem Tausch", "Erster Tausch", "Zweiter Tausch", "Dritter Tausch")

VARIANTS: Final[Mapping[str, str]] = {
    "holdem": "Hold'em",
    "short-deck": "Short Deck",
    "pineapple": "Pineapple",
    "crazy-pineapple": "Crazy Pineapple",
    "irish": "Irish",
    "omaha": "Omaha",
    "omaha8": "Omaha Eight-or-Better",
    "omaha5": "Omaha mit fünf Karten",
    "big-o": "Big O",
    "courchevel": "Courchevel",
    "stud": "Seven Card Stud",
    "stud8": "Stud Eight-or-Better",
    "razz": "Razz",
    "five-card-stud": "Five Card Stud",
    "draw": "Five Card Draw",
    "single-draw": "2-7 Single Draw",
    "triple-draw": "Triple Draw",
    "badugi": "Badugi",
}

STREETS: Final[Mapping[str, tuple[str, ...]]] = {
    "holdem": _FLOP,
    **dict.fromkeys(("short-deck", "pineapple", "crazy-pineapple", "irish"), _FLOP),
    **dict.fromkeys(("omaha", "omaha8", "omaha5", "big-o"), _FLOP),
    "courchevel": ("Erste Flopkarte", "Flop", "Turn", "River"),
    "stud": _STUD,
    "stud8": _STUD,
    "razz": _STUD,
    "five-card-stud": ("Second Street", "Third Street", "Fourth Street", "Fifth Street"),
    "draw": _ONE_DRAW,
    "single-draw": _ONE_DRAW,
    "triple-draw": _DRAWS,
    "badugi": _DRAWS,
}

STRUCTURES: Final[Mapping[str, str]] = {
    "no-limit": "No Limit",
    "pot-limit": "Pot Limit",
    "half-pot": "Half Pot",
    "fixed-limit": "Fixed Limit",
    "spread-limit": "Spread Limit",
}

_SIDES = range(1, 10)

POTS: Final[Mapping[str, str]] = {"main": "HAUPT", **{f"side{number}": f"SIDE {number}" for number in _SIDES}}

POTS_SHORT: Final[Mapping[str, str]] = {"main": "H", **{f"side{number}": f"S{number}" for number in _SIDES}}

POTS_SAID: Final[Mapping[str, str]] = {
    "main": "Hauptpott",
    **{f"side{number}": f"Sidepott {number}" for number in _SIDES},
}

SPOTS: Final[Mapping[str, str]] = {
    **{f"bet{seat}": f"Platz {seat}" for seat in range(1, 11)},
    "pot": "Pott",
    "pad": "Zählfeld",
    "tray": "Chiptray",
}

LAMMERS: Final[Mapping[str, str]] = {
    "button": "der Dealerbutton",
    "missed-blind": "der Missed-Blind-Button",
    "all-in": "der All-in-Button",
    "rock": "der Rock",
    "kill": "der Kill-Button",
}

ACCOUNTS: Final[Mapping[str, str]] = {
    "rake": "Rake",
    "jackpot": "Jackpot",
    "kitty": "Kasse",
    "time": "Tischgeld",
    "toke": "Tronc",
    "adjustment": "Differenz",
}

REASONS: Final[Mapping[str, str]] = {
    "silence": "keine Antwort; Strom, Kabel und Baudrate prüfen",
    "reboot": "es ist neu gestartet",
    "protocol": "es spricht eine andere Version; die Firmware dieser Installation aufspielen",
    "not-found": "es gibt den Anschluss nicht; den Adapter einstecken, der im Layout steht",
    "busy": "der Anschluss ist belegt; der Dienst läuft, oder zwei Geräte im Layout teilen ihn",
    "permission": "dieser Benutzer darf den Anschluss nicht öffnen; in die Gruppe dialout aufnehmen",
    "unplugged": "der Anschluss ist verschwunden; Kabel prüfen",
    "io-error": "der Anschluss ist nicht benutzbar",
    "overrun": "es nimmt keine Bytes an",
    "babbling": "es sagt mehr, als das Kabel trägt: ein anderes Gerät oder ein defektes",
    "stopped": "es wurde angehalten",
    "changed": "ein Eintrag wurde geändert",
    "exchanged": "zwei Einträge wurden vertauscht",
    "removed": "Einträge wurden entfernt",
    "inserted": "Einträge wurden eingefügt",
    "remade": "Einträge wurden von anderer Hand neu geschrieben",
    "cut": "die letzten Einträge wurden abgeschnitten",
    "older-copy": "es liegt eine ältere Kopie da",
    "wal-removed": "die neuesten Einträge wurden entfernt",
    "deleted": "alle Einträge wurden entfernt",
    "replaced": "es liegt die eines anderen Journals da",
    "differs": "dieses Programm kommt zu einem anderen Stand als das letzte",
    "badge-forged": "ein Eintrag nennt einen Ausweis, der nicht da war",
}

LEVELS: Final[Mapping[Urgency, str]] = {"info": "HINWEIS", "question": "FRAGE", "warning": "WARNUNG"}

STATUSES: Final[Mapping[SeatStatus, str]] = {
    "empty": "frei",
    "away": "ABWESEND",
    "out": "nicht dabei",
    "to-act": "AM ZUG",
    "waiting": "wartet",
    "acted": "war dran",
    "folded": "GEPASST",
    "all-in": "ALL-IN",
}

PASSED: Final[Mapping[str, str]] = {"checked": "gecheckt", "folded": "gepasst"}

BOUNDS: Final[Mapping[Limit, tuple[str, str]]] = {
    "pot": ("POTT SETZEN", "POTT: ERHÖHEN AUF"),
    "half-pot": ("HALBER POTT", "HALBER POTT: AUF"),
    "stack": ("ALL-IN SETZEN", "ALL-IN: ERHÖHEN AUF"),
    "cap": ("BIS ZUM CAP", "ERHÖHEN BIS ZUM CAP"),
    "fixed": ("FESTER EINSATZ", "FEST: ERHÖHEN AUF"),
    "spread": ("MAX. EINSATZ (SPREAD)", "MAX. ERHÖHEN (SPREAD)"),
    "none": ("MAX. EINSATZ: OFFEN", "MAX. ERHÖHEN: OFFEN"),
}
