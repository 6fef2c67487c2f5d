"""Every verb of the contract that people do has its touches from the main page: which, how many, and within what bound.

`-s` prints the counts. The same on the real window: `test_evening_verbs.py`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, Literal, NamedTuple

import pytest

from controller.table import VERBS, Note, parse
from controller.view import Alert, Choice, TableView
from tests.ui.by_touch import ByTouch, besides_digits, digits
from ui.state import (
    HANDS,
    Answer,
    BetSpot,
    Letter,
    LookAt,
    NamedKey,
    Offered,
    PlaysGame,
    Screen,
    Seat,
    Target,
    press,
    show,
)

N: Final = NamedKey
HOLDEM: Final = 'blinds = [5, 10]\nstart = "idle"'
POT_LIMIT: Final = f'structure = "pot-limit"\nvariant = "omaha"\n{HOLDEM}'
STUD: Final = (
    'variant = "stud"\nstructure = "fixed-limit"\nante = 1\nbring_in = 3\nbets = [10, 10, 20, 20, 20]\nstart = "idle"'
)
"""Seat 4 opens hold'em: the button is at 1 for the hand before, at 2 in the first."""

Kind = Literal["action", "asked", "paged", "named"]
MOST: Final[dict[Kind, int]] = {"action": 2, "asked": 3, "paged": 4, "named": 4}
"""Touches beside digits and letters: an action of a hand, what is done between hands, what the floor decides; what ends
something big, or needs another seat; what is done on a page, once in a game or a shift; who sits down by name."""


class Case(NamedTuple):
    """One verb: the table where it is done, its touches, and the step that they send."""

    verb: str
    game: str
    before: tuple[str, ...]
    """Steps that were taken before."""
    touches: list[Target]
    step: str
    kind: Kind = "action"


def on_spot(seat: int, *rest: Target) -> list[Target]:
    return [BetSpot(seat), *rest]


OPEN: Final = f'stakes = "open"\n{HOLDEM}'
KILL: Final = f'structure = "fixed-limit"\nbets = [10, 10, 20, 20]\nkill = {{ factor = 2, pot = 100 }}\n{HOLDEM}'
FOURTH_STREET: Final = ("hand", "bring-in 4", "4 3", *(f"{n} call" for n in (5, 6, 1, 2, 3)), "deal")
TO_THE_BLINDS: Final = ("hand", *(f"{n} fold" for n in (4, 5, 6, 1)))
AFTER_A_BET: Final = ("hand", "4 raise to 30")
OUT_OF_TURN: Final = (*AFTER_A_BET, "6 raise to 90")
OVER: Final = ("hand", "4 fold", "5 fold", "6 fold", "1 fold", "2 fold", "award main 3")
CLOSED: Final = ("hand", "4 call", "5 fold", "6 fold", "1 fold", "2 call", "3 check")

