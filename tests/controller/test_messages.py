"""Every code has a text in each language.

Texts fit the screen, and use the plurals and number formats of their language.
"""

from __future__ import annotations

import re
import sys
import unicodedata
from collections.abc import Iterator
from functools import cache
from typing import Any, get_args

import msgspec
import pytest

from controller import steps, table
from controller.live import LiveRefusal
from controller.messages import Messages, Rule, ScreenKey, languages
from controller.messages.catalogue import base_of, catalogue, fields
from controller.messages.key_codes import STREETS
from controller.messages.keys import KEYS, PLURALS
from controller.practice import PracticeRefusal
from controller.presenter.alert_codes import ALERT_TYPES, WARNING_TYPES
from controller.presenter.available_actions.bet_limits import RULE_OF_LIMIT
from controller.rules import VARIANTS, RuleRefusal, Structure
from controller.service.guided_setup import SetUpRefusal
from controller.service.queries import QueryRefusal
from controller.service.roles import PermissionRefusal
from controller.service.view_history import StaleRefusal
from controller.view import (
    ActionVerb,
    ActionView,
    Addend,
    Alert,
    BetLimit,
    BetSource,
    Choice,
    Device,
    GameView,
    KeyLabel,
    MessageValues,
    Money,
    NoRaiseReason,
    NotInHandReason,
    PotAddend,
    RefusalView,
    Rulebook,
    SeatStatus,
    StepSummary,
    Urgency,
)
from hardware.chip_set import LAMMER_NAMES
from tests.changed_catalogue import texts_of
from tests.money_format import DOLLARS, has_unformatted_number

BOOKS: tuple[Rulebook, ...] = ("roberts", "tda")
LANGUAGES = languages()
texts_of_language = cache(texts_of)
ENGLISH = texts_of("en")
EUROS = Money(prefix="€", decimals=2)
MAX_TITLE_COLUMNS = 40
"""Maximum width of an alert's title in columns, so that it fits one line. A full-width letter has two columns."""
MAX_TEXT_COLUMNS = 160
"""Maximum width of an alert's text and advice together in columns, so that they fit two lines."""


def codes(group: str) -> set[str]:
    """Return the codes of the messages with keys of this group.

    For example, the key `choice.deal+street` belongs to the group `choice` and has the code `deal`.
    """
    return {base_of(key).split(".")[1] for key in KEYS if key.startswith(f"{group}.")}


# table-scripts.md, "Warnings"
CONTRACT = frozenset(
    {
        "out-of-turn",
        "string-bet",
        "oversized-chip",
        "under-bet",
        "under-call",
        "under-raise",
        "over-limit",
        "off-unit",
        "capped",
        "not-reopened",
        "no-check-raise",
        "fold-for-free",
        "not-possible",
        "chips-withdrawn",
        "words-differ",
        "skipped",
        "stack-corrected",
        "buy-in",
        "going-south",
        "unknown-chip",
        "tray-offline",
        "later-refused",
    }
)

# These values give the longest texts that can occur at a table.
LONG = MessageValues(
    seat=10,
    turn=10,
    button=10,
    seats=(1, 2, 3, 4, 5, 6, 7, 8, 9),
    amount=125_000_000,
    least=125_000_000,
    most=925_000_000,
    count=200,
    hand=100_000,
    presumed_action="checked",
    held_action=ActionView(verb="raise", amount=125_000_000),
    pot="side9",
    pots=tuple((name, 125_000_000) for name in ("main", "side1", "side2")),
    street=2,
    variant="stud",
    device="Reader A (seats 1 to 4)",
    spot="tray",
    lammer="missed-blind",
    name="dealer's choice",
    tag="E004015000250001",
    reason="no space left on the disk",
)
# These values are one word each, as a dealer reads an amount or a list of seats at a glance.
ONE_WORD = MessageValues(
    seat=10,
    turn=9,
    button=8,
    seats=(7,),
    amount=1500,
    least=4000,
    most=9000,
    count=1,
    hand=118,
    presumed_action="checked",
    held_action=ActionView(verb="call"),
    pot="main",
    pots=(("main", 1500),),
    street=2,
    variant="holdem",
    device="Reader",
    spot="tray",
    lammer="rock",
    name="2",
    tag="E004015000250001",
    reason="unplugged",
)
MAX_TITLE_WORDS, MAX_ACTION_WORDS = 6, 8
# Every caller provides at least these values when it shows a text.
NEEDED = MessageValues(seat=3, turn=7, amount=15, spot="pot", device="Reader A")


