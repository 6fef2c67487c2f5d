"""What is opened over the table: how it is opened, asked for, answered, laid out, closed; the keyboard for names."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations, product
from typing import Any, get_args

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.view import (
    Alert,
    GamesPage,
    GameView,
    HandLine,
    HandPage,
    HandsPage,
    LevelView,
    Money,
    Page,
    PhhPage,
    TableView,
    Values,
)
from controller.words import Language, Words
from ui import page_samples
from ui.samples import Sample, samples
from ui.scene import LOOK, Look, Scene, lay_out, layout
from ui.scene.paint import Text, draw
from ui.state import (
    HANDS,
    MOST_LETTERS,
    TABS,
    Digit,
    KeyboardKey,
    Letter,
    LookAt,
    NamedKey,
    Naming,
    Normal,
    PageKey,
    PlaysGame,
    Say,
    Screen,
    Seat,
    SeatPanel,
    Sending,
    Sure,
    Target,
    Typing,
    answered,
    asks_again,
    asks_at_once,
    lose,
    press,
    refuse,
    show,
)

SAMPLES = {sample.name: sample for sample in samples()}
PAGES = [sample for sample in samples() if sample.answer is not None or sample.name == "keyboard"]
IDLE = SAMPLES["idle"].view
ANSWERS: dict[LookAt, Page] = {
    HANDS: page_samples.HANDS_PAGE,
    LookAt("hand", 117): page_samples.HAND_PAGE,
    LookAt("phh", 117): page_samples.PHH_PAGE,
    LookAt("alerts"): page_samples.ALERTS_PAGE,
    LookAt("report"): page_samples.REPORT_PAGE,
    LookAt("games"): page_samples.GAMES_PAGE,
    LookAt("devices"): page_samples.DEVICES_PAGE,
}


def touched(screen: Screen, *targets: Target) -> tuple[Screen, Sending | None]:
    """The screen after touches, each on something that is there, and what the last one sent."""
    sending = None
    for target in targets:
        assert target in {one.target for one in lay_out(screen).touchables}, target
        screen, sending = press(screen, target)
    return screen, sending


def opened(look: LookAt, view: TableView = IDLE) -> Screen:
    screen, _ = press(show(Screen(), view), look)
    return answered(screen, ANSWERS[look])


# --- opening, asking, answering ---


@pytest.mark.parametrize(
    ("look", "do"),
    [
        (HANDS, "look hands"),
        (LookAt("hand", 117), "look hand 117"),
        (LookAt("phh", 117), "look phh 117"),
        (LookAt("alerts"), "look alerts"),
        (LookAt("report"), "look report"),
        (LookAt("games"), "look games"),
        (LookAt("devices"), "look devices"),
    ],
)
def test_a_page_asks_for_what_is_on_it_and_nothing_is_done_at_the_table(look: LookAt, do: str) -> None:
    screen, sending = press(show(Screen(), IDLE), look)
    assert sending == Sending(do, 0)
    assert screen.page is not None
    assert screen.page.answer is None
    assert answered(screen, ANSWERS[look]).page != screen.page


def test_every_page_is_one_touch_from_every_other_and_the_first_one_touch_from_the_table() -> None:
    screen, _ = touched(show(Screen(), SAMPLES["pot-limit"].view), HANDS)
    for here, there in product(TABS, TABS):
        after, _ = touched(opened(here), there)
        assert after.page is not None
        assert after.page.look == there
    assert touched(screen, PageKey.CLOSE)[0].page is None


def test_a_hand_is_two_touches_from_the_table_and_its_text_three() -> None:
    screen = answered(touched(show(Screen(), IDLE), HANDS)[0], page_samples.HANDS_PAGE)
    screen, sending = touched(screen, LookAt("hand", 117))
    assert sending == Sending("look hand 117", 0)
    _, sending = touched(answered(screen, page_samples.HAND_PAGE), LookAt("phh", 117))
    assert sending == Sending("look phh 117", 0)


LATE: list[tuple[LookAt, Page]] = [
    (HANDS, page_samples.ALERTS_PAGE),
    (LookAt("hand", 116), page_samples.HAND_PAGE),
    (LookAt("phh", 116), page_samples.PHH_PAGE),
    (LookAt("hand", 117), page_samples.HANDS_PAGE),
]


@pytest.mark.parametrize(("look", "answer"), LATE)
def test_an_answer_to_what_was_asked_for_before_is_not_shown(look: LookAt, answer: Page) -> None:
    screen, _ = press(show(Screen(), IDLE), look)
    assert answered(screen, answer) == screen


@pytest.mark.parametrize("answer", ANSWERS.values(), ids=lambda answer: type(answer).__name__)
def test_an_answer_opens_no_page(answer: Page) -> None:
    screen = show(Screen(), IDLE)
    assert answered(screen, answer) == screen


def test_what_a_page_shows_is_asked_for_anew_when_the_table_has_changed() -> None:
    later = msgspec.structs.replace(IDLE, sequence=IDLE.sequence + 1)
    for look in TABS:
        screen = opened(look)
        again, first = asks_again(screen)
        assert (first is not None) == (look.kind == "devices"), "antennas change without a view"
        changed = show(again, later)
        after, second = asks_again(changed)
        assert (second is not None) == (look.kind != "games"), "what is configured does not change"
        assert after.page is not None
        assert asks_again(lose(screen, Say("connection-ended")))[1] is None
    assert asks_again(show(Screen(), IDLE))[1] is None


def test_the_report_is_asked_for_with_the_view_that_says_closed() -> None:
    report = opened(LookAt("report"))
    later = msgspec.structs.replace(IDLE, sequence=IDLE.sequence + 1)
    closed = msgspec.structs.replace(later, closed=True)
    after, sending = asks_at_once(report, show(report, closed))
    assert sending == Sending("look report", 0)
    assert asks_again(after)[1] is None, "it is asked for once"
    assert asks_at_once(report, show(report, later))[1] is None
    no_page = show(Screen(), IDLE)
    assert asks_at_once(no_page, show(no_page, closed))[1] is None


# --- closing ---

ASKED = Alert(code="behind-the-turn", level="question", values=Values(seat=5), clears="dealer")
WARNED = Alert(code="out-of-turn", level="warning", values=Values(seat=5), clears="dealer")
FLOORS = Alert(code="skipped", level="warning", values=Values(seat=5), clears="floor")
TOLD = Alert(code="due-back", level="info", values=Values(seat=5), clears="dealer")
DEVICE = Alert(code="reader-offline", level="warning", clears="technician", about="reader A")


@pytest.mark.parametrize(
    ("alert", "stays"), [(ASKED, False), (WARNED, False), (FLOORS, False), (TOLD, True), (DEVICE, True)]
)
def test_a_page_closes_when_the_dealer_is_needed(alert: Alert, stays: bool) -> None:
    with_it = msgspec.structs.replace(IDLE, alerts=(alert,), sequence=IDLE.sequence + 1)
    screen = opened(LookAt("devices"))
    assert (show(screen, with_it).page is not None) == stays
    standing = opened(LookAt("devices"), with_it)
    assert show(standing, with_it).page is not None, "who opens it while that stands has seen it"


def test_alerts_can_be_answered_while_a_page_is_open() -> None:
    view = SAMPLES["over-pot"].view
    screen = answered(press(show(Screen(), view), HANDS)[0], page_samples.HANDS_PAGE)
    scene = lay_out(screen)
    assert scene.band.level
    answers = [one.target for one in scene.touchables if one.meaning == view.alerts[0].choices[0].do]
    assert touched(screen, *answers)[1] == Sending(view.alerts[0].choices[0].do, view.sequence)


def test_a_service_that_is_gone_takes_the_page_with_it() -> None:
    assert lose(opened(HANDS), Say("connection-ended")).page is None
    assert not lay_out(lose(opened(HANDS), Say("connection-ended"))).live


# --- what pages do ---


@pytest.mark.parametrize(
    ("look", "touches", "do"),
    [
        (LookAt("games"), [PlaysGame("stud8")], "game stud8"),
        (LookAt("games"), [NamedKey.CLOSES, NamedKey.OK], "close"),
        (LookAt("report"), [NamedKey.CLOSES, NamedKey.OK], "close"),
        (
            LookAt("games"),
            [NamedKey.DEALER, *map(Letter, "rita"), NamedKey.OK],
            "dealer Rita",
        ),
    ],
)
def test_keys_of_pages(look: LookAt, touches: list[Target], do: str) -> None:
    screen, sending = touched(opened(look), *touches)
    assert sending == Sending(do, IDLE.sequence)
    assert screen.page is not None, "the page shows what came of it"


def test_a_closed_table_can_be_opened_and_an_open_one_closed_between_hands() -> None:
    def keys(view: TableView) -> set[Target]:
        return {one.target for one in lay_out(opened(LookAt("report"), view)).touchables}

    closed = msgspec.structs.replace(IDLE, closed=True)
    assert {NamedKey.OPENS, NamedKey.CLOSES} & keys(closed) == {NamedKey.OPENS}
    assert {NamedKey.OPENS, NamedKey.CLOSES} & keys(IDLE) == {NamedKey.CLOSES}
    assert {NamedKey.OPENS, NamedKey.CLOSES} & keys(SAMPLES["pot-limit"].view) == set()
    assert touched(opened(LookAt("games"), closed), NamedKey.OPENS)[1] == Sending("open", IDLE.sequence)


def test_the_table_page_says_who_deals_and_that_it_is_closed() -> None:
    said = words_on(opened(LookAt("games"), msgspec.structs.replace(IDLE, closed=True, dealer="Rita")))
    assert {"Rita", Words().say("table-closed")} <= set(said)


def test_levels_of_a_tournament_are_told_with_their_stakes() -> None:
    second = GameView(name="level-2", blinds=(100, 200))
    levels = (
        LevelView(name="level-1", minutes_left=20),
        LevelView(name="break", minutes_left=10, is_break=True),
        LevelView(name="level-2", minutes_left=20),
    )
    answer = GamesPage(games=(GameView(name="level-1", blinds=(50, 100)), second), levels=levels, buy_in=(200, 0))
    screen = answered(press(show(Screen(), msgspec.structs.replace(IDLE, money=Money())), LookAt("games"))[0], answer)
    assert words_on(screen)[-6:] == [
        "level-1",
        "50/100 · 20 min",
        "break",
        "Break · 10 min",
        "level-2",
        "100/200 · 20 min",
    ]
    assert Words().say("at-least", amount=200) in words_on(screen)


def test_closing_the_table_is_asked_once() -> None:
    screen, sending = touched(opened(LookAt("report")), NamedKey.CLOSES)
    assert isinstance(screen.mode, Sure)
    assert sending is None
    back, sending = touched(screen, NamedKey.CANCEL)
    assert (back.mode, sending) == (Normal(), None)


def test_the_game_that_follows_anyway_cannot_be_chosen() -> None:
    playing = msgspec.structs.replace(IDLE, game=msgspec.structs.replace(IDLE.game, name="limit"))
    keys = {one.target: one.enabled for one in lay_out(opened(LookAt("games"), playing)).keys}
    assert (keys[PlaysGame("limit")], keys[PlaysGame("stud8")]) == (False, True)


def test_what_the_service_refused_stands_on_the_page() -> None:
    screen = refuse(opened(HANDS), Say("not-connected"))
    scene = lay_out(screen)
    assert scene.page is not None
    assert Words().say("refused", reason=Words().say("not-connected")) in {text.words for text in scene.page.texts}


# --- the keyboard ---


def name_of(*keys: str) -> str:
    screen, _ = touched(show(Screen(), IDLE), Seat(5), NamedKey.NAME)
    for key in keys:
        target = KeyboardKey.DELETE if key == "<" else Letter(key)
        screen, _ = press(screen, target)
    screen, sending = touched(screen, NamedKey.OK)
    assert sending is None
    assert isinstance(screen.mode, SeatPanel)
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
        ("a" * 30, "A" + "a" * (MOST_LETTERS - 1)),
        ((*"a" * 19, "先生"), "A" + "a" * 18),
        ("7up", "7up"),
    ],
)
def test_names(keys: Any, name: str) -> None:
    assert name_of(*keys) == name


def test_a_name_that_was_typed_is_sent_with_the_buy_in() -> None:
    screen, _ = touched(show(Screen(), IDLE), Seat(5), NamedKey.NAME, *map(Letter, "ann"), NamedKey.OK)
    _, sending = touched(screen, Digit("2"), Digit("00"), NamedKey.SIT)
    assert sending == Sending("5 sit 200 as Ann", IDLE.sequence)


def test_cancel_keeps_the_seat_and_the_name_that_it_had() -> None:
    screen, _ = touched(show(Screen(), IDLE), Seat(5), NamedKey.NAME, Letter("a"), NamedKey.OK)
    screen, _ = touched(screen, NamedKey.NAME, Letter("b"), NamedKey.CANCEL)
    assert screen.mode == SeatPanel(5, name="A")


@pytest.mark.parametrize("language", get_args(Language))
def test_every_letter_of_a_language_is_on_its_keyboard(language: Language) -> None:
    look = Look(language=language)
    screen, _ = touched(show(Screen(), IDLE), Seat(5), NamedKey.NAME)
    seen = set()
    for _ in range(len(Words(language=language).keyboard)):
        seen |= {one.target.adds for one in lay_out(screen, look).touchables if isinstance(one.target, Letter)}
        screen, _ = press(screen, KeyboardKey.OTHER_LETTERS)
    assert {*"abcdefghijklmnopqrstuvwxyz0123456789-.'"} <= seen
    assert {"de": {*"äöüß"}, "zh": {"陈", "先生"}}.get(language, set()) <= seen


@given(st.lists(st.sampled_from([*map(Letter, "abcxyz'-."), Letter("先生"), *KeyboardKey]), max_size=40))
def test_a_typed_name_is_one_word_that_the_table_takes(keys: list[Letter | KeyboardKey]) -> None:
    screen = Screen(view=IDLE, live=True, mode=Naming("name-of-dealer", step="dealer {}".format))
    for key in keys:
        screen, _ = press(screen, key)
    assert isinstance(screen.mode, Naming)
    name = screen.mode.typing.name
    assert len(name) <= MOST_LETTERS
    assert " " not in name
    _, sending = press(screen, NamedKey.OK)
    assert (sending is not None) == bool(name)


# --- laid out ---

LOOKS = [Look(layout=one, language=language) for one in layout.LAYOUTS for language in get_args(Language)]
LARGEST = 999_999_999
"""$9,999,999.99."""
NAMES = frozenset({"ann", "Bartholomew-Kingsley", "Ms. Lam", "Rita", "Omar", "lee", "陈先生"})


def misplaced(scene: Scene) -> list[str]:
    """What is wrong with where keys and words of a page stand."""
    page, look = scene.page, scene.look
    if page is None:
        return ["there is no page"]
    boxes = [(repr(key.target), key.box) for key in page.keys]
    found = [f"{name} is too small" for name, box in boxes if min(box.w, box.h) < look.layout.target]
    found += [f"{name} is off the page" for name, box in boxes if not look.layout.page.holds(box)]
    found += [f"{name} lies on {other}" for (name, box), (other, its) in combinations(boxes, 2) if box.overlaps(its)]
    for text in page.texts:
        found += [f"{text.words} on {name}" for name, box in boxes if text.box.overlaps(box)]
        if not look.layout.page.holds(text.box) or text.size < look.layout.text:
            found.append(f"{text.words} is off the page, or too small")
    return found


def is_name(words: str) -> bool:
    """A name that was cut: that is as it should be."""
    return any(name.startswith(words.removesuffix("…")) for name in NAMES)


def cut(scene: Scene) -> list[str]:
    """Words of a page that had to be cut, names left aside, or numbers that are too small."""
    texts = [mark for marks in draw(scene).values() for mark in marks if isinstance(mark, Text)]
    return [
        text.words
        for text in texts
        if (text.cut and not is_name(text.words)) or (text.number and text.size < scene.look.layout.text)
    ]


@pytest.mark.parametrize("look", LOOKS, ids=lambda look: f"{look.layout.name}-{look.language}")
@pytest.mark.parametrize("sample", PAGES, ids=lambda sample: sample.name)
def test_keys_and_words_of_pages_are_in_their_place_and_whole(sample: Sample, look: Look) -> None:
    scene = lay_out(sample.screen, look)
    assert misplaced(scene) == []
    assert cut(scene) == []


MONEY_OF_PAGES = frozenset(
    {
        *("pot", "amount", "least", "most", "brought", "left", "won", "rake", "jackpot", "kitty"),
        *("bought", "cashed", "stack", "owes", "stacks", "accounts", "toke", "adjustment", "buy_in"),
    }
)


def with_large_amounts(value: Any, *, money: bool = False) -> Any:
    """The same page with all its amounts at the largest that the screen has room for."""
    if isinstance(value, dict):
        return {key: with_large_amounts(one, money=money or key in MONEY_OF_PAGES) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [with_large_amounts(one, money=money) for one in value]
    return LARGEST if money and type(value) is int else value


@pytest.mark.parametrize("size", layout.LAYOUTS, ids=lambda size: size.name)
@pytest.mark.parametrize("look", [HANDS, LookAt("hand", 117), LookAt("alerts"), LookAt("report"), LookAt("games")])
def test_the_largest_amounts_are_whole(look: LookAt, size: layout.Layout) -> None:
    answer = ANSWERS[look]
    large = msgspec.convert(with_large_amounts(msgspec.to_builtins(answer)), type(answer))
    view = msgspec.structs.replace(IDLE, money=Money(prefix="$", decimals=2))
    screen = answered(press(show(Screen(), view), look)[0], large)
    scene = lay_out(screen, Look(layout=size))
    assert misplaced(scene) == []
    assert cut(scene) == []
    assert "$9,999,999.99" in " ".join((*words_on(screen), *(key.detail for key in scene.keys)))


def test_a_page_whose_keys_are_too_small_is_noticed() -> None:
    small = replace(layout.TEN, target=200)
    scene = lay_out(opened(HANDS), Look(layout=layout.TEN))
    assert misplaced(scene) == []
    assert misplaced(Scene(live=True, look=Look(layout=small), page=scene.page)) != []


def words_on(screen: Screen, look: Look = LOOK) -> list[str]:
    page = lay_out(screen, look).page
    assert page is not None
    return [text.words for text in page.texts]


@pytest.mark.parametrize("count", [0, 1, 9, 14, 40])
def test_every_line_of_a_long_hand_can_be_reached(count: int) -> None:
    action = page_samples.HAND_PAGE.actions[1]
    answer = HandPage(
        line=HandLine(number=117), actions=tuple([msgspec.structs.replace(action, pot=1000 + n) for n in range(count)])
    )
    screen, _ = press(show(Screen(), IDLE), LookAt("hand", 117))
    screen = answered(screen, answer)
    seen = set(words_on(screen))
    for _ in range(20):
        if PageKey.DOWN not in {one.target for one in lay_out(screen).touchables}:
            break
        screen, _ = touched(screen, PageKey.DOWN)
        seen |= set(words_on(screen))
    assert {Words(IDLE.money).amount(1000 + n) for n in range(count)} <= seen
    for _ in range(20):
        if PageKey.UP in {one.target for one in lay_out(screen).touchables}:
            screen, _ = touched(screen, PageKey.UP)
    assert words_on(screen) == words_on(answered(press(screen, LookAt("hand", 117))[0], answer))


def test_a_hand_that_began_before_what_is_known_has_no_text() -> None:
    part = msgspec.structs.replace(
        page_samples.HAND_PAGE, line=msgspec.structs.replace(page_samples.HAND_PAGE.line, whole=False)
    )
    screen = answered(press(show(Screen(), IDLE), LookAt("hand", 117))[0], part)
    assert LookAt("phh", 117) not in {one.target for one in lay_out(screen).touchables}


@pytest.mark.parametrize(("number", "before", "after"), [(1, False, True), (117, True, True), (120, True, False)])
def test_the_hands_before_and_after_are_one_touch_away(number: int, before: bool, after: bool) -> None:
    line = msgspec.structs.replace(page_samples.HAND_PAGE.line, number=number)
    screen, _ = press(show(Screen(), IDLE), LookAt("hand", number))
    screen = answered(screen, msgspec.structs.replace(page_samples.HAND_PAGE, line=line))
    there = {one.target for one in lay_out(screen).touchables}
    assert (LookAt("hand", number - 1) in there, LookAt("hand", number + 1) in there) == (before, after)


def test_all_of_the_text_of_a_hand_is_there() -> None:
    text = "".join(words_on(opened(LookAt("phh", 117)))[1:])
    for word in page_samples.PHH_PAGE.text.split():
        assert word in text.replace(" ", "") or word in text


def test_twenty_hands_stand_on_one_page() -> None:
    cards = [key.target for key in lay_out(opened(HANDS)).keys if isinstance(key.target, LookAt) and key.target.hand]
    assert cards == [LookAt("hand", number) for number in range(118, 98, -1)]


def test_a_page_says_that_it_was_asked_for() -> None:
    screen, _ = press(show(Screen(), IDLE), HANDS)
    assert Words().say("page-comes") in words_on(screen)
    empty = answered(screen, HandsPage())
    assert Words().say("title-hands") in words_on(empty)
    assert PhhPage(hand=1, text="").text == ""
    assert Typing().name == ""
