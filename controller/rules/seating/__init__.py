"""Rules between two hands: who sits with how much, who is dealt in, and where button and blinds are.

`buy_ins` defines players and the limits of a buy-in. `button_and_blinds` computes the `Placement` of the next hand,
that is, the seats of button and blinds, from the placement of the last hand. The button can be dead, moving or
simplified. `missed_blinds` records the blinds that absent players have missed, and computes the chips that such a
player must post on return.

    >>> from controller.rules import Game, button_and_blinds
    >>> game = Game(blinds=(5, 10))
    >>> last = button_and_blinds.first_placement(game, 1, (1, 2, 3))
    >>> button_and_blinds.next_placement(game, last, button_and_blinds.DealSeating((1, 2, 3))).button
    2
"""
