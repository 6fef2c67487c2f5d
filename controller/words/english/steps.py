"""What was done, and what keys say."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from controller.view import Label
from controller.words.catalogue import Does

DID: Final[Mapping[str, Does]] = {
    "fold": Does("fold", "folds"),
    "check": Does("check", "checks"),
    "call": Does("call", "calls[ {amount}]"),
    "bet": Does("bet[ {amount}]", "bets[ {amount}]"),
    "raise": Does("raise[ to {amount}]", "raises[ to {amount}]"),
    "complete": Does("complete[ to {amount}]", "completes[ to {amount}]"),
    "pot": Does("pot", "bets the pot"),
    "wager": Does("bet or raise", "bets or raises"),
    "all-in": Does("all-in[ {amount}]", "is all-in[ for {amount}]"),
    "blind": Does("blind[ {amount}]", "posts[ {amount}]"),
    "chips": Does("chips[ {amount}]", "puts in[ {amount}]"),
    "takes": Does("takes back[ {amount}]", "takes back[ {amount}]"),
    "time": Does("time", "calls time"),
    "amount": Does("{amount}", "says {amount}"),
}

_SEAT_ACTS = "seat {seat} {did}"

TOLD: Final[Mapping[str, str]] = {
    "declares": _SEAT_ACTS,
    "says": _SEAT_ACTS,
    "heard": _SEAT_ACTS,
    "moves": _SEAT_ACTS,
    "ends-motion": "the motion of seat {seat} is over",
    "returns": "what was due back is with seat {seat}",
    "exchanges": "change for seat {seat}: {amount}",
    "action-on": "the action is on seat {seat}",
    "names-bring-in": "seat {seat} owes the bring-in",
    "names-first": "seat {seat} acts first",
    "open-pair": "an open pair shows",
    "deals": "the next street is dealt",
    "awards": "{pot} goes to seat {seats}",
    "runs-boards": "boards for the cards to come: {count}",
    "starts-bomb": "the next hand starts: a bomb pot for {amount} each",
    "starts-hand": "the next hand starts",
    "voids": "misdeal: everything goes back",
    "chops": "the blinds are chopped",
    "undoes": "the last step is taken back",
    "posts": "seat {seat} posts",
    "straddles": "seat {seat} straddles {amount}",
    "kills": "seat {seat} owes the kill blind",
    "buys-button": "seat {seat} buys the button",
    "plays-game": "the game is {name}",
    "sits": "seat {seat} sits down with {amount}",
    "leaves": "seat {seat} leaves",
    "goes-away": "seat {seat} is away",
    "comes-back": "seat {seat} is back",
    "changes-seat": "seat {seat} moves to seat {seats}",
    "adds": "seat {seat} adds {amount}",
    "plays-cash": "seat {seat} plays {amount} in cash",
    "gives-marker": "seat {seat} gives a marker for {amount}[ to seat {seats}]",
    "redeems": "seat {seat} redeems {amount}[ to seat {seats}]",
    "removes": "seat {seat} takes {amount} off the table",
    "counted": "the stack of seat {seat} is {amount}",
    "tips": "seat {seat} tips {amount}",
    "pays-time": "seat {seat} pays {amount} for time",
    "floor-binds": "floor: the action of seat {seat} stands",
    "floor-releases": "floor: the action of seat {seat} is given back",
    "floor-kills-hand": "floor: the hand of seat {seat} is dead",
    "floor-counts-pot": "floor: the pot is {amount}",
    "floor-sets-bet": "floor: the bet of seat {seat} is {amount}",
    "floor-gives-turn": "floor: the turn is on seat {seat}",
    "floor-places-button": "floor: the button is at seat {seat}",
    "floor-holds": "floor: hand for hand",
    "floor-goes": "floor: the table may go on",
    "time-passes": "[{count} minutes pass]",
    "tray-out": "the tray of seat {seat} is out",
    "tray-back": "the tray of seat {seat} is back",
}

SOURCES: Final[Mapping[str, str]] = {
    "book": "{told}",
    "sensed": "{told} (sensed)",
    "confirmed": "{told} (confirmed)",
    "keyed": "{told} (keyed)",
}

LABELS: Final[Mapping[Label, str]] = {
    "push-back": "PUSH BACK {amount}",
    "push-back-to": "PUSH BACK {amount} TO {seat}",
    "they-checked": "{seats} CHECKED",
    "they-folded": "{seats} FOLDED",
    "out-of-turn": "OUT OF TURN",
    "acts-now": "SEAT {seat} ACTS NOW",
    "acts-first": "SEAT {seat} FIRST",
    "brings-in": "SEAT {seat} BRINGS IN",
    "it-stands": "IT STANDS",
    "give-it-back": "GIVE IT BACK",
    "street-closed": "STREET CLOSED",
    "they-have-acted": "THEY HAVE ACTED",
    "raise-was-said": "RAISE WAS SAID",
    "call-was-said": "CALL WAS SAID",
    "motion-over": "SEAT {seat} IS DONE",
    "floor-has-decided": "FLOOR HAS DECIDED",
    "checked": "CHECKED",
    "next-hand": "NEXT HAND",
    "chops": "CHOP",
    "runs-boards": "RUN IT {count} TIMES",
    "floor-lets-go": "LET THE TABLE GO",
    "plays-game": "NEXT: {name}",
    "deal": "DEAL {street}",
    "award": "{pot} {amount} TO {seat}",
}
