"""The screens of a table: their connections on its Unix sockets, the lines from them, the views to them.

A client is what its door and its user are, never what it says of itself. Nobody keeps another out: each door has
connections of its own, a full one lets the one go that has been silent for longest, a process that has no connection
always gets one of those that another has several of, and who sends without pause waits for itself.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
import struct
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Final, TypeAlias

from controller import presenter
from controller.service.quota import Quota, Quotas
from controller.service.roles import Denied, Door, Role
from controller.view import MAX_LINE_BYTES, Refused, Reply, ToScreen, Values, encode
from hardware.bad_input import BadInputError

MOST_SCREENS: Final = 16
"""By one door. Dealer, players, pit, floor: more connections than that are a fault."""
MIN_STAY_S: Final = 0.5
"""A connection younger than this is not ended for another: a dealer's screen asks again within that time."""
MOST_UNSENT_BYTES: Final = 1_000_000
"""A screen that has not read so much is left out until it has: it gets the newest view then."""
Later: TypeAlias = Callable[[], Awaitable[Reply]]
Answer: TypeAlias = Callable[[bytes, Door], Reply | Later]
"""What comes of a line; what is looked at may take longer than a moment."""
_CREDENTIALS: Final = struct.Struct("3i")
"""What SO_PEERCRED says: process, user, group."""


class _Screen:
    """One connection."""

    def __init__(self, writer: asyncio.StreamWriter, door: Door, process: int, quota: Quota, now_s: float) -> None:
        self.writer = writer
        self.door = door
        self.process = process
        self.quota = quota
        self.since_s = now_s
        self.commanded_s = 0.0
        """When it gave its last command that was done; 0: it has only looked on."""
        self.looking: asyncio.Task[None] | None = None
        """What it looks at now: its commands do not wait for that."""

    @property
    def unsent_bytes(self) -> int:
        return self.writer.transport.get_write_buffer_size()


