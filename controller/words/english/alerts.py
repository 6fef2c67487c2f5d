"""What is said of each warning and alert: what happened, and what to do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from controller.words.catalogue import AlertText

_WARNINGS = {
    "out-of-turn": AlertText(
        title="Seat {seat} acted out of turn",
        text="[Held: {held}. ][The action is on seat {turn}.]",
        advice="It stands unless somebody bets, calls or raises before seat {seat}. A fold always stands.",
        tda_advice="It stands unless somebody bets or raises before seat {seat}. A fold always stands.",
    ),
    "string-bet": AlertText(
        title="String bet by seat {seat}",
        text="Its action was complete; what came after does not count.",
        advice="Push back[ {amount}]. If a raise was announced first, say so.",
    ),
    "oversized-chip": AlertText(
        title="One chip of seat {seat}: a call",
        text="More than the call in one chip, and no words.",
        advice="Give the change[: {amount}]. If a raise was announced first, say so.",
    ),
    "under-bet": AlertText(
        title="Seat {seat} bet too little",
        text="[{amount} is missing. ][The minimum is {least}. ]",
        advice="Have it made good while the round is open. Nobody who acted may raise because of it.",
    ),
    "under-call": AlertText(
        title="Seat {seat} called too little",
        text="[{amount} is missing. ]The call is made good.",
        advice="If it did not know of a raise, it may take the chips back while nobody has acted behind.",
        tda_text="[{amount} is missing. ]A full call against the opening bet or heads-up.",
        tda_advice="In any other case it is held: call the floor.",
    ),
    "under-raise": AlertText(
        title="Raise of seat {seat} is short",
        text="[{amount} is missing. ]It is made good[ to {least}].",
        advice="If it was meant as a call, say so. Nobody who acted may raise because of it.",
    ),
    "over-limit": AlertText(
        title="Seat {seat}: more than the limit",
        text="[Not {amount}: ]it is reduced to the maximum[, {most}].",
        advice="Push the rest back. If the pot was counted wrong, undo and put the pot right.",
    ),
    "off-unit": AlertText(
        title="Seat {seat}: not a multiple of the unit",
        text="The nearest amount plays[: {amount}].",
        advice="Smaller chips do not play: push them back.",
    ),
    "capped": AlertText(
        title="No more raises: seat {seat} calls",
        text="The raises of this round are used up.",
        advice="It is a call.[ Push back {amount}.]",
    ),
    "not-reopened": AlertText(
        title="Seat {seat} may only call or fold",
        text="It acted already and faced no full raise since, or it acted out of turn.",
        advice="It is a call.[ Push back {amount}.]",
        tda_text="It acted already and faced no full raise since, or it said check facing a bet.",
    ),
    "no-check-raise": AlertText(
        title="No check-raise: seat {seat} calls",
        text="It has checked in this round: it may call or fold.",
        advice="It is a call.[ Push back {amount}.]",
    ),
    "fold-for-free": AlertText(
        title="Seat {seat} folded with nothing to call",
        text="The fold stands.",
        advice="Remind it that a check is free.",
        tda_advice="It may be penalised: tell the floor if it goes on.",
    ),
    "not-possible": AlertText(
        title="Seat {seat} cannot do that",
        text="[Said: {held}. ]The turn stays with seat {seat}.",
        advice="Ask: call or fold? Its next action settles it.",
    ),
    "chips-withdrawn": AlertText(
        title="Seat {seat} took chips back",
        text="What was put in binds[: {amount} is owed].",
        advice="Have it put back in; change and a bet replaced by a larger one are fine.",
        tda_text="Taking the own bet back binds to a call or a raise[: {amount} is owed].",
        tda_advice="Have the whole amount put in; the seat may not fold.",
    ),
    "words-differ": AlertText(
        title="Seat {seat}: more chips than words",
        text="The words stand.",
        advice="Push back[ {amount}]. If the chips came before the words, call the floor.",
    ),
    "skipped": AlertText(
        title="Skipped[: seat {turn}]",
        text="Others acted behind a seat that called no time.",
        advice="Call the floor: the hand is dead, or it still acts.",
    ),
    "stack-corrected": AlertText(
        title="Seat {seat} had more than the book says",
        text="The chips are taken; its stack is unknown now.",
        advice="Count the stack when it suits and key it in.",
    ),
    "buy-in": AlertText(
        title="Seat {seat}: outside the buy-in",
        text="[The buy-in is {least} to {most}.]",
        advice="Change the amount. A player from another table is entered as a transfer; else call the floor.",
    ),
    "going-south": AlertText(
        title="Seat {seat}: chips would leave the table",
        text="Chips in play stay in play[: {amount} is due].",
        advice="Have them put back. Tips are fine. Call the floor if the player disagrees.",
    ),
    "unknown-chip": AlertText(
        title="Unknown chip at seat {seat}",
        text="[{count} of them. ]A tag that is no chip of this house, or is revoked, counts as nothing.",
        advice="Take it off the spot and look at it; key in the bet if it was counted wrong.",
    ),
    "tray-offline": AlertText(
        title="Tray of seat {seat} is offline",
        text="Chips there are not seen.",
        advice="Key in the bets of seat {seat}. Call the technician after the hand.",
    ),
}

_TO_DECIDE = {
    "behind-the-turn": AlertText(
        title="Chips at seat {seat}: action is on {turn}",
        text="[{seats} {did}? If not, ]seat {seat} is out of turn.",
    ),
    "sweep-question": AlertText(
        title="Street closed?",
        text="Chips at several spots went to the middle[: {seats}].",
        advice="Yes: those left to act have checked or folded[; seat {seat} is left]. No: put the bets back.",
    ),
    "at-least": AlertText(
        title="Seat {seat}: not all of it is read",
        text="At least[ {amount}] is new there, perhaps more.",
        advice="Have it split or spread, or count it and key in the bet.",
    ),
    "counting-bet": AlertText(
        title="Counting the bet of seat {seat}",
        text="{amount} so far[; piles: {count}].",
        advice="Lay its chips on the count pad, up to twenty at a time, and take each pile off again.",
    ),
    "counting-buy-in": AlertText(
        title="Counting the buy-in of seat {seat}",
        text="{amount} so far[; piles: {count}].",
        advice="Lay its chips on the count pad, up to twenty at a time, and take each pile off again.",
    ),
    "counting-stack": AlertText(
        title="Counting the stack of seat {seat}",
        text="{amount} so far[; piles: {count}].",
        advice="Lay its chips on the count pad, up to twenty at a time, and take each pile off again.",
    ),
    "pile-not-added": AlertText(
        title="The pile on the count pad is not added",
        text="[{count} tags in it are not of this house's chips. ]{amount} so far without it.",
        advice="Cut it in twenties, and take what is not the house's out of it.",
    ),
    "own-stack": AlertText(
        title="Seat {seat}: bet, or its own stack?",
        text="[{amount} more lies on the spot. ]A stack that rests there is no bet.",
        advice="Nothing of it counts before you say so. Have a stack moved behind the spot.",
    ),
    "last-pot": AlertText(
        title="Seat {seat}: bet, or the last pot?",
        text="[{amount} on the spot was in the last pot. ]A pot that is not taken in is no bet.",
        advice="Nothing of it counts before you say so. Have it taken in.",
    ),
    "splash": AlertText(
        title="Seat {seat}: whose chips are these?",
        text="[{amount} fell on two spots at once. ]One bet, or two?",
        advice="Have all of one bet pushed to one spot.",
    ),
    "covered": AlertText(
        title="Seat {seat}: chips under something?",
        text="[{amount} fell silent at once. ]It counts still.",
        advice="Take glass, phone or metal off the spot. Or were the chips swept, or taken back?",
    ),
    "copied": AlertText(
        title="Seat {seat}: one tag at two places",
        text="A tag was copied: the count is not sure[, {amount} by the tags].",
        advice="Count the chips and say so. Keep the doubtful one for the floor.",
    ),
    "change": AlertText(
        title="Seat {seat}: bet, or change?",
        text="[{amount} changed places with another spot. ]Change is no bet.",
        advice="Nothing counts before you say so.",
    ),
    "emptied": AlertText(
        title="Seat {seat}: where did its bet go?",
        text="[{amount} left the spot. ]It counts still.",
        advice="Swept by you, or taken back by the player? Taken back it is owed again.",
    ),
    "folded-seat": AlertText(
        title="Chips at seat {seat}: it has folded",
        text="[{amount} lies there and counts as nothing.]",
        advice="If it has not folded, take the fold back; else have the chips taken in.",
    ),
    "act-or-answer": AlertText(
        title="Chips at seat {seat}: after seat {turn}?",
        text="Seat {turn} bet behind it.[ {seats} {did} first?]",
        advice="Or is it seat {seat} acting now, and seat {turn} out of turn?",
    ),
    "key-too-late": AlertText(
        title="The turn had just moved to seat {seat}",
        text="A key pressed so soon after was meant for the seat before.",
        advice="If it was meant for seat {seat}, press it again.",
    ),
    "chips-between-rounds": AlertText(
        title="Chips at seat {seat}: for the next round?",
        text="[{amount} came when all bets were in, or swept. ]It counts as nothing now.",
        advice="Too late? Push it back. Else it counts when the next round is open.",
    ),
    "due-back": AlertText(
        title="Push back {amount} to seat {seat}",
        text="It is more than plays.",
        advice="Dealing the next street gives it back too.",
    ),
    "owes": AlertText(
        title="Seat {seat} owes {amount}",
        text="Its action binds it to more than lies there.",
        advice="Have it put in; no card before that.",
    ),
    "held-for-the-floor": AlertText(
        title="Seat {seat} waits for the floor",
        text="Held[: {held}].",
        advice="Call the floor: it stands, or it is as if it had not been done.",
    ),
    "unsettled": AlertText(
        title="Chips at seat {seat} are moving",
        text="[{amount} is seen so far. ]It counts when it lies still.",
        advice="Wait, or key in the bet.",
    ),
    "post-owed": AlertText(
        title="Seat {seat} owes a blind",
        text="[{amount} to come back in. ]It is not dealt in before.",
        advice="Have it posted, or leave the seat out.",
    ),
    "kill-owed": AlertText(
        title="Seat {seat} owes the kill blind",
        text="[{amount}, before the cards are dealt.]",
        advice="Have it posted; the limits of this hand grow.",
    ),
    "flop-too-early": AlertText(
        title="Flop dealt too early",
        text="Betting was still open: call the floor.",
        advice="Finish the betting. Shuffle the three into the stub, leave the burn, cut, new flop without a burn.",
    ),
    "turn-too-early": AlertText(
        title="Turn dealt too early",
        text="Betting was still open: call the floor.",
        advice="Set it aside, finish the betting, burn, turn the next. Then shuffle it back in; river without a burn.",
    ),
    "river-too-early": AlertText(
        title="River dealt too early",
        text="Betting was still open: call the floor.",
        advice="Finish the betting. Shuffle the card into the stub (no burns, no muck), cut, river without a burn.",
    ),
    "street-too-early": AlertText(
        title="Cards dealt too early",
        text="Betting was still open[: seat {turn} is to act].",
        advice="Those cards do not play. Finish the betting and call the floor.",
    ),
    "betting-open": AlertText(
        title="Betting is still open",
        text="[Seat {turn} is to act: ]nothing is to be dealt any more.",
        advice="If all have acted, say so. Else finish the betting.",
    ),
}

_TABLE_AND_DEVICES = {
    "lammer": AlertText(
        title="Seat {seat}: a lammer on the spot",
        text="[It is the {lammer}. ]It is no bet.",
        advice="Put it beside the spot.",
    ),
    "all-in-not-booked": AlertText(
        title="All-in button at seat {seat}",
        text="By the book it has chips behind.",
        advice="Take the button off; or key in all-in, or count the stack.",
    ),
    "missed-blind-not-booked": AlertText(
        title="Missed-blind button at seat {seat}",
        text="By the book it owes no blind.",
        advice="Take the button off; or call the floor if the book is wrong.",
    ),
    "rock-not-booked": AlertText(
        title="Rock seen at seat {seat}",
        text="By the book another seat holds it.",
        advice="Move the rock; or call the floor if the book is wrong.",
    ),
    "kill-not-booked": AlertText(
        title="Kill button at seat {seat}",
        text="By the book it owes no kill blind.",
        advice="Take the button off; or key in that it owes the kill.",
    ),
    "button-elsewhere": AlertText(
        title="Button seen at seat {seat}",
        text="[By the book it is at seat {button}.]",
        advice="Move the button; or call the floor if the book is wrong.",
    ),
    "chips-left-over": AlertText(
        title="Chips of the last pot at seat {seat}",
        text="They are no bet[: {amount}].",
        advice="Have them taken in.",
    ),
    "not-on-the-felt": AlertText(
        title="Blind of seat {seat} is not there",
        text="[{amount} of it is in the book, and is not seen on the spot.]",
        advice="Have it put on the spot; if it lies there, go on.",
    ),
    "chips-found": AlertText(
        title="Unseen chips in {spot}",
        text="[{amount} came that no bet spot has told. ][Of seat {seats}? ]",
        advice="Count, and correct the bet. Its tag may be weak: keep it for the technician.",
    ),
    "tag-copied": AlertText(
        title="One tag at two places",
        text="[Seats: {seats}. ]Two chips answer as the same one: one of them is none of the house.",
        advice="Call the floor: it takes both in and changes them.",
    ),
    "tag-weak": AlertText(
        title="Weak tag[: a chip of {amount}]",
        text="It answers too seldom, wherever it lies[: {tag}].",
        advice="At its next bet, have it changed: the floor keeps it for the technician.",
    ),
    "chips-astray": AlertText(
        title="Chips astray in the pot",
        text="No hand is in progress[, but {amount} lies there].",
        advice="Was a pot not given? Else call the floor: it counts and keys in the difference.",
    ),
    "next-hand-held": AlertText(
        title="The next hand waits",
        text="Hand for hand: all tables finish this one first.",
        advice="Wait until the floor lets the table go.",
    ),
    "break": AlertText(
        title="Break[: {count} min left]",
        text="No hand is dealt in a break.",
        advice="The floor names the next level when it is over.",
    ),
    "level-over": AlertText(
        title="The level is over",
        text="[Next: {name}. ]The hand in progress is played as it began.",
        advice="The next hand is of the new level. The floor colours up what no longer plays.",
    ),
    "floor-called": AlertText(
        title="The floor has been called",
        text="[Seat {seat} waits. ]The state of the hand stays as it is.",
        advice="The floor decides and takes the call away.",
    ),
    "failed": AlertText(
        title="Something went wrong[ at seat {seat}]",
        text="A fault of this program[: the chips at {spot} are not counted yet].",
        advice="Take them off and put them back, or key them in. Tell the technician.",
        technician="[It says: {reason}.]",
    ),
    "restarted": AlertText(
        title="The table was restarted",
        text="It goes on where it was[: hand {hand}].",
        advice="Check pot and bets against the felt before the next action.",
    ),
    "spot-offline": AlertText(
        title="Not read: {spot}",
        text="Chips there are not seen.",
        advice="Count them yourself. Call the technician after the hand.",
        technician="[It says: {reason}.]",
    ),
    "reader-offline": AlertText(
        title="{device} does not answer",
        text="Bets there are not seen[: seats {seats}].",
        advice="Key them in. Call the technician after the hand: cable and power first.",
        technician="[It says: {reason}.]",
    ),
    "reader-misset": AlertText(
        title="{device}: wrong setting",
        text="It is used all the same, but may not tell all bets.",
        advice="Look at the amounts. Call the technician after the hand.",
        technician="[{name}: {reason}.]",
    ),
    "board-offline": AlertText(
        title="{device} does not answer",
        text="Its keys, buttons and lamps are dead.",
        advice="Use the screen. Call the technician after the hand: cable first.",
        technician="[It says: {reason}.]",
    ),
    "presses-lost": AlertText(
        title="{device} lost presses",
        text="[{count} presses of keys or buttons were not told.]",
        advice="Check the screen against the table and key in what is missing.",
    ),
    "badge-reader-offline": AlertText(
        title="Badge reader does not answer",
        text="Floor decisions are recorded without a name.",
        advice="Play on. Call the technician after the hand.",
        technician="[It says: {reason}.]",
    ),
    "high-water-offline": AlertText(
        title="The journal's mark cannot be written",
        text="An older copy of the records would not be noticed.",
        advice="Play on. Call the technician after the hand: the other memory device.",
        technician="[It says: {reason}.]",
    ),
    "table-key-offline": AlertText(
        title="Records are not signed",
        text="The table's key cannot be read: changed records would not be noticed.",
        advice="Play on. Call the technician after the hand: the key's device.",
        technician="[It says: {reason}.]",
    ),
    "storage-nearly-full": AlertText(
        title="The disk is nearly full",
        text="When it is full, nothing is recorded any more.",
        advice="Play on. Call the technician after the hand: make room on the disk.",
        technician="[Left: {reason}.]",
    ),
    "sensors-off": AlertText(
        title="No sensors: key in all bets",
        text="Nothing on the table is read.",
        advice="The screen keeps pot and limits from what you key in. Call the technician.",
    ),
    "journal-damaged": AlertText(
        title="Records are damaged",
        text="[They are whole up to hand {hand}. ]Some of them are lost.",
        advice="Play on: the floor counts pot and stacks and keys them in. Call the technician.",
    ),
    "journal-gap": AlertText(
        title="Not recorded for a while",
        text="[{count} steps are in no record; ]pot and stacks are as they were played, and recorded again.",
        advice="Play on. The floor notes what was played meanwhile. Call the technician.",
    ),
    "journal-altered": AlertText(
        title="Records are not as they were written",
        text="[Of the records, {reason}. ]",
        advice="Play on: the floor counts pot and stacks. Nobody touches the machine until the technician comes.",
    ),
    "journal-not-written": AlertText(
        title="NOT RECORDED: records cannot be written",
        text="[{reason}. ]Nothing after this would survive a power cut.",
        advice="Play on: it is recorded again by itself once there is storage. Call the technician.",
    ),
}

ALERTS: Final[Mapping[str, AlertText]] = _WARNINGS | _TO_DECIDE | _TABLE_AND_DEVICES
