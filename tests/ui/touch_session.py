"""A session of twelve hands that is played with touches only, as data.

Each part of the session has a title, touches, and the steps that these touches send. `test_ui_touch_session.py` plays
the session on a table in its own process. The end-to-end tests play the session in the real window.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from tests.ui.touch_table import digit_touches
from ui.state import (
    AlertAnswer,
    AwardPart,
    BetSpot,
    GameChoice,
    HeldSeat,
    LetterKey,
    NamedKey,
    OfferedStep,
    PageKey,
    PageRequest,
    SeatTile,
    Target,
    page_state,
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


class SessionPart(NamedTuple):
    """A part of the session: its title, its touches, and the steps that the touches send."""

    title: str
    touches: tuple[Target, ...]
    steps: tuple[str, ...]


def _amount(key: Target, amount: int, confirm_key: Target = N.OK) -> tuple[Target, ...]:
    """Return the touches that enter an amount: on an opening key, on the digits, and on a final key."""
    return (key, *digit_touches(amount), confirm_key)


def _name(name: str) -> tuple[Target, ...]:
    return (*(LetterKey(letter) for letter in name), N.OK)


def _game(name: str) -> tuple[Target, ...]:
    return (N.MENU, page_state.GAMES_REQUEST, GameChoice(name))


def _dealer(name: str) -> tuple[Target, ...]:
    return (N.MENU, page_state.GAMES_REQUEST, N.DEALER_NAME, *_name(name), PageKey.CLOSE)


F, C, R, DEAL, HAND, GIVE = N.FOLD, N.CALL, N.RAISE, N.DEAL, N.NEXT_HAND, N.OK

OPENING: Final = (
    SessionPart(
        "the table is closed",
        (N.MENU, page_state.GAMES_REQUEST, N.CLOSE_TABLE, N.OK),
        ("close",),
    ),
    SessionPart(
        "the table is opened",
        (PageRequest("report"), N.OPEN_TABLE, N.OK, PageKey.CLOSE),
        ("open",),
    ),
    SessionPart("lee deals", _dealer("lee"), ("dealer Lee",)),
    *(
        SessionPart("a player sits down", _amount(SeatTile(seat), 500, N.SIT), (f"{seat} sit 500",))
        for seat in (1, 2, 4)
    ),
    SessionPart(
        "a player sits down with a name",
        (SeatTile(3), N.PLAYER_NAME, *_name("ann"), *digit_touches(500), N.SIT),
        ("3 sit 500 as Ann",),
    ),
    SessionPart(
        "a player sits down with a name",
        (SeatTile(5), N.PLAYER_NAME, *_name("bo"), *digit_touches(500), N.SIT),
        ("5 sit 500 as Bo",),
    ),
    SessionPart("a player sits down with a short stack", _amount(SeatTile(6), 100, N.SIT), ("6 sit 100",)),
)
POT_LIMIT: Final = (
    SessionPart("1: a side pot", (HAND, *_amount(R, 30), C, N.ALL_IN, F, F, F, C, C), (
        "hand", "4 raise to 30", "5 call", "6 all-in", "1 fold", "2 fold", "3 fold", "4 call", "5 call")),
    SessionPart("bets into the side pot", (DEAL, *_amount(R, 50), C, DEAL, C, C, DEAL, C, C), (
        "deal", "4 bet 50", "5 call", "deal", "4 check", "5 check", "deal", "4 check", "5 check")),
    SessionPart("the side pot is awarded first", (SeatTile(5), GIVE, SeatTile(6), GIVE), (
        "award side1 5", "award main 6")),
    SessionPart("2: a string bet", (HAND, C, *_amount(BetSpot(5), 25, N.ONE_CHIP), AlertAnswer(0)), (
        "hand", "5 call", "5 chips 25", "return 5")),
    SessionPart("the hand is called down", (
        F, F, F, F, C, DEAL, *_amount(R, 20), C, DEAL, *_amount(R, 50), C, DEAL, *_amount(R, 100), C,
        SeatTile(4), GIVE), (
        "6 fold", "1 fold", "2 fold", "3 fold", "4 check", "deal", "4 bet 20", "5 call", "deal", "4 bet 50", "5 call",
        "deal", "4 bet 100", "5 call", "award main 4")),
    SessionPart("3: a raise out of turn", (
        HAND, *_amount(SeatTile(2), 30, N.SEAT_RAISE), AlertAnswer(1), AlertAnswer(0)), (
        "hand", "2 raise to 30", "out-of-turn 2", "here 6")),
    SessionPart("the held raise is binding", (F, F, F, F, F, N.AWARD), (
        "6 fold", "1 fold", "3 fold", "4 fold", "5 fold", "award main 2")),
    SessionPart("4: a raise above the pot", (HAND, *_amount(R, 90), AlertAnswer(0), F, F, F, F, F, N.AWARD), (
        "hand", "1 raise to 90", "return 1", "2 fold", "3 fold", "4 fold", "5 fold", "6 fold", "award main 1")),
    SessionPart("5: a raise with callers is corrected", (
        HAND, *_amount(R, 20), C, C, C, *_amount(BetSpot(2), 30, N.CORRECT_WAGER)), (
        "hand", "2 raise to 20", "3 call", "4 call", "5 call", "2 was 30")),
    SessionPart("a bet wins the pot", (F, F, DEAL, *_amount(R, 50), F, F, F, N.AWARD), (
        "6 fold", "1 fold", "deal", "2 bet 50", "3 fold", "4 fold", "5 fold", "award main 2")),
    SessionPart("6: the floor kills a hand", (
        HAND, C, N.MENU, N.FLOOR_RULING, N.FLOOR_KILL_HAND, SeatTile(4), F, F, F, C, DEAL, C, *_amount(R, 20), F,
        N.AWARD), (
        "hand", "3 call", "floor dead 4", "5 fold", "6 fold", "1 fold", "2 check", "deal", "2 check", "3 bet 20",
        "2 fold", "award main 3")),
    SessionPart("7: a split with an odd chip", (
        HAND, C, HeldSeat(3), C, DEAL, *_amount(R, 20), C, DEAL, *_amount(R, 50), C, DEAL, *_amount(R, 100), C), (
        "hand", "4 call", "here 3", "3 check", "deal", "3 bet 20", "4 call", "deal",
        "3 bet 50", "4 call", "deal", "3 bet 100", "4 call")),
    SessionPart("the pot is split", (SeatTile(3), SeatTile(4), GIVE), ("award main 3 4",)),
    SessionPart("8: a chop", (HAND, F, F, F, F, OfferedStep(0)), (
        "hand", "5 fold", "6 fold", "1 fold", "2 fold", "chop")),
)  # fmt: skip
STUD: Final = (
    SessionPart("stud high-low", _game("stud"), ("game stud",)),
    SessionPart("9: with a bring-in", (HAND, SeatTile(6), C, F, F, R, F, F, C), (
        "hand", "bring-in 6", "6 call", "1 fold", "2 fold", "3 complete", "4 fold", "5 fold", "6 call")),
    *(
        SessionPart("a stud street", (DEAL, SeatTile(3), R, C), ("deal", "first 3", f"3 bet {bet}", "6 call"))
        for bet in (10, 20, 20, 20)
    ),
    SessionPart("the pot is split into halves", (SeatTile(3), AwardPart("high"), SeatTile(6), GIVE), (
        "award main high 3 low 6",)),
)  # fmt: skip
LIMIT: Final = (
    SessionPart("limit hold'em", _game("limit"), ("game limit",)),
    SessionPart("10: a large pot causes a kill", (HAND, R, C, C, C, F, F, DEAL, R, C, F, F, DEAL, R, C, DEAL, R, C), (
        "hand", "6 raise to 20", "1 call", "2 call", "3 call", "4 fold", "5 fold", "deal", "6 bet 10", "1 call",
        "2 fold", "3 fold", "deal", "6 bet 20", "1 call", "deal", "6 bet 20", "1 call")),
    SessionPart("the killer wins", (SeatTile(1), GIVE), ("award main 1",)),
    SessionPart("11: the kill hand", (HAND, F, F, F, F, F, N.AWARD), (
        "hand", "2 fold", "3 fold", "4 fold", "5 fold", "6 fold", "award main 1")),
    SessionPart("a player changes seats", (SeatTile(5), N.CHANGE_SEAT, SeatTile(8)), ("5 moves 8",)),
    SessionPart("a player arrives from another table", (
        SeatTile(9), N.OPEN_MORE, *digit_touches(300), N.SIT_TRANSFER), (
        "9 sit 300 transfer",)),
    SessionPart("a tip", _amount(SeatTile(1), 5, N.TIP), ("1 tip 5",)),
    SessionPart("time is paid", (SeatTile(2), N.OPEN_MORE, *digit_touches(10), N.PAY_TIME), ("2 time 10",)),
    SessionPart("kim deals", _dealer("kim"), ("dealer Kim",)),
    SessionPart("12: a post and a straddle", (HAND, SeatTile(9), OfferedStep(0), BetSpot(9), OfferedStep(0)), (
        "hand", "9 post", "9 straddle 20")),
    SessionPart("all seats fold to the straddle", (F, F, F, F, F, F, N.AWARD), (
        "1 fold", "2 fold", "3 fold", "4 fold", "6 fold", "8 fold", "award main 9")),
)  # fmt: skip
CLOSING: Final = (
    SessionPart(
        "the table is closed on the report page",
        (N.MENU, page_state.GAMES_REQUEST, N.CLOSE_TABLE, N.OK),
        ("close",),
    ),
)
TOUCH_SESSION: Final = (*OPENING, *POT_LIMIT, *STUD, *LIMIT, *CLOSING)
HANDS_PLAYED: Final = 12
TOTAL_BOUGHT_IN: Final = 5 * 500 + 100 + 300
"""Total amount of the chips that players brought to the table."""
