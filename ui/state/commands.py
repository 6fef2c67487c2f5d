"""The commands of the screen, written in the table-script language.

Each kind of step has one function here, and no other module contains the words of the language.
`tests/table-scripts.md` describes the language.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from controller.view import Choice


class OutgoingCommand(NamedTuple):
    """A command for the service: a step or a query, with the sequence number of the shown view."""

    do: str
    view_sequence: int


def choice_step(choice: Choice) -> str:
    """Return the step that the service has attached to this choice."""
    return choice.do


def fold(seat: int) -> str:
    """Return the step with which the seat folds."""
    return f"{seat} fold"


def check(seat: int) -> str:
    """Return the step with which the seat checks."""
    return f"{seat} check"


def call(seat: int) -> str:
    """Return the step with which the seat calls."""
    return f"{seat} call"


def bet(seat: int, amount: int) -> str:
    """Return the step with which the seat bets the amount."""
    return f"{seat} bet {amount}"


def raise_to(seat: int, amount: int) -> str:
    """Return the step with which the seat raises to this total."""
    return f"{seat} raise to {amount}"


def complete(seat: int) -> str:
    """Return the step with which the seat completes the bring-in."""
    return f"{seat} complete"


def bet_pot(seat: int) -> str:
    """Return the step with which the seat bets or raises the pot."""
    return f"{seat} pot"


def all_in(seat: int) -> str:
    """Return the step with which the seat goes all-in."""
    return f"{seat} all-in"


def announced_call(seat: int) -> str:
    """Return the step that records afterwards that the seat said "call" before it put in its last chips."""
    return f"{seat} said call"


def announced_raise(seat: int, amount: int | None = None) -> str:
    """Return the step that records afterwards that the seat said "raise" before it put in its last chips.

    The step contains the total of the raise if the seat named a total.
    """
    return f"{seat} said raise to {amount}" if amount else f"{seat} said raise"


def action_on(seat: int) -> str:
    """Return the step that gives the turn to this seat, because the seats before it have folded or checked."""
    return f"here {seat}"


def query(kind: str, number: int) -> str:
    """Return the query for a page. `number` is the number of a hand, or 0 if the page is not about one hand."""
    return f"look {kind} {number}" if number else f"look {kind}"


def open_table() -> str:
    """Return the step that opens the table."""
    return "open"


def close_table() -> str:
    """Return the step that closes the table."""
    return "close"


def set_dealer(name: str) -> str:
    """Return the step that sets the name of the dealer."""
    return f"dealer {name}"


def set_next_game(name: str) -> str:
    """Return the step that selects the game of the next hand."""
    return f"game {name}"


def undo() -> str:
    """Return the step that undoes the last step."""
    return "undo"


def declare_misdeal() -> str:
    """Return the step that declares a misdeal, so that all bets are returned."""
    return "void"


def call_floor() -> str:
    """Return the step that asks the floor to come to the table."""
    return "call-floor"


class Winners(NamedTuple):
    """The winners of a pot or of one of its boards. A seat with two shares is listed twice."""

    high: tuple[int, ...]
    """Winners of the whole pot, or of its high half if `low` is not empty."""
    low: tuple[int, ...] = ()


def award(name: str, boards: Sequence[Winners]) -> str:
    """Return the step that awards a pot. If several boards are played, the step names the winners of each board."""
    board_winners = [_format_winners(winners) for winners in boards]
    if len(board_winners) > 1:
        board_winners = [f"board{number} {seats}" for number, seats in enumerate(board_winners, start=1)]
    return " ".join(("award", name, *board_winners))


def _format_winners(winners: Winners) -> str:
    high = _format_shares(winners.high)
    return f"high {high} low {_format_shares(winners.low)}" if winners.low else high


def _format_shares(seats: tuple[int, ...]) -> str:
    share_counts = {seat: seats.count(seat) for seat in seats}
    return " ".join(f"{seat}*{count}" if count > 1 else f"{seat}" for seat, count in share_counts.items())


def query_award(step: str) -> str:
    """Return the query for the amount that each seat would get from this award. A query changes nothing."""
    return f"look {step}"


def return_chips(seat: int) -> str:
    """Return the step that records that the dealer has returned surplus chips to the seat."""
    return f"return {seat}"


def take_back(seat: int, amount: int) -> str:
    """Return the step with which the seat takes back part of its bet."""
    return f"{seat} takes {amount}"


def set_stack(seat: int, amount: int) -> str:
    """Return the step that records the counted stack of the seat."""
    return f"{seat} stack {amount}"


def count_bet(seat: int) -> str:
    """Return the step that starts to count the seat's bet on the count pad."""
    return f"count {seat} bet"


def count_stack(seat: int) -> str:
    """Return the step that starts to count the seat's stack on the count pad."""
    return f"count {seat} stack"


def count_buy_in(seat: int) -> str:
    """Return the step that starts to count a buy-in on the count pad."""
    return f"count {seat} buy-in"


def stack_unknown(seat: int) -> str:
    """Return the step that records that the seat's stack is unknown."""
    return f"{seat} stack unknown"


def sit(seat: int, amount: int, *, name: str = "") -> str:
    """Return the step with which a player sits down with a buy-in, and with a name if one was entered."""
    return f"{seat} sit {amount} as {name}" if name else f"{seat} sit {amount}"


def sit_transfer(seat: int, amount: int) -> str:
    """Return the step with which a player from another table sits down."""
    return f"{seat} sit {amount} transfer"


def sit_as_replacement(seat: int, amount: int, *, name: str = "") -> str:
    """Return the step with which a player sits down at a seat that another player has just left."""
    return f"{sit(seat, amount, name=name)} in-stead"


def add_chips(seat: int, amount: int) -> str:
    """Return the step with which the player adds chips to the stack."""
    return f"{seat} add {amount}"


