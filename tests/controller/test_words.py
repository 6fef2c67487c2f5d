"""Every code has its words, in every language; they fit the screen, and amounts are written the house's way."""

import re
import unicodedata
from collections.abc import Iterator, Mapping
from typing import Any, get_args

import msgspec
import pytest

from controller import table
from controller.live import LiveReason
from controller.presenter.codes import CODES, WARNINGS
from controller.presenter.options.betting import RULES
from controller.presenter.telling import NAMES
from controller.rules import Why
from controller.service.looked_at import Stale
from controller.service.looks import LookReason
from controller.service.roles import Denied
from controller.view import (
    Addend,
    Alert,
    BetSource,
    Choice,
    Device,
    Did,
    DidVerb,
    GameView,
    Label,
    Limit,
    Money,
    PotAddend,
    Refused,
    Rulebook,
    SeatStatus,
    Told,
    Urgency,
    Values,
    WhyNoRaise,
    WhyOut,
)
from controller.words import Rule, ScreenKey, Words
from controller.words.catalogue import MOST_TITLE, MOST_WORDS, Catalogue, Does
from controller.words.english import CATALOGUE
from controller.words.templates import placeholders
from controller.words.words import LANGUAGES
from tests.house_money import DOLLARS, raw

BOOKS: tuple[Rulebook, ...] = ("roberts", "tda")

# table-scripts.md, "Warnings".
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
    }
)

# The longest values that a table can come to.
LONG = Values(
    seat=10,
    turn=10,
    button=10,
    seats=(1, 2, 3, 4, 5, 6, 7, 8, 9),
    amount=125_000_000,
    least=125_000_000,
    most=925_000_000,
    count=200,
    hand=100_000,
    did="checked",
    held=Did(verb="raise", amount=125_000_000),
    pot="side9",
    street=2,
    variant="stud",
    device="Reader A (seats 1 to 4)",
    spot="tray",
    lammer="missed-blind",
    name="dealer's choice",
    tag="E004015000250001",
    reason="no space left on the disk",
)
# What a text cannot do without: the least that a caller knows.
NEEDED = Values(seat=3, turn=7, amount=15, spot="pot", device="Reader A")


def alert(code: str, values: Values) -> Alert:
    known = CODES[code]
    return Alert(code=code, level=known.level, values=values, clears=known.clears, rule=known.rule)


# --- every code has words ---


def test_the_contracts_warnings_are_known() -> None:
    assert frozenset(WARNINGS) == CONTRACT


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_alert_has_its_words_and_no_words_are_left_over(language: Any) -> None:
    assert set(LANGUAGES[language].alerts) == set(CODES)


def _refusals() -> frozenset[str]:
    service = {"not-a-step", "fault", "not-connected"}
    kinds = (Why, table.Reason, LiveReason, Stale, Denied, LookReason)
    return frozenset(code.value for kind in kinds for code in kind) | service


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_refusal_has_its_sentence_and_no_sentence_is_left_over(language: Any) -> None:
    assert set(LANGUAGES[language].refused) == _refusals()


def _steps() -> frozenset[type[table.Step]]:
    """The steps that change a table: the classes that no other one is built on, notes left out."""
    found = {kind for kind in vars(table).values() if isinstance(kind, type) and issubclass(kind, table.Step)}
    bases = {base for kind in found for base in kind.__mro__[1:]}
    return frozenset(kind for kind in found - bases if not issubclass(kind, table.Note))


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_step_at_the_table_has_its_words(language: Any) -> None:
    assert set(NAMES) == _steps()
    assert set(LANGUAGES[language].told) == set(NAMES.values())


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    ("part", "kind"),
    [
        ("labels", Label),
        ("did", DidVerb),
        ("levels", Urgency),
        ("statuses", SeatStatus),
        ("bounds", Limit),
        ("over", Limit),
        ("addends", Addend),
        ("pot_addends", PotAddend),
        ("why_no_raise", WhyNoRaise),
        ("why_out", WhyOut),
        ("screen", ScreenKey),
        ("sources", BetSource),
    ],
)
def test_every_code_of_the_view_has_its_words(language: Any, part: str, kind: Any) -> None:
    assert set(getattr(LANGUAGES[language], part)) == set(get_args(kind))


def test_every_rule_is_used_and_every_rule_named_exists() -> None:
    of_bounds = {rule for rule in RULES.values() if rule}
    assert {code.rule for code in CODES.values() if code.rule} | of_bounds == set(CATALOGUE.rules)


