"""Steps between hands: players and their chips, markers, levels, and the start of the next hand.

- `next_hand_seats` decides who is dealt in and which seats have the button and the blinds.
- `hand_start` and `bomb_pots` start the next hand.
- `players`, `stack_changes`, `credit_markers`, `seat_sessions` and `open_and_close` follow the players and their chips.
- `open_and_close` also counts the chips that move between the cage and the dealer's tray.
- `promotions` pays bounties of the house and of the players.
- `tournament` follows the time and decides whether a hand may start.
- `next_hand` and `opening_options` change nothing. A screen uses them to show who will not be dealt in, and what is
  possible before the first action.

Example:
    >>> from controller.rules import Game, Player
    >>> from controller.steps import parse_step
    >>> from controller.table import apply_table_step, next_hand, open_table
    >>> game = Game(blinds=(5, 10))
    >>> table = open_table({"main": game}, 1, {seat: Player(stack=200) for seat in (1, 2, 3)})
    >>> table = apply_table_step(table, parse_step("2 away")).table
    >>> next_hand.preview_next_hand(table).seats
    (1, 3)
    >>> next_hand.not_dealt_in_reason(table, 2, next_hand.preview_next_hand(table))
    <NotDealtInReason.AWAY: 'away'>
"""
