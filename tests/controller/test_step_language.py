"""The text form of steps.

Each step survives printing and parsing, invalid lines are refused, and lines that are too long are split.
"""

from dataclasses import fields
from typing import Any, get_args

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from controller.config import parse_typed_step
from controller.rules import MAX_AMOUNT, MAX_BOARDS, MAX_SEATS, BoardWinners
from controller.steps import (
    MAX_LINE_CHARS,
    MAX_READING_CHARS,
    Declaration,
    Step,
    StepOwner,
    StepSyntaxError,
    UndoPolicy,
    format_step,
    hand_steps,
    observations,
    parse_step,
    split_reading,
    table_steps,
)
from controller.steps.hand_steps import award_by_boards
from hardware.events import Chip

LINES: dict[str, Step] = {
    "3 raise to 60": hand_steps.Declares(3, Declaration("raise", 60)),
    "3 raise by 60": hand_steps.Declares(3, Declaration("raise", 60, is_raise_by=True)),
    "3 bet 60": hand_steps.Declares(3, Declaration("bet", 60)),
    "3 time": hand_steps.Declares(3, Declaration("time")),
    "3 500": hand_steps.Declares(3, Declaration("amount", 500)),
    "3 says 500": hand_steps.SpeaksOnly(3, Declaration("amount", 500)),
    "3 said 500": hand_steps.SpokeBeforeChips(3, Declaration("amount", 500)),
    "3 done": hand_steps.EndsMotion(3),
    "3 says raise": hand_steps.SpeaksOnly(3, Declaration("raise")),
    "3 said all-in": hand_steps.SpokeBeforeChips(3, Declaration("all-in")),
    "3 chips 25 5": hand_steps.MovesChips(3, (25, 5)),
    "3 takes 25": hand_steps.MovesChips(3, back=(25,)),
    "3 chips 25 back 5 5": hand_steps.MovesChips(3, (25,), (5, 5)),
    "3 time 6": table_steps.PaysTimeCollection(3, 6),
    "3 add 100": table_steps.AddsChips(3, 100),
    "3 sit 200": table_steps.SitsDown(3, 200),
    "3 sit 200 as ann": table_steps.SitsDown(3, 200, "ann"),
    "3 sit 200 transfer": table_steps.SitsDown(3, 200, is_transfer=True),
    "3 sit 200 in-stead": table_steps.SitsDown(3, 200, takes_over_blinds=True),
    "3 sit 200 as ann in-stead": table_steps.SitsDown(3, 200, "ann", takes_over_blinds=True),
    "3 sit 200 as Ann Lee": table_steps.SitsDown(3, 200, "Ann Lee"),
    "3 sit 200 as Ann Lee in-stead": table_steps.SitsDown(3, 200, "Ann Lee", takes_over_blinds=True),
    "3 name Ann Lee": table_steps.CorrectsName(3, "Ann Lee"),
    "3 sit 200 as in-stead": table_steps.SitsDown(3, 200, "in-stead"),
    "chop": hand_steps.ChopsBlinds(),
    "3 buys-button": hand_steps.BuysButton(3),
    "floor button 10": table_steps.FloorPlacesButton(10),
    "3 later moves 7": table_steps.QueuesStep(3, table_steps.ChangesSeat(3, 7)),
    "3 later sit 200 as ann": table_steps.QueuesStep(3, table_steps.SitsDown(3, 200, "ann")),
    "3 later leave": table_steps.QueuesStep(3, table_steps.LeavesTable(3)),
    "3 later nothing": table_steps.QueuesStep(3, None),
    "3 stack unknown": table_steps.CountsStack(3, None),
    "3 stack 0": table_steps.CountsStack(3, 0),
    "return 3": hand_steps.ReturnsChips(3),
    "deal": hand_steps.DealsStreet(),
    "deal closing": hand_steps.DealsStreet(closes_betting=True),
    "award side1 2 5": hand_steps.AwardsPot("side1", (2, 5)),
    "award main high 1 low 1 3": hand_steps.AwardsPot("main", (1,), (1, 3)),
    "game razz": table_steps.ChangesGame("razz"),
    "floor bind 3": table_steps.FloorBindsAction(3),
    "floor bet 3 40": table_steps.FloorSetsBet(3, 40),
    "floor pot 640": table_steps.FloorCountsPot(640),
    "call-floor": observations.CallsFloor(),
    "call-floor fill": observations.CallsFloor("fill"),
    "floor-answers Ann Lee": observations.AnswersFloorCall("Ann Lee"),
    "fill 500": table_steps.FillsTray(500),
    "credit 200": table_steps.CreditsTray(200),
    "chips-are 4 nothing": observations.ExplainsChips(4, "nothing"),
    "chips-are 4 bet": observations.ExplainsChips(4, "bet"),
    "chips-are 4 of 600": observations.ExplainsChips(4, "bet", 600),
    "chips-are 4 change 50": observations.ExplainsChips(4, "change", 50),
    "count 4 bet": observations.StartsPadCount(4, "bet"),
    "count 4 buy-in": observations.StartsPadCount(4, "buy-in"),
    "counted": observations.AcceptsPadCount(),
    "count-off": observations.DiscardsPadCount(),
    "spot bet4 lies": observations.RecordSpotReading("bet4"),
    (
        "spot bet4 doubt came 25:E004 5:E005 went E006 strangers E1 E2 lammers button at-least more"
    ): observations.RecordSpotReading(
        "bet4",
        "doubt",
        (Chip("E004", 25), Chip("E005", 5)),
        ("E006",),
        ("E1", "E2"),
        ("button",),
        at_least=True,
        is_continuation=True,
    ),
    "spot-out pot no-reading": observations.RecordSpotOffline("pot", "no-reading"),
    "spot-out pot": observations.RecordSpotOffline("pot"),
    "down odd the cable is out": observations.RecordDeviceDown("odd", "the cable is out"),
    "misset odd afi 07, expected 00": observations.RecordDeviceMisconfigured("odd", "afi", "07, expected 00"),
    "presses-lost keys 3": observations.RecordPressesLost("keys", 3),
    "set-up-used find layout.toml written by ben": observations.SetUpUsed("find", "layout.toml written by ben"),
    "badges 12": observations.BadgeListLoaded(12),
    "badges 12 7": observations.BadgeListLoaded(12, 7),
    "badge-refused badge-reader:A-00 unknown": observations.BadgeRefused("badge-reader:A-00", "unknown"),
    "badge-refused badge-reader:A-00 wrong-answer Ann (floor)": observations.BadgeRefused(
        "badge-reader:A-00", "wrong-answer", "Ann (floor)"
    ),
    "clock-jump back 1500": observations.ClockJumped("back", 1500),
    "records-missed 12": observations.StepsNotRecorded(12),
    "records-accepted 3:17": observations.JournalFindingAccepted("3:17"),
    "tag-copied E004015000250001 bet1 bet5": observations.RecordTagCopied("E004015000250001", "bet1", "bet5"),
    "tag-weak E004015000250001 25": observations.RecordTagWeak("E004015000250001", 25),
    "failed bet4 KeyError: 4": observations.RecordProgramError("bet4", "KeyError: 4"),
    "failed - KeyError: 4": observations.RecordProgramError("", "KeyError: 4"),
}


