"""Every word that the screen itself says. Words of the hand (titles, reasons, actions) come with the view."""

from __future__ import annotations

# strip and state
HAND = "hand {}"
SENSORS = {"on": "", "partly": "SENSORS PARTLY OFF", "off": "SENSORS OFF: key in all bets"}
DEVICE_DOWN = "{} DOWN"
DEVICES_DOWN = "{} DEVICES DOWN: {}"
NOT_LIVE = "NOT LIVE"
WAITING = "No table yet"
LOST = "These numbers are old: {}"
PROTOCOL = "The table speaks protocol {}, this screen {}: install the same version of both"
BAD_LINE = "Not understood: {}"
BETWEEN_HANDS = "Between hands"
HAND_OVER = "Hand over"

# pot and bounds
POT = "POT"
POT_HIDDEN = "POT NOT SHOWN"
POTS = {"main": "MAIN", **{f"side{number}": f"SIDE {number}" for number in range(1, 10)}}
"""By the name of the pot in the view."""
TO_CALL = "TO CALL"
LEAST_BET, LEAST_RAISE = "LEAST BET", "LEAST RAISE TO"
MOST = {
    "pot": ("POT BET", "POT RAISE TO"),
    "half-pot": ("HALF-POT BET", "HALF-POT RAISE TO"),
    "stack": ("ALL-IN BET", "ALL-IN RAISE TO"),
    "fixed": ("FIXED BET", "FIXED RAISE TO"),
    "spread": ("MOST BET (SPREAD)", "MOST RAISE TO (SPREAD)"),
    "none": ("MOST BET: NO LIMIT", "MOST RAISE: NO LIMIT"),
}
MOST_BET, MOST_RAISE = "MOST BET", "MOST RAISE TO"
UNSETTLED = "NOT SETTLED"

# seats
STATUS = {
    "empty": "empty",
    "away": "AWAY",
    "out": "not in hand",
    "to-act": "TO ACT",
    "waiting": "waiting",
    "acted": "acted",
    "folded": "FOLDED",
    "all-in": "ALL-IN",
}
PRESUMED, PRESUMED_FLAG = "{} (presumed)", "presumed"
STACK_UNKNOWN = "stack ?"
BLIND = "blind {}"
OWES = "OWES {}"
HELD = "HELD: {}"
PUSH_BACK = "PUSH BACK {}"
SEEN, SEEN_AT_LEAST = "+{} seen", "+{} or more"
SEEN_ALONE, SEEN_ALONE_AT_LEAST = "seen", "seen, or more"
UNKNOWN_CHIPS = ("1 unknown chip", "{} unknown chips")
TRAY_OFFLINE = ("TRAY OFFLINE", "key in bets")
TRAY_UNSETTLED = "chips moving"
SOURCE_MARKS = {"book": "", "sensed": "\u25c9", "confirmed": "\u2713", "keyed": "\u270e"}
"""In DejaVu Sans: an eye for what a tray saw, a tick for what was confirmed, a pencil for keyed in."""

# alerts
LEVELS = {"info": "NOTE", "question": "QUESTION", "warning": "WARNING"}
SIGNS = {"info": "i", "question": "?", "warning": "!"}
RULE, RULE_BACK = "RULE", "BACK"
MORE = "+{} MORE"
SEEN_KEY = "OK"

# keys
FOLD, CHECK, CALL, BET, RAISE, COMPLETE, ALL_IN = (
    "FOLD",
    "CHECK",
    "CALL",
    "BET",
    "RAISE",
    "COMPLETE",
    "ALL-IN",
)
CHECK_OR_CALL, BET_OR_RAISE = "CHECK / CALL", "BET / RAISE"
TO = "to {}"
HALF_POT = "HALF POT"
DEAL, AWARD, NEXT_HAND = "DEAL", "AWARD", "NEXT HAND"
UNDO, CORRECT, CALL_FLOOR = "UNDO", "CORRECT", "CALL FLOOR"
FLOOR_COMES = "called"
SHOW_POT, HIDE_POT = "SHOW POT", "HIDE POT"
CANCEL, OK, BACK, CLEAR = "CANCEL", "OK", "DEL", "CLEAR"
VOID = "MISDEAL"
VOID_DETAIL = "all bets go back"

# number pad
BET_IS = "SEAT {} BET"
RAISE_TO = "SEAT {} RAISE TO"
BET_CORRECTION = "SEAT {} HAS BET"
POT_CORRECTION = "POT AS COUNTED"
SIT_DOWN = "SEAT {} SITS WITH"
ADD_CHIPS = "SEAT {} ADDS"
BELOW = "less than {}"
ABOVE = "more than {}"

# one seat
SAID_RAISE, SAID_CALL = "SAID RAISE", "SAID CALL"
FOLDS = "FOLDS"
RETURN = "RETURNED"
TAKES = "TAKES BACK"
RELEASE, BIND = "RELEASE", "BIND"
RELEASE_DETAIL, BIND_DETAIL = "not done", "it stands"
DEAD = "DEAD HAND"
TURN_HERE = "TURN HERE"
COUNTED = "STACK IS"
NEEDS_AMOUNT = "type first"
AWAY, IS_BACK, LEAVES = "AWAY", "BACK", "LEAVES"
STACK_LOST = "STACK ?"
REMOVES = "REMOVES"
TIP, TIME = "TIP", "TIME"

# award
AWARD_HINT = "Touch who wins {}"
AWARD_TO = "to {}"
HIGH, LOW = "HIGH", "LOW"
HIGH_LOW, HIGH_LOW_OFF = "HIGH / LOW", "ONE WINNER"
GIVE, SPLIT = "GIVE", "SPLIT"
AND = " + "

# the line before the dealer
CORRECT_HINT = "Touch a seat, or the pot"
REFUSED = "Not done: {}"
CANNOT_ACT = "seat {} cannot act"
NO_CONNECTION = "not connected"
CHANGED = "the table has just changed, touch again"