IN_TURN: Final = (
    Case("act", HOLDEM, ("hand",), [N.FOLD], "4 fold"),
    Case("act", HOLDEM, ("hand",), [N.CALL], "4 call"),
    Case("act", HOLDEM, (*CLOSED, "deal"), [N.CALL], "2 check"),
    Case("act", HOLDEM, ("hand",), [N.RAISE, *digits(35), N.OK], "4 raise to 35"),
    Case("act", HOLDEM, ("hand",), [N.RAISE, *digits(25), N.BY], "4 raise by 25"),
    Case("act", HOLDEM, (*CLOSED, "deal"), [N.RAISE, *digits(35), N.OK], "2 bet 35"),
    Case("act", POT_LIMIT, ("hand",), [N.POT], "4 pot"),
    Case("act", HOLDEM, ("hand",), [N.ALL_IN], "4 all-in"),
    Case("act", STUD, ("hand", "bring-in 4", "4 3"), [N.RAISE], "5 complete"),
    Case("bring-in", STUD, ("hand",), [Seat(4)], "bring-in 4"),
    Case("first", STUD, FOURTH_STREET, [Seat(6)], "first 6"),
    Case("open-pair", STUD, FOURTH_STREET, [Offered(6)], "open-pair"),
)
OF_ANY_SEAT: Final = (
    Case("act", HOLDEM, ("hand",), on_spot(6, N.FOLDS), "6 fold"),
    Case("act", HOLDEM, ("hand",), on_spot(6, N.CHECKS), "6 check"),
    Case("act", HOLDEM, ("hand",), on_spot(6, N.CALLS), "6 call"),
    Case("act", HOLDEM, ("hand",), on_spot(6, *digits(60), N.RAISES), "6 raise to 60"),
    Case("act", HOLDEM, ("hand",), on_spot(6, *digits(50), N.RAISES_BY), "6 raise by 50"),
    Case("act", POT_LIMIT, ("hand",), on_spot(6, N.POTS), "6 pot"),
    Case("act", HOLDEM, ("hand",), on_spot(6, N.ALL), "6 all-in"),
    Case("act", HOLDEM, ("hand",), on_spot(6, *digits(40), N.CHIPS), "6 40"),
    Case("act", HOLDEM, ("hand",), on_spot(6, N.CALLS_TIME), "6 time"),
    Case("says", HOLDEM, ("hand",), on_spot(4, N.RAISES), "4 says raise"),
    Case("says", HOLDEM, ("hand",), on_spot(4, N.SAYS_CALL), "4 says call"),
    Case("says", HOLDEM, ("hand",), on_spot(4, *digits(60), N.SAYS_RAISE), "4 says raise to 60"),
    Case("said", HOLDEM, ("hand", "4 chips 100"), on_spot(4, N.SAID_RAISE), "4 said raise"),
    Case("said", HOLDEM, ("hand", "4 chips 25 5"), on_spot(4, N.SAID_CALL), "4 said call"),
    Case("said", HOLDEM, ("hand", "4 chips 25 5"), on_spot(4, *digits(40), N.SAID_RAISE), "4 said raise to 40"),
    Case("chips", HOLDEM, ("hand",), on_spot(4, *digits(100), N.ONE_CHIP), "4 chips 100"),
    Case("takes", HOLDEM, AFTER_A_BET, on_spot(4, *digits(5), N.TAKES), "4 takes 5"),
    Case("done", HOLDEM, ("hand", "4 says raise", "4 chips 100"), on_spot(4, N.DONE), "4 done"),
    Case("was", HOLDEM, (*AFTER_A_BET, "5 call"), on_spot(4, *digits(40), N.WAS), "4 was 40"),
    Case("in", HOLDEM, ("hand", "4 says raise to 30"), on_spot(4, N.IN), "4 in"),
    Case("bets-in", HOLDEM, ("hand", "4 says raise to 30"), [N.TABLE, N.ALL_IS_IN], "bets-in"),
    Case("return", POT_LIMIT, ("hand", "4 chips 500"), [Offered(0)], "return 4"),
    Case("return", POT_LIMIT, ("hand", "4 chips 500"), on_spot(4, N.RETURN), "return 4"),
    Case("change", HOLDEM, AFTER_A_BET, on_spot(4, *digits(100), N.CHANGE), "change 4 100"),
    Case("here", HOLDEM, ("hand",), [Seat(6)], "here 6"),
    Case("stack", HOLDEM, ("hand",), on_spot(4, *digits(900), N.STACK), "4 stack 900"),
    Case("stack", HOLDEM, ("hand",), on_spot(4, N.LOST), "4 stack unknown"),
    Case("add", OPEN, ("hand",), on_spot(4, *digits(100), N.ADD), "4 add 100"),
    Case("cash", OPEN, ("hand",), on_spot(4, *digits(100), N.CASH), "4 cash 100"),
    Case("marker", OPEN, ("hand",), on_spot(4, *digits(100), N.MARKER), "4 marker 100"),
    Case(
        "marker",
        OPEN,
        ("hand", "4 fold"),
        on_spot(5, *digits(100), N.LENT, Seat(4)),
        "5 marker 100 from 4",
        "asked",
    ),
    Case("straddle", f'straddle = "live"\n{HOLDEM}', ("hand",), on_spot(4, Offered(0)), "4 straddle 20"),
    Case(
        "straddle",
        f'straddle = "mississippi"\n{HOLDEM}',
        ("hand",),
        on_spot(6, *digits(40), N.STRADDLE),
        "6 straddle 40",
    ),
    Case("post", f"new_player_posts = true\n{HOLDEM}", ("7 sit 500", "hand"), [Seat(7), Offered(0)], "7 post"),
    Case(
        "buys-button",
        f"buy_button = true\nnew_player_posts = true\n{HOLDEM}",
        ("2 leave", "2 sit 500", "hand"),
        [Seat(2), Offered(0)],
        "2 buys-button",
    ),
    Case("kill", KILL, ("hand",), on_spot(5, Offered(4)), "kill 5"),
)
OF_THE_HAND: Final = (
    Case("hand", HOLDEM, (), [N.HAND], "hand"),
    Case("deal", HOLDEM, CLOSED, [N.DEAL], "deal"),
    Case("deal", HOLDEM, ("hand", "4 call"), [N.TABLE, N.CLOSING], "deal closing"),
    Case("award", HOLDEM, ("hand", *(f"{n} fold" for n in (4, 5, 6, 1, 2))), [N.AWARD], "award main 3"),
    Case("chop", f"chop = true\n{HOLDEM}", TO_THE_BLINDS, [Offered(0)], "chop"),
    Case("boards", f"runs = 2\n{HOLDEM}", (*TO_THE_BLINDS, "2 all-in", "3 call"), [Offered(1)], "boards 2"),
    Case("undo", HOLDEM, ("hand", "4 call"), [N.UNDO], "undo"),
    Case("redo", HOLDEM, ("hand", "4 call", "undo"), [N.REDO], "redo"),
    Case("void", HOLDEM, ("hand",), [N.TABLE, N.VOID, N.OK], "void", "asked"),
    Case("skip", HOLDEM, ("hand",), [N.TABLE, N.SKIP, N.OK], "skip", "asked"),
    Case("drop", HOLDEM, (*CLOSED, "deal"), [N.TABLE, *digits(5), N.DROP], "drop 5"),
    Case("kitty", HOLDEM, (*CLOSED, "deal"), [N.TABLE, *digits(5), N.KITTY], "kitty 5"),
    Case("bomb", HOLDEM, (), [N.TABLE, *digits(20), N.BOMB], "bomb 20"),
    Case("call-floor", HOLDEM, ("hand",), [N.FLOOR], "call-floor"),
)
BETWEEN_HANDS: Final = (
    Case("sit", HOLDEM, (), [Seat(7), *digits(200), N.SIT], "7 sit 200"),
    Case("sit", HOLDEM, (), [Seat(7), N.NAME, Letter("a"), N.OK, *digits(200), N.SIT], "7 sit 200 as A", "named"),
    Case("sit", HOLDEM, (), [Seat(7), *digits(200), N.TRANSFER], "7 sit 200 transfer"),
    Case("sit", HOLDEM, ("hand", *OVER[1:], "6 leave"), [Seat(6), *digits(200), N.IN_STEAD], "6 sit 200 in-stead"),
    Case("redeems", OPEN, ("hand", "4 marker 100", "void"), [Seat(4), *digits(50), N.REDEEMS], "4 redeems 50"),
    Case(
        "redeems",
        OPEN,
        ("hand", "4 fold", "5 marker 100 from 4", "void"),
        [Seat(5), *digits(50), N.REDEEMS_TO, Seat(4)],
        "5 redeems 50 to 4",
        "asked",
    ),
    Case("leave", HOLDEM, (), [Seat(3), N.LEAVE], "3 leave"),
    Case("away", HOLDEM, (), [Seat(3), N.AWAY], "3 away"),
    Case("back", HOLDEM, ("3 away",), [Seat(3), N.BACK], "3 back"),
    Case("moves", HOLDEM, (), [Seat(3), N.MOVES, Seat(7)], "3 moves 7", "asked"),
    Case("add", HOLDEM, (), [Seat(3), *digits(100), N.ADD], "3 add 100"),
    Case("cash", HOLDEM, (), [Seat(3), *digits(100), N.CASH], "3 cash 100"),
    Case("remove", HOLDEM, (), [Seat(3), *digits(100), N.REMOVE], "3 remove 100"),
    Case("stack", HOLDEM, (), [Seat(3), *digits(900), N.STACK], "3 stack 900"),
    Case("stack", HOLDEM, (), [Seat(3), N.LOST], "3 stack unknown"),
    Case("tip", HOLDEM, (), [Seat(3), *digits(5), N.TIP], "3 tip 5"),
    Case("time", HOLDEM, (), [Seat(3), *digits(6), N.TIME], "3 time 6"),
)
OF_THE_FLOOR: Final = (
    Case("floor bind", HOLDEM, OUT_OF_TURN, on_spot(6, N.BIND), "floor bind 6"),
    Case("floor release", HOLDEM, OUT_OF_TURN, on_spot(6, N.RELEASE), "floor release 6"),
    Case("floor dead", HOLDEM, ("hand",), on_spot(6, N.DEAD), "floor dead 6"),
    Case("floor turn", HOLDEM, ("hand",), on_spot(6, N.TURN), "floor turn 6"),
    Case("floor bet", HOLDEM, AFTER_A_BET, on_spot(4, *digits(40), N.FLOOR_BET), "floor bet 4 40"),
    Case("floor pot", HOLDEM, ("hand",), [N.TABLE, *digits(20), N.FLOOR_POT], "floor pot 20"),
    Case("floor button", HOLDEM, (), [Seat(5), N.BUTTON], "floor button 5"),
    Case("floor button", HOLDEM, ("hand",), [N.TABLE, N.BUTTON, Seat(5)], "floor button 5", "asked"),
    Case("floor hold", HOLDEM, (), [N.TABLE, N.HOLD], "floor hold"),
    Case("floor go", HOLDEM, ("floor hold",), [N.TABLE, N.GO], "floor go"),
    Case("floor go", HOLDEM, ("floor hold",), [N.TABLE, N.GO_ON], "floor go on"),
)
ON_PAGES: Final = (
    Case("open", HOLDEM, ("close",), [HANDS, LookAt("report"), N.OPENS], "open", "paged"),
    Case("close", HOLDEM, (), [HANDS, LookAt("report"), N.CLOSES, N.OK], "close", "paged"),
    Case("dealer", HOLDEM, (), [HANDS, LookAt("games"), N.DEALER, Letter("l"), N.OK], "dealer L", "named"),
    Case(
        "game",
        f'{HOLDEM}\n[games.razz]\nvariant = "razz"\nstructure = "fixed-limit"\nbets = [10, 10, 20, 20, 20]',
        (),
        [HANDS, LookAt("games"), PlaysGame("razz")],
        "game razz",
        "paged",
    ),
)
CASES: Final = (*ON_PAGES, *IN_TURN, *OF_ANY_SEAT, *OF_THE_HAND, *BETWEEN_HANDS, *OF_THE_FLOOR)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.step)
def test_its_touches_send_it_and_the_table_takes_it(case: Case) -> None:
    table = ByTouch(case.game).do(*case.before)
    assert table.touch(*case.touches) == [case.step]
    refused = {"3 remove 100"}  # chips are not taken off the table: what is said and ruled on
    assert (table.refused == []) is (case.step not in refused), table.refused
    assert type(parse(case.step)) is VERBS[case.verb]


