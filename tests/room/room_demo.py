"""The demonstration `make room-demo`: ten simulated tables, their uplinks, a room with PostgreSQL, and the pit page.

Each table is a whole table as in `make demo`: emulated readers, a service and simulated people who play a hand. Some
tables need a person. Pictures of the page are written to a folder.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final

from controller.bench.browsers import HOST, unused_port
from controller.histories import load_hand, to_script
from controller.integrity import create_key_file
from controller.room import add_table
from controller.scripts import Script, load_script
from controller.service import ROOM_SOCKET
from controller.simulation import (
    DEMO_HANDS_DIR,
    STEP_PAUSE_S,
    ChildProcesses,
    ScriptMismatchError,
    fast_tag_layout,
    run_script,
    serve_script,
)
from controller.steps import parse_step
from tests.room.demo_pictures import save_pictures, why_no_pictures
from tests.room.postgres_server import postgres_server, why_no_postgres
from tests.service.service_process import wait_until

HANDS: Final = Path(__file__).parents[1] / "hands" / "phh"
PLAYED: Final = (
    "", "pluribus/100-18", "wsop/36", "pluribus/100-2", "wsop/08",
    "pluribus/100-44", "wsop/14", "historic/dwan-ivey-2009", "wsop/22", "wsop/28",
)  # fmt: skip
"""The hand of every table: the demonstration's own hand, and hands in different games from public histories."""
DEALERS: Final = ("Ann Lee", "Ben Hart", "Chi Min", "Dana Wolf", "Eli Stone", "Fay Brook", "Gus Moor", "Hana Ito",
    "Ivo Lang", "Joy Park")  # fmt: skip
CALLS: Final = {3: "call-floor ruling", 5: "call-floor fill", 6: "call-floor service"}
"""What the dealers of some tables ask for."""
ANSWERED: Final = 5
"""Number of the table with the call that is answered on the pit page."""
UNSIGNED: Final = 8
"""Number of the table without a key. The room does not store its records."""
KILLED: Final = 1
"""Number of the table that loses its uplink."""
HELD_STEPS: Final = (3, 5, 6)
"""Numbers of steps after which the tables wait for the pictures, so that these show hands of different age."""


class DemoTable:
    """A simulated table on a thread. It plays a part of its hand, waits for the pictures, and plays on."""

    def __init__(self, number: int, folder: Path, processes: ChildProcesses, speed: float) -> None:
        self.name = f"Table {number + 1}"
        self.steps = 0
        self.problem = ""
        self._number = number
        self._script = _script(PLAYED[number])
        self._layout = fast_tag_layout()
        self._folder = folder
        self._speed = speed
        self._processes = processes
        self.is_held = threading.Event()
        """Set when the table has played all steps before the pictures, or cannot play."""
        self._is_over = threading.Event()
        self._may_go_on = threading.Event()
        self._thread = threading.Thread(target=self._play, daemon=True, name=self.name)

    @contextmanager
    def playing(self) -> Iterator[None]:
        """Play while the block runs."""
        self._thread.start()
        try:
            yield
        finally:
            self._is_over.set()
            self.go_on()
            self._thread.join()

    def go_on(self) -> None:
        """Play the hand to its end."""
        self._may_go_on.set()

    def _play(self) -> None:
        options = () if self._number == UNSIGNED else ("--key", str(self._folder / "table.key"))
        try:
            with serve_script(self._script, self._folder, self._processes, self._layout, *options) as table:
                for step in (f"dealer {DEALERS[self._number]}", CALLS.get(self._number, "")):
                    if step:
                        table.send_step(parse_step(step))
                for _ in run_script(table, self._script, STEP_PAUSE_S / self._speed):
                    self.steps += 1
                    if self.steps == HELD_STEPS[self._number % len(HELD_STEPS)]:
                        self.is_held.set()
                        self._may_go_on.wait()
                    if self._is_over.is_set():
                        return
                self.is_held.set()  # The hand was shorter.
                self._is_over.wait()
        except (ScriptMismatchError, ConnectionError) as error:
            self.problem = str(error)
            self.is_held.set()


