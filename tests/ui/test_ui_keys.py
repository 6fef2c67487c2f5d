"""Which keys are there and what they send, as tables: the seat in turn, the steps, what the house shows."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, get_args

import msgspec
import pytest

from controller.table import parse
from controller.view import AllInView, Choice, Did, Label, SeatView, TableView, Told, Values
from controller.words import Words, words_of
from ui.samples import samples
from ui.scene import faces
from ui.state import (
    CELLS,
    Key,
    NamedKey,
    SeatPanel,
    TablePanel,
    Typed,
    action_keys,
    extra_steps,
    go_on,
    offers,
    seat_keys,
    sending,
    table_keys,
    undo,
)
from ui.state.verbs.cells import Verb
from ui.state.verbs.in_hand import IN_HAND
from ui.state.verbs.of_player import OF_PLAYER
from ui.state.verbs.of_table import OF_TABLE

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
        ("RAISE...", ""),
        ("POT", "5 pot"),
        ("ALL-IN", "5 all-in"),
    ]


@pytest.mark.parametrize(
    ("changes", "call", "bet"),
    [
        ({"may": ("bet", "check", "fold"), "to_call": 0}, ("CHECK", "5 check"), ("BET...", "")),
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
        (
            {"may": ("call", "complete", "fold"), "brings_in": True},
            ("BRING IN 60", "5 call"),
            ("COMPLETE", "5 complete"),
        ),
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
    key = action_keys(view(seats=seats, all_in=None))[4]
    assert (sent(key), key.detail) == ("5 all-in", None)


@pytest.mark.parametrize(
    ("comes_to", "detail", "amount"),
    [
        (Did(verb="raise", amount=305), "to", 305),
        (Did(verb="call", amount=60), "to", 60),
        (Did(verb="call"), None, None),
    ],
)
def test_all_in_says_what_it_comes_to_by_the_rules(comes_to: Did, detail: str | None, amount: int | None) -> None:
    key = action_keys(view(all_in=AllInView(did=comes_to, total=1475)))[4]
    assert (sent(key), key.detail, key.amount) == ("5 all-in", detail, amount)


DEAL = Choice(label="deal", do="deal", values=Values(variant="holdem", street=3))
SOLE = Choice(label="award", do="award main 3", values=Values(pot="main", amount=62, seat=3))
HAND = Choice(label="next-hand", do="hand")


@pytest.mark.parametrize(
    ("choices", "changes", "target", "do"),
    [
        ((), {}, NamedKey.DEAL, None),
        ((DEAL,), {}, NamedKey.DEAL, "deal"),
        ((HAND,), {}, NamedKey.HAND, "hand"),
        ((SOLE,), {"give": "main"}, NamedKey.AWARD, "award main 3"),
        ((SOLE,), {"give": "side1"}, NamedKey.AWARD, ""),
        ((), {"give": "main", "turn": None}, NamedKey.AWARD, ""),
        ((), {"phase": "closed", "turn": None}, NamedKey.DEAL, None),
        ((DEAL, SOLE), {}, NamedKey.DEAL, "deal"),
    ],
)
def test_one_key_goes_on_with_the_hand(
    choices: tuple[Choice, ...], changes: dict[str, Any], target: NamedKey, do: str | None
) -> None:
    key = go_on(view(next=choices, **changes))
    assert (key.target, sent(key)) == (target, do)
    assert (key.detail, key.seat) == (("to-seat", 3) if do == "award main 3" else (None, 0))


def test_the_deal_key_names_the_street() -> None:
    assert said(go_on(view(next=(DEAL,)))) == "DEAL TURN"
    assert said(go_on(view(next=()))) == "DEAL"


@pytest.mark.parametrize("label", get_args(Label))
def test_each_step_that_is_offered_has_one_place(label: Label) -> None:
    choice = Choice(label=label, do="return 5", values=Values(seat=5, amount=15, seats=(1, 2), pot="main"))
    offered = view(next=(choice,))
    of_seat = [key for _, key in seat_keys(SeatPanel(5), offered) if key.label is choice]
    on_touch = label in ("acts-first", "brings-in")
    assert go_on(offered).enabled + len(extra_steps(offered)) + len(of_seat) + on_touch == 1


def test_what_is_offered_beyond_the_room_is_one_touch_further() -> None:
    runs = tuple(Choice(label="runs-boards", do=f"boards {n}", values=Values(count=n)) for n in range(2, 7))
    assert [key.target for key in offers(False, view(next=runs))][-1] is NamedKey.OFFERS
    assert len(offers(False, view(next=runs))) == 3
    assert len(offers(False, view(next=runs, redo=Told(step="deals")))) == 1
    assert NamedKey.OFFERS not in {key.target for key in offers(False, view(next=runs[:3]))}


def test_undo_names_what_it_undoes() -> None:
    assert (undo(POT_LIMIT).detail, sent(undo(POT_LIMIT))) == (POT_LIMIT.undo, "undo")
    assert not undo(view(undo=None)).enabled


# --- the panels ---


def test_what_waits_for_an_amount_stands_grey_in_its_place() -> None:
    typed = SeatPanel(3, Typed("40"))
    plain, with_amount = dict(seat_keys(SeatPanel(3), POT_LIMIT)), dict(seat_keys(typed, POT_LIMIT))
    takes = 11
    assert (plain[takes].target, plain[takes].enabled) == (NamedKey.TAKES, False)
    assert (with_amount[takes].target, with_amount[takes].enabled) == (NamedKey.TAKES, True)
    assert set(plain) <= set(with_amount), "no key leaves its place empty while an amount is typed"


@pytest.mark.parametrize("name", list(VIEWS))
def test_no_panel_has_a_key_twice_or_outside_its_cells(name: str) -> None:
    shown = VIEWS[name]
    modes = [SeatPanel(seat.seat, typed) for seat in shown.seats for typed in (Typed(), Typed("40"))]
    for keys in (*[seat_keys(mode, shown) for mode in modes], table_keys(TablePanel(), shown)):
        targets = [key.target for _, key in keys]
        assert len(targets) == len(set(targets))
        assert all(0 <= cell < CELLS for cell, _ in keys)


def of_the_floor(verb: Verb) -> bool:
    """Whether a step of it is the floor's."""
    seat, other = () if verb in OF_TABLE else (4,), (5,) if verb.picks else ()
    made = [verb.plain(*seat, *other)] if verb.plain else []
    made += [verb.amount(*seat, 40, *other)] if verb.amount else []
    return any(parse(step).owner == "floor" for step in made)


def mislabelled(verbs: Iterable[Verb]) -> list[Verb]:
    """Verbs whose key hides that they are the floor's, or says so of what is the dealer's."""
    return [one for one in verbs if Words().say(one.label, amount=None).startswith("FLOOR: ") is not of_the_floor(one)]


def test_what_is_the_floors_says_so_and_nothing_else() -> None:
    verbs = (*IN_HAND, *OF_PLAYER, *OF_TABLE)
    assert mislabelled(verbs) == []
    assert all((verb.tone == "floor") is of_the_floor(verb) for verb in verbs)


def test_a_planted_key_that_decides_for_the_floor_is_found() -> None:
    hidden = Verb(0, NamedKey.FOLDS, "folds", plain=sending.floor_dead)
    boasting = Verb(0, NamedKey.DEAD, "floor-dead", plain=sending.fold)
    assert mislabelled((hidden, boasting)) == [hidden, boasting]


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
    tiles, spots = faces.seat_faces(ten, words_of(ten), (), {})
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
