"""Commands once: what was answered to each of the last ones, also over a restart.

A sender that was cut off sends its open commands again, and gets the answer that it would have had. What was recorded
says of itself which command it came of, so a command whose record is on disk is not done again by a service that was
killed before it could answer. One that left no record did nothing, or what is harmless twice.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable
from typing import Final

import msgspec

from controller.view import Command, Refused, Reply

MOST_ANSWERS: Final = 4096
"""All clients at their quotas need ten seconds for so many; who was cut off is back within two."""


class _Recorded(msgspec.Struct, frozen=True, array_like=True):
    """A command as its record names it; `refused` is the code of why it was not done though something was noted."""

    client: str
    id: int
    refused: str = ""


_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(_Recorded).decode


def text_of(command: Command, refused: str = "") -> str:
    """The command, and why it was refused, as the record of what it did names it."""
    return _encode(_Recorded(command.client, command.id, refused)).decode()


class Answered:
    """The answers to the last commands. `recorded` are those that records name, oldest first."""

    def __init__(self, recorded: Iterable[str] = ()) -> None:
        self._answers: OrderedDict[tuple[str, int], Reply] = OrderedDict()
        for text in recorded:
            self._read(text)

    def _read(self, text: str) -> None:
        try:
            found = _decode(text)
        except msgspec.DecodeError:  # of another version: its sender has another number of the protocol
            return
        refused = Refused(code=found.refused) if found.refused else None
        self._keep(found.client, Reply(id=found.id, refused=refused))

    def to(self, command: Command) -> Reply | None:
        """The first answer to this command; None where it was not answered yet, or too long ago."""
        return self._answers.get((command.client, command.id))

    def keep(self, command: Command, reply: Reply) -> None:
        """The command has this answer from now on."""
        self._keep(command.client, reply)

    def _keep(self, client: str, reply: Reply) -> None:
        self._answers[client, reply.id] = reply
        if len(self._answers) > MOST_ANSWERS:
            self._answers.popitem(last=False)
