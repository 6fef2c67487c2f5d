"""The lines on the socket between the service and a screen, with functions to read and write them."""

from __future__ import annotations

from typing import Annotated, ClassVar

import msgspec

from controller.view.pages import Page
from controller.view.table_view import Alert, MessageValues, TableView
from controller.view.wire_names import WIRE_NAMES
from firmware_bridge.errors import FaultSource, PotkeeperError

MAX_LINE_BYTES = 262_144
"""Maximum length of a line in bytes. A view of ten seats with every field at its longest needs a tenth of this
length."""

MAX_ID = 2**53 - 1
"""Largest number that a command or a view may have. Every JSON parser represents this number exactly."""

MAX_CLIENT_LENGTH = 40
"""Maximum length of a client's name in characters. A UUID has 36 characters."""

HEARTBEAT_INTERVAL_S = 0.25
"""Interval in seconds at which the service sends heartbeats."""

HEARTBEAT_TIMEOUT_S = 0.8
"""Time in seconds without a heartbeat after which a screen shows NOT LIVE.

Two heartbeats may be late without a warning. After a failure, the warning is visible within one second.
"""

MAX_COMMAND_AGE_S = 1.0
"""Maximum age in seconds of the last heartbeat that a screen had received when it was touched.

Within the same time, a screen without heartbeats must show NOT LIVE.
"""


class Command(msgspec.Struct, frozen=True, kw_only=True, rename=WIRE_NAMES["Command"]):
    """One command from a screen: a step at the table, or a query.

    - `do` is a step in the words of table scripts, such as "3 raise to 60", "here 5", "deal", "undo" or "award main 3".
      If `do` begins with `look`, the command is a query.
    - `client` and `id` together identify this command. `client` is a random name that the sender keeps while it runs. A
      client that lost its connection sends the same command again and receives the first reply, so that nothing is done
      twice.
    - `view_sequence` is the `sequence` of the view that the person saw. It is 0 for a step that may be done twice
      without harm.
    - `heartbeat` is the last heartbeat that the screen had received at the touch. It is 0 for a sender that is not a
      screen. The command is refused as `too-late` if the heartbeat is older than `MAX_COMMAND_AGE_S`, or is from
      another run of the service.

    A step that must not be done twice is refused in three cases:

    - The table has moved to another hand or betting round since the view.
    - The same step has been done since the view.
    - The service does not know the view, for example after a restart.

    A query changes nothing and is not recorded. Its reply contains a page. Queries are `look hands`, `look hand 12`,
    `look phh 12`, `look alerts`, `look devices`, `look report`, `look games`, `look set-up` and `look award main 3`.

    A touch on a key of the guided set-up, such as `set-up find` or `set-up skip 3`, also has a page as its reply. It is
    no step either, so that nothing of the set-up is recorded as play.
    """

    client: Annotated[str, msgspec.Meta(min_length=1, max_length=MAX_CLIENT_LENGTH, pattern=r"\A[0-9A-Za-z-]+\Z")]
    id: Annotated[int, msgspec.Meta(ge=0, le=MAX_ID)]
    do: str
    view_sequence: Annotated[int, msgspec.Meta(ge=0, le=MAX_ID)] = 0
    heartbeat: Annotated[int, msgspec.Meta(ge=0, le=MAX_ID)] = 0


class RefusalView(msgspec.Struct, frozen=True, kw_only=True, rename=WIRE_NAMES["RefusalView"]):
    """The reason why a command was refused, as a code with the values for its message.

    `alert` is set if a warning belongs to the refusal.
    """

    code: str
    values: MessageValues = MessageValues()
    alert: Alert | None = None
    is_sticky: bool = False
    """True if the screen must show the refusal until the next touch, even if the table changes.

    The service sets this field for a refusal that reached the person late.
    """


class Reply(msgspec.Struct, frozen=True, kw_only=True):
    """The reply to the `Command` with the same `id`.

    `refused` is None if the command was done. `page` is the answer to a query.
    """

    id: int
    refused: RefusalView | None = None
    page: Page | None = None


class ServiceMessage(
    msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, rename=WIRE_NAMES["ServiceMessage"]
):
    """One line from the service, with exactly one of its fields set."""

    view: TableView | None = None
    reply: Reply | None = None
    heartbeat: int = 0
    """Number of the heartbeat, or 0 if the line is not a heartbeat.

    A heartbeat also means that the last view sent is the newest view. The numbers increase. Another run of the service
    uses other numbers.
    """


class SocketError(PotkeeperError, ValueError):
    """Error for an invalid line on the socket. The message says what was expected."""

    fault: ClassVar[FaultSource] = "person"


_MAX_QUOTED_BYTES = 60
"""Maximum number of bytes of a rejected line quoted in its error message."""
_DECODE_ERRORS = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
"""Exceptions that the decoder may raise for an invalid line."""
_encoder = msgspec.json.Encoder()
_screen_decoder = msgspec.json.Decoder(ServiceMessage)
_command_decoder = msgspec.json.Decoder(Command)


def encode(message: ServiceMessage | Command) -> bytes:
    """Return the message as one line of JSON with a newline."""
    return _encoder.encode(message) + b"\n"


def decode_service_message(line: bytes) -> ServiceMessage:
    """Return the message in a line from the service. Raise SocketError if the line is not valid."""
    try:
        return _screen_decoder.decode(line)
    except _DECODE_ERRORS as error:
        raise SocketError(f"line from the service: expected a view, a reply or a heartbeat: {error}") from None


def decode_command(line: bytes) -> Command:
    """Return the command in a line from a screen. Raise SocketError if the line is not valid."""
    try:
        return _command_decoder.decode(line)
    except _DECODE_ERRORS as error:
        quoted = line[:_MAX_QUOTED_BYTES].decode(errors="replace")
        raise SocketError(
            f'command {quoted!r}: expected an object such as {{"client": "a1", "id": 1, "do": "3 call"}}: {error}'
        ) from None
