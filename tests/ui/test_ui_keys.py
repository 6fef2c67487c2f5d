"""Check the keys of the screen and the steps that they send.

The tests cover the keys on the main page, in panels and on the number pad.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, get_args

import msgspec
import pytest

from controller.messages import Messages, messages_for
from controller.steps import table_steps
from controller.view import ActionView, AllInView, Choice, KeyLabel, MessageValues, SeatView, StepSummary, TableView
from ui.scene import lay_out_scene, view_models
from ui.state import (
    PANEL_CELL_COUNT,
    CardList,
    NamedKey,
    QuickBetKey,
    ScreenState,
    amount_entry,
    floor_keys,
    main_keys,
    modes,
    press_target,
    seat_keys,
    table_keys,
)
from ui.state.commands import step_line
from ui.state.verbs.hand_verbs import HAND_VERBS
from ui.state.verbs.panel_cells import PanelVerb, on_tab
from ui.state.verbs.player_verbs import PLAYER_VERBS
from ui.state.verbs.table_verbs import FLOOR_SEAT_VERBS, FLOOR_VERBS, TABLE_VERBS
from ui.view_samples import view_samples

VIEWS = {sample.name: sample.view for sample in view_samples()}
POT_LIMIT = VIEWS["pot-limit"]


def view(**changes: Any) -> TableView:
    return msgspec.structs.replace(POT_LIMIT, **changes)


def table_model_of(**changes: Any) -> view_models.TableModel:
    changed_view = view(**changes)
    return view_models.table_model(changed_view, messages_for(changed_view), pot_visible=True)


def label_of(key: main_keys.Key) -> str:
    return (
        Messages().choice(key.label) if isinstance(key.label, Choice) else Messages().text(key.label, amount=key.amount)
    )


def sent_step(key: main_keys.Key) -> str | None:
    """Return the step that a key sends, "" for a key without a step, or None for a disabled key."""
    return (step_line(key.step) if key.step else "") if key.is_enabled else None


def labels(keys: tuple[main_keys.Key, ...]) -> list[tuple[str, str | None]]:
    return [(label_of(key), sent_step(key)) for key in keys]


def test_action_keys_facing_a_bet_in_pot_limit() -> None:
    assert labels(main_keys.action_keys(POT_LIMIT)) == [
        ("FOLD", "5 fold"),
        ("CALL 60", "5 call"),
        ("RAISE...", ""),
        ("POT", "5 pot"),
        ("ALL-IN", "5 pot"),
    ]


@pytest.mark.parametrize(
    ("changes", "call", "bet"),
    [
        ({"allowed_actions": ("bet", "check", "fold"), "to_call": 0}, ("CHECK", "5 check"), ("BET...", "")),
        ({"allowed_actions": ("call", "fold"), "max_raise_to": None}, ("CALL 60", "5 call"), ("BET / RAISE", None)),
        (
            {"allowed_actions": ("call", "fold", "raise"), "limit": "fixed", "min_raise_to": 120, "max_raise_to": 120},
            ("CALL 60", "5 call"),
            ("RAISE", "5 raise to 120"),
        ),
        (
            {"allowed_actions": ("bet", "check", "fold"), "limit": "fixed", "min_raise_to": 20, "max_raise_to": 20},
            ("CHECK", "5 check"),
            ("BET", "5 bet 20"),
        ),
        ({"allowed_actions": ("call", "complete", "fold")}, ("CALL 60", "5 call"), ("COMPLETE", "5 complete")),
        (
            {"allowed_actions": ("call", "complete", "fold"), "brings_in": True},
            ("BRING-IN 60", "5 call"),
            ("COMPLETE", "5 complete"),
        ),
        ({"allowed_actions": ("fold",)}, ("CHECK / CALL", None), ("BET / RAISE", None)),
        ({"turn": None}, ("CHECK / CALL", None), ("BET / RAISE", None)),
    ],
)
def test_call_and_bet_keys_show_their_meaning(
    changes: dict[str, Any], call: tuple[str, str | None], bet: tuple[str, str | None]
) -> None:
    keys = main_keys.action_keys(view(**changes))
    assert labels(keys[1:3]) == [call, bet]


@pytest.mark.parametrize(
    ("changes", "label", "do"),
    [
        ({"limit": "pot"}, "POT", "5 pot"),
        ({"limit": "half-pot", "max_raise_to": 150}, "HALF POT", "5 raise to 150"),
        ({"limit": "half-pot", "max_raise_to": 50, "allowed_actions": ("bet", "check")}, "HALF POT", "5 bet 50"),
        ({"limit": "stack", "pot_to": None}, "POT", None),
        ({"limit": "fixed", "pot_to": None}, "POT", None),
        ({"limit": "none", "max_raise_to": None, "pot_to": None}, "POT", None),
        ({"limit": "stack", "max_raise_to": 900, "pot_to": 305}, "POT", "5 raise to 305"),
        ({"limit": "none", "pot_to": 50, "allowed_actions": ("bet", "check")}, "POT", "5 bet 50"),
        ({"allowed_actions": ("call", "fold")}, "POT", None),
    ],
)
def test_pot_key_sends_a_bet_of_the_pot_if_it_is_legal(changes: dict[str, Any], label: str, do: str | None) -> None:
    key = main_keys.action_keys(view(**changes))[3]
    assert (label_of(key), sent_step(key)) == (label, do)


def test_action_keys_are_disabled_if_no_seat_is_in_turn() -> None:
    assert not any(key.is_enabled for key in main_keys.action_keys(view(turn=None)))
    assert not any(key.is_enabled for key in main_keys.action_keys(VIEWS["idle"]))


def test_call_for_the_whole_stack_shows_all_in() -> None:
    seats = tuple(SeatView(seat=5, status="to-act", stack=60) if s.seat == 5 else s for s in POT_LIMIT.seats)
    assert main_keys.action_keys(view(seats=seats))[1].detail == "all-in"


def test_seat_with_unknown_stack_can_go_all_in() -> None:
    seats = tuple(SeatView(seat=5, status="to-act", stack=None) if s.seat == 5 else s for s in POT_LIMIT.seats)
    key = main_keys.action_keys(view(seats=seats, all_in=None))[4]
    assert (sent_step(key), key.detail) == ("5 all-in", None)


@pytest.mark.parametrize(
    ("action", "detail", "amount"),
    [
        (ActionView(verb="raise", amount=305), "to", 305),
        (ActionView(verb="call", amount=60), "to", 60),
        (ActionView(verb="call"), None, None),
    ],
)
def test_all_in_key_shows_the_result_by_the_rules(action: ActionView, detail: str | None, amount: int | None) -> None:
    key = main_keys.action_keys(view(all_in=AllInView(action=action, total=1475)))[4]
    assert (sent_step(key), key.detail, key.amount) == ("5 all-in", detail, amount)


@pytest.mark.parametrize(
    ("action", "changes", "do"),
    [
        (ActionView(verb="raise", amount=305), {"limit": "pot"}, "5 pot"),
        (ActionView(verb="raise", amount=120), {"limit": "fixed"}, "5 raise to 120"),
        (ActionView(verb="raise", amount=40, all_in=True), {"limit": "cap"}, "5 raise to 40"),
        (ActionView(verb="bet", amount=20), {"limit": "spread", "allowed_actions": ("bet", "check")}, "5 bet 20"),
        (ActionView(verb="complete", amount=20), {"allowed_actions": ("call", "complete", "fold")}, "5 complete"),
        (ActionView(verb="call", amount=60), {"allowed_actions": ("call", "fold")}, "5 call"),
    ],
)
def test_limited_all_in_key_sends_the_action_that_it_counts_as(
    action: ActionView, changes: dict[str, Any], do: str
) -> None:
    limited = view(all_in=AllInView(action=action, total=1475, excess=1475 - action.amount), **changes)
    key = main_keys.action_keys(limited)[4]
    assert sent_step(key) == do
    assert key.detail == "counts-as-pot" or isinstance(key.detail, ActionView)
    assert key.tone == "key"


def test_all_in_call_has_the_amount_of_the_call_key() -> None:
    all_in_call = AllInView(action=ActionView(verb="call", amount=600, all_in=True), total=600)
    keys = main_keys.action_keys(view(to_call=590, all_in=all_in_call, allowed_actions=("call", "fold")))
    assert [(keys[index].amount, keys[index].detail) for index in (1, 4)] == [(590, None), (590, "amount")]


def test_short_all_in_is_shown_as_the_largest_raise() -> None:
    short = AllInView(action=ActionView(verb="raise", amount=1000, all_in=True), total=1000)
    numbers = table_model_of(all_in=short, limit="stack", min_raise_to=None, max_raise_to=None).numbers
    assert [number.amount for number in numbers] == ["60", "–", "1,000"]
    assert numbers[2].label == "ALL-IN RAISE TO"


DEAL = Choice(label="deal", do="deal", values=MessageValues(variant="holdem", street=3))
ONLY_AWARD = Choice(label="award", do="award main 3", values=MessageValues(pot="main", amount=62, seat=3))
HAND = Choice(label="next-hand", do="hand")


@pytest.mark.parametrize(
    ("choices", "changes", "target", "do"),
    [
        ((), {"brings_in": True}, NamedKey.DEAL, None),
        ((DEAL,), {}, NamedKey.DEAL, "deal"),
        ((HAND,), {}, NamedKey.NEXT_HAND, "hand"),
        ((ONLY_AWARD,), {"next_pot_to_award": "main"}, NamedKey.AWARD, "award main 3"),
        ((ONLY_AWARD,), {"next_pot_to_award": "side1"}, NamedKey.AWARD, ""),
        ((), {"next_pot_to_award": "main", "turn": None}, NamedKey.AWARD, ""),
        ((), {"phase": "closed", "turn": None}, NamedKey.DEAL, None),
        ((DEAL, ONLY_AWARD), {}, NamedKey.DEAL, "deal"),
    ],
)
def test_one_key_continues_the_hand(
    choices: tuple[Choice, ...], changes: dict[str, Any], target: NamedKey, do: str | None
) -> None:
    key = main_keys.next_step_key(view(next_choices=choices, **changes))
    assert (key.target, sent_step(key)) == (target, do)
    assert (key.detail, key.seat) == (("to-seat", 3) if do == "award main 3" else (None, 0))


def test_deal_key_names_the_street() -> None:
    assert label_of(main_keys.next_step_key(view(next_choices=(DEAL,)))) == "DEAL TURN"
    assert label_of(main_keys.next_step_key(view(next_choices=(), brings_in=True))) == "DEAL"


@pytest.mark.parametrize("label", get_args(KeyLabel))
def test_each_offered_step_has_one_key(label: KeyLabel) -> None:
    choice = Choice(label=label, do="return 5", values=MessageValues(seat=5, amount=15, seats=(1, 2), pot="main"))
    offered_view = view(next_choices=(choice,))
    seat_offers = [key for _, key in seat_keys(modes.SeatPanel(5), offered_view) if key.label is choice]
    is_seat_touch = label in ("acts-first", "brings-in")
    assert (main_keys.next_step_key(offered_view).step is choice) + len(
        main_keys.offered_step_keys(offered_view)
    ) + len(seat_offers) + is_seat_touch == 1


def test_offers_beyond_the_space_are_one_touch_further() -> None:
    runs = tuple(Choice(label="runs-boards", do=f"boards {n}", values=MessageValues(count=n)) for n in range(2, 7))
    assert [key.target for key in main_keys.main_page_offer_keys(False, view(next_choices=runs))][
        -1
    ] is NamedKey.MORE_OFFERS
    assert len(main_keys.main_page_offer_keys(False, view(next_choices=runs))) == 3
    assert len(main_keys.main_page_offer_keys(False, view(next_choices=runs, redo=StepSummary(step="deals")))) == 1
    assert NamedKey.MORE_OFFERS not in {
        key.target for key in main_keys.main_page_offer_keys(False, view(next_choices=runs[:3]))
    }


def test_undo_key_names_the_step_it_undoes() -> None:
    assert (main_keys.undo_key(POT_LIMIT).detail, sent_step(main_keys.undo_key(POT_LIMIT))) == (POT_LIMIT.undo, "undo")
    assert not main_keys.undo_key(view(undo=None)).is_enabled


# --- the panels ---


def test_key_that_needs_an_amount_is_disabled_in_its_place() -> None:
    typed = modes.SeatPanel(3, amount_entry.TypedAmount("40"))
    without_amount, with_amount = dict(seat_keys(modes.SeatPanel(3), POT_LIMIT)), dict(seat_keys(typed, POT_LIMIT))
    cell = on_tab(CardList.CHIPS, 1)
    assert (without_amount[cell].target, without_amount[cell].is_enabled) == (NamedKey.TAKE_BACK, False)
    assert (with_amount[cell].target, with_amount[cell].is_enabled) == (NamedKey.TAKE_BACK, True)
    assert set(without_amount) <= set(with_amount), "a cell becomes empty while an amount is entered"


@pytest.mark.parametrize("name", list(VIEWS))
def test_panel_keys_are_unique_and_inside_their_cells(name: str) -> None:
    view = VIEWS[name]
    panels = [
        modes.SeatPanel(seat.seat, typed)
        for seat in view.seats
        for typed in (amount_entry.TypedAmount(), amount_entry.TypedAmount("40"))
    ]
    floor_panels = [floor_keys(modes.FloorPanel(seat), view) for seat in (None, 1, 9)]
    for keys in (*[seat_keys(mode, view) for mode in panels], table_keys(modes.TablePanel(), view), *floor_panels):
        targets = [key.target for _, key in keys]
        assert len(targets) == len(set(targets))
        assert all(0 <= cell < PANEL_CELL_COUNT for cell, _ in keys)


def needs_floor(verb: PanelVerb) -> bool:
    """Return True if the panel key has a step that only the floor may send."""
    seat, other_seat = () if verb in (*TABLE_VERBS, *FLOOR_VERBS) else (4,), (5,) if verb.seat_question else ()
    steps = [verb.plain_step(*seat, *other_seat)] if verb.plain_step else []
    steps += [verb.amount_step(*seat, 40, *other_seat)] if verb.amount_step else []
    return any(step.verb.owner == "floor" for step in steps)


def mislabelled_verbs(verbs: Iterable[PanelVerb]) -> list[PanelVerb]:
    """Return the panel keys with a wrong label. A label begins with FLOOR only if its step needs the floor."""
    return [verb for verb in verbs if is_labelled_as_floor(verb) is not needs_floor(verb)]


HAND_FOR_HAND = frozenset({"floor-hold", "floor-go"})
"""Labels of hand-for-hand keys. They need not begin with FLOOR, because only the floor starts hand-for-hand."""


def is_labelled_as_floor(verb: PanelVerb) -> bool:
    return verb.label in HAND_FOR_HAND or Messages().text(verb.label, amount=None).startswith("FLOOR: ")


def test_exactly_the_floor_keys_are_labelled_as_floor() -> None:
    verbs = (*HAND_VERBS, *PLAYER_VERBS, *TABLE_VERBS, *FLOOR_VERBS, *FLOOR_SEAT_VERBS)
    assert mislabelled_verbs(verbs) == []
    assert all((verb.tone == "floor") is needs_floor(verb) for verb in verbs)


def test_planted_mislabelled_floor_key_is_caught() -> None:
    unlabelled = PanelVerb(0, NamedKey.SEAT_FOLD, "folds", plain_step=table_steps.FloorKillsHand)
    wrongly_labelled = PanelVerb(0, NamedKey.FLOOR_KILL_HAND, "floor-dead", plain_step=table_steps.GoesAway)
    assert mislabelled_verbs((unlabelled, wrongly_labelled)) == [unlabelled, wrongly_labelled]


@pytest.mark.parametrize(
    ("changes", "label"),
    [
        ({"limit": "pot"}, "POT RAISE TO"),
        ({"limit": "pot", "allowed_actions": ("bet", "check", "fold")}, "POT BET"),
        ({"limit": "half-pot"}, "HALF-POT RAISE TO"),
        ({"limit": "stack"}, "ALL-IN RAISE TO"),
        ({"limit": "fixed"}, "RAISE TO"),
        ({"limit": "spread"}, "MAX RAISE TO (SPREAD)"),
        ({"limit": "none", "max_raise_to": None}, "MAX RAISE: NO LIMIT"),
        ({"turn": None, "limit": "pot"}, "MAX RAISE TO"),
    ],
)
def test_maximum_is_labelled_by_its_limit(changes: dict[str, Any], label: str) -> None:
    assert table_model_of(**changes).numbers[2].label == label


def test_provisional_maximum_is_marked_in_text_and_sign() -> None:
    largest = table_model_of(provisional=True).numbers[2]
    assert (largest.amount, largest.note, largest.tone) == ("~305", "NOT SETTLED", "unsettled")
    assert table_model_of().numbers[2].note == ""


def test_seat_tile_shows_all_facts_of_its_seat() -> None:
    ten = VIEWS["ten-seats"]
    tiles, spots = view_models.seat_models(ten, messages_for(ten), (), {})
    assert tiles[1].stack == "stack ?"
    assert [messages for messages, _ in spots[1].notes] == ["PUSH BACK 15,500", "+2,500 seen"]
    assert [messages for messages, _ in spots[2].notes] == ["NOT READ", "key in bets"]
    assert spots[3].notes[0][0] == "+84,500 or more"
    assert (tiles[4].status, tiles[4].flag) == ("FOLD", "assumed")
    assert tiles[5].flag == "EARLY: raise 250,000"
    assert spots[5].unsettled == "+250,000"
    assert spots[5].bet == ""
    assert tiles[6].flag == "OWES 12,500"
    assert spots[6].notes[0][0] == "3 unknown chips"
    assert [tile.has_button for tile in tiles] == [False] * 9 + [True]
    assert {spots[0].source_mark, spots[1].source_mark, spots[2].source_mark} == {"\u25c9", "\u2713", "\u270e"}
    _, spots_without_sensors = view_models.seat_models(
        msgspec.structs.replace(ten, sensors="off"), messages_for(ten), (), {}
    )
    assert {spot.source_mark for spot in spots_without_sensors} == {""}
    assert tiles[3].tone == "turn"


# --- bets with one touch ---


@pytest.mark.parametrize(
    ("target", "step"),
    [
        (QuickBetKey("min"), "5 raise to 100"),
        (QuickBetKey("x2"), "5 raise to 120"),
        (QuickBetKey("x2.5"), "5 raise to 150"),
        (QuickBetKey("x3"), "5 raise to 180"),
        (QuickBetKey("third-pot"), "5 raise to 140"),
        (QuickBetKey("half-pot"), "5 raise to 185"),
        (QuickBetKey("two-thirds-pot"), "5 raise to 225"),
    ],
)
def test_one_touch_sends_a_bet_of_a_named_size(target: QuickBetKey, step: str) -> None:
    screen = ScreenState(view=view(), is_live=True)
    (key,) = [key for key in lay_out_scene(screen).keys if key.target == target]
    assert key.is_enabled
    assert step.rsplit(maxsplit=1)[-1] in key.detail
    _, command = press_target(screen, target)
    assert command is not None
    assert command.do == step


def quick_bet_targets(**changes: Any) -> set[str]:
    scene = lay_out_scene(ScreenState(view=view(**changes), is_live=True))
    return {area.target.kind for area in scene.touch_areas if isinstance(area.target, QuickBetKey)}


def test_last_bet_has_the_place_of_twice_the_bet_before_the_first_bet() -> None:
    opening = {"last-bet": 35, "third-pot": 60}
    assert quick_bet_targets(quick_bets=opening, allowed_actions=("bet", "check")) == {"min", "last-bet", "third-pot"}
    (key,) = [key for key in main_keys.quick_bet_keys(view(quick_bets={"x2": 120, "last-bet": 35}))[:1] if key]
    assert key.target == QuickBetKey("x2")


def test_only_legal_bets_have_a_key() -> None:
    assert quick_bet_targets(quick_bets={"x3": 180}) == {"min", "x3"}
    assert quick_bet_targets(allowed_actions=("call", "fold")) == set()
    assert quick_bet_targets(limit="fixed", min_raise_to=100, max_raise_to=100, quick_bets={}) == set()
    assert quick_bet_targets(turn=None, phase="closed") == set()


def test_bets_with_one_touch_give_way_to_redo_and_to_proposed_steps() -> None:
    assert quick_bet_targets(redo=StepSummary(step="deals")) == {"min", "x3", "two-thirds-pot"}
    offer = Choice(label="push-back-to", do="return 5", values=MessageValues(seat=5, amount=15))
    assert quick_bet_targets(next_choices=(offer,)) == {"min", "x2", "x2.5", "third-pot", "half-pot"}
    assert quick_bet_targets(next_choices=(offer,) * 3) == {"min"}


def test_amounts_on_keys_reveal_no_hidden_pot() -> None:
    assert quick_bet_targets(show_pot="never") == {"min", "x2", "x2.5", "x3"}
    hidden = view(show_pot="on-request", limit="stack", pot_to=305)
    assert not main_keys.action_keys(hidden)[3].is_enabled
