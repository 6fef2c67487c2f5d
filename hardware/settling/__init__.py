"""Readings of spots -> what lies there: stirs, seen, complete, "at least", in doubt, offline.

Pure: no clock; time comes in with each reading. The rules:

- Appear fast, disappear by likelihood: a chip is there after two answers; it is gone when its silence is unlikely for
  a tag that has answered as this one has (`likelihood.py`). Chips that fall silent together are gone together. Failed
  readings count for nothing.
- Seen: three readings since the last chip went, or since the first of those that are not told yet came: where one
  misses the first of them it is seen with the others. A reading with a tag that is new is waited out.
- Complete: the contents have been the same for the motion gap, every chip of them was read again after it, and no tag
  is left that was heard once and that nothing explains: neither its having been here a moment ago nor its being at
  another spot. Where that takes too long it is told as "at least"; where it is only weak chips that are not heard
  again, and silent no longer than is to be expected of them, as it is.
- A chip (or stranger) for its like changes nothing that is shown: it is told as complete only.
- A tag that several antennas hear is counted at one place (`tracks.py`): it has left a spot that has not heard it since
  another one, out of its reach, heard it twice; in doubt as `copied` where two such hear it again and again.
- At least: more tags than the antenna's `max_sure_height`; more tags than the reader told; a stack that grew since it
  was seen and is not yet complete; so many weak chips that others like them may never have answered. For those is
  waited, too: each reading makes it less likely.
- In doubt as `covered`: most of what lay there fell silent at once, without failed readings, and is nowhere else.
- Weak: a tag that answered too seldom at its last three placings, and was in good order at none between them
  (`placings.py`), is told when it leaves a bet spot.
- A bet spot stirs when a reading has a new tag or misses a share of the chips, and when readings fail in a row.
- Offline: the link is down, or no good reading for `offline_us`. What is read after that starts anew."""

from hardware.settling.contents import Tags
from hardware.settling.spot import SEEN_READS
from hardware.settling.table import Settling
from hardware.settling.telling import Times
from hardware.settling.tracks import WEAK_SHARE

__all__ = ["SEEN_READS", "WEAK_SHARE", "Settling", "Tags", "Times"]
