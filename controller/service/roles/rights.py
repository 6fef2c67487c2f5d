"""Role x step x state: what each role may do, with and without a hand running. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Set
from enum import StrEnum
from typing import Final, Literal, NamedTuple, TypeAlias, get_args

from controller.table import Counted, Redoes, Step, Table, Undoes, is_unknown, stack

Role: TypeAlias = Literal["dealer", "floor", "technician", "room", "player"]
"""`floor` and `technician` are whose badge lies on the reader; the others are who comes through a door of their own."""
State: TypeAlias = Literal["hand", "between"]
"""Whether a hand is played."""
ROLES: Final[tuple[Role, ...]] = get_args(Role)
STATES: Final[tuple[State, ...]] = get_args(State)


class Denied(StrEnum):
    """Why a step was not even tried: it is not for who asked."""

    ASKS_FLOOR = "asks-floor"
    """With the floor's badge on the reader it is done."""
    ASKS_TECHNICIAN = "asks-technician"
    """With the technician's badge on the reader, and no hand running, it is done."""
    NOT_ALLOWED = "not-allowed"


_ASKS: Final[Mapping[Role, Denied]] = {"floor": Denied.ASKS_FLOOR, "technician": Denied.ASKS_TECHNICIAN}


class Door(NamedTuple):
    """A socket, and who may come in by it."""

    name: str
    role: Role
    path: str = ""
    """A place beside the dealer's socket, or anywhere; "" for the dealer's own."""
    users: frozenset[int] | None = None
    """User numbers; None: whoever can open the socket."""
    group: int | None = None
    """The number of the group that the socket gets; None: that of the service."""
    mode: int | None = None
    """Of the socket's file; None: as the service makes files."""

    @property
    def at_table(self) -> bool:
        """The badge on the table's reader speaks for who comes by this door."""
        return self.role == "dealer"


SCREEN: Final = Door("screen", "dealer")
"""The dealer's screen."""


class Rights(NamedTuple):
    """Who may do what, and through which doors."""

    may: Mapping[tuple[Role, State], Set[type[Step]]]
    doors: tuple[Door, ...] = (SCREEN,)
    """That of the dealer's screen first."""
    counted_off: int = 0
    """The house's limit: a counted stack that differs from the book by more is the floor's."""

    def reject(self, roles: Set[Role], step: Step, table: Table) -> Denied | None:
        """Why nobody of these roles may do it now, or None."""
        state: State = "hand" if table.playing else "between"
        for each in _meant(step, table):
            if not any(self._is_for(role, state, each, table) for role in roles):
                return self._asks(each, table) if "dealer" in roles else Denied.NOT_ALLOWED
        return None

    def _is_for(self, role: Role, state: State, step: Step, table: Table) -> bool:
        if role != "floor" and isinstance(step, Counted) and _is_off(step, table, self.counted_off):
            return False
        return type(step) in self.may.get((role, state), ())

    def _asks(self, step: Step, table: Table) -> Denied:
        """Whose badge would do."""
        for role, denied in _ASKS.items():
            if any(self._is_for(role, state, step, table) for state in STATES):
                return denied
        return Denied.NOT_ALLOWED


def _meant(step: Step, table: Table) -> tuple[Step, ...]:
    """The step, and what the floor decided that it would take back or do again."""
    about = table.told if isinstance(step, Undoes) else table.ahead if isinstance(step, Redoes) else None
    return (step, about) if about is not None and about.owner == "floor" else (step,)


def _is_off(step: Counted, table: Table, limit: int) -> bool:
    """True where the count differs from the book by more than the limit. Whoever says that nobody knows what the book
    does know differs by all of it."""
    if step.seat not in table.players or is_unknown(table, step.seat):
        return False
    return step.amount is None or abs(step.amount - stack(table, step.seat)) > limit
