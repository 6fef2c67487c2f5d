"""Actions that are possible now: limits of the seat in turn, and choices of the dealer.

Theory of operation: `bet_limits` explains how the largest bet or raise of the seat in turn is composed, and what an
all-in would be. `dealer_choices` lists the next steps of the dealer, such as dealing a street or awarding a pot. Each
choice includes the command that its key sends. Both modules read `ViewInputs` and change nothing.

Example: the choices of the dealer between two hands.

    >>> from controller.live import Live, TableSetup
    >>> from controller.presenter.available_actions.dealer_choices import next_choices
    >>> from controller.presenter.view_inputs import collect_view_inputs
    >>> from controller.rules import Game, Player
    >>> from controller.table import open_table
    >>> table = open_table({"main": Game(blinds=(5, 10))}, 1, {seat: Player(stack=1000) for seat in (1, 2, 3, 4)})
    >>> [choice.do for choice in next_choices(collect_view_inputs(Live(TableSetup(), table)))]
    ['hand']
"""