def alert(code: str, values: MessageValues) -> Alert:
    alert_type = ALERT_TYPES[code]
    return Alert(
        code=code, level=alert_type.level, values=values, clearable_by=alert_type.clearable_by, rule=alert_type.rule
    )


# --- every code has a text ---


def test_warnings_match_the_contract() -> None:
    assert frozenset(WARNING_TYPES) == CONTRACT


def test_every_alert_has_a_text_and_every_text_an_alert() -> None:
    assert codes("alert") == set(ALERT_TYPES)


def _refusals() -> frozenset[str]:
    service = {"not-a-step", "fault", "not-connected"}
    kinds = (
        *(RuleRefusal, table.TableRefusal, LiveRefusal, StaleRefusal, PermissionRefusal, QueryRefusal, SetUpRefusal),
        PracticeRefusal,
    )
    return frozenset(code.value for kind in kinds for code in kind) | service


def test_every_refusal_has_a_text_and_every_text_a_refusal() -> None:
    assert codes("refusal") == _refusals()


def _steps() -> frozenset[type[steps.Step]]:
    """Return every step class except observations and base classes."""
    classes = _subclasses(steps.Step)
    bases = {base for kind in classes for base in kind.__mro__[1:]}
    # `dataclass(slots=True)` creates a second class of the same name. Only the class in the module is used.
    used = {kind for kind in classes - bases if getattr(sys.modules[kind.__module__], kind.__name__, None) is kind}
    return frozenset(kind for kind in used if not issubclass(kind, steps.Observation))


def _subclasses(kind: type[steps.Step]) -> set[type[steps.Step]]:
    return {kind, *(subclass for direct in kind.__subclasses__() for subclass in _subclasses(direct))}


def test_every_step_at_the_table_has_a_text() -> None:
    assert {kind for kind in steps.STEP_CLASSES if not issubclass(kind, steps.Observation)} == _steps()
    effects = {"seats-fold", "seats-check", "gets", "unqueues"}  # texts for what another step has caused
    assert codes("step") == {kind.verb.summary for kind in _steps()} | effects
    assert {kind.verb.summary for kind in steps.STEP_CLASSES if issubclass(kind, steps.Observation)} == {""}


CODES: dict[str, set[str]] = {
    "choice": set(get_args(KeyLabel)),
    "action": set(get_args(ActionVerb)),
    "does": set(get_args(ActionVerb)),
    "urgency": set(get_args(Urgency)),
    "status": set(get_args(SeatStatus)),
    **{group: set(get_args(BetLimit)) for group in ("maximum-bet", "maximum-raise", "over-bet", "over-raise")},
    "addend": set(get_args(Addend)),
    "pot-addend": set(get_args(PotAddend)),
    "no-raise": set(get_args(NoRaiseReason)) - {""},
    "not-dealt": set(get_args(NotInHandReason)) - {""},
    "passed": {"checked", "folded"},
    "structure": set(get_args(Structure)),
    "street": {street for streets in STREETS.values() for street in streets},
    **{group: {"main", "side"} for group in ("pot", "pot-named", "pot-short")},
    "spot": {"seat", "pot", "pad", "tray"},
    "lammer": set(LAMMER_NAMES),
    "account": {"rake", "jackpot", "kitty", "time", "toke", "adjustment", "promotion"},
    "book": {"roberts", "tda", "house"},
}
"""The codes that each group of message keys must contain."""


@pytest.mark.parametrize("group", CODES)
def test_every_code_of_the_view_has_a_text_and_every_text_a_code(group: str) -> None:
    assert codes(group) == CODES[group]


def test_every_game_variant_has_a_text_and_street_names() -> None:
    assert codes("variant") == set(STREETS) == set(VARIANTS)


def test_every_bet_source_but_the_records_has_a_text() -> None:
    assert set(get_args(BetSource)) - {"book"} <= codes("pattern")


def test_every_rule_is_used_and_every_rule_named_exists() -> None:
    limit_rules = {rule for rule in RULE_OF_LIMIT.values() if rule}
    assert {code.rule for code in ALERT_TYPES.values() if code.rule} | limit_rules == codes("rule")


