"""Each tampering with a span is named, and nothing counts without the signature of the table."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from contextlib import closing
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from controller.integrity import ChainHead, TableKey
from controller.journal import JournalFollower, Stretch
from controller.journal.sqlite_file import chain_hash
from controller.room import (
    MAX_SPAN_BYTES,
    SpanChain,
    SpanError,
    decode_span,
    encode_span,
    span_chain,
    split_stretch,
    verify_span,
)
from controller.room.spans import SPAN_FORM, SpanProblem
from tests.controller.journal_tampering import KEY, OTHER_KEY
from tests.controller.test_journal_replication import Writer, read_all

KEYS = (KEY.public_key,)


@cache
def spans() -> tuple[Stretch, ...]:
    """Return the spans of a small journal: a segment with a snapshot, its next span, and the next segment."""
    with TemporaryDirectory() as folder, closing(Writer(Path(folder))) as writer:
        follower = JournalFollower(writer.path)
        writer.rotate()
        writer.append(4, b"state at the end of a hand")
        stretches = read_all(follower)
        writer.append(5, b"state at the end of another hand")
        stretches += read_all(follower)
        writer.rotate()
        writer.append(2)
        return tuple(stretches + read_all(follower))


FIRST_SEGMENT, SECOND_SEGMENT, NEXT_RECORDS, THIRD_SEGMENT = range(4)


def signed(span: Stretch, key: TableKey = KEY) -> Stretch:
    return span._replace(signature=key.sign(span.head))


def rehashed(span: Stretch) -> Stretch:
    """Return the span with hashes that fit its records again, as anybody can compute them."""
    last_hash = span.previous.hash
    for body in span.bodies:
        last_hash = chain_hash(last_hash, body)
    number = span.previous.number + len(span.bodies)
    return span._replace(head=span.head._replace(number=number, hash=last_hash))


def with_bodies(span: Stretch, *bodies: bytes) -> Stretch:
    return span._replace(bodies=bodies)


def change_record(span: Stretch) -> Stretch:
    return with_bodies(span, *(body.replace(b"raise to 6", b"raise to 7") for body in span.bodies))


def move_up(span: Stretch) -> Stretch:
    """Remove the second record, and number the records after it again."""
    first, _, *others = span.bodies
    numbered = (body.replace(b'{"number":%d' % n, b'{"number":%d' % (n - 1)) for n, body in enumerate(others, 7))
    return with_bodies(span, first, *numbered)._replace(states={})


TAMPERINGS: dict[str, tuple[Callable[[Stretch], Stretch], SpanProblem]] = {
    "record changed": (change_record, "changed"),
    "record changed, new hashes": (lambda span: rehashed(change_record(span)), "other-key"),
    "record changed, other key": (lambda span: signed(rehashed(change_record(span)), OTHER_KEY), "other-key"),
    "record is no record": (lambda span: with_bodies(span, b"{}", *span.bodies[1:]), "changed"),
    "record removed": (lambda span: with_bodies(span, *span.bodies[:2], *span.bodies[3:]), "bad-number"),
    "first record removed": (lambda span: with_bodies(span, *span.bodies[1:]), "bad-number"),
    "last record removed": (lambda span: with_bodies(span, *span.bodies[:-1]), "changed"),
    "record removed, new numbers and hashes": (lambda span: rehashed(move_up(span)), "bad-snapshot"),
    "record added": (lambda span: with_bodies(span, *span.bodies, span.bodies[-1]), "bad-number"),
    "record repeated": (lambda span: with_bodies(span, span.bodies[0], *span.bodies), "bad-number"),
    "records reordered": (lambda span: with_bodies(span, *span.bodies[::-1]), "bad-number"),
    "all records removed": (with_bodies, "changed"),
    "end cut, new hashes": (
        lambda span: rehashed(with_bodies(span, *span.bodies[:-1])._replace(states={})),
        "other-key",
    ),
    "hash changed": (lambda span: span._replace(head=span.head._replace(hash=bytes(16))), "changed"),
    "number changed": (lambda span: span._replace(head=span.head._replace(number=99)), "changed"),
    "other journal": (lambda span: span._replace(head=span.head._replace(journal="x")), "changed"),
    "snapshot changed": (lambda span: span._replace(states={9: zlib.compress(b"another state")}), "bad-snapshot"),
    "snapshot damaged": (lambda span: span._replace(states={9: span.states[9][:-3]}), "bad-snapshot"),
    "snapshot removed": (lambda span: span._replace(states={}), "bad-snapshot"),
    "snapshot added": (lambda span: span._replace(states={**span.states, 8: zlib.compress(b"x")}), "bad-snapshot"),
    "signature changed": (lambda span: span._replace(signature=bytes(64)), "other-key"),
    "signature of another span": (lambda span: span._replace(signature=spans()[1].signature), "other-key"),
    "signature cut": (lambda span: span._replace(signature=(span.signature or b"")[:10]), "other-key"),
    "signed with another key": (lambda span: signed(span, OTHER_KEY), "other-key"),
    "opening damaged": (lambda span: span._replace(opening=b"{}"), "bad-opening"),
    "opening of another segment": (lambda span: span._replace(opening=spans()[THIRD_SEGMENT].opening), "bad-opening"),
}


def problem_of(span: Stretch, *, signature_matters: bool = True) -> str:
    """Return the problem that the check of a span finds, or "" if it finds none."""
    try:
        verify_span(span, KEYS if signature_matters else None)
    except SpanError as error:
        assert error.head == span.head
        return error.problem
    return ""


@pytest.mark.parametrize("name", TAMPERINGS)
def test_tampering_with_a_span_is_named(name: str) -> None:
    tamper, problem = TAMPERINGS[name]
    span = spans()[NEXT_RECORDS]
    assert problem_of(span) == ""
    assert problem_of(tamper(span)) == problem
    assert problem_of(tamper(span), signature_matters=False) == ("" if problem == "other-key" else problem)


@pytest.mark.parametrize("name", TAMPERINGS)
def test_planted_check_that_accepts_everything_is_noticed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    tamper, problem = TAMPERINGS[name]
    monkeypatch.setattr(Stretch, "verify", lambda span: None)
    monkeypatch.setattr("controller.room.spans.is_signed_by", lambda *_: True)
    assert problem_of(tamper(spans()[NEXT_RECORDS])) != problem


def test_table_without_keys_proves_nothing() -> None:
    with pytest.raises(SpanError) as caught:
        verify_span(spans()[NEXT_RECORDS], ())
    assert caught.value.problem == "other-key"


OPENING_TAMPERINGS: dict[str, Callable[[Stretch], Stretch]] = {
    "changed": lambda span: span._replace(opening=span.opening.replace(b"[2,", b"[3,")),
    "not JSON": lambda span: span._replace(opening=b"\xff"),
    "bad hash": lambda span: span._replace(opening=span.opening.replace(b'"before":"', b'"before":"x')),
    "previous format": lambda span: span._replace(opening=span.opening.replace(b'"form":4', b'"form":3')),
    "other number": lambda span: span._replace(previous=span.previous._replace(number=span.previous.number + 1)),
}


@pytest.mark.parametrize("name", OPENING_TAMPERINGS)
def test_tampering_with_the_opening_is_named(name: str) -> None:
    assert problem_of(OPENING_TAMPERINGS[name](spans()[THIRD_SEGMENT])) == "bad-opening"


def test_segment_of_a_previous_format_is_refused() -> None:
    span = spans()[FIRST_SEGMENT]
    opening = span.opening.replace(b'"form":4', b'"form":3')
    header_hash = chain_hash(bytes(16), opening)
    head = span.head._replace(journal=header_hash.hex(), hash=header_hash)
    old = Stretch(opening, head, (), {}, head, KEY.sign(head))
    with pytest.raises(SpanError, match="format 3, expected 4") as caught:
        verify_span(old, KEYS)
    assert caught.value.problem == "bad-opening"


@settings(max_examples=300, deadline=None)
@given(st.integers(min_value=0), st.integers(min_value=0, max_value=7))
@example(0, 0)
def test_flipped_bit_is_found_or_without_effect(place: int, bit: int) -> None:
    span = spans()[NEXT_RECORDS]
    data = bytearray(encode_span(span))
    data[place % len(data)] ^= 1 << bit
    try:
        changed = decode_span(bytes(data))
        verify_span(changed, KEYS)
    except SpanError:
        return
    # Zlib ignores some bits, such as the level of compression, so that the snapshot is still the same.
    assert changed._replace(states={}) == span._replace(states={})


@pytest.mark.parametrize("length", [0, 1, 40, -1])
def test_truncated_span_is_named(length: int) -> None:
    with pytest.raises(SpanError) as caught:
        decode_span(encode_span(spans()[NEXT_RECORDS])[:length])
    assert caught.value.problem == "not-a-span"


def test_span_of_another_form_is_named() -> None:
    with pytest.raises(SpanError) as caught:
        decode_span(msgspec.msgpack.encode((SPAN_FORM + 1, spans()[NEXT_RECORDS])))
    assert caught.value.problem == "not-a-span"


def test_oversized_span_is_named_at_both_ends() -> None:
    span = spans()[NEXT_RECORDS]
    span = span._replace(states={9: bytes(MAX_SPAN_BYTES)})
    with pytest.raises(SpanError) as caught:
        encode_span(span)
    assert caught.value.problem == "oversized"
    with pytest.raises(SpanError) as caught:
        decode_span(msgspec.msgpack.encode((SPAN_FORM, span)))
    assert caught.value.problem == "oversized"


# --- the order of spans ---


def add_all(chain: SpanChain, sent: Sequence[Stretch]) -> list[Stretch]:
    return [stored.span for span in sent for stored in chain.add(encode_span(span)).proven]


def chain_after(*sent: int, keys: tuple[str, ...] = KEYS) -> SpanChain:
    chain = SpanChain(None, keys)
    add_all(chain, [spans()[number] for number in sent])
    return chain


def test_spans_in_order_are_all_proven() -> None:
    assert add_all(SpanChain(None, KEYS), spans()) == list(spans())
    for number in range(len(spans())):
        position = spans()[number].head
        assert add_all(SpanChain(position, KEYS), spans()[number + 1 :]) == list(spans()[number + 1 :])


WRONG_ORDER: dict[str, tuple[tuple[int, ...], int, SpanProblem]] = {
    "middle of a segment first": ((), NEXT_RECORDS, "gap"),
    "span left out": ((FIRST_SEGMENT,), NEXT_RECORDS, "gap"),
    "span repeated": ((FIRST_SEGMENT, SECOND_SEGMENT, NEXT_RECORDS), NEXT_RECORDS, "fork"),
    "segment repeated": ((FIRST_SEGMENT, SECOND_SEGMENT), SECOND_SEGMENT, "fork"),
    "older segment": ((FIRST_SEGMENT, SECOND_SEGMENT, NEXT_RECORDS, THIRD_SEGMENT), FIRST_SEGMENT, "fork"),
}


@pytest.mark.parametrize("name", WRONG_ORDER)
def test_wrong_order_is_refused_by_name(name: str) -> None:
    before, number, problem = WRONG_ORDER[name]
    with pytest.raises(SpanError) as caught:
        chain_after(*before).add(encode_span(spans()[number]))
    assert caught.value.problem == problem


def other_record(position: ChainHead) -> ChainHead:
    return position._replace(hash=bytes(16))


@pytest.mark.parametrize("number", [SECOND_SEGMENT, NEXT_RECORDS, THIRD_SEGMENT])
def test_other_records_with_the_same_numbers_are_a_fork(number: int) -> None:
    chain = SpanChain(other_record(spans()[number - 1].head), KEYS)
    with pytest.raises(SpanError) as caught:
        chain.add(encode_span(spans()[number]))
    assert caught.value.problem == "fork"


def test_segment_after_missing_records_is_accepted_and_reported() -> None:
    accepted = chain_after(FIRST_SEGMENT, SECOND_SEGMENT).add(encode_span(spans()[THIRD_SEGMENT]))
    assert [error.problem for error in accepted.problems] == ["missing-records"]
    assert len(accepted.proven) == 1


def journal_events(event: Callable[[Writer], None], folder: Path) -> tuple[Stretch, Stretch]:
    """Return the last span of a journal, and the first span of the journal that replaces it."""
    with closing(Writer(folder)) as writer:
        follower = JournalFollower(writer.path)
        writer.append(3)
        (*_, before) = read_all(follower)
        event(writer)
        (after, *_) = read_all(follower)
    return before, after


@pytest.mark.parametrize("event", [Writer.begin_new_journal, Writer.salvage])
def test_journal_that_names_its_parent_is_accepted(tmp_path: Path, event: Callable[[Writer], None]) -> None:
    before, after = journal_events(event, tmp_path)
    assert SpanChain(before.head, KEYS).add(encode_span(after)).problems == []


def test_journal_without_its_parent_is_accepted_and_reported(tmp_path: Path) -> None:
    before, after = journal_events(Writer.begin_new_journal, tmp_path)
    accepted = SpanChain(before.head._replace(journal="0" * 32), KEYS).add(encode_span(after))
    assert [error.problem for error in accepted.problems] == ["unknown-journal"]
    assert len(accepted.proven) == 1


def test_new_configuration_after_missing_records_is_reported(tmp_path: Path) -> None:
    before, after = journal_events(Writer.begin_new_journal, tmp_path)
    accepted = SpanChain(other_record(before.head), KEYS).add(encode_span(after))
    assert [error.problem for error in accepted.problems] == ["missing-records"]


# --- signatures ---


def test_records_are_held_until_a_signature_proves_them() -> None:
    span = spans()[NEXT_RECORDS]
    parts = [span.part(0, 2, has_opening=False), span.part(2, len(span.bodies), has_opening=False)]
    chain = chain_after(FIRST_SEGMENT, SECOND_SEGMENT)
    assert add_all(chain, parts[:1]) == []
    assert [held.span for held in chain.held] == parts[:1]
    assert add_all(chain, parts[1:]) == parts
    assert chain.held == []


def test_forged_record_is_not_stored_and_does_not_lock_the_table_out() -> None:
    forged = rehashed(change_record(spans()[NEXT_RECORDS]))._replace(signature=None)
    chain = chain_after(FIRST_SEGMENT, SECOND_SEGMENT)
    assert add_all(chain, [forged]) == []
    with pytest.raises(SpanError):
        chain.add(encode_span(spans()[NEXT_RECORDS]))
    # The next connection begins with what is stored, so that the table is not locked out.
    assert add_all(chain_after(FIRST_SEGMENT, SECOND_SEGMENT), [spans()[NEXT_RECORDS]]) == [spans()[NEXT_RECORDS]]


def test_unsigned_end_is_reported_until_a_later_signature_covers_it() -> None:
    unsigned = spans()[NEXT_RECORDS]._replace(signature=b"")
    chain = chain_after(FIRST_SEGMENT, SECOND_SEGMENT)
    accepted = chain.add(encode_span(unsigned))
    assert [(error.problem, error.number) for error in accepted.problems] == [("unsigned", 5)]
    assert accepted.proven == ()
    assert add_all(chain, [spans()[THIRD_SEGMENT]]) == [unsigned, spans()[THIRD_SEGMENT]]


def test_unsigned_end_before_another_journal_is_reported_and_not_stored(tmp_path: Path) -> None:
    before, after = journal_events(Writer.salvage, tmp_path)
    chain = SpanChain(before.previous if not before.begins_segment else None, KEYS)
    assert add_all(chain, [before._replace(signature=b"")]) == []
    accepted = chain.add(encode_span(after))
    assert [error.problem for error in accepted.problems] == ["unsigned"]
    assert [stored.span for stored in accepted.proven] == [after]


def test_too_many_unsigned_records_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(span_chain, "MAX_HELD_BYTES", 100)
    with pytest.raises(SpanError) as caught:
        chain_after(FIRST_SEGMENT, SECOND_SEGMENT).add(encode_span(spans()[NEXT_RECORDS]._replace(signature=None)))
    assert caught.value.problem == "unsigned"


# --- splitting ---


@pytest.mark.parametrize("limit", [2_500, 4_000, 10_000])
def test_stretch_is_split_into_spans_that_fit_and_lose_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: int
) -> None:
    monkeypatch.setattr("controller.room.spans.MAX_SPAN_BYTES", limit)
    with closing(Writer(tmp_path)) as writer:
        follower = JournalFollower(writer.path)
        for number in range(8):
            writer.append(10, b"state %d at the end of a hand" % number)
        (stretch,) = read_all(follower)
    parts = list(split_stretch(stretch))
    assert len(parts) > 1
    assert [part.signature is None for part in parts] == [True] * (len(parts) - 1) + [False]
    chain = SpanChain(None, KEYS)
    assert add_all(chain, parts) == parts
    assert tuple(body for part in parts for body in part.bodies) == stretch.bodies
    assert {number: state for part in parts for number, state in part.states.items()} == stretch.states
    assert len(list(split_stretch(stretch._replace(bodies=(), states={}, head=stretch.previous)))) == 1
