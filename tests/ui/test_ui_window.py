"""Test the real window on a virtual display. The views come through a real socket, and xdotool touches the window.

Some tests compare pictures of the window.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any

import msgspec
import pytest
from PIL import Image, ImageChops, ImageStat

from controller.view import (
    Command,
    Reply,
    ServiceMessage,
    TableView,
    protocol,
)
from tests.end_to_end.screen_process import virtual_display as running_display
from tests.ui.touch_table import TouchTable
from ui import screenshots
from ui.scene import Appearance, Box, lay_out_scene
from ui.scene.layout import SEVEN_INCH_LAYOUT, TEN_INCH_LAYOUT, nearest_layout
from ui.scene.touch_filter import DOUBLE_TAP_WINDOW_US, ENTRY_GUARD_US, REACTION_TIME_US
from ui.state import (
    AlertAnswer,
    NamedKey,
    PadDigit,
    QuickAmount,
    ScreenState,
    SeatTile,
    Target,
    press_target,
    show_view,
)
from ui.view_samples import view_samples

pytestmark = pytest.mark.screen
ROOT = Path(__file__).parents[2]
SCREENS = ROOT / "build" / "screens"
DEADLINE_S = 120.0
VIEWS = {sample.name: sample.view for sample in view_samples()}


def wait_until(done: Callable[[], bool], description: str) -> None:
    end = time.monotonic() + DEADLINE_S
    while not done():
        assert time.monotonic() < end, f"not within {DEADLINE_S:g} s: {description}"
        select.select([], [], [], 0.002)


class Lines:
    """A helper that reads lines from a file descriptor, with a deadline."""

    def __init__(self, read: Callable[[], bytes], fileno: int) -> None:
        self._read, self._fileno, self._rest = read, fileno, b""

    def empty(self) -> bool:
        return not self._rest

    def next(self) -> bytes:
        end = time.monotonic() + DEADLINE_S
        while b"\n" not in self._rest:
            ready, _, _ = select.select([self._fileno], [], [], max(0, end - time.monotonic()))
            data = self._read() if ready else b""
            assert data, f"no line within {DEADLINE_S:g} s, got {self._rest!r}"
            self._rest += data
        line, _, self._rest = self._rest.partition(b"\n")
        return line


class Table:
    """A fake service with the protocol that the screen expects, and the screen as a separate process."""

    def __init__(self, folder: Path, *options: str) -> None:
        self.path = folder / "table"
        self.errors = folder / "stderr"
        self._sequence = 1000
        self._connection: socket.socket | None = None
        self._writing = threading.Lock()
        self.sends_heartbeats = threading.Event()
        """Event that is set while the fake service sends heartbeats, and cleared while the fake service is silent."""
        self.sends_heartbeats.set()
        self._ended = threading.Event()
        threading.Thread(target=self._send_heartbeats, daemon=True).start()
        self._listen()
        with self.errors.open("wb") as errors:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "ui", "--socket", str(self.path), "--report-frames", *options],
                stdout=subprocess.PIPE,
                stderr=errors,
                cwd=ROOT,
            )
        assert self.process.stdout is not None
        number = self.process.stdout.fileno()
        self._frames = Lines(lambda: os.read(number, 65536), number)

    def _listen(self) -> None:
        self._server = socket.socket(socket.AF_UNIX)
        self._server.bind(str(self.path))
        self._server.listen(1)
        self._server.settimeout(DEADLINE_S)

    def accept(self) -> None:
        self._connection, _ = self._server.accept()
        connection = self._connection
        self._commands = Lines(lambda: connection.recv(65536), connection.fileno())

    def close_connection(self) -> None:
        with self._writing:
            connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

    def _send_heartbeats(self) -> None:
        for number in count(1):
            if self._ended.wait(protocol.HEARTBEAT_INTERVAL_S):
                return
            with self._writing, contextlib.suppress(OSError):
                if self._connection is not None and self.sends_heartbeats.is_set():
                    self._connection.sendall(protocol.encode(ServiceMessage(heartbeat=number)))

    def stop_service(self) -> None:
        self.close_connection()
        self._server.close()
        self.path.unlink()

    def start_service(self) -> None:
        self._listen()
        self.accept()

    def write(self, data: bytes) -> None:
        with self._writing:
            assert self._connection is not None
            self._connection.sendall(data)

    def frame(self) -> dict[str, Any]:
        """Return what the screen reports about its next frame."""
        frame: dict[str, Any] = json.loads(self._frames.next())
        return frame

    def show(self, view: TableView) -> int:
        """Send the view with a new sequence number and wait until the screen accepts touches. Return the number."""
        self._sequence += 1
        self.write(protocol.encode(ServiceMessage(view=msgspec.structs.replace(view, sequence=self._sequence))))
        while True:
            frame = self.frame()
            if frame["sequence"] == self._sequence:
                flipped_us = frame["flipped_us"]
                break
        seen_us = max(REACTION_TIME_US, DOUBLE_TAP_WINDOW_US, ENTRY_GUARD_US)  # an earlier touch would not count
        wait_until(lambda: time.monotonic_ns() // 1000 > flipped_us + seen_us, "the reaction time")
        return self._sequence

    def command(self) -> Command:
        """Reply to the next command and return it. The screen sends a command again later if it gets no reply."""
        while True:
            command = protocol.decode_command(self._commands.next())
            self.write(protocol.encode(ServiceMessage(reply=Reply(id=command.id))))
            if not command.do.startswith("look "):  # skip queries, which touches also send
                return command

    def silent(self) -> bool:
        """Show another view. Return False if the screen has sent a command before it showed this view."""
        self.show(VIEWS["idle"])
        assert self._connection is not None
        return self._commands.empty() and not select.select([self._connection], [], [], 0)[0]

    def end(self) -> int:
        self.process.terminate()
        code = self.process.wait(DEADLINE_S)
        if self.process.stdout is not None:
            self.process.stdout.close()
        return code

    def close(self) -> None:
        if self.process.poll() is None:
            self.end()
        if self.process.stdout is not None:
            self.process.stdout.close()
        self._ended.set()
        self.close_connection()
        self._server.close()


def is_running(pid: str) -> bool:
    """Return True if the process is running. A process that has ended is not running, even if it is a zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def run_xdotool(*arguments: object) -> None:
    subprocess.run(["xdotool", *map(str, arguments)], check=True, timeout=DEADLINE_S)


