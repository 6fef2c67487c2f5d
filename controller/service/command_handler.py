"""The command handler: it executes a command if its sender has permission.

A command is refused if it no longer means what its sender saw.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Set
from typing import Final, NamedTuple

from controller.live import Live, RecordedStep, Transition, handle_command
from controller.rules import Refusal
from controller.service.guided_setup import SetUpRefusal
from controller.service.heartbeats import Heartbeats
from controller.service.roles import (
    DEALER_ENDPOINT,
    BadgePresence,
    DenialLog,
    Endpoint,
    PermissionRefusal,
    Permissions,
    Role,
)
from controller.service.view_history import StaleRefusal, ViewHistory
from controller.steps import (
    Step,
    StepSource,
    hand_steps,
    observations,
    table_steps,
)
from controller.table import Table
from controller.view import Command
from hardware.badges import BadgeList, dealer_names
from hardware.events import Event, Key, KeyPressed


class AccessPolicy(NamedTuple):
    """The permissions of a table, and how many badges are registered.

    If `badge_count` is None, the table is open. Then anybody at the dealer's screen has the rights of the floor.
    `badge_list_number` is the number of a signed list, or 0.
    """

    permissions: Permissions
    badge_count: int | None = None
    badge_list_number: int = 0
    dealer_names: frozenset[str] = frozenset()
    """Names of all dealers who have a badge with a key, in lower case."""


_STEP_OF_KEY: Final[Mapping[Key, Step]] = {"undo": hand_steps.Undoes(), "floor": observations.ClearsFloorCall()}
"""Steps of the dealer's keys that may need a badge. Every dealer may give the steps of the other keys."""
_SETTLES_STACK: Final = (table_steps.CountsStack, table_steps.LeavesTable, table_steps.ChangesSeat)
"""Steps after which a stack is no longer disputed. While it is disputed, only the floor may do the last two."""
_KEY_ENDPOINT: Final = Endpoint("keys", "dealer")
"""Endpoint that the record of a denied key names."""