ALERT_VALUES = {
    *("seat", "seats", "turn", "button", "amount", "least", "most", "count", "hand", "did", "held", "pot", "street"),
    *("pots", "device", "spot", "lammer", "name", "tag", "reason", "todo", "answers", "why"),
}
GROUP_VALUES = {
    **dict.fromkeys(("alert", "choice", "refusal"), ALERT_VALUES),
    **{group: {"amount"} for group in ("action", "does", "addend", "pot-addend", "over-bet", "over-raise")},
    "step": {"seat", "seats", "does", "amount", "count", "pot", "name", "hand", "street"},
    "not-dealt": {"amount", "count"},
    **{group: {"number"} for group in ("pot", "pot-named", "pot-short", "spot")},
    "pattern": {
        *("action", "amount", "big", "device", "first", "parts", "pot", "reason", "seat", "second", "small", "stakes"),
        *("step", "structure", "variant"),
    },
}
"""Values that the texts in each group of messages may contain, such as {seat}.

Texts of the group `screen` may contain any value. Texts of the remaining unlisted groups may contain no value.
"""


def test_texts_name_only_values_that_are_given() -> None:
    assert not [
        (key, text)
        for key, texts in ENGLISH.items()
        for text in texts
        if not key.startswith("screen.") and not fields(text) <= GROUP_VALUES.get(key.split(".")[0], set())
    ]


# --- alerts fit the screen and read well ---


def columns(text: str) -> int:
    """Return the width of the text in columns. A full-width letter has two columns."""
    return sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in text)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("book", BOOKS)
@pytest.mark.parametrize("code", ALERT_TYPES)
def test_texts_fit_the_screen(code: str, book: Rulebook, language: Any) -> None:
    messages, shown = Messages(DOLLARS, book, language), alert(code, LONG)
    title, text = messages.alert_title(shown), messages.alert_text(shown)
    assert 0 < columns(title) <= MAX_TITLE_COLUMNS, f"{columns(title)} {title}"
    assert 0 < columns(text) <= MAX_TEXT_COLUMNS, f"{columns(text)} {text}"
    assert "\n" not in title + text


def words_to_read(messages: Messages, shown: Alert) -> tuple[int, int]:
    """Return the number of words in the title of an alert and in the line that says what to do."""
    return len(messages.alert_title(shown).split()), len(messages.alert_action(shown).split())


@pytest.mark.parametrize(
    "values",
    [ONE_WORD, NEEDED, msgspec.structs.replace(ONE_WORD, seats=(4, 5, 6, 7, 8, 9))],
    ids=["all values", "needed values", "many seats"],
)
@pytest.mark.parametrize("book", BOOKS)
@pytest.mark.parametrize("code", ALERT_TYPES)
def test_alert_is_read_in_two_seconds(code: str, book: Rulebook, values: MessageValues) -> None:
    messages = Messages(DOLLARS, book)
    title, action = words_to_read(messages, alert(code, values))
    assert 0 < title <= MAX_TITLE_WORDS, messages.alert_title(alert(code, values))
    assert 0 < action <= MAX_ACTION_WORDS, messages.alert_action(alert(code, values))


def test_planted_long_action_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Messages, "_sentences", lambda *_: ["Take it off the spot and inspect it, please."])
    assert words_to_read(Messages(), alert("unknown-chip", NEEDED)) == (5, 9)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("book", BOOKS)
@pytest.mark.parametrize("code", ALERT_TYPES)
def test_action_is_the_first_advice_of_the_text(code: str, book: Rulebook, language: Any) -> None:
    messages, shown = Messages(DOLLARS, book, language), alert(code, LONG)
    assert messages.alert_action(shown) in messages.alert_text(shown)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("book", BOOKS)
@pytest.mark.parametrize("code", ALERT_TYPES)
def test_texts_read_well_with_only_the_required_values(code: str, book: Rulebook, language: Any) -> None:
    messages, shown = Messages(rulebook=book, language=language), alert(code, NEEDED)
    for text in (messages.alert_title(shown), messages.alert_text(shown)):
        assert not re.search(r"[{}\[\]]|  |\bNone\b| [.,:?]|[：，][。，：]", text), text
        assert text == text.strip()
        assert not text[0].islower(), text
    assert messages.alert_text(shown)[-1] in ".?。？"


ROLE_WORDS = {
    "en": {"floor": "floor", "technician": "technician"},
    "de": {"floor": "Floor", "technician": "Techniker"},
    "zh": {"floor": "楼面", "technician": "技术员"},
}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("book", BOOKS)
@pytest.mark.parametrize("code", ALERT_TYPES)
def test_alert_text_names_who_may_clear_it(code: str, book: Rulebook, language: Any) -> None:
    shown = alert(code, NEEDED)
    assert shown.clearable_by == "dealer" or ROLE_WORDS[language][shown.clearable_by] in Messages(
        rulebook=book, language=language
    ).alert_text(shown)


