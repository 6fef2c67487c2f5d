"""The real window on a virtual display: views through a real socket, fingers by xdotool, pictures compared."""

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

from controller.view import BEAT_S, Command, Reply, TableView, ToScreen, decode_command, encode
from tests.evening.glass import own_display as displayed
from ui import snapshot
from ui.samples import samples
from ui.scene import Box, lay_out
from ui.scene.fingers import DOUBLE_US, REACTION_US
from ui.scene.layout import SEVEN, TEN
from ui.state import Answer, BetSpot, Bound, Digit, NamedKey, Screen, Seat, Target, press, show

pytestmark = pytest.mark.screen
ROOT = Path(__file__).parents[2]
SCREENS = ROOT / "build" / "screens"
DEADLINE_S = 30.0
NOT_LIVE_US = 1_000_000 + 500_000
"""A second; and what the frame may come later where other tests run beside this one."""
VIEWS = {sample.name: sample.view for sample in samples()}


def until(done: Callable[[], bool], what: str) -> None:
    end = time.monotonic() + DEADLINE_S
    while not done():
        assert time.monotonic() < end, f"not within {DEADLINE_S:g} s: {what}"
        select.select([], [], [], 0.002)


class Lines:
    """Lines from a file descriptor, with a deadline."""

    def __init__(self, read: Callable[[], bytes], fileno: int) -> None:
        self._read, self._fileno, self._rest = read, fileno, b""

    def empty(self) -> bool:
        return not self._rest

    def next(self) -> bytes:
        end = time.monotonic() + DEADLINE_S
        while b"\n" not in self._rest:
            ready, _, _ = select.select([self._fileno], [], [], max(0, end - time.monotonic()))
            more = self._read() if ready else b""
            assert more, f"no line within {DEADLINE_S:g} s, got {self._rest!r}"
            self._rest += more
        line, _, self._rest = self._rest.partition(b"\n")
        return line


