"""One table: its state, the steps that change it, and the meaning of words and chips.

All functions are pure. `open_table` returns the first state of a table, and `apply_table_step` applies one step to a
state. The result is the next state with the warnings, or the unchanged state with the reason for a refusal.

Each class of steps has a handler, which asks `controller.rules` what a seat may do. The module `interpretation` decides
what words and chips mean. `out_of_turn` keeps actions that must wait for their turn, and `balances` derives what each
seat owes or must get back. Other packages import from this package and not from its modules.

Example:
    >>> from controller.rules import Game, Player
    >>> from controller.steps import parse_step
    >>> from controller.table import apply_table_step, balances, open_table
    >>> game = Game(blinds=(5, 10))
    >>> table = open_table({"main": game}, 1, {seat: Player(stack=200) for seat in (1, 2, 3)})
    >>> for line in ("hand", "1 raise to 30", "1 chips 25 5"):
    ...     outcome = apply_table_step(table, parse_step(line))
    ...     table = outcome.table
    >>> table.hand.turn, balances.announced_pot(table), balances.owed(table, 1)
    (2, 45, 0)
    >>> apply_table_step(table, parse_step("3 fold")).warning_codes
    (<WarningCode.OUT_OF_TURN: 'out-of-turn'>,)
"""

from controller.table import balances
from controller.table.between_hands import next_hand, opening_options, tournament
from controller.table.between_hands.credit_markers import markers_owed
from controller.table.between_hands.next_hand_seats import can_be_dealt_in
from controller.table.between_hands.open_and_close import dealer_shifts, with_configuration
from controller.table.chip_motions import declared_chips
from controller.table.corrections import undo_redo
from controller.table.interpretation import Ruling, interpret_all_in, smallest_playable_chip
from controller.table.reducer import ConservationError, StepOutcome, apply_table_step, require_chips_conserved
from controller.table.refusals_and_warnings import SeatWarning, TableRefusal, WarningCode
from controller.table.state import (
    MAIN_GAME,
    MAX_UNDO_STEPS,
    Accounts,
    DealerSession,
    DepartedPlayer,
    HandCarryOver,
    HeldAction,
    HeldForRuling,
    HeldOutOfTurn,
    IntendedAction,
    LastDeclaration,
    Marker,
    SeatSession,
    Street,
    Table,
    TournamentLevel,
    UndoEntry,
    WinStreak,
    open_table,
)

__all__ = [
    "MAIN_GAME",
    "MAX_UNDO_STEPS",
    "Accounts",
    "ConservationError",
    "DealerSession",
    "DepartedPlayer",
    "HandCarryOver",
    "HeldAction",
    "HeldForRuling",
    "HeldOutOfTurn",
    "IntendedAction",
    "LastDeclaration",
    "Marker",
    "Ruling",
    "SeatSession",
    "SeatWarning",
    "StepOutcome",
    "Street",
    "Table",
    "TableRefusal",
    "TournamentLevel",
    "UndoEntry",
    "WarningCode",
    "WinStreak",
    "apply_table_step",
    "balances",
    "can_be_dealt_in",
    "dealer_shifts",
    "declared_chips",
    "interpret_all_in",
    "markers_owed",
    "next_hand",
    "open_table",
    "opening_options",
    "require_chips_conserved",
    "smallest_playable_chip",
    "tournament",
    "undo_redo",
    "with_configuration",
]
