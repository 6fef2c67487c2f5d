"""Test the practice table: its lessons, right answers with other keys, and wrong answers."""

from __future__ import annotations

import pytest

from controller.messages import languages, messages_for
from controller.practice import LESSONS_DIR, PracticeTable, load_lessons, practice_table
from controller.steps import format_step, parse_step
from controller.view import Alert

LESSONS = load_lessons()
WRONG = "practice-wrong"


def task(table: PracticeTable) -> Alert:
    return next(alert for alert in table.view(1).alerts if alert.code.startswith("practice"))


def answer(table: PracticeTable, line: str) -> str:
    """Enter a step and return the code of the refusal, or "" if the table accepted the step."""
    refused = table.do(parse_step(line))
    return refused.code if refused is not None else ""


def at_lesson(number: int) -> PracticeTable:
    """Return a table at the beginning of a lesson, which the table itself has played so far."""
    table = PracticeTable(LESSONS)
    while table.lesson < number:
        table.show_task()
    return table


def play_to(table: PracticeTable, line: str) -> PracticeTable:
    """Enter the steps of the lesson until this step is the next task."""
    while table.wanted is not None and format_step(table.wanted) != line:
        assert table.do(table.wanted) is None
    assert table.wanted is not None
    return table


def test_there_are_ten_lessons() -> None:
    assert len(LESSONS) == len(list(LESSONS_DIR.glob("*.toml"))) == 10


def test_right_answers_lead_through_all_lessons_without_a_mistake() -> None:
    table, lessons = PracticeTable(LESSONS), set[int]()
    while not table.is_over:
        lessons.add(table.lesson)
        if table.wanted is None:
            assert task(table).code == "practice-next"
            table.show_task()
        else:
            assert task(table).level == "info"
            assert table.do(table.wanted) is None
    assert (lessons, table.lessons_with_mistakes) == (set(range(1, 11)), set())
    assert (task(table).code, task(table).values.hand) == ("practice-over", 10)


@pytest.mark.parametrize("language", languages())
def test_every_task_has_a_text(language: str) -> None:
    table = PracticeTable(LESSONS)
    while not table.is_over:
        messages = messages_for(table.view(1), language=language)
        assert "?" not in messages.alert_title(task(table)) + messages.alert_text(task(table))
        if table.wanted is None:
            table.show_task()
        else:
            table.do(table.wanted)


WRONG_ANSWERS = (
    # the lesson, the wanted step, and answers that lead elsewhere
    (1, "4 sit 500", ("4 sit 400", "5 sit 500", "hand")),
    (1, "6 call", ("6 fold", "6 raise to 30", "6 all-in", "here 4", "deal closing")),
    (2, "6 raise to 30", ("6 raise to 40", "6 call", "1 raise to 30")),
    (2, "award main 4", ("award main 6", "award main 4 6", "undo")),
    (4, "award side1 5", ("award side1 1", "award main 3")),
    (5, "6 chips 100", ("6 raise to 100", "6 fold")),
    (6, "award main 3 6", ("award main 3", "award main 6")),
    (7, "5 pot", ("5 raise to 30", "5 call")),
    (10, "award main high 5 low 2", ("award main 5", "award main high 2 low 5")),
)


@pytest.mark.parametrize(("lesson", "wanted", "answers"), WRONG_ANSWERS)
def test_wrong_answer_changes_nothing_and_is_counted(lesson: int, wanted: str, answers: tuple[str, ...]) -> None:
    for line in answers:
        table = play_to(at_lesson(lesson), wanted)
        table.lessons_with_mistakes.clear()
        before, alert = table.live, task(table)
        if line == "undo":  # taking back a right step is no mistake, but it leads back
            assert answer(table, line) == ""
            assert format_step(table.wanted or parse_step("hand")) != wanted
            continue
        assert answer(table, line) != "", line
        assert (table.live, table.lessons_with_mistakes) == (before, {lesson})
        assert (task(table).code, task(table).level) == (alert.code, "warning")
        assert task(table).key != alert.key, "a dismissed task would stay hidden"
        assert table.do(parse_step(wanted)) is None, "the right answer counts after a wrong one"


RIGHT_ANSWERS_WITH_OTHER_KEYS = (
    # the lesson, the first wanted step, one step that says as much as several, and the next task
    (3, "5 fold", "here 2", "2 raise to 35"),
    (1, "4 check", "deal closing", "4 check"),
    (4, "3 all-in", "3 raise to 120", "4 fold"),
    (7, "5 pot", "5 raise to 35", "6 fold"),
    (5, "6 chips 100", "6 call", "1 fold"),  # nothing is then due back
)


@pytest.mark.parametrize(("lesson", "wanted", "line", "next_task"), RIGHT_ANSWERS_WITH_OTHER_KEYS)
def test_other_key_with_the_same_result_is_right(lesson: int, wanted: str, line: str, next_task: str) -> None:
    table = play_to(at_lesson(lesson), wanted)
    assert answer(table, line) == ""
    assert format_step(table.wanted or parse_step("hand")) == next_task


def test_call_for_the_floor_is_no_mistake() -> None:
    table = play_to(at_lesson(2), "6 raise to 30")
    table.lessons_with_mistakes.clear()
    assert answer(table, "call-floor") == ""
    assert (format_step(table.wanted or parse_step("hand")), table.lessons_with_mistakes) == ("6 raise to 30", set())


def test_shown_step_counts_as_a_mistake() -> None:
    table = PracticeTable(LESSONS)
    table.show_task()
    assert (format_step(table.wanted or parse_step("hand")), table.lessons_with_mistakes) == ("6 sit 300", {1})


def test_next_hand_key_continues_with_the_next_lesson() -> None:
    table = at_lesson(1)
    while table.wanted is not None:
        table.do(table.wanted)
    assert answer(table, "hand") == ""
    assert (table.lesson, format_step(table.wanted or parse_step("hand"))) == (2, "5 fold")


def test_practice_can_begin_again() -> None:
    table = at_lesson(10)
    while not table.is_over:
        table.show_task()
    assert task(table).values.hand == 0
    table.show_task()
    assert (table.lesson, table.lessons_with_mistakes) == (1, set())


def test_planted_comparison_that_ignores_the_stacks_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(practice_table, "COMPARED", ("turn",))
    assert answer(PracticeTable(LESSONS), "4 sit 400") == ""
