"""Forced bets and other bets before anyone acts: antes, blinds, posts, straddles, kills and the bring-in.

`blinds.start_hand` creates a hand with its antes and blinds posted and its first round open. Until a seat acts, posts,
straddles and a kill blind can still be added. Each of these bets opens the first round again. In stud, the dealer then
names the seat with the bring-in (`stud`). A bomb pot starts on the flop instead (`bomb_pots`).

    >>> from controller.rules import Game, blinds, button_and_blinds
    >>> game = Game(blinds=(5, 10))
    >>> placement = button_and_blinds.first_placement(game, 1, (1, 2, 3))
    >>> blinds.start_hand(game, placement, {1: 500, 2: 500, 3: 500}).bets[2:4]
    (5, 10)
"""
