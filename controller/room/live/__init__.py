"""The live side of a room: what each table shows now, beside the journals, which the room keeps.

Theory of operation: the uplink of a table follows the view at the table's read-only socket and sends a summary after
each change. It uses another WebSocket than the spans, so that nothing here delays them. The room writes the summaries
of all tables to the socket `room.sock` in a folder. The folder also has one socket for each table. A client of such a
socket gets a tunnel to the read-only socket of that table, through the same WebSocket.

Example: a browser page opens `tables/0.sock`. The room sends `Open(1)` to the table, the uplink connects to the table's
socket, and both relay bytes as `Data(1, …)`. The receiver returns `Taken(1, count)` when its own client has read them.
"""

from controller.room.live.messages import LIVE_PATH, LiveError
from controller.room.live.server import LiveServer
from controller.room.live.uplink import LiveUplink

__all__ = ["LIVE_PATH", "LiveError", "LiveServer", "LiveUplink"]
