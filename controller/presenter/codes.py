"""Every code of an alert: how urgent it is, who may clear it, and the rule that it rests on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from controller.view import Alert, Choice, Clears, Urgency, Values


class Code(NamedTuple):
    """`rule` is the key of the rule in the catalogue of words, "" where it is no matter of the rules."""

    level: Urgency
    clears: Clears = "dealer"
    rule: str = ""


WARNINGS: Final[Mapping[str, Code]] = {
    "out-of-turn": Code("warning", rule="out-of-turn"),
    "string-bet": Code("warning", rule="string-bet"),
    "oversized-chip": Code("info", rule="oversized-chip"),
    "under-bet": Code("warning", rule="under-bet"),
    "under-call": Code("warning", rule="under-call"),
    "under-raise": Code("warning", rule="under-raise"),
    "over-limit": Code("warning", rule="over-limit"),
    "off-unit": Code("info", rule="off-unit"),
    "capped": Code("warning", rule="capped"),
    "not-reopened": Code("warning", rule="not-reopened"),
    "no-check-raise": Code("warning", rule="no-check-raise"),
    "fold-for-free": Code("info", rule="fold-for-free"),
    "not-possible": Code("warning", rule="not-possible"),
    "chips-withdrawn": Code("warning", rule="chips-withdrawn"),
    "words-differ": Code("info", rule="words-differ"),
    "skipped": Code("warning", clears="floor", rule="skipped"),
    "stack-corrected": Code("info", rule="stack-corrected"),
    "buy-in": Code("warning", clears="floor", rule="buy-in"),
    "going-south": Code("warning", clears="floor", rule="going-south"),
    "unknown-chip": Code("warning", rule="unknown-chip"),
    "tray-offline": Code("info", clears="technician"),
}
"""What a step can warn of, as the table-script contract names it."""

CODES: Final[Mapping[str, Code]] = {
    **WARNINGS,
    "behind-the-turn": Code("question", rule="out-of-turn"),
    "sweep-question": Code("question", rule="between-rounds"),
    "at-least": Code("question"),
    "own-stack": Code("question"),
    "last-pot": Code("question"),
    "splash": Code("question"),
    "covered": Code("question"),
    "copied": Code("question"),
    "change": Code("question"),
    "emptied": Code("question", rule="chips-withdrawn"),
    "folded-seat": Code("question"),
    "counting-bet": Code("question"),
    "counting-buy-in": Code("question"),
    "counting-stack": Code("question"),
    "pile-not-added": Code("question"),
    "act-or-answer": Code("question", rule="out-of-turn"),
    "key-too-late": Code("question"),
    "chips-between-rounds": Code("question", rule="between-rounds"),
    "due-back": Code("info"),
    "owes": Code("warning"),
    "held-for-the-floor": Code("warning", clears="floor"),
    "unsettled": Code("info"),
    "post-owed": Code("info"),
    "kill-owed": Code("info"),
    "flop-too-early": Code("warning", clears="floor", rule="flop-too-early"),
    "turn-too-early": Code("warning", clears="floor", rule="turn-too-early"),
    "river-too-early": Code("warning", clears="floor", rule="river-too-early"),
    "street-too-early": Code("warning", clears="floor", rule="street-too-early"),
    "betting-open": Code("question"),
    "lammer": Code("info"),
    "all-in-not-booked": Code("info"),
    "missed-blind-not-booked": Code("info"),
    "rock-not-booked": Code("info"),
    "kill-not-booked": Code("info"),
    "button-elsewhere": Code("info"),
    "chips-left-over": Code("info"),
    "not-on-the-felt": Code("info"),
    "chips-found": Code("info", clears="technician"),
    "tag-copied": Code("warning", clears="floor"),
    "tag-weak": Code("info", clears="floor"),
    "chips-astray": Code("info", clears="floor"),
    "next-hand-held": Code("info", clears="floor"),
    "break": Code("info", clears="floor"),
    "level-over": Code("question", clears="floor"),
    "floor-called": Code("info", clears="floor"),
    "failed": Code("warning", clears="technician"),
    "restarted": Code("question"),
    "spot-offline": Code("info", clears="technician"),
    "reader-offline": Code("warning", clears="technician"),
    "reader-misset": Code("info", clears="technician"),
    "board-offline": Code("warning", clears="technician"),
    "presses-lost": Code("warning"),
    "badge-reader-offline": Code("info", clears="technician"),
    "high-water-offline": Code("info", clears="technician"),
    "table-key-offline": Code("warning", clears="technician"),
    "storage-nearly-full": Code("info", clears="technician"),
    "sensors-off": Code("warning", clears="technician"),
    "journal-damaged": Code("warning", clears="floor"),
    "journal-gap": Code("warning", clears="floor"),
    "journal-altered": Code("warning", clears="floor"),
    "journal-not-written": Code("warning", clears="technician"),
}
"""All of them: besides the warnings, what the dealer is asked or told in a hand, and about table and devices."""


_NOTHING_KNOWN: Final = Values()


def alert(
    code: str,
    values: Values = _NOTHING_KNOWN,
    choices: tuple[Choice, ...] = (),
    *,
    about: str = "",
    level: Urgency | None = None,
    rule: str | None = None,
) -> Alert:
    """The alert of a code. `about` tells alerts of one code and seat apart (a device, a spot); `level` and
    `rule` override the code's own. Raises KeyError for a code that is not in `CODES`."""
    known = CODES[code]
    return Alert(
        code=code,
        level=level or known.level,
        values=values,
        choices=choices,
        clears=known.clears,
        rule=known.rule if rule is None else rule,
        about=about,
    )
