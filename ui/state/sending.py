"""The steps that the screen sends, in table-script words: one function a verb, and no such words anywhere else."""

from __future__ import annotations

from collections.abc import Iterable
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


def said_raise(seat: int, amount: int | None) -> str:
    """The seat has said raise, and to what if it named an amount."""
    return f"{seat} said raise to {amount}" if amount else f"{seat} said raise"


def here(seat: int) -> str:
    """The action is on this seat: those before it have folded or checked."""
    return f"here {seat}"


def deal() -> str:
    """The next cards are dealt."""
    return "deal"


def hand() -> str:
    """A new hand begins."""
    return "hand"


def undo() -> str:
    """The last step is taken back."""
    return "undo"


def void() -> str:
    """The hand is a misdeal: all bets go back."""
    return "void"


def call_floor() -> str:
    """The floor is called, or has decided."""
    return "call-floor"


def award(name: str, winners: Iterable[int]) -> str:
    """The pot of that name goes to the winners."""
    return " ".join(("award", name, *map(str, winners)))


def award_halves(name: str, high: Iterable[int], low: Iterable[int]) -> str:
    """The halves of the pot of that name go to their winners."""
    return " ".join(("award", name, "high", *map(str, high), "low", *map(str, low)))


def give_back(seat: int) -> str:
    """What is due back to this seat was pushed back."""
    return f"return {seat}"


def takes(seat: int, amount: int) -> str:
    """The seat takes this much of its bet back."""
    return f"{seat} takes {amount}"


def stack(seat: int, amount: int) -> str:
    """The seat's chips were counted."""
    return f"{seat} stack {amount}"


def count(what: str, seat: int) -> str:
    """The seat's bet, buy-in or stack is counted on the pad."""
    return f"count {seat} {what}"


def stack_unknown(seat: int) -> str:
    """Nobody knows what the seat has."""
    return f"{seat} stack unknown"


def sit(seat: int, amount: int) -> str:
    """A player sits down with this much."""
    return f"{seat} sit {amount}"


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