@pytest.mark.parametrize("code", ALERT_TYPES)
def test_alert_text_without_values_raises_no_error(code: str) -> None:
    assert Messages().alert_text(alert(code, MessageValues()))
    assert Messages().alert_title(alert("owes", MessageValues(seat=2))) == "Seat 2 owes ?"


def test_technician_texts_include_the_device_reason() -> None:
    down = alert("reader-offline", MessageValues(device="Reader A", reason="unplugged"))
    assert Messages().alert_text(down) == (
        "Bets there are not seen. Key in the bets. After the hand, have the technician check cable and power."
    )
    assert "port vanished" in Messages(audience="technician").alert_text(down)
    reader = Device(name="Reader A", up=False, reason="strange")
    assert Messages().device_down(reader) == "Reader A DOWN"
    assert Messages(audience="technician").device_down(reader) == "Reader A DOWN: strange"


# --- rules ---


@pytest.mark.parametrize("code", sorted(WARNING_TYPES))
def test_every_warning_but_tray_offline_cites_a_rule(code: str) -> None:
    for book in BOOKS:
        assert (Messages(rulebook=book).alert_rule(alert(code, NEEDED)) is None) == (code == "tray-offline")


@pytest.mark.parametrize("ruling", sorted(codes("rule")))
@pytest.mark.parametrize(("book", "name"), [("roberts", "Robert's Rules"), ("tda", "TDA")])
def test_each_rule_is_one_short_line(ruling: str, book: Rulebook, name: str) -> None:
    rule = Messages(rulebook=book).rule(ruling)
    assert rule is not None
    assert rule.book in (name, "House rules")
    assert len(f"{rule.book} {rule.number}") <= MAX_TITLE_COLUMNS
    assert 0 < len(rule.text) <= MAX_TEXT_COLUMNS
    assert "\n" not in rule.text
    assert rule.text.endswith(".")


# Expected rule numbers, as table-scripts.md and rulings.md cite them.
@pytest.mark.parametrize(
    ("code", "book", "number"),
    [
        ("out-of-turn", "roberts", "betting and raising, 10"),
        ("out-of-turn", "tda", "53-A"),
        ("skipped", "roberts", "betting and raising, 11"),
        ("skipped", "tda", "36 and 53-B"),
        ("chips-withdrawn", "roberts", "betting and raising, 12"),
        ("under-call", "roberts", "betting and raising, 13"),
        ("under-call", "tda", "51-B"),
        ("string-bet", "roberts", "betting and raising, 14"),
        ("oversized-chip", "roberts", "betting and raising, 15"),
        ("oversized-chip", "tda", "44"),
        ("under-bet", "roberts", "betting and raising, 16"),
        ("under-raise", "roberts", "betting and raising, 16"),
        ("words-differ", "roberts", "section 14, rule 8"),
        ("capped", "roberts", "betting and raising, 3"),
        ("capped", "tda", "48"),
        ("not-reopened", "roberts", "betting and raising, 6"),
        ("not-possible", "tda", "55"),
    ],
)
def test_alert_cites_the_rule_number_of_its_rulebook(code: str, book: Rulebook, number: str) -> None:
    rule = Messages(rulebook=book).alert_rule(alert(code, NEEDED))
    assert isinstance(rule, Rule)
    assert rule.number == number


# --- sentences ---


@pytest.mark.parametrize(
    ("amount", "money", "text"),
    [
        (1250, Money(), "1,250"),
        (1250, DOLLARS, "$12.50"),
        (1200, DOLLARS, "$12"),
        (125_000_000, DOLLARS, "$1,250,000"),
        (-5, Money(prefix="$"), "-$5"),
        (5, DOLLARS, "$0.05"),
        (0, DOLLARS, "$0"),
        (None, DOLLARS, "–"),
    ],
)
def test_amount_is_formatted_by_the_house_money(amount: int | None, money: Money, text: str) -> None:
    assert Messages(money).amount(amount) == text


