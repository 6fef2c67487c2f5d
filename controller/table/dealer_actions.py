"""Actions of the dealer: deal the streets, award the pots, void, skip or chop the hand.

Source: rulings.md, "A dealer is a person"; table-scripts.md, Steps; Robert's Rules 13 (kill pots).
"""

from __future__ import annotations

from typing import Final

from controller import rules
from controller.rules import ZERO_AMOUNTS, Hand, Phase, Player, clockwise_after, pots, raise_if_refused
from controller.steps import (
    hand_steps,
)
from controller.table.balances import counted_bet, owed_by_seat, require_hand
from controller.table.between_hands.tournament import after_hand_void
from controller.table.refusals_and_warnings import SeatWarnings, TableRefusal, refusal_error
from controller.table.state import HandCarryOver, Street, Table, WinStreak
from controller.table.turn_actions import presume_check_or_fold

_MAIN_POT: Final = "main"
"""Name of the main pot in a step that awards a pot."""

# --- streets ---


def handle_deal(table: Table, hand: Hand, step: hand_steps.DealsStreet, warnings: SeatWarnings) -> Table:
    """Sweep the bets, give back the chips that do not play, and deal the next street.

    If the dealer closes the betting early, the seats left to act count as having folded or checked. No street is dealt
    if only one live seat is left or the last round is closed, because the pots are awarded next.
    """
    closes_last = hand.is_last_round and hand.phase is Phase.BETTING
    while step.closes_betting and hand.phase is Phase.BETTING:
        table = presume_check_or_fold(table, hand, warnings)
        hand = require_hand(table)
    _require_nothing_owed(table)
    if step.closes_betting and hand.phase is Phase.CLOSED and (closes_last or len(hand.live_seats) == 1):
        return _with_bets_swept(table)
    raise_if_refused(rules.actions.reject_next_street(hand))
    if hand.phase is Phase.CLOSED:
        hand, drop = rules.awards.take_drop_at_deal(hand)
        table = _with_drop_in_accounts(table, drop)
    presumed_actions = table.street.presumed_actions if step.closes_betting else {}
    return table._replace(
        hand=rules.actions.deal_next_street(hand),
        street=Street(presumed_actions=presumed_actions, presumed_of_last_round=bool(presumed_actions)),
    )


def _with_bets_swept(table: Table) -> Table:
    """Return a copy of the table after the last sweep of a hand, which no new street follows.

    Chips that did not play have gone back to their seats. The bets that play stay in `bets` until the pots are awarded.
    """
    street = table.street
    spot_totals = tuple(counted_bet(table, seat) for seat in range(len(street.spot_totals)))
    street = street._replace(
        spot_totals=spot_totals,
        unplayable_totals=ZERO_AMOUNTS,
        held_actions={},
        presumed_of_last_round=bool(street.presumed_actions),
    )
    return table._replace(street=street)


def handle_run_boards(table: Table, hand: Hand, step: hand_steps.RunsMultipleBoards, warnings: SeatWarnings) -> Table:
    """Deal the remaining cards more than once, as the players agreed."""
    _require_nothing_owed(table)
    return table._replace(hand=rules.pot_division.run_boards(hand, step.count))


def _require_nothing_owed(table: Table) -> None:
    """Refuse the step if a seat still owes chips."""
    for seat, amount_owed in enumerate(owed_by_seat(table)):
        if amount_owed:
            raise refusal_error(TableRefusal.STILL_OWES, seat, amount_owed)


# --- the pots ---


def _with_drop_in_accounts(table: Table, drop: rules.awards.Drop) -> Table:
    """Return a copy of the table with the drop added to the accounts of rake, jackpot and kitty."""
    accounts = table.accounts
    accounts = accounts._replace(
        rake=accounts.rake + drop.rake, jackpot=accounts.jackpot + drop.jackpot, kitty=accounts.kitty + drop.kitty
    )
    return table._replace(accounts=accounts)


def handle_award(table: Table, hand_before: Hand, step: hand_steps.AwardsPot, warnings: SeatWarnings) -> Table:
    """Award a pot to one seat or split it."""
    _require_nothing_owed(table)
    award = rules.awards.award_pot_by_board(hand_before, step.pot, step.board_winners)
    left_on_spots = tuple(
        spot_total - counted_bet(table, seat) for seat, spot_total in enumerate(table.street.spot_totals)
    )
    table = _with_drop_in_accounts(table, award.drop)._replace(
        hand=award.hand,
        street=table.street._replace(spot_totals=left_on_spots, unplayable_totals=ZERO_AMOUNTS, held_actions={}),
        carry_over=_carry_over_after_award(table, hand_before, step.pot, award.awarded),
    )
    table = _with_short_winners(table, hand_before, award.awarded)
    return _with_hand_finished(table, award.hand) if award.hand.phase is Phase.OVER else table


