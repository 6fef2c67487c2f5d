"""Reference pages: what the service may answer to a screen that looks at something."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from controller.view import (
    Action,
    Alert,
    AlertLine,
    AlertsPage,
    AntennaLine,
    DealerShift,
    DeviceLine,
    DevicesPage,
    Did,
    GamesPage,
    GameView,
    HandLine,
    HandPage,
    HandSeat,
    HandsPage,
    KeyLine,
    Page,
    PhhPage,
    PlayerAccount,
    ReportPage,
    Share,
    Told,
    Values,
)

POT_LIMIT: Final = GameView(variant="omaha", structure="pot-limit", blinds=(5, 10))
STUD: Final = GameView(name="stud8", variant="stud8", structure="fixed-limit", ante=2, bets=(20, 20, 40, 40, 40))
BEGAN_S: Final = 16 * 3600 + 240
"""16:04: the first hand."""
A_HAND_S: Final = 150
AT_S: Final = BEGAN_S + 117 * A_HAND_S
"""When hand 117 began."""

OUT_OF_TURN: Final = Alert(
    code="out-of-turn", level="warning", values=Values(seat=4, turn=3, amount=30), rule="out-of-turn"
)
OVER_LIMIT: Final = Alert(
    code="over-limit", level="warning", values=Values(seat=5, amount=800, most=475), rule="over-limit"
)
TRAY_OFFLINE: Final = Alert(code="tray-offline", level="info", values=Values(seat=7), clears="technician")


def _hand_line(number: int) -> HandLine:
    began = BEGAN_S + number * A_HAND_S
    if number == 118:
        return HandLine(number=number, game=POT_LIMIT, began_s=began, round=2, pot=185)
    if number == 115:
        return HandLine(number=number, game=POT_LIMIT, began_s=began, round=1, ended="void", rulings=1)
    if number == 112:
        return HandLine(number=number, game=POT_LIMIT, began_s=began, round=1, ended="chopped")
    won = (Share(seat=5, amount=945), Share(seat=9, amount=240)) if number == 117 else (Share(seat=3, amount=95),)
    return HandLine(
        number=number,
        game=POT_LIMIT,
        began_s=began,
        round=4,
        ended="won",
        pot=sum(share.amount for share in won) + 4,
        won=won,
        rulings=2 if number == 117 else 0,
        whole=number > 99,
    )


HANDS_PAGE: Final = HandsPage(hands=tuple([_hand_line(number) for number in range(118, 98, -1)]), is_all=False)


def _acts(seat: int, did: Did, pot: int, betting_round: int, *rulings: Alert) -> Action:
    told = Told(step="declares", seat=seat, did=did, source="sensed")
    return Action(told=told, round=betting_round, pot=pot, by="dealer", at_s=AT_S + pot // 8, rulings=rulings)


def _did(verb: str, amount: int = 0) -> Did:
    return Did(verb=verb, amount=amount)  # type: ignore[arg-type]  # one of its verbs


HAND_PAGE: Final = HandPage(
    line=_hand_line(117),
    button=9,
    seats=(
        HandSeat(seat=3, name="ann", brought=1180, left=820),
        HandSeat(seat=4, name="Bartholomew-Kingsley", brought=640, left=630),
        HandSeat(seat=5, brought=905, left=1490, won=945),
        HandSeat(seat=9, name="陈先生", brought=1000, left=None, won=240),
    ),
    actions=(
        Action(told=Told(step="starts-hand"), round=1, pot=15, by="dealer", at_s=AT_S),
        _acts(4, _did("raise", 30), 15, 1, OUT_OF_TURN),
        _acts(3, _did("call", 10), 25, 1),
        Action(told=Told(step="floor-releases", seat=4), round=1, pot=25, by="floor", badge="Ms. Lam", at_s=AT_S + 4),
        _acts(4, _did("call", 10), 35, 1),
        _acts(5, _did("raise", 45), 80, 1),
        _acts(9, _did("call", 45), 115, 1),
        Action(told=Told(step="deals"), round=2, pot=160, by="dealer", at_s=AT_S + 20),
        _acts(5, _did("bet", 160), 320, 2),
        _acts(9, _did("call", 160), 480, 2),
        Action(told=Told(step="deals"), round=3, pot=480, by="dealer", at_s=AT_S + 61),
        _acts(5, _did("raise", 475), 955, 3, OVER_LIMIT),
        _acts(9, _did("all-in", 240), 1195, 3),
        Action(told=Told(step="awards", pot="main", seats=(5, 9)), round=4, pot=0, by="dealer", at_s=AT_S + A_HAND_S),
    ),
    rake=4,
)
PHH_PAGE: Final = PhhPage(
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
ALERTS_PAGE: Final = AlertsPage(
    alerts=(
        AlertLine(alert=TRAY_OFFLINE, raised_s=AT_S + 400, hand=118),
        AlertLine(alert=OVER_LIMIT, raised_s=AT_S + 90, cleared_s=AT_S + 95, by="dealer", hand=117),
        AlertLine(
            alert=OUT_OF_TURN,
            raised_s=AT_S + 20,
            cleared_s=AT_S + 30,
            by="floor",
            badge="Ms. Lam",
            hand=117,
        ),
        AlertLine(
            alert=Alert(code="owes", level="warning", values=Values(seat=4, amount=20)),
            raised_s=AT_S,
            cleared_s=AT_S + 4,
            by="itself",
            hand=117,
        ),
    ),
    since_s=18 * 3600,
)
REPORT_PAGE: Final = ReportPage(
    accounts={"rake": 142, "toke": 61, "adjustment": -5},
    players=(
        PlayerAccount(name="ann", seat=3, bought=1000, stack=820),
        PlayerAccount(name="Bartholomew-Kingsley", seat=4, bought=700, stack=630, owes=100),
        PlayerAccount(seat=5, bought=800, stack=1490),
        PlayerAccount(name="陈先生", seat=9, bought=1000, stack=None),
        PlayerAccount(name="lee", bought=500, cashed=262),
    ),
    dealers=(
        DealerShift(name="Rita", hands=60, accounts={"toke": 40, "rake": 80}),
        DealerShift(name="Omar", hands=58, accounts={"toke": 21, "rake": 62}),
    ),
    bought=3738,
    stacks=3540,
    hands=118,
    minutes=262,
    balances=True,
)
GAMES_PAGE: Final = GamesPage(
    games=(POT_LIMIT, STUD, GameView(name="limit", variant="holdem", structure="fixed-limit", bets=(10, 10, 20, 20))),
    mix=("main", "stud8", "limit"),
    buy_in=(200, 2000),
    rake="5 %",
    rake_cap=4,
)


def _antenna(seat: int) -> AntennaLine:
    if seat == 7:
        return AntennaLine(
            spot="bet7", reader="reader B", antenna=2, up=False, reads=480, failed=480, fault="silence", fault_age_s=1
        )
    return AntennaLine(
        spot=f"bet{seat}",
        reader="reader A" if seat < 6 else "reader B",
        antenna=seat if seat < 6 else seat - 5,
        up=True,
        tags=12 if seat in (3, 5) else 0,
        reads=511,
        failed=3 if seat == 2 else 0,
        age_ms=120,
    )


DEVICES_PAGE: Final = DevicesPage(
    antennas=tuple([_antenna(seat) for seat in range(1, 11)]),
    devices=(
        DeviceLine(
            name="reader A",
            kind="reader",
            up=True,
            port="/dev/reader-a",
            model="LRU1002",
            version="2.4.0",
            bad_frames=3,
        ),
        DeviceLine(name="reader B", kind="reader", reason="silence", port="/dev/reader-b", timeouts=24, reboots=2),
        DeviceLine(name="board 1", kind="board", up=True, port="/dev/board-1", version="1.2"),
    ),
    keys=(KeyLine(key="deal", presses=210, age_s=12), KeyLine(key="", seat=3, presses=40, age_s=90)),
    lamps=(5,),
    version="0.9.0",
    up_s=15_729,
    records="/var/lib/potkeeper/table.journal",
)

PAGES: Final[Mapping[str, Page]] = {
    "look hands": HANDS_PAGE,
    "look hand 117": HAND_PAGE,
    "look phh 117": PHH_PAGE,
    "look alerts": ALERTS_PAGE,
    "look report": REPORT_PAGE,
    "look games": GAMES_PAGE,
    "look devices": DEVICES_PAGE,
}
"""By the command that asks for it."""
