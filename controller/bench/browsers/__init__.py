"""Whether browsers or an uplink to the room slow a table down. `measure_browsers` measures the table next to them."""

from controller.bench.browsers.measurement import measure_browsers

__all__ = ["measure_browsers"]
