"""Simulated tables for table scripts, for long sessions with people, and for the demonstration.

Theory of operation: Every simulation has a physical world, in which chips lie on spots and simulated readers send real
protocol messages. The drivers, the stack detection and the live table are the real program. `play_pipeline` plays a
table script in simulated time: people move chips, and the table notices the motions only with its readers. `simulate`
plays whole sessions with players and a dealer who make mistakes. After each round it compares the state of the live
table with what really happened. `run_demo` plays scripts in real time, with separate processes and pseudo terminals.
`run_script` plays a script at any table that has the interface `PlayableTable`.

Example: play the first hand of the demonstration with simulated chips, and look at the first pots.

    >>> from controller.scripts import load_script
    >>> from controller.simulation import DEMO_HANDS_DIR, play_pipeline
    >>> script = load_script(DEMO_HANDS_DIR / "1-pot-limit-omaha.toml")
    >>> [seen["pot"] for seen in play_pipeline(script)][:4]
    [15, 50, 85, 85]
"""

from controller.simulation.demo import (
    DEMO_HANDS_DIR,
    START_TIMEOUT_S,
    STEP_PAUSE_S,
    ChildProcesses,
    ServiceConnection,
    connect_to_service,
    room_options,
    run_demo,
    serve_script,
)
from controller.simulation.script_pipeline import ScriptedTable, play_pipeline
from controller.simulation.script_runner import (
    PlayableTable,
    PlayedStep,
    ScriptMismatchError,
    perform_step,
    run_script,
)
from controller.simulation.sessions import SimulationPlan, SimulationReport, SimulationResult, simulate
from controller.simulation.simulated_table import (
    ChipsAndReaders,
    fast_tag_layout,
    match_chips_to_table,
    min_latency_ms,
    script_layout,
)

__all__ = [
    "DEMO_HANDS_DIR",
    "START_TIMEOUT_S",
    "STEP_PAUSE_S",
    "ChildProcesses",
    "ChipsAndReaders",
    "PlayableTable",
    "PlayedStep",
    "ScriptMismatchError",
    "ScriptedTable",
    "ServiceConnection",
    "SimulationPlan",
    "SimulationReport",
    "SimulationResult",
    "connect_to_service",
    "fast_tag_layout",
    "match_chips_to_table",
    "min_latency_ms",
    "perform_step",
    "play_pipeline",
    "room_options",
    "run_demo",
    "run_script",
    "script_layout",
    "serve_script",
    "simulate",
]
