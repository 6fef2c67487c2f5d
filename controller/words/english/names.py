"""What games, streets, pots, places, devices and states are called."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from controller.view import Limit, SeatStatus, Urgency

_FLOP = ("Preflop", "Flop", "Turn", "River")
_STUD = ("Third street", "Fourth street", "Fifth street", "Sixth street", "Seventh street")
_ONE_DRAW = ("Before the draw", "After the draw")
_DRAWS = ("Before the draw", "First draw", "Second draw", "Third draw")

VARIANTS: Final[Mapping[str, str]] = {
    "holdem": "Hold'em",
    "short-deck": "Short deck",
    "pineapple": "Pineapple",
    "crazy-pineapple": "Crazy pineapple",
    "irish": "Irish",
    "omaha": "Omaha",
    "omaha8": "Omaha eight-or-better",
    "omaha5": "Five-card Omaha",
    "big-o": "Big O",
    "courchevel": "Courchevel",
    "stud": "Seven-card stud",
    "stud8": "Stud eight-or-better",
    "razz": "Razz",
    "five-card-stud": "Five-card stud",
    "draw": "Five-card draw",
    "single-draw": "2-7 single draw",
    "triple-draw": "Triple draw",
    "badugi": "Badugi",
}

STREETS: Final[Mapping[str, tuple[str, ...]]] = {
    "holdem": _FLOP,
    **dict.fromkeys(("short-deck", "pineapple", "crazy-pineapple", "irish"), _FLOP),
    **dict.fromkeys(("omaha", "omaha8", "omaha5", "big-o"), _FLOP),
    "courchevel": ("First flop card", "Flop", "Turn", "River"),
    "stud": _STUD,
    "stud8": _STUD,
    "razz": _STUD,
    "five-card-stud": ("Second street", "Third street", "Fourth street", "Fifth street"),
    "draw": _ONE_DRAW,
    "single-draw": _ONE_DRAW,
    "triple-draw": _DRAWS,
    "badugi": _DRAWS,
}

STRUCTURES: Final[Mapping[str, str]] = {
    "no-limit": "no-limit",
    "pot-limit": "pot-limit",
    "half-pot": "half-pot",
    "fixed-limit": "fixed-limit",
    "spread-limit": "spread-limit",
}

_SIDES = range(1, 10)

POTS: Final[Mapping[str, str]] = {"main": "MAIN", **{f"side{number}": f"SIDE {number}" for number in _SIDES}}

POTS_SHORT: Final[Mapping[str, str]] = {"main": "M", **{f"side{number}": f"S{number}" for number in _SIDES}}

POTS_SAID: Final[Mapping[str, str]] = {
    "main": "the main pot",
    **{f"side{number}": f"side pot {number}" for number in _SIDES},
}

SPOTS: Final[Mapping[str, str]] = {
    **{f"bet{seat}": f"seat {seat}" for seat in range(1, 11)},
    "pot": "the pot",
    "pad": "count pad",
    "tray": "the dealer's tray",
}

LAMMERS: Final[Mapping[str, str]] = {
    "button": "dealer button",
    "missed-blind": "missed-blind button",
    "all-in": "all-in button",
    "rock": "rock",
    "kill": "kill button",
}

ACCOUNTS: Final[Mapping[str, str]] = {
    "rake": "rake",
    "jackpot": "jackpot",
    "kitty": "kitty",
    "time": "time",
    "toke": "toke",
    "adjustment": "adjustment",
}

REASONS: Final[Mapping[str, str]] = {
    "silence": "no answer; check power, cable and baud rate",
    "reboot": "it has started again",
    "protocol": "it speaks another version; install the firmware of this installation",
    "not-found": "there is no such port; plug the adapter in, named as in the layout",
    "busy": "somebody has the port open; the service runs, or two devices of the layout share it",
    "permission": "this user may not open the port; make it a member of the group dialout",
    "unplugged": "its port has vanished; check the cable",
    "io-error": "its port cannot be used",
    "overrun": "it takes no bytes",
    "babbling": "it says more than its cable can carry: another device, or a broken one",
    "stopped": "it was stopped",
    "changed": "one was changed",
    "exchanged": "two were exchanged",
    "removed": "some were taken out",
    "inserted": "some were put in",
    "remade": "some were written anew by another hand",
    "cut": "the last ones were cut off",
    "older-copy": "there is an older copy in their place",
    "wal-removed": "the newest were removed",
    "deleted": "all were removed",
    "replaced": "there are those of another journal in their place",
    "differs": "this program makes something else than the last one did",
    "badge-forged": "one names a badge that was not there",
}

LEVELS: Final[Mapping[Urgency, str]] = {"info": "NOTE", "question": "QUESTION", "warning": "WARNING"}

STATUSES: Final[Mapping[SeatStatus, str]] = {
    "empty": "empty",
    "away": "AWAY",
    "out": "not in hand",
    "to-act": "TO ACT",
    "waiting": "waiting",
    "acted": "acted",
    "folded": "FOLDED",
    "all-in": "ALL-IN",
}

PASSED: Final[Mapping[str, str]] = {"checked": "checked", "folded": "folded"}

BOUNDS: Final[Mapping[Limit, tuple[str, str]]] = {
    "pot": ("POT BET", "POT RAISE TO"),
    "half-pot": ("HALF-POT BET", "HALF-POT RAISE TO"),
    "stack": ("ALL-IN BET", "ALL-IN RAISE TO"),
    "cap": ("BET TO THE CAP", "RAISE TO THE CAP"),
    "fixed": ("FIXED BET", "FIXED RAISE TO"),
    "spread": ("MAX BET (SPREAD)", "MAX RAISE TO (SPREAD)"),
    "none": ("MAX BET: NO LIMIT", "MAX RAISE: NO LIMIT"),
}
