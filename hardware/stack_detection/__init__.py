"""Detection of stacks: decides from repeated readings of an antenna which chips are on its spot.

A single reading proves little, because it may miss tags, or contain tags that were just taken away or are on a
neighbour spot. `StackDetector` therefore compares the readings of a spot and reports each change with the events of
`hardware.events`. It has no clock and reads no hardware, because its caller passes each reading with its time. It
follows these rules:

- Present: a tag is present after two answers. A tag that always answered is gone after four silent readings, and a tag
  that was missed before is gone after more (`silence_likelihood.py`). Fewer silent readings are enough if several tags
  fell silent in the same reading. A failed reading does not count as a silent reading.
- Active: a bet spot becomes active if a reading has a new tag or misses a fifth of the chips. It also becomes active if
  two readings in a row fail.
- Provisional: a stack is reported after three readings since its last chip left, or since its first unreported chip
  arrived. A chip that the first of these readings missed is reported with the others. A reading with a new tag delays
  the report.
- Settled: a stack is settled when its chips were the same for the motion gap (1.2 s), and each chip was read again
  after that gap. If the presence sensor has noticed the motion, 0.7 s without a change of the sensor and eight equal
  readings are enough. A tag that answered once delays the settled stack, unless it was here a moment ago or is at
  another spot.
- At least: a stack is reported as "at least" if it may contain more chips than were read. This is the case if the stack
  does not settle in time, still grows, or has more tags than `max_sure_height`. It is also the case if more tags
  answered than the reader reported. Many weak tags are a reason too, because other weak tags may never have answered.
  The detector then waits for more readings. The last reason is a tag that arrived together with the chips and counts at
  another spot, because a second chip may have the same UID.
- Exchanged: if a chip replaces a chip of the same denomination, people see no change. The stack is then reported only
  when it is settled. The same applies to unknown tags.
- Several antennas: a tag that several antennas read counts at one spot (`tag_locator.py`). If two antennas that are not
  neighbours read the tag again and again, the tag is reported as `copied`. If one antenna no longer reads the tag, and
  the other has read the tag twice since, the tag has moved to the other spot.
- Covered: an empty or smaller stack is reported as `covered` if most chips fell silent at once, without failed
  readings, and are at no other spot.
- Weak: a tag is reported when it leaves a bet spot, if it answered too seldom during its last three stays on a spot
  (`defective_tags.py`).
- Interference: if tags of several antennas miss readings and answer again, a missed reading says nothing about a tag
  until the interference ends (`interference.py`).
- Edge: tags that answer now and then for 10 s or more while the spot has no reliable tag belong to the player's own
  stack. They are left out of the readings (`edge_tags.py`).
- Offline: a spot is offline if the link to its reader is down, or if it has no good reading for `offline_us`. When the
  spot is online again, it starts without a history.

Example: three equal readings make a provisional stack.

    >>> from hardware import layout
    >>> from hardware.simulated.world import make_stack
    >>> from hardware.stack_detection import DetectionTimes, StackDetector
    >>> reference = layout.simulated_layout()
    >>> detector = StackDetector(reference.spot_antennas.all, reference.chip_set, DetectionTimes())
    >>> tags = tuple(sorted(chip.uid for chip in make_stack(25, 25, 5)))
    >>> for at_us in (0, 100_000, 200_000):
    ...     for event in detector.record_reading("bet1", tags, at_us):
    ...         print(type(event).__name__, getattr(event, "chips", ()))
    SpotOnline ()
    StackProvisional (25, 25, 5)
"""

from hardware.stack_detection.edge_tags import EdgeTags
from hardware.stack_detection.spot_contents import TagCatalog
from hardware.stack_detection.spot_reporter import DetectionTimes
from hardware.stack_detection.spot_tracker import MIN_PROVISIONAL_READS
from hardware.stack_detection.stack_detector import StackDetector
from hardware.stack_detection.tag_locator import WEAK_ANSWER_SHARE

__all__ = ["MIN_PROVISIONAL_READS", "WEAK_ANSWER_SHARE", "DetectionTimes", "EdgeTags", "StackDetector", "TagCatalog"]
