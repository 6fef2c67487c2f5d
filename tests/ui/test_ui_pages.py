"""Check the pages over the table and the keyboard for names.

The tests cover queries and replies, keys, layout, and the events that close a page.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations, product
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.messages import Messages, languages
from controller.steps import table_steps
from controller.view import (
    Alert,
    GameView,
    LevelView,
    MessageValues,
    Money,
    TableView,
    pages,
)
from tests.ui.touch_table import TouchTable
from ui import page_samples
from ui.scene import DEFAULT_APPEARANCE, Appearance, Scene, lay_out_scene, layout
from ui.scene.pages.account_and_game_pages import report_content
from ui.scene.pages.device_page import devices_content
from ui.scene.paint import Text, draw_scene
from ui.state import (
    GameChoice,
    KeyboardKey,
    LetterKey,
    NamedKey,
    OutgoingCommand,
    PadDigit,
    PageKey,
    PageRequest,
    ScreenMessage,
    ScreenState,
    SeatTile,
    Target,
    lose_connection,
    modes,
    name_entry,
    page_actions,
    page_state,
    press_target,
    show_refusal,
    show_view,
)
from ui.view_samples import ViewSample, view_samples

SAMPLES = {sample.name: sample for sample in view_samples()}
PAGES = [sample for sample in view_samples() if sample.page is not None or sample.name == "keyboard"]
IDLE = SAMPLES["idle"].view
REPLIES: dict[PageRequest, pages.Page] = {
    page_state.HANDS_REQUEST: page_samples.HANDS_PAGE,
    PageRequest("hand", 117): page_samples.HAND_PAGE,
    PageRequest("phh", 117): page_samples.PHH_PAGE,
    PageRequest("alerts"): page_samples.ALERTS_PAGE,
    PageRequest("report"): page_samples.REPORT_PAGE,
    PageRequest("games"): page_samples.GAMES_PAGE,
    PageRequest("devices"): page_samples.DEVICES_PAGE,
    page_state.SET_UP_REQUEST: page_samples.SET_UP_PAGE,
}


def touch(screen: ScreenState, *targets: Target) -> tuple[ScreenState, OutgoingCommand | None]:
    """Touch these targets one after the other. Return the screen and the command of the last touch.

    Each target must be on the screen when it is touched.
    """
    command = None
    for target in targets:
        assert target in {area.target for area in lay_out_scene(screen).touch_areas}, target
        screen, command = press_target(screen, target)
    return screen, command


def open_page(page_request: PageRequest, view: TableView = IDLE) -> ScreenState:
    screen, _ = press_target(show_view(ScreenState(), view), page_request)
    return page_actions.receive_page(screen, REPLIES[page_request])


# --- requests and replies ---


@pytest.mark.parametrize(
    ("page_request", "do"),
    [
        (page_state.HANDS_REQUEST, "look hands"),
        (PageRequest("hand", 117), "look hand 117"),
        (PageRequest("phh", 117), "look phh 117"),
        (PageRequest("alerts"), "look alerts"),
        (PageRequest("report"), "look report"),
        (PageRequest("games"), "look games"),
        (PageRequest("devices"), "look devices"),
        (page_state.SET_UP_REQUEST, "look set-up"),
    ],
)
def test_opening_a_page_sends_only_its_query(page_request: PageRequest, do: str) -> None:
    screen, command = press_target(show_view(ScreenState(), IDLE), page_request)
    assert command == OutgoingCommand(do, 0)
    assert screen.page is not None
    assert screen.page.content is None
    assert page_actions.receive_page(screen, REPLIES[page_request]).page != screen.page


def test_every_page_is_one_touch_from_every_other_page() -> None:
    screen, _ = touch(show_view(ScreenState(), SAMPLES["pot-limit"].view), NamedKey.MENU, page_state.HANDS_REQUEST)
    for from_page, to_page in product(page_state.PAGE_TABS, page_state.PAGE_TABS):
        next_screen, _ = touch(open_page(from_page), to_page)
        assert next_screen.page is not None
        assert next_screen.page.request == to_page
    assert touch(screen, PageKey.CLOSE)[0].page is None


def test_hand_page_needs_two_touches_from_the_menu_and_its_text_three() -> None:
    screen = page_actions.receive_page(
        touch(show_view(ScreenState(), IDLE), NamedKey.MENU, page_state.HANDS_REQUEST)[0], page_samples.HANDS_PAGE
    )
    screen, command = touch(screen, PageRequest("hand", 117))
    assert command == OutgoingCommand("look hand 117", 0)
    _, command = touch(page_actions.receive_page(screen, page_samples.HAND_PAGE), PageRequest("phh", 117))
    assert command == OutgoingCommand("look phh 117", 0)


LATE_REPLIES: list[tuple[PageRequest, pages.Page]] = [
    (page_state.HANDS_REQUEST, page_samples.ALERTS_PAGE),
    (PageRequest("hand", 116), page_samples.HAND_PAGE),
    (PageRequest("phh", 116), page_samples.PHH_PAGE),
    (PageRequest("hand", 117), page_samples.HANDS_PAGE),
]


@pytest.mark.parametrize(("page_request", "reply"), LATE_REPLIES)
def test_reply_to_an_earlier_query_is_not_shown(page_request: PageRequest, reply: pages.Page) -> None:
    screen, _ = press_target(show_view(ScreenState(), IDLE), page_request)
    assert page_actions.receive_page(screen, reply) == screen


@pytest.mark.parametrize("reply", REPLIES.values(), ids=lambda reply: type(reply).__name__)
def test_reply_without_an_open_page_opens_no_page(reply: pages.Page) -> None:
    screen = show_view(ScreenState(), IDLE)
    assert page_actions.receive_page(screen, reply) == screen


def test_page_content_is_requested_again_after_a_table_change() -> None:
    later_view = msgspec.structs.replace(IDLE, sequence=IDLE.sequence + 1)
    for page_request in page_state.PAGE_TABS:
        screen = open_page(page_request)
        refreshed, first_command = page_actions.refresh_page(screen)
        assert (first_command is not None) == (page_request.kind == "devices"), "only antennas change without a view"
        changed_screen = show_view(refreshed, later_view)
        next_screen, second_command = page_actions.refresh_page(changed_screen)
        assert (second_command is not None) == (page_request.kind != "games"), "only configured games do not change"
        assert next_screen.page is not None
        assert page_actions.refresh_page(lose_connection(screen, ScreenMessage("connection-ended")))[1] is None
    assert page_actions.refresh_page(show_view(ScreenState(), IDLE))[1] is None


def test_report_is_requested_again_with_the_closing_view() -> None:
    report_screen = open_page(PageRequest("report"))
    later_view = msgspec.structs.replace(IDLE, sequence=IDLE.sequence + 1)
    closed_view = msgspec.structs.replace(later_view, is_closed=True)
    next_screen, command = page_actions.refresh_on_view(report_screen, show_view(report_screen, closed_view))
    assert command == OutgoingCommand("look report", 0)
    assert page_actions.refresh_page(next_screen)[1] is None, "the report is requested only once"
    assert page_actions.refresh_on_view(report_screen, show_view(report_screen, later_view))[1] is None
    no_page = show_view(ScreenState(), IDLE)
    assert page_actions.refresh_on_view(no_page, show_view(no_page, closed_view))[1] is None


# --- closing ---

QUESTION = Alert(code="behind-the-turn", level="question", values=MessageValues(seat=5), clearable_by="dealer")
WARNING = Alert(code="out-of-turn", level="warning", values=MessageValues(seat=5), clearable_by="dealer")
FLOOR_WARNING = Alert(code="skipped", level="warning", values=MessageValues(seat=5), clearable_by="floor")
NOTE = Alert(code="due-back", level="info", values=MessageValues(seat=5), clearable_by="dealer")
DEVICE_WARNING = Alert(code="reader-offline", level="warning", clearable_by="technician", subject="reader A")


@pytest.mark.parametrize(
    ("alert", "stays_open"),
    [(QUESTION, False), (WARNING, False), (FLOOR_WARNING, False), (NOTE, True), (DEVICE_WARNING, True)],
)
def test_page_closes_when_the_dealer_is_needed(alert: Alert, stays_open: bool) -> None:
    alert_view = msgspec.structs.replace(IDLE, alerts=(alert,), sequence=IDLE.sequence + 1)
    screen = open_page(PageRequest("devices"))
    assert (show_view(screen, alert_view).page is not None) == stays_open
    later_screen = open_page(PageRequest("devices"), alert_view)
    assert show_view(later_screen, alert_view).page is not None, "an alert that precedes the page must not close it"


def test_alert_can_be_answered_while_a_page_is_open() -> None:
    view = SAMPLES["over-pot"].view
    screen = page_actions.receive_page(
        press_target(show_view(ScreenState(), view), page_state.HANDS_REQUEST)[0], page_samples.HANDS_PAGE
    )
    scene = lay_out_scene(screen)
    assert scene.alert_band.level
    answer_targets = [area.target for area in scene.touch_areas if area.effect == view.alerts[0].choices[0].do]
    assert touch(screen, *answer_targets)[1] == OutgoingCommand(view.alerts[0].choices[0].do, view.sequence)


def test_lost_service_closes_the_page() -> None:
    assert lose_connection(open_page(page_state.HANDS_REQUEST), ScreenMessage("connection-ended")).page is None
    assert not lay_out_scene(
        lose_connection(open_page(page_state.HANDS_REQUEST), ScreenMessage("connection-ended"))
    ).is_live


# --- keys of pages ---


@pytest.mark.parametrize(
    ("page_request", "touches", "do"),
    [
        (PageRequest("games"), [GameChoice("stud8")], "game stud8"),
        (PageRequest("games"), [NamedKey.CLOSE_TABLE, NamedKey.OK], "close"),
        (PageRequest("report"), [NamedKey.CLOSE_TABLE, NamedKey.OK], "close"),
        (
            PageRequest("games"),
            [NamedKey.DEALER_NAME, *map(LetterKey, "rita"), NamedKey.OK],
            "dealer Rita",
        ),
    ],
)
def test_page_keys_send_their_steps(page_request: PageRequest, touches: list[Target], do: str) -> None:
    screen, command = touch(open_page(page_request), *touches)
    assert command == OutgoingCommand(do, IDLE.sequence)
    if do.startswith("game"):  # the table names the next game
        assert screen.page is None
        return
    assert screen.page is not None, "the page must stay open to show the result"


def test_closed_table_can_be_opened_and_open_table_closed_between_hands() -> None:
    def keys(view: TableView) -> set[Target]:
        scene = lay_out_scene(open_page(PageRequest("report"), view))
        assert len([key for key in scene.keys if key.tone == "main" and key.is_enabled]) == 1
        return {area.target for area in scene.touch_areas}

    closed_view = msgspec.structs.replace(IDLE, is_closed=True)
    assert {NamedKey.OPEN_TABLE, NamedKey.CLOSE_TABLE} & keys(closed_view) == {NamedKey.OPEN_TABLE}
    assert {NamedKey.OPEN_TABLE, NamedKey.CLOSE_TABLE} & keys(IDLE) == {NamedKey.CLOSE_TABLE}
    assert {NamedKey.OPEN_TABLE, NamedKey.CLOSE_TABLE} & keys(SAMPLES["pot-limit"].view) == set()
    asked, sent = touch(open_page(PageRequest("games"), closed_view), NamedKey.OPEN_TABLE)
    assert (sent, lay_out_scene(asked).status_line[0]) == (None, "Open table? The accounts start again at zero.")
    assert touch(asked, NamedKey.OK)[1] == OutgoingCommand("open", IDLE.sequence)
    assert touch(asked, NamedKey.CANCEL)[1] is None


def test_table_page_shows_the_dealer_and_the_closed_state() -> None:
    texts = texts_on(open_page(PageRequest("games"), msgspec.structs.replace(IDLE, is_closed=True, dealer="Rita")))
    assert {"Rita", Messages().text("table-closed")} <= set(texts)


def test_tournament_levels_are_shown_with_their_stakes() -> None:
    second_level = GameView(name="level-2", blinds=(100, 200))
    levels = (
        LevelView(name="level-1", minutes_left=20),
        LevelView(name="break", minutes_left=10, is_break=True),
        LevelView(name="level-2", minutes_left=20),
    )
    reply = pages.GamesPage(
        games=(GameView(name="level-1", blinds=(50, 100)), second_level), levels=levels, buy_in=(200, 0)
    )
    screen = page_actions.receive_page(
        press_target(show_view(ScreenState(), msgspec.structs.replace(IDLE, money=Money())), PageRequest("games"))[0],
        reply,
    )
    assert texts_on(screen)[-6:] == [
        "level-1",
        "50/100 · 20 minutes",
        "break",
        "Break · 10 minutes",
        "level-2",
        "100/200 · 20 minutes",
    ]
    assert Messages().text("at-least", amount=200) in texts_on(screen)


def test_closing_the_table_asks_once() -> None:
    screen, command = touch(open_page(PageRequest("report")), NamedKey.CLOSE_TABLE)
    assert isinstance(screen.mode, modes.Confirmation)
    assert command is None
    cancelled, command = touch(screen, NamedKey.CANCEL)
    assert (cancelled.mode, command) == (modes.Normal(), None)


def test_next_game_in_order_cannot_be_chosen() -> None:
    view = msgspec.structs.replace(IDLE, game=msgspec.structs.replace(IDLE.game, name="limit"))
    keys = {key.target: key.is_enabled for key in lay_out_scene(open_page(PageRequest("games"), view)).keys}
    assert (keys[GameChoice("limit")], keys[GameChoice("stud8")]) == (False, True)


def test_refusal_is_shown_on_the_page() -> None:
    screen = show_refusal(open_page(page_state.HANDS_REQUEST), ScreenMessage("not-connected"))
    scene = lay_out_scene(screen)
    assert scene.page is not None
    assert Messages().text("refused", reason=Messages().text("not-connected")) in {
        text.text for text in scene.page.texts
    }


# --- the keyboard ---


def typed_name(*keys: str) -> str:
    screen, _ = touch(show_view(ScreenState(), IDLE), SeatTile(5), NamedKey.PLAYER_NAME)
    for key in keys:
        target = KeyboardKey.DELETE if key == "<" else LetterKey(key)
        screen, _ = press_target(screen, target)
    screen, command = touch(screen, NamedKey.OK)
    assert command is None
    assert isinstance(screen.mode, modes.SeatPanel)
    return screen.mode.name


@pytest.mark.parametrize(
    ("keys", "name"),
    [
        ("ann", "Ann"),
        ("ann<", "An"),
        ("<", ""),
        ("o'neill", "O'Neill"),
        ("j.lee", "J.Lee"),
        ("smith-jones", "Smith-Jones"),
        ("ärger", "Ärger"),
        ("ßa", "ßa"),
        (("陈", "先生"), "陈先生"),
        (("陈", "先生", "<", "女士"), "陈女士"),
        ("a" * 30, "A" + "a" * (name_entry.MAX_NAME_LENGTH - 1)),
        ((*"a" * 19, "先生"), "A" + "a" * 18),
        ("7up", "7up"),
        ("ann lee", "Ann Lee"),
        (" ann  lee ", "Ann Lee"),
    ],
)
def test_typed_letters_become_a_name(keys: Any, name: str) -> None:
    assert typed_name(*keys) == name


def test_typed_name_is_sent_with_the_buy_in() -> None:
    screen, _ = touch(
        show_view(ScreenState(), IDLE), SeatTile(5), NamedKey.PLAYER_NAME, *map(LetterKey, "ann"), NamedKey.OK
    )
    _, command = touch(screen, PadDigit("2"), PadDigit("00"), NamedKey.SIT)
    assert command == OutgoingCommand("5 sit 200 as Ann", IDLE.sequence)


def test_cancel_keeps_the_seat_and_its_previous_name() -> None:
    screen, _ = touch(show_view(ScreenState(), IDLE), SeatTile(5), NamedKey.PLAYER_NAME, LetterKey("a"), NamedKey.OK)
    screen, _ = touch(screen, NamedKey.PLAYER_NAME, LetterKey("b"), NamedKey.CANCEL)
    assert screen.mode == modes.SeatPanel(5, name="A")


@pytest.mark.parametrize("language", languages())
def test_every_letter_of_a_language_is_on_its_keyboard(language: str) -> None:
    appearance = Appearance(language=language)
    screen, _ = touch(show_view(ScreenState(), IDLE), SeatTile(5), NamedKey.PLAYER_NAME)
    letters = set()
    for _ in range(len(Messages(language=language).keyboard)):
        letters |= {
            area.target.text
            for area in lay_out_scene(screen, appearance).touch_areas
            if isinstance(area.target, LetterKey)
        }
        screen, _ = press_target(screen, KeyboardKey.OTHER_LETTERS)
    assert {*"abcdefghijklmnopqrstuvwxyz0123456789-.'"} <= letters
    assert {"de": {*"äöüß"}, "zh": {"陈", "先生"}}.get(language, set()) <= letters


def test_refused_name_stays_on_the_keyboard_with_the_reason() -> None:
    table = TouchTable('blinds = [5, 10]\nstart = "idle"').do("3 name Ann Lee")
    table.touch(SeatTile(4), NamedKey.PLAYER_NAME, *map(LetterKey, "ann lee"), NamedKey.OK)
    assert isinstance(table.screen.mode, modes.NameEntry)
    assert table.screen.mode.typed.name == "Ann Lee"
    assert any("Ann Lee has a seat already" in text for text in texts_on(table.screen))
    table.touch(KeyboardKey.DELETE, NamedKey.OK)
    assert [seat.name for seat in table.view.seats if seat.name] == ["Ann Lee", "Ann Le"]


def test_name_is_corrected_from_the_present_one() -> None:
    table = TouchTable('blinds = [5, 10]\nstart = "idle"').do("3 name Ann Le")
    table.touch(SeatTile(3), NamedKey.PLAYER_NAME, LetterKey("e"), NamedKey.OK)
    assert table.sent[-1] == "3 name Ann Lee"


@given(st.lists(st.sampled_from([*map(LetterKey, "abcxyz'-. "), LetterKey("先生"), *KeyboardKey]), max_size=40))
def test_typed_name_is_accepted_by_the_table(keys: list[LetterKey | KeyboardKey]) -> None:
    screen = ScreenState(
        view=IDLE, is_live=True, mode=modes.NameEntry("name-of-dealer", step=table_steps.ChangesDealer)
    )
    for key in keys:
        screen, _ = press_target(screen, key)
    assert isinstance(screen.mode, modes.NameEntry)
    name = screen.mode.typed.name
    assert len(name) <= name_entry.MAX_NAME_LENGTH
    assert "  " not in name and not name.startswith(" ")
    _, command = press_target(screen, NamedKey.OK)
    assert (command is not None) == bool(name)


# --- layout ---

APPEARANCES = [Appearance(layout=panel, language=language) for panel in layout.LAYOUTS for language in languages()]
LARGEST = 999_999_999
"""$9,999,999.99."""
CUT_NAMES = frozenset({"ann", "Bartholomew-Kingsley", "Ms. Lam", "Rita", "Omar", "lee", "陈先生"})


def misplaced(scene: Scene) -> list[str]:
    """Return a list of errors in the places of the keys and texts of a page."""
    page, appearance = scene.page, scene.appearance
    if page is None:
        return ["there is no page"]
    boxes = [(repr(key.target), key.box) for key in page.keys]
    faults = [f"{name} is too small" for name, box in boxes if min(box.w, box.h) < appearance.layout.min_target_size]
    faults += [f"{name} is off the page" for name, box in boxes if not appearance.layout.page.encloses(box)]
    faults += [
        f"{name} lies on {other}"
        for (name, box), (other, other_box) in combinations(boxes, 2)
        if box.overlaps(other_box)
    ]
    for text in page.texts:
        faults += [f"{text.text} on {name}" for name, box in boxes if text.box.overlaps(box)]
        if not appearance.layout.page.encloses(text.box) or text.size < appearance.layout.min_font_size:
            faults.append(f"{text.text} is off the page, or too small")
    return faults


def is_name(text: str) -> bool:
    """Return True for a name that was cut, because the screen may cut names."""
    return any(name.startswith(text.removesuffix("…")) for name in CUT_NAMES)


def cut_texts(scene: Scene) -> list[str]:
    """Return the texts that were cut although they are not names, and the amounts that are drawn too small."""
    texts = [item for items in draw_scene(scene).values() for item in items if isinstance(item, Text)]
    return [
        text.text
        for text in texts
        if (text.is_truncated and not is_name(text.text))
        or (text.is_amount and text.size < scene.appearance.layout.min_font_size)
    ]


@pytest.mark.parametrize(
    "appearance", APPEARANCES, ids=lambda appearance: f"{appearance.layout.name}-{appearance.language}"
)
@pytest.mark.parametrize("sample", PAGES, ids=lambda sample: sample.name)
def test_page_keys_and_texts_are_in_place_and_uncut(sample: ViewSample, appearance: Appearance) -> None:
    scene = lay_out_scene(sample.screen_state, appearance)
    assert misplaced(scene) == []
    assert cut_texts(scene) == []


MONEY_FIELDS = frozenset(
    {
        *("pot", "amount", "least", "most", "brought", "left", "won", "rake", "jackpot", "kitty"),
        *("bought", "cashed", "stack", "owes", "stacks", "accounts", "toke", "adjustment", "buy_in"),
    }
)


def with_large_amounts(value: Any, *, is_money: bool = False) -> Any:
    """Return a copy of the page in which every amount is the largest amount for which the screen has space."""
    if isinstance(value, dict):
        return {key: with_large_amounts(item, is_money=is_money or key in MONEY_FIELDS) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [with_large_amounts(item, is_money=is_money) for item in value]
    return LARGEST if is_money and type(value) is int else value


@pytest.mark.parametrize("panel", layout.LAYOUTS, ids=lambda panel: panel.name)
@pytest.mark.parametrize(
    "page_request",
    [
        page_state.HANDS_REQUEST,
        PageRequest("hand", 117),
        PageRequest("alerts"),
        PageRequest("report"),
        PageRequest("games"),
    ],
)
def test_largest_amounts_on_pages_are_uncut(page_request: PageRequest, panel: layout.ScreenLayout) -> None:
    reply = REPLIES[page_request]
    large_reply = msgspec.convert(with_large_amounts(msgspec.to_builtins(reply)), type(reply))
    view = msgspec.structs.replace(IDLE, money=Money(prefix="$", decimals=2))
    screen = page_actions.receive_page(press_target(show_view(ScreenState(), view), page_request)[0], large_reply)
    scene = lay_out_scene(screen, Appearance(layout=panel))
    assert misplaced(scene) == []
    assert cut_texts(scene) == []
    assert "$9,999,999.99" in " ".join((*texts_on(screen), *(key.detail for key in scene.keys)))


@pytest.mark.parametrize(("minutes", "note"), [(0, "25 hands"), (90, "25 hands in 90 minutes")])
def test_report_shows_minutes_only_if_they_are_known(minutes: int, note: str) -> None:
    request = PageRequest("report")
    reply = msgspec.structs.replace(page_samples.REPORT_PAGE, hands=25, minutes=minutes)
    screen = page_actions.receive_page(press_target(show_view(ScreenState(), IDLE), request)[0], reply)
    texts = texts_on(screen)
    assert (note in texts, any("0 minutes" in text for text in texts)) == (True, minutes != 0)


@pytest.mark.parametrize("has_open_access", [True, False])
@pytest.mark.parametrize("language", ["en", "de", "zh"])
def test_report_says_that_floor_decisions_are_not_authorised(has_open_access: bool, language: str) -> None:
    request = PageRequest("report")
    reply = msgspec.structs.replace(page_samples.REPORT_PAGE, has_open_access=has_open_access)
    screen = page_actions.receive_page(press_target(show_view(ScreenState(), IDLE), request)[0], reply)
    for panel in layout.LAYOUTS:
        scene = lay_out_scene(screen, Appearance(layout=panel, language=language))
        assert (misplaced(scene), cut_texts(scene)) == ([], [])
    assert ("Floor decisions not authorised: no badges" in texts_on(screen)) is has_open_access


@pytest.mark.parametrize("language", languages())
def test_report_lists_fills_and_credits_of_the_table_and_of_each_dealer(language: str) -> None:
    messages = Messages(language=language)
    lines = [line.cells for line in report_content(page_samples.REPORT_PAGE, messages).lines]
    assert (messages.text("sum-fills"), messages.amount(1500), "") in lines
    assert (messages.text("sum-credits"), messages.amount(500), "") in lines
    details = {texts[0]: texts[2] for texts in lines if texts[0] in ("Rita", "Omar")}
    assert messages.text("shift-fills", amount=1500) in details["Rita"]
    assert messages.text("shift-credits", amount=500) in details["Omar"]
    without = msgspec.structs.replace(page_samples.REPORT_PAGE, fills=0, credits=0)
    assert len(report_content(without, messages).lines) == len(lines) - 2


@pytest.mark.parametrize("language", ["en", "de", "zh"])
def test_report_lists_the_debts_of_departed_players(language: str) -> None:
    debts = (pages.UnpaidDebt(name="Bartholomew-Kingsley", amount=100), pages.UnpaidDebt(seat=5, minute=102, amount=60))
    reply = msgspec.structs.replace(page_samples.REPORT_PAGE, unpaid_debts=debts)
    screen = page_actions.receive_page(press_target(show_view(ScreenState(), IDLE), PageRequest("report"))[0], reply)
    for panel in layout.LAYOUTS:
        scene = lay_out_scene(screen, Appearance(layout=panel, language=language))
        assert (misplaced(scene), cut_texts(scene)) == ([], [])
    assert {"Left owing markers", "Seat 5, no name", "$60", "left after 102 minutes"} <= set(texts_on(screen))


def test_planted_small_page_keys_are_caught() -> None:
    small_layout = replace(layout.TEN_INCH_LAYOUT, min_target_size=200)
    scene = lay_out_scene(open_page(page_state.HANDS_REQUEST), Appearance(layout=layout.TEN_INCH_LAYOUT))
    assert misplaced(scene) == []
    assert misplaced(Scene(is_live=True, appearance=Appearance(layout=small_layout), page=scene.page)) != []


def texts_on(screen: ScreenState, appearance: Appearance = DEFAULT_APPEARANCE) -> list[str]:
    page = lay_out_scene(screen, appearance).page
    assert page is not None
    return [text.text for text in page.texts]


@pytest.mark.parametrize("count", [0, 1, 9, 14, 40])
def test_every_line_of_a_long_hand_can_be_reached(count: int) -> None:
    action = page_samples.HAND_PAGE.actions[1]
    reply = pages.HandPage(
        summary=pages.HandRow(number=117),
        actions=tuple([msgspec.structs.replace(action, pot=1000 + n) for n in range(count)]),
    )
    screen, _ = press_target(show_view(ScreenState(), IDLE), PageRequest("hand", 117))
    screen = page_actions.receive_page(screen, reply)
    texts = set(texts_on(screen))
    for _ in range(20):
        if PageKey.DOWN not in {area.target for area in lay_out_scene(screen).touch_areas}:
            break
        screen, _ = touch(screen, PageKey.DOWN)
        texts |= set(texts_on(screen))
    assert {Messages(IDLE.money).amount(1000 + n) for n in range(count)} <= texts
    for _ in range(20):
        if PageKey.UP in {area.target for area in lay_out_scene(screen).touch_areas}:
            screen, _ = touch(screen, PageKey.UP)
    assert texts_on(screen) == texts_on(
        page_actions.receive_page(press_target(screen, PageRequest("hand", 117))[0], reply)
    )


def test_hand_with_an_unknown_beginning_has_no_phh_text() -> None:
    partial_page = msgspec.structs.replace(
        page_samples.HAND_PAGE, summary=msgspec.structs.replace(page_samples.HAND_PAGE.summary, is_complete=False)
    )
    screen = page_actions.receive_page(
        press_target(show_view(ScreenState(), IDLE), PageRequest("hand", 117))[0], partial_page
    )
    assert PageRequest("phh", 117) not in {area.target for area in lay_out_scene(screen).touch_areas}


@pytest.mark.parametrize(
    ("number", "has_previous", "has_next"), [(1, False, True), (117, True, True), (120, True, False)]
)
def test_previous_and_next_hand_are_one_touch_away(number: int, has_previous: bool, has_next: bool) -> None:
    summary = msgspec.structs.replace(page_samples.HAND_PAGE.summary, number=number)
    screen, _ = press_target(show_view(ScreenState(), IDLE), PageRequest("hand", number))
    screen = page_actions.receive_page(screen, msgspec.structs.replace(page_samples.HAND_PAGE, summary=summary))
    targets = {area.target for area in lay_out_scene(screen).touch_areas}
    assert (PageRequest("hand", number - 1) in targets, PageRequest("hand", number + 1) in targets) == (
        has_previous,
        has_next,
    )


def test_phh_page_shows_the_complete_text() -> None:
    text = "".join(texts_on(open_page(PageRequest("phh", 117)))[1:])
    for word in page_samples.PHH_PAGE.text.split():
        assert word in text.replace(" ", "") or word in text


def test_one_page_shows_twenty_hands() -> None:
    cards = [
        key.target
        for key in lay_out_scene(open_page(page_state.HANDS_REQUEST)).keys
        if isinstance(key.target, PageRequest) and key.target.hand
    ]
    assert cards == [PageRequest("hand", number) for number in range(118, 98, -1)]


def test_requested_page_shows_that_it_is_loading_until_the_reply() -> None:
    screen, _ = press_target(show_view(ScreenState(), IDLE), page_state.HANDS_REQUEST)
    assert Messages().text("page-comes") in texts_on(screen)
    empty = page_actions.receive_page(screen, pages.HandsPage())
    assert Messages().text("title-hands") in texts_on(empty)
    assert pages.PhhPage(hand=1, text="").text == ""
    assert name_entry.TypedName().name == ""


@pytest.mark.parametrize(("hands", "minutes", "rate"), [(25, 50, "30 an hour"), (1, 1, "60 an hour"), (3, 0, "")])
def test_report_says_how_many_hands_an_hour_are_dealt(hands: int, minutes: int, rate: str) -> None:
    page = pages.ReportPage(hands=hands, minutes=minutes, dealers=(pages.DealerShift(name="Rita", minutes=minutes),))
    heading, dealer = report_content(page, Messages()).lines[-2:]
    assert heading.cells[2] == rate
    assert dealer.cells[2] == (f"{minutes} minute{'s' * (minutes > 1)}" if minutes else "")


def test_page_service_shows_the_build_of_the_program() -> None:
    content = devices_content(page_samples.DEVICES_PAGE, Messages())
    assert any(page_samples.DEVICES_PAGE.build in text for line in content.lines for text in line.cells)
