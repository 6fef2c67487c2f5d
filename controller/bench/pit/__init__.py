"""The pit page with many simulated tables: a stand-in for the live part of a room.

Example: serve ten simulated tables to `potkeeper pit --live live --folder pit`.

```
with room_stand_in(Path("live"), [simulated_state(number, Random(7)) for number in range(10)]):
    input("Press the Enter key to end")
```
"""

from controller.bench.pit.page_latency import measure_pit
from controller.bench.pit.room_stand_in import (
    RoomStandIn,
    room_stand_in,
    simulated_state,
    simulated_summary,
    table_name,
)

__all__ = ["RoomStandIn", "measure_pit", "room_stand_in", "simulated_state", "simulated_summary", "table_name"]
