"""Urgency, role and rule of every alert code."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple, get_args

from controller.steps import observations
from controller.view import Alert, Choice, ClearableBy, MessageValues, Urgency


class AlertType(NamedTuple):
    """Properties that all alerts with one code share.

    `rule` names the rule in the message catalogue, or is "" if no rule applies.
    """

    level: Urgency
    clearable_by: ClearableBy = "dealer"
    rule: str = ""


WARNING_TYPES: Final[Mapping[str, AlertType]] = {
    "out-of-turn": AlertType("warning", rule="out-of-turn"),
    "string-bet": AlertType("warning", rule="string-bet"),
    "oversized-chip": AlertType("info", rule="oversized-chip"),
    "under-bet": AlertType("warning", rule="under-bet"),
    "under-call": AlertType("warning", rule="under-call"),
    "under-raise": AlertType("warning", rule="under-raise"),
    "over-limit": AlertType("warning", rule="over-limit"),
    "off-unit": AlertType("info", rule="off-unit"),
    "capped": AlertType("warning", rule="capped"),
    "not-reopened": AlertType("warning", rule="not-reopened"),
    "no-check-raise": AlertType("warning", rule="no-check-raise"),
    "fold-for-free": AlertType("info", rule="fold-for-free"),
    "not-possible": AlertType("warning", rule="not-possible"),
    "chips-withdrawn": AlertType("warning", rule="chips-withdrawn"),
    "words-differ": AlertType("info", rule="words-differ"),
    "skipped": AlertType("warning", clearable_by="floor", rule="skipped"),
    "stack-corrected": AlertType("info", rule="stack-corrected"),
    "buy-in": AlertType("warning", clearable_by="floor", rule="buy-in"),
    "going-south": AlertType("warning", clearable_by="floor", rule="going-south"),
    "unknown-chip": AlertType("warning", rule="unknown-chip"),
    "tray-offline": AlertType("info", clearable_by="technician"),
    "later-refused": AlertType("warning", rule="between-hands"),
}
"""Types of the warnings that a step can raise. table-scripts.md uses the same codes."""

PRACTICE_TASKS: Final = (
    *("fold", "check", "call", "bet", "raise", "complete", "pot", "all-in", "time", "chips", "return", "undo"),
    *("hand", "deal", "award", "split", "high-low", "bring-in", "first", "straddle", "sit", "add", "next", "over"),
)
"""Tasks of the practice table. Each has an alert, such as `practice-fold`, which a real table never shows."""

ALERT_TYPES: Final[Mapping[str, AlertType]] = {
    **WARNING_TYPES,
    **{reason: AlertType("question") for reason in get_args(observations.AskedReason)},
    "behind-the-turn": AlertType("question", rule="out-of-turn"),
    "sweep-question": AlertType("question", rule="between-rounds"),
    "at-least": AlertType("question"),
    "emptied": AlertType("question", rule="chips-withdrawn"),
    "fold-meant": AlertType("question"),
    "counting-bet": AlertType("question"),
    "counting-buy-in": AlertType("question"),
    "counting-stack": AlertType("question"),
    "pile-not-added": AlertType("question"),
    "act-or-answer": AlertType("question", rule="out-of-turn"),
    "key-too-late": AlertType("question"),
    "chips-between-rounds": AlertType("question", rule="between-rounds"),
    "due-back": AlertType("info"),
    "owes": AlertType("warning"),
    "held-for-the-floor": AlertType("warning", clearable_by="floor"),
    "unsettled": AlertType("info"),
    "post-owed": AlertType("info"),
    "kill-owed": AlertType("info"),
    "flop-too-early": AlertType("warning", clearable_by="floor", rule="flop-too-early"),
    "turn-too-early": AlertType("warning", clearable_by="floor", rule="turn-too-early"),
    "river-too-early": AlertType("warning", clearable_by="floor", rule="river-too-early"),
    "street-too-early": AlertType("warning", clearable_by="floor", rule="street-too-early"),
    "betting-open": AlertType("question"),
    "lammer": AlertType("info"),
    "all-in-not-booked": AlertType("info"),
    "missed-blind-not-booked": AlertType("info"),
    "rock-not-booked": AlertType("info"),
    "kill-not-booked": AlertType("info"),
    "button-elsewhere": AlertType("info"),
    "chips-left-over": AlertType("info"),
    "not-on-the-felt": AlertType("info"),
    "chips-found": AlertType("info", clearable_by="technician"),
    "tag-copied": AlertType("warning", clearable_by="floor"),
    "tag-weak": AlertType("info", clearable_by="floor"),
    "chips-astray": AlertType("info", clearable_by="floor"),
    "next-hand-held": AlertType("info", clearable_by="floor"),
    "break": AlertType("info", clearable_by="floor"),
    "level-over": AlertType("question", clearable_by="floor"),
    "clock-over": AlertType("question", rule="clock"),
    "floor-called": AlertType("info", clearable_by="floor"),
    "failed": AlertType("warning", clearable_by="technician"),
    "restarted": AlertType("question"),
    "spot-offline": AlertType("info", clearable_by="technician"),
    "reader-offline": AlertType("warning", clearable_by="technician"),
    "reader-misset": AlertType("info", clearable_by="technician"),
    "board-offline": AlertType("warning", clearable_by="technician"),
    "presses-lost": AlertType("warning"),
    "key-bounces": AlertType("warning", clearable_by="technician"),
    "key-stuck": AlertType("warning", clearable_by="technician"),
    "badge-reader-offline": AlertType("info", clearable_by="technician"),
    "badge-reader-paused": AlertType("warning", clearable_by="floor"),
    "badge-refused": AlertType("info", clearable_by="floor"),
    "high-water-offline": AlertType("info", clearable_by="technician"),
    "table-key-offline": AlertType("warning", clearable_by="technician"),
    "storage-nearly-full": AlertType("info", clearable_by="technician"),
    "sensors-off": AlertType("warning", clearable_by="technician"),
    "journal-damaged": AlertType("warning", clearable_by="floor"),
    "journal-gap": AlertType("warning", clearable_by="floor"),
    "journal-altered": AlertType("warning", clearable_by="floor"),
    "journal-not-written": AlertType("warning", clearable_by="technician"),
    "hands-open": AlertType("info", rule="hands-open"),
    "file-replaced": AlertType("info", clearable_by="technician"),
    "file-waits": AlertType("info"),
    "file-needs-restart": AlertType("info", clearable_by="technician"),
    "chips-revalued": AlertType("info", clearable_by="floor"),
    "layout-unusable": AlertType("warning", clearable_by="technician"),
    "roles-unusable": AlertType("warning", clearable_by="technician"),
    "badges-unusable": AlertType("warning", clearable_by="technician"),
    "secret-readable": AlertType("warning", clearable_by="technician"),
    "unclear-amount": AlertType("info", rule="unclear-amount"),
    "misunderstood-call": AlertType("info", clearable_by="floor", rule="misunderstood-call"),
    **{f"practice-{task}": AlertType("info") for task in PRACTICE_TASKS},
}
"""Every alert type: the warnings, questions and messages about the hand, and reports about the table and devices."""


_NO_VALUES: Final = MessageValues()


def build_alert(
    code: str,
    values: MessageValues = _NO_VALUES,
    choices: tuple[Choice, ...] = (),
    *,
    about: str = "",
    level: Urgency | None = None,
    rule: str | None = None,
    cause: str = "",
) -> Alert:
    """Return the alert with this code.

    `about` distinguishes alerts with the same code and seat, such as two devices. `level` and `rule` replace the usual
    urgency and rule of this code. `cause` is the code of the fault from which the alert follows. Raise KeyError if
    `ALERT_TYPES` does not have the code.
    """
    alert_type = ALERT_TYPES[code]
    return Alert(
        code=code,
        level=level or alert_type.level,
        values=values,
        choices=choices,
        clearable_by=alert_type.clearable_by,
        rule=alert_type.rule if rule is None else rule,
        subject=about,
        cause=cause,
    )
