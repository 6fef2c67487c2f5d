"""Sample pages: replies of the service to the queries of a screen."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from controller.view import (
    ActionView,
    Alert,
    GameView,
    MessageValues,
    StepSummary,
    pages,
)

POT_LIMIT: Final = GameView(variant="omaha", structure="pot-limit", blinds=(5, 10))
STUD: Final = GameView(name="stud8", variant="stud8", structure="fixed-limit", ante=2, bets=(20, 20, 40, 40, 40))
SESSION_START_S: Final = 16 * 3600 + 240
"""Time of the first hand, 16:04, in seconds since midnight."""
HAND_DURATION_S: Final = 150
HAND_117_START_S: Final = SESSION_START_S + 117 * HAND_DURATION_S
"""Time of the start of hand 117, in seconds since midnight."""

OUT_OF_TURN: Final = Alert(
    code="out-of-turn", level="warning", values=MessageValues(seat=4, turn=3, amount=30), rule="out-of-turn"
)
OVER_LIMIT: Final = Alert(
    code="over-limit", level="warning", values=MessageValues(seat=5, amount=800, most=475), rule="over-limit"
)
TRAY_OFFLINE: Final = Alert(code="tray-offline", level="info", values=MessageValues(seat=7), clearable_by="technician")


def _hand_row(number: int) -> pages.HandRow:
    began_s = SESSION_START_S + number * HAND_DURATION_S
    if number == 118:
        return pages.HandRow(number=number, game=POT_LIMIT, began_s=began_s, round=2, pot=185)
    if number == 115:
        return pages.HandRow(number=number, game=POT_LIMIT, began_s=began_s, round=1, result="void", warning_count=1)
    if number == 112:
        return pages.HandRow(number=number, game=POT_LIMIT, began_s=began_s, round=1, result="chopped")
    awards = (
        (pages.SeatShare(seat=5, amount=945), pages.SeatShare(seat=9, amount=240))
        if number == 117
        else (pages.SeatShare(seat=3, amount=95),)
    )
    return pages.HandRow(
        number=number,
        game=POT_LIMIT,
        began_s=began_s,
        round=4,
        result="won",
        pot=sum(share.amount for share in awards) + 4,
        awards=awards,
        warning_count=2 if number == 117 else 0,
        is_complete=number > 99,
    )


HANDS_PAGE: Final = pages.HandsPage(
    hands=tuple([_hand_row(number) for number in range(118, 98, -1)]), is_complete=False
)


def _hand_action(seat: int, action: ActionView, pot: int, betting_round: int, *warnings: Alert) -> pages.HandAction:
    summary = StepSummary(step="declares", seat=seat, action=action, bet_source="sensed")
    return pages.HandAction(
        summary=summary, round=betting_round, pot=pot, by="dealer", at_s=HAND_117_START_S + pot // 8, warnings=warnings
    )


def _action_view(verb: str, amount: int = 0) -> ActionView:
    return ActionView(verb=verb, amount=amount)  # type: ignore[arg-type]  # callers pass only known verbs


HAND_PAGE: Final = pages.HandPage(
    summary=_hand_row(117),
    button=9,
    seats=(
        pages.HandSeat(seat=3, name="ann", stack_before=1180, stack_after=820),
        pages.HandSeat(seat=4, name="Bartholomew-Kingsley", stack_before=640, stack_after=630),
        pages.HandSeat(seat=5, stack_before=905, stack_after=1490, won=945),
        pages.HandSeat(seat=9, name="陈先生", stack_before=1000, stack_after=None, won=240),
    ),
    actions=(
        pages.HandAction(
            summary=StepSummary(step="starts-hand", hand_number=117),
            round=1,
            pot=15,
            by="dealer",
            at_s=HAND_117_START_S,
        ),
        _hand_action(4, _action_view("raise", 30), 15, 1, OUT_OF_TURN),
        _hand_action(3, _action_view("call", 10), 25, 1),
        pages.HandAction(
            summary=StepSummary(step="floor-releases", seat=4),
            round=1,
            pot=25,
            by="floor",
            badge="Ms. Lam",
            at_s=HAND_117_START_S + 4,
        ),
        _hand_action(4, _action_view("call", 10), 35, 1),
        _hand_action(5, _action_view("raise", 45), 80, 1),
        _hand_action(9, _action_view("call", 45), 115, 1),
        pages.HandAction(
            summary=StepSummary(step="deals", street=2, variant="omaha"),
            round=2,
            pot=160,
            by="dealer",
            at_s=HAND_117_START_S + 20,
        ),
        _hand_action(5, _action_view("bet", 160), 320, 2),
        _hand_action(9, _action_view("call", 160), 480, 2),
        pages.HandAction(
            summary=StepSummary(step="deals", street=3, variant="omaha"),
            round=3,
            pot=480,
            by="dealer",
            at_s=HAND_117_START_S + 61,
        ),
        _hand_action(5, _action_view("raise", 475), 955, 3, OVER_LIMIT),
        _hand_action(9, _action_view("all-in", 240), 1195, 3),
        pages.HandAction(
            summary=StepSummary(step="awards", pot="main", seats=(5, 9)),
            round=4,
            pot=0,
            by="dealer",
            at_s=HAND_117_START_S + HAND_DURATION_S,
        ),
    ),
    rake=4,
)
PHH_PAGE: Final = pages.PhhPage(
    hand=117,
    text="""variant = "PO"
