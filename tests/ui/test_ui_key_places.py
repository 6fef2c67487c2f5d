"""Check that keys have fixed places and meanings, and that a touch too many on a digit or on OK does no harm.

The tests compare all modes of the screen with all states of tables in every betting structure.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cache
from typing import Final

import pytest

from controller.view import Choice, TableView
from tests.ui.reference_states import reference_pictures
from tests.ui.test_ui_verb_touches import CASES
from tests.ui.touch_table import TouchTable, digit_touches
from ui.scene import Scene, lay_out_scene
from ui.scene.appearance import Appearance
from ui.scene.control_panel import PlacedKey
from ui.scene.layout import LAYOUTS, ScreenLayout, adapted_layout
from ui.state import (
    TAB_KEY_COUNT,
    AlertAnswer,
    BetSpot,
    CardList,
    CardTab,
    NamedKey,
    PadDigit,
    ScreenState,
    SeatTile,
    Target,
    amount_entry,
    modes,
    press_target,
    seat_keys,
)

N: Final = NamedKey
panels = pytest.mark.parametrize(
    "layout",
    [*LAYOUTS, adapted_layout(LAYOUTS[1], left_handed=True, large_numbers=True)],
    ids=["1280x800", "1024x600", "left-handed"],
)

NO_LIMIT: Final = 'blinds = [5, 10]\nruns = 2\nstart = "idle"'
ALL_CHECK: Final = ("2 check", "3 check", "4 check")
FLOP_STREETS: Final = ("hand", "4 call", "5 fold", "6 fold", "1 fold", "2 call", "3 check", "deal")
STRUCTURES: Final = {
    "no-limit": NO_LIMIT,
    "pot-limit": 'structure = "pot-limit"\nvariant = "omaha"\nblinds = [5, 10]\nstart = "idle"',
    "half-pot": 'structure = "half-pot"\nvariant = "omaha"\nblinds = [5, 10]\nstart = "idle"',
    "fixed-limit": 'structure = "fixed-limit"\nbets = [10, 10, 20, 20]\nblinds = [5, 10]\nstart = "idle"',
    "spread-limit": (
        'structure = "spread-limit"\nspread = [[5, 20], [5, 20], [5, 20], [5, 20]]\nblinds = [5, 10]\nstart = "idle"'
    ),
    "capped": 'hand_cap = 40\nblinds = [5, 10]\nstart = "idle"',
}
STUD: Final = (
    'variant = "stud8"\nstructure = "fixed-limit"\nante = 5\nbring_in = 5\nbets = [10, 10, 20, 20, 20]\nstart = "idle"'
)
STEPS: Final = (
    (),
    ("hand",),
    ("hand", "4 call", "undo"),
    ("hand", "4 all-in"),
    (*FLOP_STREETS[:-1],),
    FLOP_STREETS,
    (*FLOP_STREETS, *ALL_CHECK, "deal", *ALL_CHECK, "deal", *ALL_CHECK),
    ("hand", "4 fold", "5 fold", "6 fold", "1 fold", "2 fold"),
    ("hand", "4 fold", "5 fold", "6 fold", "1 fold", "2 all-in", "3 call"),
)
"""Steps before the touches: no hand, the first action, a step that can be redone, and so on to the award of the pot."""
STUD_STEPS: Final = ((), ("hand",), ("hand", "bring-in 4"), ("hand", "bring-in 4", "4 3"))
TOUCHES: Final[tuple[tuple[Target, ...], ...]] = (
    (N.RAISE,),
    (N.RAISE, *digit_touches(50)),
    (BetSpot(4),),
    (BetSpot(4), *digit_touches(50)),
    (BetSpot(4), N.WAS_ANOTHER),
    (BetSpot(4), N.DID_NOT_FOLD),
    (SeatTile(3),),
    (SeatTile(8),),
    (N.MENU,),
    (N.MENU, N.MISDEAL),
    (N.MENU, N.FLOOR_RULING),
    (N.MENU, N.FLOOR_RULING, N.FLOOR_BUTTON),
    (BetSpot(4), N.OPEN_CHIPS),
    (SeatTile(8), N.OPEN_MORE),
    (N.AWARD,),
)
"""Touches that open the modes of the screen. Touches that a state does not allow are skipped."""


@cache
def screens() -> tuple[ScreenState, ...]:
    """Return the screens of all states and modes, each state in its normal mode first."""
    tables = [TouchTable(game).do(*steps) for game in STRUCTURES.values() for steps in STEPS]
    tables += [TouchTable(STUD).do(*steps) for steps in STUD_STEPS]
    return tuple(opened for table in tables for opened in (table.screen, *_open_modes(table.screen)))


def _open_modes(screen: ScreenState) -> Iterable[ScreenState]:
    for touches in TOUCHES:
        opened = screen
        for target in touches:
            if target in {area.target for area in lay_out_scene(opened).touch_areas}:
                opened, _ = press_target(opened, target)
        if opened.mode != screen.mode:
            yield opened
    if screen.mode == modes.NORMAL:
        yield replace(screen, mode=modes.OfferList())


@cache
def scenes(layout: ScreenLayout) -> tuple[Scene, ...]:
    return tuple(lay_out_scene(screen, Appearance(layout=layout)) for screen in screens())


CONTINUES_HAND: Final = frozenset({N.UNDO, N.DEAL, N.AWARD, N.NEXT_HAND})
"""Keys that no digit may cover. All of them change the hand at once."""
HARMLESS: Final = frozenset({N.CALL_FLOOR, N.OK})
"""Keys that send a step but move no chips and end nothing, and OK itself."""


def changes_hand(key: PlacedKey) -> bool:
    """Return True if a touch on the key sends a step at once."""
    opens_entry = isinstance(key.effect, tuple)  # the key asks for a confirmation or a seat first
    return key.effect is not None and not opens_entry and key.target not in HARMLESS


def keys_of(all_scenes: Iterable[Scene]) -> set[PlacedKey]:
    """Return all keys except the answers in the alert band, which are above the table."""
    return {
        key._replace(label="", detail="")
        for scene in all_scenes
        for key in scene.keys
        if scene.page is None
        if not isinstance(key.target, AlertAnswer)
    }


def covered(covering: Iterable[PlacedKey], others: Iterable[PlacedKey]) -> set[tuple[Target, Target]]:
    """Return the pairs of keys with overlapping places, from two groups of keys."""
    other_places = {(other.target, other.box) for other in others}
    return {
        (key.target, target)
        for key in {key.box: key for key in covering}.values()
        for target, box in other_places
        if key.box.overlaps(box)
    }


def test_all_modes_and_structures_are_compared() -> None:
    assert {type(screen.mode) for screen in screens()} == {
        modes.Normal, modes.WagerEntry, modes.SeatPanel, modes.TablePanel, modes.Confirmation, modes.SeatPick,
        modes.AwardEntry, modes.OfferList, modes.FloorPanel,
    }  # fmt: skip
    limits = {screen.view.limit for screen in screens() if screen.view is not None and screen.view.turn}
    assert limits >= {"stack", "pot", "half-pot", "fixed", "spread", "cap"}


@panels
def test_no_digit_lies_over_undo_deal_or_next_hand(layout: ScreenLayout) -> None:
    keys = keys_of(scenes(layout))
    digits = [key for key in keys if isinstance(key.target, PadDigit)]
    assert len(digits) >= 12
    assert covered(digits, [key for key in keys if key.target in CONTINUES_HAND]) == set()


@panels
@pytest.mark.parametrize("closing_key", [N.OK, N.AS_RAISE_BY])
def test_no_key_that_changes_the_hand_lies_under_ok(layout: ScreenLayout, closing_key: NamedKey) -> None:
    """A second tap on OK must not act for the next player."""
    keys = keys_of(scenes(layout))
    closing = [key for key in keys if key.target is closing_key]
    assert closing
    others = [key for key in keys if changes_hand(key) and key.target is not closing_key]
    assert {N.FOLD, N.CALL, N.RAISE, N.POT, N.ALL_IN, N.UNDO, N.DEAL, N.NEXT_HAND} <= {key.target for key in others}
    assert covered(closing, others) == set()


FIXED: Final = (
    *(N.FOLD, N.CALL, N.RAISE, N.POT, N.ALL_IN, N.UNDO, N.REDO, N.DEAL, N.NEXT_HAND, N.AWARD),
    *(N.MENU, PadDigit("7"), PadDigit("0"), PadDigit("00"), PadDigit("back")),
)


@panels
def test_keys_have_one_place_in_all_modes(layout: ScreenLayout) -> None:
    places = {(key.target, key.box) for key in keys_of(scenes(layout)) if key.target in FIXED}
    assert {target for target, _ in places} == set(FIXED)
    assert len(places) == len(FIXED)


@panels
def test_call_floor_is_in_every_mode_and_never_leaves_its_place(layout: ScreenLayout) -> None:
    for scene in scenes(layout):
        (box,) = [key.box for key in scene.keys if key.target is N.CALL_FLOOR and key.is_enabled]
        assert layout.service_keys[1].encloses(box)
        assert not [key for key in scene.keys if key.target is not N.CALL_FLOOR and key.box.overlaps(box)]


@panels
def test_deal_award_and_next_hand_share_a_place(layout: ScreenLayout) -> None:
    continuing = {key.box for key in keys_of(scenes(layout)) if key.target in CONTINUES_HAND - {N.UNDO}}
    assert continuing == {layout.next_key}


def test_planted_ok_over_raise_is_caught() -> None:
    layout = LAYOUTS[0]
    ok = PlacedKey(N.OK, layout.action_keys[2], "")
    assert (N.OK, N.RAISE) in covered([ok], [key for key in keys_of(scenes(layout)) if changes_hand(key)])


# --- one primary key ---


def primary_keys(scene: Scene) -> list[Target]:
    """Return the enabled keys in the colour of the most likely next step."""
    return [key.target for key in scene.keys if key.tone == "main" and key.is_enabled]


@panels
def test_at_most_one_key_is_primary(layout: ScreenLayout) -> None:
    assert [keys for scene in scenes(layout) if len(keys := primary_keys(scene)) > 1] == []


def test_at_most_one_key_is_primary_in_every_reference_view() -> None:
    views = [(picture.name, picture.sample.scene(picture.appearance)) for picture in reference_pictures()]
    assert [name for name, scene in views if len(primary_keys(scene)) > 1] == []


def test_most_likely_step_is_primary() -> None:
    normal = [screen for screen in screens() if screen.mode == modes.NORMAL and screen.view is not None]
    found = {
        (screen.view.phase, bool(screen.view.turn), *primary_keys(lay_out_scene(screen)))
        for screen in normal
        if screen.view is not None
    }
    assert found == {
        ("idle", False, N.NEXT_HAND),
        ("betting", True, N.CALL),
        ("betting", False),  # the dealer must touch the seat that brings in or acts first
        ("closed", False, N.DEAL),
        ("closed", False, N.AWARD),
    }


def test_planted_second_primary_key_is_caught() -> None:
    scene = next(scene for scene in scenes(LAYOUTS[0]) if primary_keys(scene))
    planted = replace(scene, keys=(*scene.keys, PlacedKey(N.RAISE, LAYOUTS[0].action_keys[2], "", tone="main")))
    assert len(primary_keys(planted)) == 2


# --- the card of a player ---

FORMS: Final = (
    frozenset({"away", "back"}),
    frozenset({"leaves", "queues-leave"}),
    frozenset({"moves", "queues-move"}),
    frozenset({"sits", "adds"}),
    frozenset({"was-another", "did-not-fold"}),
    frozenset({"pots", "completes", "raises-by"}),
    frozenset({"returned", "it-is-in", "motion-done"}),
    frozenset({"straddle", "straddles", "posts"}),
    frozenset({"kills", "buys-button"}),
    frozenset({"stack-is", "stack-lost"}),
)
"""Labels that a key has in different situations.

