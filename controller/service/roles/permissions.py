"""Permissions by role, step, and whether a hand is in progress. The functions have no side effects."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from enum import StrEnum
from typing import Final, Literal, NamedTuple, TypeAlias, get_args

from controller.rules import NO_SEATS
from controller.steps import Step, hand_steps, table_steps
from controller.table import MAX_UNDO_STEPS, Table, UndoEntry, balances

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
    NEEDS_OWN_BADGE = "asks-own-badge"
    """The step names a dealer who has a badge, and this badge is not on the badge reader."""
    BADGE_SILENT = "badge-silent"
    """The badge was taken away, or did not sign the step in time."""
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


ROOM_SOCKET: Final = "room/table.sock"
"""Path of the read-only socket that `--room-group` opens, relative to the folder of the dealer's socket."""


class Permissions(NamedTuple):
    """The permissions by role, and the table's sockets."""

    allowed_steps: Mapping[tuple[Role, HandState], Set[type[Step]]]
    endpoints: tuple[Endpoint, ...] = (DEALER_ENDPOINT,)
    """Sockets of the table. The first one is the socket of the dealer's screen."""
    max_count_difference: int = 0
    """Maximum difference between a counted and a recorded stack that may be corrected without the floor.

    Example: if this difference is 20, the dealer may correct a stack from 400 to 380, but not to 375.
    """

    def with_dealer_group(self, group: int) -> Permissions:
        """Return a copy in which this group may use the dealer's socket, unless the roles file names another group."""
        dealer, *others = self.endpoints
        return self if dealer.group is not None else self._replace(endpoints=(dealer._replace(group=group), *others))

    def with_room(self, group: int) -> Permissions:
        """Return a copy with a read-only socket for this group, unless the roles file has a socket for the room."""
        if any(endpoint.role == "room" for endpoint in self.endpoints):
            return self
        room = Endpoint("room", "room", ROOM_SOCKET, group=group)
        return self._replace(endpoints=(*self.endpoints, room))

    def reject_reason(
        self, roles: Set[Role], step: Step, table: Table, *, disputed_seats: Set[int] = NO_SEATS
    ) -> PermissionRefusal | None:
        """Return why none of these roles may do the step now, or None if the step is allowed.

        A step that takes back or replaces what needed a badge needs the same badge. `disputed_seats` are the seats with
        a count that was refused because it needed the floor.
        """
        if isinstance(step, table_steps.QueuesStep) and step.queued is not None:
            after_hand = table._replace(hand=None)
            refusal = self.reject_reason(roles, step.queued, after_hand, disputed_seats=disputed_seats)
            if refusal is not None:
                return refusal
        if not self._is_allowed_to_any(roles, step, table):
            return self._refusal_for(step, table) if "dealer" in roles else PermissionRefusal.NOT_ALLOWED
        if "floor" not in roles and self._evades_floor(step, table, disputed_seats):
            return PermissionRefusal.NEEDS_FLOOR if "dealer" in roles else PermissionRefusal.NOT_ALLOWED
        reverted = _reverted_act(step, table)
        if reverted is None or not self._needs_role(*reverted):
            return None
        return self.reject_reason(roles, *reverted)

    def _needs_role(self, step: Step, table: Table) -> bool:
        """Return True if the step needs another role than the dealer's. What only a sensor does needs no role."""
        return self.reject_reason({"dealer"}, step, table) is not None and self._is_manual(step)

    def _is_manual(self, step: Step) -> bool:
        return any(type(step) in steps for steps in self.allowed_steps.values())

    def _is_allowed_to_any(self, roles: Set[Role], step: Step, table: Table) -> bool:
        state: HandState = "hand" if table.is_hand_in_progress else "between"
        return any(self._is_allowed(role, state, step, table) for role in roles)

    def _is_allowed(self, role: Role, state: HandState, step: Step, table: Table) -> bool:
        if (
            role != "floor"
            and isinstance(step, table_steps.CountsStack)
            and _exceeds_count_limit(step, table, self.max_count_difference)
        ):
            return False
        return type(step) in self.allowed_steps.get((role, state), ())

    def _evades_floor(self, step: Step, table: Table, disputed_seats: Set[int]) -> bool:
        """Return True if the step would replace a decision of the floor, or a count that needs the floor."""
        if isinstance(step, _REPLACES_HAND):
            return self._has_decided(_entries_of_hand(table))
        if isinstance(step, _REPLACES_ACTION):
            return self._has_decided(_entries_of_round(table))
        if isinstance(step, _CHANGES_STACK):
            seats = set(table.players) if isinstance(step, _CHANGES_ALL_STACKS) else {step.seat}
            entries = _entries_since_hand_start(table)
            return bool(seats & disputed_seats) or any(self._has_decided(entries, seat) for seat in seats)
        return isinstance(step, table_steps.SitsDown) and self._replaces_count(step, table)

    def _has_decided(self, entries: Iterable[UndoEntry], seat: int = 0) -> bool:
        """Return True if one of these steps needed another role than the dealer's.

        If `seat` is given, only counts of its stack are considered. Return True for steps that are no longer remembered
        too, because nobody knows what they were.
        """
        entries = tuple(entries)
        return len(entries) == MAX_UNDO_STEPS or any(
            not self._is_allowed_to_any({"dealer"}, entry.step, entry.table_before)
            and self._is_manual(entry.step)
            and not isinstance(entry.step, _CAGE_TRANSFERS)
            for entry in entries
            if not seat or (isinstance(entry.step, table_steps.CountsStack) and entry.step.seat == seat)
        )

    def _replaces_count(self, step: table_steps.SitsDown, table: Table) -> bool:
        """Return True if the player who has just left the seat may sit down again with another stack.

        A player with another name is somebody else.
        """
        departed = table.vacated_seats.get(step.seat)
        if departed is None or departed.stack_unknown or step.name not in ("", departed.name):
            return False
        return abs(step.amount - departed.stack) > self.max_count_difference

    def _refusal_for(self, step: Step, table: Table) -> PermissionRefusal:
        """Return a refusal that says which badge would allow the step, if there is one."""
        for role, refusal in _REFUSAL_BY_ROLE.items():
            if any(self._is_allowed(role, state, step, table) for state in HAND_STATES):
                return refusal
        return PermissionRefusal.NOT_ALLOWED


