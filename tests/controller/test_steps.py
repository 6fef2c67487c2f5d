"""Steps as lines: each is read as it was printed, what is none is refused in one line, long readings go in pieces."""

from dataclasses import fields
from typing import Any, get_args, get_type_hints

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import controller.table
from controller.rules import MOST_AMOUNT, MOST_BOARDS, SEATS, Won
from controller.table import (
    MOST_LINE,
    MOST_PIECE,
    MOST_TEXT,
    Adds,
    Awards,
    BuysButton,
    CallsFloor,
    ChipsAre,
    ChipsMeant,
    Chops,
    Counted,
    CountsFor,
    Deals,
    Declaration,
    Declares,
    DeviceIsDown,
    DeviceIsMisset,
    DropsCount,
    EndsCount,
    EndsMotion,
    FloorBinds,
    FloorCountsPot,
    FloorPlacesButton,
    FloorSetsBet,
    Heard,
    LosesPresses,
    Moves,
    PaysTime,
    PlaysGame,
    RecordsMissed,
    Returns,
    Says,
    Sits,
    SpotFailed,
    SpotHolds,
    SpotOut,
    StartsCount,
    Step,
    StepError,
    TagCopied,
    TagIsWeak,
    Taken,
    line,
    note_text,
    parse,
    pieces,
)
from controller.table.steps.hand import awards_boards
from hardware.events import Chip

LINES: dict[str, Step] = {
    "3 raise to 60": Declares(3, Declaration("raise", 60)),
    "3 raise by 60": Declares(3, Declaration("raise", 60, by=True)),
    "3 bet 60": Declares(3, Declaration("bet", 60)),
    "3 time": Declares(3, Declaration("time")),
    "3 500": Declares(3, Declaration("amount", 500)),
    "3 says 500": Says(3, Declaration("amount", 500)),
    "3 said 500": Heard(3, Declaration("amount", 500)),
    "3 done": EndsMotion(3),
    "3 says raise": Says(3, Declaration("raise")),
    "3 said all-in": Heard(3, Declaration("all-in")),
    "3 chips 25 5": Moves(3, (25, 5)),
    "3 takes 25": Moves(3, back=(25,)),
    "3 chips 25 back 5 5": Moves(3, (25,), (5, 5)),
    "3 time 6": PaysTime(3, 6),
    "3 add 100": Adds(3, 100),
    "3 sit 200": Sits(3, 200),
    "3 sit 200 as ann": Sits(3, 200, "ann"),
    "3 sit 200 transfer": Sits(3, 200, transfer=True),
    "3 sit 200 in-stead": Sits(3, 200, in_stead=True),
    "3 sit 200 as ann in-stead": Sits(3, 200, "ann", in_stead=True),
    "3 sit 200 as in-stead": Sits(3, 200, "in-stead"),
    "chop": Chops(),
    "3 buys-button": BuysButton(3),
    "floor button 10": FloorPlacesButton(10),
    "3 stack unknown": Counted(3, None),
    "3 stack 0": Counted(3, 0),
    "return 3": Returns(3),
    "deal": Deals(),
    "deal closing": Deals(closing=True),
    "award side1 2 5": Awards("side1", (2, 5)),
    "award main high 1 low 1 3": Awards("main", (1,), (1, 3)),
    "game razz": PlaysGame("razz"),
    "floor bind 3": FloorBinds(3),
    "floor bet 3 40": FloorSetsBet(3, 40),
    "floor pot 640": FloorCountsPot(640),
    "call-floor": CallsFloor(),
    "chips-are 4 nothing": ChipsAre(4, "nothing"),
    "chips-are 4 bet": ChipsAre(4, "bet"),
    "chips-are 4 of 600": ChipsAre(4, "bet", 600),
    "chips-are 4 change 50": ChipsAre(4, "change", 50),
    "count 4 bet": StartsCount(4, "bet"),
    "count 4 buy-in": StartsCount(4, "buy-in"),
    "counted": EndsCount(),
    "count-off": DropsCount(),
    "spot bet4 lies": SpotHolds("bet4"),
    "spot bet4 doubt came 25:E004 5:E005 went E006 strangers E1 E2 lammers button at-least more": SpotHolds(
        "bet4",
        "doubt",
        (Chip("E004", 25), Chip("E005", 5)),
        ("E006",),
        ("E1", "E2"),
        ("button",),
        at_least=True,
        more=True,
    ),
    "spot-out pot no-reading": SpotOut("pot", "no-reading"),
    "spot-out pot": SpotOut("pot"),
    "down odd the cable is out": DeviceIsDown("odd", "the cable is out"),
    "misset odd afi 07, expected 00": DeviceIsMisset("odd", "afi", "07, expected 00"),
    "presses-lost keys 3": LosesPresses("keys", 3),
    "records-missed 12": RecordsMissed(12),
    "tag-copied E004015000250001 bet1 bet5": TagCopied("E004015000250001", "bet1", "bet5"),
    "tag-weak E004015000250001 25": TagIsWeak("E004015000250001", 25),
    "failed bet4 KeyError: 4": SpotFailed("bet4", "KeyError: 4"),
    "failed - KeyError: 4": SpotFailed("", "KeyError: 4"),
}


