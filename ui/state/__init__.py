"""The screen as one frozen value: what it shows and is busy with, what views and touches do to it."""

from ui.state.award import award_step, parts, winners
from ui.state.keys import Key, action_keys, call_floor, extra_steps, go_on, offers, redo, seat_wanted, undo
from ui.state.modes import (
    Award,
    Naming,
    Normal,
    Offering,
    Pad,
    Picking,
    SeatPanel,
    Sure,
    TablePanel,
    beyond,
    bounds,
)
from ui.state.pages.keyboard import MOST_LETTERS, KeyboardKey, Letter, Typing, capital
from ui.state.pages.page import HANDS, TABS, LookAt, OpenPage, PageKey
from ui.state.pages.steps import page_keys
from ui.state.pages.touches import answered, asks_again, asks_at_once, look_at
from ui.state.screen import Say, Screen, current_alert, live_again, lose, pot_visible, refuse, show, waiting_alerts
from ui.state.sending import Sending
from ui.state.targets import Answer, BetSpot, Bound, Digit, NamedKey, Offered, Part, PlaysGame, Pot, Seat, Target
from ui.state.touches import press
from ui.state.typed import PadKey, Typed, amount_of, as_typed, type_key, typed_field
from ui.state.verbs import CELLS, seat_keys, table_keys

__all__ = [
    "CELLS",
    "HANDS",
    "MOST_LETTERS",
    "TABS",
    "Answer",
    "Award",
    "BetSpot",
    "Bound",
    "Digit",
    "Key",
    "KeyboardKey",
    "Letter",
    "LookAt",
    "NamedKey",
    "Naming",
    "Normal",
    "Offered",
    "Offering",
    "OpenPage",
    "Pad",
    "PadKey",
    "PageKey",
    "Part",
    "Picking",
    "PlaysGame",
    "Pot",
    "Say",
    "Screen",
    "Seat",
    "SeatPanel",
    "Sending",
    "Sure",
    "TablePanel",
    "Target",
    "Typed",
    "Typing",
    "action_keys",
    "amount_of",
    "answered",
    "as_typed",
    "asks_again",
    "asks_at_once",
    "award_step",
    "beyond",
    "bounds",
    "call_floor",
    "capital",
    "current_alert",
    "extra_steps",
    "go_on",
    "live_again",
    "look_at",
    "lose",
    "offers",
    "page_keys",
    "parts",
    "pot_visible",
    "press",
    "redo",
    "refuse",
    "seat_keys",
    "seat_wanted",
    "show",
    "table_keys",
    "type_key",
    "typed_field",
    "undo",
    "waiting_alerts",
    "winners",
]