def screen_position(box: Box) -> tuple[int, int]:
    return int(box.cx), int(TEN_INCH_LAYOUT.height - box.cy)


def tap(box: Box) -> None:
    run_xdotool("mousemove", *screen_position(box), "click", 1)


@pytest.fixture(scope="module")
def virtual_display() -> Iterator[None]:
    with running_display():
        yield


@pytest.fixture(scope="module")
def table(virtual_display: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Table]:
    screen_table = Table(tmp_path_factory.mktemp("screen"))
    screen_table.accept()
    try:
        yield screen_table
    finally:
        screen_table.close()


def box_of(screen: ScreenState, target: Target) -> Box:
    """Return the box of a target."""
    return next(area.box for area in lay_out_scene(screen).touch_areas if area.target == target)


def tap_all(view: TableView, *targets: Target) -> None:
    """Touch the targets one after the other, each where the screen shows it at that moment."""
    screen = show_view(ScreenState(), view)
    for target in targets:
        tap(box_of(screen, target))
        screen, _ = press_target(screen, target)


@pytest.mark.parametrize(
    ("name", "targets", "do"),
    [
        ("pot-limit", [NamedKey.FOLD], "5 fold"),
        ("pot-limit", [NamedKey.CALL], "5 call"),
        ("pot-limit", [NamedKey.POT], "5 pot"),
        ("pot-limit", [NamedKey.UNDO], "undo"),
        ("pot-limit", [SeatTile(8), NamedKey.ACTION_HERE], "here 8"),
        ("pot-limit", [NamedKey.RAISE, PadDigit("2"), PadDigit("0"), PadDigit("0"), NamedKey.OK], "5 raise to 200"),
        ("pot-limit", [NamedKey.RAISE, QuickAmount("max"), NamedKey.OK], "5 raise to 305"),
        (
            "pot-limit",
            [NamedKey.MENU, NamedKey.FLOOR_RULING, PadDigit("8"), SeatTile(3), NamedKey.FLOOR_BET],
            "floor bet 3 8",
        ),
        ("over-pot", [AlertAnswer(0)], "return 5"),
        ("own-stack-question", [AlertAnswer(1)], "chips-are 8 bet"),
        ("splash-question", [AlertAnswer(0)], "chips-are 8 of 120"),
        ("closed", [NamedKey.DEAL], "deal"),
        ("idle", [NamedKey.NEXT_HAND], "hand"),
        ("award", [NamedKey.AWARD, SeatTile(8), NamedKey.OK], "award side2 8"),
    ],
)
def test_touches_on_the_window_become_commands(table: Table, name: str, targets: list[Target], do: str) -> None:
    sequence = table.show(VIEWS[name])
    tap_all(VIEWS[name], *targets)
    command = table.command()
    assert (command.do, command.view_sequence) == (do, sequence)