@pytest.mark.parametrize("line", LINES)
def test_step_line_parses_to_its_step(line: str) -> None:
    assert parse_step(line) == LINES[line]
    assert format_step(LINES[line]) == line


def test_equivalent_lines_print_in_one_canonical_form() -> None:
    assert format_step(parse_step("  3   raise 60 ")) == "3 raise to 60"


# --- all steps ---

_SEAT, _AMOUNT = st.integers(1, MAX_SEATS), st.integers(1, MAX_AMOUNT)
_WORD = st.from_regex(r"[a-z][a-z0-9-]{0,11}", fullmatch=True)
_TAG = st.from_regex(r"E0[0-9A-F]{14}([0-9A-F]{8})?", fullmatch=True)
_TAGS = st.lists(_TAG, max_size=4).map(tuple)
_CHIPS = st.lists(st.sampled_from((1, 5, 25, 100)), min_size=1, max_size=6).map(tuple)
_DECLARATION = st.one_of(
    st.builds(Declaration, st.sampled_from(("fold", "check", "call", "bet", "raise", "complete", "pot", "all-in"))),
    st.builds(Declaration, st.sampled_from(("bet", "raise", "amount")), _AMOUNT),
    st.builds(Declaration, st.just("raise"), _AMOUNT, st.just(True)),
)


