"""Detection of stacks: decides from repeated readings of an antenna which chips are on its spot.

A single reading proves little: it may miss tags, or contain tags that were just taken away or that are on a neighbour
spot. `StackDetector` therefore compares the readings of a spot and reports each change with the events of
`hardware.events`. It has no clock and reads no hardware, because its caller passes each reading with its time. It
follows these rules:

- Present: a tag is present after two answers. It is gone after some silent readings: four for a tag that answered
  always, more for a tag that was missed before (`silence_likelihood.py`). Fewer silent readings are enough if several
  tags fell silent in the same reading. A failed reading does not count as a silent one.
- Active: a reading makes a bet spot active if it has a new tag or misses a fifth of the chips. Two failed readings in a
  row do the same.
- Provisional: a stack is reported after three readings. They start when the last chip left, or when the first chip that
  is not reported yet arrived. A chip that the first of these readings missed is reported with the others. A reading
  with a new tag delays the report.
- Settled: a stack is settled when its chips were the same for the motion gap (1.2 s), and each chip was read again
  after that gap. A tag that answered once delays the settled stack, unless it was here a moment ago or is at another
  spot.
- At least: a stack is reported as "at least" if it may contain more chips than were read. A stack may contain more
  chips if it does not settle in time, if it still grows, or if it has more tags than `max_sure_height`. It may also
  contain more chips if more tags answered than the reader reported. Many weak tags are a reason too, because other weak
  tags may never have answered. The detector then waits for more readings, in which such tags may answer.
- Exchanged: if a chip replaces one of the same denomination, people see no change. Only a settled stack is then
  reported, without a provisional one. The same applies to unknown tags.
- Several antennas: a tag that several antennas read counts at one spot (`tag_locator.py`). If two antennas that are not
  neighbours read the tag again and again, the tag is reported as `copied`. If one antenna no longer reads the tag, and
  the other has read the tag twice since, the tag has moved to the other spot.
- Covered: an empty or smaller stack is reported as `covered` if most chips fell silent at once, without failed
  readings, and are at no other spot.
- Weak: a tag is reported when it leaves a bet spot, if it answered too seldom during its last three stays on a spot
  (`defective_tags.py`).
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

from hardware.stack_detection.spot_contents import TagCatalog
from hardware.stack_detection.spot_reporter import DetectionTimes
from hardware.stack_detection.spot_tracker import MIN_PROVISIONAL_READS
from hardware.stack_detection.stack_detector import StackDetector
from hardware.stack_detection.tag_locator import WEAK_ANSWER_SHARE

__all__ = ["MIN_PROVISIONAL_READS", "WEAK_ANSWER_SHARE", "DetectionTimes", "StackDetector", "TagCatalog"]