def test_drag_off_a_key_and_touch_on_a_disabled_key_send_nothing(table: Table) -> None:
    table.show(VIEWS["pot-limit"])
    fold, call = TEN_INCH_LAYOUT.action_keys[0], TEN_INCH_LAYOUT.action_keys[1]
    for path in ((call,), (call, fold)):
        run_xdotool("mousemove", *screen_position(fold), "mousedown", 1)
        for box in path:
            table.show(VIEWS["pot-limit"])  # wait for a frame while the finger moves
            run_xdotool("mousemove", *screen_position(box))
        table.show(VIEWS["pot-limit"])
        run_xdotool("mouseup", 1)
    table.show(VIEWS["out-of-turn-warning"])  # nothing can be dealt while an action is held
    tap(TEN_INCH_LAYOUT.next_key)
    table.show(VIEWS["pot-limit"])
    tap(TEN_INCH_LAYOUT.centre)
    tap(call)
    assert table.command().do == "5 call"
    assert table.silent()


def test_view_change_under_the_finger_voids_the_touch(table: Table) -> None:
    table.show(VIEWS["pot-limit"])
    run_xdotool("mousemove", *screen_position(TEN_INCH_LAYOUT.action_keys[1]), "mousedown", 1)
    table.show(VIEWS["pot-limit"])  # wait for a frame while the finger is down
    table.show(VIEWS["owes"])
    run_xdotool("mouseup", 1)
    tap(TEN_INCH_LAYOUT.action_keys[1])
    assert table.command().do == "7 call"
    assert table.silent()


def unit_options() -> list[str]:
    """Return the options with which a table unit starts the screen, except its socket."""
    words = (ROOT / "hardware/deploy/potkeeper-screen.service").read_text().replace("\\\n", " ").split()
    options = words[words.index("screen", words.index("ExecStart=/usr/bin/xinit")) + 1 : words.index("--")]
    assert options[0] == "--socket"
    return options[2:]


@pytest.mark.parametrize("size", [(1024, 600), (1280, 800), (1920, 1080), (800, 1280)], ids=str)
def test_screen_of_a_unit_fills_a_panel_of_any_size(tmp_path: Path, size: tuple[int, int]) -> None:
    width, height = size
    panel = nearest_layout(width, height)
    scale = min(width / panel.width, height / panel.height)
    left, bottom = (width - panel.width * scale) / 2, (height - panel.height * scale) / 2
    areas = lay_out_scene(show_view(ScreenState(), VIEWS["pot-limit"]), Appearance(layout=panel)).touch_areas
    assert unit_options() == ["--fullscreen"]
    with running_display(width, height):
        unit_table = Table(tmp_path, *unit_options())
        try:
            unit_table.accept()
            for target, do in ((NamedKey.FOLD, "5 fold"), (NamedKey.UNDO, "undo"), (NamedKey.CALL_FLOOR, "call-floor")):
                unit_table.show(VIEWS["pot-limit"])
                box = next(area.box for area in areas if area.target == target)
                x, y = left + box.cx * scale, height - bottom - box.cy * scale
                run_xdotool("mousemove", round(x), round(y), "click", 1)
                assert unit_table.command().do == do
        finally:
            unit_table.close()


def test_invalid_line_prints_one_error_line_and_the_screen_runs_on(table: Table) -> None:
    table.write(b"nonsense\n")
    table.close_connection()
    table.accept()  # after an invalid line the screen connects again
    table.show(VIEWS["pot-limit"])
    errors = table.errors.read_text().splitlines()
    assert len([line for line in errors if line.startswith("potkeeper: line from the service: expected")]) == 1
    assert not [line for line in errors if "Traceback" in line]


