"""What one language has to say: the shape that each of them fills, with the same keys.

All texts but those of `Rule` are templates: those of the screen name only what is known and are for `str.format`, all
others are filled by `templates.py`. In the values that they name, `amount`, `least` and `most` are money and are
written by `Words.amount` alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

from controller.view import Addend, Label, Limit, PotAddend, SeatStatus, Urgency, WhyNoRaise, WhyOut
from controller.words.page_keys import PageKey

MOST_TITLE: Final = 40
"""Characters of a title: one line of the band at the size it is read at. Those of full width count twice."""
MOST_WORDS: Final = 160
"""Characters of text and advice together: two lines of the band."""

ScreenKey = Literal[
    PageKey,
    "hand",
    "sensors-on",
    "sensors-partly",
    "sensors-off",
    "open-table",
    "device-down",
    "devices-down",
    "not-live",
    "no-table",
    "lost",
    "no-connection",
    "connection-ended",
    "line-too-long",
    "silent",
    "old-view",
    "other-protocol",
    "bad-line",
    "between-hands",
    "hand-over",
    "hold-hand-for-hand",
    "hold-break",
    "next-game",
    "follows",
    "level",
    "level-over",
    "level-next",
    "until-break",
    "bomb",
    "pot",
    "pot-hidden",
    "to-call",
    "min-bet",
    "min-raise",
    "max-bet",
    "max-raise",
    "unsettled",
    "presumed",
    "presumed-flag",
    "stack-unknown",
    "blind",
    "owes",
    "held",
    "due-back",
    "markers",
    "kill-blind",
    "straddles",
    "post-due",
    "missed",
    "uncalled",
    "uncalled-bet",
    "held-chips",
    "seen",
    "seen-at-least",
    "seen-alone",
    "seen-alone-at-least",
    "unknown-chip",
    "unknown-chips",
    "tray-offline",
    "tray-offline-advice",
    "chips-moving",
    "rule",
    "rule-back",
    "rule-line",
    "more-alerts",
    "alert-seen",
    "fold",
    "check",
    "call",
    "call-amount",
    "bring-in-amount",
    "bet",
    "bet-asks",
    "raise",
    "raise-asks",
    "complete",
    "all-in",
    "check-or-call",
    "bet-or-raise",
    "to",
    "amount",
    "half-pot",
    "deal",
    "award",
    "next-hand",
    "undo",
    "call-floor",
    "floor-comes",
    "show-pot",
    "hide-pot",
    "cancel",
    "ok",
    "delete",
    "clear",
    "misdeal",
    "bet-is",
    "raise-to",
    "below",
    "said-raise",
    "said-call",
    "folds",
    "returned",
    "takes-back",
    "stack-is",
    "away",
    "back",
    "leaves",
    "stack-lost",
    "count-bet",
    "count-stack",
    "count-buy-in",
    "removes",
    "tip",
    "time",
    "award-hint",
    "high",
    "low",
    "give",
    "split",
    "winners-and",
    "refused",
    "cannot-act",
    "not-connected",
    "table-changed",
    "floor-binds",
    "floor-releases",
    "floor-turn",
    "floor-bet",
    "floor-dead",
    "floor-button",
    "floor-pot",
    "floor-hold",
    "floor-go",
    "floor-go-on",
    "checks",
    "calls",
    "raises",
    "raises-by",
    "pots",
    "completes",
    "goes-all-in",
    "one-chip",
    "chips-silent",
    "was",
    "it-is-in",
    "motion-done",
    "calls-time",
    "change",
    "straddle",
    "marker-given",
    "marker-lent",
    "adds",
    "plays-cash",
    "moves",
    "sits",
    "sits-transfer",
    "sits-in-stead",
    "types-name",
    "redeems",
    "redeems-to",
    "deal-closing",
    "bomb-pot",
    "all-is-in",
    "drops",
    "to-kitty",
    "more-offers",
    "table-keys",
    "menu",
    "redo",
    "by",
    "share",
    "whole",
    "board",
    "seat-keys",
    "seat-keys-named",
    "table-panel",
    "misdeal-sure",
    "to-seat",
    "opens",
    "closes",
    "closes-sure",
    "skips",
    "skips-sure",
    "name-of-dealer",
    "says-call",
    "says-raise",
    "who-brings-in",
    "who-is-first",
    "undo-crosses",
    "redo-crosses",
    "yes",
    "where-to",
    "who-lends",
    "who-lent",
    "where-button",
    "panel-hint",
    "table-hint",
    "gets",
    "odd-chip",
    "rake-of-it",
    "jackpot-of-it",
    "kitty-of-it",
]
"""The words that the screen itself says."""


class Rule(NamedTuple):
    """The rule a ruling rests on, shown on touch: the book, its number, one line in plain words."""

    book: str
    number: str
    text: str


class AlertText(NamedTuple):
    """What is said of one code: what happened, what to do. The `tda` texts take the place of the others with that
    rulebook; `technician` is added for that audience."""

    title: str
    text: str
    advice: str = ""
    tda_text: str = ""
    tda_advice: str = ""
    technician: str = ""


class Does(NamedTuple):
    """One verb of `Did`: "raise to 60", "raises to 60"."""

    plain: str
    third: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Catalogue:
    """One language."""

    alerts: Mapping[str, AlertText]
    rules: Mapping[str, tuple[Rule, Rule]]
    """By ruling: the rule with `roberts` and with `tda`."""
    labels: Mapping[Label, str]
    refused: Mapping[str, str]
    """Why nothing was done, to stand after "Not done:"."""
    did: Mapping[str, Does]
    all_in: str
    """Added to what a seat did where it is all-in with that; `{did}`."""
    held: str
    """What is held of a seat: `{seat}`, `{did}`."""
    told: Mapping[str, str]
    """By step."""
    sources: Mapping[str, str]
    """Added to what was told; `{told}`."""
    unrecorded: str
    """The same, while nothing is recorded."""
    passed: Mapping[str, str]
    """What seats did that were passed over: checked, folded."""
    variants: Mapping[str, str]
    structures: Mapping[str, str]
    ante: str
    streets: Mapping[str, tuple[str, ...]]
    """By variant, from the first betting round on."""
    pots: Mapping[str, str]
    """On keys."""
    pots_short: Mapping[str, str]
    """Where there is no room: three letters at most."""
    pots_said: Mapping[str, str]
    """In a sentence."""
    spots: Mapping[str, str]
    lammers: Mapping[str, str]
    accounts: Mapping[str, str]
    reasons: Mapping[str, str]
    """Why a device does not answer, for who repairs it; what is not here is printed as it is."""
    levels: Mapping[Urgency, str]
    statuses: Mapping[SeatStatus, str]
    bounds: Mapping[Limit, tuple[str, str]]
    """By what bounds it: the word of the largest bet, of the largest raise."""
    over: Mapping[Limit, tuple[str, str]]
    """Why a larger bet, or raise, is too large; `{amount}` is the largest."""
    addends: Mapping[Addend, str]
    """What the largest bet is the sum of; `{amount}` is never below 0."""
    pot_addends: Mapping[PotAddend, str]
    """The same of the pot that it goes by."""
    plus: str
    """Before an addend,"""
    minus: str
    """and before one that is taken off."""
    made_up: str
    """The sum: `{parts}`, `{amount}`."""
    no_most: str
    """In its stead, where nothing bounds it."""
    behind: str
    """What the seat has behind."""
    why_no_raise: Mapping[WhyNoRaise, str]
    why_out: Mapping[WhyOut, str]
    screen: Mapping[ScreenKey, str]
    keyboard: tuple[tuple[tuple[str, ...], ...], ...]
    """For names: one set of letters or several, each in rows, each key with what it adds."""
    comma: str
    """Between the parts of a list, and before the last one in a sentence."""
    and_last: str
    between: str
    """Between two sentences."""


def missing(catalogue: Catalogue, pattern: Catalogue) -> tuple[str, ...]:
    """The keys that this language has not and the other has, or has and the other has not: "labels.deal"."""
    found = []
    for name in Catalogue.__slots__:
        mine, other = getattr(catalogue, name), getattr(pattern, name)
        if isinstance(other, Mapping):
            found += [f"{name}.{key}" for key in sorted(mine.keys() ^ other.keys())]
    return tuple(found)
