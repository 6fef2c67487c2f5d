"""Check that the socket for the players' display sends no stacks and no accounts, and answers no queries."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from controller.service import AccessPolicy
from controller.service.roles import parse_permissions
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