def _templates(says: object) -> Iterator[str]:
    if isinstance(says, str):
        yield says
    elif isinstance(says, Mapping):
        for value in says.values():
            yield from _templates(value)
    elif isinstance(says, tuple):
        for value in says:
            yield from _templates(value)


ANY = {*Values.__struct_fields__} - {"variant"}
NAMED = {
    "alerts": ANY,
    "labels": ANY,
    "refused": ANY,
    "did": {"amount"},
    "told": {"seat", "seats", "did", "amount", "count", "pot", "name"},
    "held": {"seat", "did"},
    "all_in": {"did"},
    "sources": {"told"},
    "unrecorded": {"told"},
    "ante": {"amount"},
    **{part: {"amount"} for part in ("over", "addends", "pot_addends", "behind")},
    "made_up": {"parts", "amount"},
    "why_out": {"amount", "count"},
}


@pytest.mark.parametrize("part", [name for name in Catalogue.__slots__ if name != "screen"])
def test_templates_name_only_what_they_are_given(part: str) -> None:
    for template in _templates(getattr(CATALOGUE, part)):
        assert placeholders(template) <= NAMED.get(part, set()), template


# --- alerts fit the screen and read well ---


def columns(text: str) -> int:
    """How many columns of letters it takes: those of full width count twice."""
    return sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in text)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("book", BOOKS)
@pytest.mark.parametrize("code", CODES)
def test_texts_fit_the_screen(code: str, book: Rulebook, language: Any) -> None:
    words, shown = Words(DOLLARS, book, language), alert(code, LONG)
    title, text = words.title(shown), words.text(shown)
    assert 0 < columns(title) <= MOST_TITLE, f"{columns(title)} {title}"
    assert 0 < columns(text) <= MOST_WORDS, f"{columns(text)} {text}"
    assert "\n" not in title + text


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("book", BOOKS)
@pytest.mark.parametrize("code", CODES)
def test_texts_read_well_with_little_known(code: str, book: Rulebook, language: Any) -> None:
    words, shown = Words(rulebook=book, language=language), alert(code, NEEDED)
    for text in (words.title(shown), words.text(shown)):
        assert not re.search(r"[{}\[\]]|  |\bNone\b| [.,:?]|[：，][。，：]", text), text
        assert text == text.strip()
        assert not text[0].islower(), text
    assert words.text(shown)[-1] in ".?。？"


WHO = {
    "en": {"floor": "floor", "technician": "technician"},
    "de": {"floor": "Floor", "technician": "Techniker"},
    "zh": {"floor": "楼面", "technician": "技术员"},
}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("book", BOOKS)
@pytest.mark.parametrize("code", CODES)
def test_who_may_clear_it_is_said(code: str, book: Rulebook, language: Any) -> None:
    shown = alert(code, NEEDED)
    assert shown.clears == "dealer" or WHO[language][shown.clears] in Words(rulebook=book, language=language).text(
        shown
    )


@pytest.mark.parametrize("code", CODES)
def test_no_alert_fails_for_want_of_a_value(code: str) -> None:
    assert Words().text(alert(code, Values()))
    assert Words().title(alert("owes", Values(seat=2))) == "Seat 2 owes ?"


def test_a_technician_is_told_what_a_device_says() -> None:
    down = alert("reader-offline", Values(device="Reader A", reason="unplugged"))
    assert Words().text(down) == (
        "Bets there are not seen. Key them in. Call the technician after the hand: cable and power first."
    )
    assert "its port has vanished" in Words(audience="technician").text(down)
    reader = Device(name="Reader A", up=False, reason="strange")
    assert Words().device(reader) == "Reader A DOWN"
    assert Words(audience="technician").device(reader) == "Reader A DOWN: strange"


# --- rules ---


@pytest.mark.parametrize("code", sorted(WARNINGS))
def test_a_warning_about_players_names_its_rule(code: str) -> None:
    for book in BOOKS:
        assert (Words(rulebook=book).rule(alert(code, NEEDED)) is None) == (code == "tray-offline")


@pytest.mark.parametrize("name", CATALOGUE.rules)
def test_rules_are_one_short_line_each(name: str) -> None:
    books = (("Robert's Rules", "House rules"), ("TDA", "House rules"))
    for found, sources in zip(CATALOGUE.rules[name], books, strict=True):
        assert found.book in sources
        assert len(f"{found.book} {found.number}") <= MOST_TITLE
        assert 0 < len(found.text) <= MOST_WORDS
        assert "\n" not in found.text
        assert found.text.endswith(".")


