"""Words fitted into their place: how large, where lines break, what is cut."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ui.scene import letters
from ui.scene.letters import LAST, LINE, MORE, amount, fit, narrowest, shortened, width

WORDS = st.text("ab $1,.W跟注", max_size=80)


@given(WORDS, st.floats(60, 600), st.floats(24, 120))
@example("1" * 17, 100.0, 24.0)
def test_fitted_words_fit_their_place(words: str, room: float, height: float) -> None:
    fitted = fit(words, 40, 24, room, height)
    lines = fitted.words.split("\n")
    assert fitted.size <= 40
    assert all(width(line) * fitted.size <= room + 0.01 for line in lines)
    assert len(lines) == 1 or ((len(lines) - 1) * LINE + LAST) * fitted.size <= height + 0.01


@given(WORDS, st.floats(60, 600), st.floats(24, 120))
def test_letters_are_under_the_least_only_for_a_number_wider_than_its_place(
    words: str, room: float, height: float
) -> None:
    fitted = fit(words, 40, 24, room, height)
    numbers = [word for word in words.split(" ") if any(letter.isdigit() for letter in word)]
    assert fitted.size >= 24 or any(width(word) * 24 > room for word in numbers)


@given(WORDS, st.floats(60, 600), st.floats(24, 120))
def test_what_is_not_cut_is_all_there(words: str, room: float, height: float) -> None:
    fitted = fit(words, 40, 24, room, height)
    if not fitted.cut and MORE not in words:
        assert "".join(fitted.words.split()) == "".join(words.split())


@pytest.mark.parametrize(
    ("words", "room", "height", "expected"),
    [
        ("FOLD", 150, 60, "FOLD"),
        ("CALL FLOOR", 112, 67, "CALL\nFLOOR"),
        ("PUSH BACK $1,234,567.89 TO 3", 170, 107, "PUSH BACK\n$1,234,567.89\nTO 3"),
        ("raise to $1,234,567.89", 120, 24, "raise to…"),
        ("Maximiliane", 100, 26, "Maximi…"),
        ("轮到3号位行动", 100, 60, "轮到3号\n位行动"),
        ("弃牌，跟注", 73, 60, "弃牌，\n跟注"),
    ],
)
def test_lines_break_between_words_and_numbers_are_never_cut(
    words: str, room: float, height: float, expected: str
) -> None:
    assert fit(words, 28, 24, room, height).words == expected


@given(st.integers(0, 10**9), st.floats(10, 300))
def test_an_amount_is_one_line_as_small_as_it_must_be(number: int, room: float) -> None:
    fitted = amount(f"${number:,}", 40, room)
    assert fitted.words == f"${number:,}"
    assert width(fitted.words) * fitted.size <= room + 0.01


@given(WORDS, st.floats(2, 20))
def test_shortened_words_are_not_wider_than_their_room(words: str, room: float) -> None:
    found = shortened(words, room)
    assert found == words or found.endswith(MORE)
    assert width(found) <= room


@given(st.text("ab W", min_size=1, max_size=40), st.integers(1, 4))
def test_the_narrowest_place_has_room_for_the_words(words: str, lines: int) -> None:
    size = 24
    room = narrowest(words, lines) * size + 0.1
    assert not fit(words, size, size, room, size * LINE * lines + 1).cut


@pytest.mark.parametrize(
    ("seats", "words"),
    [((), ""), ((3,), "3"), ((3, 4), "3 4"), ((3, 4, 5), "3-5"), ((1, 2, 3, 4, 6, 8, 9, 10), "1-4 6 8-10")],
)
def test_seats_in_short(seats: tuple[int, ...], words: str) -> None:
    assert letters.runs(seats) == words
