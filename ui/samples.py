"""Reference views: what a screen has to be able to show. For tests, pictures and try-outs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import msgspec

from controller.view import Alert, Choice, Device, Money, PotView, Rule, SeatView, TableView
from ui.state import BetSpot, Digit, NamedKey, Seat, Target


@dataclass(frozen=True, slots=True)
class Sample:
    """A view, the targets touched on it before it is looked at, and whether the service is still there."""

    name: str
    view: TableView
    touches: tuple[Target, ...] = ()
    live: bool = True


def _seat(seat: int, status: Any, stack: int | None, bet: int = 0, last: str = "", **more: Any) -> SeatView:
    return SeatView(
        seat=seat,
        status=status,
        stack=stack,
        bet=bet,
        last=last,
        bet_source=more.pop("source", "sensed" if bet else "book"),
        tray=more.pop("tray", "ok"),
        **more,
    )


def _pot_limit() -> TableView:
    """Nine seats, a bet and a raise before the flop's third seat: call 60, raise 100 to 305."""
    return TableView(
        sequence=101,
        table="Table 4",
        game="Omaha pot-limit 5/10",
        hand=118,
        street="Flop",
        round=2,
        phase="betting",
        money=Money(),
        unit=5,
        pot=185,
        pots=(PotView(name="main", amount=185, seats=(1, 3, 5, 7, 8)),),
        turn=5,
        to_call=60,
        min_raise_to=100,
        max_raise_to=305,
        limit="pot",
        may=("call", "fold", "raise"),
        button=9,
        seats=(
            _seat(1, "acted", 1180, 20, "bet 20"),
            _seat(2, "folded", 455),
            _seat(3, "acted", 890, 60, "raise to 60", name="ann"),
            _seat(4, "folded", 2310),
            _seat(5, "to-act", 1475),
            _seat(6, "folded", 640),
            _seat(7, "waiting", 3125, name="lee"),
            _seat(8, "waiting", 905),
            _seat(9, "folded", 1000, button=True),
        ),
        undo="seat 4 folds",
        devices=(Device(name="reader A", up=True), Device(name="board 1", up=True)),
        accounts={"rake": 42},
        told="seat 4 folds",
    )


def _replace(view: TableView, **changes: Any) -> TableView:
    return msgspec.structs.replace(view, **changes)


def _with_seats(view: TableView, *changed: SeatView, **changes: Any) -> TableView:
    by_number = {seat.seat: seat for seat in changed}
    return _replace(view, seats=tuple(by_number.get(seat.seat, seat) for seat in view.seats), **changes)


OUT_OF_TURN_RULE = Rule(
    book="Robert's Rules",
    number="3.B.10",
    text="Action out of turn stands when the turn reaches the player and the action to it has not changed.",
)


def _side_pots() -> TableView:
    return TableView(
        sequence=102,
        table="Table 4",
        game="Omaha pot-limit 5/10",
        hand=119,
        street="Turn",
        round=3,
        phase="betting",
        unit=5,
        pot=6420,
        pots=(
            PotView(name="main", amount=2400, seats=(1, 3, 5, 8, 9)),
            PotView(name="side1", amount=2220, seats=(1, 5, 8, 9)),
            PotView(name="side2", amount=1800, seats=(1, 8, 9)),
        ),
        turn=9,
        to_call=850,
        min_raise_to=1700,
        max_raise_to=4475,
        limit="stack",
        may=("call", "fold", "raise"),
        button=4,
        seats=(
            _seat(1, "acted", 2450, 850, "call"),
            _seat(2, "folded", 455),
            _seat(3, "all-in", 0, 0, "all-in"),
            _seat(4, "away", 2310, button=True),
            _seat(5, "all-in", 0, 300, "all-in"),
            _seat(6, "empty", 0, tray="none"),
            _seat(7, "folded", 3125),
            _seat(8, "all-in", 0, 850, "raise to 850", source="confirmed"),
            _seat(9, "to-act", 4475),
        ),
        undo="seat 8 raises to 850, all-in",
        accounts={"rake": 42},
        told="seat 1 calls 850 (sensed)",
    )


