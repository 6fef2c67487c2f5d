"""Simulated people who play a script at a table that has no idea it is a script.

Players put chips on spots, the dealer presses keys, touches the screen and sweeps; what the service makes of it has
to be what the rules make of the script (`twin`). Used by the demo on ptys in real time, and by `simulate` in simulated
time with a dealer whose fingers are late.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from random import Random
from typing import NamedTuple, Protocol

from controller.rules.betting import facing
from controller.rules.hand import Hand
from controller.scripts import player as scripts
from controller.scripts.player import STEP_US, Script
from controller.scripts.seen import seen
from controller.simulation.pipeline import conform
from controller.table.state import Table
from controller.table.steps import Step
from controller.view import TableView
from hardware.chips import DENOMINATIONS
from hardware.simulated.world import World

PATIENCE_S = 15.0
"""So long the table may take to show what was done: reading, settling and a busy machine take a tenth of it."""


SWEEP_S = 2.0
"""Nobody bets sooner after a sweep: the dealer burns and turns a card first."""
FINGER_S = 0.8
"""From a player's act to the dealer's finger on the key, at least: a key right after chips is taken for theirs."""
SWEEPS = frozenset({"deal", "award", "hand", "void"})


class Room(Protocol):
    """The table that the people sit at."""

    def view(self) -> TableView:
        """What the screen shows now."""

    def command(self, do: str) -> str | None:
        """A touch on the screen; why it was refused, or None."""

    def press(self, key: str) -> None:
        """One of the dealer's real keys."""

    def hands(self) -> AbstractContextManager[World]:
        """The chips, while hands move them."""

    def wait(self, until: Callable[[TableView], bool], limit_s: float) -> bool:
        """Lets time pass until the view is so; False where it is not within the limit."""

    def pause(self, seconds: float) -> None:
        """Lets so much time pass."""


class Played(NamedTuple):
    """A step that was played: its number, its words, what it is shown as."""

    number: int
    text: str
    view: TableView


class RehearsalError(AssertionError):
    """The table shows something else than the rules say."""


def matches(view: TableView, table: Table) -> str:
    """What the view shows otherwise than the rules say, in words; "" where they agree."""
    fields = seen(table)
    shown = {
        "pot": view.pot,
        "turn": view.turn,
        "to_call": view.to_call,
        "min_raise_to": view.min_raise_to,
        "max_raise_to": view.max_raise_to,
        "bets": {str(seat.seat): seat.bet for seat in view.seats if seat.bet},
        "stacks": {str(seat.seat): seat.stack for seat in view.seats if seat.stack or seat.stack is None},
        "due_back": {str(seat.seat): seat.due_back for seat in view.seats if seat.due_back},
        "owes": {str(seat.seat): seat.owes for seat in view.seats if seat.owes},
    }
    return "; ".join(
        f"{name} expected {fields[name]} shown {value}" for name, value in shown.items() if value != fields[name]
    )


def play(room: Room, script: Script, pause_s: float, mischief: Random | None = None) -> Iterator[Played]:
    """Plays the script's steps from a table that stands where the script begins; the first hand is dealt already.

    With `mischief` players now and then do what they should not, in ways that leave the hand as it was. Raises
    RehearsalError where the table shows something else than the rules say.
    """
    twin, unseen = scripts.begin(script), dict[int, Step]()
    steps = list(script.steps)
    number = 0
    while number < len(steps):
        what, before = steps[number], twin
        number += 1
        twin = scripts.one_step(twin, what, number * STEP_US, unseen).table
        following = steps[number] if number < len(steps) else None
        if mischief is not None and following is not None and _acts_early(twin, what, following, mischief):
            yield from _out_of_turn(room, twin, following, number, pause_s)
            number += 1
            what = following
            twin = scripts.one_step(twin, what, number * STEP_US, unseen).table
        elif mischief is not None and _one_big_chip(room, before, what, mischief):
            yield Played(number, f"{what.seat} puts in one large chip", _shown(room, pause_s))
            room.command(f"return {what.seat}")
        else:
            do(room, before, twin, what)
        if what.verb != "moved":
            with room.hands() as world:
                conform(world, twin)
        expect(room, twin, what)
        yield Played(number, what.text, _shown(room, max(pause_s, SWEEP_S) if what.verb in SWEEPS else pause_s))


def _shown(room: Room, pause_s: float) -> TableView:
    room.pause(pause_s)
    return room.view()


