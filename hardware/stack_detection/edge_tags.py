"""Tags of a player's own stack at the edge of an antenna's reach, which answer seldom although no chip is on the spot.

A chip on the spot answers nearly every reading, and it leaves with a sweep. A chip at the edge of the antenna's reach
answers now and then for minutes, also while the spot is empty. Such a tag is left out of the readings from then on. It
counts while it answers reading after reading, because the player has then moved the chip onto the spot.

Other chips of the stack move to the edge whenever the player bets. Therefore an antenna that has heard such tags also
leaves out each new tag until the tag has answered three of four readings. Two or more new tags in the same reading are
the chips of a bet, so they count at once.

Only readings without a chip that answers reliably are counted, so that a weak tag in a bet is not mistaken for a tag at
the edge. Answers of chips on another spot are not counted.

Example: bet4 is empty, and two chips of the stack behind it answer in 3 of 60 readings within 20 s.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

RECENT_READS: Final = 6
"""Number of the last readings that decide whether a chip is on the spot."""
SOLID_ANSWERS: Final = 5
"""Number of answers in `RECENT_READS` readings that show a chip on the spot. A tag at the edge must answer all of these
readings. A chip with a miss rate of 2 % answers five of six readings in 99 of 100 cases."""
MAX_EDGE_ANSWERS: Final = 2
"""Maximum number of answers in `RECENT_READS` readings of a tag at the edge whose chip has left the spot again."""
MIN_READS_ALONE: Final = 8
"""Number of readings in a row without a reliable tag after which readings are counted. A bet that has just arrived has
reliable tags after fewer readings."""
ARRIVAL_READS, ARRIVAL_ANSWERS = 4, 3
"""Number of readings, and of answers in them, that show a new chip on the spot of an antenna that hears the stack. A
tag that answers 2 % of the readings does this by chance once in an hour. A chip on the spot needs 3 to 5 readings."""
MIN_EDGE_ANSWERS: Final = 3
"""Minimum number of single answers of tags at the edge, each between two silent readings. A chip that lies on the spot
for a few readings answers them one after the other. Fewer answers may come from chips that only passed over it."""
MIN_EDGE_US: Final = 10_000_000
"""Minimum time, in µs, from the first answer until a tag counts as a tag at the edge. A bet whose tags answer so seldom
is settled long before."""
MAX_EDGE_SHARE: Final = 0.4
"""Share of the readings below which a tag answers too seldom for a chip on the spot."""
FORGET_READS: Final = 600
"""Number of silent readings after which a tag that has answered seldom is forgotten, unless it is at the edge."""
MAX_SELDOM_TAGS: Final = 64
"""Maximum number of tags at a spot that have answered seldom. More tags than this are not examined."""
_RECENT_MASK: Final = (1 << RECENT_READS) - 1
_GROUP_MASK: Final = (1 << MAX_EDGE_ANSWERS) - 1
"""Answers that a tag is assumed to have given before it arrives together with others, so that it counts at once."""


class _SeldomTag:
    """Answers of a tag at a spot."""

    __slots__ = ("first_us", "hits", "is_edge", "is_on_spot", "reads", "recent", "silent_reads", "single_hits")

    def __init__(self, at_us: int, recent: int) -> None:
        self.first_us = at_us
        self.hits = self.single_hits = self.reads = self.silent_reads = 0
        self.recent = recent
        """Answers in the last readings, one bit each. The lowest bit is the last reading."""
        self.is_edge = False
        self.is_on_spot = recent > 0
        """Whether the chip is on the spot now, as far as the answers show."""

    @property
    def is_seldom(self) -> bool:
        """Return True if the tag answers too seldom for a chip on the spot."""
        return self.hits < MAX_EDGE_SHARE * self.reads

    def record(self, answers: bool) -> None:
        """Record whether the tag answers, and whether its chip is on the spot now."""
        self.recent = (self.recent << 1 | answers) & _RECENT_MASK
        self.silent_reads = 0 if answers else self.silent_reads + 1
        count = self.recent.bit_count()
        last_count = (self.recent & ((1 << ARRIVAL_READS) - 1)).bit_count()
        has_arrived = count == RECENT_READS if self.is_edge else last_count >= ARRIVAL_ANSWERS
        self.is_on_spot = has_arrived or (self.is_on_spot and count > MAX_EDGE_ANSWERS)


class EdgeTags:
    """Memory of the tags at the edge of one antenna's reach."""

    def __init__(self) -> None:
        self._solid: set[str] = set()
        """Tags that answer reliably."""
        self._seldom: dict[str, _SeldomTag] = {}
        self._reads_alone = 0
        """Number of readings in a row without a tag that answers reliably."""
        self.has_edge_tag = False
        """Whether the antenna hears the stack behind the spot."""

    def filter(
        self, tags: tuple[str, ...], at_us: int, is_elsewhere: Callable[[str], bool] = lambda uid: False
    ) -> tuple[str, ...]:
        """Record the tags of a good reading, and return them without the tags at the edge.

        `is_elsewhere` returns True for a tag whose chip is on another spot.
        """
        if not self._seldom and self._solid == set(tags):
            self._reads_alone = 0 if tags else self._reads_alone + 1
            return tags
        answering = set(tags)
        new = answering - self._solid - self._seldom.keys()
        changed = sorted(new | self._solid - answering)[: MAX_SELDOM_TAGS - len(self._seldom)]
        for uid in changed:
            recent = _RECENT_MASK if uid not in new else _GROUP_MASK if len(new) > 1 else 0
            self._seldom[uid] = _SeldomTag(at_us, recent)
        self._solid &= answering
        self._reads_alone = 0 if self._solid else self._reads_alone + 1
        for uid, tag in list(self._seldom.items()):
            self._record(uid, tag, uid in answering, at_us)
        self._find_edge_tags(at_us, is_elsewhere)
        if not self.has_edge_tag:
            return tags
        return tuple(uid for uid in tags if uid not in self._seldom or self._seldom[uid].is_on_spot)

    def is_solid(self, uid: str) -> bool:
        """Return True if the tag answers reliably now."""
        return uid in self._solid or (uid in self._seldom and self._seldom[uid].is_on_spot)

    def _record(self, uid: str, tag: _SeldomTag, answers: bool, at_us: int) -> None:
        """Record whether the tag answers, and forget it if it answers reliably, has left, or has long been silent."""
        was_on_spot = tag.is_on_spot
        tag.record(answers)
        if tag.is_edge:
            return
        if self._reads_alone > MIN_READS_ALONE:
            tag.reads += 1
            tag.hits += answers
            tag.single_hits += tag.recent & 0b111 == 0b010
        is_solid = answers and tag.recent.bit_count() >= SOLID_ANSWERS
        if is_solid:
            self._solid.add(uid)
        if is_solid or (was_on_spot and not tag.is_on_spot) or tag.silent_reads >= FORGET_READS:
            del self._seldom[uid]

    def _find_edge_tags(self, at_us: int, is_elsewhere: Callable[[str], bool]) -> None:
        """Find the tags at the edge, and whether the antenna hears the stack. Forget the chips of other spots."""
        for uid in [uid for uid, tag in self._seldom.items() if tag.single_hits and is_elsewhere(uid)]:
            del self._seldom[uid]
        if self._reads_alone <= MIN_READS_ALONE:
            return
        seldom = [tag for tag in self._seldom.values() if tag.single_hits and tag.is_seldom]
        if not seldom or at_us - min(tag.first_us for tag in seldom) < MIN_EDGE_US:
            return
        for tag in seldom:
            tag.is_edge = tag.single_hits >= MIN_EDGE_ANSWERS and at_us - tag.first_us >= MIN_EDGE_US
        if sum(tag.single_hits for tag in seldom) >= MIN_EDGE_ANSWERS:
            self.has_edge_tag = True