ante_trimming_status = true
antes = [0, 0, 0, 0]
blinds_or_straddles = [5, 10, 0, 0]
min_bet = 10
starting_stacks = [1180, 640, 905, 1000]
actions = ["d dh p1 ????????", "d dh p2 ????????", "d dh p3 ????????", "d dh p4 ????????", "p3 cbr 45", "p4 cc", \
"p1 cc", "p2 f", "d db ??????", "p3 cbr 160", "p4 cc"]
hand = 117
table = "Table 4"
""",
)
ALERTS_PAGE: Final = pages.AlertsPage(
    alerts=(
        pages.AlertRow(alert=TRAY_OFFLINE, raised_s=HAND_117_START_S + 400, hand=118),
        pages.AlertRow(
            alert=OVER_LIMIT,
            raised_s=HAND_117_START_S + 90,
            cleared_s=HAND_117_START_S + 95,
            cleared_by="dealer",
            hand=117,
        ),
        pages.AlertRow(
            alert=OUT_OF_TURN,
            raised_s=HAND_117_START_S + 20,
            cleared_s=HAND_117_START_S + 30,
            cleared_by="floor",
            cleared_by_badge="Ms. Lam",
            hand=117,
        ),
        pages.AlertRow(
            alert=Alert(code="owes", level="warning", values=MessageValues(seat=4, amount=20)),
            raised_s=HAND_117_START_S,
            cleared_s=HAND_117_START_S + 4,
            cleared_by="itself",
            hand=117,
        ),
    ),
    since_s=18 * 3600,
)
REPORT_PAGE: Final = pages.ReportPage(
    accounts={"rake": 142, "toke": 61, "adjustment": -5},
    players=(
        pages.PlayerAccount(name="ann", seat=3, bought_in=1000, stack=820),
        pages.PlayerAccount(name="Bartholomew-Kingsley", seat=4, bought_in=700, stack=630, owed_on_markers=100),
        pages.PlayerAccount(seat=5, bought_in=800, stack=1490),
        pages.PlayerAccount(name="陈先生", seat=9, bought_in=1000, stack=None),
        pages.PlayerAccount(name="lee", bought_in=500, cashed_out=262),
    ),
    dealers=(
        pages.DealerShift(name="Rita", hands=60, accounts={"toke": 40, "rake": 80}, fills=1500),
        pages.DealerShift(name="Omar", hands=58, accounts={"toke": 21, "rake": 62}, credits=500),
    ),
    net_bought_in=3738,
    fills=1500,
    credits=500,
    stacks=3540,
    hands=118,
    minutes=262,
    is_balanced=True,
)
GAMES_PAGE: Final = pages.GamesPage(
    games=(POT_LIMIT, STUD, GameView(name="limit", variant="holdem", structure="fixed-limit", bets=(10, 10, 20, 20))),
    mix=("main", "stud8", "limit"),
    buy_in=(200, 2000),
    rake="5 %",
    rake_cap=4,
)


def _antenna_row(seat: int) -> pages.AntennaRow:
    if seat == 7:
        return pages.AntennaRow(
            spot="bet7", reader="reader B", antenna=2, up=False, reads=480, failed=480, fault="silence", fault_age_s=1
        )
    return pages.AntennaRow(
        spot=f"bet{seat}",
        reader="reader A" if seat < 6 else "reader B",
        antenna=seat if seat < 6 else seat - 5,
        up=True,
        tags=12 if seat in (3, 5) else 0,
        reads=511,
        failed=3 if seat == 2 else 0,
        age_ms=120,
    )


DEVICES_PAGE: Final = pages.DevicesPage(
    antennas=tuple([_antenna_row(seat) for seat in range(1, 11)]),
    devices=(
        pages.DeviceRow(
            name="reader A",
            kind="reader",
            up=True,
            port="/dev/reader-a",
            model="LRU1002",
            version="2.4.0",
            bad_frames=3,
        ),
        pages.DeviceRow(name="reader B", kind="reader", reason="silence", port="/dev/reader-b", timeouts=24, reboots=2),
        pages.DeviceRow(name="board 1", kind="board", up=True, port="/dev/board-1", version="1.2"),
    ),
    keys=(pages.KeyRow(key="deal", presses=210, age_s=12), pages.KeyRow(key="", seat=3, presses=40, age_s=90)),
    lamps=(5,),
    version="0.9.0",
    build="3fa94c1e0b7d5526c8e1a97f40d2b38c",
    uptime_s=15_729,
    journal_path="/var/lib/potkeeper/table.journal",
)

SET_UP_PAGE: Final = pages.SetUpPage(task="find", stage="chip", step=3, total=28, name="bet4")
SET_UP_RESULT: Final = pages.SetUpPage(
    task="find",
    stage="result",
    notes=(
        pages.SetUpNote(code="swapped", name="bet3", other="bet7"),
        pages.SetUpNote(code="moved", name="seat4", place="panel-low 6"),
        pages.SetUpNote(code="not-found", name="bet9"),
    ),
    can_write=True,
)

PAGES_BY_QUERY: Final[Mapping[str, pages.Page]] = {
    "look hands": HANDS_PAGE,
    "look hand 117": HAND_PAGE,
    "look phh 117": PHH_PAGE,
    "look alerts": ALERTS_PAGE,
    "look report": REPORT_PAGE,
    "look games": GAMES_PAGE,
    "look devices": DEVICES_PAGE,
    "look set-up": SET_UP_PAGE,
}
"""Sample pages, by the query for the page."""
