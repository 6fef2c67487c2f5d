"""The reply cache: execute each command only once, even if the service restarts in between.

A screen that lost its connection sends its open commands again. If a command was already executed, the screen gets the
first reply again. After a restart, the journal shows which commands were executed, because each record names its
command. A command without a record changed nothing, or may be repeated without harm.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable
from typing import Final

import msgspec

from controller.rules import Refusal
from controller.view import Command, RefusalView, Reply

MAX_REPLIES: Final = 4096
"""Maximum number of replies in the cache.

Even if all clients send as fast as their rate limits allow, they need ten seconds to fill the cache. A screen
reconnects within two seconds.
"""


class _RecordedCommand(msgspec.Struct, frozen=True, array_like=True):
    """The command that caused a record, as it is written in the record.

    `refused` is the code of the refusal, or "" if the command was not refused.
    """

    client: str
    id: int
    refused: str = ""


_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(_RecordedCommand).decode


def encode_command_id(command: Command, refusal: Refusal | None) -> str:
    """Return the identifier of a command for the record of its step, with the code of the refusal if there is one."""
    return _encode(_RecordedCommand(command.client, command.id, refusal.code.value if refusal else "")).decode()


class ReplyCache:
    """Replies to the last commands.

    `recorded` are the identifiers of commands in the journal's records, oldest first.
    """

    def __init__(self, recorded: Iterable[str] = ()) -> None:
        self._replies: OrderedDict[tuple[str, int], Reply] = OrderedDict()
        for text in recorded:
            self._add_recorded(text)

    def _add_recorded(self, text: str) -> None:
        try:
            command = _decode(text)
        except msgspec.DecodeError:
            # Another program version wrote this record. Screens of that version can no longer connect.
            return
        refused = RefusalView(code=command.refused) if command.refused else None
        self._store(command.client, Reply(id=command.id, refused=refused))

    def reply_once(self, command: Command, execute: Callable[[], RefusalView | None]) -> Reply:
        """Return the reply to a command. Execute the command only if it is new, or very old."""
        reply = self._replies.get((command.client, command.id))
        if reply is None:
            reply = Reply(id=command.id, refused=execute())
            self._store(command.client, reply)
        return reply

    def _store(self, client: str, reply: Reply) -> None:
        self._replies[client, reply.id] = reply
        if len(self._replies) > MAX_REPLIES:
            self._replies.popitem(last=False)
