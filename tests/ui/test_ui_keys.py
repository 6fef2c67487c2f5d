"""Which keys are there and what they send, as tables: the seat in turn, the steps, what the house shows."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from controller.view import Choice, SeatView, TableView
from ui.samples import samples
from ui.scene import faces
from ui.state import Key, action_keys, always, extra_steps, steps

VIEWS = {sample.name: sample.view for sample in samples()}
POT_LIMIT = VIEWS["pot-limit"]


def view(**changes: Any) -> TableView:
    return msgspec.structs.replace(POT_LIMIT, **changes)


def labels(keys: tuple[Key, ...]) -> list[tuple[str, str, bool]]:
    return [(key.label, key.do if key.enabled else "", key.enabled) for key in keys]


def test_facing_a_bet_in_pot_limit() -> None:
    assert labels(action_keys(POT_LIMIT)) == [
        ("FOLD", "5 fold", True),
        ("CALL 60", "5 call", True),
        ("RAISE ...", "", True),
        ("POT", "5 pot", True),
        ("ALL-IN", "5 all-in", True),
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
    for key, (label, do) in zip(keys[1:3], (call, bet), strict=True):
        assert key.label == label
        assert key.enabled is (do is not None)
        assert not key.enabled or key.do == do


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
    assert (key.label, key.do if key.enabled else None) == (label, do)


def test_nobody_in_turn_means_no_action_key() -> None:
    assert not any(key.enabled for key in action_keys(view(turn=None)))
    assert not any(key.enabled for key in action_keys(VIEWS["idle"]))


def test_a_call_for_the_whole_stack_says_all_in() -> None:
    seats = tuple(SeatView(seat=5, status="to-act", stack=60) if s.seat == 5 else s for s in POT_LIMIT.seats)
    assert action_keys(view(seats=seats))[1].detail == "ALL-IN"


def test_an_unknown_stack_can_still_be_all_in() -> None:
    seats = tuple(SeatView(seat=5, status="to-act", stack=None) if s.seat == 5 else s for s in POT_LIMIT.seats)
    key = action_keys(view(seats=seats))[4]
    assert (key.enabled, key.do, key.detail) == (True, "5 all-in", "")


@pytest.mark.parametrize(
    ("choices", "enabled"),
    [
        ((), [False, False, False]),
        ((Choice(label="DEAL TURN", do="deal"),), [True, False, False]),
        ((Choice(label="Award", do="award main"),), [False, True, False]),
        ((Choice(label="Next hand", do="hand"),), [False, False, True]),
    ],
)
def test_steps_are_greyed_until_the_view_offers_them(choices: tuple[Choice, ...], enabled: list[bool]) -> None:
    assert [key.enabled for key in steps(view(next=choices))] == enabled


def test_steps_without_a_key_of_their_own_get_one() -> None:
    choices = (
        Choice(label="DEAL", do="deal"),
        Choice(label="ALL CHECKED", do="deal closing"),
        Choice(label="PUSH BACK 15", do="return 5"),
    )
    assert [key.do for key in extra_steps(view(next=choices))] == ["deal closing", "return 5"]


def test_undo_names_what_it_undoes() -> None:
    assert (always(POT_LIMIT)[0].detail, always(POT_LIMIT)[0].enabled) == ("seat 4 folds", True)
    assert not always(view(undo=""))[0].enabled


@pytest.mark.parametrize(
    ("changes", "word"),
    [
        ({"limit": "pot"}, "POT RAISE TO"),
        ({"limit": "pot", "may": ("bet", "check", "fold")}, "POT BET"),
        ({"limit": "half-pot"}, "HALF-POT RAISE TO"),
        ({"limit": "stack"}, "ALL-IN RAISE TO"),
        ({"limit": "fixed"}, "FIXED RAISE TO"),
        ({"limit": "spread"}, "MOST RAISE TO (SPREAD)"),
        ({"limit": "none", "max_raise_to": None}, "MOST RAISE: NO LIMIT"),
        ({"turn": None, "limit": "pot"}, "MOST RAISE TO"),
    ],
)
def test_the_most_is_named_by_what_bounds_it(changes: dict[str, Any], word: str) -> None:
    assert faces.numbers(view(**changes))[2].word == word


def test_a_provisional_most_says_so_in_words_and_sign() -> None:
    most = faces.numbers(view(provisional=True))[2]
    assert (most.amount, most.note, most.tone) == ("~305", "NOT SETTLED", "unsettled")
    assert faces.numbers(POT_LIMIT)[2].note == ""


def test_a_seat_shows_everything_that_is_said_of_it() -> None:
    ten = VIEWS["ten-seats"]
    tiles = [faces.seat_face(seat, ten) for seat in ten.seats]
    spots = [faces.spot_face(seat, ten) for seat in ten.seats]
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