def _winners(shares: list[tuple[int, int]], low: list[tuple[int, int]]) -> BoardWinners:
    return BoardWinners(_seats(shares), _seats(low), _share_counts(shares), _share_counts(low))


def _seats(shares: list[tuple[int, int]]) -> tuple[int, ...]:
    return tuple(seat for seat, _ in shares)


def _share_counts(shares: list[tuple[int, int]]) -> tuple[int, ...]:
    counts = tuple(share for _, share in shares)
    return counts if any(share > 1 for share in counts) else ()


_SHARES = st.lists(st.tuples(_SEAT, st.integers(1, 3)), min_size=1, max_size=4)
_WON = st.builds(_winners, _SHARES, st.just([]) | _SHARES)
_BY_FIELD: dict[str, st.SearchStrategy[Any]] = {
    "seat": _SEAT,
    "new_seat": _SEAT,
    "amount": _AMOUNT,
    "declaration": _DECLARATION,
    "name": _WORD,
    "pot": _WORD,
    "spot": _WORD,
    "device": _WORD,
    "setting": _WORD,
    "alteration": _WORD,
    "endpoint": _WORD,
    "direction": _WORD,
    "difference_ms": st.integers(1, 1_000_000_000),
    "count": st.integers(1, MAX_BOARDS),
    "minutes": st.integers(1, 1_000_000),
    "lender": st.just(0) | _SEAT,
    "ends_hold": st.booleans(),
    "closes_betting": st.booleans(),
    "reason": st.text(max_size=observations.MAX_TEXT_CHARS * 2),
    "refusal": _WORD,
    "badge": st.text(max_size=observations.MAX_TEXT_CHARS * 2),
    "detail": st.text(max_size=observations.MAX_TEXT_CHARS * 2),
}
_SPECIAL: dict[type[Step], st.SearchStrategy[Step]] = {
    hand_steps.MovesChips: st.one_of(
        st.builds(hand_steps.MovesChips, _SEAT, _CHIPS, _CHIPS),
        st.builds(hand_steps.MovesChips, _SEAT, _CHIPS),
        st.builds(hand_steps.MovesChips, _SEAT, back=_CHIPS),
    ),
    hand_steps.AwardsPot: st.builds(lambda pot, won: hand_steps.AwardsPot(pot, *won), _WORD, _WON)
    | st.builds(award_by_boards, _WORD, st.lists(_WON, min_size=2, max_size=MAX_BOARDS).map(tuple)),
    observations.ExplainsChips: st.builds(
        observations.ExplainsChips,
        _SEAT,
        st.sampled_from(
            [explanation for explanation in get_args(observations.ChipExplanation) if explanation != "change"]
        ),
    )
    | st.builds(observations.ExplainsChips, _SEAT, st.sampled_from(("bet", "change")), _AMOUNT),
    observations.StartsPadCount: st.builds(
        observations.StartsPadCount, _SEAT, st.sampled_from(get_args(observations.CountPurpose))
    ),
    observations.CallsFloor: st.builds(
        observations.CallsFloor, st.sampled_from(get_args(observations.FloorCallReason))
    ),
    observations.StepsNotRecorded: st.builds(observations.StepsNotRecorded, _AMOUNT),
    observations.JournalFindingAccepted: st.builds(observations.JournalFindingAccepted, _WORD),
    observations.RecordTagCopied: st.builds(observations.RecordTagCopied, _TAG, _WORD, _WORD),
    observations.RecordTagWeak: st.builds(observations.RecordTagWeak, _TAG, _AMOUNT),
    observations.RecordPressesLost: st.builds(observations.RecordPressesLost, _WORD, _AMOUNT),
    observations.SetUpUsed: st.builds(observations.SetUpUsed, _WORD, _WORD),
    observations.BadgeListLoaded: st.builds(observations.BadgeListLoaded, st.integers(0, 500), st.integers(0, 999)),
    table_steps.SitsDown: st.builds(table_steps.SitsDown, _SEAT, _AMOUNT, _WORD)
    | st.builds(table_steps.SitsDown, _SEAT, _AMOUNT, is_transfer=st.booleans()),
    table_steps.QueuesStep: st.builds(
        lambda seat, kind, amount: table_steps.QueuesStep(seat, kind(seat, amount) if kind else None),
        _SEAT,
        st.sampled_from((None, table_steps.SitsDown, table_steps.AddsChips, table_steps.AddsCash)),
        _AMOUNT,
    ),
    table_steps.CountsStack: st.builds(table_steps.CountsStack, _SEAT, st.none() | st.integers(0, MAX_AMOUNT)),
    observations.RecordSpotReading: st.builds(
        observations.RecordSpotReading,
        _WORD,
        st.sampled_from(get_args(observations.Disposition)),
        st.lists(st.builds(Chip, _TAG, _AMOUNT), max_size=4).map(tuple),
        _TAGS,
        _TAGS,
        st.lists(st.sampled_from(("button", "all-in")), max_size=3).map(tuple),
        st.booleans(),
        st.booleans(),
        _TAGS,
    ),
}
_KINDS = {
    kind
    for module in (hand_steps, table_steps, observations)
    for kind in vars(module).values()
    if isinstance(kind, type) and issubclass(kind, Step)
}
STEP_CLASSES = sorted(
    (kind for kind in _KINDS if not any(other is not kind and issubclass(other, kind) for other in _KINDS)),
    key=str,
)


