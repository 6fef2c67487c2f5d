"""The desk: what comes from trays, keys and screens, put in order and turned into steps at the table.

Sans-IO: events and commands in with their time, steps out through `record` (the journal) before anything is shown.
Sensors propose, the dealer disposes: a complete, readable motion while the betting is open is a step; what a reader is
not sure of, what moves between the rounds and what looks like a sweep waits for the dealer. See rulings.md, "A
dealer is a person".
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from controller.journal.file import Source
from controller.live.tracking import Tracker
from controller.rules.betting import to_call
from controller.rules.hand import Phase, clockwise
from controller.scripts import player as scripts
from controller.table.reducer import Outcome, step
from controller.table.state import Table, counted, is_open, owed
from controller.table.steps import MOST_REPEATED, Step, StepError, motion, parse
from hardware.chips import chips_for
from hardware.events import (
    DeviceDown,
    DeviceUp,
    Event,
    KeyPressed,
    SeatPressed,
    StackComplete,
    StackSeen,
    TrayOffline,
    TrayOnline,
)
from hardware.spots import seat_of

SWEEP_US = 5_000_000
"""Spots that empty within this time of each other are one sweep: a dealer's arm needs two or three seconds."""
ALONE_US = 2_500_000
"""One spot that emptied alone for so long was not swept: its player took the chips back."""
KEY_GRACE_US = 700_000
"""A check/call key so soon after a tray moved the turn on confirms the seat before: a finger was already on its way."""

BADGE_READER = "badge reader"

SWEEPS = frozenset({"deal", "award", "hand", "void"})
"""Steps after which the dealer's hands take chips off the spots."""

Record = Callable[[Sequence[str], Source, int], None]
"""Puts lines that belong together on disk in one piece, or raises."""


class Ruled(NamedTuple):
    """What the last step was warned about: shown until the next step."""

    codes: tuple[str, ...] = ()
    seat: int | None = None
    at_us: int = 0


