"""An evening of 25 hands of five games, which is entered with as few touches as the screen allows.

The file `touch_evening.txt` lists what happens at the table. The driver does not know the keys of the screen: for each
step it searches the shortest way of touches that sends the step. Therefore the same driver measures screens with other
keys. `python -m tests.ui.touch_evening` prints the touches for each game.

The evening needed `TOUCHES_BEFORE` touches before bets and runs of folds had keys of their own, and 491 with these
keys. A test fails if it needs more than `MAX_TOUCHES`. A finger that rests on a seat counts as one touch.

The driver saves touches as a dealer would. If several seats fold or check in a row, it touches the next seat that acts,
or closes the street, if this needs fewer touches.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Final, NamedTuple, Protocol

from controller.practice import SHOW_TASK
from controller.service.queries import Query, parse_query
from tests.ui.touch_table import TouchTable
from ui.scene import lay_out_scene
from ui.state import (
    ChipKey,
    KeyboardKey,
    LetterKey,
    NamedKey,
    PadDigit,
    PageKey,
    ScreenState,
    SeatTile,
    Target,
    press_target,
)

GAME: Final = """variant = "holdem"
structure = "no-limit"
blinds = [5, 10]
unit = 5
buy_in = [100, 2000]
straddle = "live"
rake = { percent = 5, cap = 10, no_flop_no_drop = true }
start = "idle"
[games.plo]
variant = "omaha"
structure = "pot-limit"
[games.limit]
variant = "holdem"
structure = "fixed-limit"
bets = [10, 10, 20, 20]
[games.plo8]
variant = "omaha8"
structure = "pot-limit"
[games.stud8]
variant = "stud8"
structure = "fixed-limit"
blinds = []
ante = 5
bring_in = 5
bets = [10, 10, 20, 20, 20]
"""
EVENING: Final = tuple((Path(__file__).parent / "touch_evening.txt").read_text().splitlines())
"""Steps of the evening. A line such as `# hand 3` begins a hand."""
TOUCHES_BEFORE: Final = 616
"""Number of touches for the evening on the screen as it was before bets and runs of folds had keys of their own."""
MAX_TOUCHES: Final = TOUCHES_BEFORE * 80 // 100
"""Maximum number of touches for the evening."""
MAX_PATH: Final = 12
"""Maximum number of touches for a step. The longest step, a buy-in with a name, needs eight."""
FOLD_OR_CHECK: Final = re.compile(r"\d+ (fold|check)")
"""Pattern of a step that the screen can also presume, because a later seat acts."""
BETWEEN_HANDS: Final = re.compile(r"(dealer|game|\d+ (sit|add|leave|away|back|moves|tip))\b")
"""Pattern of a step about the players or the table."""
COMPARED_FIELDS: Final = tuple(field.name for field in fields(ScreenState) if field.repr and field.name != "view")
"""Fields in which two screens that show the same view can differ."""
WAGER: Final = re.compile(r"(\d+) (call|bet|raise|complete|all-in|pot|chips)\b")
"""Pattern of an action after which all seats before have folded or checked."""


class EveningStep(NamedTuple):
    """A step of the evening, the hand to which it belongs, and the touches that enter it."""

    hand: int
    game: str
    do: str
    touches: tuple[Target, ...]


class TouchedScreen(Protocol):
    """A screen on which ways of touches are tried, and the answers to its queries."""

    @property
    def screen(self) -> ScreenState: ...

    def answer_query(self, screen: ScreenState, query: Query) -> ScreenState: ...


def shortest_touches(table: TouchedScreen, wanted: str, max_touches: int = MAX_PATH) -> tuple[Target, ...]:
    """Return the shortest way of touches that sends this step. Raise AssertionError if no way exists.

    The search ends after ways of `max_touches` touches. Digits and letters are tried only in the order of an amount or
    the name in the step, and seats only if the step has their number. Nobody types the first word, because it is a
    seat or a verb.
    """
    words, numbers = wanted.lower().split(), set(re.findall(r"\d+", wanted))
    texts = words[1:]
    if "as" in words:
        texts = [*filter(str.isdigit, texts), " ".join(words[words.index("as") + 1 :])]
    ways: list[tuple[ScreenState, tuple[Target, ...], str]] = [(table.screen, (), "")]
    known = {screen_content(table.screen)}
    for _ in range(max_touches):
        longer_ways = []
        for screen, touches, typed in ways:
            targets = dict.fromkeys(target for area in lay_out_scene(screen).touch_areas for target in area.targets)
            for target in sorted(targets, key=_preference):
                typed_next = _typed_after(typed, target, texts)
                if typed_next is None or (isinstance(target, SeatTile) and str(target.number) not in numbers):
                    continue
                screen_next, command = press_target(screen, target)
                if command is not None:
                    if command.do == wanted:
                        return (*touches, target)
                    query = parse_query(command.do) if command.do != SHOW_TASK else None
                    if query is None:
                        continue
                    screen_next = table.answer_query(screen_next, query)
                content = screen_content(screen_next)
                if content not in known:
                    known.add(content)
                    longer_ways.append((screen_next, (*touches, target), typed_next))
        ways = longer_ways
    raise AssertionError(f"{wanted}: no way of at most {max_touches} touches")


def _preference(target: Target) -> int:
    """Return a rank by which a dealer prefers one of several equally short ways."""
    return 0 if isinstance(target, PageKey) else 1 if isinstance(target, NamedKey) else 2


def _typed_after(typed: str, target: Target, texts: Sequence[str]) -> str | None:
    """Return the text typed so far, "" after another key, or None if no text of the step begins with it."""
    if isinstance(target, KeyboardKey):
        return None
    if isinstance(target, ChipKey):  # a single chip; the digits of other amounts are tried anyway
        return str(target.value) if not typed and str(target.value) in texts else None
    if not isinstance(target, PadDigit | LetterKey):
        return ""
    typed += target.key if isinstance(target, PadDigit) else target.text.lower()
    return typed if any(text.startswith(typed) for text in texts) else None


def screen_content(screen: ScreenState) -> str:
    """Return everything that distinguishes two screens that show the same view."""
    return repr([getattr(screen, name) for name in COMPARED_FIELDS])


def evening_steps(lines: Sequence[str] = EVENING) -> Iterator[EveningStep]:
    """Yield the steps of the evening with the touches that enter them, and apply each step to a table."""
    table, hand, number = TouchTable(GAME, stacks="{}"), 0, 0
    while number < len(lines):
        line = lines[number]
        number += 1
        if line.startswith("#"):
            hand = int(line.split()[-1])
            continue
        run = _run_length(lines[number - 1 :])
        after = lines[number - 1 + run] if run and number - 1 + run < len(lines) else ""
        shortcut = _shortcut(after)
        if (
            shortcut == f"here {table.view.turn}"
        ):  # the seat is in turn already, after all others have folded or checked
            shortcut = ""
        touches: tuple[Target, ...] = ()
        if shortcut:
            # The shortcut for `deal` also deals, which costs one touch more without the shortcut.
            touches = shortest_touches(table, shortcut)
            if len(touches) < run + (after == "deal"):
                line, number = shortcut, number - 1 + run + (after == "deal")
            else:
                touches = ()
        touches = touches or shortest_touches(table, line)
        game = table.view.game.name or "main"
        assert table.touch(*touches) == [line]
        assert not table.refused, (line, table.refused)
        yield EveningStep(hand, game, line, touches)


def _run_length(lines: Sequence[str]) -> int:
    """Return the number of seats that fold or check in a row."""
    return next((count for count, line in enumerate(lines) if FOLD_OR_CHECK.fullmatch(line) is None), len(lines))


def _shortcut(after: str) -> str:
    """Return the step that replaces the folds and checks before this step, or "" if there is none."""
    if after == "deal" or after.startswith("award "):
        return "deal closing"
    wager = WAGER.match(after)
    return f"here {wager[1]}" if wager is not None else ""


def print_touches(steps: Sequence[EveningStep]) -> None:
    """Print the touches for each game, between the hands, and for each hand on average."""
    totals, hands = Counter[str](), len({step.hand for step in steps if step.hand})
    for step in steps:
        totals["players and table" if _is_between(step.do) else step.game] += len(step.touches)
    for name, count in totals.items():
        print(f"{name:20} {count:5} touches")
    count = sum(totals.values())
    print(f"{'evening':20} {count:5} touches in {hands} hands: {count / max(hands, 1):.1f} per hand")


def _is_between(do: str) -> bool:
    return do == "close" or BETWEEN_HANDS.match(do) is not None


if __name__ == "__main__":
    print_touches(list(evening_steps()))
