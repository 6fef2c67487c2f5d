"""A room with a real table behind its tunnel and simulated tables, for the tests of the pit page."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random

import msgspec

from controller.bench.pit import RoomStandIn, room_stand_in, simulated_state, table_name
from controller.service import ROOM_SOCKET, AccessPolicy
from controller.service.roles import default_permissions
from controller.view import live_protocol, table_summary
from tests.service.in_process_service import InProcessService, in_process_service
from tests.service.service_process import wait_until

REAL_TABLE = 1
"""Number of the real table, which is not the first one, so that a mistaken number is found."""


def quiet_state(number: int, **summary: object) -> live_protocol.TableState:
    """Return the state of a simulated table at which nobody is needed, with these changes of its summary."""
    state = simulated_state(number, Random(number))
    quiet: dict[str, object] = {
        "attention": "", "call_why": "", "call_minutes": None, "answered_by": "", "dealer_minutes": 10
    }  # fmt: skip
    assert state.summary is not None
    return msgspec.structs.replace(state, summary=msgspec.structs.replace(state.summary, **quiet | summary))


@dataclass(frozen=True, slots=True)
class PitRoom:
    """A room in a folder, and the service of its real table."""

    room: RoomStandIn
    table: InProcessService

    def summarise(self) -> None:
        """Send the summary of the real table to the room, as its uplink does after each change."""
        summary = table_summary.summarise(self.table.call(lambda: self.table.service.view))
        self.room.show(msgspec.structs.replace(self.room.states[table_name(REAL_TABLE)], summary=summary))


@contextmanager
def pit_room(folder: Path, tables: int = 3) -> Iterator[PitRoom]:
    """Run a room with one real table and simulated ones while the block runs."""
    policy = AccessPolicy(default_permissions().with_room(folder.stat().st_gid))
    states = [quiet_state(number) for number in range(tables)]
    with in_process_service(folder, policy, journal=folder / "table.journal") as table:
        wait_until((folder / ROOM_SOCKET).exists, "the socket of the room exists")
        with room_stand_in(folder / "live", states, {table_name(REAL_TABLE): folder / ROOM_SOCKET}) as room:
            pit = PitRoom(room, table)
            pit.summarise()
            yield pit
