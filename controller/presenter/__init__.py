"""Conversion of the live state to a view: codes and typed amounts for a screen.

Theory of operation: `build_table_view` reads a `Live` and returns one complete `TableView`. First, `view_inputs`
collects every value from the table and the live state. Then the other modules build the parts of the view from these
values: seats, pots, limits of the next bet, choices of the dealer, and alerts. No part has sentences, because
`controller.messages` turns codes and amounts into the language of the reader. All functions are pure: the same state
gives the same view.

Example: the view of a table on which the first hand has just begun.

    >>> from controller.live import Live, TableSetup, handle_command
    >>> from controller.presenter import build_table_view
    >>> from controller.rules import Game, Player
    >>> from controller.steps import parse_step
    >>> from controller.table import open_table
    >>> table = open_table({"main": Game(blinds=(5, 10))}, 1, {seat: Player(stack=1000) for seat in (1, 2, 3, 4)})
    >>> live = handle_command(Live(TableSetup(), table), parse_step("hand"), at_us=1_000_000).live
    >>> view = build_table_view(live, sequence=1)
    >>> view.turn, view.to_call, view.pot
    (4, 10, 15)
    >>> view.seats[2].last_action
    ActionView(verb='blind', amount=10, all_in=False)
"""

from __future__ import annotations

from controller.presenter.alert_codes import build_alert
from controller.presenter.alerts import last_step_warnings
from controller.presenter.public_view import to_public_view
from controller.presenter.refusals import build_refusal_view
from controller.presenter.step_summaries import summarize_step
from controller.presenter.table_view import build_game_view, build_table_view

__all__ = [
    "build_alert",
    "build_game_view",
    "build_refusal_view",
    "build_table_view",
    "last_step_warnings",
    "summarize_step",
    "to_public_view",
]