def _alerts() -> tuple[Sample, ...]:
    base = _pot_limit()
    question = Alert(
        key="out-of-turn 8",
        code="out-of-turn",
        level="question",
        seat=8,
        title="Chips at seat 8: the action is on 5",
        text="5 and 7 folded? Or did 8 act out of turn?",
        choices=(Choice(label="5, 7 FOLDED", do="here 8"), Choice(label="OUT OF TURN", do="8 said call")),
        rule=OUT_OF_TURN_RULE,
    )
    warning = Alert(
        key="out-of-turn 8",
        code="out-of-turn",
        level="warning",
        seat=8,
        title="Seat 8 called out of turn",
        text="Held: 60. The action is on seat 5. It stands if nobody bets, calls or raises before 8.",
        choices=(Choice(label="RELEASE", do="floor release 8"), Choice(label="IT STANDS", do="floor bind 8")),
        rule=OUT_OF_TURN_RULE,
    )
    over = Alert(
        key="over-limit 5",
        code="over-limit",
        level="warning",
        seat=5,
        title="Over the pot: 320, the most is 305",
        text="Push 15 back to seat 5.",
        choices=(Choice(label="PUSHED BACK", do="return 5"), Choice(label="WRONG COUNT", do="undo")),
        rule=Rule(book="Robert's Rules", number="14.5", text="A bet over the pot is reduced to the pot."),
    )
    offline = Alert(
        key="tray 7",
        code="tray-offline",
        level="info",
        seat=7,
        title="Tray of seat 7 is offline",
        text="Key in the bets of seat 7. Call the technician after the hand.",
    )
    waits = _with_seats(base, _seat(8, "waiting", 905, 0, seen=60, tray="unsettled"), provisional=True)
    held = _with_seats(base, _seat(8, "waiting", 905, 0, held="call", seen=60))
    return (
        Sample("out-of-turn-question", _replace(waits, alerts=(question,), sequence=103)),
        Sample("out-of-turn-warning", _replace(held, alerts=(warning, offline), sequence=104)),
        Sample("rule", _replace(held, alerts=(warning,), sequence=104), (NamedKey.RULE,)),
        Sample("over-pot", _over_pot(base, over)),
        Sample("tray-offline", _offline(base, offline)),
    )


def _over_pot(base: TableView, alert: Alert) -> TableView:
    return _with_seats(
        base,
        _seat(5, "acted", 1170, 305, "raise to 305", due_back=15),
        _seat(7, "to-act", 3125, name="lee"),
        alerts=(alert,),
        sequence=105,
        pot=490,
        turn=7,
        to_call=305,
        min_raise_to=550,
        max_raise_to=1100,
        next=(Choice(label="PUSH BACK 15: SEAT 5", do="return 5"),),
        undo="seat 5 raises to 305",
        told="seat 5 raises to 305 (sensed), 15 due back",
    )


def _offline(base: TableView, alert: Alert) -> TableView:
    return _with_seats(
        base,
        _seat(7, "to-act", 3125, 0, tray="offline", name="lee"),
        _seat(5, "acted", 1415, 60, "call", source="keyed"),
        alerts=(alert,),
        sequence=106,
        turn=7,
        pot=245,
        max_raise_to=365,
        sensors="partly",
        devices=(Device(name="reader B", up=False, text="check the cable"),),
        undo="seat 5 calls 60",
        told="seat 5 calls 60 (keyed)",
    )


def _owes() -> TableView:
    return _with_seats(
        _pot_limit(),
        _seat(5, "acted", 1405, 70, "raise to 100", owes=30, seen=5, at_least=True, unknown_chips=2),
        _seat(7, "to-act", 3125, name="lee"),
        sequence=107,
        provisional=True,
        turn=7,
        to_call=100,
        min_raise_to=140,
        max_raise_to=425,
        undo="seat 5 raises to 100",
        told="seat 5 raises to 100, owes 30",
        alerts=(
            Alert(
                key="under-raise 5",
                code="under-raise",
                level="warning",
                seat=5,
                title="Raise is short: seat 5 owes 30",
                text="At least half of a raise was put in: it is made good to 100.",
                choices=(Choice(label="IT IS A CALL", do="5 said call"),),
            ),
        ),
    )


def _idle() -> TableView:
    seats = tuple(
        _seat(n, status, stack, tray="ok", name=name)
        for n, status, stack, name in (
            (1, "waiting", 1180, "ben"),
            (2, "waiting", 455, "cho"),
            (3, "waiting", 890, "ann"),
            (4, "away", 2310, "dee"),
            (5, "empty", 0, ""),
            (6, "waiting", None, "fay"),
        )
    )
    return TableView(
        sequence=108,
        table="Table 4",
        game="Hold'em no-limit 1/2",
        hand=120,
        phase="idle",
        money=Money(prefix="$"),
        button=2,
        seats=seats,
        undo="pot 62 to seat 3",
        next=(Choice(label="NEXT HAND", do="hand"),),
        told="pot $62 to seat 3",
    )


