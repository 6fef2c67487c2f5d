"""Floor badges: cards that say who gives an order, by PC/SC.

`load_badges` reads the house's list; `BadgeMonitor` watches all readers in a thread of its own and tells which card
lies there, and whether it proved what its UID says (`card.py`). pcscd may come, go and come back at any time.
"""

from hardware.badges.card import AID, CHALLENGE_BYTES, GET_UID, SELECT, identify, prove, proves
from hardware.badges.monitor import (
    ALL_READERS,
    BadgeEvent,
    BadgeGone,
    BadgeMonitor,
    BadgeReaderOffline,
    BadgeReaderOnline,
    BadgeSeen,
)
from hardware.badges.pcsc import UNPLUGGED, CardGoneError, CardMuteError, PcscError, ReaderState
from hardware.badges.register import Badge, BadgeError, Role, load_badges, make_badges

__all__ = [
    "AID",
    "ALL_READERS",
    "CHALLENGE_BYTES",
    "GET_UID",
    "SELECT",
    "UNPLUGGED",
    "Badge",
    "BadgeError",
    "BadgeEvent",
    "BadgeGone",
    "BadgeMonitor",
    "BadgeReaderOffline",
    "BadgeReaderOnline",
    "BadgeSeen",
    "CardGoneError",
    "CardMuteError",
    "PcscError",
    "ReaderState",
    "Role",
    "identify",
    "load_badges",
    "make_badges",
    "prove",
    "proves",
]