@pytest.mark.parametrize(
    ("did", "plain", "third"),
    [
        (ActionView(verb="fold"), "fold", "folds"),
        (ActionView(verb="check"), "check", "checks"),
        (ActionView(verb="call", amount=6000), "call", "calls $60"),
        (ActionView(verb="call", amount=6000, all_in=True), "call, all-in", "calls $60, all-in"),
        (ActionView(verb="bet", amount=2050), "bet $20.50", "bets $20.50"),
        (ActionView(verb="raise", amount=6000), "raise to $60", "raises to $60"),
        (ActionView(verb="raise"), "raise", "raises"),
        (ActionView(verb="complete", amount=2000), "complete to $20", "completes to $20"),
        (ActionView(verb="all-in", all_in=True), "all-in", "is all-in"),
        (ActionView(verb="blind", amount=1000), "blind $10", "posts $10"),
        (ActionView(verb="time"), "time", "calls time"),
    ],
)
def test_seat_action_is_worded_with_and_without_the_seat(did: ActionView, plain: str, third: str) -> None:
    messages = Messages(DOLLARS)
    assert messages.action(did) == plain
    assert messages.step_summary(StepSummary(step="moves", seat=3, action=did)) == f"Seat 3 {third}"
    assert messages.step_summary(StepSummary(step="says", seat=3, action=did, is_held=True)) == f"Seat 3 waits: {plain}"


@pytest.mark.parametrize(
    ("summary", "text"),
    [
        (
            StepSummary(step="moves", seat=3, action=ActionView(verb="raise", amount=60), bet_source="sensed"),
            "Seat 3 raises to 60 (sensed)",
        ),
        (StepSummary(step="awards", pot="main", seats=(3,)), "The main pot to seat 3"),
        (StepSummary(step="awards", pot="side1", seats=(3, 5, 9)), "Side pot 1 to seats 3, 5, and 9"),
        (StepSummary(step="awards", pot="main", seats=(2,), amount=730), "The main pot: 730 to seat 2"),
        (
            StepSummary(
                step="awards",
                pot="side1",
                seats=(2, 5),
                amount=95,
                effects=(StepSummary(step="gets", seat=2, amount=50), StepSummary(step="gets", seat=5, amount=45)),
            ),
            "Side pot 1: 95 to seats 2 and 5 · Seat 2 gets 50 · Seat 5 gets 45",
        ),
        (StepSummary(step="deals"), "Next street dealt"),
        (StepSummary(step="deals", street=2, variant="holdem"), "Flop dealt"),
        (StepSummary(step="starts-hand"), "New hand dealt"),
        (StepSummary(step="starts-hand", hand_number=12), "Hand 12 dealt"),
        (StepSummary(step="runs-boards", count=2), "Board run twice"),
        (StepSummary(step="time-passes", count=1), "1 minute passes"),
        (StepSummary(step="floor-sets-bet", seat=3, amount=1240), "Floor: bet of seat 3 is 1,240"),
        (StepSummary(step="counted", seat=3), "Stack of seat 3 set to ?"),
        (StepSummary(step="changes-seat", seat=3, seats=(7,)), "Seat 3 moves to seat 7"),
        (StepSummary(step="plays-game", name="stud night"), "Next game: stud night"),
        (
            StepSummary(step="plays-game", name="plo8", structure="pot-limit", variant="omaha8"),
            "Next game: Pot-Limit Omaha Hi-Lo",
        ),
        (StepSummary(step="did", seat=4, action=ActionView(verb="call", amount=30)), "Correction: seat 4 calls 30"),
        (StepSummary(step="returns", seat=9, amount=95), "95 pushed back to seat 9"),
        (StepSummary(step="puts-in", seat=9, amount=5), "Seat 9 put in 5"),
    ],
)
def test_step_summary_is_worded(summary: StepSummary, text: str) -> None:
    assert Messages().step_summary(summary) == text


def test_alert_text_names_seats_and_amounts() -> None:
    messages = Messages(DOLLARS)
    shown = alert("behind-the-turn", MessageValues(seat=7, turn=5, seats=(5, 6), presumed_action="folded"))
    assert messages.alert_title(shown) == "Seat 7 chips, action on 5"
    assert messages.alert_action(shown) == "Seats 5 and 6 folded? Choose what happened."
    assert messages.alert_text(shown) == (
        "Seats 5 and 6 folded? Choose what happened. If seats 5 and 6 have not, seat 7 is out of turn."
    )
    assert shown.key == ("behind-the-turn", 7, "")
    assert messages.alert_title(alert("due-back", MessageValues(seat=2, amount=1500))) == "Push back $15 to seat 2"
    assert messages.alert_title(alert("owes", MessageValues(seat=2, amount=350))) == "Seat 2 owes $3.50"
    assert messages.alert_title(alert("failed", MessageValues(seat=4, spot="bet4"))) == "Something went wrong at seat 4"
    assert messages.alert_title(alert("failed", MessageValues())) == "Something went wrong"