def _no_limit() -> TableView:
    return TableView(
        sequence=109,
        table="Table 1",
        game="Hold'em no-limit 1/2",
        hand=12,
        street="Preflop",
        round=1,
        phase="betting",
        money=Money(prefix="$", decimals=2),
        unit=50,
        show_pot="on-request",
        pot=3050,
        pots=(PotView(name="main", amount=3050, seats=(1, 2, 3, 4, 5, 6)),),
        turn=3,
        to_call=1250,
        min_raise_to=2250,
        max_raise_to=32550,
        limit="stack",
        may=("call", "fold", "raise"),
        button=6,
        seats=(
            _seat(1, "waiting", 19900, 100, blind=100),
            _seat(2, "acted", 20150, 1250, "raise to $12.50", source="keyed"),
            _seat(3, "to-act", 32550),
            _seat(4, "waiting", 8000, presumed=""),
            _seat(5, "waiting", None),
            _seat(6, "folded", 20000, presumed="fold", button=True),
        ),
        undo="seat 6 folds",
        told="seat 6 folds (presumed)",
    )


def _ten_seats() -> TableView:
    """Everything at once: ten seats, long amounts, every mark."""
    return TableView(
        sequence=110,
        table="Table 10",
        game="Omaha pot-limit 500/1,000",
        hand=2041,
        street="Pre-flop",
        round=1,
        phase="betting",
        unit=100,
        pot=1_284_500,
        pots=(
            PotView(name="main", amount=684_500, seats=(1, 2, 3, 4, 6, 7, 8, 9, 10)),
            PotView(name="side1", amount=300_000, seats=(2, 4, 6, 7, 9, 10)),
            PotView(name="side2", amount=200_000, seats=(4, 6, 7, 9)),
            PotView(name="side3", amount=100_000, seats=(4, 9)),
        ),
        turn=4,
        to_call=84_500,
        min_raise_to=169_000,
        max_raise_to=1_538_000,
        limit="pot",
        provisional=True,
        may=("call", "fold", "raise"),
        button=10,
        seats=(
            _seat(1, "acted", 218_000, 84_500, "call", blind=500, name="alexandra"),
            _seat(2, "acted", None, 84_500, "call", due_back=15_500, seen=2_500, source="confirmed"),
            _seat(3, "all-in", 0, 62_000, "all-in", tray="offline", source="keyed"),
            _seat(4, "to-act", 1_475_000, 1_000, blind=1_000, seen=84_500, at_least=True),
            _seat(5, "folded", 940_000, presumed="fold"),
            _seat(6, "waiting", 1_640_000, held="raise to 250,000", seen=250_000),
            _seat(7, "waiting", 312_500, 0, owes=12_500, unknown_chips=3),
            _seat(8, "all-in", 0, 84_500, "call"),
            _seat(9, "waiting", 905_000, 0, tray="unsettled", seen=100),
            _seat(10, "waiting", 1_000_000, 0, name="zoe", unknown_chips=1),
        ),
        undo="seat 5 folds (presumed)",
        accounts={"rake": 4_200, "jackpot": 100, "adjustment": -500},
        told="the action is on seat 4",
    )


def _closed() -> TableView:
    return _with_seats(
        _side_pots(),
        _seat(9, "acted", 3625, 850, "call"),
        sequence=111,
        phase="closed",
        turn=None,
        to_call=None,
        may=(),
        pot=7270,
        street="River",
        undo="seat 9 calls",
        next=(Choice(label="AWARD", do="award main"),),
        told="seat 9 calls 850 (sensed)",
    )


def samples() -> tuple[Sample, ...]:
    """All reference views, in the order in which the pictures are numbered."""
    pot_limit, closed, idle = _pot_limit(), _closed(), _idle()
    deal = _replace(closed, street="Turn", next=(Choice(label="DEAL RIVER", do="deal"),), alerts=(), sequence=112)
    return (
        Sample("pot-limit", pot_limit),
        Sample("side-pots", _side_pots()),
        *_alerts(),
        Sample("owes", _owes()),
        Sample("idle", idle),
        Sample("no-limit", _no_limit()),
        Sample("ten-seats", _ten_seats()),
        Sample("closed", deal),
        Sample("number-pad", pot_limit, (NamedKey.RAISE, Digit("2"), Digit("00"))),
        Sample("correct", pot_limit, (NamedKey.CORRECT,)),
        Sample("correct-seat", pot_limit, (BetSpot(3), Digit("8"), Digit("0"))),
        Sample("sit", idle, (Seat(5), Digit("2"), Digit("00"))),
        Sample("award", closed, (NamedKey.AWARD, Seat(5), Seat(9))),
        Sample("disconnected", pot_limit, live=False),
    )
