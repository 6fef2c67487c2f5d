"""Badges of dealers, floor and technicians on PC/SC card readers.

`load_badges` reads the house's list of badges. `BadgeMonitor` watches all readers in a separate thread. It reports
which card is on a reader, and whether the card proved with its key that it is the badge of its UID
(`card_commands.py`). `proof.py` binds such a proof to the text of a decision, so that the journal can be checked
later. pcscd may stop and start at any time.

There are two kinds of cards. A PIV card (`piv_card.py`) signs each decision with a key that never leaves it, and the
list has only its public key (`signed_proof.py`). A card with the badge applet answers with an HMAC (`proof.py`), and
the list has its secret key.

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
from hardware.badges.card_prover import BadgeDidNotSignError, BadgeProof, CardSigner
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
from hardware.badges.piv_card import (
    compress_public_key,
    read_public_key,
    request_signature,
    select_piv,
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
from hardware.badges.signed_proof import SignedProof, parse_signed_proof

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
    "BadgeDidNotSignError",
    "BadgeError",
    "BadgeEvent",
    "BadgeGone",
    "BadgeList",
    "BadgeMonitor",
    "BadgeProof",
    "BadgeReaderOffline",
    "BadgeReaderOnline",
    "BadgeSeen",
    "BoundProof",
    "CardGoneError",
    "CardRefusal",
    "CardSigner",
    "ChallengeContext",
    "PcscError",
    "Proof",
    "ReaderState",
    "Role",
    "ScardSession",
    "SignedProof",
    "UnresponsiveCardError",
    "build_challenge",
    "compress_public_key",
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
    "parse_signed_proof",
    "read_public_key",
    "read_uid",
    "recover_proof",
    "request_proof",
    "request_signature",
    "select_piv",
    "store_key",
]
