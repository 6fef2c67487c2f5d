"""A table that is played in a process of its own: `python -m tests.faults.playing JOURNAL SEED COMMANDS`.

After each command that was done it writes what the table is now (`told`) and how many were done into `JOURNAL.told`:
whoever reads that has been answered. With `--careless` the journal does not wait for the disk: a planted
fault. With `--hurried` the WAL is copied into the file, and another segment is begun, in every hand.
"""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path
from random import Random

from controller.config import TableConfig, read_config
from controller.journal import whole
from controller.live import Live, Setup
from controller.seals import guard_of
from controller.service import Service
from controller.service.looks import Played
from controller.service.recorder import Place
from controller.service.starting import take_up
from controller.table import Table
from tests.service.running import CONFIG
from tests.service.test_kill import next_command

SETUP = Setup(trays=False, clock=True)


def told(table: Table) -> str:
    """What a table is now, without what undo keeps."""
    return whole.digest(table._replace(before=None, past=()))


def config() -> TableConfig:
    """Of the table that is played."""
    return read_config(CONFIG)


def come_back(journal: Path) -> Live:
    """The table as its journal gives it to a service that starts."""
    _, live, recorder = take_up(config(), Place(journal, guard_of(journal)), SETUP, 1, Played())
    recorder.close()
    return live


async def play(journal: Path, seed: int, commands: int) -> None:
    """Plays commands, whatever comes of them."""
    service, dice, done = Service.open(config(), journal, trays=False), Random(seed), 0
    answers = os.open(journal.with_name(journal.name + ".told"), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)

    def tell() -> None:
        os.write(answers, f"{done} {told(service.live.table)}\n".encode())

    tell()
    for _ in range(commands):
        if service.do(next_command(service.view, dice)) is None:
            done += 1
            tell()
        service._keep()
        await asyncio.sleep(0)
    os._exit(0)  # as a kill would: nothing is put in order


def hurried() -> None:
    """What a journal does once in hours, it does in every hand."""
    from controller.journal import file
    from controller.service import recorder

    vars(file).update(CHECKPOINT_PAGES=60)
    vars(recorder).update(MOST_RECORDS=30)


def careless() -> None:
    """The planted fault: commits come back before the disk has them."""
    from controller.journal import file

    honest = file.connect

    def connect(path: Path, mode: str) -> object:
        db = honest(path, mode)  # type: ignore[arg-type]
        db.execute("PRAGMA synchronous = OFF")
        return db

    for name, module in list(sys.modules.items()):
        if name.startswith("controller.journal") and getattr(module, "connect", None) is honest:
            module.connect = connect  # type: ignore[attr-defined]


if __name__ == "__main__":
    if "--hurried" in sys.argv:
        hurried()
    if "--careless" in sys.argv:
        careless()
    asyncio.run(play(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])))
