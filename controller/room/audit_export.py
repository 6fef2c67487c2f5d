"""The export of a day for an auditor: JSON lines with the stored records and alerts, and a signature at the end.

The last line has the hashes of the lines before it and is signed. A person who changes, removes, adds or reorders lines
cannot sign the new hashes, so that a check names these lines.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from datetime import UTC, date, datetime, timedelta
from typing import Final

import msgspec

from controller.integrity import TableKey, is_file_signed_by
from controller.room.spans import decode_span, verify_span
from controller.room.store import Alert, SpanOfDay

EXPORT_FORM: Final = 1
"""Version of the lines of an export."""
LINE_HASH_BYTES: Final = 16
"""Number of bytes of the hash of a line."""
_NO_SIGNATURE: Final = "expected the signature of the export in the last line"


class ExportLine(msgspec.Struct, frozen=True, tag_field="kind", omit_defaults=True):
    """One line of an export. `line` is its number from 1, so that no two lines are equal."""

    line: int


class ExportHeader(ExportLine, frozen=True, tag="export"):
    """The first line. `table` is the only table of the export, or "" for all tables."""

    form: int
    day: str
    table: str
    created_at: str


class ExportSpan(ExportLine, frozen=True, tag="span"):
    """A stored span, whose records follow. All hashes and the signature are in hex, as the table wrote them."""

    table: str
    received_at: str
    journal: str
    segment: int
    previous_number: int
    previous_hash: str
    last_number: int
    last_hash: str
    signature: str | None
    """Signature of the last hash, or None if a later span has the signature that covers it."""
    opening: str = ""
    """JSON of the segment header if the span is the first one of its segment."""


class ExportRecord(ExportLine, frozen=True, tag="record"):
    """One record. `body` is its JSON as stored, so that the hashes of the journal can be computed again."""

    body: str


class ExportAlert(ExportLine, frozen=True, tag="alert"):
    """One alert of the room."""

    table: str
    raised_at: str
    problem: str
    journal: str
    segment: int
    record: int
    message: str


class ExportSignature(ExportLine, frozen=True, tag="signature"):
    """The last line: the hashes of the lines before it, and their signature."""

    key: str
    hashes: tuple[str, ...]
    signature: str


_decode_signature = msgspec.json.Decoder(ExportSignature).decode
_encode = msgspec.json.Encoder().encode


class _LineNumber(msgspec.Struct):
    """The number that a line has in itself."""

    line: int = 0


_decode_number = msgspec.json.Decoder(_LineNumber).decode


def day_limits(day: date) -> tuple[datetime, datetime]:
    """Return the beginning of a day in UTC, and that of the next day."""
    begin = datetime(day.year, day.month, day.day, tzinfo=UTC)
    return begin, begin + timedelta(days=1)


def export_lines(
    key: TableKey, day: date, table: str, spans: Iterable[SpanOfDay], alerts: Iterable[Alert]
) -> Iterator[bytes]:
    """Yield the lines of an export without their line ends. Raises SpanError if a stored span was changed."""
    hashes: list[str] = []
    for line in _unsigned_lines(day, table, spans, alerts):
        encoded = _encode(line)
        hashes.append(_hash_line(encoded))
        yield encoded
    signature = key.sign_file(_digest(hashes)).hex()
    yield _encode(ExportSignature(len(hashes) + 1, key.public_key, tuple(hashes), signature))


def _unsigned_lines(day: date, table: str, spans: Iterable[SpanOfDay], alerts: Iterable[Alert]) -> Iterator[ExportLine]:
    yield ExportHeader(1, EXPORT_FORM, day.isoformat(), table, datetime.now(UTC).isoformat(timespec="seconds"))
    number = 1
    for stored in spans:
        span = decode_span(stored.body)
        verify_span(span, None)
        previous, head = span.previous, span.head
        number += 1
        yield ExportSpan(
            number,
            stored.table,
            stored.received_at.astimezone(UTC).isoformat(),
            head.journal,
            head.segment,
            previous.number,
            previous.hash.hex(),
            head.number,
            head.hash.hex(),
            None if span.signature is None else span.signature.hex(),
            span.opening.decode(),
        )
        for body in span.bodies:
            number += 1
            yield ExportRecord(number, body.decode())
    for alert in alerts:
        number += 1
        place = alert.journal, alert.segment, alert.number
        yield ExportAlert(
            number, alert.table, alert.raised_at.astimezone(UTC).isoformat(), alert.problem, *place, alert.message
        )


def verify_export(lines: Iterable[bytes], public_key: str) -> list[str]:
    """Return a line for each line of an export that was changed, removed, added or reordered.

    `lines` have no line ends. The list is empty if the export is as the room wrote it.
    """
    hashes: list[str] = []
    numbers: list[int] = []
    signature: ExportSignature | None = None
    signature_line, signature_at = b"", 0
    for position, line in enumerate(lines, 1):
        hashes.append(_hash_line(line))
        numbers.append(_number_of(line))
        if b'"kind":"signature"' in line and (decoded := _try_decode_signature(line)) is not None:
            signature, signature_line, signature_at = decoded, line, position
    if signature is None:
        return [f"line {len(hashes)}: {_NO_SIGNATURE}"]
    if not _is_signed(signature, public_key):
        return [f"line {signature_at}: the signature is not from this key, or the line was changed"]
    written = bytes.fromhex(signature.signature).hex()  # A letter can have become a capital.
    expected = ExportSignature(len(signature.hashes) + 1, public_key, signature.hashes, written)
    if signature_line != _encode(expected):
        return [f"line {signature_at}: changed, expected the signature as the room wrote it"]
    added = [f"line {number}: added after the signature" for number in range(signature_at + 1, len(hashes) + 1)]
    body = slice(0, signature_at - 1)
    return [*_differences(signature.hashes, hashes[body], numbers[body]), *added]


def _differences(expected: tuple[str, ...], hashes: list[str], numbers: list[int]) -> Iterator[str]:
    """Yield how lines differ from the signed ones. `numbers` are those that the lines have in themselves."""
    number_of = {line_hash: number for number, line_hash in enumerate(expected, 1)}
    missing = set(number_of.values()) - {number_of[line_hash] for line_hash in hashes if line_hash in number_of}
    last, seen = 0, set[int]()
    for position, (line_hash, own_number) in enumerate(zip(hashes, numbers, strict=True), 1):
        number = number_of.get(line_hash)
        if number is None and own_number in missing:
            missing.discard(own_number)
            yield f"line {position}: changed, expected line {own_number} of the export"
        elif number is None:
            yield f"line {position}: added or changed"
        elif number in seen:
            yield f"line {position}: added, it repeats line {number} of the export"
        elif number < last:
            yield f"line {position}: reordered, it is line {number} of the export"
        if number is not None:
            seen.add(number)
            last = max(last, number)
    for number in sorted(missing):
        yield f"line {number} of the export: removed"


def _is_signed(signature: ExportSignature, public_key: str) -> bool:
    try:
        signed = bytes.fromhex(signature.signature)
    except ValueError:
        return False
    return is_file_signed_by(public_key, _digest(signature.hashes), signed)


def _try_decode_signature(line: bytes) -> ExportSignature | None:
    try:
        return _decode_signature(line)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return None


def _number_of(line: bytes) -> int:
    """Return the number that a line has in itself, or 0 if it has none."""
    try:
        return _decode_number(line).line
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return 0


def _hash_line(line: bytes) -> str:
    return hashlib.blake2b(line, digest_size=LINE_HASH_BYTES).hexdigest()


def _digest(hashes: Iterable[str]) -> bytes:
    return hashlib.sha256("\n".join(hashes).encode()).digest()