@pytest.mark.parametrize(
    ("choice", "text"),
    [
        (Choice(label="they-folded", do="here 7", values=MessageValues(seats=(5, 6))), "5, 6 FOLDED"),
        (Choice(label="push-back", do="return 3", values=MessageValues(amount=24000)), "PUSH BACK $240"),
        (
            Choice(label="push-back-to", do="return 3", values=MessageValues(amount=24000, seat=3)),
            "PUSH BACK $240 TO 3",
        ),
        (
            Choice(label="award", do="award side1 3", values=MessageValues(amount=50, seat=3, pot="side1")),
            "PUSH SIDE 1 $0.50 TO 3",
        ),
        (Choice(label="deal", do="deal", values=MessageValues(street=4, variant="omaha")), "DEAL RIVER"),
        (Choice(label="deal", do="deal", values=MessageValues(street=2, variant="razz")), "DEAL FOURTH STREET"),
        (Choice(label="next-hand", do="hand"), "NEXT HAND"),
    ],
)
def test_choice_label_is_worded(choice: Choice, text: str) -> None:
    assert Messages(DOLLARS).choice(choice) == text


@pytest.mark.parametrize(
    ("refused", "text"),
    [
        (RefusalView(code="not-in-turn", values=MessageValues(seat=5)), "action is on seat 5"),
        (
            RefusalView(code="not-between", values=MessageValues(amount=100, least=2000, most=30550)),
            "$1 is not between $20 and $305.50",
        ),
        (
            RefusalView(code="not-in-pot", values=MessageValues(seat=2, pot="side1", seats=(3, 4))),
            "seat 2 is not in side pot 1: 3 and 4",
        ),
        (
            RefusalView(code="not-offered", values=MessageValues(seat=2, answers=("swept", "taken-back"))),
            "choose for seat 2: SWEPT, TAKEN BACK",
        ),
        (
            RefusalView(code="not-a-step", values=MessageValues(reason="'x': expected a step")),
            "the table does not understand that",
        ),
    ],
)
def test_refusal_is_worded(refused: RefusalView, text: str) -> None:
    assert Messages(DOLLARS).refusal(refused) == text


@pytest.mark.parametrize(
    ("game", "text"),
    [
        (GameView(variant="omaha", structure="pot-limit", blinds=(500, 1000)), "Pot-Limit Omaha $5/$10"),
        (
            GameView(structure="fixed-limit", blinds=(1000, 2000), bets=(2000, 2000, 4000, 4000)),
            "Limit Hold'em $20/$40",
        ),
        (GameView(variant="badugi", structure="fixed-limit", bets=(2000,)), "Limit Badugi $20"),
        (GameView(variant="draw", structure="half-pot", ante=100), "Half-Pot 5-Card Draw ante $1"),
        (GameView(blinds=(100, 200), ante=200), "No-Limit Hold'em $1/$2"),
        (GameView(), "No-Limit Hold'em"),
    ],
)
def test_game_title_is_worded(game: GameView, text: str) -> None:
    assert Messages(DOLLARS).game(game) == text


def test_street_is_named_by_variant() -> None:
    messages = Messages()
    assert [messages.street("holdem", number) for number in range(5)] == ["", "Preflop", "Flop", "Turn", "River"]
    assert messages.street("draw", 2) == "After the draw"


def test_bet_limits_are_labelled_in_dealers_words() -> None:
    messages = Messages()
    assert messages.text("min-raise") == "MIN RAISE TO"
    assert messages.maximum_label("pot", opening=False) == "POT RAISE TO"
    assert messages.maximum_label("spread", opening=True) == "MAX BET (SPREAD)"
    labels = (text for key, texts in ENGLISH.items() if key.split(".")[0] in LABEL_GROUPS for text in texts)
    assert not [text for text in labels if re.search(r"\b(LEAST|MOST)\b", text)]


LABEL_GROUPS = ("choice", "screen", "maximum-bet", "maximum-raise")


@pytest.mark.parametrize("language", LANGUAGES)
def test_screen_text_shows_its_values(language: str) -> None:
    messages = Messages(EUROS, language=language)
    for key in get_args(ScreenKey):
        named = named_in(language, f"screen.{key}")
        given: dict[str, Any] = dict.fromkeys(named - {"amount", "count"}, "x")
        given |= {name: number for name, number in (("amount", 125_000), ("count", 3)) if name in named}
        text = messages.text(key, **given)
        assert bool(re.search("€1[.,]250|1[.,]250\xa0?€", text)) == ("amount" in named), text
        assert not re.search(r"[{}\[\]]", text), text


