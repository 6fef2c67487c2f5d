"""Check that browsers and an uplink, also if they hang or were killed, cost the table no record and no heartbeat."""

from __future__ import annotations

import pytest

from controller.bench import measure_browsers


@pytest.mark.soak
def test_no_wager_is_lost_with_browsers_and_an_uplink() -> None:
    rows = measure_browsers(4)
    assert [row["beside"] for row in rows][:2] == ["only the table", "20 browsers, one stops reading"]
    assert [(row["lost"], row["lost_heartbeats"]) for row in rows] == [(0, 0)] * 9
