"""What the dealer is told: every warning and alert with what happened, what to do, who may clear it, and its rule.

One frozen table, `ENTRIES`, by code; `controller/rulebook.py` makes alerts of it. In texts `{name}` stands for a value;
what is in square brackets is left out where a value in it is not known.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, Literal

from controller.view import Level

Clears = Literal["dealer", "floor", "technician"]

MOST_TITLE: Final = 40
"""Characters of a title: one line of the band at the size it is read at."""
MOST_WORDS: Final = 160
"""Characters of text and advice together: two lines of the band."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One code. `rule` is a key of `citations.RULES`, "" where it rests on no rule; the `tda_` texts take the place of
    the others with that rulebook."""

    title: str
    text: str
    advice: str
    level: Level = "warning"
    clears: Clears = "dealer"
    rule: str = ""
    tda_text: str = ""
    tda_advice: str = ""
    tda_clears: Clears | None = None


_WARNINGS: dict[str, Entry] = {
    "out-of-turn": Entry(
        title="Seat {seat} acted out of turn",
        text="Held[: {held}].[ The action is on seat {turn}.]",
        advice="It stands unless somebody bets, calls or raises before seat {seat}. A fold always stands.",
        tda_advice="It stands unless somebody bets or raises before seat {seat}. A fold always stands.",
        rule="out-of-turn",
    ),
    "string-bet": Entry(
        title="String bet by seat {seat}",
        text="Its action was complete; what came after does not count.",
        advice="Push back[ {amount}]. If a raise was announced first, say so.",
        rule="string-bet",
    ),
    "oversized-chip": Entry(
        title="One chip of seat {seat}: a call",
        text="More than the call in one chip, and no words.",
        advice="Give the change[: {amount}]. If a raise was announced first, say so.",
        level="info",
        rule="oversized-chip",
    ),
    "under-bet": Entry(
        title="Seat {seat} bet too little",
        text="[{amount} is missing. ][The least is {least}. ]",
        advice="Have it made good while the round is open. Nobody who acted may raise because of it.",
        rule="under-bet",
    ),
    "under-call": Entry(
        title="Seat {seat} called too little",
        text="[{amount} is missing. ]The call is made good.",
        advice="If it did not know of a raise, it may take the chips back while nobody has acted behind.",
        tda_text="[{amount} is missing. ]A full call against the opening bet or heads-up.",
        tda_advice="In any other case it is held: call the floor.",
        rule="under-call",
    ),
    "under-raise": Entry(
        title="Raise of seat {seat} is short",
        text="[{amount} is missing. ]It is made good[ to {least}].",
        advice="If it was meant as a call, say so. Nobody who acted may raise because of it.",
        rule="under-raise",
    ),
    "over-limit": Entry(
        title="Seat {seat}: more than the limit",
        text="[Not {amount}: ]it is reduced to the most allowed[, {most}].",
        advice="Push the rest back. If the pot was counted wrong, undo and put the pot right.",
        rule="over-limit",
    ),
    "off-unit": Entry(
        title="Seat {seat}: not a multiple of the unit",
        text="The nearest amount plays[: {amount}].",
        advice="Smaller chips do not play: push them back.",
        level="info",
        rule="off-unit",
    ),
    "capped": Entry(
        title="No more raises: seat {seat} calls",
        text="The raises of this round are used up.",
        advice="It is a call.[ Push back {amount}.]",
        rule="capped",
    ),
    "not-reopened": Entry(
        title="Seat {seat} may only call or fold",
        text="It acted already and faced no full raise since, or it acted out of turn.",
        advice="It is a call.[ Push back {amount}.]",
        rule="not-reopened",
    ),
    "not-possible": Entry(
        title="Seat {seat} cannot do that",
        text="[Said: {held}. ]The turn stays with seat {seat}.",
        advice="Ask: call or fold? Its next action settles it.",
        rule="not-possible",
    ),
    "chips-withdrawn": Entry(
        title="Seat {seat} took chips back",
        text="What was put in binds[: {amount} is owed].",
        advice="Have it put back in; change and a bet replaced by a larger one are fine.",
        tda_text="Taking the own bet back binds to a call or a raise[: {amount} is owed].",
        tda_advice="Have the whole amount put in; the seat may not fold.",
        rule="chips-withdrawn",
    ),
    "words-differ": Entry(
        title="Seat {seat}: more chips than words",
        text="The words stand.",
        advice="Push back[ {amount}]. If the chips came before the words, call the floor.",
        level="info",
        rule="words-differ",
    ),
    "skipped": Entry(
        title="Skipped[: seat {turn}]",
        text="Others acted behind a seat that called no time.",
        advice="Call the floor: the hand is dead, or it still acts.",
        clears="floor",
        rule="skipped",
    ),
    "stack-corrected": Entry(
        title="Seat {seat} had more than the book says",
        text="The chips are taken; its stack is unknown now.",
        advice="Count the stack when it suits and key it in.",
        level="info",
        rule="stack-corrected",
    ),
    "buy-in": Entry(
        title="Seat {seat}: outside the buy-in",
        text="[The buy-in is {least} to {most}.]",
        advice="Change the amount. A player from another table is entered as a transfer; else call the floor.",
        clears="floor",
        rule="buy-in",
    ),
    "going-south": Entry(
        title="Seat {seat}: chips would leave the table",
        text="Chips in play stay in play[: {amount} is due].",
        advice="Have them put back. Tips are fine. Call the floor if the player disagrees.",
        clears="floor",
        rule="going-south",
    ),
    "unknown-chip": Entry(
        title="Unknown chip at seat {seat}",
        text="[{count} of them. ]A tag that is not of this house's chips counts as nothing.",
        advice="Take it off the spot and look at it; key in the bet if it was counted wrong.",
        rule="unknown-chip",
    ),
    "tray-offline": Entry(
        title="Tray of seat {seat} is offline",
        text="Chips there are not seen.",
        advice="Key in the bets of seat {seat}. Call the technician after the hand.",
        level="info",
        clears="technician",
    ),
}

_TO_DECIDE: dict[str, Entry] = {
    "behind-the-turn": Entry(
        title="Chips at seat {seat}: action is on {turn}",
        text="[{seats} {did}? If not, ]seat {seat} is out of turn.",
        advice="",
        level="question",
        rule="out-of-turn",
    ),
    "sweep-question": Entry(
        title="Street closed?",
        text="Chips at several spots went towards the middle[: {seats}].",
        advice="Yes: those left to act have checked or folded. No: put the bets back.",
        level="question",
        rule="between-rounds",
    ),
    "at-least": Entry(
        title="Seat {seat}: stack too high to be read",
        text="At least[ {amount}] lies there, perhaps more.",
        advice="Have it split or spread, or count it and key in the bet.",
        level="question",
    ),
    "act-or-answer": Entry(
        title="Chips at seat {seat}: after seat {turn}?",
        text="Seat {turn} bet behind it.[ {seats} {did} first?]",
        advice="Or is it seat {seat} acting now, and seat {turn} out of turn?",
        level="question",
        rule="out-of-turn",
    ),
    "key-too-late": Entry(
        title="The turn had just moved to seat {seat}",
        text="A key pressed so soon after was meant for the seat before.",
        advice="If it was meant for seat {seat}, press it again.",
        level="question",
    ),
    "chips-between-rounds": Entry(
        title="Chips at seat {seat}: betting is closed",
        text="[{amount} came while nobody can bet. ]It counts as nothing now.",
        advice="Have it taken back, or key it in when the round is open.",
        level="question",
        rule="between-rounds",
    ),
    "due-back": Entry(
        title="Push back {amount} to seat {seat}",
        text="It is more than plays.",
        advice="Dealing the next street gives it back too.",
        level="info",
    ),
    "owes": Entry(
        title="Seat {seat} owes {amount}",
        text="Its action binds it to more than lies there.",
        advice="Have it put in; no card before that.",
    ),
    "held-for-the-floor": Entry(
        title="Seat {seat} waits for the floor",
        text="Held[: {held}].",
        advice="Call the floor: it stands, or it is as if it had not been done.",
        clears="floor",
    ),
    "unsettled": Entry(
        title="Chips at seat {seat} are moving",
        text="[{amount} is seen so far. ]It counts when it lies still.",
        advice="Wait, or key in the bet.",
        level="info",
    ),
    "post-owed": Entry(
        title="Seat {seat} owes a blind",
        text="[{amount} to come back in. ]It is not dealt in before.",
        advice="Have it posted, or leave the seat out.",
        level="info",
    ),
    "kill-owed": Entry(
        title="Seat {seat} owes the kill blind",
        text="[{amount}, before the cards are dealt.]",
        advice="Have it posted; the limits of this hand grow.",
        level="info",
    ),
    "flop-too-early": Entry(
        title="Flop dealt too early",
        text="Betting was still open: call the floor.",
        advice="Finish the betting. Shuffle the three into the stub, leave the burn, cut, new flop without a burn.",
        clears="floor",
        rule="flop-too-early",
    ),
    "turn-too-early": Entry(
        title="Turn dealt too early",
        text="Betting was still open: call the floor.",
        advice="Set it aside, finish the betting, burn, turn the next. Then shuffle it back in; river without a burn.",
        clears="floor",
        rule="turn-too-early",
    ),
    "river-too-early": Entry(
        title="River dealt too early",
        text="Betting was still open: call the floor.",
        advice="Finish the betting. Shuffle the card into the stub (no burns, no muck), cut, river without a burn.",
        clears="floor",
        rule="river-too-early",
    ),
    "street-too-early": Entry(
        title="Cards dealt too early",
        text="Betting was still open[: {turn} is to act].",
        advice="Those cards do not play. Finish the betting and call the floor.",
        clears="floor",
        rule="street-too-early",
    ),
}

_TABLE_AND_DEVICES: dict[str, Entry] = {
    "lammer": Entry(
        title="Seat {seat}: a lammer on the spot",
        text="[It is the {lammer}. ]It is no bet.",
        advice="Put it beside the spot.",
        level="info",
    ),
    "button-elsewhere": Entry(
        title="Button seen at seat {seat}",
        text="[By the book it is at seat {expected}.]",
        advice="Move the button; or call the floor if the book is wrong.",
        level="info",
    ),
    "chips-left-over": Entry(
        title="Chips of the last pot at seat {seat}",
        text="They are no bet[: {amount}].",
        advice="Have them taken in.",
        level="info",
    ),
    "chips-astray": Entry(
        title="Chips do not add up",
        text="[{amount} more or less than there should be. ][Last seen: {last}.]",
        advice="Play on. The floor counts after the hand and keys in the difference.",
        level="info",
        clears="floor",
    ),
    "floor-called": Entry(
        title="The floor has been called",
        text="[Seat {seat} waits. ]The state of the hand stays as it is.",
        advice="The floor decides and takes the call away.",
        level="info",
        clears="floor",
    ),
    "restarted": Entry(
        title="The table was restarted",
        text="It goes on where it was[: hand {hand}].",
        advice="Check pot and bets against the felt before the next action.",
        level="question",
    ),
    "spot-offline": Entry(
        title="Not read: {spot}",
        text="Chips there are not seen.",
        advice="Count them yourself. Call the technician after the hand.",
        level="info",
        clears="technician",
    ),
    "reader-offline": Entry(
        title="{device} does not answer",
        text="Bets there are not seen[: seats {seats}].",
        advice="Key them in. Call the technician after the hand: cable and power first.",
        clears="technician",
    ),
    "board-offline": Entry(
        title="{device} does not answer",
        text="Its keys, buttons and lamps are dead.",
        advice="Use the screen. Call the technician after the hand: cable first.",
        clears="technician",
    ),
    "presses-lost": Entry(
        title="{device} lost presses",
        text="[{count} presses of keys or buttons were not told.]",
        advice="Check the screen against the table and key in what is missing.",
    ),
    "badge-reader-offline": Entry(
        title="Badge reader does not answer",
        text="Floor decisions are recorded without a name.",
        advice="Play on. Call the technician after the hand.",
        level="info",
        clears="technician",
    ),
    "sensors-off": Entry(
        title="No sensors: key in all bets",
        text="Nothing on the table is read.",
        advice="The screen keeps pot and limits from what you key in. Call the technician.",
        clears="technician",
    ),
    "journal-damaged": Entry(
        title="Records are damaged",
        text="[They are whole up to hand {hand}. ]Some of them are lost.",
        advice="Play on: the floor counts pot and stacks and keys them in. Call the technician.",
        clears="floor",
    ),
    "journal-not-written": Entry(
        title="Records cannot be written",
        text="[{reason}. ]Nothing after this would survive a power cut.",
        advice="Finish the hand, then call the technician.",
        clears="technician",
    ),
}

CONTRACT: Final = tuple(_WARNINGS)
"""The warnings that a step can raise, as the table-script contract names them."""

ENTRIES: Final[Mapping[str, Entry]] = MappingProxyType({**_WARNINGS, **_TO_DECIDE, **_TABLE_AND_DEVICES})
"""Every code: the contract's warnings, what the dealer is asked or told in a hand, table and devices."""
