"""A whole evening by touches alone, as data: what happens, what is touched, and the steps that are sent by it.

The same touches are played on a table in this process (`test_ui_evening.py`) and on the real window.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from tests.ui.by_touch import digits
from ui.state import (
    HANDS,
    Answer,
    BetSpot,
    Letter,
    LookAt,
    NamedKey,
    Offered,
    PageKey,
    Part,
    PlaysGame,
    Seat,
    Target,
)

GAME: Final = """variant = "omaha"
structure = "pot-limit"
blinds = [5, 10]
unit = 5
buy_in = [100, 2000]
chop = true
new_player_posts = true
rake = { percent = 5, cap = 10, no_flop_no_drop = true }
start = "idle"
[games.stud]
variant = "stud8"
structure = "fixed-limit"
blinds = []
ante = 5
bring_in = 5
bets = [10, 10, 20, 20, 20]
[games.limit]
variant = "holdem"
structure = "fixed-limit"
bets = [10, 10, 20, 20]
straddle = "live"
kill = { factor = 2, pot = 100 }
"""
N: Final = NamedKey


class Scene(NamedTuple):
    """One thing that happens."""

    what: str
    touches: tuple[Target, ...]
    sends: tuple[str, ...]


def _amount(key: Target, amount: int, end: Target = N.OK) -> tuple[Target, ...]:
    """A key or spot, the digits, and the key that takes them."""
    return (key, *digits(amount), end)


def _name(name: str) -> tuple[Target, ...]:
    return (*(Letter(letter) for letter in name), N.OK)


def _game(name: str) -> tuple[Target, ...]:
    return (HANDS, LookAt("games"), PlaysGame(name), PageKey.CLOSE)


def _dealer(name: str) -> tuple[Target, ...]:
    return (HANDS, LookAt("games"), N.DEALER, *_name(name), PageKey.CLOSE)


F, C, R, DEAL, HAND, GIVE = N.FOLD, N.CALL, N.RAISE, N.DEAL, N.HAND, N.OK

OPENING: Final = (
    Scene("the table is closed and opened", (HANDS, LookAt("report"), N.CLOSES, N.OK), ("close",)),
    Scene("opened", (HANDS, LookAt("report"), N.OPENS, PageKey.CLOSE), ("open",)),
    Scene("lee deals", _dealer("lee"), ("dealer Lee",)),
    *(Scene("sits down", _amount(Seat(seat), 500, N.SIT), (f"{seat} sit 500",)) for seat in (1, 2, 4)),
    Scene("with a name", (Seat(3), N.NAME, *_name("ann"), *digits(500), N.SIT), ("3 sit 500 as Ann",)),
    Scene("with a name", (Seat(5), N.NAME, *_name("bo"), *digits(500), N.SIT), ("5 sit 500 as Bo",)),
    Scene("with a short stack", _amount(Seat(6), 100, N.SIT), ("6 sit 100",)),
)
POT_LIMIT: Final = (
    Scene("1: a side pot", (HAND, *_amount(R, 30), C, N.ALL_IN, F, F, F, C, C), (
        "hand", "4 raise to 30", "5 call", "6 all-in", "1 fold", "2 fold", "3 fold", "4 call", "5 call")),
    Scene("bets beside it", (DEAL, *_amount(R, 50), C, DEAL, C, C, DEAL, C, C), (
        "deal", "4 bet 50", "5 call", "deal", "4 check", "5 check", "deal", "4 check", "5 check")),
    Scene("the side pot first", (Seat(5), GIVE, Seat(6), GIVE), ("award side1 5", "award main 6")),
    Scene("2: a string bet", (HAND, C, *_amount(BetSpot(5), 25, N.ONE_CHIP), Answer(0)), (
        "hand", "5 call", "5 chips 25", "return 5")),
    Scene("called down", (
        F, F, F, F, C, DEAL, *_amount(R, 20), C, DEAL, *_amount(R, 50), C, DEAL, *_amount(R, 100), C, Seat(4), GIVE), (
        "6 fold", "1 fold", "2 fold", "3 fold", "4 check", "deal", "4 bet 20", "5 call", "deal", "4 bet 50", "5 call",
        "deal", "4 bet 100", "5 call", "award main 4")),
    Scene("3: a raise out of turn", (HAND, *_amount(BetSpot(2), 30, N.RAISES), Answer(1), Answer(0)), (
        "hand", "2 raise to 30", "out-of-turn 2", "here 6")),
    Scene("it stands by itself", (F, F, F, F, F, N.AWARD), (
        "6 fold", "1 fold", "3 fold", "4 fold", "5 fold", "award main 2")),
    Scene("4: a bet over the pot", (HAND, *_amount(R, 90), Answer(0), F, F, F, F, F, N.AWARD), (
        "hand", "1 raise to 90", "return 1", "2 fold", "3 fold", "4 fold", "5 fold", "6 fold", "award main 1")),
    Scene("5: a raise that was another, with callers", (
        HAND, *_amount(R, 20), C, C, C, *_amount(BetSpot(2), 30, N.WAS)), (
        "hand", "2 raise to 20", "3 call", "4 call", "5 call", "2 was 30")),
    Scene("bet and taken", (F, F, DEAL, *_amount(R, 50), F, F, F, N.AWARD), (
        "6 fold", "1 fold", "deal", "2 bet 50", "3 fold", "4 fold", "5 fold", "award main 2")),
    Scene("6: the floor", (HAND, C, BetSpot(4), N.DEAD, F, F, F, C, DEAL, C, *_amount(R, 20), F, N.AWARD), (
        "hand", "3 call", "floor dead 4", "5 fold", "6 fold", "1 fold", "2 check", "deal", "2 check", "3 bet 20",
        "2 fold", "award main 3")),
    Scene("7: a split with an odd chip", (
        HAND, C, F, F, F, F, C, DEAL, *_amount(R, 20), C, DEAL, *_amount(R, 50), C, DEAL, *_amount(R, 100), C), (
        "hand", "4 call", "5 fold", "6 fold", "1 fold", "2 fold", "3 check", "deal", "3 bet 20", "4 call", "deal",
        "3 bet 50", "4 call", "deal", "3 bet 100", "4 call")),
    Scene("split", (Seat(3), Seat(4), GIVE), ("award main 3 4",)),
    Scene("8: a chop", (HAND, F, F, F, F, Offered(0)), ("hand", "5 fold", "6 fold", "1 fold", "2 fold", "chop")),
)  # fmt: skip
STUD: Final = (
    Scene("stud high-low", _game("stud"), ("game stud",)),
    Scene("9: with a bring-in", (HAND, Seat(6), C, F, F, R, F, F, C), (
        "hand", "bring-in 6", "6 call", "1 fold", "2 fold", "3 complete", "4 fold", "5 fold", "6 call")),
    *(
        Scene("a street", (DEAL, Seat(3), R, C), ("deal", "first 3", f"3 bet {bet}", "6 call"))
        for bet in (10, 20, 20, 20)
    ),
    Scene("halves", (Seat(3), Part("high"), Part("low"), Seat(6), GIVE), ("award main high 3 low 6",)),
)  # fmt: skip
LIMIT: Final = (
    Scene("limit hold'em", _game("limit"), ("game limit",)),
    Scene("10: a pot that makes a kill", (HAND, R, C, C, C, F, F, DEAL, R, C, F, F, DEAL, R, C, DEAL, R, C), (
        "hand", "6 raise to 20", "1 call", "2 call", "3 call", "4 fold", "5 fold", "deal", "6 bet 10", "1 call",
        "2 fold", "3 fold", "deal", "6 bet 20", "1 call", "deal", "6 bet 20", "1 call")),
    Scene("to the killer", (Seat(1), GIVE), ("award main 1",)),
    Scene("11: the kill", (HAND, F, F, F, F, F, N.AWARD), (
        "hand", "2 fold", "3 fold", "4 fold", "5 fold", "6 fold", "award main 1")),
    Scene("one moves", (Seat(5), N.MOVES, Seat(8)), ("5 moves 8",)),
    Scene("one comes from another table", _amount(Seat(9), 300, N.TRANSFER), ("9 sit 300 transfer",)),
    Scene("a tip", _amount(Seat(1), 5, N.TIP), ("1 tip 5",)),
    Scene("time", _amount(Seat(2), 10, N.TIME), ("2 time 10",)),
    Scene("kim deals", _dealer("kim"), ("dealer Kim",)),
    Scene("12: a post and a straddle", (HAND, Seat(9), Offered(0), BetSpot(9), Offered(0)), (
        "hand", "9 post", "9 straddle 20")),
    Scene("folded to the straddle", (F, F, F, F, F, F, N.AWARD), (
        "1 fold", "2 fold", "3 fold", "4 fold", "6 fold", "8 fold", "award main 9")),
)  # fmt: skip
CLOSING: Final = (Scene("closed with the report", (HANDS, LookAt("report"), N.CLOSES, N.OK), ("close",)),)
EVENING: Final = (*OPENING, *POT_LIMIT, *STUD, *LIMIT, *CLOSING)
HANDS_PLAYED: Final = 12
BOUGHT: Final = 5 * 500 + 100 + 300
"""Chips that came to the table."""