def any_of(kind: type[Step]) -> st.SearchStrategy[Step]:
    """Return a Hypothesis strategy that generates steps of this class."""
    if kind in _SPECIAL:
        return _SPECIAL[kind]
    return st.builds(kind, **{field.name: _BY_FIELD[field.name] for field in fields(kind)})


@pytest.mark.parametrize("kind", STEP_CLASSES)
@settings(max_examples=30, deadline=None)
@given(data=st.data())
def test_every_step_survives_print_and_parse(kind: type[Step], data: st.DataObject) -> None:
    step = data.draw(any_of(kind))
    line = format_step(step)
    assert line.isprintable() and len(line) <= MAX_LINE_CHARS
    assert parse_step(line) == step


@pytest.mark.parametrize("kind", STEP_CLASSES)
def test_verb_of_every_step_class_has_a_known_owner_and_undo_policy(kind: type[Step]) -> None:
    assert kind.verb.owner in get_args(StepOwner)
    assert kind.verb.undo_policy in get_args(UndoPolicy)


# --- invalid lines ---

_USUAL = ("3", "11", "bet", "raise", "to", "by", "floor", "spot", "lies", "came", "went", "5:E0", "deal", "award")
WRONG: dict[str, str] = {
    "spot": f"expected a spot and {', '.join(get_args(observations.Disposition))}, got nothing",
    "spot bet4 jumps": f"expected a spot and {', '.join(get_args(observations.Disposition))}, got 'bet4 jumps'",
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
    "chips-are": f"expected a seat and {', '.join(get_args(observations.ChipExplanation))} or of, got nothing",
    "chips-are 4": f"expected a seat and {', '.join(get_args(observations.ChipExplanation))} or of, got '4'",
    "chips-are 4 gone": f"expected a seat and {', '.join(get_args(observations.ChipExplanation))} or of, got '4 gone'",
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
    "call-floor now": "expected ruling, fill, credit, player, service or nothing more, got 'now'",
    "call-floor fill 5": "expected ruling, fill, credit, player, service or nothing more, got 'fill 5'",
    "floor-answers": "expected a name, got nothing",
    "fill": "expected an amount, got nothing",
    "credit 0": "expected an amount from 1 to 100000000000000, got '0'",
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


@pytest.mark.parametrize("line", WRONG)
def test_invalid_observation_is_refused_in_one_line(line: str) -> None:
    with pytest.raises(StepSyntaxError) as caught:
        parse_step(line)
    assert str(caught.value) == f"{line!r}: {WRONG[line]}"
    assert caught.value.fault == "person"


def test_total_of_chips_in_a_step_is_limited() -> None:
    half = MAX_AMOUNT // 2
    assert parse_step(f"3 chips {half} {half}") == hand_steps.MovesChips(3, (half, half))
    with pytest.raises(StepSyntaxError):
        parse_step(f"3 chips {half} {half} 1")


@given(st.text(max_size=60) | st.lists(st.sampled_from(_USUAL)).map(" ".join))
@example(text="\U0001b2fc" * 60)
@settings(max_examples=300, deadline=None)
def test_any_text_parses_or_raises_a_step_error(text: str) -> None:
    try:
        step = parse_step(text)
    except StepSyntaxError as error:
        assert "\n" not in str(error) and len(str(error)) < 400
    else:
        assert parse_step(format_step(step)) == step


def test_observation_text_is_cleaned_to_one_line() -> None:
    assert observations.to_single_line("a\n b\t\tc\x00 ") == "a b c"
    assert observations.RecordProgramError("pot", "x" * 500).detail == "x" * observations.MAX_TEXT_CHARS


# --- readings of many chips ---


def effect(steps: tuple[observations.RecordSpotReading, ...]) -> tuple[object, ...]:
    """Return all unknown tags, lammers and chips of one long reading, which was split into these steps."""
    unknown_tags: tuple[str, ...] = ()
    lammers: tuple[str, ...] = ()
    for step in steps:
        unknown_tags = unknown_tags + step.unknown_tags if step.is_continuation else step.unknown_tags
        lammers = lammers + step.lammers if step.is_continuation else step.lammers
    added = tuple(chip for step in steps for chip in step.added)
    removed = tuple(uid for step in steps for uid in step.removed_tags)
    heard = tuple(uid for step in steps for uid in step.heard_at_bet_spot)
    return (
        added,
        removed,
        heard,
        unknown_tags,
        lammers,
        {(step.spot, step.disposition, step.at_least) for step in steps},
    )


_MANY = [(0, 0, 0, 1), (50, 0, 0, 1), (100, 0, 0, 2), (400, 0, 0, 8), (150, 300, 7, 5), (0, 0, 500, 4)]


@pytest.mark.parametrize(("added", "removed", "unknown", "count"), _MANY)
def test_large_reading_is_split_into_halves(added: int, removed: int, unknown: int, count: int) -> None:
    reading = observations.RecordSpotReading(
        "pot",
        "doubt",
        tuple(Chip(f"E004{number:012X}", 100_000_000) for number in range(added)),
        tuple(f"E005{number:012X}" for number in range(removed)),
        tuple(f"E006{number:012X}" for number in range(unknown)),
        ("button",),
        at_least=True,
        heard_at_bet_spot=tuple(f"E004{number:012X}" for number in range(added)),
    )
    parts = split_reading(reading)
    assert effect(parts) == effect((reading,))
    assert all(len(format_step(part)) < MAX_READING_CHARS for part in parts)
    assert len(parts) == count
    assert not parts[0].is_continuation and all(part.is_continuation for part in parts[1:])
    assert (len(parts) == 1) == (len(format_step(reading)) < MAX_READING_CHARS)


@pytest.mark.parametrize(
    ("typed", "line"),
    [
        ("3 Raise TO 60", "3 raise to 60"),
        ("FLOOR Bind 3", "floor bind 3"),
        ("3 SIT 200 As Ann Lee", "3 sit 200 as Ann Lee"),
        ("3 Later SIT 200 as Ann", "3 later sit 200 as Ann"),
        ("Dealer ANN Game", "dealer ANN Game"),
        ("GAME PLO", "game PLO"),
    ],
)
def test_words_that_people_write_may_have_capitals(typed: str, line: str) -> None:
    assert parse_typed_step(typed) == parse_step(line)


def test_error_about_words_with_capitals_quotes_the_line() -> None:
    with pytest.raises(StepSyntaxError, match=r"'3 call 20': expected .*, got 'call 20'"):
        parse_typed_step("3 CALL 20")
