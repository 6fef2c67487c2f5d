"""Driver, frames and tag records of FEIG OBID readers.

`FeigDriver` sends one request at a time and reports each inventory in one message. `frames` builds requests and parses
answers, `tag_records` parses the tags in an answer, and `handshake` reads the reader's version and settings.
`second_pass` decides when the driver looks for tags that a stronger tag drowns out.

FEIG frames have no sequence numbers, so a late answer could be mistaken for the answer to a newer request. Before the
driver repeats a request, it therefore sends a probe, which is a command that changes nothing. Once the probe is
answered, no older answer can arrive. Sources: readers.md, 1 and 2.

Example: the request frame of a new inventory, as captured from a real reader.

    >>> from firmware_bridge.feig import frames
    >>> frames.inventory().hex(" ")
    '07 ff b0 01 00 1c 56'
"""

from firmware_bridge.feig import frames
from firmware_bridge.feig.reader import FeigDriver, FieldOptions

__all__ = ["FeigDriver", "FieldOptions", "frames"]