@pytest.mark.parametrize("said", LINES)
def test_a_line_is_its_step(said: str) -> None:
    assert parse(said) == LINES[said]
    assert line(LINES[said]) == said


def test_what_stands_for_the_same_is_printed_in_one_way() -> None:
    assert line(parse("  3   raise 60 ")) == "3 raise to 60"


# --- all steps ---

_SEAT, _AMOUNT = st.integers(1, SEATS), st.integers(1, MOST_AMOUNT)
_WORD = st.from_regex(r"[a-z][a-z0-9-]{0,11}", fullmatch=True)
_TAG = st.from_regex(r"E0[0-9A-F]{14}([0-9A-F]{8})?", fullmatch=True)
_TAGS = st.lists(_TAG, max_size=4).map(tuple)
_CHIPS = st.lists(st.sampled_from((1, 5, 25, 100)), min_size=1, max_size=6).map(tuple)
_DECLARATION = st.one_of(
    st.builds(Declaration, st.sampled_from(("fold", "check", "call", "bet", "raise", "complete", "pot", "all-in"))),
    st.builds(Declaration, st.sampled_from(("bet", "raise", "amount")), _AMOUNT),
    st.builds(Declaration, st.just("raise"), _AMOUNT, st.just(True)),
)


def _won(shares: list[tuple[int, int]], low: list[tuple[int, int]]) -> Won:
    return Won(_seats(shares), _seats(low), _parts(shares), _parts(low))


def _seats(shares: list[tuple[int, int]]) -> tuple[int, ...]:
    return tuple(seat for seat, _ in shares)


def _parts(shares: list[tuple[int, int]]) -> tuple[int, ...]:
    parts = tuple(share for _, share in shares)
    return parts if any(share > 1 for share in parts) else ()


