"""The room keeps the journals of many tables, see README.md.

Example: encode the records that a follower has read, and check them at the other end.

```
data = [encode_span(span) for span in split_stretch(stretch)]
accepted = SpanChain(None, (public_key,)).add(data[0])
```
"""

from controller.room.span_chain import AcceptedSpan, SpanChain, StoredSpan
from controller.room.spans import MAX_SPAN_BYTES, SpanError, decode_span, encode_span, split_stretch, verify_span

__all__ = [
    "MAX_SPAN_BYTES",
    "AcceptedSpan",
    "SpanChain",
    "SpanError",
    "StoredSpan",
    "decode_span",
    "encode_span",
    "split_stretch",
    "verify_span",
]