def named_in(language: str, key: str) -> frozenset[str]:
    """Return the name of every value, such as {count}, that at least one plural form of the message contains."""
    return frozenset().union(*map(fields, texts_of_language(language)[key]))


def test_key_label_without_an_amount_is_its_verb() -> None:
    assert Messages(DOLLARS).text("call") == "CALL"
    assert Messages(DOLLARS).text("call-amount", amount=600) == "CALL $6"


# --- amounts always have the format of the house ---


def _alert_texts(messages: Messages, values: MessageValues) -> Iterator[str]:
    for code in ALERT_TYPES:
        yield messages.alert_title(alert(code, values))
        yield messages.alert_text(alert(code, values))


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_amount_is_a_raw_integer(language: str) -> None:
    messages = Messages(DOLLARS, language=language)
    values = msgspec.structs.replace(LONG, hand=12, count=20)
    action = ActionView(verb="raise", amount=125_000, all_in=True)
    texts = [*_alert_texts(messages, values)]
    texts += [messages.choice(Choice(label=label, do="", values=values)) for label in get_args(KeyLabel)]
    texts += [messages.refusal(RefusalView(code=code, values=values)) for code in codes("refusal")]
    texts += [messages.action(msgspec.structs.replace(action, verb=verb)) for verb in get_args(ActionVerb)]
    texts += [
        messages.step_summary(
            StepSummary(step=step, seat=10, seats=(1, 2), amount=125_000, pot="side1", name="x", action=action)
        )
        for step in codes("step")
    ]
    assert not [text for text in texts if has_unformatted_number(text, language)]


def test_planted_raw_integer_is_caught() -> None:
    assert has_unformatted_number("raise to 60000")
    assert has_unformatted_number("PUSH BACK 1,250")
    assert has_unformatted_number("PUSH BACK $125000")
    assert not has_unformatted_number("seat 10 owes $1,250.50 of $1,250")


def test_planted_raw_integer_in_german_is_caught() -> None:
    assert has_unformatted_number("1.250 zurück", "de")
    assert has_unformatted_number("$1,250 zurück", "de")
    assert not has_unformatted_number("Platz 10 schuldet 1.250,50\xa0$ von 1.250\xa0$", "de")


# --- plural forms ---

# Each text is written out, because the expected texts must not come from the plural rule under test.
FORMS: dict[str, dict[int, tuple[str, str, str]]] = {
    "step.time-passes+count": {
        0: ("0 minutes pass", "0 Minuten vergehen", "过了0分钟"),
        1: ("1 minute passes", "1 Minute vergeht", "过了1分钟"),
        2: ("2 minutes pass", "2 Minuten vergehen", "过了2分钟"),
        5: ("5 minutes pass", "5 Minuten vergehen", "过了5分钟"),
    },
    "screen.unknown-chips": {
        0: ("0 unknown chips", "0 fremde Chips", "0枚不明筹码"),
        1: ("1 unknown chip", "1 fremder Chip", "1枚不明筹码"),
        2: ("2 unknown chips", "2 fremde Chips", "2枚不明筹码"),
        5: ("5 unknown chips", "5 fremde Chips", "5枚不明筹码"),
    },
    "choice.runs-boards": {
        0: ("RUN IT 0 TIMES", "0 BOARDS", "发0次"),
        1: ("RUN IT ONCE", "1 BOARD", "发1次"),
        2: ("RUN IT TWICE", "2 BOARDS", "发两次"),
        5: ("RUN IT 5 TIMES", "5 BOARDS", "发5次"),
    },
}


def filled(language: str, key: str, count: int) -> str:
    """Return the text of a message that has plural forms, for this count.

    Every other value in the text is an "x".
    """
    named = named_in(language, key) - {"count"}
    return catalogue(language).template(key, count).format_map(dict.fromkeys(named, "x") | {"count": str(count)})


@pytest.mark.parametrize("count", [0, 1, 2, 5])
@pytest.mark.parametrize("key", FORMS)
def test_plural_form_matches_the_count(key: str, count: int) -> None:
    assert tuple(filled(language, key, count) for language in ("en", "de", "zh")) == FORMS[key][count]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("count", [0, 1, 2, 5])