Such a key takes back its own step, waits for the end of the hand, raises in the way of the game, ends what the bet
waits for, or puts in a blind by choice. No other labels share a place.
"""
SEATS: Final = range(1, 10)


@cache
def table_views() -> tuple[TableView, ...]:
    """Return the view of every picture, and of every state in which a touch test touches a key."""
    pictured = [picture.sample.view for picture in reference_pictures() if not picture.sample.is_players_display]
    screens_before = {(case.game, case.before): TouchTable(case.game).do(*case.before).view for case in CASES}
    touched = [screen.view for screen in screens() if screen.mode == modes.NORMAL and screen.view is not None]
    return (*pictured, *screens_before.values(), *touched)


def labels_by_place(views: Iterable[TableView]) -> dict[tuple[CardTab | CardList, int], set[str]]:
    """Return the labels of the keys in each place of a card, over all seats, with and without an entered amount."""
    places: dict[tuple[CardTab | CardList, int], set[str]] = {}
    parts = {part.value: part for part in (*CardTab, *CardList)}
    for view in views:
        for seat in SEATS:
            for digits in ("", "40"):
                for cell, key in seat_keys(modes.SeatPanel(seat, amount_entry.TypedAmount(digits)), view):
                    label = key.label.label if isinstance(key.label, Choice) else key.label
                    places.setdefault((parts[cell // TAB_KEY_COUNT], cell % TAB_KEY_COUNT), set()).add(label)
    return places


def places_with_two_meanings(places: Mapping[tuple[CardTab | CardList, int], set[str]]) -> list[set[str]]:
    """Return the groups of labels that share a place although they are not forms of the same key."""
    return [labels for labels in places.values() if len(labels) > 1 and not any(labels <= form for form in FORMS)]


def test_place_on_a_card_never_has_two_meanings() -> None:
    places = labels_by_place(table_views())
    assert places_with_two_meanings(places) == []
    assert {part for part, _ in places} == {*CardTab, *CardList}
    assert [sum(part is tab for part, _ in places) for tab in CardTab] == [TAB_KEY_COUNT] * len(CardTab)


def test_planted_second_meaning_is_caught() -> None:
    assert places_with_two_meanings({(CardTab.PLAYER, 1): {"away", "straddle"}}) == [{"away", "straddle"}]


def test_card_has_exactly_the_three_tabs_in_every_reference_view() -> None:
    layout = LAYOUTS[0]
    for view in table_views():
        screen = ScreenState(view=view, is_live=True)
        for tab in CardTab:
            scene = lay_out_scene(replace(screen, mode=modes.SeatPanel(view.turn or 1, tab=tab)))
            assert [key.target for key in scene.keys if key.box in layout.card_tabs] == list(CardTab)
            boxes = [key.box for key in scene.keys if key.box in layout.card_keys]
            assert len(boxes) == len(set(boxes)) <= TAB_KEY_COUNT
