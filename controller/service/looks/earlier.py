"""What was played before the segment that a service was started with: read from the archive when somebody looks back so
far, so that a start does not take longer for it.
"""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Final

from controller.config import BadInputError, read_config
from controller.journal import Entry, JournalError, Opening, goes_on_from, is_of_this_run
from controller.live import Change, Live, Made, Setup
from controller.service.looks.played import HANDS, Played
from controller.service.replaying import MOST_RECORDS, Witness, replayed

MOST_READ: Final = 5 * MOST_RECORDS
"""Records of all segments that are read: twenty hands are some two thousand."""


def told_to(played: Played, opening: Opening) -> Witness:
    """Tells what is done again; its times only where this machine's clock is the one that they are of."""
    dated = is_of_this_run(opening)

    def sees(before: Live, entry: Entry, after: Live) -> None:
        change = Change(after, (Made(entry.step, entry.source),), at_us=entry.at_us, states=(after,))
        played.takes(before, change, badge=entry.badge, dated=dated)

    return sees


def earlier(path: Path, opening: Opening, setup: Setup) -> Played:
    """What was played in the closed segments of the journal at `path` that one with this opening goes on from: the last
    hands, as far back as the archive has them and this program makes the same of their records."""
    played = Played()
    for place in _before(path, opening):
        try:
            with closing(goes_on_from(path, place)) as segment:
                begun = segment.opening()
                live = Live(setup, read_config(begun.config).table)
                differs = replayed(segment, live, told_to(played, begun)).differs
        except (JournalError, BadInputError) as error:
            differs = str(error)
        if differs:
            played.forgets()
    return played


def _before(path: Path, opening: Opening) -> list[Opening]:
    """The openings of the segments behind those that are read, oldest first."""
    behind: list[Opening] = []
    hands = records = 0
    while opening.state and hands < HANDS:
        try:
            with closing(goes_on_from(path, opening)) as segment:
                begun = segment.opening()
                records += segment.last - begun.after
                if records > MOST_READ:
                    break
                hands += sum(bool(record.state) for record in segment.records())
        except JournalError:
            break
        behind.insert(0, opening)
        opening = begun
    return behind