# Rule numbers as the published scripts and rulings cite them.
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
def test_rule_numbers(code: str, book: Rulebook, number: str) -> None:
    found = Words(rulebook=book).rule(alert(code, NEEDED))
    assert isinstance(found, Rule)
    assert found.number == number


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
def test_amounts(amount: int | None, money: Money, text: str) -> None:
    assert Words(money).amount(amount) == text


@pytest.mark.parametrize(
    ("did", "plain", "third"),
    [
        (Did(verb="fold"), "fold", "folds"),
        (Did(verb="check"), "check", "checks"),
        (Did(verb="call", amount=6000), "call", "calls $60"),
        (Did(verb="call", amount=6000, all_in=True), "call, all-in", "calls $60, all-in"),
        (Did(verb="bet", amount=2050), "bet $20.50", "bets $20.50"),
        (Did(verb="raise", amount=6000), "raise to $60", "raises to $60"),
        (Did(verb="raise"), "raise", "raises"),
        (Did(verb="complete", amount=2000), "complete to $20", "completes to $20"),
        (Did(verb="all-in", all_in=True), "all-in", "is all-in"),
        (Did(verb="blind", amount=1000), "blind $10", "posts $10"),
        (Did(verb="time"), "time", "calls time"),
    ],
)
def test_what_a_seat_did(did: Did, plain: str, third: str) -> None:
    words = Words(DOLLARS)
    assert words.did(did) == plain
    assert words.told(Told(step="moves", seat=3, did=did)) == f"seat 3 {third}"
    assert words.told(Told(step="says", seat=3, did=did, held=True)) == f"seat 3: {plain}, held"


@pytest.mark.parametrize(
    ("told", "text"),
    [
        (Told(step="moves", seat=3, did=Did(verb="raise", amount=60), source="sensed"), "seat 3 raises to 60 (sensed)"),
        (Told(step="awards", pot="main", seats=(3,)), "the main pot goes to seat 3"),
        (Told(step="awards", pot="side1", seats=(3, 5, 9)), "side pot 1 goes to seat 3, 5 and 9"),
        (Told(step="deals"), "the next street is dealt"),
        (Told(step="floor-sets-bet", seat=3, amount=1240), "floor: the bet of seat 3 is 1,240"),
        (Told(step="counted", seat=3), "the stack of seat 3 is ?"),
        (Told(step="changes-seat", seat=3, seats=(7,)), "seat 3 moves to seat 7"),
        (Told(step="plays-game", name="stud night"), "the game is stud night"),
    ],
)
def test_what_was_done(told: Told, text: str) -> None:
    assert Words().told(told) == text


def test_an_alert_says_who_and_how_much() -> None:
    words = Words(DOLLARS)
    shown = alert("behind-the-turn", Values(seat=7, turn=5, seats=(5, 6), did="folded"))
    assert words.title(shown) == "Chips at seat 7: action is on 5"
    assert words.text(shown) == "5 and 6 folded? If not, seat 7 is out of turn."
    assert shown.key == ("behind-the-turn", 7, "")
    assert words.title(alert("due-back", Values(seat=2, amount=1500))) == "Push back $15 to seat 2"
    assert words.title(alert("owes", Values(seat=2, amount=350))) == "Seat 2 owes $3.50"
    assert words.title(alert("failed", Values(seat=4, spot="bet4"))) == "Something went wrong at seat 4"
    assert words.title(alert("failed", Values())) == "Something went wrong"


@pytest.mark.parametrize(
    ("choice", "text"),
    [
        (Choice(label="they-folded", do="here 7", values=Values(seats=(5, 6))), "5, 6 FOLDED"),
        (Choice(label="push-back", do="return 3", values=Values(amount=24000)), "PUSH BACK $240"),
        (Choice(label="push-back-to", do="return 3", values=Values(amount=24000, seat=3)), "PUSH BACK $240 TO 3"),
        (Choice(label="award", do="award side1 3", values=Values(amount=50, seat=3, pot="side1")), "SIDE 1 $0.50 TO 3"),
        (Choice(label="deal", do="deal", values=Values(street=4, variant="omaha")), "DEAL RIVER"),
        (Choice(label="deal", do="deal", values=Values(street=2, variant="razz")), "DEAL FOURTH STREET"),
        (Choice(label="next-hand", do="hand"), "NEXT HAND"),
    ],
)
def test_keys(choice: Choice, text: str) -> None:
    assert Words(DOLLARS).label(choice) == text


