"""Simulated tables: scripts through chips and readers, a dealer with late fingers, the whole demonstration."""

from controller.simulation.demo import HANDS, START_S, Processes, connect, run_demo
from controller.simulation.felt import Felt, conform, quick_layout, script_layout
from controller.simulation.late import Report, noise_of, simulate
from controller.simulation.people import Moment, RehearsalError, Room, do_step, rehearse
from controller.simulation.pipeline import ScriptedTable, play_pipeline

__all__ = [
    "HANDS",
    "START_S",
    "Felt",
    "Moment",
    "Processes",
    "RehearsalError",
    "Report",
    "Room",
    "ScriptedTable",
    "conform",
    "connect",
    "do_step",
    "noise_of",
    "play_pipeline",
    "quick_layout",
    "rehearse",
    "run_demo",
    "script_layout",
    "simulate",
]
