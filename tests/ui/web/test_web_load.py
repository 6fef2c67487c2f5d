"""Check that browsers, and a process for browsers that hangs or was killed, cost the table no record."""

from __future__ import annotations

import pytest

from controller.bench import measure_browsers


@pytest.mark.soak
def test_no_wager_is_lost_with_browsers() -> None:
    rows = measure_browsers(4)
    assert [row["web"] for row in rows][:2] == ["no web", "20 browsers, one stops reading"]
    assert [row["lost"] for row in rows] == [0] * 5
