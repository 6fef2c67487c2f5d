"""What a room has done since its start, and its measurements for Prometheus.

Prometheus reads the measurements in another thread. That thread only reads numbers, and copies of sets and
dictionaries.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from prometheus_client import Metric

ACKNOWLEDGE_LIMITS_S: Final = (0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 60.0)
"""Upper limits of the classes of times. A span waits up to 0.05 s for others, so that most times are close to that."""


@dataclass(slots=True)
class RoomCounts:
    """Numbers since the start of the room."""

    spans: int = 0
    """Number of spans that were stored."""
    records: int = 0
    acknowledged: list[int] = field(default_factory=lambda: [0] * (len(ACKNOWLEDGE_LIMITS_S) + 1))
    """Number of spans by the time until they were acknowledged, for each class and for longer times."""
    acknowledge_s: float = 0.0
    """Sum of these times."""
    alerts: Counter[str] = field(default_factory=Counter)
    """Number of alerts by problem."""
    connected: set[str] = field(default_factory=set)
    """Names of the tables that are connected for their journal."""

    def note_acknowledged(self, time_s: float) -> None:
        """Note how long a span has waited from its arrival to its reply."""
        self.acknowledged[bisect_left(ACKNOWLEDGE_LIMITS_S, time_s)] += 1
        self.acknowledge_s += time_s


class RoomCollector:
    """The measurements of a room as Prometheus reads them."""

    def __init__(self, counts: RoomCounts, names: Callable[[], Iterable[str]]) -> None:
        """`names` returns the names of all tables."""
        self._counts = counts
        self._names = names

    def collect(self) -> Iterator[Metric]:
        """Yield all measurements."""
        from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily

        counts, names = self._counts, tuple(self._names())
        yield GaugeMetricFamily("potkeeper_room_tables", "Tables in the file of the tables", len(names))
        connected = GaugeMetricFamily(
            "potkeeper_room_table_connected", "1 if the table is connected for its journal", labels=("table",)
        )
        present = set(counts.connected)
        for name in names:
            connected.add_metric((name,), name in present)
        yield connected
        yield CounterMetricFamily("potkeeper_room_spans", "Spans that were stored", counts.spans)
        yield CounterMetricFamily("potkeeper_room_records", "Records that were stored", counts.records)
        buckets, total = [], 0
        for limit_s, count in zip((*ACKNOWLEDGE_LIMITS_S, float("inf")), list(counts.acknowledged), strict=True):
            total += count
            buckets.append(("+Inf" if limit_s == float("inf") else str(limit_s), total))
        yield HistogramMetricFamily(
            "potkeeper_room_acknowledge_seconds",
            "Time from the arrival of a span to its reply",
            buckets=buckets,
            sum_value=counts.acknowledge_s,
        )
        alerts = CounterMetricFamily("potkeeper_room_alerts", "Alerts of the room", labels=("problem",))
        for problem, count in dict(counts.alerts).items():
            alerts.add_metric((problem,), count)
        yield alerts


def offer_measurements(port: int, counts: RoomCounts, names: Callable[[], Iterable[str]]) -> Callable[[], None]:
    """Offer the measurements at a port of this machine, and return a function that ends this. Raises OSError."""
    from prometheus_client import CollectorRegistry, start_http_server

    registry = CollectorRegistry()
    registry.register(RoomCollector(counts, names))
    server, thread = start_http_server(port, addr="127.0.0.1", registry=registry)

    def stop() -> None:
        server.shutdown()
        server.server_close()
        thread.join()

    return stop
