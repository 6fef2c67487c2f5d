"""Whether browsers or an uplink to the room slow a table down. `measure_browsers` measures the table next to them."""

from controller.bench.browsers.measurement import HOST, START_TIMEOUT_S, measure_browsers, unused_port, wait_until

__all__ = ["HOST", "START_TIMEOUT_S", "measure_browsers", "unused_port", "wait_until"]
