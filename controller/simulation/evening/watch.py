"""Looks over the table's shoulder: what it made of each motion, what it asked, and whether that was true."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from controller.live import Change, Live, found
from controller.report import Motion as Record
from controller.report import Outcome
from controller.rules import Hand
from controller.simulation.evening.tally import Tally, Wrong
from controller.table import Moves, Table
from controller.view import Alert
from hardware.events import StackComplete, StackSeen
from hardware.simulated.hands import Hands
from hardware.spots import POT, bet_spot, seat_of

ABOUT_AMOUNTS: Final = frozenset(
    {
        "at-least",
        "unknown-chip",
        "covered",
        "copied",
        "strangers",
        "own-stack",
        "last-pot",
        "splash",
        "change",
        "folded-seat",
    }
)
"""Questions about how much a seat has put in."""
TELLS: Final = ABOUT_AMOUNTS | {
    "unsettled",
    "owes",
    "due-back",
    "tray-offline",
    "failed",
    "string-bet",
    "under-bet",
    "under-call",
    "under-raise",
    "over-limit",
    "oversized-chip",
    "chips-withdrawn",
    "stack-corrected",
    "chips-between-rounds",
    "chips-left-over",
    "not-on-the-felt",
    "chips-found",
    "emptied",
    "act-or-answer",
}
"""All that tells of a seat that its amount may be wrong."""
OUT_OF_TURN: Final = frozenset(
    {"behind-the-turn", "out-of-turn", "act-or-answer", "skipped", "string-bet", "chips-between-rounds", "folded-seat"}
)
"""All that tells of chips of a seat that it is not in turn: another seat is, or nobody is, it has acted already, or has
folded."""
OF_SPOTS: Final = ABOUT_AMOUNTS - {"at-least", "folded-seat"}
"""Alerts about what lies on a spot: true where something has gone wrong there."""


@dataclass(slots=True)
class Motion:
    """A player's putting chips in."""

    seat: int
    at_us: int
    uids: frozenset[str] = frozenset()
    """Its chips, once they lie there."""
    lies: frozenset[str] = frozenset()
    """All that lies on the spot then."""
    landed_us: int = 0
    seen_us: int = 0
    complete_us: int = 0
    taken: bool = False
    """By the table itself."""
    asked: bool = False
    needless: bool = False


