"""Long runs show how far they are: a line now and then in a pipe, a bar on a terminal, nothing for a short run."""

from __future__ import annotations

import io

import pytest

from controller.progress import LINE_S, SHOWN_AFTER_S, Lines, left_s, line, shown, spoken


class Clock:
    def __init__(self) -> None:
        self.now_s = 100.0

    def __call__(self) -> float:
        return self.now_s


def test_a_short_run_prints_nothing() -> None:
    out, clock = io.StringIO(), Clock()
    lines = Lines("simulate", "hands", out, clock)
    for done in range(100):
        lines(done, 100)
    clock.now_s += SHOWN_AFTER_S / 2
    lines(100, 100)
    assert out.getvalue() == ""


def test_a_long_run_prints_a_line_after_two_seconds_and_then_one_a_minute() -> None:
    out, clock = io.StringIO(), Clock()
    lines = Lines("simulate", "hands", out, clock)
    for second in range(1, 181):
        clock.now_s = 100.0 + second
        lines(second, 1_000)
    printed = out.getvalue().splitlines()
    assert printed[0] == "simulate: 2 of 1,000 hands, 17 min left"
    assert len(printed) == 1 + int((180 - SHOWN_AFTER_S) / LINE_S)


def test_in_a_pipe_there_are_no_control_characters() -> None:
    out = io.StringIO()
    with shown("script", "files", out) as progress:
        progress(1, 2)
    assert "\x1b" not in out.getvalue()


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_terminal_has_a_bar_that_goes_when_it_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("controller.progress.SHOWN_AFTER_S", 0.0)
    monkeypatch.setenv("TERM", "xterm")
    out = Terminal()
    with shown("bench", "wagers", out) as progress:
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
def test_what_a_line_says(done: int, of: int, elapsed_s: float, text: str) -> None:
    assert line("run", "hands", done, of, elapsed_s) == text


def test_how_long_it_will_still_take() -> None:
    assert left_s(0, 10, 5.0) == 0.0
    assert left_s(2, 10, 4.0) == 16.0
    assert (spoken(89.4), spoken(90.0)) == ("89 s", "2 min")
