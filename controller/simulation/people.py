"""Simulated people who play a script at a table that has no idea it is a script.

Players put chips on spots, the dealer presses keys, touches the screen and sweeps; what the service makes of it has
to be what the rules make of the script. Used by the demo on ptys in real time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from random import Random
from typing import ClassVar, NamedTuple, Protocol

from controller.rules import Hand, facing
from controller.scripts import STEP_US, Scene, Script, begin, happens, seen
from controller.simulation.felt import conform
from controller.table import (
    Awards,
    Deals,
    Declares,
    Moves,
    Returns,
    Says,
    StartsBomb,
    StartsHand,
    Step,
    Table,
    Voids,
    declared_chips,
    line,
)
from controller.view import Refused, TableView
from controller.words import Words
from firmware_bridge.errors import PotkeeperError, Whose
from hardware.chips import DENOMINATIONS
from hardware.simulated.world import World

PATIENCE_S = 15.0
"""So long the table may take to show what was done: reading, settling and a busy machine take a tenth of it."""
SWEEP_S = 2.0
"""Nobody bets sooner after a sweep: the dealer burns and turns a card first."""
FINGER_S = 0.8
"""From a player's act to the dealer's finger on the key, at least: a key right after chips is taken for theirs."""
SWEEPS = (Deals, Awards, StartsBomb, StartsHand, Voids)
"""Steps with which the dealer's hands take chips off the spots."""


class Room(Protocol):
    """The table that the people sit at."""

    def view(self) -> TableView:
        """What the screen shows now."""

    def command(self, step: Step) -> Refused | None:
        """A touch on the screen; why it was refused, or None."""

    def press(self, key: str) -> None:
        """One of the dealer's real keys."""

    def hands(self) -> AbstractContextManager[World]:
        """The chips, while hands move them."""

    def wait(self, until: Callable[[TableView], bool], limit_s: float) -> bool:
        """Lets time pass until the view is so; False where it is not within the limit."""

    def pause(self, seconds: float) -> None:
        """Lets so much time pass."""


class Moment(NamedTuple):
    """Something that was done at the table: its number, its words, what is shown then."""

    number: int
    text: str
    view: TableView


class RehearsalError(PotkeeperError, AssertionError):
    """The table shows something else than the rules say."""

    whose: ClassVar[Whose] = "ours"


def differences(view: TableView, table: Table) -> str:
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


def rehearse(room: Room, script: Script, pause_s: float, mischief: Random | None = None) -> Iterator[Moment]:
    """Plays the script's steps from a table that stands where the script begins; the first hand is dealt already.

    With `mischief` players now and then do what they should not, in ways that leave the hand as it was. Raises
    RehearsalError where the table shows something else than the rules say.
    """
    scene = Scene(begin(script))
    steps = list(script.steps)
    number = 0
    while number < len(steps):
        what, before = steps[number], scene.table
        number += 1
        scene, _ = happens(scene, what, number * STEP_US)
        following = steps[number] if number < len(steps) else None
        if mischief is not None and _acts_early(scene.table, what, following, mischief):
            assert isinstance(following, Declares)
            yield from _out_of_turn(room, scene.table, following, number, pause_s)
            number += 1
            what = following
            scene, _ = happens(scene, what, number * STEP_US)
        elif mischief is not None and (seat := _one_big_chip(room, before, what, mischief)):
            yield Moment(number, f"{seat} puts in one large chip", _shown(room, pause_s))
            room.command(Returns(seat))
        else:
            do_step(room, before, what)
        if not isinstance(what, Moves):
            with room.hands() as world:
                conform(world, scene.table)
        expect(room, scene.table, what)
        yield Moment(number, line(what), _shown(room, max(pause_s, SWEEP_S) if isinstance(what, SWEEPS) else pause_s))


def _shown(room: Room, pause_s: float) -> TableView:
    room.pause(pause_s)
    return room.view()


def expect(room: Room, table: Table, what: Step) -> None:
    """Waits until the room shows what the rules say. Raises RehearsalError."""
    if not room.wait(lambda view: not differences(view, table), PATIENCE_S):
        raise RehearsalError(f"after {line(what)!r}: {differences(room.view(), table)}")


