"""Floor badges: cards that say who gives an order, by PC/SC.

`load_badges` reads the house's list; `BadgeMonitor` watches all readers in a thread of its own and tells which card
lies there, and whether it proved what its UID says (`card.py`). pcscd may come, go and come back at any time.
"""

from hardware.badges.card import AID, GET_UID, SELECT, identify, proves
from hardware.badges.monitor import (
    ALL_READERS,
    RENEW_US,
    BadgeEvent,
    BadgeGone,
    BadgeMonitor,
    BadgeReaderOffline,
    BadgeReaderOnline,
    BadgeSeen,
)
from hardware.badges.pcsc import UNPLUGGED, CardGoneError, CardMuteError, PcscError, ReaderState
from hardware.badges.proof import (
    CHALLENGE_BYTES,
    NO_OCCASION,
    PROOF_LASTS_US,
    TEXT_DIGITS,
    Bound,
    Occasion,
    Proof,
    challenge_for,
    held,
    prove,
    read_proof,
    speaks_for,
)
from hardware.badges.register import Badge, BadgeError, Role, load_badges, make_badges

__all__ = [
    "AID",
    "ALL_READERS",
    "CHALLENGE_BYTES",
    "GET_UID",
    "NO_OCCASION",
    "PROOF_LASTS_US",
    "RENEW_US",
    "SELECT",
    "TEXT_DIGITS",
    "UNPLUGGED",
    "Badge",
    "BadgeError",
    "BadgeEvent",
    "BadgeGone",
    "BadgeMonitor",
    "BadgeReaderOffline",
    "BadgeReaderOnline",
    "BadgeSeen",
    "Bound",
    "CardGoneError",
    "CardMuteError",
    "Occasion",
    "PcscError",
    "Proof",
    "ReaderState",
    "Role",
    "challenge_for",
    "held",
    "identify",
    "load_badges",
    "make_badges",
    "prove",
    "proves",
    "read_proof",
    "speaks_for",
]
