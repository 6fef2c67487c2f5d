"""Which keys are there and what they send, as tables: the seat in turn, the steps, what the house shows."""

from __future__ import annotations

from typing import Any, get_args

import msgspec
import pytest

from controller.view import Choice, Label, SeatView, TableView, Values
from controller.words import Words, words_of
from ui.samples import samples
from ui.scene import faces
from ui.state import Key, action_keys, always, extra_steps, steps

VIEWS = {sample.name: sample.view for sample in samples()}
POT_LIMIT = VIEWS["pot-limit"]


def view(**changes: Any) -> TableView:
    return msgspec.structs.replace(POT_LIMIT, **changes)


def table(**changes: Any) -> faces.TableFace:
    one = view(**changes)
    return faces.table_face(one, words_of(one), pot_visible=True)


def said(key: Key) -> str:
    return Words().label(key.label) if isinstance(key.label, Choice) else Words().say(key.label, amount=key.amount)


def sent(key: Key) -> str | None:
    """What a touch on the key sends; None where it is greyed out, "" where it sends nothing itself."""
    return (key.do() if key.do else "") if key.enabled else None


def labels(keys: tuple[Key, ...]) -> list[tuple[str, str | None]]:
    return [(said(key), sent(key)) for key in keys]


def test_facing_a_bet_in_pot_limit() -> None:
    assert labels(action_keys(POT_LIMIT)) == [
        ("FOLD", "5 fold"),
        ("CALL 60", "5 call"),
        ("RAISE ...", ""),
        ("POT", "5 pot"),
        ("ALL-IN", "5 all-in"),
    ]


@pytest.mark.parametrize(
    ("changes", "call", "bet"),
    [
        ({"may": ("bet", "check", "fold"), "to_call": 0}, ("CHECK", "5 check"), ("BET ...", "")),
        ({"may": ("call", "fold"), "max_raise_to": None}, ("CALL 60", "5 call"), ("BET / RAISE", None)),
        (
            {"may": ("call", "fold", "raise"), "limit": "fixed", "min_raise_to": 120, "max_raise_to": 120},
            ("CALL 60", "5 call"),
            ("RAISE", "5 raise to 120"),
        ),
        (
            {"may": ("bet", "check", "fold"), "limit": "fixed", "min_raise_to": 20, "max_raise_to": 20},
            ("CHECK", "5 check"),
            ("BET", "5 bet 20"),
        ),
        ({"may": ("call", "complete", "fold")}, ("CALL 60", "5 call"), ("COMPLETE", "5 complete")),
        ({"may": ("fold",)}, ("CHECK / CALL", None), ("BET / RAISE", None)),
        ({"turn": None}, ("CHECK / CALL", None), ("BET / RAISE", None)),
    ],
)
def test_call_and_bet_say_what_they_are(
    changes: dict[str, Any], call: tuple[str, str | None], bet: tuple[str, str | None]
) -> None:
    keys = action_keys(view(**changes))
    assert labels(keys[1:3]) == [call, bet]


@pytest.mark.parametrize(
    ("changes", "label", "do"),
    [
        ({"limit": "pot"}, "POT", "5 pot"),
        ({"limit": "half-pot", "max_raise_to": 150}, "HALF POT", "5 raise to 150"),
        ({"limit": "half-pot", "max_raise_to": 50, "may": ("bet", "check")}, "HALF POT", "5 bet 50"),
        ({"limit": "stack"}, "POT", None),
        ({"limit": "fixed"}, "POT", None),
        ({"limit": "none", "max_raise_to": None}, "POT", None),
        ({"may": ("call", "fold")}, "POT", None),
    ],
)
def test_the_pot_key_is_there_where_the_pot_bounds(changes: dict[str, Any], label: str, do: str | None) -> None:
    key = action_keys(view(**changes))[3]
    assert (said(key), sent(key)) == (label, do)


def test_nobody_in_turn_means_no_action_key() -> None:
    assert not any(key.enabled for key in action_keys(view(turn=None)))
    assert not any(key.enabled for key in action_keys(VIEWS["idle"]))


def test_a_call_for_the_whole_stack_says_all_in() -> None:
    seats = tuple(SeatView(seat=5, status="to-act", stack=60) if s.seat == 5 else s for s in POT_LIMIT.seats)
    assert action_keys(view(seats=seats))[1].detail == "all-in"


