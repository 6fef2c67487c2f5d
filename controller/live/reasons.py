"""Why a command at the live table is refused, beside what table and rules say. The sentences are in the catalogue of
words."""

from __future__ import annotations

from enum import StrEnum


class LiveReason(StrEnum):
    """One code for each reason; in brackets the fields of the `Refusal` that are set."""

    READ_ALREADY = "read-already"
    """The seat's chips were read as another act before the key came (seat, name of the act: call, check, fold,
    wager)."""
    NO_OPEN_QUESTION = "no-open-question"
    """The answer is to nothing that is asked now (seat)."""
    NOT_KEYED = "not-keyed"
    """What only the sensors or this program tell."""
