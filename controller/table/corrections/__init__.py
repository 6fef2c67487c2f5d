"""Corrections of earlier steps: undo, redo, and a wager that was recorded with a wrong amount.

Undo and redo replace the whole state of the table by a saved state. The correction of a wager goes back to this wager
in the betting round, changes its amount, and replays the later actions of the round.

Example:
    >>> from controller.rules import Game, Player
    >>> from controller.steps import parse_step
    >>> from controller.table import apply_table_step, open_table
    >>> table = open_table({"main": Game(blinds=(5, 10))}, 1, {seat: Player(stack=200) for seat in (1, 2, 3)})
    >>> for line in ("hand", "1 raise to 30", "1 was 40"):
    ...     table = apply_table_step(table, parse_step(line)).table
    >>> table.hand.bets[1]
    40
    >>> apply_table_step(table, parse_step("undo")).table.hand.bets[1]
    30
"""