class Table:
    """A service as the screen sees it, and the screen as a process."""

    def __init__(self, folder: Path, *options: str) -> None:
        self.path = folder / "table"
        self.errors = folder / "stderr"
        self._sequence = 1000
        self._connection: socket.socket | None = None
        self._writing = threading.Lock()
        self.beating = threading.Event()
        """Cleared while the service says nothing."""
        self.beating.set()
        self._ended = threading.Event()
        threading.Thread(target=self._beat, daemon=True).start()
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

    def _beat(self) -> None:
        for number in count(1):
            if self._ended.wait(BEAT_S):
                return
            with self._writing, contextlib.suppress(OSError):
                if self._connection is not None and self.beating.is_set():
                    self._connection.sendall(encode(ToScreen(beat=number)))

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
        """What is on the glass, of the next frame that is told."""
        found: dict[str, Any] = json.loads(self._frames.next())
        return found

    def show(self, view: TableView) -> int:
        """Sends the view under a sequence of its own, waits until it is on the glass and may be touched."""
        self._sequence += 1
        self.write(encode(ToScreen(view=msgspec.structs.replace(view, sequence=self._sequence))))
        while True:
            frame = self.frame()
            if frame["sequence"] == self._sequence:
                flipped_us = frame["flipped_us"]
                break
        seen_us = max(REACTION_US, DOUBLE_US)  # nor is what is touched then part of a double tap
        until(lambda: time.monotonic_ns() // 1000 > flipped_us + seen_us, "the time to see it")
        return self._sequence

    def command(self) -> Command:
        """The next command; it is answered, or the screen would send it again over the next connection."""
        while True:
            command = decode_command(self._commands.next())
            self.write(encode(ToScreen(reply=Reply(id=command.id))))
            if not command.do.startswith("look "):  # what an award would give is asked with every touch
                return command

    def silent(self) -> bool:
        """True when nothing was sent, once the screen has drawn another view since."""
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


def alive(pid: str) -> bool:
    """False too for an ended process that nobody has waited for: an orphan's new parent may be slow to."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def mouse(*words: object) -> None:
    subprocess.run(["xdotool", *map(str, words)], check=True, timeout=DEADLINE_S)


def at(box: Box) -> tuple[int, int]:
    return int(box.cx), int(TEN.height - box.cy)


def tap(box: Box) -> None:
    mouse("mousemove", *at(box), "click", 1)


@pytest.fixture(scope="module")
def own_display() -> Iterator[None]:
    with displayed():
        yield


@pytest.fixture(scope="module")
def table(own_display: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Table]:
    one = Table(tmp_path_factory.mktemp("screen"))
    one.accept()
    try:
        yield one
    finally:
        one.close()


def box_of(screen: Screen, target: Target) -> Box:
    """Where that can be touched."""
    return next(one.box for one in lay_out(screen).touchables if one.target == target)


def tap_all(view: TableView, *targets: Target) -> None:
    """Touches them one after the other, each where the screen has it by then."""
    screen = show(Screen(), view)
    for target in targets:
        tap(box_of(screen, target))
        screen, _ = press(screen, target)


@pytest.mark.parametrize(
    ("name", "targets", "do"),
    [
        ("pot-limit", [NamedKey.FOLD], "5 fold"),
        ("pot-limit", [NamedKey.CALL], "5 call"),
        ("pot-limit", [NamedKey.POT], "5 pot"),
        ("pot-limit", [NamedKey.UNDO], "undo"),
        ("pot-limit", [Seat(8)], "here 8"),
        ("pot-limit", [NamedKey.RAISE, Digit("2"), Digit("0"), Digit("0"), NamedKey.OK], "5 raise to 200"),
        ("pot-limit", [NamedKey.RAISE, Bound("max"), NamedKey.OK], "5 raise to 305"),
        ("pot-limit", [BetSpot(3), Digit("8"), NamedKey.FLOOR_BET], "floor bet 3 8"),
        ("over-pot", [Answer(0)], "return 5"),
        ("own-stack-question", [Answer(1)], "chips-are 8 bet"),
        ("splash-question", [Answer(0)], "chips-are 8 of 120"),
        ("closed", [NamedKey.DEAL], "deal"),
        ("idle", [NamedKey.HAND], "hand"),
        ("award", [NamedKey.AWARD, Seat(8), NamedKey.OK], "award side2 8"),
    ],
)
def test_fingers_on_the_glass_become_commands(table: Table, name: str, targets: list[Target], do: str) -> None:
    sequence = table.show(VIEWS[name])
    tap_all(VIEWS[name], *targets)
    command = table.command()
    assert (command.do, command.shown) == (do, sequence)


def test_a_drag_off_a_key_and_a_touch_on_a_dead_key_send_nothing(table: Table) -> None:
    table.show(VIEWS["pot-limit"])
    fold, call = TEN.actions[0], TEN.actions[1]
    for way in ((call,), (call, fold)):
        mouse("mousemove", *at(fold), "mousedown", 1)
        for box in way:
            table.show(VIEWS["pot-limit"])  # a frame passes: the finger is seen on its way
            mouse("mousemove", *at(box))
        table.show(VIEWS["pot-limit"])
        mouse("mouseup", 1)
    tap(TEN.block[8])
    tap(TEN.centre)
    tap(call)
    assert table.command().do == "5 call"
    assert table.silent()


def test_a_view_that_comes_under_the_finger_voids_the_touch(table: Table) -> None:
    table.show(VIEWS["pot-limit"])
    mouse("mousemove", *at(TEN.actions[1]), "mousedown", 1)
    table.show(VIEWS["pot-limit"])  # a frame passes: the finger is seen before the view changes
    table.show(VIEWS["owes"])
    mouse("mouseup", 1)
    tap(TEN.actions[1])
    assert table.command().do == "7 call"
    assert table.silent()


def test_a_bad_line_is_one_line_of_error_and_no_end(table: Table) -> None:
    table.write(b"nonsense\n")
    table.close_connection()
    table.accept()  # nothing that comes after such a line is trusted: the screen connects anew
    table.show(VIEWS["pot-limit"])
    errors = table.errors.read_text().splitlines()
    assert len([line for line in errors if line.startswith("ui: line from the service: expected")]) == 1
    assert not [line for line in errors if "Traceback" in line]


def test_a_silent_service_is_not_live_within_a_second_and_what_is_touched_then_is_never_sent(table: Table) -> None:
    table.show(VIEWS["pot-limit"])
    table.beating.clear()
    silent_us = time.monotonic_ns() // 1000
    while (frame := table.frame())["live"]:
        pass
    assert frame["flipped_us"] - silent_us <= NOT_LIVE_US
    tap(TEN.actions[1])
    table.beating.set()
    while not table.frame()["live"]:
        pass
    assert table.silent()
    table.show(VIEWS["pot-limit"])
    tap(TEN.actions[1])
    assert table.command().do == "5 call"


def test_the_screen_outlives_its_service(table: Table) -> None:
    table.show(VIEWS["pot-limit"])
    tap(TEN.actions[1])
    open_one = decode_command(table._commands.next())
    table.stop_service()
    table.start_service()
    assert decode_command(table._commands.next()) == open_one, "what was not answered is sent again"
    table.write(encode(ToScreen(reply=Reply(id=open_one.id))))
    table.show(VIEWS["idle"])
    tap(TEN.block[8])
    assert table.command().do == "hand"


def test_pictures_are_named_by_count_and_sequence_and_sigterm_ends_all(own_display: None, tmp_path: Path) -> None:
    kept = os.environ.pop("DISPLAY")
    try:
        one = Table(tmp_path, "--pictures", str(tmp_path / "pictures"))
    finally:
        os.environ["DISPLAY"] = kept
    one.accept()
    try:
        one.show(VIEWS["pot-limit"])
        one.show(VIEWS["idle"])
        names = sorted(path.name for path in (tmp_path / "pictures").iterdir())
        assert names == ["0001-1001.png", "0002-1002.png"]
        assert size(tmp_path / "pictures" / names[0]) == (TEN.width, TEN.height)
        children = Path(f"/proc/{one.process.pid}/task/{one.process.pid}/children").read_text().split()
        assert children, "its own virtual display"
        assert one.end() == 0
        until(lambda: not any(alive(child) for child in children), "its display has ended")
        assert "Traceback" not in one.errors.read_text()
    finally:
        one.close()


def test_a_screen_that_is_killed_takes_its_display_with_it(own_display: None, tmp_path: Path) -> None:
    kept = os.environ.pop("DISPLAY")
    try:
        one = Table(tmp_path)
    finally:
        os.environ["DISPLAY"] = kept
    one.accept()
    one.show(VIEWS["idle"])
    children = Path(f"/proc/{one.process.pid}/task/{one.process.pid}/children").read_text().split()
    one.process.kill()
    one.process.wait(DEADLINE_S)
    one.close()
    until(lambda: not any(alive(child) for child in children), "its display has ended")


def test_once_ends_after_the_first_view_and_ctrl_c_is_clean(own_display: None, tmp_path: Path) -> None:
    one = Table(tmp_path, "--once")
    one.accept()
    one.write(encode(ToScreen(view=VIEWS["idle"])))
    assert one.process.wait(DEADLINE_S) == 0
    one.close()
    (tmp_path / "table").unlink()
    two = Table(tmp_path)
    two.accept()
    two.show(VIEWS["idle"])
    two.process.send_signal(signal.SIGINT)
    assert two.process.wait(DEADLINE_S) == 0
    assert two.errors.read_text() == ""
    two.close()


def test_on_the_small_panel_the_same_keys_are_elsewhere(own_display: None, tmp_path: Path) -> None:
    one = Table(tmp_path, "--size", SEVEN.name, "--theme", "bright", "--language", "zh")
    one.accept()
    try:
        one.show(VIEWS["pot-limit"])
        call = SEVEN.actions[1]
        mouse(
            "mousemove", int(call.cx), int(SEVEN.height - call.cy), "click", 1
        )  # the window is in the upper left corner
        assert one.command().do == "5 call"
    finally:
        one.close()


def test_a_second_finger_and_a_palm_count_as_little_in_the_window(own_display: None) -> None:
    probe = Path(__file__).with_name("window_probe.py")
    done = subprocess.run(
        [sys.executable, str(probe)], capture_output=True, text=True, cwd=ROOT, timeout=2 * DEADLINE_S, check=False
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {
        "one": ["5 call"],
        "two": ["5 fold"],
        "palm": [],
        "large": [],
        "released outside": [],
        "dragged off and back": [],
        "double": ["5 fold"],
        "two digits in a row, OK twice": ["5 raise to 550"],
    }


def test_in_both_sizes_the_glass_shows_what_was_laid_out_as_wide_as_it_was_measured(own_display: None) -> None:
    probe = Path(__file__).with_name("walk_probe.py")
    done = subprocess.run(
        [sys.executable, str(probe)], capture_output=True, text=True, cwd=ROOT, timeout=2 * DEADLINE_S, check=False
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["faults"] == []
    assert min(found["looked_at"].values()) > 1000
    assert len(found["planted"]) == 2


PICTURED = ("pot-limit", "out-of-turn-warning", "number-pad", "disconnected")


@pytest.fixture(scope="module")
def pictures(own_display: None) -> dict[str, Image.Image]:
    subprocess.run(
        [sys.executable, "-m", "ui.snapshot", "--out", str(SCREENS), *PICTURED],
        check=True,
        cwd=ROOT,
        timeout=6 * DEADLINE_S,
    )
    out = {}
    for name in PICTURED:
        with Image.open(SCREENS / f"{name}.png") as picture:
            out[name] = picture.convert("RGB")
    return out


def part(picture: Image.Image, box: Box) -> Image.Image:
    return picture.crop((int(box.x), int(TEN.height - box.top), int(box.right), int(TEN.height - box.y)))


def size(path: Path) -> tuple[int, int]:
    with Image.open(path) as picture:
        width, height = picture.size
        return int(width), int(height)


def same(one: Image.Image, other: Image.Image) -> bool:
    # Each picture has a palette of its own: a shade may differ, here and there at the edge of a letter by much.
    differing = ImageChops.difference(one, other).convert("L").point([0] * CLEARLY + [1] * (256 - CLEARLY))
    return bool(ImageStat.Stat(differing).mean[0] < FEW)


CLEARLY, FEW = 48, 0.002
"""A shade that differs by so much is another; a digit that differs is a hundredth of its part of the screen."""


def test_one_other_digit_would_be_seen(pictures: dict[str, Image.Image]) -> None:
    calm = pictures["pot-limit"]
    changed = calm.copy()
    digit = Box(TEN.numbers[0].cx - 16, TEN.numbers[0].cy - 30, 32, 46)
    changed.paste(
        part(calm, digit).transpose(Image.Transpose.FLIP_TOP_BOTTOM), (int(digit.x), int(TEN.height - digit.top))
    )
    assert not same(part(calm, TEN.numbers[0]), part(changed, TEN.numbers[0]))


def test_a_warning_covers_no_number(pictures: dict[str, Image.Image]) -> None:
    calm, warned = pictures["pot-limit"], pictures["out-of-turn-warning"]
    for box in (TEN.centre, *TEN.numbers, *TEN.actions, TEN.told):
        assert same(part(calm, box), part(warned, box))
    for seat, place in enumerate(TEN.places(9), 1):
        number_and_stack = Box(place.tile.x, place.tile.cy + 14, place.tile.w, place.tile.h / 2 - 18)
        offender = seat == 8  # all of its tile is in another paint
        assert offender or same(part(calm, number_and_stack), part(warned, number_and_stack)), seat
    assert not same(part(calm, TEN.top), part(warned, TEN.top))


def test_the_number_pad_covers_no_number(pictures: dict[str, Image.Image]) -> None:
    calm, typing = pictures["pot-limit"], pictures["number-pad"]
    for box in (TEN.centre, TEN.top):
        assert same(part(calm, box), part(typing, box))
    for box in TEN.numbers:
        inner = Box(box.x + 10, box.y + 10, box.w - 20, box.h - 20)
        assert same(part(calm, inner), part(typing, inner))


def test_numbers_that_are_not_live_do_not_look_live(pictures: dict[str, Image.Image]) -> None:
    def brightness(name: str) -> float:
        return float(ImageStat.Stat(part(pictures[name], TEN.centre).convert("L")).extrema[0][1])

    assert brightness("disconnected") < 0.5 * brightness("pot-limit")
    banner = ImageStat.Stat(part(pictures["disconnected"], TEN.top).convert("L")).mean[0]
    assert banner > 200


def test_pictures_of_given_views_can_be_ordered(own_display: None, tmp_path: Path) -> None:
    paths = snapshot.render([("first", VIEWS["idle"]), ("second", VIEWS["no-limit"])], tmp_path)
    assert [path.name for path in paths] == ["first.png", "second.png"]
    assert all(size(path) == (TEN.width, TEN.height) for path in paths)
