"""Check that the socket for the players' display sends no stacks and no accounts, and answers no queries."""

from __future__ import annotations

import os
import socket
import stat
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec
import pytest

from controller.service import AccessPolicy
from controller.service.roles import Endpoint, parse_permissions
from controller.view import TableView
from tests.service.in_process_service import InProcessService, in_process_service
from tests.service.service_process import RawConnection

ROOT = Path(__file__).parents[2]
ROLES = (ROOT / "controller" / "service" / "roles" / "roles.toml").read_text(encoding="utf-8")
ENDPOINTS = (
    '\n[doors.players]\nrole = "player"\npath = "players.sock"\n\n[doors.room]\nrole = "room"\npath = "room.sock"\n'
)
STACKS = (1000, 990, 995)
"""Stacks that must be hidden: without a blind, after the big blind (10), and after the small blind (5)."""


@pytest.fixture
def table(tmp_path: Path) -> Iterator[InProcessService]:
    with in_process_service(tmp_path, AccessPolicy(parse_permissions(ROLES + ENDPOINTS))) as service:
        yield service


def numbers(value: Any) -> Iterator[int]:
    """Yield every number in a view. Skip the fields `run` and `sequence`, which are not about the table."""
    if isinstance(value, dict):
        for name, item in value.items():
            if name not in ("run", "sequence"):
                yield from numbers(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from numbers(item)
    elif isinstance(value, int):
        yield value


def view_of_hand(connection: RawConnection) -> TableView:
    """Skip views until a hand is in progress, and return the first view of the hand."""
    while not (view := connection.view()).hand_number:
        pass
    return view


def test_players_socket_sends_no_stacks_and_the_room_socket_does(table: InProcessService) -> None:
    dealer, players, room = table.connect(), table.connect("players.sock"), table.connect("room.sock")
    assert dealer.command("hand") is None
    view = view_of_hand(players)
    assert view.hand_number == 1
    assert view.turn is not None
    assert view.pot == 15
    assert not {*numbers(msgspec.to_builtins(view))} & {*STACKS}
    assert {*numbers(msgspec.to_builtins(view_of_hand(room)))} & {*STACKS}


def test_late_player_connection_is_sent_no_stacks(table: InProcessService) -> None:
    assert table.connect().command("hand") is None
    late = RawConnection(table.address.parent / "players.sock")
    try:
        assert not {*numbers(msgspec.to_builtins(view_of_hand(late)))} & {*STACKS}
    finally:
        late.close()


@pytest.mark.parametrize("do", ["look hands", "look report", "look alerts", "look devices", "look games"])
def test_players_socket_refuses_queries(table: InProcessService, do: str) -> None:
    refused = table.connect("players.sock").command(do)
    assert refused is not None
    assert refused.code == "not-allowed"
    assert table.connect("room.sock").command(do) is None


PLAYERS_USER, PLAYERS_GROUP, SCREEN_GROUP = 65534, 64001, 64002


def connect_as(user: int, group: int, address: Path) -> str:
    """Return "connected", or the name of the error if this user connects to a socket in a process of its own."""
    reader, writer = os.pipe()
    if not (child := os.fork()):
        try:
            os.setgroups([])
            os.setgid(group)
            os.setuid(user)
            with socket.socket(socket.AF_UNIX) as client:
                client.connect(str(address))
            os.write(writer, b"connected")
        except OSError as error:
            os.write(writer, type(error).__name__.encode())
        finally:
            os._exit(0)
    os.waitpid(child, 0)
    os.close(writer)
    with os.fdopen(reader) as answer:
        return answer.read()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can act as another user")
def test_user_of_a_door_reaches_only_the_socket_in_its_own_folder() -> None:
    """Before, the folder of all sockets belonged to the group of the service, which also owned the dealer's socket."""
    permissions = parse_permissions(ROLES)
    players = Endpoint("players", "player", "players/table.sock", group=PLAYERS_GROUP)
    screen = permissions.endpoints[0]._replace(group=SCREEN_GROUP)
    policy = AccessPolicy(permissions._replace(endpoints=(screen, players)))
    with TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o711)  # as RuntimeDirectoryMode= in the unit of the service
        with in_process_service(folder, policy) as table:
            dealer_socket, players_socket = table.address, table.address.parent / "players" / "table.sock"
            assert connect_as(PLAYERS_USER, PLAYERS_GROUP, players_socket) == "connected"
            assert connect_as(PLAYERS_USER, PLAYERS_GROUP, dealer_socket) == "PermissionError"
            assert connect_as(PLAYERS_USER, SCREEN_GROUP, players_socket) == "PermissionError"
            assert connect_as(PLAYERS_USER, SCREEN_GROUP, dealer_socket) == "connected"
            assert stat.S_IMODE(players_socket.parent.stat().st_mode) == 0o750
            assert stat.S_IMODE(dealer_socket.stat().st_mode) == 0o660