def _carry_over_after_award(table: Table, hand_before: Hand, name: str, amounts: dict[int, int]) -> HandCarryOver:
    """Return what later hands must know after the award of a pot.

    The result names the new holder of the rock and the seat that must post the kill. It is a copy of
    `table.carry_over`.
    """
    pot = next(pot for pot in pots(hand_before) if pot.name == name)
    carry_over, kill = table.carry_over, hand_before.game.kill
    if name == _MAIN_POT and hand_before.rock_seat:
        seats = clockwise_after(hand_before.dealt_seats, hand_before.rock_seat)
        carry_over = carry_over._replace(rock_seat=next(seat for seat in seats if seat in amounts))
    winner, chips = rules.awards.sole_winner(hand_before, pot, amounts)
    if kill and winner and kill.pot and chips >= kill.pot:
        carry_over = carry_over._replace(kill_seat=winner)
    return _carry_over_after_win(carry_over, hand_before, winner, amounts) if name == _MAIN_POT else carry_over


def _carry_over_after_win(
    carry_over: HandCarryOver, hand_before: Hand, winner: int, amounts: dict[int, int]
) -> HandCarryOver:
    """Return the state for later hands, with the wins in a row and the seat that owes a kill.

    - A split pot does not change the number of wins in a row.
    - A further win of the same seat counts only if the pot contains more than blinds and antes.
    - The win that reaches the required number causes a kill, and so does each further win.
    - If the seat that posted the kill splits the pot, it must post the kill in the next hand too.

    Example: with `wins = 2`, the second and the third win in a row each cause a kill. Source: Robert's Rules 13.3, 13.4
    and 13.7 (kill pots).
    """
    kill, streak = hand_before.game.kill, carry_over.win_streak
    if not winner:
        renews_kill = kill and kill.wins and hand_before.kill_seat in amounts
        return carry_over._replace(kill_seat=hand_before.kill_seat) if renews_kill else carry_over
    if winner == streak.seat and rules.awards.is_only_forced_bets(hand_before, winner):
        return carry_over
    streak = WinStreak(winner, streak.wins + 1 if winner == streak.seat else 1)
    owes_kill = kill and kill.wins and streak.wins >= kill.wins
    return carry_over._replace(win_streak=streak, kill_seat=winner if owes_kill else carry_over.kill_seat)


def _with_short_winners(table: Table, hand_before: Hand, amounts: dict[int, int]) -> Table:
    """Return a copy of the table that marks each player who won all-in for less than the minimum buy-in.

    Even at open stakes, such a player can add chips during a hand only after a full re-buy.
    """
    game = hand_before.game
    if game.stakes != "open" or game.buy_in is None:
        return table
    players = dict(table.players)
    for seat in amounts:
        if seat in hand_before.all_in and hand_before.contributed(seat) < game.buy_in[0]:
            players[seat] = players[seat]._replace(won_short_all_in=True)
    return table._replace(players=players)


def _with_hand_finished(table: Table, hand: Hand) -> Table:
    """Return a copy of the table after the hand, with the new stacks and the next hand's game."""
    players = dict(table.players)
    for seat in hand.dealt_seats:
        players[seat] = players[seat]._replace(
            stack=hand.stacks[seat], stack_unknown=seat in hand.unknown_stacks, has_borrowed=False
        )
    return table._replace(players=players, game_name=table.next_game or table.game_name, next_game="")


# --- a misdeal ---


def handle_void(table: Table, hand: Hand, step: hand_steps.VoidsHand, warnings: SeatWarnings) -> Table:
    """Void the hand after a misdeal. Every player gets back all chips put in, and the button does not move."""
    return _with_table_restored(table, hand)


def void_for_restart(table: Table, hand: Hand) -> Table:
    """Return a copy of the table after a misdeal, so that the hand can be restarted.

    The copy keeps the game of the hand and the game that was named for the next hand.
    """
    return _with_table_restored(table, hand)._replace(game_name=table.game_name, next_game=table.next_game)


def _with_hand_voided(table: Table, hand: Hand) -> Table:
    """Return a copy of the table after the hand, with all chips of the hand returned to the seats."""
    accounts = table.accounts._replace(
        rake=table.accounts.rake - hand.rake_taken,
        jackpot=table.accounts.jackpot - hand.jackpot_taken,
        kitty=table.accounts.kitty - hand.kitty_taken,
        adjustment=table.accounts.adjustment + hand.unattributed_chips + hand.drop_taken - hand.promotion_chips,
        promotion=table.accounts.promotion + hand.promotion_chips,
    )
    hand_over = rules.awards.void_hand(hand)
    return _with_hand_finished(table._replace(hand=hand_over, accounts=accounts, street=Street()), hand_over)


