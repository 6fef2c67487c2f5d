"""The check of an export names each line that was changed, removed, added or reordered."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, date, datetime
from functools import cache
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.cli import main
from controller.integrity import ChainHead, is_signed_by
from controller.journal.sqlite_file import chain_hash
from controller.room import Alert, SpanError, SpanOfDay, encode_span, export_lines, verify_export
from tests.controller.journal_tampering import KEY, OTHER_KEY
from tests.room.test_spans import NEXT_RECORDS, TAMPERINGS, spans

AT = datetime(2026, 11, 30, 12, tzinfo=UTC)
ALERT = Alert(AT, "Table 4", "fork", "0123", 2, 7, "the room has other records")
DAY = date(2026, 11, 30)


@cache
def lines() -> tuple[bytes, ...]:
    stored = [SpanOfDay("Table 4", AT, encode_span(span)) for span in spans()]
    return tuple(export_lines(KEY, DAY, "", stored, [ALERT]))


def test_export_has_all_records_with_the_signatures_of_the_table() -> None:
    rows = [json.loads(line) for line in lines()]
    assert [row["line"] for row in rows] == list(range(1, len(rows) + 1))
    assert [row["body"].encode() for row in rows if row["kind"] == "record"] == [
        body for span in spans() for body in span.bodies
    ]
    place = ("", 0, 0, b"")
    for row in rows:
        if row["kind"] == "span":
            last_hash = bytes.fromhex(row["previous_hash"])
            place = (row["journal"], row["segment"], row["last_number"], bytes.fromhex(row["last_hash"]))
            assert is_signed_by(KEY.public_key, ChainHead(*place), bytes.fromhex(row["signature"]))
        elif row["kind"] == "record":
            last_hash = chain_hash(last_hash, row["body"].encode())
            if json.loads(row["body"])["number"] == place[2]:
                assert last_hash == place[3]
    assert [row["problem"] for row in rows if row["kind"] == "alert"] == ["fork"]
    assert verify_export(lines(), KEY.public_key) == []


def with_capitals(line: bytes) -> bytes:
    """Return the last line of an export with capital letters in its signature, which stay the same number."""
    before, name, signature = line.rpartition(b'"signature":"')
    return before + name + signature.upper()


Tampering = Callable[[list[bytes]], list[bytes]]
TAMPERINGS_OF_LINES: dict[str, tuple[Tampering, list[str]]] = {
    "changed": (
        lambda rows: [*rows[:4], rows[4].replace(b'"body"', b'"bodY"'), *rows[5:]],
        ["line 5: changed, expected line 5 of the export"],
    ),
    "header changed": (
        lambda rows: [rows[0].replace(b"11-30", b"11-29"), *rows[1:]],
        ["line 1: changed, expected line 1 of the export"],
    ),
    "removed": (lambda rows: rows[:4] + rows[5:], ["line 5 of the export: removed"]),
    "two removed": (
        lambda rows: rows[1:4] + rows[5:],
        ["line 1 of the export: removed", "line 5 of the export: removed"],
    ),
    "added": (lambda rows: [*rows[:4], b'{"kind":"record"}', *rows[4:]], ["line 5: added or changed"]),
    "no JSON added": (lambda rows: [*rows[:4], b"\xff", *rows[4:]], ["line 5: added or changed"]),
    "repeated": (lambda rows: [*rows[:5], *rows[4:]], ["line 6: added, it repeats line 5 of the export"]),
    "reordered": (
        lambda rows: [*rows[:4], rows[5], rows[4], *rows[6:]],
        ["line 6: reordered, it is line 5 of the export"],
    ),
    "signature removed": (
        lambda rows: rows[:-1],
        [f"line {len(lines()) - 1}: expected the signature of the export in the last line"],
    ),
    "all removed": (lambda _: [], ["line 0: expected the signature of the export in the last line"]),
    "added at the end": (lambda rows: [*rows, b"{}"], [f"line {len(lines()) + 1}: added after the signature"]),
    "hash of the signature changed": (
        lambda rows: [*rows[:-1], rows[-1].replace(b'"hashes":["', b'"hashes":["0')],
        [f"line {len(lines())}: the signature is not from this key, or the line was changed"],
    ),
    "signature changed": (
        lambda rows: [*rows[:-1], rows[-1].replace(b'"signature":"', b'"signature":"00')],
        [f"line {len(lines())}: the signature is not from this key, or the line was changed"],
    ),
    "capital letters in the signature": (
        lambda rows: [*rows[:-1], with_capitals(rows[-1])],
        [f"line {len(lines())}: changed, expected the signature as the room wrote it"],
    ),
    "key of the signature changed": (
        lambda rows: [*rows[:-1], rows[-1].replace(KEY.public_key.encode(), OTHER_KEY.public_key.encode())],
        [f"line {len(lines())}: changed, expected the signature as the room wrote it"],
    ),
    "signed with another key": (
        lambda _: list(export_lines(OTHER_KEY, DAY, "", [], [])),
        ["line 2: the signature is not from this key, or the line was changed"],
    ),
}


@pytest.mark.parametrize("name", TAMPERINGS_OF_LINES)
def test_tampering_with_an_export_names_the_line(name: str) -> None:
    tamper, expected = TAMPERINGS_OF_LINES[name]
    assert verify_export(tamper(list(lines())), KEY.public_key) == expected


@settings(max_examples=200, deadline=None)
@given(st.integers(min_value=0), st.integers(min_value=0), st.integers(min_value=0, max_value=7))
def test_flipped_bit_is_found_in_its_line(row: int, place: int, bit: int) -> None:
    rows = list(lines())
    position = row % len(rows)
    data = bytearray(rows[position])
    data[place % len(data)] ^= 1 << bit
    rows[position] = bytes(data)
    problems = verify_export(rows, KEY.public_key)
    # If the last line is not a signature now, the check names the line where it expected one.
    assert problems[0].startswith((f"line {position + 1}: ", f"line {position + 1} "))


def test_planted_check_that_ignores_the_order_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("controller.room.audit_export._differences", lambda *_: iter(()))
    for name in ("changed", "removed", "added", "reordered"):
        assert verify_export(TAMPERINGS_OF_LINES[name][0](list(lines())), KEY.public_key) == []


@pytest.mark.parametrize("name", [name for name, (_, problem) in TAMPERINGS.items() if problem != "other-key"])
def test_changed_span_in_the_store_is_not_exported(name: str) -> None:
    tamper, problem = TAMPERINGS[name]
    stored = [SpanOfDay("Table 4", AT, encode_span(tamper(spans()[NEXT_RECORDS])))]
    with pytest.raises(SpanError) as caught:
        list(export_lines(KEY, DAY, "", stored, []))
    assert caught.value.problem == problem


def test_command_names_the_line_and_ends_with_1(tmp_path: Path) -> None:
    file, public_key = tmp_path / "day.jsonl", tmp_path / "room.key.pub"
    public_key.write_text(KEY.public_key)
    file.write_bytes(b"".join(line + b"\n" for line in lines()))

    def check(*arguments: Path) -> tuple[int, str]:
        result = CliRunner().invoke(main, ["room", "verify-export", *map(str, arguments)])
        return result.exit_code, result.output

    assert check(file, Path("--key"), public_key) == (0, f"{file}: as the room wrote it\n")
    file.write_bytes(b"".join(line + b"\n" for line in lines() if b'"alert"' not in line))
    code, output = check(file, Path("--key"), public_key)
    assert (code, "removed" in output) == (1, True)
    code, output = check(file.with_name("x"), Path("--key"), public_key)
    assert (code, output.count("\n"), "expected an export of the room" in output) == (2, 1, True)
    result = CliRunner().invoke(main, ["room", "export", "yesterday", "--key", str(public_key)])
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1), result.stderr