def test_an_unknown_stack_can_still_be_all_in() -> None:
    seats = tuple(SeatView(seat=5, status="to-act", stack=None) if s.seat == 5 else s for s in POT_LIMIT.seats)
    key = action_keys(view(seats=seats))[4]
    assert (sent(key), key.detail) == ("5 all-in", None)


@pytest.mark.parametrize(
    ("choices", "enabled"),
    [
        ((), [None, None, None]),
        ((Choice(label="deal", do="deal", values=Values(variant="holdem", street=3)),), ["deal", None, None]),
        ((Choice(label="award", do="award main 3", values=Values(pot="main", amount=62, seat=3)),), [None, "", None]),
        ((Choice(label="next-hand", do="hand"),), [None, None, "hand"]),
    ],
)
def test_steps_are_greyed_until_the_view_offers_them(choices: tuple[Choice, ...], enabled: list[str | None]) -> None:
    assert [sent(key) for key in steps(view(next=choices))] == enabled


def test_the_deal_key_names_the_street() -> None:
    choice = Choice(label="deal", do="deal", values=Values(variant="holdem", street=3))
    assert said(steps(view(next=(choice,)))[0]) == "DEAL TURN"
    assert said(steps(view(next=()))[0]) == "DEAL"


@pytest.mark.parametrize("label", get_args(Label))
def test_each_step_that_is_offered_has_one_key(label: Label) -> None:
    choice = Choice(label=label, do="return 5", values=Values(seat=5, amount=15, seats=(1, 2), pot="main"))
    offered = view(next=(choice,))
    with_a_key = [key for key in steps(offered) if key.enabled]
    assert len(with_a_key) + len(extra_steps(offered)) == 1


def test_undo_names_what_it_undoes() -> None:
    assert (always(POT_LIMIT)[0].detail, sent(always(POT_LIMIT)[0])) == (POT_LIMIT.undo, "undo")
    assert not always(view(undo=None))[0].enabled


@pytest.mark.parametrize(
    ("changes", "word"),
    [
        ({"limit": "pot"}, "POT RAISE TO"),
        ({"limit": "pot", "may": ("bet", "check", "fold")}, "POT BET"),
        ({"limit": "half-pot"}, "HALF-POT RAISE TO"),
        ({"limit": "stack"}, "ALL-IN RAISE TO"),
        ({"limit": "fixed"}, "FIXED RAISE TO"),
        ({"limit": "spread"}, "MAX RAISE TO (SPREAD)"),
        ({"limit": "none", "max_raise_to": None}, "MAX RAISE: NO LIMIT"),
        ({"turn": None, "limit": "pot"}, "MAX RAISE TO"),
    ],
)
def test_the_maximum_is_named_by_what_bounds_it(changes: dict[str, Any], word: str) -> None:
    assert table(**changes).numbers[2].word == word


def test_a_provisional_maximum_says_so_in_words_and_sign() -> None:
    largest = table(provisional=True).numbers[2]
    assert (largest.amount, largest.note, largest.tone) == ("~305", "NOT SETTLED", "unsettled")
    assert table().numbers[2].note == ""


def test_a_seat_shows_everything_that_is_said_of_it() -> None:
    ten = VIEWS["ten-seats"]
    tiles, spots = faces.seat_faces(ten, words_of(ten), ())
    assert tiles[1].stack == "stack ?"
    assert [words for words, _ in spots[1].notes] == ["PUSH BACK 15,500", "+2,500 seen"]
    assert [words for words, _ in spots[2].notes] == ["TRAY OFFLINE", "key in bets"]
    assert spots[3].notes[0][0] == "+84,500 or more"
    assert (tiles[4].status, tiles[4].flag) == ("FOLD", "presumed")
    assert tiles[5].flag == "HELD: raise to 250,000"
    assert spots[5].unsettled == "+250,000"
    assert spots[5].bet == ""
    assert tiles[6].flag == "OWES 12,500"
    assert spots[6].notes[0][0] == "3 unknown chips"
    assert [tile.button for tile in tiles] == [False] * 9 + [True]
    assert {spots[0].source, spots[1].source, spots[2].source} == {"\u25c9", "\u2713", "\u270e"}
    assert tiles[3].tone == "turn"