def too_many(cases: Iterable[Case]) -> list[Case]:
    """Cases with more touches than their bound."""
    return [case for case in cases if besides_digits(case.touches) > MOST[case.kind]]


def test_no_verb_takes_more_touches_than_this() -> None:
    for case in CASES:
        count = besides_digits(case.touches)
        print(f"{case.step:24} {count} touches{'' if count == len(case.touches) else ' and what is typed'}")
    assert too_many(CASES) == []


def test_a_planted_third_touch_is_found() -> None:
    deep = Case("act", HOLDEM, ("hand",), on_spot(6, N.CANCEL, BetSpot(6), N.FOLDS), "6 fold")
    assert too_many((deep,)) == [deep]


ANSWERED: Final = {
    "out-of-turn": "out-of-turn 6",
    "acts-now": "acts-now 3",
    "chips-are": "chips-are 4 bet",
    "counted": "counted",
    "count-off": "count-off",
    "floor-came": "floor-came",
    "restart-checked": "restart-checked",
    "records-checked": "records-checked",
    "tags-checked": "tags-checked",
}
"""What only ever answers an alert: one touch on it."""
ELSEWHERE: Final = {
    "count": "a panel's key where a count pad is read: test_ui_screen",
}
NO_TOUCH: Final = {
    "clock": "time passes by itself",
    "unplug": "a tray is out",
    "plug": "a tray is back",
    "confirmed": "a key that came late, taken as a confirmation",
    "too-early": "a deal that was refused",
    "key-late": "a key that came after the turn had moved on",
}
"""What nobody does at a screen."""


@pytest.mark.parametrize("verb", ANSWERED)
def test_an_alert_is_answered_by_one_touch(verb: str) -> None:
    step = ANSWERED[verb]
    assert type(parse(step)) is VERBS[verb]
    alert = Alert(code="failed", level="question", choices=(Choice(label="checked", do=step),))
    _, sending = press(show(Screen(), TableView(sequence=7, alerts=(alert,))), Answer(0))
    assert sending is not None
    assert sending.do == step


def test_every_verb_that_people_do_has_touches() -> None:
    given_by_people = {
        verb for verb, kind in VERBS.items() if not issubclass(kind, Note) or kind.owner != "sensor"
    } - NO_TOUCH.keys()
    assert {case.verb for case in CASES} | ANSWERED.keys() | ELSEWHERE.keys() == given_by_people