def test_silent_service_is_not_live_and_touches_are_dropped(table: Table) -> None:
    table.show(VIEWS["pot-limit"])
    table.sends_heartbeats.clear()
    while table.frame()["live"]:
        pass
    tap(TEN_INCH_LAYOUT.action_keys[1])
    table.sends_heartbeats.set()
    while not table.frame()["live"]:
        pass
    assert table.silent()
    table.show(VIEWS["pot-limit"])
    tap(TEN_INCH_LAYOUT.action_keys[1])
    assert table.command().do == "5 call"


def test_screen_keeps_running_without_its_service(table: Table) -> None:
    table.show(VIEWS["pot-limit"])
    tap(TEN_INCH_LAYOUT.action_keys[1])
    unanswered = protocol.decode_command(table._commands.next())
    table.stop_service()
    table.start_service()
    assert protocol.decode_command(table._commands.next()) == unanswered, "an unanswered command must be sent again"
    table.write(protocol.encode(ServiceMessage(reply=Reply(id=unanswered.id))))
    table.show(VIEWS["idle"])
    tap(TEN_INCH_LAYOUT.next_key)
    assert table.command().do == "hand"


def test_pictures_have_count_and_sequence_in_their_names_and_sigterm_ends_the_display(
    virtual_display: None, tmp_path: Path
) -> None:
    display_name = os.environ.pop("DISPLAY")
    try:
        table = Table(tmp_path, "--pictures", str(tmp_path / "pictures"))
    finally:
        os.environ["DISPLAY"] = display_name
    table.accept()
    try:
        table.show(VIEWS["pot-limit"])
        table.show(VIEWS["idle"])
        names = sorted(path.name for path in (tmp_path / "pictures").iterdir())
        assert names == ["0001-1001.png", "0002-1002.png"]
        assert size(tmp_path / "pictures" / names[0]) == (TEN_INCH_LAYOUT.width, TEN_INCH_LAYOUT.height)
        children = Path(f"/proc/{table.process.pid}/task/{table.process.pid}/children").read_text().split()
        assert children, "the screen has no virtual display of its own"
        assert table.end() == 0
        wait_until(lambda: not any(is_running(child) for child in children), "the end of its display")
        assert "Traceback" not in table.errors.read_text()
    finally:
        table.close()


def test_killed_screen_ends_its_virtual_display(virtual_display: None, tmp_path: Path) -> None:
    display_name = os.environ.pop("DISPLAY")
    try:
        table = Table(tmp_path)
    finally:
        os.environ["DISPLAY"] = display_name
    table.accept()
    table.show(VIEWS["idle"])
    children = Path(f"/proc/{table.process.pid}/task/{table.process.pid}/children").read_text().split()
    table.process.kill()
    table.process.wait(DEADLINE_S)
    table.close()
    wait_until(lambda: not any(is_running(child) for child in children), "the end of its display")


def test_option_once_ends_after_the_first_view_and_ctrl_c_ends_without_errors(
    virtual_display: None, tmp_path: Path
) -> None:
    first = Table(tmp_path, "--once")
    first.accept()
    first.write(protocol.encode(ServiceMessage(view=VIEWS["idle"])))
    assert first.process.wait(DEADLINE_S) == 0
    first.close()
    (tmp_path / "table").unlink()
    second = Table(tmp_path)
    second.accept()
    second.show(VIEWS["idle"])
    second.process.send_signal(signal.SIGINT)
    assert second.process.wait(DEADLINE_S) == 0
    assert second.errors.read_text() == "potkeeper: connected to the service, showing the table\n"
    second.close()


def test_small_panel_places_the_same_keys_elsewhere(virtual_display: None, tmp_path: Path) -> None:
    table = Table(tmp_path, "--size", SEVEN_INCH_LAYOUT.name, "--theme", "bright", "--language", "zh")
    table.accept()
    try:
        table.show(VIEWS["pot-limit"])
        call = SEVEN_INCH_LAYOUT.action_keys[1]
        run_xdotool(
            "mousemove", int(call.cx), int(SEVEN_INCH_LAYOUT.height - call.cy), "click", 1
        )  # the window is in the upper left corner
        assert table.command().do == "5 call"
    finally:
        table.close()