class CommandHandler:
    """Handles the commands that screens send to a table."""

    def __init__(
        self,
        access_policy: AccessPolicy,
        heartbeats: Heartbeats,
        journal_name: Callable[[], str] = str,
    ) -> None:
        self.heartbeats = heartbeats
        self.view_history = ViewHistory()
        self.presence = BadgePresence(journal_name)
        self._access_policy = access_policy
        self._denials = DenialLog()
        self._disputed_seats: set[int] = set()
        """Seats with a count that was refused because it needed the floor. An accepted count removes the seat."""

    @property
    def endpoints(self) -> tuple[Endpoint, ...]:
        """The sockets of the table."""
        return self._access_policy.permissions.endpoints

    @property
    def badge_count(self) -> int:
        """Number of registered badges, or 0 for an open table."""
        return self._access_policy.badge_count or 0

    @property
    def badge_list_number(self) -> int:
        """Number of the signed list of badges, or 0."""
        return self._access_policy.badge_list_number

    def use_badge_list(self, badge_list: BadgeList) -> None:
        """Continue with another list of badges. The monitor of the readers then reads all cards again."""
        self._access_policy = self._access_policy._replace(
            badge_count=len(badge_list.badges),
            badge_list_number=badge_list.number,
            dealer_names=dealer_names(badge_list.badges),
        )

    def use_permissions(self, permissions: Permissions) -> None:
        """Continue with other permissions, which must name the same sockets."""
        self._access_policy = self._access_policy._replace(permissions=permissions)

    def decide(self, live: Live, step: Step, at_us: int, *, command: Command, endpoint: Endpoint) -> Transition:
        """Return the change that a command causes, or a change with a refusal.

        A step that is allowed only because a badge is on the badge reader is recorded as a decision of the floor. When
        a count on the count pad ends, it may correct a stack. Then the sender also needs permission to correct that
        stack.
        """
        if self.heartbeats.is_late(command.heartbeat, at_us):
            return Transition(live, refusal=Refusal(StaleRefusal.TOO_LATE), at_us=at_us)
        change = self._apply_if_current(live, step, at_us, command, source_of(step))
        if endpoint.is_at_table and self._access_policy.badge_count is None:
            return change
        # When a count on the count pad ends, it may correct a stack, which needs a permission of its own.
        pad_counts = [
            recorded_step for recorded_step, _ in change.steps if isinstance(recorded_step, table_steps.CountsStack)
        ]
        roles = self._roles(endpoint, at_us)
        for checked_step in (step, *pad_counts):
            if (refusal := self._reject_reason(roles, checked_step, live)) is not None:
                if isinstance(checked_step, table_steps.CountsStack) and refusal is PermissionRefusal.NEEDS_FLOOR:
                    self._disputed_seats.add(checked_step.seat)
                return Transition(live, refusal=Refusal(refusal), at_us=at_us)
        is_allowed_by_badge = any(
            self._reject_reason({endpoint.role}, checked_step, live) for checked_step in (step, *pad_counts)
        )
        if is_allowed_by_badge:
            change = self._apply_if_current(live, step, at_us, command, "floor")
        return change

    def set_up_refusal(self, endpoint: Endpoint, command: Command, live: Live, at_us: int) -> Refusal | None:
        """Return why this sender may not use the guided set-up now, or None if it may.

        The set-up needs a technician's badge, or a house without badges, and no hand in progress.
        """
        if self.heartbeats.is_late(command.heartbeat, at_us):
            return Refusal(StaleRefusal.TOO_LATE)
        is_open = endpoint.is_at_table and self._access_policy.badge_count is None
        if not is_open and "technician" not in self._roles(endpoint, at_us):
            is_dealer = endpoint.role == "dealer"
            return Refusal(PermissionRefusal.NEEDS_TECHNICIAN if is_dealer else PermissionRefusal.NOT_ALLOWED)
        return Refusal(SetUpRefusal.HAND_IN_PROGRESS) if live.table.is_hand_in_progress else None

    def note_accepted(self, step: Step, change: Transition) -> None:
        """Note that the step of a command was recorded, with the change that it caused."""
        self.view_history.add_command(step)
        for settled, _ in change.steps:
            if isinstance(settled, _SETTLES_STACK):
                self._disputed_seats.discard(settled.seat)

    def check_key(self, live: Live, pressed: KeyPressed, change: Transition) -> Transition:
        """Return the change that one of the dealer's keys causes, or a change with a refusal.

        The dealer's keys need the same permissions as the dealer's screen.
        """
        at_us, step = change.at_us, _STEP_OF_KEY.get(pressed.key)
        if step is None or RecordedStep(step, "dealer") not in change.steps or self._access_policy.badge_count is None:
            return change
        if (refusal := self._reject_reason(self._roles(DEALER_ENDPOINT, at_us), step, live)) is not None:
            return Transition(live, refusal=Refusal(refusal), at_us=at_us)
        is_allowed_by_badge = self._reject_reason({DEALER_ENDPOINT.role}, step, live) is not None
        return handle_command(live, step, at_us, source="floor") if is_allowed_by_badge else change

    def _reject_reason(self, roles: Set[Role], step: Step, live: Live) -> PermissionRefusal | None:
        dealer = _dealer_after(step, live.table)
        if dealer != live.table.dealer and dealer.lower() in self._access_policy.dealer_names and "floor" not in roles:
            return PermissionRefusal.NEEDS_OWN_BADGE if "dealer" in roles else PermissionRefusal.NOT_ALLOWED
        return self._access_policy.permissions.reject_reason(
            roles, step, live.table, disputed_seats=self._disputed_seats
        )

    def _apply_if_current(self, live: Live, step: Step, at_us: int, command: Command, source: StepSource) -> Transition:
        """Return the change that a step causes, or a refusal if the step no longer means what its sender saw."""
        refusal = self.view_history.reject_reason(step, command.view_sequence, live.table)
        if refusal is not None:
            return Transition(live, refusal=Refusal(refusal), at_us=at_us)
        return handle_command(
            live, step, at_us, source=source, shown_turn=self.view_history.seat_in_turn(command.view_sequence)
        )

    def denial_to_record(
        self, cause: Endpoint | Event, step: Step | None, refusal: Refusal, at_us: int
    ) -> observations.CommandDenied | None:
        """Return an observation that records a missing permission, or None if nothing is to be recorded.

        `cause` is the socket of the command or the event of a key.
        """
        endpoint = cause if isinstance(cause, Endpoint) else _KEY_ENDPOINT
        step = step or (_STEP_OF_KEY.get(cause.key) if isinstance(cause, KeyPressed) else None)
        if step is None or not isinstance(refusal.code, PermissionRefusal):
            return None
        return self._denials.denial_to_record(endpoint, refusal.code, step, at_us)

    def _roles(self, endpoint: Endpoint, at_us: int) -> frozenset[Role]:
        badge = self.presence.active_badge(at_us) if endpoint.is_at_table else None
        return frozenset({endpoint.role} if badge is None or badge.role is None else {endpoint.role, badge.role})


def source_of(step: Step) -> StepSource:
    """Return who is recorded as the source of a step from a screen: the floor or the dealer."""
    return "floor" if step.verb.owner == "floor" else "dealer"


def _dealer_after(step: Step, table: Table) -> str:
    """Return the name of the dealer after the step, also if it takes back or repeats a change of the dealer."""
    if isinstance(step, hand_steps.Undoes) and table.undo_stack:
        return table.undo_stack[-1].table_before.dealer
    if isinstance(step, hand_steps.Redoes) and table.redo_stack:
        return table.redo_stack[-1].table_after.dealer
    return step.name if isinstance(step, table_steps.ChangesDealer) else table.dealer
