"""Hand histories in the PHH format: read them, play them, and write recorded hands.

Theory of operation: `load_hand` reads a file into a `PhhHand`. `to_script` converts it into a table script, with one
step for each action and the awards that the cards or the final stacks require. `replay_hand` plays this script with any
script player and returns how the hand ended. In the other direction, `export_recorded` writes a hand of the journal as
PHH text. PHH cannot express everything that happens at a table. Such a file therefore also has the recorded steps in
custom fields, and reading the file gives exactly these steps again.

Example: play a hand in which player 3 raises and wins the blinds.

    >>> from controller.histories import parse_hand, replay_hand
    >>> from controller.scripts import play_rules
    >>> text = '''
    ... variant = "NT"
    ... antes = [0, 0, 0]
    ... blinds_or_straddles = [1, 2, 0]
    ... min_bet = 2
    ... starting_stacks = [100, 100, 100]
    ... actions = ["d dh p1 ????", "d dh p2 ????", "d dh p3 ????", "p3 cbr 6", "p1 f", "p2 f"]
    ... '''
    >>> replay_hand(parse_hand(text), play_rules).stacks
    {'1': 99, '2': 98, '3': 103}
"""

from controller.histories.journal_export import export_recorded, recorded_script, script_steps
from controller.histories.phh_export import ExportedCards, export_hand, exported_cards
from controller.histories.phh_parser import PhhHand, hand_from_values, load_hand, parse_hand
from controller.histories.phh_replay import HandReplay, ScriptPlayer, replay_file, replay_hand
from controller.histories.script_writer import to_script
from controller.histories.table_from_phh import table_for

__all__ = [
    "ExportedCards",
    "HandReplay",
    "PhhHand",
    "ScriptPlayer",
    "export_hand",
    "export_recorded",
    "exported_cards",
    "hand_from_values",
    "load_hand",
    "parse_hand",
    "recorded_script",
    "replay_file",
    "replay_hand",
    "script_steps",
    "table_for",
    "to_script",
]
