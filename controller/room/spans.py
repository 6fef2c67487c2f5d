"""Spans: stretches of records in the form in which they travel to the room and are stored there.

Both ends use the same checks. The table's end checks each span before it sends it. The room checks it again with the
public key of the table, and once more when it writes a journal from its store.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, Final, Literal, TypeAlias

import msgspec

from controller.integrity import ChainHead, is_signed_by
from controller.journal import Stretch, StretchError, StretchProblem
from firmware_bridge.errors import FaultSource, PotkeeperError

MAX_SPAN_BYTES: Final = 65_536
"""Maximum length of an encoded span in bytes.

The largest part of a span is the snapshot at the beginning of a segment, which takes 24 kB for a full table.
"""
SPAN_FORM: Final = 1
"""Version of the encoded form of a span."""
_OVERHEAD_BYTES: Final = 512
"""Maximum bytes of an encoded span without its opening, records and snapshots: heads, signature and lengths."""
_ITEM_OVERHEAD_BYTES: Final = 16
"""Maximum bytes for the length and number of a record or snapshot in a span."""

SpanProblem: TypeAlias = Literal[
    StretchProblem,
    "not-a-span",
    "oversized",
    "other-key",
    "unsigned",
    "gap",
    "fork",
    "missing-records",
    "unknown-journal",
    "second-connection",
    "second-live-connection",
    "bad-live-message",
]
"""Ways in which a span, or the connection of a table, can differ from what the room expects.

- `not-a-span`: the bytes are damaged, truncated, or have another version.
- `oversized`: the span is longer than `MAX_SPAN_BYTES`.
- `other-key`: the signature is not from a key of the table.
- `unsigned`: the last record of the journal has no signature.
- `gap`: records before the span are missing in the same segment.
- `fork`: the room already has other records with these numbers.
- `missing-records`: a new segment does not continue the last record that the room has.
- `unknown-journal`: a new journal does not name the journal that the room has as its parent.
- `second-connection`: another program uses the token of the table at the same time.
- `second-live-connection`: the same, for the connection with summaries.
- `bad-live-message`: a message on the connection with summaries is not valid.
"""


class SpanError(PotkeeperError):
    """A span cannot be accepted. The one-line message names the journal and the record."""

    fault: ClassVar[FaultSource] = "link"

    def __init__(self, problem: SpanProblem, message: str, head: ChainHead | None = None, number: int = 0) -> None:
        super().__init__(message)
        self.problem: SpanProblem = problem
        self.head = head
        """Head of the journal after the span, or None if the bytes are not a span."""
        self.number = number
        """Number of the first bad record, or 0 if the problem is not about a record."""


def encode_span(span: Stretch) -> bytes:
    """Return a span in encoded form. Raises SpanError if it is too long."""
    data = msgspec.msgpack.encode((SPAN_FORM, span))
    if len(data) > MAX_SPAN_BYTES:
        raise span_error("oversized", span, f"{len(data)} bytes, expected at most {MAX_SPAN_BYTES}")
    return data


_decode = msgspec.msgpack.Decoder(tuple[Literal[1], Stretch]).decode


def decode_span(data: bytes) -> Stretch:
    """Return the span that untrusted bytes contain. Raises SpanError."""
    if len(data) > MAX_SPAN_BYTES:
        raise SpanError("oversized", f"span: {len(data)} bytes, expected at most {MAX_SPAN_BYTES}")
    try:
        _, span = _decode(data)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise SpanError("not-a-span", f"span: {error}, expected a span of form {SPAN_FORM}") from None
    return span


def verify_span(span: Stretch, keys: tuple[str, ...] | None) -> None:
    """Raise SpanError unless the span is as the table wrote it.

    `keys` are the public keys of the table, now and earlier. If `keys` is None, the signature is not checked. A span
    without a signature is not proven until a later signature covers it.
    """
    try:
        span.verify()
    except StretchError as error:
        raise SpanError(error.problem, str(error), span.head, error.number or 0) from None
    if span.signature and keys is not None and not any(is_signed_by(key, span.head, span.signature) for key in keys):
        raise span_error("other-key", span, "the signature is not from a key of this table")


def span_error(problem: SpanProblem, span: Stretch, text: str, number: int | None = None) -> SpanError:
    """Return an error about a span. `number` is the first bad record, or None for the last record of the span."""
    number = span.head.number if number is None else number
    place = f"journal {span.head.journal:.8}…, segment {span.head.segment}, record {number}"
    return SpanError(problem, f"{place}: {text}", span.head, number)


def split_stretch(stretch: Stretch) -> Iterator[Stretch]:
    """Yield the stretch in parts that each fit into a span, unless a single record and its snapshot are too long."""
    number = stretch.previous.number
    start, has_opening = 0, stretch.begins_segment
    size = _OVERHEAD_BYTES + len(stretch.opening) + (_state_bytes(stretch, number) if has_opening else 0)
    for index, body in enumerate(stretch.bodies):
        added = _ITEM_OVERHEAD_BYTES + len(body) + _state_bytes(stretch, number + index + 1)
        if size + added > MAX_SPAN_BYTES and (index > start or has_opening):
            yield stretch.part(start, index, has_opening=has_opening)
            start, has_opening, size = index, False, _OVERHEAD_BYTES
        size += added
    yield stretch.part(start, len(stretch.bodies), has_opening=has_opening)


def _state_bytes(stretch: Stretch, number: int) -> int:
    """Return how many bytes the snapshot after a record adds to a span, or 0 if there is no snapshot."""
    state = stretch.states.get(number)
    return 0 if state is None else len(state) + _ITEM_OVERHEAD_BYTES
