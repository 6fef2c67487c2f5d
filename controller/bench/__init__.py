"""Benchmarks of the rules, the journal, the detection of chips, the polling order of antennas, screens and a room.

Theory of operation: Each benchmark measures one part of the way from the chips to the screen. The part that depends
only on tags and readers is measured in simulated time, with the real drivers and the real stack detection. The part
that depends on the program is measured in real time, with separate processes and with emulated readers on pseudo
terminals. The rules are measured with whole hands. In the same run, PokerKit can play the same hands for comparison.
Each function returns figures, which `potkeeper bench` prints.

Example: measure how soon chips are detected with each polling order.

```
potkeeper bench sweep --quick
```
"""

from controller.bench.browsers import measure_browsers
from controller.bench.end_to_end_latency import measure_latency
from controller.bench.journal import measure_journal, start_cpu_s, write_long_journal
from controller.bench.pit import measure_pit
from controller.bench.room_server import (
    PostgresServer,
    measure_room,
    postgres_server,
    program_folder,
    server_user,
    why_no_postgres,
)
from controller.bench.rules import measure_rules
from controller.bench.scheduling_policies import measure_sweep
from controller.bench.screen import measure_screen

__all__ = [
    "PostgresServer",
    "measure_browsers",
    "measure_journal",
    "measure_latency",
    "measure_pit",
    "measure_room",
    "measure_rules",
    "measure_screen",
    "measure_sweep",
    "postgres_server",
    "program_folder",
    "server_user",
    "start_cpu_s",
    "why_no_postgres",
    "write_long_journal",
]
