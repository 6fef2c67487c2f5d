"""Every code has its words, its rule and somebody who may clear it, and they fit the screen."""

import re
from pathlib import Path
from typing import Any, Literal

import pytest

from controller.view import Choice
from controller.words.alerts import alert, clears, rule, too_early
from controller.words.citations import RULES
from controller.words.entries import CONTRACT, ENTRIES, MOST_TITLE, MOST_WORDS

ROOT = Path(__file__).resolve().parents[2]
BOOKS: tuple[Literal["roberts", "tda"], ...] = ("roberts", "tda")

# table-scripts.md, "Warnings".
WARNINGS = frozenset(
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

OPERATOR = frozenset(
    {
        "tray-offline",
        "reader-offline",
        "board-offline",
        "badge-reader-offline",
        "journal-damaged",
        "sweep-question",
        "behind-the-turn",
        "due-back",
        "owes",
        "unsettled",
        "unknown-chip",
        "at-least",
        "lammer",
        "street-too-early",
        "turn-too-early",
        "river-too-early",
        "floor-called",
    }
)

# The longest values that a table can come to.
LONG: dict[str, Any] = {
    "amount": "$1,250,000.00",
    "least": "$1,250,000.00",
    "most": "$9,250,000.00",
    "held": "raise to $1,250,000.00",
    "turn": 10,
    "seats": "1, 2, 3, 4, 5, 6, 7, 8 and 9",
    "did": "checked",
    "count": 200,
    "lammer": "missed small blind",
    "expected": 10,
    "last": "spot of seat 10, 23:59:59",
    "hand": 100_000,
    "spot": "the drop box",
    "device": "Reader A (seats 1 to 4)",
    "reason": "no space left on the disk",
}
# What a text cannot do without: the least that a caller knows.
NEEDED: dict[str, Any] = {"turn": 7, "amount": 15, "spot": "the pot", "device": "Reader A"}


def test_every_warning_of_the_contract_has_an_entry() -> None:
    assert len(CONTRACT) == len(WARNINGS) == len(WARNINGS & set(CONTRACT))
    assert not OPERATOR - set(ENTRIES)


def test_every_warning_that_the_controller_raises_has_an_entry() -> None:
    raised = set()
    for path in (ROOT / "controller").rglob("*.py"):
        raised |= set(re.findall(r'warnings\.append\("([a-z-]+)"\)', path.read_text()))
    assert raised
    assert raised <= set(CONTRACT)


def test_every_warning_that_scripts_expect_has_an_entry() -> None:
    for path in (ROOT / "tests" / "scripts").rglob("*.toml"):
        for named in re.findall(r"warnings = \[([^\]]*)\]", path.read_text()):
            assert set(re.findall(r'"([a-z-]+)"', named)) <= set(CONTRACT), path


@pytest.mark.parametrize("book", BOOKS)
@pytest.mark.parametrize("code", ENTRIES)
def test_texts_fit_the_screen(code: str, book: Literal["roberts", "tda"]) -> None:
    shown = alert(code, book, seat=10, **LONG)
    assert 0 < len(shown.title) <= MOST_TITLE
    assert 0 < len(shown.text) <= MOST_WORDS, len(shown.text)
    assert "\n" not in shown.title + shown.text


@pytest.mark.parametrize("book", BOOKS)
@pytest.mark.parametrize("code", ENTRIES)
def test_texts_read_well_with_little_known(code: str, book: Literal["roberts", "tda"]) -> None:
    shown = alert(code, book, seat=3, **NEEDED)
    for text in (shown.title, shown.text):
        assert not re.search(r"[{}\[\]]|  |\bNone\b| [.,:?]", text), text
        assert text == text.strip()
        assert text[0].isupper() or text[0].isdigit(), text
    assert shown.text[-1] in ".?"


@pytest.mark.parametrize("code", ENTRIES)
def test_who_may_clear_it_is_said(code: str) -> None:
    for book in BOOKS:
        who = clears(code, book)
        words = alert(code, book, seat=3, **NEEDED).text
        assert who == "dealer" or who in words


@pytest.mark.parametrize("code", sorted(WARNINGS))
def test_a_warning_about_players_names_its_rule(code: str) -> None:
    for book in BOOKS:
        found = rule(code, book)
        assert (found is None) == (code == "tray-offline")


@pytest.mark.parametrize("name", RULES)
def test_rules_are_one_short_line_each(name: str) -> None:
    for found, books in zip(RULES[name], (("Robert's Rules", "House rules"), ("TDA", "House rules")), strict=True):
        assert found.book in books
        assert len(f"{found.book} {found.number}") <= MOST_TITLE
        assert 0 < len(found.text) <= MOST_WORDS
        assert "\n" not in found.text
        assert found.text.endswith(".")


def test_every_rule_is_used_and_every_rule_named_exists() -> None:
    named = {entry.rule for entry in ENTRIES.values() if entry.rule}
    assert named <= set(RULES)
    assert set(RULES) - named <= {"half-raise"}


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
def test_rule_numbers(code: str, book: Literal["roberts", "tda"], number: str) -> None:
    found = rule(code, book)
    assert found is not None
    assert found.number == number


def test_an_alert_carries_its_choices_and_keeps_its_key() -> None:
    answers = (Choice(label="5, 6 FOLDED", do="here 7"),)
    shown = alert("behind-the-turn", "roberts", 7, choices=answers, turn=5, seats="5 and 6", did="folded")
    assert shown.title == "Chips at seat 7: action is on 5"
    assert shown.text == "5 and 6 folded? If not, seat 7 is out of turn."
    assert shown.choices == answers
    assert shown.level == "question"
    assert shown.key == "behind-the-turn 7"
    assert alert("due-back", "roberts", 2, amount=15).title == "Push back 15 to seat 2"
    assert alert("owes", "roberts", 2, amount=3).title == "Seat 2 owes 3"
    assert alert("reader-offline", "tda", device="Reader B", about="Reader B").key == "reader-offline Reader B"


@pytest.mark.parametrize("code", ENTRIES)
def test_no_alert_fails_for_want_of_a_value(code: str) -> None:
    assert alert(code, "roberts").text
    assert alert("owes", "roberts", 2).title == "Seat 2 owes ?"


def test_an_unknown_code_is_our_mistake() -> None:
    with pytest.raises(KeyError):
        alert("no-such-code", "roberts", 2)


@pytest.mark.parametrize(
    ("street", "code"),
    [
        ("Flop", "flop-too-early"),
        ("Turn", "turn-too-early"),
        ("River", "river-too-early"),
        ("Fifth street", "street-too-early"),
    ],
)
def test_a_street_dealt_too_early(street: str, code: str) -> None:
    assert too_early(street) == code