class Desk:
    """One table with its sensors. `record(do, source, at_us)` is called before a step takes effect; what it raises ends
    the step with nothing changed."""

    def __init__(
        self,
        table: Table,
        record: Record | None = None,
        *,
        patient: bool = True,
        trays: bool = True,
        readers: frozenset[str] = frozenset(),
    ) -> None:
        """`patient` is how a live table is played; scripts, whose dealer keys at once, are not. `trays` is False where
        the table has no sensors: then everything is keyed in. `readers` are the names of the devices that read
        trays."""
        self.readers = readers
        self.table = table
        self.patient = patient
        self.trays = trays
        self.tracker = Tracker()
        self.seen: dict[int, StackSeen] = {}
        """Provisional: what a spot shows that is not complete."""
        self.doubt: dict[int, StackComplete] = {}
        """Complete, but a reader is not sure of all of it or there are tags without value."""
        self.between: dict[int, tuple[int, ...]] = {}
        """Chips that came while no betting was open, in the order in which they came: for the next street."""
        self.deferred: dict[int, tuple[int, ...]] = {}
        """Chips of the seat in turn that may be an answer to a bet behind it."""
        self.vanished: dict[int, int] = {}
        """Seats whose chips went while the round was open, and when."""
        self.undone: set[int] = set()
        """Seats whose chips still lie there after what was made of them was taken back: for the words that were
        meant."""
        self.devices: dict[str, str | None] = {}
        """Readers and boards: None where they are up, else why not."""
        self.sources: dict[int, str] = {}
        """By seat, where this round's bet comes from: sensed, keyed, confirmed."""
        self.ruled = Ruled()
        self.answered: frozenset[str] = frozenset()
        """Questions that the dealer has answered with "out of turn"."""
        self.damaged = False
        """Records were damaged: what came after the last good one is lost."""
        self.floor_called = False
        self.too_early = False
        """The next street was dealt, or so a key says, while the betting was open."""
        self.turned_us = 0
        """When a tray last moved the turn on."""
        self.changes = 0
        """Grows with everything that a screen could show."""
        self._record = record

    # --- steps ---

    def do(self, what: Step, source: Source, at_us: int) -> Outcome:
        """One step: on disk first, then in effect."""
        outcome = step(self.table, what, at_us)
        self.changes += 1
        if outcome.refused is None:
            self._take([(what, outcome)], source, at_us)
        return outcome

    def _take(self, done: Sequence[tuple[Step, Outcome]], source: Source, at_us: int) -> None:
        """Steps that belong together: one after the other in effect, in one piece on disk."""
        if self._record is not None:
            self._record([what.text for what, _ in done], source, at_us)
        for what, outcome in done:
            self._took(self.table, outcome, what, source, at_us)

    def _took(self, before: Table, outcome: Outcome, what: Step, source: str, at_us: int) -> None:
        self.table = outcome.table
        self.ruled = Ruled(outcome.warnings, what.seat or None, at_us)
        old, new = before.hand, self.table.hand
        if old is None or new is None or (old.round, before.hands) != (new.round, self.table.hands):
            self._new_street()
        if what.verb == "undo":
            self.undone |= {seat for seat in before.players if self.table.felt[seat] < before.felt[seat]}
        if what.seat and what.verb in ("act", "says", "moved", "floor"):
            self.sources[what.seat] = _source(self.sources.get(what.seat), what, source)
        if source == "sensor" and old and new and old.turn != new.turn:
            self.turned_us = at_us
        self.answered &= self._can_be_answered()
        self.too_early = False

    def _new_street(self) -> None:
        """What was open about the chips of the last one is over: they are swept."""
        for seat in self.vanished:
            self.tracker.lies(seat, ())
        self.vanished.clear()
        self.sources.clear()
        self.doubt.clear()
        self.undone.clear()

    def replay(self, do: str, source: str, at_us: int) -> None:
        """A recorded step again, as it was. Raises ValueError where it is refused now: the journal is another
        table's."""
        if self._noted(do):
            return
        what = parse(do)
        before = self.table
        outcome = step(before, what, at_us)
        if outcome.refused is not None:
            raise ValueError(f"{do!r}: expected a step that was done, {outcome.refused}")
        self._took(before, outcome, what, source, at_us)
        if what.verb in SWEEPS:
            for seat in before.players:
                if before.felt[seat] > self.table.felt[seat]:
                    self.tracker.left(seat, before.felt[seat])

    # --- commands ---

    def command(self, do: str, at_us: int, shown_turn: int | None = None) -> str | None:
        """A touch or key. Gives None, or why nothing was done. `shown_turn` is the seat in turn that the person saw."""
        if do.startswith("ack "):
            return self._acknowledge(do, at_us)
        if do in ("call floor", "floor"):
            self._note("call floor", at_us)
            return None
        try:
            what = parse(do)
        except StepError as error:
            return str(error)
        late = self._too_late(what, at_us, shown_turn)
        if late is not None:
            return late or None
        if what.verb == "act":
            outcome = self._keyed(what, at_us)
        else:
            outcome = self.do(what, "floor" if what.verb == "floor" else "dealer", at_us)
        if outcome.refused is None:
            self._street_opened(at_us)
            self._answered_now(at_us)
        elif what.verb == "deal" and is_open(self.table) and not self.too_early:
            self._note("too early", at_us)
        return outcome.refused

    def _note(self, line: str, at_us: int) -> None:
        """What the dealer did that is no step at the table, but is shown: on disk first, as a step is."""
        if self._record is not None:
            self._record([line], "dealer", at_us)
        self._noted(line)
        self.changes += 1

    def _noted(self, line: str) -> bool:
        """Takes a note in effect; False where the line is none."""
        if line.startswith("ack "):
            self.answered |= {line[4:]}
        elif line.startswith("confirmed "):
            self.sources[int(line[10:])] = "confirmed"
        elif line == "call floor":
            self.floor_called = not self.floor_called
        elif line == "too early":
            self.too_early = True
        else:
            return False
        return True

    def _acknowledge(self, do: str, at_us: int) -> str | None:
        if do[4:] not in self._can_be_answered():
            return f"{do[:MOST_REPEATED]!r}: expected the answer to a question that is open"
        self._note(do, at_us)
        self._answered_now(at_us)
        return None

    def _can_be_answered(self) -> set[str]:
        return {*(f"held-{seat}" for seat in self.table.held), *(f"now-{seat}" for seat in self.deferred)}

    def _too_late(self, what: Step, at_us: int, shown_turn: int | None) -> str | None:
        """A key for the seat that was shown in turn, whose chips have been taken meanwhile: the same action again is a
        confirmation (""), another is refused."""
        hand = self.table.hand
        if what.verb != "act" or shown_turn != what.seat or hand is None or hand.turn == what.seat:
            return None
        last = next((act for act in reversed(hand.log) if act.seat == what.seat), None)
        if last is None or what.words is None:
            return None
        done = {"call": "call", "check": "check", "fold": "fold"}.get(what.words.kind, "wager")
        if done == last.verb.value:
            self._note(f"confirmed {what.seat}", at_us)
            return ""
        return f"seat {what.seat} has acted already: its chips were read as a {last.verb.value}"

    def _keyed(self, what: Step, at_us: int) -> Outcome:
        """Keyed words; where the tray cannot say it, they count as chips put in, in the same piece."""
        seat, words = what.seat, step(self.table, what, at_us)
        self.changes += 1
        if words.refused is not None:
            return words
        done = [(what, words)]
        unseen = not self.trays or seat in self.table.offline or seat in self.doubt
        chips = scripts.declared_chips(self.table, words.table, what) if unseen else self._lying_uncounted(seat)
        if chips is not None:
            put = step(words.table, chips, at_us)
            if put.refused is None:
                done.append((chips, put))
        self._take(done, "dealer", at_us)
        return words

    def _lying_uncounted(self, seat: int) -> Step | None:
        """The chips on the spot that the book does not count since a step was taken back, as a motion."""
        excess = self.tracker.value(seat, self.table) - self.table.felt[seat]
        if seat not in self.undone or excess <= 0:
            return None
        chips = self.tracker.lying[seat] if not self.table.felt[seat] else chips_for(excess)
        return motion(seat, chips, ())

    def _key(self, key: str, at_us: int) -> None:
        if key in ("undo", "deal", "floor"):
            self.command(key, at_us)
        elif self.table.hand is not None and self.table.hand.turn:
            self._turn_key(key, at_us)
        self.changes += 1

    def _turn_key(self, key: str, at_us: int) -> None:
        hand = self.table.hand
        assert hand is not None
        if self._still_moving(hand.turn, at_us) and key == "check-call":
            return  # the dealer says that the motion is over: that was its meaning
        if key == "check-call" and at_us - self.turned_us < KEY_GRACE_US and self.turned_us:
            self.ruled = Ruled(("key-too-late",), hand.turn, at_us)
            return
        hand = self.table.hand
        if hand is None or not hand.turn:
            return
        seat = hand.turn
        if key == "next-seat":
            waiting = [other for other in _after(hand.order, seat) if other in hand.pending]
            self.command(f"here {waiting[0]}" if waiting else f"{seat} check", at_us)
        elif key == "fold":
            self.command(f"{seat} fold", at_us)
        elif key == "check-call":
            self.command(f"{seat} {'call' if to_call(hand, seat) else 'check'}", at_us)

    def _still_moving(self, seat: int, at_us: int) -> bool:
        """A key while chips of the seat in turn are seen and not complete: its motion is over, because the next seat
        acts or the dealer says so. True where that was a motion."""
        shown = self.seen.get(seat)
        if shown is None or shown.at_least or shown.unknown or self.table.felt[seat] >= sum(shown.chips):
            return False
        if self.answers_to(seat):
            return False
        del self.seen[seat]
        return any(outcome.refused is None for outcome in self._moved(seat, shown.chips, at_us))

    # --- sensors ---

    def on_event(self, event: Event, at_us: int) -> list[Outcome]:
        """What the hardware tells. Gives what came of the steps that it made."""
        self.changes += 1
        match event:
            case StackSeen():
                self._seen(event)
            case StackComplete():
                return self._complete(event, at_us)
            case TrayOffline():
                return self._tray(event.spot, "unplug", at_us)
            case TrayOnline():
                return self._tray(event.spot, "plug", at_us)
            case KeyPressed():
                self._key(event.key, at_us)
            case SeatPressed():
                self.command(f"here {event.seat}", at_us)
            case DeviceUp():
                self.devices[event.device] = None
            case DeviceDown():
                self.devices[event.device] = event.reason
        return []

    def _seen(self, event: StackSeen) -> None:
        seat = seat_of(event.spot)
        if seat is not None and not self.tracker.is_left(self.table, seat, event.chips):
            self.seen[seat] = event

    def _tray(self, spot: str, verb: str, at_us: int) -> list[Outcome]:
        seat = seat_of(spot)
        if seat is None:
            return []
        self.seen.pop(seat, None)
        if (verb == "unplug") == (seat in self.table.offline):
            return []
        return [self.do(parse(f"{verb} {seat}"), "sensor", at_us)]

    def _complete(self, event: StackComplete, at_us: int) -> list[Outcome]:
        seat = seat_of(event.spot)
        if seat is None:
            return []
        self.seen.pop(seat, None)
        self.doubt.pop(seat, None)
        self.undone.discard(seat)
        if event.at_least or event.unknown:
            self.doubt[seat] = event
            return []
        if self.tracker.is_left(self.table, seat, event.chips):
            self.tracker.lies(seat, event.chips)
            return []
        if self.patient and not self._betting():
            return self._between_rounds(seat, event.chips)
        if self.patient and self._swept(seat, event.chips, at_us):
            return []
        self.deferred.pop(seat, None)
        if self.patient and self.answers_to(seat) and sum(event.chips) > self.tracker.value(seat, self.table):
            self.deferred[seat] = event.chips
            return []
        return self._moved(seat, event.chips, at_us)

    def is_open_doubt(self, seat: int) -> bool:
        """True where a tray that is not sure of all sees more than the book counts already."""
        return sum(self.doubt[seat].chips) > self.table.felt[seat]

    def answers_to(self, seat: int) -> tuple[int, ...]:
        """Seats that have bet already although this one comes before them: its chips may be an answer to theirs, after
        a check that was not keyed yet, or its act before them. The dealer knows which; until then they wait."""
        hand = self.table.hand
        if hand is None or not hand.turn or seat not in hand.pending or f"now-{seat}" in self.answered:
            return ()
        ring = clockwise(hand.order, hand.turn - 1)
        return tuple(
            other
            for other, held in self.table.held.items()
            if held.out_of_turn and held.said.startswith(("bet", "raise")) and ring.index(other) > ring.index(seat)
        )

    def _answered_now(self, at_us: int) -> None:
        """Chips whose meaning has become clear."""
        for seat in [seat for seat in self.deferred if not self.answers_to(seat)]:
            self._moved(seat, self.deferred.pop(seat), at_us)

    def _moved(self, seat: int, chips: tuple[int, ...], at_us: int) -> list[Outcome]:
        what = self.tracker.settled(self.table, seat, chips)
        return [] if what is None else [self.do(what, "sensor", at_us)]

    def _betting(self) -> bool:
        hand = self.table.hand
        return hand is not None and self.table.playing and hand.phase in (Phase.BETTING, Phase.BRING_IN, Phase.FIRST)

    def _between_rounds(self, seat: int, chips: tuple[int, ...]) -> list[Outcome]:
        """While the dealer sweeps or pays, chips that go are expected, chips that come are for the next street."""
        if sum(chips) > self.tracker.value(seat, self.table) and not self._owes(seat):
            self.between.pop(seat, None)
            self.between[seat] = chips
            return []
        self.between.pop(seat, None)
        if self._owes(seat):
            return self._moved(seat, chips, self.ruled.at_us)
        self.tracker.lies(seat, chips)
        return []

    def _owes(self, seat: int) -> bool:
        return self.table.playing and owed(self.table, seat) > 0

    def _street_opened(self, at_us: int) -> None:
        """Chips that came between the rounds are the first motions of the street that has opened now."""
        if not self.between or not self._betting():
            return
        waiting, self.between = self.between, {}
        for seat, chips in waiting.items():
            self._moved(seat, chips, at_us)

    # --- sweeps ---

    def _swept(self, seat: int, chips: tuple[int, ...], at_us: int) -> bool:
        """True where a spot emptied while the round was open: it may be a sweep, `poll` decides when it was not."""
        self.vanished.pop(seat, None)
        expected = self.table.felt[seat] - self.tracker.value(seat, self.table) < 0
        if chips or expected or not self.table.felt[seat] or self.table.felt[seat] == self._due(seat):
            return False
        self.vanished[seat] = at_us
        return True

    def _due(self, seat: int) -> int:
        assert self.table.hand is not None
        return self.table.felt[seat] - counted(self.table, seat)

    @property
    def sweeping(self) -> bool:
        """True where several spots emptied together while the round is open: the street is closing, or so it seems."""
        times = sorted(self.vanished.values())
        return len(times) > 1 and times[-1] - times[0] <= SWEEP_US and is_open(self.table)

    def poll(self, now_us: int) -> list[Outcome]:
        """What follows from time alone."""
        if not self._betting():
            for seat in self.vanished:
                self.tracker.lies(seat, ())
            self.vanished.clear()
            return []
        if self.sweeping:
            return []
        outcomes = []
        for seat in [seat for seat, at_us in self.vanished.items() if now_us - at_us >= ALONE_US]:
            del self.vanished[seat]
            outcomes += self._moved(seat, (), now_us)
            self.changes += 1
        return outcomes

    def badge_reader(self, why_not: str | None) -> None:
        """The badge reader works, or why it does not."""
        self.devices[BADGE_READER] = why_not
        self.changes += 1

    def kind_of(self, device: str) -> str:
        """The alert code for a device that does not answer."""
        if device == BADGE_READER:
            return "badge-reader-offline"
        return "reader-offline" if device in self.readers else "board-offline"

    def next_deadline_us(self) -> int | None:
        """When `poll` has to be called at the latest."""
        return min(self.vanished.values()) + ALONE_US if self.vanished and not self.sweeping else None


def _after(order: tuple[int, ...], seat: int) -> tuple[int, ...]:
    at = order.index(seat)
    return (*order[at + 1 :], *order[:at])


def _source(old: str | None, what: Step, source: str) -> str:
    if source == "sensor":
        return "confirmed" if old == "keyed" else "sensed"
    return "keyed" if what.verb != "says" or old is None else old
