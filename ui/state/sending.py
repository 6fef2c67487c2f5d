"""The steps that the screen sends, in table-script words: one function a verb, and no such words anywhere else."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from controller.view import Choice


class Sending(NamedTuple):
    """What goes to the service: the step, and the sequence of the view that was looked at."""

    do: str
    shown: int


def offered(choice: Choice) -> str:
    """The step of a choice, as the service offers it."""
    return choice.do


def fold(seat: int) -> str:
    """The seat folds."""
    return f"{seat} fold"


def check(seat: int) -> str:
    """The seat checks."""
    return f"{seat} check"


def call(seat: int) -> str:
    """The seat calls."""
    return f"{seat} call"


def bet(seat: int, amount: int) -> str:
    """The seat bets the amount."""
    return f"{seat} bet {amount}"


def raise_to(seat: int, amount: int) -> str:
    """The seat raises, to this amount in all."""
    return f"{seat} raise to {amount}"


def complete(seat: int) -> str:
    """The seat completes the bring-in."""
    return f"{seat} complete"


def pot(seat: int) -> str:
    """The seat bets or raises the pot."""
    return f"{seat} pot"


def all_in(seat: int) -> str:
    """The seat puts in all that it has."""
    return f"{seat} all-in"


def said_call(seat: int) -> str:
    """The seat has said call; its chips may follow."""
    return f"{seat} said call"


def said_raise(seat: int, amount: int | None = None) -> str:
    """The seat has said raise, and to what if it named an amount."""
    return f"{seat} said raise to {amount}" if amount else f"{seat} said raise"


def here(seat: int) -> str:
    """The action is on this seat: those before it have folded or checked."""
    return f"here {seat}"


def look(what: str, number: int) -> str:
    """Something is looked at that no view has; `number` is that of a hand, 0 where it is none."""
    return f"look {what} {number}" if number else f"look {what}"


def opens() -> str:
    """The table is opened."""
    return "open"


def closes() -> str:
    """The table is closed."""
    return "close"


def deals_now(name: str) -> str:
    """From now on this dealer deals."""
    return f"dealer {name}"


def plays_game(name: str) -> str:
    """The next hand is of this game."""
    return f"game {name}"


def undo() -> str:
    """The last step is taken back."""
    return "undo"


def void() -> str:
    """The hand is a misdeal: all bets go back."""
    return "void"


def call_floor() -> str:
    """The floor is called, or has decided."""
    return "call-floor"


class Winners(NamedTuple):
    """Who wins a pot or a board of it; a seat that has two shares stands twice."""

    high: tuple[int, ...]
    """All winners, or those of the high half."""
    low: tuple[int, ...] = ()


def award(name: str, boards: Sequence[Winners]) -> str:
    """The pot of that name goes to its winners, board by board where there are several."""
    said = [_winning(won) for won in boards]
    if len(said) > 1:
        said = [f"board{number} {who}" for number, who in enumerate(said, start=1)]
    return " ".join(("award", name, *said))


def _winning(won: Winners) -> str:
    high = _sharing(won.high)
    return f"high {high} low {_sharing(won.low)}" if won.low else high


def _sharing(seats: tuple[int, ...]) -> str:
    shares = {seat: seats.count(seat) for seat in seats}
    return " ".join(f"{seat}*{share}" if share > 1 else f"{seat}" for seat, share in shares.items())


def look_award(step: str) -> str:
    """What each seat would get by that step: nothing is done."""
    return f"look {step}"


def give_back(seat: int) -> str:
    """What is due back to this seat was pushed back."""
    return f"return {seat}"


def takes(seat: int, amount: int) -> str:
    """The seat takes this much of its bet back."""
    return f"{seat} takes {amount}"


def stack(seat: int, amount: int) -> str:
    """The seat's chips were counted."""
    return f"{seat} stack {amount}"


def count_bet(seat: int) -> str:
    """The seat's bet is counted on the pad."""
    return f"count {seat} bet"


def count_stack(seat: int) -> str:
    """The seat's stack is counted on the pad."""
    return f"count {seat} stack"


def count_buy_in(seat: int) -> str:
    """A buy-in is counted on the pad."""
    return f"count {seat} buy-in"


def stack_unknown(seat: int) -> str:
    """Nobody knows what the seat has."""
    return f"{seat} stack unknown"


def sit(seat: int, amount: int, *, name: str = "") -> str:
    """A player sits down with this much, by name where one was typed."""
    return f"{seat} sit {amount} as {name}" if name else f"{seat} sit {amount}"


def sit_transfer(seat: int, amount: int) -> str:
    """A player comes from another table with this much."""
    return f"{seat} sit {amount} transfer"


def sit_in_stead(seat: int, amount: int, *, name: str = "") -> str:
    """A player sits down for one who has just left the seat."""
    return f"{sit(seat, amount, name=name)} in-stead"


