"""Hand histories (PHH): a file becomes a table script and is played; a hand of ours becomes a file.

`load_hand` reads a file, `to_script` makes the steps of it, `replay_hand` plays them through whatever plays scripts and
says how the hand ended. `export` goes the other way: a file of ours also holds the hand as it happened, with all that
PHH has no place for, and is read back to exactly that.
"""

from controller.histories.export import Cards, cards_written, export
from controller.histories.format import PhhHand, load_hand, parse_hand, read_hand
from controller.histories.game import table_for
from controller.histories.recorded import as_scripted, export_recorded
from controller.histories.replay import PlaysScript, Replay, replay_hand, replay_history
from controller.histories.writer import to_script

__all__ = [
    "Cards",
    "PhhHand",
    "PlaysScript",
    "Replay",
    "as_scripted",
    "cards_written",
    "export",
    "export_recorded",
    "load_hand",
    "parse_hand",
    "read_hand",
    "replay_hand",
    "replay_history",
    "table_for",
    "to_script",
]