_SHARES = st.lists(st.tuples(_SEAT, st.integers(1, 3)), min_size=1, max_size=4)
_WON = st.builds(_won, _SHARES, st.just([]) | _SHARES)
_BY_FIELD: dict[str, st.SearchStrategy[Any]] = {
    "seat": _SEAT,
    "to": _SEAT,
    "amount": _AMOUNT,
    "declaration": _DECLARATION,
    "name": _WORD,
    "pot": _WORD,
    "spot": _WORD,
    "device": _WORD,
    "setting": _WORD,
    "how": _WORD,
    "door": _WORD,
    "count": st.integers(1, MOST_BOARDS),
    "minutes": st.integers(1, 1_000_000),
    "lender": st.just(0) | _SEAT,
    "on": st.booleans(),
    "closing": st.booleans(),
    "reason": st.text(max_size=MOST_TEXT * 2),
    "what": st.text(max_size=MOST_TEXT * 2),
}
_SPECIAL: dict[type[Step], st.SearchStrategy[Step]] = {
    Moves: st.one_of(
        st.builds(Moves, _SEAT, _CHIPS, _CHIPS), st.builds(Moves, _SEAT, _CHIPS), st.builds(Moves, _SEAT, back=_CHIPS)
    ),
    Awards: st.builds(lambda pot, won: Awards(pot, *won), _WORD, _WON)
    | st.builds(awards_boards, _WORD, st.lists(_WON, min_size=2, max_size=MOST_BOARDS).map(tuple)),
    ChipsAre: st.builds(ChipsAre, _SEAT, st.sampled_from([what for what in get_args(ChipsMeant) if what != "change"]))
    | st.builds(ChipsAre, _SEAT, st.sampled_from(("bet", "change")), _AMOUNT),
    StartsCount: st.builds(StartsCount, _SEAT, st.sampled_from(get_args(CountsFor))),
    RecordsMissed: st.builds(RecordsMissed, _AMOUNT),
    TagCopied: st.builds(TagCopied, _TAG, _WORD, _WORD),
    TagIsWeak: st.builds(TagIsWeak, _TAG, _AMOUNT),
    LosesPresses: st.builds(LosesPresses, _WORD, _AMOUNT),
    Sits: st.builds(Sits, _SEAT, _AMOUNT, _WORD) | st.builds(Sits, _SEAT, _AMOUNT, transfer=st.booleans()),
    Counted: st.builds(Counted, _SEAT, st.none() | st.integers(0, MOST_AMOUNT)),
    SpotHolds: st.builds(
        SpotHolds,
        _WORD,
        st.sampled_from(get_args(Taken)),
        st.lists(st.builds(Chip, _TAG, _AMOUNT), max_size=4).map(tuple),
        _TAGS,
        _TAGS,
        st.lists(st.sampled_from(("button", "all-in")), max_size=3).map(tuple),
        st.booleans(),
        st.booleans(),
        _TAGS,
    ),
}
_KINDS = {kind for kind in vars(controller.table).values() if isinstance(kind, type) and issubclass(kind, Step)}
MADE = sorted(
    (kind for kind in _KINDS if not any(other is not kind and issubclass(other, kind) for other in _KINDS)),
    key=str,
)


def any_of(kind: type[Step]) -> st.SearchStrategy[Step]:
    """Any step of a class."""
    if kind in _SPECIAL:
        return _SPECIAL[kind]
    return st.builds(kind, **{field.name: _BY_FIELD[field.name] for field in fields(kind)})


@pytest.mark.parametrize("kind", MADE)
@settings(max_examples=30, deadline=None)
@given(data=st.data())
def test_every_step_is_read_as_it_was_printed(kind: type[Step], data: st.DataObject) -> None:
    step = data.draw(any_of(kind))
    said = line(step)
    assert said.isprintable() and len(said) <= MOST_LINE
    assert parse(said) == step


@pytest.mark.parametrize("kind", MADE)
def test_every_class_says_whose_it_is_and_how_it_is_undone(kind: type[Step]) -> None:
    hints = get_type_hints(Step)
    for name in ("owner", "undone"):
        assert getattr(kind, name) in get_args(get_args(hints[name])[0])


# --- what is no step ---

_USUAL = ("3", "11", "bet", "raise", "to", "by", "floor", "spot", "lies", "came", "went", "5:E0", "deal", "award")
WRONG: dict[str, str] = {
    "spot": f"expected a spot and {', '.join(get_args(Taken))}, got nothing",
    "spot bet4 jumps": f"expected a spot and {', '.join(get_args(Taken))}, got 'bet4 jumps'",
    "spot bet4 lies E004": "expected came, went, strangers, lammers, heard, at-least or more, got 'E004'",
    "spot bet4 lies came E004": "expected a chip as AMOUNT:TAG, got ''",
    "spot bet4 lies came x:E004": "expected an amount from 1 to 100000000000000, got 'x'",
    "spot bet4 lies went tag": "expected a tag, got 'tag'",
    "spot bet4 lies at-least E004": "expected came, went, strangers, lammers, heard, at-least or more, got 'E004'",
    "spot-back": "expected a name, got nothing",
    "spot-out": "expected a name, got nothing",
    "misset odd": "expected a name and a setting, got 'odd'",
    "failed": "expected a spot or -, got nothing",
    "out-of-turn": "expected a seat, got nothing",
    "chips-are": f"expected a seat and {', '.join(get_args(ChipsMeant))} or of, got nothing",
    "chips-are 4": f"expected a seat and {', '.join(get_args(ChipsMeant))} or of, got '4'",
    "chips-are 4 gone": f"expected a seat and {', '.join(get_args(ChipsMeant))} or of, got '4 gone'",
    "chips-are 11 bet": "expected a seat from 1 to 10, got '11'",
    "chips-are 4 bet 40": "expected nothing more, got '40'",
    "chips-are 4 of": "expected an amount, got nothing",
    "chips-are 4 of 0": "expected an amount from 1 to 100000000000000, got '0'",
    "chips-are 4 change": "expected an amount, got nothing",
    "count": "expected a seat and bet, buy-in, stack, got nothing",
    "count 4": "expected a seat and bet, buy-in, stack, got '4'",
    "count 4 off": "expected a seat and bet, buy-in, stack, got '4 off'",
    "count 11 bet": "expected a seat from 1 to 10, got '11'",
    "counted 40": "expected nothing more, got '40'",
    "count-off 4": "expected nothing more, got '4'",
    "too-early now": "expected nothing more, got 'now'",
    "3 was": "expected an amount, got nothing",
    "3 in 40": "expected nothing more, got '40'",
    "redo 2": "expected nothing more, got '2'",
    "dealer": "expected a name, got nothing",
    "drop 0": "expected an amount from 1 to 100000000000000, got '0'",
    "3 raise 60 70": "expected 'raise', 'raise to N' or 'raise by N', got 'raise 60 70'",
    "3 chips 5 back": "expected 1 to 200 chips, got 0",
    "3 raise 40 50": "expected 'raise', 'raise to N' or 'raise by N', got 'raise 40 50'",
}