def test_second_finger_and_palm_do_not_count_in_the_window(virtual_display: None) -> None:
    probe = Path(__file__).with_name("multitouch_probe.py")
    result = subprocess.run(
        [sys.executable, str(probe)], capture_output=True, text=True, cwd=ROOT, timeout=2 * DEADLINE_S, check=False
    )
    assert result.returncode == 0, result.stderr
    assert json.loads(result.stdout) == {
        "one": ["5 call"],
        "two": ["5 fold"],
        "palm": [],
        "large": [],
        "released outside": [],
        "dragged off and back": [],
        "double": ["5 fold"],
        "shown after a double tap": ["touched-twice"],
        "two digits in a row, OK twice": ["5 raise to 550"],
        "after OK": [],
    }


def test_window_draws_texts_at_their_measured_width_in_both_sizes(virtual_display: None) -> None:
    probe = Path(__file__).with_name("widget_tree_probe.py")
    result = subprocess.run(
        [sys.executable, str(probe)], capture_output=True, text=True, cwd=ROOT, timeout=2 * DEADLINE_S, check=False
    )
    assert result.returncode == 0, result.stderr
    report = json.loads(result.stdout)
    assert report["faults"] == []
    assert min(report["text_counts"].values()) > 1000
    assert len(report["planted_counts"]) == 2


def test_settings_key_of_kivy_opens_nothing_over_the_screen(virtual_display: None) -> None:
    probe = Path(__file__).with_name("settings_key_probe.py")
    result = subprocess.run(
        [sys.executable, str(probe)], capture_output=True, text=True, cwd=ROOT, timeout=2 * DEADLINE_S, check=False
    )
    assert result.returncode == 0, result.stderr
    assert json.loads(result.stdout) == [1, 1]


