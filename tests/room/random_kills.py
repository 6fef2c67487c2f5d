"""Kill the programs of a room at random while the tables write, stop some of them, and disturb the network."""

from __future__ import annotations

import random
import signal
import time

from tests.controller.test_journal_replication import EVENTS
from tests.room.faulty_network import FAULTS
from tests.room.kill_bench import Bench

MAX_KILL_DELAY_S = 0.1
"""Maximum time from a stored span to the next kill, so that kills reach each part of a transaction."""
MAX_STOP_S = 0.5
"""Maximum time in seconds for which a program is stopped."""
KILLS = ("room", "room", "room", "database", "database", "backend", *("uplink",) * 6)
"""Programs to kill, each as often as it is in the list. `backend` is the process of PostgreSQL that serves the room."""
DISTURBANCES = ("", "", "", "stop room", "stop uplink", "stop backend", "network", "network", "network")
"""Disturbances before a kill, each as often as it is in this list."""


def disturb(running: Bench, name: str, choices: random.Random) -> None:
    """Stop a program for a moment, or disturb the network. If `name` is empty, do nothing."""
    kind, _, target = name.partition(" ")
    if kind == "network":
        running.network.plant(choices.choice(FAULTS), choices)
    if target == "backend":
        running.signal_backend(signal.SIGSTOP, signal.SIGCONT, pause_s=choices.uniform(0, MAX_STOP_S))
    elif kind == "stop":
        program = running.room if target == "room" else choices.choice(running.uplinks)
        program.signal(signal.SIGSTOP)
        choices.choice(running.tables).writer.append()
        time.sleep(choices.uniform(0, MAX_STOP_S))
        program.signal(signal.SIGCONT)


def kill(running: Bench, victim: str, choices: random.Random) -> None:
    """Kill a program. PostgreSQL is started again at once, and the others at the next progress."""
    if victim == "database":
        running.server.kill()
        running.server.start()
    elif victim == "backend":
        # PostgreSQL then ends its other processes and recovers.
        running.signal_backend(signal.SIGKILL)
        running.server.start()
    else:
        (running.room if victim == "room" else choices.choice(running.uplinks)).kill()


def play_with_kills(running: Bench, kills: int, seed: int) -> list[str]:
    """Let the tables play while programs are killed again and again, and return what is wrong afterwards."""
    choices = random.Random(seed)
    for number in range(kills):
        running.wait_for_progress(choices)
        EVENTS[choices.choice([*EVENTS])](choices.choice(running.tables).writer)
        disturb(running, choices.choice(DISTURBANCES), choices)
        time.sleep(choices.uniform(0, MAX_KILL_DELAY_S))
        kill(running, victim := choices.choice(KILLS), choices)
        if problems := [*running.wrong_alerts(), *running.lost(), *running.doubled()]:
            return [f"kill {number}, {victim}: {problem}" for problem in problems]
    running.wait_for_all_records()
    return [*running.wrong_alerts(), *running.lost(), *running.differences()]
