"""What is told of one spot: that something stirs, what is seen, what is complete, and how sure that is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from hardware.events import Doubt, Event, SpotStirs, StackComplete, StackSeen
from hardware.settling.contents import NOTHING, Contents, Tags, contents
from hardware.settling.spot import SEEN_READS, Spot
from hardware.spots import Place, seat_of

CALM_READS: Final = 2
"""Readings with nothing new or missing after which what stirred has come to nothing."""
STIRS_SHARE: Final = 5
"""One of so many chips missing is a motion, not a miss."""
STIRS_LEAST: Final = 2
"""So many chips missing in one reading, or one in so many readings, may be a motion."""
BLIND_FAULTS: Final = 2
"""So many failed readings in a row are a hand over the antenna, not a lost frame."""
HOLD_US: Final = 2_800_000
"""Longest wait, after the motion gap, for tags that are hardly heard."""
RESTLESS_GAPS: Final = 3
"""After so many motion gaps a stack in which only weak tags still come is told as "at least" instead of never."""
HEAP_READS: Final = 2
"""Equal readings after which a heap is told: each of a hundred chips takes seconds, and it is only a hint."""
HIDDEN_SHARE: Final = 0.2
"""Weak tags for each reading of a stack from which on others like them may never have answered."""


@dataclass(frozen=True, slots=True)
class Times:
    """Durations in microseconds."""

    motion_gap_us: int = 1_200_000
    offline_us: int = 1_500_000


class Telling:
    """What was last told of a spot, and what is to be told next."""

    def __init__(self, spot: Spot, place: Place, known: Tags, times: Times) -> None:
        self._spot = spot
        self._height = place.max_sure_height
        self._is_bet = seat_of(place.spot) is not None
        self._coarse = place.hint
        """A heap: of interest is what it holds, not whether it is sure."""
        self._reads = HEAP_READS if place.hint else SEEN_READS
        """Equal readings after which something is told."""
        self._known = known
        self._gap_us = times.motion_gap_us
        self._told = NOTHING
        self._told_here: frozenset[str] = frozenset()
        self._told_doubt: Doubt = ""
        self._told_at_least = False
        self._base = self._base_chips = frozenset[str]()
        """The tags last told as complete, and the chips among them."""
        self._complete = False
        """The last thing told was a StackComplete."""
        self._moving = False
        """The last thing told was a StackSeen."""
        self._stirring = False
        self._unsettled_us: int | None = None
        """Since when there has been something that is not told as complete."""
        self._noticed_us: int | None = None
        """Since when there has been something new that is not told."""
        self._still_us = 0
        """The last reading in which there was nothing of that kind; 0 for none."""
        self._since_us = self._after_us = 0
        """When what was told last was first noticed, and the last reading before that."""
        self._here: frozenset[str] = frozenset()
        self._contents = NOTHING
        """What the tags in `_here` are."""

    # What goes in

    def begin(self, at_us: int) -> None:
        """The spot can be read, again or for the first time: what lies there is told as complete in any case."""
        self._complete = self._moving = self._stirring = False
        self._noticed_us, self._unsettled_us, self._still_us = at_us, None, 0
        self._base = self._base_chips = frozenset()

    def failed(self, faults: int, at_us: int) -> list[Event]:
        """So many readings in a row have failed."""
        return self._stirs(at_us, blind=True) if faults == BLIND_FAULTS else []

    def read(self, is_new: bool, at_us: int) -> list[Event]:
        """The spot was read."""
        events = self._stirs(at_us) if is_new or self._missing() else []
        if self._noticed_us is None:
            self._still_us = at_us
        return events if self.done else [*events, *self._tell(at_us)]

    # What can be asked

    @property
    def done(self) -> bool:
        """What lies there has been told as complete, and nothing stirs."""
        spot = self._spot
        return (
            self._complete
            and not self._stirring
            and spot.here == self._told_here
            and not spot.bereft
            and (self._told_doubt == "copied") == spot.copied()
        )

    @property
    def unsure(self) -> bool:
        """Whether the last answers do not yet agree, or a share of the chips was missed that may be a motion."""
        spot = self._spot
        if self.done:
            return spot.arriving or (bool(spot.noticed) and len(spot.noticed) * STIRS_SHARE >= len(spot.here))
        return spot.steady_reads < self._reads or spot.calm < CALM_READS or spot.open

    @property
    def ripe_us(self) -> int:
        """From when on a reading can make the spot complete."""
        return self._spot.changed_us + self._gap_us

    # How

    def _missing(self) -> bool:
        """Whether tags are silent that should not be: many at once, or few for longer."""
        missing = self._spot.noticed
        if not missing or len(missing) * STIRS_SHARE < len(self._spot.here):
            return False
        longer = sum(self._spot.reads - track.last_read >= STIRS_LEAST for track in missing)
        return len(missing) >= STIRS_LEAST or longer * STIRS_SHARE >= len(self._spot.here)

    def _stirs(self, at_us: int, *, blind: bool = False) -> list[Event]:
        if self._coarse:
            return []
        if self._noticed_us is None:
            self._noticed_us = at_us
        if not (blind if self._stirring else self._complete or self._moving):
            return []
        self._stirring = True
        return [SpotStirs(self._spot.name, at_us, blind)] if self._is_bet else []

    def _tell(self, at_us: int) -> list[Event]:
        spot, now = self._spot, self._now()
        if self._unsettled_us is None:
            self._unsettled_us = at_us
        if self._complete and spot.here == self._told_here:
            if not self._coarse and (spot.calm < CALM_READS or spot.open):
                return []
            return [self._event(StackComplete, now, self._told_at_least, at_us)]
        sure = self._quiet(at_us)
        if sure is not None:
            return [self._event(StackComplete, now, not sure or self._may_hide(), at_us)]
        if not now.looks_like(self._told) and self._agreed() and not spot.wavers:
            grew = self._moving and now.adds_to(self._told)
            return [self._event(StackSeen, now, grew or self._may_hide(), at_us)]
        return []

    def _agreed(self) -> bool:
        """Whether there were enough readings for what lies there to be told as seen: since the last change, or since
        the first of the tags came that are not told yet. Each of them has answered twice, so one that was missed at
        first costs no reading more."""
        spot = self._spot
        if spot.steady_reads >= self._reads:
            return True
        came = [spot.tracks[uid].first_read for uid in spot.here - self._told_here]
        return bool(came) and spot.reads - min(came) + 1 >= self._reads

    def _now(self) -> Contents:
        if self._here != self._spot.here:
            self._here = self._spot.here
            self._contents = contents(self._here, self._known)
        return self._contents

    def _event(
        self, kind: type[StackSeen] | type[StackComplete], now: Contents, at_least: bool, at_us: int
    ) -> StackSeen | StackComplete:
        """Notes that this is told."""
        spot = self._spot
        if self._complete or spot.here != self._told_here:
            self._since_us, self._after_us = (self._noticed_us, self._still_us) if self._noticed_us else (at_us, 0)
        self._noticed_us = None
        self._told_doubt = doubt = self._doubt()
        self._told, self._told_here, self._told_at_least = now, spot.here, at_least
        self._complete = kind is StackComplete
        self._moving, self._stirring = not self._complete, False
        if self._complete:
            self._base, self._base_chips = spot.here, frozenset(chip.uid for chip in now.stack)
            self._unsettled_us = None
            spot.complete()
        weak = tuple(sorted(spot.weak() & {chip.uid for chip in now.stack}))
        return kind(spot.name, *now, at_least, at_us, self._since_us, doubt, weak, self._after_us)

    def _doubt(self) -> Doubt:
        spot = self._spot
        if spot.copied():
            return "copied"
        if self._complete and spot.here == self._told_here:
            return "covered" if self._told_doubt == "covered" else ""
        return "covered" if spot.covered(self._base_chips, self._base) else ""

    def _quiet(self, at_us: int) -> bool | None:
        """Whether it can be told as complete: True for sure, False as "at least"; None: not yet."""
        spot, restless = self._spot, self._restless(at_us)
        still = at_us >= self.ripe_us and spot.steady_reads >= self._reads
        if still and not spot.wavers:
            heard = all(track.last_us >= self.ripe_us for track in spot.counted())
            if self._coarse or (heard and not spot.open and not self._many_weak()):
                return True
            restless = restless or at_us >= self.ripe_us + HOLD_US
        return still and not spot.open and not spot.leaves if restless else None

    def _restless(self, at_us: int) -> bool:
        """Whether the quiet has not come for so long because tags that are hardly heard come and go."""
        if self._unsettled_us is None or at_us - self._unsettled_us < RESTLESS_GAPS * self._gap_us:
            return False
        quiet_us = at_us - self._gap_us
        came = any(track.first_us > quiet_us and not track.weak for track in self._spot.counted())
        return self._coarse or not (came or self._spot.solid_us > quiet_us or self._missing())

    def _may_hide(self) -> bool:
        """Whether there may be chips that have never answered."""
        spot = self._spot
        if len(spot.here) > self._height or spot.partial or (spot.here and spot.overheard):
            return True
        return self._many_weak()

    def _many_weak(self) -> bool:
        """Whether so many weak tags lie there that others like them may not have answered yet."""
        return len(self._spot.weak()) > HIDDEN_SHARE * self._spot.chances