@pytest.mark.parametrize(("kind", "is_fed_in_hang"), [("frames", False), ("timer", True)], ids=["frames", "planted"])
def test_screen_whose_painting_hangs_does_not_feed_the_watchdog(
    virtual_display: None, kind: str, is_fed_in_hang: bool
) -> None:
    """Feed the watchdog from a timer as the planted fault."""
    probe = Path(__file__).with_name("watchdog_probe.py")
    result = subprocess.run(
        [sys.executable, str(probe), kind],
        capture_output=True,
        text=True,
        cwd=ROOT,
        timeout=2 * DEADLINE_S,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    assert json.loads(result.stdout) == [True, is_fed_in_hang]


PICTURE_SAMPLES = ("pot-limit", "out-of-turn-warning", "number-pad", "disconnected")


@pytest.fixture(scope="module")
def pictures(virtual_display: None) -> dict[str, Image.Image]:
    subprocess.run(
        [sys.executable, "-m", "ui.screenshots", "--out", str(SCREENS), *PICTURE_SAMPLES],
        check=True,
        cwd=ROOT,
        timeout=6 * DEADLINE_S,
    )
    images = {}
    for name in PICTURE_SAMPLES:
        with Image.open(SCREENS / f"{name}.png") as picture:
            images[name] = picture.convert("RGB")
    return images


def crop(picture: Image.Image, box: Box) -> Image.Image:
    return picture.crop(
        (int(box.x), int(TEN_INCH_LAYOUT.height - box.top), int(box.right), int(TEN_INCH_LAYOUT.height - box.y))
    )


def size(path: Path) -> tuple[int, int]:
    with Image.open(path) as picture:
        width, height = picture.size
        return int(width), int(height)


def look_same(first: Image.Image, second: Image.Image) -> bool:
    # Shades may differ slightly, because each picture has its own palette. At the edges of letters, a few pixels may
    # differ strongly.
    differing = (
        ImageChops.difference(first, second)
        .convert("L")
        .point([0] * MIN_SHADE_DIFFERENCE + [1] * (256 - MIN_SHADE_DIFFERENCE))
    )
    return bool(ImageStat.Stat(differing).mean[0] < MAX_DIFFERENT_RATIO)


MIN_SHADE_DIFFERENCE, MAX_DIFFERENT_RATIO = 48, 0.002
"""Limits for the comparison of two pictures.

A pixel counts as different if its shades differ by at least 48 of 255 levels. At most 0.002 of all pixels may differ. A
wrong digit changes about 0.01 of all pixels.
"""


def test_planted_other_digit_in_a_picture_is_caught(pictures: dict[str, Image.Image]) -> None:
    original = pictures["pot-limit"]
    changed = original.copy()
    digit = Box(TEN_INCH_LAYOUT.numbers[0].right - 39, TEN_INCH_LAYOUT.numbers[0].cy - 23, 32, 46)
    changed.paste(
        crop(original, digit).transpose(Image.Transpose.FLIP_TOP_BOTTOM),
        (int(digit.x), int(TEN_INCH_LAYOUT.height - digit.top)),
    )
    assert not look_same(crop(original, TEN_INCH_LAYOUT.numbers[0]), crop(changed, TEN_INCH_LAYOUT.numbers[0]))


def test_warning_covers_no_number(pictures: dict[str, Image.Image]) -> None:
    without_warning, with_warning = pictures["pot-limit"], pictures["out-of-turn-warning"]
    # The left half of the status line shows the last step while the warning covers the header.
    line = TEN_INCH_LAYOUT.status_line
    max_bet_sum = Box(line.cx, line.y, line.w / 2, line.h)
    for box in (TEN_INCH_LAYOUT.centre, *TEN_INCH_LAYOUT.numbers, *TEN_INCH_LAYOUT.action_keys, max_bet_sum):
        assert look_same(crop(without_warning, box), crop(with_warning, box))
    for seat, boxes in enumerate(TEN_INCH_LAYOUT.seat_boxes(9), 1):
        number_and_stack = Box(boxes.tile.x, boxes.tile.cy + 14, boxes.tile.w, boxes.tile.h / 2 - 18)
        is_offender = seat == 8  # seat 8 acted out of turn, so its tile has another tone
        assert is_offender or look_same(
            crop(without_warning, number_and_stack), crop(with_warning, number_and_stack)
        ), seat
    assert not look_same(crop(without_warning, TEN_INCH_LAYOUT.header), crop(with_warning, TEN_INCH_LAYOUT.header))


def test_number_pad_covers_no_number(pictures: dict[str, Image.Image]) -> None:
    without_pad, with_pad = pictures["pot-limit"], pictures["number-pad"]
    for box in (TEN_INCH_LAYOUT.centre, TEN_INCH_LAYOUT.header):
        assert look_same(crop(without_pad, box), crop(with_pad, box))
    for box in TEN_INCH_LAYOUT.numbers:
        inner = Box(box.x + 10, box.y + 10, box.w - 20, box.h - 20)
        assert look_same(crop(without_pad, inner), crop(with_pad, inner))


def test_stale_numbers_look_different_from_live_numbers(pictures: dict[str, Image.Image]) -> None:
    def brightness(name: str) -> float:
        return float(ImageStat.Stat(crop(pictures[name], TEN_INCH_LAYOUT.centre).convert("L")).extrema[0][1])

    assert brightness("disconnected") < 0.5 * brightness("pot-limit")
    banner = ImageStat.Stat(crop(pictures["disconnected"], TEN_INCH_LAYOUT.header).convert("L")).mean[0]
    assert banner > 200


def test_picture_shows_no_movement_from_the_view_before(virtual_display: None, tmp_path: Path) -> None:
    table = TouchTable("blinds = [5, 10]").do("hand")
    before, after = table.view, table.do(f"{table.view.turn} call").view
    moved, alone = screenshots.render_views([("before", before), ("moved", after)], tmp_path)[1], tmp_path / "alone.png"
    assert screenshots.render_views([("alone", after)], tmp_path) == [alone]
    assert moved.read_bytes() == alone.read_bytes()


def test_render_views_draws_the_given_views(virtual_display: None, tmp_path: Path) -> None:
    paths = screenshots.render_views([("first", VIEWS["idle"]), ("second", VIEWS["no-limit"])], tmp_path)
    assert [path.name for path in paths] == ["first.png", "second.png"]
    assert all(size(path) == (TEN_INCH_LAYOUT.width, TEN_INCH_LAYOUT.height) for path in paths)
