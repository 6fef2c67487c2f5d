"""The screen as one frozen value: what it shows and is busy with, what views and touches do to it."""

from ui.state.award import award_step
from ui.state.keys import Key, action_keys, always, extra_steps, misdeal, steps
from ui.state.modes import Award, Correcting, Normal, Pad, SeatPanel, pad_hint
from ui.state.screen import Say, Screen, current_alert, lose, pot_visible, refuse, show, waiting_alerts
from ui.state.seat_keys import panel_amount, panel_keys
from ui.state.sending import Sending
from ui.state.targets import Answer, BetSpot, Bound, Digit, NamedKey, Offered, Pot, Seat, Target, Winners
from ui.state.touches import press
from ui.state.typed import PadKey, Typed, amount_of, as_typed, type_key, typed_field

__all__ = [
    "Answer",
    "Award",
    "BetSpot",
    "Bound",
    "Correcting",
    "Digit",
    "Key",
    "NamedKey",
    "Normal",
    "Offered",
    "Pad",
    "PadKey",
    "Pot",
    "Say",
    "Screen",
    "Seat",
    "SeatPanel",
    "Sending",
    "Target",
    "Typed",
    "Winners",
    "action_keys",
    "always",
    "amount_of",
    "as_typed",
    "award_step",
    "current_alert",
    "extra_steps",
    "lose",
    "misdeal",
    "pad_hint",
    "panel_amount",
    "panel_keys",
    "pot_visible",
    "press",
    "refuse",
    "show",
    "steps",
    "type_key",
    "typed_field",
    "waiting_alerts",
]
