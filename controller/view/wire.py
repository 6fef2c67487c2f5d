"""The lines on the socket between the service and a screen, written and read."""

from __future__ import annotations

from typing import Annotated, ClassVar

import msgspec

from controller.view.looks import Page
from controller.view.table import Alert, TableView, Values
from firmware_bridge.errors import PotkeeperError, Whose

MAX_LINE_BYTES = 262_144
"""Longest line either side accepts: ten seats with every field at its longest come to a tenth of it."""

MOST_ID = 2**53 - 1
"""Largest number of a command or view: what every JSON reader keeps exact."""

MOST_CLIENT = 40
"""Letters of a client's name: a UUID has 36."""

BEAT_S = 0.25
"""How often the service says that it lives, and that all it had to show was sent."""

SILENT_S = 0.8
"""After so long without a beat a screen says NOT LIVE: two may be late, and what it paints stands within a second."""

LATE_S = 1.0
"""A touch counts for so long after the beat that its screen had: as long as a screen may take to say NOT LIVE."""


class Command(msgspec.Struct, frozen=True, kw_only=True):
    """A touch or key: `do` in table-script words ("3 raise to 60", "here 5", "deal", "undo", "award main 3").

    `client` and `id` are this command's and no other's: a sender that was cut off sends the same again and gets the
    first answer, nothing is done twice. A client is a random name that its sender keeps for as long as it runs.

    `shown` is the `sequence` of the view that the person was looking at. Every step that is not harmless twice asks for
    it: it is refused where the table has gone on meanwhile to another hand or round, where the same was done since, and
    where the service does not know that view, as after a restart. 0: none, for a step that is harmless twice.

    `beat` is the service's last beat that the screen had when it was touched: where that is longer ago than `LATE_S`,
    or of another run of the service, the command is refused as `too-late`. 0: whenever it comes, for what is no screen.

    `look …` asks for what no view has: `look hands`, `look hand 12`, `look phh 12`, `look alerts`, `look devices`,
    `look report`, `look games`, `look award …` with the words of the award. Nothing is done or recorded, the page comes
    with the reply."""

    client: Annotated[str, msgspec.Meta(min_length=1, max_length=MOST_CLIENT, pattern=r"\A[0-9A-Za-z-]+\Z")]
    id: Annotated[int, msgspec.Meta(ge=0, le=MOST_ID)]
    do: str
    shown: Annotated[int, msgspec.Meta(ge=0, le=MOST_ID)] = 0
    beat: Annotated[int, msgspec.Meta(ge=0, le=MOST_ID)] = 0


class Refused(msgspec.Struct, frozen=True, kw_only=True):
    """Why nothing was done: the code of the sentence, and what it names; `alert` where a warning goes with it."""

    code: str
    values: Values = Values()
    alert: Alert | None = None
    stays: bool = False
    """It stands until the next touch, also where the table goes on: who touched was not told at once."""


class Reply(msgspec.Struct, frozen=True, kw_only=True):
    """The answer to the `Command` of the same `id`: `refused` is None, or why nothing was done; `page` is what was
    looked at."""

    id: int
    refused: Refused | None = None
    page: Page | None = None


class ToScreen(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One line from the service: exactly one of the three is set."""

    view: TableView | None = None
    reply: Reply | None = None
    beat: int = 0
    """The service lives, and the last view that it sent is the newest. Numbers grow; those of another run of the
    service are others."""


class SocketError(PotkeeperError, ValueError):
    """A line on the socket is not what it should be; the message says what was expected."""

    whose: ClassVar[Whose] = "person"


_MOST_REPEATED = 60
"""Bytes of a line that a message about it repeats."""
_NOT_WHAT_IT_SHOULD_BE = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
"""What a line from outside can make the decoder raise."""
_encoder = msgspec.json.Encoder()
_screen_decoder = msgspec.json.Decoder(ToScreen)
_command_decoder = msgspec.json.Decoder(Command)


def encode(message: ToScreen | Command) -> bytes:
    """The message as one line of JSON, newline included."""
    return _encoder.encode(message) + b"\n"


def decode_to_screen(line: bytes) -> ToScreen:
    """A line from the service. Raises SocketError with one line that says what was expected."""
    try:
        return _screen_decoder.decode(line)
    except _NOT_WHAT_IT_SHOULD_BE as error:
        raise SocketError(f"line from the service: expected a view or a reply, {error}") from None


def decode_command(line: bytes) -> Command:
    """A line from a screen. Raises SocketError with one line that says what was expected."""
    try:
        return _command_decoder.decode(line)
    except _NOT_WHAT_IT_SHOULD_BE as error:
        shown = line[:_MOST_REPEATED].decode(errors="replace")
        raise SocketError(f'command {shown!r}: expected {{"client": "a1", "id": 1, "do": "3 call"}}, {error}') from None