@pytest.mark.parametrize(
    ("refused", "text"),
    [
        (Refused(code="not-in-turn", values=Values(seat=5)), "the turn is on seat 5"),
        (
            Refused(code="not-between", values=Values(amount=100, least=2000, most=30550)),
            "$1 is not between $20 and $305.50",
        ),
        (
            Refused(code="not-in-pot", values=Values(seat=2, pot="side1", seats=(3, 4))),
            "seat 2 is not in side pot 1: 3 and 4",
        ),
        (
            Refused(code="not-offered", values=Values(seat=2, answers=("swept", "taken-back"))),
            "what is asked about the chips of seat 2 is answered by SWEPT, TAKEN BACK",
        ),
        (
            Refused(code="not-a-step", values=Values(reason="'x': expected a step")),
            "the table does not understand that",
        ),
    ],
)
def test_refusals(refused: Refused, text: str) -> None:
    assert Words(DOLLARS).refused(refused) == text


@pytest.mark.parametrize(
    ("game", "text"),
    [
        (GameView(variant="omaha", structure="pot-limit", blinds=(500, 1000)), "Omaha pot-limit $5/$10"),
        (
            GameView(structure="fixed-limit", blinds=(1000, 2000), bets=(2000, 2000, 4000, 4000)),
            "Hold'em fixed-limit $20/$40",
        ),
        (GameView(variant="badugi", structure="fixed-limit", bets=(2000,)), "Badugi fixed-limit $20"),
        (GameView(variant="draw", structure="half-pot", ante=100), "Five-card draw half-pot ante $1"),
        (GameView(blinds=(100, 200), ante=200), "Hold'em no-limit $1/$2"),
        (GameView(), "Hold'em no-limit"),
    ],
)
def test_games(game: GameView, text: str) -> None:
    assert Words(DOLLARS).game(game) == text


def test_streets() -> None:
    words = Words()
    assert [words.street("holdem", number) for number in range(5)] == ["", "Preflop", "Flop", "Turn", "River"]
    assert words.street("draw", 2) == "After the draw"


def test_bounds_are_named_as_dealers_do() -> None:
    words = Words()
    assert words.say("min-raise") == "MIN RAISE TO"
    assert words.largest("pot", opening=False) == "POT RAISE TO"
    assert words.largest("spread", opening=True) == "MAX BET (SPREAD)"
    labels = (
        *CATALOGUE.labels.values(),
        *CATALOGUE.screen.values(),
        *(word for two in CATALOGUE.bounds.values() for word in two),
    )
    assert not [word for word in labels if re.search(r"\b(LEAST|MOST)\b", word)]


@pytest.mark.parametrize("key", CATALOGUE.screen)
def test_the_screens_words(key: Any) -> None:
    template = CATALOGUE.screen[key]
    given: dict[str, Any] = dict.fromkeys(placeholders(template) - {"amount"}, "x")
    if "amount" in placeholders(template):
        given["amount"] = 125_000
    said = Words(DOLLARS).say(key, **given)
    assert ("$1,250" in said) == ("amount" in given)
    assert not re.search(r"[{}\[\]]", said)


def test_a_key_without_its_amount_says_its_verb() -> None:
    assert Words(DOLLARS).say("call") == "CALL"
    assert Words(DOLLARS).say("call-amount", amount=600) == "CALL $6"


# --- amounts are written the house's way, everywhere ---


def _alerts_said(words: Words, values: Values) -> Iterator[str]:
    for code in CODES:
        yield words.title(alert(code, values))
        yield words.text(alert(code, values))


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_amount_is_a_raw_integer(language: Any) -> None:
    words = Words(DOLLARS, language=language)
    values = msgspec.structs.replace(LONG, hand=12, count=20)
    did = Did(verb="raise", amount=125_000, all_in=True)
    said = [*_alerts_said(words, values)]
    said += [words.label(Choice(label=label, do="", values=values)) for label in CATALOGUE.labels]
    said += [words.refused(Refused(code=code, values=values)) for code in CATALOGUE.refused]
    said += [words.did(msgspec.structs.replace(did, verb=verb)) for verb in CATALOGUE.did]
    said += [
        words.told(Told(step=step, seat=10, seats=(1, 2), amount=125_000, pot="side1", name="x", did=did))
        for step in CATALOGUE.told
    ]
    assert not [text for text in said if raw(text)]


def test_a_raw_integer_would_be_noticed() -> None:
    assert raw("raise to 60000")
    assert raw("PUSH BACK 1,250")
    assert raw("PUSH BACK $125000")
    assert not raw("seat 10 owes $1,250.50 of $1,250")


def test_verbs_have_both_forms() -> None:
    assert all(isinstance(does, Does) and does.plain and does.third for does in CATALOGUE.did.values())
