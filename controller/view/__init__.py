"""Types of the messages between the service and a screen.

Theory of operation: The service writes one `ServiceMessage` per line as JSON to a Unix socket: a view, a reply, or a
heartbeat. A screen writes one `Command` per line and receives one `Reply` per line. A `TableView` is complete, so a
screen that connected late or missed ten views is correct after the next view. It has codes and typed amounts but no
sentences, because `controller.messages` turns them into text in the reader's language and the house's money. The
service sends a heartbeat four times a second to show that it is alive.

Code outside this package imports from `controller.view` and not from its modules.

Example: read the command that a screen sends for a raise to 60 by seat 3.

    >>> from controller.view import protocol
    >>> command = protocol.decode_command(b'{"client": "a1", "id": 1, "do": "3 raise to 60", "shown": 7}')
    >>> command.do, command.view_sequence
    ('3 raise to 60', 7)
"""

from controller.view import live_protocol, pages, protocol, setup, table_summary
from controller.view.protocol import (
    Command,
    RefusalView,
    Reply,
    ServiceMessage,
)
from controller.view.table_view import (
    PROTOCOL_VERSION,
    ActionVerb,
    ActionView,
    Addend,
    Alert,
    AllInView,
    BetLimit,
    BetPart,
    BetSource,
    Choice,
    ClearableBy,
    Device,
    FloorCallReason,
    FloorCallView,
    GameView,
    HandStage,
    HoldReason,
    KeyLabel,
    LargestBetView,
    LevelView,
    MessageValues,
    Money,
    NoRaiseReason,
    NotInHandReason,
    PotAddend,
    PotPart,
    PotView,
    PotVisibility,
    QuickBet,
    Rulebook,
    SeatStatus,
    SeatView,
    SensorStatus,
    StepSummary,
    TableView,
    TrayStatus,
    Urgency,
)

__all__ = [
    "PROTOCOL_VERSION",
    "ActionVerb",
    "ActionView",
    "Addend",
    "Alert",
    "AllInView",
    "BetLimit",
    "BetPart",
    "BetSource",
    "Choice",
    "ClearableBy",
    "Command",
    "Device",
    "FloorCallReason",
    "FloorCallView",
    "GameView",
    "HandStage",
    "HoldReason",
    "KeyLabel",
    "LargestBetView",
    "LevelView",
    "MessageValues",
    "Money",
    "NoRaiseReason",
    "NotInHandReason",
    "PotAddend",
    "PotPart",
    "PotView",
    "PotVisibility",
    "QuickBet",
    "RefusalView",
    "Reply",
    "Rulebook",
    "SeatStatus",
    "SeatView",
    "SensorStatus",
    "ServiceMessage",
    "StepSummary",
    "TableView",
    "TrayStatus",
    "Urgency",
    "live_protocol",
    "pages",
    "protocol",
    "setup",
    "table_summary",
]