class Screens:
    """All screens of one table. `answer` says what comes of a line that came by a door, `beat` is the number of a beat
    that is sent now, `newest` is the view that all have."""

    def __init__(self, doors: Sequence[Door], answer: Answer, beat: Callable[[], int], newest: ToScreen) -> None:
        self._doors = doors
        self._answer = answer
        self._beat = beat
        self._newest = _for_each(newest, doors)
        self._connected: set[_Screen] = set()
        self._behind: set[_Screen] = set()
        self._quotas = Quotas()
        self._servers: dict[Path, asyncio.AbstractServer] = {}

    async def listen(self, path: Path) -> None:
        """Lets screens in, that of the dealer at the path; sockets that a dead service left are replaced. Raises
        BadInputError."""
        for door in self._doors:
            place = path.parent / door.path if door.path else path
            try:
                self._servers[place] = await self._opened(place, door)
            except OSError as error:
                said = error.strerror or error
                raise BadInputError(f"{place}: {said}, expected the path of a Unix socket") from None

    async def _opened(self, path: Path, door: Door) -> asyncio.AbstractServer:
        if path.exists():
            _remove_dead(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        listener = socket.socket(socket.AF_UNIX)
        try:
            listener.bind(str(path))  # nobody can connect before it listens, with its owner and mode
            if door.group is not None:
                os.chown(path, -1, door.group)
            if door.mode is not None:
                path.chmod(door.mode)

            async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
                await self._serve(reader, writer, door)

            return await asyncio.start_unix_server(serve, sock=listener, limit=MAX_LINE_BYTES)
        except BaseException:
            listener.close()
            raise

    def close(self) -> None:
        """Ends all connections, and the sockets."""
        for server in self._servers.values():
            server.close()
        for screen in list(self._connected):
            screen.writer.close()
        for path in self._servers:
            path.unlink(missing_ok=True)

    def show(self, view: ToScreen) -> None:
        """Sends a view to all."""
        self._newest = _for_each(view, self._doors)
        for screen in list(self._connected):
            self._show(screen)

    def beat(self) -> None:
        """Tells all that the service lives, but those that have not read what was sent: they do not see the table as it
        is."""
        line = encode(ToScreen(beat=self._beat()))
        for screen in self._connected:
            if not screen.unsent_bytes and not screen.writer.transport.is_closing():
                screen.writer.write(line)

    def catch_up(self) -> None:
        """Sends the newest view to those that had been left out and have read what was sent."""
        for screen in list(self._behind):
            self._show(screen)

    def _show(self, screen: _Screen) -> None:
        if screen.writer.transport.is_closing():
            self._forget(screen)
        elif screen.unsent_bytes > MOST_UNSENT_BYTES:
            self._behind.add(screen)
        else:
            self._behind.discard(screen)
            screen.writer.write(self._newest[screen.door.role])

    def _reply(self, screen: _Screen, reply: Reply) -> None:
        """No answer is left out: who has not read what came before loses the connection, and asks again over the
        next one."""
        if screen.unsent_bytes > MOST_UNSENT_BYTES:
            screen.writer.transport.abort()
            self._forget(screen)
        else:
            screen.writer.write(encode(ToScreen(reply=reply)))

    def _forget(self, screen: _Screen) -> None:
        self._connected.discard(screen)
        self._behind.discard(screen)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, door: Door) -> None:
        now_s = asyncio.get_running_loop().time
        process, user = _peer(writer)
        quota = self._quotas.of(process, now_s(), {screen.process for screen in self._connected})
        screen = _Screen(writer, door, process, quota, now_s())
        try:
            if door.users is not None and user not in door.users:
                self._reply(screen, Reply(id=0, refused=Refused(code=Denied.NOT_ALLOWED.value)))
                return
            if not self._has_room(door, process, now_s()):
                return
            self._connected.add(screen)
            writer.write(self._newest[door.role] + encode(ToScreen(beat=self._beat())))
            while line := await reader.readline():
                if wait_s := screen.quota.wait_s(now_s()):
                    await asyncio.sleep(wait_s)
                answer = self._answer(line, door)
                if isinstance(answer, Reply):
                    if answer.refused is None:
                        screen.commanded_s = now_s()
                    self._reply(screen, answer)
                else:
                    await self._look(screen, answer)
                await asyncio.sleep(0)  # one that sends without pause lets the others and the trays have their turn
        except asyncio.CancelledError:
            return  # the service ends
        except (ValueError, ConnectionError):  # a line without end, or a screen that went away
            too_long = Refused(code="not-a-step", values=Values(reason=f"expected lines up to {MAX_LINE_BYTES} bytes"))
            self._reply(screen, Reply(id=0, refused=too_long))
        finally:
            self._forget(screen)
            writer.close()

    async def _look(self, screen: _Screen, answer: Later) -> None:
        """Answers when the page is there, one page of a connection after the other."""

        async def looking() -> None:
            reply = await answer()
            if screen in self._connected:
                self._reply(screen, reply)

        if screen.looking is not None:
            await screen.looking
        screen.looking = asyncio.create_task(looking())

    def _has_room(self, door: Door, process: int, now_s: float) -> bool:
        """True where there is room for one more of this process. Where there is none it is made: whoever has commanded
        is let go last. A process that has none gets one at once, of those that another has too many of."""
        inside = [screen for screen in self._connected if screen.door is door]
        if len(inside) < MOST_SCREENS:
            return True
        ((hog, most),) = Counter(screen.process for screen in inside).most_common(1)
        is_first = most > 1 and all(screen.process != process for screen in inside)
        among = [screen for screen in inside if screen.process == hog] if is_first else inside
        idlest = min(among, key=lambda screen: (screen.commanded_s, screen.since_s))
        if not is_first and now_s - idlest.since_s < MIN_STAY_S:
            return False
        idlest.writer.transport.abort()
        self._forget(idlest)
        return True


def _for_each(view: ToScreen, doors: Sequence[Door]) -> dict[Role, bytes]:
    """The line of a view, by who comes in by the doors: players see what anybody at the table may."""
    line = encode(view)
    lines = dict.fromkeys((door.role for door in doors), line)
    if "player" in lines and view.view is not None:
        lines["player"] = encode(ToScreen(view=presenter.public(view.view)))
    return lines


def _peer(writer: asyncio.StreamWriter) -> tuple[int, int]:
    """Process and user at the other end, as the system says."""
    said = writer.get_extra_info("socket").getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
    process, user, _ = _CREDENTIALS.unpack(said)
    return process, user


def _remove_dead(path: Path) -> None:
    if not path.is_socket():
        raise BadInputError(f"{path}: something else is there, expected a free place for a socket")
    with contextlib.closing(socket.socket(socket.AF_UNIX)) as probe:
        try:
            probe.connect(str(path))
        except ConnectionRefusedError:
            path.unlink()
        else:
            raise BadInputError(f"{path}: a service is running there, expected a free socket")
