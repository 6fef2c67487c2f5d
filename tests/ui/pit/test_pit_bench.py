"""Check that the benchmark of the pit page measures changes, with and without Chromium."""

from __future__ import annotations

import shutil

import pytest

from controller.bench import measure_pit


def test_benchmark_measures_the_events_of_a_client_without_a_window(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    figures = measure_pit(5, 1)
    assert figures["browser"] == "a client that paints nothing"
    assert figures["changes_shown"] > 0
    assert 0 < figures["p50_ms"] <= figures["p99_ms"]


@pytest.mark.soak
def test_benchmark_measures_the_painted_tiles_of_many_tables() -> None:
    if shutil.which("chromium") is None:
        pytest.skip("Chromium is not installed")
    figures = measure_pit(1000, 5)
    assert figures["browser"] == "chromium"
    assert figures["tables"] == 1000
    assert figures["changes_shown"] > 0
