"""Measurement of a room with many tables: the server, its database, and simulated tables as processes.

Example: measure a room with ten tables for five seconds.

```
potkeeper bench room --tables 10 --seconds 5
```
"""

from controller.bench.room_server.measurement import measure_room
from controller.bench.room_server.postgres_server import (
    PostgresServer,
    postgres_server,
    program_folder,
    server_user,
    why_no_postgres,
)

__all__ = ["PostgresServer", "measure_room", "postgres_server", "program_folder", "server_user", "why_no_postgres"]