_CAGE_TRANSFERS: Final = (table_steps.FillsTray, table_steps.CreditsTray)
"""Steps of the floor that decide nothing about a hand or a stack."""
_REPLACES_HAND: Final = (hand_steps.VoidsHand, hand_steps.SkipsHand)
"""Steps that discard the hand, and with it what the floor has decided in the hand."""
_REPLACES_ACTION: Final = (hand_steps.CorrectsWager, hand_steps.CorrectsAction, hand_steps.SpokeBeforeChips)
"""Steps that judge an action of this betting round again, and so may replace what the floor has decided about it."""
_CHANGES_ALL_STACKS: Final = (table_steps.CollectsFromEach, table_steps.PaysEach)
"""Steps that change the stacks of all players."""
_CHANGES_STACK: Final = (
    table_steps.AddsChips,
    table_steps.AddsCash,
    table_steps.GivesMarker,
    table_steps.RedeemsMarker,
    table_steps.TipsDealer,
    table_steps.PaysTimeCollection,
    table_steps.PaysBounty,
    *_CHANGES_ALL_STACKS,
    table_steps.LeavesTable,
    table_steps.ChangesSeat,
)
"""Steps with which a stack could be set to any amount without a count."""


def _reverted_act(step: Step, table: Table) -> tuple[Step, Table] | None:
    """Return the step that undo would take back or redo would apply again, and the table before that step.

    Return None for all other steps, and if there is no such step.
    """
    if isinstance(step, hand_steps.Undoes) and table.undo_stack:
        *earlier, entry = table.undo_stack
        return entry.step, entry.table_before._replace(undo_stack=tuple(earlier))
    if isinstance(step, hand_steps.Redoes) and table.redo_stack:
        entry = table.redo_stack[-1].undo_entry
        return entry.step, entry.table_before._replace(undo_stack=table.undo_stack)
    return None


def _entries_since_hand_start(table: Table) -> list[UndoEntry]:
    """Return the steps of the hand in progress or, between hands, of the last hand and all later steps."""
    return [entry for entry in table.undo_stack if entry.table_before.hands_started == table.hands_started]


def _entries_of_hand(table: Table) -> list[UndoEntry]:
    return [entry for entry in _entries_since_hand_start(table) if entry.table_before.is_hand_in_progress]


def _entries_of_round(table: Table) -> list[UndoEntry]:
    round_number = table.hand.round_number if table.hand is not None else 0
    return [
        entry
        for entry in _entries_of_hand(table)
        if entry.table_before.hand is not None and entry.table_before.hand.round_number == round_number
    ]


def _exceeds_count_limit(step: table_steps.CountsStack, table: Table, limit: int) -> bool:
    """Return True if the counted stack differs from the recorded stack by more than the limit.

    Also return True if the step declares a known stack as unknown.
    """
    if step.seat not in table.players or balances.is_stack_unknown(table, step.seat):
        return False
    return step.amount is None or abs(step.amount - balances.stack_behind(table, step.seat)) > limit