def test_countable_message_uses_the_plural_form_of_its_count(count: int, language: str) -> None:
    texts = texts_of_language(language)
    for key in sorted(PLURALS):
        exact, forms = texts.get(f"{key}={count}"), texts[key]
        is_singular = language != "zh" and count == 1
        form = exact[0] if exact else forms[0] if is_singular or len(forms) == 1 else forms[1]
        values = dict.fromkeys(fields(form) - {"count"}, "x") | {"count": str(count)}
        assert filled(language, key, count) == form.format(**values)


PLURAL_NOUNS = r"minutes|hands|chips|boards|actions|presses|piles|bytes|rulings|devices|seats|re-straddles"
SINGULAR_NOUNS = r"minute|hand|chip|board|action|press|pile|byte|ruling|device|seat|re-straddle"
GERMAN_PLURALS = r"Minuten|Hände|Boards|Geräte|Bytes|Regelfälle|Aktionen|Tastendrücke|Stapeln|Restraddles|sind|vergehen"
GERMAN_SINGULARS = r"Minute|Hand|Board|Gerät|Byte|Regelfall|Aktion|Tastendruck|Restraddle|ist|vergeht"


@pytest.mark.parametrize(
    ("language", "plural", "singular"), [("en", PLURAL_NOUNS, SINGULAR_NOUNS), ("de", GERMAN_PLURALS, GERMAN_SINGULARS)]
)
def test_number_and_noun_agree_in_countable_messages(language: str, plural: str, singular: str) -> None:
    """Plural forms must prevent texts such as "1 chips" and "2 chip"."""
    for key in sorted(PLURALS):
        singular_text = filled(language, key, 1)
        assert not re.search(rf"\b1 (\w+ )?({plural})\b", singular_text, re.IGNORECASE), singular_text
        for count in (0, 2, 5):
            plural_text = filled(language, key, count)
            assert not re.search(rf"\b{count} (\w+ )?({singular})\b", plural_text, re.IGNORECASE), plural_text


def test_every_message_that_names_a_count_has_plural_forms() -> None:
    assert {key for key, forms in ENGLISH.items() if "count" in fields(forms[-1])} <= PLURALS


# --- numbers by language ---


@pytest.mark.parametrize(
    ("language", "money", "amount", "text"),
    [
        ("en", DOLLARS, 1_234_567, "$12,345.67"),
        ("de", DOLLARS, 1_234_567, "12.345,67\xa0$"),
        ("zh", DOLLARS, 1_234_567, "$12,345.67"),
        ("de", DOLLARS, 1_234_500, "12.345\xa0$"),
        ("de", EUROS, -50, "-0,50\xa0€"),
        ("en", EUROS, -50, "-€0.50"),
        ("de", Money(), 1250, "1.250"),
        ("en", Money(prefix="CHF "), 1250, "CHF 1,250"),
        ("de", Money(prefix="EUR"), 1250, "1.250\xa0EUR"),
        ("en", Money(decimals=3), 1250, "1.250"),
    ],
)
def test_money_follows_the_number_format_of_the_language(language: str, money: Money, amount: int, text: str) -> None:
    assert Messages(money, language=language).amount(amount) == text


@pytest.mark.parametrize(
    ("language", "money", "typed", "text"),
    [
        ("en", Money(prefix="$"), ("", None), "$_"),
        ("en", Money(prefix="$"), ("1250", None), "$1,250"),
        ("en", DOLLARS, ("1250", ""), "$1,250."),
        ("en", DOLLARS, ("0", "05"), "$0.05"),
        ("de", DOLLARS, ("1250", ""), "1.250,\xa0$"),
        ("de", DOLLARS, ("", None), "_\xa0$"),
        ("zh", Money(), ("1250", None), "1,250"),
    ],
)
def test_typed_digits_follow_the_number_format_of_the_language(
    language: str, money: Money, typed: tuple[str, str | None], text: str
) -> None:
    assert Messages(money, language=language).typed_amount(*typed) == text


def test_lists_follow_the_language() -> None:
    refused = RefusalView(code="not-in-pot", values=MessageValues(seat=2, pot="main", seats=(3, 4, 6)))
    texts = [Messages(language=language).refusal(refused) for language in ("en", "de", "zh")]
    assert [text.count(seats) for text, seats in zip(texts, ("3, 4, and 6", "3, 4 und 6", "3、4和6"), strict=True)] == [
        1,
        1,
        1,
    ]
    ring = msgspec.structs.replace(refused, values=MessageValues(seat=2, pot="main", seats=(7, 8, 9, 1, 2)))
    assert "7–9, 1, and 2" in Messages().refusal(ring)