def _with_table_restored(table: Table, hand: Hand) -> Table:
    """Return a copy of the table after a misdeal, with the debts, forced straddle (rock) and kill from before the hand.

    The next hand has the same button as the void hand. The exception is a bomb pot in a house that does not move the
    button for bomb pots.
    """
    pre_hand_state = table.pre_hand_state
    table = after_hand_void(_with_hand_voided(table, hand))
    if pre_hand_state is None:
        return table._replace(carry_over=table.carry_over._replace(is_first_at_button=True))
    carry_over = pre_hand_state.carry_over
    if not (hand.bomb_ante and hand.game.bomb_button == "stays"):  # The next hand keeps the button of the void hand.
        carry_over = carry_over._replace(
            placement=table.carry_over.placement,
            placement_before_void=None if carry_over.is_first_at_button else carry_over.placement,
        )
    players = {
        seat: _with_debts_restored(player, pre_hand_state.players[seat]) for seat, player in table.players.items()
    }
    return table._replace(players=players, carry_over=carry_over, vacated_seats=pre_hand_state.vacated_seats)


def _with_debts_restored(player: Player, before: Player) -> Player:
    """Return a copy of the player with the debts from before the hand. Stack, presence and name do not change."""
    return before._replace(
        stack=player.stack, stack_unknown=player.stack_unknown, is_away=player.is_away, name=player.name
    )


# --- a skipped hand ---


def handle_skip_hand(table: Table, hand: Hand, step: hand_steps.SkipsHand, warnings: SeatWarnings) -> Table:
    """Skip a hand that was played while nobody recorded it.

    The stacks of its players become unknown, and the button moves. A splash of the house stays paid, because a player
    has won it. The account `adjustment` carries it until the stacks are counted.
    """
    table = _with_hand_voided(table, hand)
    accounts = table.accounts._replace(
        promotion=table.accounts.promotion - hand.promotion_chips,
        adjustment=table.accounts.adjustment + hand.promotion_chips,
    )
    table = table._replace(accounts=accounts)
    players = dict(table.players)
    for seat in hand.dealt_seats:
        players[seat] = players[seat]._replace(stack_unknown=True)
    return table._replace(players=players)


# --- drop and kitty by hand ---


def handle_take_drop(table: Table, hand: Hand, step: hand_steps.TakesDrop, warnings: SeatWarnings) -> Table:
    """Take chips for the house out of the pot, because the dealer has taken them manually."""
    return _take_from_pot(table, hand, rules.awards.Drop(step.amount, 0))


def handle_take_kitty(table: Table, hand: Hand, step: hand_steps.TakesKitty, warnings: SeatWarnings) -> Table:
    """Take chips for the players' kitty out of the pot, because the dealer has taken them manually."""
    return _take_from_pot(table, hand, rules.awards.Drop(0, 0, step.amount))


def _take_from_pot(table: Table, hand: Hand, drop: rules.awards.Drop) -> Table:
    """Return a copy of the table in which the drop has moved from the pot to the accounts."""
    return _with_drop_in_accounts(table._replace(hand=rules.awards.take_drop_manually(hand, drop)), drop)


def handle_splash_pot(table: Table, hand: Hand, step: hand_steps.SplashesPot, warnings: SeatWarnings) -> Table:
    """Add chips of the house to the pot. If the hand is voided, the house gets them back."""
    accounts = table.accounts._replace(promotion=table.accounts.promotion - step.amount)
    return table._replace(hand=rules.awards.splash_pot(hand, step.amount), accounts=accounts)


# --- chopped blinds ---


def handle_chop_blinds(table: Table, hand: Hand, step: hand_steps.ChopsBlinds, warnings: SeatWarnings) -> Table:
    """Return the blinds to the seats that posted them, because nobody else is left in the hand.

    Nobody wins, no drop is taken, and the button moves on. Refuse the step if an action out of turn still waits, unless
    the action is a check.
    """
    posting_seats = table.carry_over.placement.posting_seats
    raise_if_refused(rules.blinds.reject_chop_blinds(hand, posting_seats))
    _require_nothing_owed(table)
    for seat, held in table.street.held_actions.items():
        if held.intended.kind != "check":
            raise refusal_error(TableRefusal.ACTION_HELD, seat)
    hand_over = rules.blinds.chop_blinds(hand, posting_seats)
    return _with_hand_finished(table._replace(hand=hand_over, street=Street()), hand_over)