@pytest.mark.parametrize("said", WRONG)
def test_what_is_no_note_is_refused_in_one_line(said: str) -> None:
    with pytest.raises(StepError) as caught:
        parse(said)
    assert str(caught.value) == f"{said!r}: {WRONG[said]}"
    assert caught.value.whose == "person"


def test_the_most_that_chips_can_be_worth_together() -> None:
    half = MOST_AMOUNT // 2
    assert parse(f"3 chips {half} {half}") == Moves(3, (half, half))
    with pytest.raises(StepError):
        parse(f"3 chips {half} {half} 1")


@given(st.text(max_size=60) | st.lists(st.sampled_from(_USUAL)).map(" ".join))
@settings(max_examples=300, deadline=None)
def test_any_text_is_a_step_or_refused(text: str) -> None:
    try:
        step = parse(text)
    except StepError as error:
        assert "\n" not in str(error) and len(str(error)) < 400
    else:
        assert parse(line(step)) == step


def test_what_a_note_tells_is_one_line() -> None:
    assert note_text("a\n b\t\tc\x00 ") == "a b c"
    assert SpotFailed("pot", "x" * 500).what == "x" * MOST_TEXT


# --- readings of many chips ---


def effect(steps: tuple[SpotHolds, ...]) -> tuple[object, ...]:
    """What steps about one reading come to together."""
    strangers: tuple[str, ...] = ()
    lammers: tuple[str, ...] = ()
    for step in steps:
        strangers = strangers + step.strangers if step.more else step.strangers
        lammers = lammers + step.lammers if step.more else step.lammers
    came = tuple(chip for step in steps for chip in step.came)
    went = tuple(uid for step in steps for uid in step.went)
    heard = tuple(uid for step in steps for uid in step.heard)
    return came, went, heard, strangers, lammers, {(step.spot, step.taken, step.at_least) for step in steps}


_MANY = [(0, 0, 0, 1), (50, 0, 0, 1), (100, 0, 0, 2), (400, 0, 0, 8), (150, 300, 7, 5), (0, 0, 500, 4)]


@pytest.mark.parametrize(("came", "went", "strangers", "count"), _MANY)
def test_a_reading_of_many_chips_goes_in_halves(came: int, went: int, strangers: int, count: int) -> None:
    whole = SpotHolds(
        "pot",
        "doubt",
        tuple(Chip(f"E004{number:012X}", 100_000_000) for number in range(came)),
        tuple(f"E005{number:012X}" for number in range(went)),
        tuple(f"E006{number:012X}" for number in range(strangers)),
        ("button",),
        at_least=True,
        heard=tuple(f"E004{number:012X}" for number in range(came)),
    )
    parts = pieces(whole)
    assert effect(parts) == effect((whole,))
    assert all(len(line(part)) < MOST_PIECE for part in parts)
    assert len(parts) == count
    assert not parts[0].more and all(part.more for part in parts[1:])
    assert (len(parts) == 1) == (len(line(whole)) < MOST_PIECE)
