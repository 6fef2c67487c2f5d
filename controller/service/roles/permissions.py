"""Permissions by role, step, and whether a hand is in progress. The functions have no side effects."""

from __future__ import annotations

from collections.abc import Mapping, Set
from enum import StrEnum
from typing import Final, Literal, NamedTuple, TypeAlias, get_args

from controller.steps import Step, hand_steps, table_steps
from controller.table import Table, balances

Role: TypeAlias = Literal["dealer", "floor", "technician", "room", "player"]
"""Role of a client.

The badge on the badge reader gives `floor` or `technician`, and the socket gives the other roles.
"""
HandState: TypeAlias = Literal["hand", "between"]
"""Time at which a permission applies: during a hand, or between hands."""
ROLES: Final[tuple[Role, ...]] = get_args(Role)
HAND_STATES: Final[tuple[HandState, ...]] = get_args(HandState)


class PermissionRefusal(StrEnum):
    """Reasons why a step is refused for lack of permission."""

    NEEDS_FLOOR = "asks-floor"
    """The step is only allowed while the badge of a floor manager is on the badge reader."""
    NEEDS_TECHNICIAN = "asks-technician"
    """The step is only allowed while a technician's badge is on the badge reader."""
    NOT_ALLOWED = "not-allowed"


_REFUSAL_BY_ROLE: Final[Mapping[Role, PermissionRefusal]] = {
    "floor": PermissionRefusal.NEEDS_FLOOR,
    "technician": PermissionRefusal.NEEDS_TECHNICIAN,
}


class Endpoint(NamedTuple):
    """A socket with its own permissions. The roles file calls it a door."""

    name: str
    role: Role
    path: str = ""
    """Path of the socket, absolute or relative to the folder of the dealer's socket.

    It is "" for the dealer's socket.
    """
    users: frozenset[int] | None = None
    """Numbers of the users who may connect, or None if everybody who can open the socket may connect."""
    group: int | None = None
    """Group number of the socket file, or None for the group of the service."""
    mode: int | None = None
    """File mode of the socket file, or None for the default of the service."""

    @property
    def is_at_table(self) -> bool:
        """True if clients of this socket also get the role of the badge on the table's badge reader."""
        return self.role == "dealer"


DEALER_ENDPOINT: Final = Endpoint("screen", "dealer")
"""Socket of the dealer's screen."""


class Permissions(NamedTuple):
    """The permissions by role, and the table's sockets."""

    allowed_steps: Mapping[tuple[Role, HandState], Set[type[Step]]]
    endpoints: tuple[Endpoint, ...] = (DEALER_ENDPOINT,)
    """Sockets of the table. The first one is the socket of the dealer's screen."""
    max_count_difference: int = 0
    """Maximum difference between a counted and a recorded stack that may be corrected without the floor.

    Example: if this difference is 20, the dealer may correct a stack from 400 to 380, but not to 375.
    """

    def reject_reason(self, roles: Set[Role], step: Step, table: Table) -> PermissionRefusal | None:
        """Return why none of these roles may do the step now, or None if the step is allowed."""
        state: HandState = "hand" if table.is_hand_in_progress else "between"
        for affected_step in _affected_steps(step, table):
            if not any(self._is_allowed(role, state, affected_step, table) for role in roles):
                return self._refusal_for(affected_step, table) if "dealer" in roles else PermissionRefusal.NOT_ALLOWED
        return None

    def _is_allowed(self, role: Role, state: HandState, step: Step, table: Table) -> bool:
        if (
            role != "floor"
            and isinstance(step, table_steps.CountsStack)
            and _exceeds_count_limit(step, table, self.max_count_difference)
        ):
            return False
        return type(step) in self.allowed_steps.get((role, state), ())

    def _refusal_for(self, step: Step, table: Table) -> PermissionRefusal:
        """Return a refusal that says which badge would allow the step, if there is one."""
        for role, refusal in _REFUSAL_BY_ROLE.items():
            if any(self._is_allowed(role, state, step, table) for state in HAND_STATES):
                return refusal
        return PermissionRefusal.NOT_ALLOWED


def _affected_steps(step: Step, table: Table) -> tuple[Step, ...]:
    """Return the step. If it would undo or redo a decision of the floor, return that decision too."""
    reverted = (
        table.last_step
        if isinstance(step, hand_steps.Undoes)
        else table.next_redo_step
        if isinstance(step, hand_steps.Redoes)
        else None
    )
    return (step, reverted) if reverted is not None and reverted.verb.owner == "floor" else (step,)


def _exceeds_count_limit(step: table_steps.CountsStack, table: Table, limit: int) -> bool:
    """Return True if the counted stack differs from the recorded stack by more than the limit.

    Also return True if the step declares a known stack as unknown.
    """
    if step.seat not in table.players or balances.is_stack_unknown(table, step.seat):
        return False
    return step.amount is None or abs(step.amount - balances.stack_behind(table, step.seat)) > limit
