"""Where commands of screens come in: each is done once, for who may give it, and as it was meant."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from controller.live import Change, Live, obey
from controller.rules import Refusal
from controller.service.answered import Answered, text_of
from controller.service.beats import Beats
from controller.service.looked_at import LookedAt, Stale
from controller.service.roles import Denials, Denied, Door, Presence, Rights, Role
from controller.table import ChangesDealer, Counted, Sits, Source, Step, StepError, WasDenied, parse
from controller.view import Command, Refused, Reply
from hardware.bad_input import A_NAME, is_name, shown
from hardware.badges import BadgeSeen


class Guarding(NamedTuple):
    """What guards a table: who may do what, and how many badges prove who is there; None: no list, an open table, where
    whoever is at the dealer's screen decides as the floor."""

    rights: Rights
    badges: int | None = None


class Desk:
    """The commands of one table."""

    def __init__(
        self, guarding: Guarding, beats: Beats, recorded: Iterable[str] = (), journal: Callable[[], str] = str
    ) -> None:
        self.beats = beats
        self.looked_at = LookedAt()
        self.presence = Presence(journal)
        self._guarding = guarding
        self._answered = Answered(recorded)
        self._denials = Denials()

    @property
    def doors(self) -> tuple[Door, ...]:
        """The ways in."""
        return self._guarding.rights.doors

    @property
    def badges(self) -> int:
        """How many badges there are; 0 for an open table."""
        return self._guarding.badges or 0

    def once(self, command: Command, do: Callable[[], Refused | None]) -> Reply:
        """The answer to a command, which is done unless it has been answered."""
        reply = self._answered.to(command)
        if reply is None:
            reply = Reply(id=command.id, refused=do())
            self._answered.keep(command, reply)
        return reply

    def obey(self, live: Live, step: Step, at_us: int, *, command: Command, door: Door) -> Change:
        """What comes of a command. What only a badge allowed is the floor's, and recorded with it."""
        if self.beats.is_late(command.beat, at_us):
            return Change(live, refused=Refusal(Stale.TOO_LATE), at_us=at_us)
        change = self._meant(live, step, at_us, command, giver(step))
        if door.at_table and self._guarding.badges is None:
            return change
        counted = [made for made, _ in change.steps if isinstance(made, Counted)]  # what a count on the pad comes to
        rights, roles = self._guarding.rights, self._roles(door, at_us)
        for each in (step, *counted):
            if (denied := rights.reject(roles, each, live.table)) is not None:
                return Change(live, refused=Refusal(denied), at_us=at_us)
        by_badge = any(rights.reject({door.role}, each, live.table) for each in (step, *counted))
        return self._meant(live, step, at_us, command, "floor") if by_badge else change

    def _meant(self, live: Live, step: Step, at_us: int, command: Command, source: Source) -> Change:
        """What comes of it, if it is still what was meant."""
        why = self.looked_at.reject(step, command.shown, live.table)
        if why is not None:
            return Change(live, refused=Refusal(why), at_us=at_us)
        return obey(live, step, at_us, source=source, shown_turn=self.looked_at.turn(command.shown))

    def denied(self, door: Door, step: Step, refused: Refusal, at_us: int) -> WasDenied | None:
        """What is to be recorded of a refusal; None for nothing."""
        return self._denials.note(door, refused.code, step, at_us) if isinstance(refused.code, Denied) else None

    def badge(self, at_us: int) -> BadgeSeen | None:
        """The badge that speaks for what the floor decides."""
        return self.presence.there(at_us)

    def _roles(self, door: Door, at_us: int) -> frozenset[Role]:
        badge = self.presence.there(at_us) if door.at_table else None
        return frozenset({door.role} if badge is None or badge.role is None else {door.role, badge.role})


def understood(do: str) -> Step:
    """The step that a command says. Raises StepError where it is none, or names somebody by what is no name."""
    step = parse(do)
    if isinstance(step, ChangesDealer | Sits) and step.name and not is_name(step.name):
        raise StepError(f"name {shown(step.name)}: {A_NAME}")
    return step


def named_by(command: Command, change: Change) -> str:
    """The command as the record of the change names it."""
    return text_of(command, change.refused.code.value if change.refused is not None else "")


def giver(step: Step) -> Source:
    """Who gives a step that comes from a screen."""
    return "floor" if step.owner == "floor" else "dealer"