def remove_chips(seat: int, amount: int) -> str:
    """Return the step with which the player removes chips from the table."""
    return f"{seat} remove {amount}"


def tip(seat: int, amount: int) -> str:
    """Return the step with which the player tips the dealer."""
    return f"{seat} tip {amount}"


def pay_time(seat: int, amount: int) -> str:
    """Return the step with which the player pays the fee for playing time."""
    return f"{seat} time {amount}"


def mark_away(seat: int) -> str:
    """Return the step that marks the player as away."""
    return f"{seat} away"


def mark_back(seat: int) -> str:
    """Return the step that marks the player as back."""
    return f"{seat} back"


def leave(seat: int) -> str:
    """Return the step with which the player leaves the table."""
    return f"{seat} leave"


def floor_bet(seat: int, amount: int) -> str:
    """Return the step with which the floor sets the seat's bet of this round."""
    return f"floor bet {seat} {amount}"


def floor_pot(amount: int) -> str:
    """Return the step with which the floor sets the pot."""
    return f"floor pot {amount}"


def floor_release(seat: int) -> str:
    """Return the step with which the floor cancels a waiting action of the seat."""
    return f"floor release {seat}"


def floor_bind(seat: int) -> str:
    """Return the step with which the floor makes a waiting action of the seat binding."""
    return f"floor bind {seat}"


def floor_turn(seat: int) -> str:
    """Return the step with which the floor gives the turn to the seat."""
    return f"floor turn {seat}"


def floor_kill_hand(seat: int) -> str:
    """Return the step with which the floor declares the seat's hand dead."""
    return f"floor dead {seat}"


def announce_call(seat: int) -> str:
    """Return the step with which the seat says "call" before it puts in chips."""
    return f"{seat} says call"


def announce_raise(seat: int, amount: int | None = None) -> str:
    """Return the step with which the seat says "raise" before it puts in chips.

    The step contains the total of the raise if the seat names a total.
    """
    return f"{seat} says raise to {amount}" if amount else f"{seat} says raise"


def raise_by(seat: int, amount: int) -> str:
    """Return the step with which the seat raises by this amount above the current bet."""
    return f"{seat} raise by {amount}"


def put_chips_silently(seat: int, amount: int) -> str:
    """Return the step with which the seat puts in several chips with this total and says nothing."""
    return f"{seat} {amount}"


def put_one_chip(seat: int, amount: int) -> str:
    """Return the step with which the seat puts in one chip of this value and says nothing."""
    return f"{seat} chips {amount}"


def end_motion(seat: int) -> str:
    """Return the step that ends the current action of the seat. Later chips then belong to a new action."""
    return f"{seat} done"


def correct_wager(seat: int, amount: int) -> str:
    """Return the step that corrects the total of the seat's last bet or raise. Later calls follow the correction."""
    return f"{seat} was {amount}"


def pay_owed(seat: int) -> str:
    """Return the step that records that the seat has put in the chips that it owed."""
    return f"{seat} in"


def all_pay_owed() -> str:
    """Return the step that records that all seats have put in the chips that they owed."""
    return "bets-in"


def make_change(seat: int, amount: int) -> str:
    """Return the step that exchanges chips of the seat for other chips of the same value."""
    return f"change {seat} {amount}"


def call_time(seat: int) -> str:
    """Return the step with which the seat asks for time."""
    return f"{seat} time"


def straddle(seat: int, amount: int) -> str:
    """Return the step with which the seat straddles."""
    return f"{seat} straddle {amount}"


def deal_closing() -> str:
    """Return the step that deals the next street. It also means that no seat has to act any longer."""
    return "deal closing"


def bomb_pot(amount: int) -> str:
    """Return the step that makes the next hand a bomb pot with this ante."""
    return f"bomb {amount}"


def redo() -> str:
    """Return the step that redoes the last undone step."""
    return "redo"


def add_cash(seat: int, amount: int) -> str:
    """Return the step with which the player puts cash into play."""
    return f"{seat} cash {amount}"


def play_marker(seat: int, amount: int) -> str:
    """Return the step with which the player bets a marker. All players in the pot have accepted this written debt."""
    return f"{seat} marker {amount}"


def borrow_chips(seat: int, amount: int, lender: int) -> str:
    """Return the step with which the player puts chips into play that another player lends."""
    return f"{seat} marker {amount} from {lender}"


def redeem_marker(seat: int, amount: int) -> str:
    """Return the step with which the player pays off a marker, a written debt."""
    return f"{seat} redeems {amount}"


def repay_loan(seat: int, amount: int, lender: int) -> str:
    """Return the step with which the player repays chips to another player."""
    return f"{seat} redeems {amount} to {lender}"


def change_seat(seat: int, to: int) -> str:
    """Return the step with which the player moves to another seat."""
    return f"{seat} moves {to}"


def take_drop(amount: int) -> str:
    """Return the step that takes this rake for the house. The dealer has entered the amount."""
    return f"drop {amount}"


def take_kitty(amount: int) -> str:
    """Return the step that takes this amount for the players' kitty. The dealer has entered the amount."""
    return f"kitty {amount}"


def floor_button(seat: int) -> str:
    """Return the step with which the floor places the button."""
    return f"floor button {seat}"


def floor_hold_hands() -> str:
    """Return the step with which the floor starts hand-for-hand play, in which each hand waits for the floor."""
    return "floor hold"


def floor_allow_hand() -> str:
    """Return the step with which the floor allows the next hand of hand-for-hand play."""
    return "floor go"


def floor_end_hold() -> str:
    """Return the step with which the floor ends hand-for-hand play."""
    return "floor go on"


def skip_hand() -> str:
    """Return the step that ends the record of this hand, because the hand continues without the program."""
    return "skip"