def _script(name: str) -> Script:
    """Return the hand with this name in the public histories, or the demonstration's own hand for ""."""
    return to_script(load_hand(HANDS / f"{name}.phh")) if name else load_script(min(DEMO_HANDS_DIR.glob("*.toml")))


def main() -> int:
    """Run the demonstration. Return 2 if the machine lacks something, and 1 if a table showed a wrong state."""
    parser = argparse.ArgumentParser(prog="make room-demo", description=__doc__)
    parser.add_argument("--pictures", type=Path, default=Path("build/room-demo"), help="folder of the pictures")
    parser.add_argument("--speed", type=float, default=1.0, help="speed of the people at the tables")
    parser.add_argument("--stay", action="store_true", help="go on until the Enter key is pressed")
    options = parser.parse_args()
    if missing := why_no_postgres() or why_no_pictures():
        print(f"room-demo: {missing}", file=sys.stderr)
        return 2
    processes = ChildProcesses()
    with ExitStack() as stack:
        database = stack.enter_context(postgres_server()).database
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="rd", dir="/tmp")))
        stack.callback(processes.stop_all)
        tables = [DemoTable(number, folder / str(number), processes, options.speed) for number in range(len(PLAYED))]
        room = _start_room(processes, folder, database, [table.name for table in tables])
        for table in tables:
            stack.enter_context(table.playing())
        uplinks = [_start_uplink(processes, folder / str(number), room) for number in range(len(tables))]
        address, code = _start_pit(processes, folder)
        print(f"room-demo: the pit page is at {address}, code {code}", flush=True)
        wait_until(lambda: all(table.is_held.is_set() for table in tables), "all tables play")
        processes.stop(uplinks[KILLED])
        save_pictures(address, code, len(tables), ANSWERED, options.pictures)
        for table in tables:
            table.go_on()
        if options.stay:
            input("room-demo: press the Enter key to end\n")
        problems = [f"{table.name}: {table.problem}" for table in tables if table.problem]
    for problem in problems:
        print(f"room-demo: {problem}", file=sys.stderr)
    return 1 if problems else 0


def _start_room(processes: ChildProcesses, folder: Path, database: str, names: list[str]) -> str:
    """Add the tables with their keys, start the room, and return its address."""
    tables, port = folder / "tables.toml", unused_port()
    for number, name in enumerate(names):
        (folder / str(number)).mkdir()
        token = add_table(tables, name, create_key_file(folder / str(number) / "table.key"))
        (folder / str(number) / "token").write_text(token)
    options = ["--database", database, "--tables", str(tables), "--port", str(port), "--live", str(folder / "live")]
    processes.start("controller.cli", "room", "serve", *options, "--log-level", "error")
    wait_until((folder / "live" / "room.sock").exists, "the room listens")
    return f"ws://{HOST}:{port}"


def _start_uplink(processes: ChildProcesses, folder: Path, room: str) -> subprocess.Popen[bytes]:
    options = ["--journal", str(folder / "journal.db"), "--room", room, "--token", str(folder / "token")]
    live = ["--socket", str(folder / ROOM_SOCKET), "--max-wait", "1", "--log-level", "error"]
    return processes.start("controller.cli", "uplink", *options, *live)


def _start_pit(processes: ChildProcesses, folder: Path) -> tuple[str, str]:
    """Start the pit page, and return its address and the code of the first person."""
    port, log = unused_port(), folder / "pit.log"
    options = ["--live", str(folder / "live"), "--folder", str(folder / "pit"), "--host", HOST, "--port", str(port)]
    with log.open("wb") as output:
        processes.start("ui.pit", *options, stderr=output)
    found: Callable[[], re.Match[bytes] | None] = lambda: re.search(rb"is (\d{6})\n", log.read_bytes())  # noqa: E731
    wait_until(found, "the pit page prints its code")
    match = found()
    assert match is not None
    return f"https://{HOST}:{port}", match[1].decode()


if __name__ == "__main__":
    sys.exit(main())