def add(seat: int, amount: int) -> str:
    """The player adds chips."""
    return f"{seat} add {amount}"


def remove(seat: int, amount: int) -> str:
    """The player takes chips off the table."""
    return f"{seat} remove {amount}"


def tip(seat: int, amount: int) -> str:
    """The player tips the dealer."""
    return f"{seat} tip {amount}"


def time(seat: int, amount: int) -> str:
    """The player pays time."""
    return f"{seat} time {amount}"


def away(seat: int) -> str:
    """The player is away."""
    return f"{seat} away"


def back(seat: int) -> str:
    """The player is back."""
    return f"{seat} back"


def leave(seat: int) -> str:
    """The player leaves the table."""
    return f"{seat} leave"


def floor_bet(seat: int, amount: int) -> str:
    """The floor puts the seat's bet of this round right."""
    return f"floor bet {seat} {amount}"


def floor_pot(amount: int) -> str:
    """The floor puts the pot right."""
    return f"floor pot {amount}"


def floor_release(seat: int) -> str:
    """The floor releases the seat from its held action."""
    return f"floor release {seat}"


def floor_bind(seat: int) -> str:
    """The floor holds the seat to its held action."""
    return f"floor bind {seat}"


def floor_turn(seat: int) -> str:
    """The floor gives the turn to the seat."""
    return f"floor turn {seat}"


def floor_dead(seat: int) -> str:
    """The floor declares the seat's hand dead."""
    return f"floor dead {seat}"


def says_call(seat: int) -> str:
    """The seat says "call"; its chips are still to come."""
    return f"{seat} says call"


def says_raise(seat: int, amount: int | None = None) -> str:
    """The seat says "raise", to this amount if one is named; its chips are still to come."""
    return f"{seat} says raise to {amount}" if amount else f"{seat} says raise"


def raise_by(seat: int, amount: int) -> str:
    """The seat raises by this much."""
    return f"{seat} raise by {amount}"


def amount_alone(seat: int, amount: int) -> str:
    """Several chips, this much in all, without words."""
    return f"{seat} {amount}"


def chip(seat: int, amount: int) -> str:
    """One chip of this value put forward, without words."""
    return f"{seat} chips {amount}"


def done(seat: int) -> str:
    """The seat's motion is over: more chips are another one."""
    return f"{seat} done"


def was(seat: int, amount: int) -> str:
    """The seat's last bet or raise was to this amount in truth; who called it has called that."""
    return f"{seat} was {amount}"


def is_in(seat: int) -> str:
    """What the seat owes lies there."""
    return f"{seat} in"


def all_is_in() -> str:
    """What all seats owe lies there."""
    return "bets-in"


def change(seat: int, amount: int) -> str:
    """Chips of the seat were changed for others of the same worth."""
    return f"change {seat} {amount}"


def calls_time(seat: int) -> str:
    """The seat asks for time."""
    return f"{seat} time"


def straddle(seat: int, amount: int) -> str:
    """The seat straddles."""
    return f"{seat} straddle {amount}"


def deal_closing() -> str:
    """Those left to act have checked, or folded to a bet; the next cards are dealt."""
    return "deal closing"


def bomb(amount: int) -> str:
    """The next hand is a bomb pot with this ante."""
    return f"bomb {amount}"


def redo() -> str:
    """What was taken back is done again."""
    return "redo"


def cash(seat: int, amount: int) -> str:
    """The player plays cash."""
    return f"{seat} cash {amount}"


def marker(seat: int, amount: int) -> str:
    """The player plays a marker that all in the pot have accepted."""
    return f"{seat} marker {amount}"


def lent(seat: int, amount: int, lender: int) -> str:
    """The player plays chips that another one lends."""
    return f"{seat} marker {amount} from {lender}"


def redeems(seat: int, amount: int) -> str:
    """The player pays off a marker."""
    return f"{seat} redeems {amount}"


def redeems_to(seat: int, amount: int, lender: int) -> str:
    """The player pays off what another one has lent."""
    return f"{seat} redeems {amount} to {lender}"


def moves(seat: int, to: int) -> str:
    """The player changes seats."""
    return f"{seat} moves {to}"


def drop(amount: int) -> str:
    """The house's drop, taken by hand."""
    return f"drop {amount}"


def kitty(amount: int) -> str:
    """The players' kitty, taken by hand."""
    return f"kitty {amount}"


def floor_button(seat: int) -> str:
    """The floor says where the button belongs."""
    return f"floor button {seat}"


def floor_hold() -> str:
    """From now on each hand waits for the floor."""
    return "floor hold"


def floor_go() -> str:
    """The floor lets one hand go."""
    return "floor go"


def floor_go_on() -> str:
    """Hands wait for the floor no longer."""
    return "floor go on"


def skip() -> str:
    """The table does not follow this hand."""
    return "skip"
