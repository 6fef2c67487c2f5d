"""Simulated tables: scripts through chips and readers, whole evenings, the demonstration."""

from controller.simulation.demo import HANDS, START_S, Link, Processes, connect, run_demo
from controller.simulation.evening import Plan, Played, Report, simulate
from controller.simulation.felt import Felt, conform, floor_ms, quick_layout, script_layout
from controller.simulation.people import Moment, RehearsalError, Room, do_step, rehearse
from controller.simulation.pipeline import ScriptedTable, play_pipeline

__all__ = [
    "HANDS",
    "START_S",
    "Felt",
    "Link",
    "Moment",
    "Plan",
    "Played",
    "Processes",
    "RehearsalError",
    "Report",
    "Room",
    "ScriptedTable",
    "conform",
    "connect",
    "do_step",
    "floor_ms",
    "play_pipeline",
    "quick_layout",
    "rehearse",
    "run_demo",
    "script_layout",
    "simulate",
]
