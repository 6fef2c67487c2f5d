r"""The service of a table: one process with its hardware, its journal and its screens.

The service runs one asyncio loop. A transition is a change of the live state, with the steps that cause it. Each sensor
event, each command from a screen and the passage of time become transitions. The steps are first written to the
journal. Only then does the new state take effect, and all screens receive a new view. After a restart `recovery`
rebuilds the same state from the journal. If nothing can be written, the table plays on in memory, and every view says
so.

- `table_service` runs the loop, and `bootstrap` connects it with configuration, hardware and badges.
- `start_files` reads the files that the options name, and replaces each file that cannot be used.
- `screen_server` handles connections. `command_handler` checks each command against the permissions in `roles`.
- `recorder` writes the journal, `recovery` and `journal_replay` read it.
- `queries` answers requests for pages, such as the last hands.

Apply a step to a table without hardware and journal:

    >>> import asyncio
    >>> from controller.config import parse_config
    >>> from controller.service import TableService
    >>> from controller.steps import parse_step
    >>> config = parse_config('[table]\nname = "Table 1"\n[game]\nstructure = "no-limit"\nblinds = [1, 2]')
    >>> async def seat_a_player():
    ...     service = TableService.open(config, None, trays=False)
    ...     service.apply_step(parse_step("3 sit 200 as ann"))
    ...     return service.live.table.players[3].stack
    >>> asyncio.run(seat_a_player())
    200
"""

from controller.service import queries
from controller.service.bootstrap import serve
from controller.service.checks import CheckResult, ask_service, send_to_service
from controller.service.command_handler import AccessPolicy
from controller.service.guided_setup import FALLBACK_SUFFIX
from controller.service.journal_replay import (
    MAX_SEGMENT_RECORDS,
    full_snapshot,
    hand_end_snapshot,
    has_other_amounts,
    live_from_snapshot,
    replay_segment,
    starting_state,
)
from controller.service.queries import read_hand_log
from controller.service.roles import ROOM_SOCKET, group_number
from controller.service.setup_check import check_setup, check_table
from controller.service.start_files import LAST_GOOD_SUFFIX, ServeOptions
from controller.service.table_service import TableSensors, TableService, seats_in_focus

__all__ = [
    "FALLBACK_SUFFIX",
    "LAST_GOOD_SUFFIX",
    "MAX_SEGMENT_RECORDS",
    "ROOM_SOCKET",
    "AccessPolicy",
    "CheckResult",
    "ServeOptions",
    "TableSensors",
    "TableService",
    "ask_service",
    "check_setup",
    "check_table",
    "full_snapshot",
    "group_number",
    "hand_end_snapshot",
    "has_other_amounts",
    "live_from_snapshot",
    "queries",
    "read_hand_log",
    "replay_segment",
    "seats_in_focus",
    "send_to_service",
    "serve",
    "starting_state",
]
