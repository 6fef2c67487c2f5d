"""Table scripts: the language of cases, and their player with the rules alone.

The contract is table-scripts.md. A `Script` is what a file says; `play_rules` prints what is seen at each step of it,
`simulation.play_pipeline` does the same through chips and readers.
"""

from controller.scripts.file import MOST_BYTES, MOST_STEPS, Script, load, read
from controller.scripts.player import STEP_US, Scene, begin, happens, play_rules, why_not_there
from controller.scripts.seen import refused_words, seen
from controller.scripts.unseen import Unseen, cleared, covered, out_of_sight, seen_again

__all__ = [
    "MOST_BYTES",
    "MOST_STEPS",
    "STEP_US",
    "Scene",
    "Script",
    "Unseen",
    "begin",
    "cleared",
    "covered",
    "happens",
    "load",
    "out_of_sight",
    "play_rules",
    "read",
    "refused_words",
    "seen",
    "seen_again",
    "why_not_there",
]