class Watch:
    """Everything that is counted at one table."""

    def __init__(self, tally: Tally, hands: Hands, seed: int, is_dead: Callable[[str], bool]) -> None:
        self.tally = tally
        self.motions: list[Motion] = []
        """Of this round."""
        self.early: set[int] = set()
        """Seats that acted out of turn in this round."""
        self._untold: set[int] = set()
        """Those of them about which nothing was said yet, and which have not acted in turn since."""
        self.told: dict[int, set[str]] = {}
        """By seat, what was said in this round that its amount may be wrong."""
        self.heard: dict[str, set[str]] = {}
        """By spot, the tags that have answered there in this round, at the pot in this hand."""
        self._told_at_bets: set[str] = set()
        """The chips that were told at any bet spot in this round."""
        self.wrong = False
        """An amount of this hand was wrong."""
        self.silent = False
        """And nothing was said about it."""
        self._hands = hands
        self._seed = seed
        self._is_dead = is_dead
        self._never_heard: set[str] = set()
        """Of this hand: chips that were bet and swept without a word of theirs."""
        self._found: set[str] = set()
        """Of this hand: chips that the table says were never seen on a spot."""
        self._hand = self._paid = 0
        """The number of the hand at the table, and of the last one that was paid: the table goes on naming the chips of
        that one until the next is keyed."""
        self._standing: frozenset[tuple[tuple[str, int, str], str]] = frozenset()

    # --- what people do ---

    def begins(self, seat: int, at_us: int) -> Motion:
        """A player takes chips."""
        motion = Motion(seat, at_us)
        self.motions.append(motion)
        self.tally.motions += 1
        return motion

    def landed(self, motion: Motion, before: Collection[str], now_us: int) -> None:
        """The last of its chips lies there."""
        motion.lies = frozenset(self._hands.wagered_uids(motion.seat))
        motion.uids = motion.lies - frozenset(before)
        motion.landed_us = now_us

    def is_early(self, seat: int) -> None:
        """Somebody has acted out of turn."""
        self.early.add(seat)
        self._untold.add(seat)
        self.tally.out_of_turn += 1

    def acts(self, seat: int) -> None:
        """A seat acts in turn: what is said of it from now on is about this act, not about one before its turn."""
        if seat in self._untold:
            self._untold.remove(seat)
            self._missed(seat)

    def _missed(self, seat: int) -> None:
        """Nothing was said of its act out of turn: nothing could be where no chip of it was heard on its spot."""
        if self._last_uids(seat).isdisjoint(self._heard_at(seat)):
            self.tally.unheard_out_of_turn += 1
        else:
            self.tally.missed_out_of_turn += 1

    # --- what the table makes of it ---

    def hears(self, spot: str, uids: Iterable[str]) -> None:
        """Tags answered there."""
        self.heard.setdefault(spot, set()).update(uids)

    def reads(self, event: StackSeen | StackComplete) -> None:
        """A stack was told: is it what lies there?"""
        if seat_of(event.spot) is not None:
            self._told_at_bets.update(chip.uid for chip in event.stack)
        for motion in self.motions:
            if bet_spot(motion.seat) != event.spot or not motion.landed_us:
                continue
            if frozenset(chip.uid for chip in event.stack) == motion.lies:
                motion.seen_us = motion.seen_us or event.at_us
                if isinstance(event, StackComplete):
                    motion.complete_us = motion.complete_us or event.at_us

    def makes(self, change: Change) -> None:
        """Steps that the table took."""
        for what, source in change.steps:
            if source == "sensor" and isinstance(what, Moves):
                for motion in self.motions:
                    motion.taken |= motion.seat == what.seat

    def shows(self, live: Live, alerts: Iterable[Alert], is_true: Callable[[int], bool]) -> None:
        """What the screen says now; `is_true`: whether something has gone wrong at that seat's spot."""
        alerts = tuple(alerts)
        self._hand = live.table.hands
        self._found.update(each.uid for each in found(live) if each.hand != self._paid)
        for alert in alerts:
            if (alert.key, alert.level) not in self._standing:
                self._new(live, alert, is_true)
            elif alert.code in OUT_OF_TURN and self._sees(live, alert.values.seat):
                self._untold.discard(alert.values.seat)
        self._standing = frozenset((alert.key, alert.level) for alert in alerts)

    def _new(self, live: Live, alert: Alert, is_true: Callable[[int], bool]) -> None:
        seat, code, tally = alert.values.seat, alert.code, self.tally
        if alert.level == "question":
            tally.questions += 1
            tally.asked_about.append(code)
        if code in TELLS:
            self.told.setdefault(seat, set()).add(code)
        if code in OUT_OF_TURN:
            self._untold.discard(seat)
        if code == "out-of-turn" and alert.level == "warning" and seat not in self.early:
            tally.false_out_of_turn += 1
        if code in OF_SPOTS:
            tally.alerts_true += is_true(seat)
            tally.alerts_false += not is_true(seat)
        if alert.level == "question" and code in ABOUT_AMOUNTS:
            self._asked(live, seat)

    def _sees(self, live: Live, seat: int) -> bool:
        """True where chips of the seat's last motion are seen: an alert that stands then is about them too."""
        return not self._last_uids(seat).isdisjoint(_reads(live, seat))

    def _last_uids(self, seat: int) -> frozenset[str]:
        """The chips of the seat's last motion in this round."""
        return next((motion.uids for motion in reversed(self.motions) if motion.seat == seat), frozenset())

    def _asked(self, live: Live, seat: int) -> None:
        mine = [motion for motion in self.motions if motion.seat == seat]
        if mine and not mine[-1].asked:
            mine[-1].asked = True
            mine[-1].needless = _reads(live, seat) == frozenset(self._hands.wagered_uids(seat))

    # --- the end of a round ---

    def round_over(
        self,
        truth: Hand,
        table: Hand,
        pending: Collection[int],
        now_us: int,
        mishaps: Mapping[int, tuple[str, ...]],
    ) -> None:
        """Compares what each seat has put in by the rules and by the table, and counts. `pending`: seats that the table
        still waits for: it has made up no mind about them. `mishaps`: what the world knows of each seat's spot."""
        wrong: dict[int, Outcome] = {}
        for seat in truth.order:
            if table.contributed(seat) == truth.contributed(seat) or seat in pending:
                continue
            self.wrong = True
            if self.told.get(seat):
                self.tally.wrong_told += 1
                continue
            self.silent = True
            wrong[seat] = self._kind(seat)
            amounts = truth.contributed(seat), table.contributed(seat)
            where = self._seed, self.tally.hands + 1, truth.round, seat, now_us
            height = sum(len(motion.uids) for motion in self.motions if motion.seat == seat)
            self.tally.wrongs.append(Wrong(*where, wrong[seat], *amounts, height, mishaps.get(seat, ())))
        self.tally.wrong_confirmed += sum(kind == "wrong-confirmed" for kind in wrong.values())
        self.tally.wrong_never_heard += sum(kind == "wrong-never-heard" for kind in wrong.values())
        self.tally.wrong_dead_tag += sum(kind == "wrong-dead-tag" for kind in wrong.values())
        for motion in reversed(self.motions):
            self._count(motion, wrong.pop(motion.seat, None), mishaps.get(motion.seat, ()))
        for seat in self._untold:
            self._missed(seat)
        self.motions, self.told = [], {}
        self.early.clear()
        self._untold.clear()
        self._told_at_bets.clear()
        self.heard = {POT: self.heard.get(POT, set())}

    def _kind(self, seat: int) -> Outcome:
        mine = frozenset[str]().union(*(motion.uids for motion in self.motions if motion.seat == seat))
        if any(self._is_dead(uid) for uid in mine):
            return "wrong-dead-tag"
        return "wrong-never-heard" if mine - self._heard_at(seat) else "wrong-confirmed"

    def _heard_at(self, seat: int) -> set[str]:
        return self.heard.get(bet_spot(seat), set())

    def _count(self, motion: Motion, wrong: Outcome | None, mishaps: tuple[str, ...]) -> None:
        tally = self.tally
        tally.asked += motion.asked
        tally.asked_needlessly += motion.asked and motion.needless
        tally.confirmed += motion.taken and not motion.asked
        tally.unread += not motion.taken and not motion.asked
        asked: Outcome = "asked-needlessly" if motion.needless else "asked"
        silent = motion.uids - self._heard_at(motion.seat)
        self._never_heard |= silent - self._told_at_bets  # those that fell beside were heard where they lay
        cause = next(iter(mishaps), "") or ("never-heard" if silent else "")
        tally.records.append(
            Record(
                bet_spot(motion.seat),
                len(motion.lies),
                _since(motion.landed_us, motion.seen_us),
                _since(motion.landed_us, motion.complete_us),
                wrong or (asked if motion.asked else "right"),
                cause,
            )
        )

    def hand_over(self) -> None:
        """The hand has been paid."""
        self.tally.hands += 1
        self.tally.wrong_hands += self.wrong
        self.tally.wrong_hands_silent += self.silent
        late = self._never_heard & self.heard.get(POT, set())
        self.tally.dead_tags += len(late)
        self.tally.dead_tags_found += len(late & self._found)
        self.wrong = self.silent = False
        self._paid = self._hand
        self.heard.clear()
        self._never_heard.clear()
        self._found.clear()


def _since(landed_us: int, then_us: int) -> int | None:
    return max(0, then_us - landed_us) if landed_us and then_us else None


def _reads(live: Live, seat: int) -> frozenset[str]:
    """The tags that the table reads at a seat now."""
    spot = bet_spot(seat)
    glimpse, holds = live.glimpses.get(spot), live.spots.get(spot)
    stack = glimpse.stack if glimpse is not None else holds.lies or () if holds is not None else ()
    return frozenset(chip.uid for chip in stack)


def drift(table: Table) -> int:
    """Chips that the books of a table have more or less than were bought in."""
    hand, held = table.hand, sum(table.accounts)
    playing = hand.order if hand is not None and table.playing else ()
    held += sum(player.stack for seat, player in table.players.items() if seat not in playing)
    if hand is not None and playing:
        held += sum(hand.stacks[seat] for seat in playing) + hand.total
    return abs(held - table.bought)