def expect(room: Room, twin: Table, what: Step) -> None:
    """Waits until the table shows what the rules say. Raises RehearsalError."""
    if not room.wait(lambda view: not matches(view, twin), PATIENCE_S):
        raise RehearsalError(f"after {what.text!r}: {matches(room.view(), twin)}")


# --- what people do ---


def do(room: Room, before: Table, after: Table, what: Step) -> None:
    """One step as people do it: chips with hands, folds and checks with the dealer's keys, the rest on the screen."""
    if what.verb == "moved":
        _move(room, what)
    elif what.verb == "act" and what.words is not None:
        _act(room, before, after, what)
    elif what.verb == "deal" and not what.flag:
        room.press("deal")
    elif what.verb == "return":
        room.command(what.text)
    else:
        refused = room.command(what.text)
        if refused:
            raise RehearsalError(f"{what.text!r}: refused, {refused}")


def _move(room: Room, what: Step) -> None:
    with room.hands() as world:
        if what.chips:
            world.put(what.seat, what.chips, extra=True)
        if what.taken:
            world.take(what.seat, what.taken)


def _act(room: Room, before: Table, after: Table, what: Step) -> None:
    assert what.words is not None
    hand, seat = before.hand, what.seat
    if what.words.kind in ("fold", "check") and hand is not None and hand.turn == seat:
        room.pause(FINGER_S)
        room.press("fold" if what.words.kind == "fold" else "check-call")
        return
    motion = scripts.declared_chips(before, after, what)
    chips = motion.chips if motion is not None else ()
    if not speaks_for_itself(hand, seat, what, chips):
        refused = room.command(f"{seat} says {what.words}")
        if refused:
            raise RehearsalError(f"{what.text!r}: refused, {refused}")
    if chips:
        with room.hands() as world:
            world.put(seat, chips, extra=True)


def speaks_for_itself(hand: Hand | None, seat: int, what: Step, chips: tuple[int, ...]) -> bool:
    """True where the chips alone mean what the words say, so that the dealer need not key anything."""
    if hand is None or not chips or what.words is None or hand.turn != seat or hand.bring_in == seat:
        return False
    if hand.game.kind.by_board and hand.level > hand.full:
        return False
    due = facing(hand, seat)
    if what.words.kind == "call":
        return True
    return due <= hand.bets[seat] or len(chips) > 1


# --- mischief ---


def _acts_early(twin: Table, what: Step, following: Step, mischief: Random) -> bool:
    """Now and then the seat behind one that folds does not wait for it."""
    folds = what.verb == "act" and what.words is not None and what.words.kind == "fold"
    calls = following.verb == "act" and following.words is not None and following.words.kind == "call"
    in_turn = twin.hand is not None and twin.hand.turn == following.seat
    return folds and calls and in_turn and mischief.random() < 1 / 4


def _out_of_turn(room: Room, twin: Table, following: Step, number: int, pause_s: float) -> Iterator[Played]:
    """The next seat's chips come before the fold is keyed: the screen asks, the dealer's key answers."""
    motion = scripts.declared_chips(twin, twin, following)
    if motion is not None:
        with room.hands() as world:
            world.put(following.seat, motion.chips, extra=True)
    room.wait(lambda view: any(alert.code == "behind-the-turn" for alert in view.alerts), PATIENCE_S)
    yield Played(number, f"{following.seat} puts chips in before its turn", _shown(room, pause_s))
    room.press("fold")
    room.wait(lambda view: not any(seat.held for seat in view.seats), PATIENCE_S)


def _one_big_chip(room: Room, before: Table, what: Step, mischief: Random) -> bool:
    """Now and then a call comes as one chip that is too large."""
    hand = before.hand
    calls = what.verb == "act" and what.words is not None and what.words.kind == "call"
    if not calls or hand is None or hand.turn != what.seat or mischief.random() > 1 / 5:
        return False
    need = facing(hand, what.seat) - before.felt[what.seat]
    chip = next((value for value in DENOMINATIONS if value > need > 0), 0)
    if not chip or chip >= hand.stacks[what.seat] or len(hand.live) < 2:
        return False
    with room.hands() as world:
        world.put(what.seat, (chip,), extra=True)
    return room.wait(lambda view: any(alert.code == "oversized-chip" for alert in view.alerts), PATIENCE_S)
