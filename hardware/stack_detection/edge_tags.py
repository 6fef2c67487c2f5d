"""Tags of a player's own stack at the edge of an antenna's reach, which answer seldom although no chip is on the spot.

A chip on the spot answers nearly every reading, and it leaves with a sweep. A chip at the edge of the antenna's reach
answers now and then for minutes, also while the spot is empty. Such a tag is left out of the readings from then on. It
counts while it answers reading after reading, because the player has then moved the chip onto the spot.

Only readings without a chip that answers reliably are counted, so that a weak tag in a bet is not mistaken for a tag at
the edge.

Example: bet4 is empty, and one chip of the stack behind it answers in 3 of 60 readings within 20 s.
"""

from __future__ import annotations

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
MIN_EDGE_ANSWERS: Final = 3
"""Minimum number of single answers of a tag at the edge, each between two silent readings. A chip that lies on the spot
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


class _SeldomTag:
    """Answers of a tag at a spot."""

    __slots__ = ("first_us", "hits", "is_edge", "is_on_spot", "reads", "recent", "silent_reads", "single_hits")

    def __init__(self, at_us: int) -> None:
        self.first_us = at_us
        self.hits = self.single_hits = self.reads = self.silent_reads = 0
        self.recent = 0
        """Answers in the last readings, one bit each. The lowest bit is the last reading."""
        self.is_edge = False
        self.is_on_spot = False
        """Whether the chip of a tag at the edge is on the spot now."""


class EdgeTags:
    """Memory of the tags at the edge of one antenna's reach."""

    def __init__(self) -> None:
        self._solid: set[str] = set()
        """Tags that answer reliably."""
        self._seldom: dict[str, _SeldomTag] = {}
        self._reads_alone = 0
        """Number of readings in a row without a tag that answers reliably."""
        self.has_edge_tag = False
        """Whether a tag at the edge has been found."""

    def filter(self, tags: tuple[str, ...], at_us: int) -> tuple[str, ...]:
        """Record the tags of a good reading, and return them without the tags at the edge."""
        if not self._seldom and self._solid.issuperset(tags):
            self._solid.intersection_update(tags)
            self._reads_alone = 0 if self._solid else self._reads_alone + 1
            return tags
        answering = set(tags)
        self._solid &= answering
        if len(self._seldom) < MAX_SELDOM_TAGS:
            for uid in answering - self._solid - self._seldom.keys():
                self._seldom[uid] = _SeldomTag(at_us)
        self._reads_alone = 0 if self._solid else self._reads_alone + 1
        is_alone = self._reads_alone > MIN_READS_ALONE
        edge = set[str]()
        for uid, tag in list(self._seldom.items()):
            self._record(uid, tag, uid in answering, is_alone, at_us)
            if tag.is_edge and not tag.is_on_spot:
                edge.add(uid)
        self.has_edge_tag = self.has_edge_tag or bool(edge)
        return tuple(uid for uid in tags if uid not in edge) if edge else tags

    def is_solid(self, uid: str) -> bool:
        """Return True if the tag answers reliably now."""
        return uid in self._solid or (uid in self._seldom and self._seldom[uid].is_on_spot)

    def _record(self, uid: str, tag: _SeldomTag, answers: bool, is_alone: bool, at_us: int) -> None:
        """Record whether the tag answers, and forget it if it answers reliably or has been silent for long."""
        tag.recent = (tag.recent << 1 | answers) & _RECENT_MASK
        answer_count = tag.recent.bit_count()
        if tag.is_edge:
            tag.is_on_spot = answer_count == RECENT_READS or (tag.is_on_spot and answer_count > MAX_EDGE_ANSWERS)
            return
        tag.silent_reads = 0 if answers else tag.silent_reads + 1
        if is_alone:
            tag.reads += 1
            tag.hits += answers
            tag.single_hits += tag.recent & 0b111 == 0b010
        if answer_count >= SOLID_ANSWERS:
            self._solid.add(uid)
        if answer_count >= SOLID_ANSWERS or tag.silent_reads >= FORGET_READS:
            del self._seldom[uid]
            return
        is_seldom = tag.single_hits >= MIN_EDGE_ANSWERS and tag.hits < MAX_EDGE_SHARE * tag.reads
        tag.is_edge = is_seldom and at_us - tag.first_us >= MIN_EDGE_US
