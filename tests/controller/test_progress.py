"""A long run shows its progress, as lines in a pipe and as a bar on a terminal. A short run shows nothing."""

from __future__ import annotations

import io

import pytest

from controller.progress import (
    LINE_INTERVAL_S,
    SHOW_AFTER_S,
    LineProgress,
    format_duration,
    progress_line,
    remaining_s,
    show_progress,
)


class Clock:
    def __init__(self) -> None:
        self.now_s = 100.0

    def __call__(self) -> float:
        return self.now_s


def test_short_run_prints_no_progress() -> None:
    out, clock = io.StringIO(), Clock()
    lines = LineProgress("simulate", "hands", out, clock)
    for done in range(100):
        lines(done, 100)
    clock.now_s += SHOW_AFTER_S / 2
    lines(100, 100)
    assert out.getvalue() == ""


def test_long_run_prints_a_line_after_two_seconds_and_each_minute() -> None:
    out, clock = io.StringIO(), Clock()
    lines = LineProgress("simulate", "hands", out, clock)
    for second in range(1, 181):
        clock.now_s = 100.0 + second
        lines(second, 1_000)
    printed = out.getvalue().splitlines()
    assert printed[0] == "simulate: 2 of 1,000 hands, 17 min left"
    assert len(printed) == 1 + int((180 - SHOW_AFTER_S) / LINE_INTERVAL_S)


def test_progress_in_a_pipe_has_no_control_characters() -> None:
    out = io.StringIO()
    with show_progress("script", "files", out) as progress:
        progress(1, 2)
    assert "\x1b" not in out.getvalue()


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_terminal_bar_is_removed_when_the_run_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("controller.progress.SHOW_AFTER_S", 0.0)
    monkeypatch.setenv("TERM", "xterm")
    out = Terminal()
    with show_progress("bench", "wagers", out) as progress:
        progress(3, 7)
    assert "3/7" in out.getvalue() and "bench" in out.getvalue()


@pytest.mark.parametrize(
    ("done", "of", "elapsed_s", "text"),
    [
        (0, 10, 5.0, "run: 0 of 10 hands"),
        (5, 10, 5.0, "run: 5 of 10 hands, 5 s left"),
        (1_000, 3_000, 600.0, "run: 1,000 of 3,000 hands, 20 min left"),
    ],
)
def test_progress_line_shows_count_total_and_time(done: int, of: int, elapsed_s: float, text: str) -> None:
    assert progress_line("run", "hands", done, of, elapsed_s) == text


def test_remaining_time_is_estimated_from_the_pace() -> None:
    assert remaining_s(0, 10, 5.0) == 0.0
    assert remaining_s(2, 10, 4.0) == 16.0
    assert (format_duration(89.4), format_duration(90.0)) == ("89 s", "2 min")
