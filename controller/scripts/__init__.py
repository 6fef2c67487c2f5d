"""Table scripts: their file format, and a program that plays them with the rules alone.

`load_script` reads a file into a `Script`: the table before the first hand, how it starts, and the steps. `play_rules`
applies each step directly to the table and yields the JSON object that tests/table-scripts.md describes. The function
`simulation.play_pipeline` plays the same script through simulated chips and readers. Both functions yield the same
objects, with few exceptions.

    >>> from controller.scripts import parse_script, play_rules
    >>> script = parse_script({
    ...     "button": 1,
    ...     "stacks": {"1": 100, "2": 100},
    ...     "game": {"blinds": [1, 2]},
    ...     "step": [{"do": "1 raise to 6"}],
    ... })
    >>> [(fields["step"], fields["turn"], fields["to_call"]) for fields in play_rules(script)]
    [(0, 1, 1), (1, 2, 4)]
"""

from controller.scripts.expectations import changed_fields, differences, step_text
from controller.scripts.offline_trays import (
    OfflineMotions,
    add_offline_motion,
    deduct_cleared_chips,
    deduct_keyed_chips,
    without_seat,
)
from controller.scripts.rules_player import (
    STEP_INTERVAL_US,
    ScriptState,
    apply_scripted_step,
    offline_reject_reason,
    play_rules,
    starting_table,
)
from controller.scripts.script_file import MAX_FILE_BYTES, MAX_STEPS, Script, load_script, parse_script
from controller.scripts.source_lines import mistake_line, step_lines
from controller.scripts.visible_state import VISIBLE_FIELDS, refusal_text, visible_fields

__all__ = [
    "MAX_FILE_BYTES",
    "MAX_STEPS",
    "STEP_INTERVAL_US",
    "VISIBLE_FIELDS",
    "OfflineMotions",
    "Script",
    "ScriptState",
    "add_offline_motion",
    "apply_scripted_step",
    "changed_fields",
    "deduct_cleared_chips",
    "deduct_keyed_chips",
    "differences",
    "load_script",
    "mistake_line",
    "offline_reject_reason",
    "parse_script",
    "play_rules",
    "refusal_text",
    "starting_table",
    "step_lines",
    "step_text",
    "visible_fields",
    "without_seat",
]