# --- what people do ---


def do_step(room: Room, before: Table, what: Step) -> None:
    """One step as people do it: chips with hands, folds and checks with the dealer's keys, the rest on the screen.
    Raises RehearsalError where the table refuses it."""
    if isinstance(what, Moves):
        _move(room, what)
    elif isinstance(what, Declares):
        _act(room, before, what)
    elif isinstance(what, Deals) and not what.closing:
        room.press("deal")
    elif isinstance(what, Returns):
        room.command(what)  # what lies there uncounted may be gone already
    else:
        _touch(room, what)


def _touch(room: Room, what: Step) -> None:
    refused = room.command(what)
    if refused is not None:
        raise RehearsalError(f"{line(what)!r}: refused, {Words().refused(refused)}")


def _move(room: Room, what: Moves) -> None:
    with room.hands() as world:
        if what.forward:
            world.put(what.seat, what.forward, extra=True)
        if what.back:
            world.take(what.seat, what.back)


def _act(room: Room, before: Table, what: Declares) -> None:
    hand, seat, words = before.hand, what.seat, what.declaration
    if words.kind in ("fold", "check") and hand is not None and hand.turn == seat:
        room.pause(FINGER_S)
        room.press("fold" if words.kind == "fold" else "check-call")
        return
    motion = declared_chips(before, what)
    if motion is None or not speaks_for_itself(hand, what, motion.forward):
        _touch(room, Says(seat, words))
    if motion is not None:
        _move(room, motion)


def speaks_for_itself(hand: Hand | None, what: Declares, chips: tuple[int, ...]) -> bool:
    """True where the chips alone mean what the words say, so that the dealer need not key anything."""
    seat = what.seat
    if hand is None or not chips or hand.turn != seat or hand.bring_in == seat:
        return False
    if hand.game.kind.by_board and hand.level > hand.full:
        return False
    if what.declaration.kind == "call":
        return True
    return facing(hand, seat) <= hand.bets[seat] or len(chips) > 1


# --- mischief ---


def _acts_early(table: Table, what: Step, following: Step | None, mischief: Random) -> bool:
    """Now and then the seat behind one that folds does not wait for it."""
    if not (isinstance(what, Declares) and isinstance(following, Declares)):
        return False
    folds, calls = what.declaration.kind == "fold", following.declaration.kind == "call"
    in_turn = table.hand is not None and table.hand.turn == following.seat
    return folds and calls and in_turn and mischief.random() < 1 / 4


def _out_of_turn(room: Room, table: Table, following: Declares, number: int, pause_s: float) -> Iterator[Moment]:
    """The next seat's chips come before the fold is keyed: the screen asks, the dealer's key answers."""
    motion = declared_chips(table, following)
    if motion is not None:
        _move(room, motion)
    room.wait(lambda view: any(alert.code == "behind-the-turn" for alert in view.alerts), PATIENCE_S)
    yield Moment(number, f"{following.seat} puts chips in before its turn", _shown(room, pause_s))
    room.press("fold")
    room.wait(lambda view: not any(seat.held for seat in view.seats), PATIENCE_S)


def _one_big_chip(room: Room, before: Table, what: Step, mischief: Random) -> int:
    """Now and then a call comes as one chip that is too large: the seat that does so, or 0."""
    hand = before.hand
    if not isinstance(what, Declares) or what.declaration.kind != "call":
        return 0
    if hand is None or hand.turn != what.seat or mischief.random() > 1 / 5:
        return 0
    need = facing(hand, what.seat) - before.street.felt[what.seat]
    chip = next((value for value in DENOMINATIONS if value > need > 0), 0)
    if not chip or chip >= hand.stacks[what.seat] or len(hand.live) < 2:
        return 0
    _move(room, Moves(what.seat, (chip,)))
    shown = room.wait(lambda view: any(alert.code == "oversized-chip" for alert in view.alerts), PATIENCE_S)
    return what.seat if shown else 0
