"""What bounds a bet, what it is made up of, and why a player is not in the hand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from controller.view import Addend, Limit, PotAddend, WhyNoRaise, WhyOut

ADDENDS: Final[Mapping[Addend, str]] = {
    "in-front": "{amount} in front",
    "call": "call {amount}",
    "pot": "pot {amount}",
    "half-pot": "half pot {amount}",
    "bet": "bet {amount}",
    "raise": "raise {amount}",
    "complete": "complete {amount}",
    "on-unit": "unit {amount}",
}

POT_ADDENDS: Final[Mapping[PotAddend, str]] = {
    "there": "in {amount}",
    "call": "call {amount}",
    "blinds": "blinds in full {amount}",
    "antes": "antes {amount}",
    "rounded": "rounded up {amount}",
}

WHY_NO_RAISE: Final[Mapping[WhyNoRaise, str]] = {
    "": "",
    "capped": "CAPPED: no more raises",
    "no-check-raise": "has checked: no raise",
    "not-reopened": "not open again: no raise",
    "nobody-to-raise": "nobody to raise",
    "no-chips": "no chips beyond the call",
}

WHY_OUT: Final[Mapping[WhyOut, str]] = {
    "": "",
    "away": "away",
    "no-chips": "no chips",
    "short": "too little for the blind",
    "posts": "owes a post[ of {amount}]",
    "between-blinds": "between the blinds: waits",
    "moved": "moved: waits[, {count} to go]",
    "next-hand": "in from the next hand",
}

OVER: Final[Mapping[Limit, tuple[str, str]]] = {
    "pot": ("more than the pot, {amount}", "more than the pot raise, {amount}"),
    "half-pot": ("more than half the pot, {amount}", "more than the half-pot raise, {amount}"),
    "stack": ("more than the stack: all-in is {amount}", "more than the stack: all-in is {amount}"),
    "cap": ("more than the cap, {amount}", "more than the cap, {amount}"),
    "fixed": ("the bet is {amount}", "the raise is to {amount}"),
    "spread": ("more than the largest bet, {amount}", "more than the largest raise, {amount}"),
    "none": ("no limit", "no limit"),
}
