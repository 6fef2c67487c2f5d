"""What comes through the door of the players: no stack, no account, no answer to a look."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from controller.service import Guarding
from controller.service.roles import read_rights
from controller.view import TableView
from tests.service.inside import Inside, inside
from tests.service.running import Bare

ROOT = Path(__file__).parents[2]
ROLES = (ROOT / "controller" / "service" / "roles" / "roles.toml").read_text(encoding="utf-8")
DOORS = '\n[doors.players]\nrole = "player"\npath = "players.sock"\n\n[doors.room]\nrole = "room"\npath = "room.sock"\n'
STACKS = (1000, 990, 995)
"""What the players of the table have, with and without their blinds."""


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Inside]:
    with inside(tmp_path, Guarding(read_rights(ROLES + DOORS))) as one:
        yield one


def numbers(value: Any) -> Iterator[int]:
    """Every number in a view but what is told of the whole table."""
    if isinstance(value, dict):
        for name, one in value.items():
            if name not in ("run", "sequence"):
                yield from numbers(one)
    elif isinstance(value, list | tuple):
        for one in value:
            yield from numbers(one)
    elif isinstance(value, int):
        yield value


def with_a_hand(view: Bare) -> TableView:
    while not (found := view.view()).hand:
        pass
    return found


def test_players_are_sent_no_stacks_and_the_room_is(table: Inside) -> None:
    dealer, players, room = table.door(), table.door("players.sock"), table.door("room.sock")
    assert dealer.command("hand") is None
    sent = with_a_hand(players)
    assert sent.hand == 1
    assert sent.turn is not None
    assert sent.pot == 15
    assert not {*numbers(msgspec.to_builtins(sent))} & {*STACKS}
    assert {*numbers(msgspec.to_builtins(with_a_hand(room)))} & {*STACKS}


def test_who_comes_late_is_sent_no_stacks_either(table: Inside) -> None:
    assert table.door().command("hand") is None
    late = Bare(table.address.parent / "players.sock")
    try:
        assert not {*numbers(msgspec.to_builtins(with_a_hand(late)))} & {*STACKS}
    finally:
        late.close()


@pytest.mark.parametrize("do", ["look hands", "look report", "look alerts", "look devices", "look games"])
def test_players_may_not_look_behind_it(table: Inside, do: str) -> None:
    refused = table.door("players.sock").command(do)
    assert refused is not None
    assert refused.code == "not-allowed"
    assert table.door("room.sock").command(do) is None
