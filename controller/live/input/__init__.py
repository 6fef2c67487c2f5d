"""Handlers for what reaches the table: readings of the spots, and keys and commands of people.

Theory of operation: each handler receives a `Transition` and returns it with the steps that the input causes. A key may
wait in the queue until the chips of the seat in turn are read.

    >>> from controller.live import Live, TableSetup, Transition
    >>> from controller.live.input import key_queue
    >>> from controller.rules import Game, Player
    >>> from controller.table import open_table
    >>> live = Live(TableSetup(), open_table({"main": Game(blinds=(5, 10))}, 1, {1: Player(stack=100)}))
    >>> transition = key_queue.press_or_queue_key(Transition(live, at_us=1_000_000), "floor")
    >>> transition.live.floor_called
    True
"""
