"""Colours and letter sizes, chosen for a bright pit: light on near-black, and one red only.

A colour is never the only sign of anything: each tone also comes with a word, a shape or a line of its own.
"""

from __future__ import annotations

from typing import NamedTuple


class Tone(NamedTuple):
    """Paint of one kind of thing: ground, letters, and an outline with its width in pixels (0 = none)."""

    ground: str
    ink: str
    line: str = "#000000"
    width: float = 0


GROUND = "#0b0e12"
FELT = "#0d4a2b"
RAIL = "#33271c"
INK = "#ffffff"
SOFT = "#c9d3dd"
"""Letters of less weight: still 7:1 on every ground that they stand on."""
GOLD = "#ffd84a"
DIM = 0.72
"""How much of the last view the veil hides while it is not live."""

TONES: dict[str, Tone] = {
    # seats
    "turn": Tone("#ffffff", "#000000", "#37b6ff", 6),
    "live": Tone("#1f2a36", INK, "#5d7186", 2),
    "acted": Tone("#1f2a36", INK, "#5d7186", 2),
    "folded": Tone("#12161b", "#a9b4bf"),
    "all-in": Tone("#3d2c00", "#ffe9a6", GOLD, 4),
    "away": Tone("#12161b", "#a9b4bf", "#3c4854", 1),
    "empty": Tone("#0f1318", "#94a1ad", "#2f3943", 1),
    "picked": Tone("#bfe6ff", "#000000", "#37b6ff", 6),
    # what lies on a spot
    "bet": Tone("#06140c", GOLD, GOLD, 2),
    "seen": Tone("#0d4a2b", INK, INK, 0),
    "unsettled-bet": Tone("#0d4a2b", INK, INK, 2),
    "push-back": Tone("#ffe9a6", "#1a1200", "#1a1200", 0),
    "spot": Tone("#0d4a2b", INK, "#2b6a48", 1),
    # flags of a seat
    "owes": Tone("#ffb020", "#1a1000"),
    "held": Tone("#a5d8ff", "#00131f"),
    "offline": Tone("#f2f2f2", "#101010"),
    "presumed": Tone("#2f3943", INK),
    "soft": Tone("#1f2a36", SOFT),
    # numbers
    "number": Tone("#161d25", INK, "#3c4854", 1),
    "most": Tone("#161d25", GOLD, "#3c4854", 1),
    "unsettled": Tone("#161d25", INK, INK, 2),
    "pot": Tone("#06140c", INK),
    # keys
    "key": Tone("#2a3947", INK, "#5d7186", 1),
    "main": Tone("#1257b8", INK, "#9cc9ff", 2),
    "strong": Tone("#6a4b00", INK, GOLD, 2),
    "quiet": Tone("#161d25", INK, "#5d7186", 1),
    "off": Tone("#12161b", "#77828d", "#232b33", 1),
    "ok": Tone("#0f6b3a", INK, "#8be5b2", 2),
    "floor": Tone("#4b2a73", INK, "#d9c2ff", 2),
    "undo": Tone("#2a3947", INK, INK, 2),
    "pressed": Tone("#ffffff", "#000000", "#37b6ff", 4),
    # alerts
    "question": Tone("#0a3d66", INK, "#a5d8ff", 3),
    "warning": Tone("#a3111b", INK, INK, 3),
    "info": Tone("#27323d", INK, "#8a99a8", 2),
    "choice": Tone("#ffffff", "#000000"),
    "other-choice": Tone("#00000055", INK, INK, 2),
    "calm": Tone(GROUND, SOFT),
    "refused": Tone("#ffe9a6", "#1a1200"),
    "hint": Tone("#ffffff", "#000000"),
}

SIZES = {
    "strip": 19,
    "title": 29,
    "words": 20,
    "level": 18,
    "street": 38,
    "pot": 150,
    "pot-word": 24,
    "side": 22,
    "told": 20,
    "number": 56,
    "number-word": 20,
    "key": 27,
    "key-detail": 19,
    "seat": 40,
    "stack": 27,
    "status": 21,
    "flag": 18,
    "bet": 27,
    "note": 18,
}
