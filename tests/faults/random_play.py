"""Play random commands at a table: `python -m tests.faults.random_play JOURNAL SEED COMMANDS`.

After each accepted command the process appends a line to the file `JOURNAL.told`, with the number of accepted commands
and the digest of the table. Each line stands for an answer that a client has received.

- `--careless` plants a fault: a commit of the journal returns before the data is on disk.
- `--hurried` starts a new segment of the journal in every hand. It also copies the write-ahead log (WAL) of SQLite into
  the journal file in every hand.
"""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path
from random import Random

from controller.config import TableConfig, parse_config
from controller.integrity import make_guard
from controller.journal import snapshot
from controller.live import Live, TableSetup
from controller.service import TableService
from controller.service.queries import HandLog
from controller.service.recorder import JournalLocation
from controller.service.recovery import recover
from controller.table import Table
from tests.service.service_process import CONFIG
from tests.service.test_kill_recovery import next_command

SETUP = TableSetup(has_sensors=False, has_clock=True)


def table_digest(table: Table) -> str:
    """Return the digest of a table without its undo history."""
    return snapshot.digest_of_value(table._replace(pre_hand_state=None, undo_stack=()))


def config() -> TableConfig:
    """Return the configuration of the table on which the random commands are played."""
    return parse_config(CONFIG)


def recover_table(journal: Path) -> Live:
    """Return the live state that a service recovers from the journal at its start."""
    _, live, recorder = recover(config(), JournalLocation(journal, make_guard(journal)), SETUP, 1, HandLog())
    recorder.close()
    return live


async def play(journal: Path, seed: int, commands: int) -> None:
    """Send random commands, of which the table may refuse some, and end the process without closing any file."""
    service, dice, done = TableService.open(config(), journal, trays=False), Random(seed), 0
    answer_file = os.open(journal.with_name(journal.name + ".told"), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)

    def write_answer() -> None:
        os.write(answer_file, f"{done} {table_digest(service.live.table)}\n".encode())

    write_answer()
    for _ in range(commands):
        if service.apply_step(next_command(service.view, dice)) is None:
            done += 1
            write_answer()
        service._maintain_journal()
        await asyncio.sleep(0)
    os._exit(0)  # End without closing the journal, as after a kill.


def shorten_intervals() -> None:
    """Copy the write-ahead log into the journal file and start a new segment in every hand, not every few hours."""
    from controller.journal import sqlite_file
    from controller.service import recorder

    vars(sqlite_file).update(CHECKPOINT_PAGES=60)
    vars(recorder).update(MAX_SEGMENT_RECORDS=30)


def disable_fsync() -> None:
    """Plant a fault: a commit of the journal returns before the data is on disk."""
    from controller.journal import sqlite_file

    original = sqlite_file.connect

    def connect(path: Path, mode: str) -> object:
        db = original(path, mode)  # type: ignore[arg-type]
        db.execute("PRAGMA synchronous = OFF")
        return db

    for name, module in list(sys.modules.items()):
        if name.startswith("controller.journal") and getattr(module, "connect", None) is original:
            module.connect = connect  # type: ignore[attr-defined]


if __name__ == "__main__":
    if "--hurried" in sys.argv:
        shorten_intervals()
    if "--careless" in sys.argv:
        disable_fsync()
    asyncio.run(play(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])))
