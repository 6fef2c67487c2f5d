"""Badges of dealers, floor and technicians on PC/SC card readers.

`load_badges` reads the house's list of badges. `BadgeMonitor` watches all readers in a separate thread. It reports
which card is on a reader, and whether the card proved with its key that it is the badge of its UID
(`card_commands.py`). `proof.py` binds such a proof to the text of a decision, so that the journal can be checked
later. pcscd may stop and start at any time.

Example: read a badge list, here with one badge that has no key.

    >>> from hardware.badges import parse_badges
    >>> [badge] = parse_badges([{"uid": "04a1b2c3", "name": "Ann", "role": "floor"}])
    >>> badge.uid, badge.label
    ('04A1B2C3', 'Ann (floor)')
"""

from hardware.badges.badge_file import (
    Badge,
    BadgeError,
    BadgeList,
    Role,
    dealer_names,
    format_badge_list,
    load_badge_list,
    load_badges,
    parse_badge_list,
    parse_badges,
)
from hardware.badges.card_commands import (
    AID,
    GET_UID_COMMAND,
    SELECT_COMMAND,
    STORE_KEY_HEADER,
    read_uid,
    request_proof,
    store_key,
)
from hardware.badges.monitor import (
    ALL_READERS,
    PROOF_RENEWAL_INTERVAL_US,
    BadgeEvent,
    BadgeGone,
    BadgeMonitor,
    BadgeReaderOffline,
    BadgeReaderOnline,
    BadgeSeen,
    CardRefusal,
)
from hardware.badges.pcsc import (
    UNPLUGGED,
    CardGoneError,
    PcscError,
    ReaderState,
    ScardSession,
    UnresponsiveCardError,
    connected_readers,
)
from hardware.badges.proof import (
    CHALLENGE_BYTES,
    NO_CHALLENGE_CONTEXT,
    PROOF_LIFETIME_US,
    PROOF_TEXT_DIGITS,
    BoundProof,
    ChallengeContext,
    Proof,
    build_challenge,
    compute_answer,
    is_bound_to,
    parse_bound_proof,
    recover_proof,
)

__all__ = [
    "AID",
    "ALL_READERS",
    "CHALLENGE_BYTES",
    "GET_UID_COMMAND",
    "NO_CHALLENGE_CONTEXT",
    "PROOF_LIFETIME_US",
    "PROOF_RENEWAL_INTERVAL_US",
    "PROOF_TEXT_DIGITS",
    "SELECT_COMMAND",
    "STORE_KEY_HEADER",
    "UNPLUGGED",
    "Badge",
    "BadgeError",
    "BadgeEvent",
    "BadgeGone",
    "BadgeList",
    "BadgeMonitor",
    "BadgeReaderOffline",
    "BadgeReaderOnline",
    "BadgeSeen",
    "BoundProof",
    "CardGoneError",
    "CardRefusal",
    "ChallengeContext",
    "PcscError",
    "Proof",
    "ReaderState",
    "Role",
    "ScardSession",
    "UnresponsiveCardError",
    "build_challenge",
    "compute_answer",
    "connected_readers",
    "dealer_names",
    "format_badge_list",
    "is_bound_to",
    "load_badge_list",
    "load_badges",
    "parse_badge_list",
    "parse_badges",
    "parse_bound_proof",
    "read_uid",
    "recover_proof",
    "request_proof",
    "store_key",
]
