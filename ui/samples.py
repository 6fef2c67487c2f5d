"""Reference views: what a screen has to be able to show. For tests, pictures and try-outs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import msgspec

from controller.view import (
    Alert,
    BetSource,
    Choice,
    Device,
    Did,
    DidVerb,
    GameView,
    LevelView,
    Money,
    Page,
    PotView,
    SeatView,
    TableView,
    Told,
    Values,
)
from ui import page_samples
from ui.betting_samples import with_bounds
from ui.large import large
from ui.scene import LOOK, Look, Scene, lay_out, lay_out_players
from ui.state import (
    TABS,
    BetSpot,
    Bound,
    Digit,
    Letter,
    LookAt,
    NamedKey,
    PageKey,
    Say,
    Screen,
    Seat,
    Target,
    answered,
    lose,
    press,
    show,
)


@dataclass(frozen=True, slots=True)
class Sample:
    """A view, the targets touched on it before it is looked at, and whether the service is still there."""

    name: str
    view: TableView
    touches: tuple[Target, ...] = ()
    live: bool = True
    answer: Page | None = None
    """What the service answers to them."""
    players: bool = False
    """It is the players' display."""

    @property
    def screen(self) -> Screen:
        """The dealer's screen with it: shown, touched, answered, and live or not."""
        screen = show(Screen(), self.view)
        for target in self.touches:
            screen, _ = press(screen, target)
        if self.answer is not None:
            screen = answered(screen, self.answer)
        return screen if self.live else lose(screen, Say("connection-ended"))

    def scene(self, look: Look = LOOK) -> Scene:
        """What is seen of it, by the dealer or by the players."""
        return (lay_out_players if self.players else lay_out)(self.screen, look)


def _did(verb: DidVerb, amount: int = 0, *, all_in: bool = False) -> Did:
    return Did(verb=verb, amount=amount, all_in=all_in)


def _told(seat: int, did: Did, source: BetSource = "book") -> Told:
    return Told(step="declares", seat=seat, did=did, source=source)


CALL, FOLD, ALL_IN = _did("call"), _did("fold"), _did("all-in")
POT_LIMIT = GameView(variant="omaha", structure="pot-limit", blinds=(5, 10))
NO_LIMIT = GameView(structure="no-limit", blinds=(1, 2))


def _seat(seat: int, status: Any, stack: int | None, bet: int = 0, last: Did | None = None, **more: Any) -> SeatView:
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
        game=POT_LIMIT,
        hand=118,
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
            _seat(1, "acted", 1180, 20, _did("bet", 20)),
            _seat(2, "folded", 455),
            _seat(3, "acted", 890, 60, _did("raise", 60), name="ann"),
            _seat(4, "folded", 2310),
            _seat(5, "to-act", 1475),
            _seat(6, "folded", 640),
            _seat(7, "waiting", 3125, name="lee"),
            _seat(8, "waiting", 905),
            _seat(9, "folded", 1000, button=True),
        ),
        undo=_told(4, FOLD),
        devices=(Device(name="reader A", up=True), Device(name="board 1", up=True)),
        accounts={"rake": 42},
        told=_told(4, FOLD),
    )


def _replace(view: TableView, **changes: Any) -> TableView:
    return msgspec.structs.replace(view, **changes)


def _with_seats(view: TableView, *changed: SeatView, **changes: Any) -> TableView:
    by_number = {seat.seat: seat for seat in changed}
    return _replace(view, seats=tuple(by_number.get(seat.seat, seat) for seat in view.seats), **changes)


def _side_pots() -> TableView:
    return TableView(
        sequence=102,
        table="Table 4",
        game=POT_LIMIT,
        hand=119,
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
            _seat(1, "acted", 2450, 850, CALL),
            _seat(2, "folded", 455),
            _seat(3, "all-in", 0, 0, ALL_IN),
            _seat(4, "away", 2310, button=True),
            _seat(5, "all-in", 0, 300, ALL_IN),
            _seat(6, "empty", 0, tray="none"),
            _seat(7, "folded", 3125),
            _seat(8, "all-in", 0, 850, _did("raise", 850), source="confirmed"),
            _seat(9, "to-act", 4475),
        ),
        undo=_told(8, _did("raise", 850, all_in=True)),
        accounts={"rake": 42},
        told=_told(1, _did("call", 850), "sensed"),
    )


def _alerts() -> tuple[Sample, ...]:
    base = _pot_limit()
    question = Alert(
        code="behind-the-turn",
        level="question",
        values=Values(seat=8, turn=5, seats=(5, 7), did="folded"),
        choices=(
            Choice(label="they-folded", do="here 8", values=Values(seats=(5, 7))),
            Choice(label="out-of-turn", do="out-of-turn 8"),
        ),
        rule="out-of-turn",
    )
    warning = Alert(
        code="out-of-turn",
        level="warning",
        values=Values(seat=8, turn=5, held=_did("call", 60)),
        choices=(
            Choice(label="action-is-on", do="here 5", values=Values(turn=5)),
            Choice(label="it-stands", do="floor bind 8"),
            Choice(label="give-it-back", do="floor release 8"),
        ),
        rule="out-of-turn",
    )
    over = Alert(
        code="over-limit",
        level="warning",
        values=Values(seat=5, amount=320, most=305),
        choices=(
            Choice(label="push-back", do="return 5", values=Values(amount=15)),
            Choice(label="raise-was-said", do="5 said raise"),
        ),
        rule="over-limit",
    )
    own_stack = Alert(
        code="own-stack",
        level="question",
        values=Values(seat=8, turn=8, amount=600),
        choices=(
            Choice(label="own-stack", do="chips-are 8 nothing"),
            Choice(label="they-are-bet", do="chips-are 8 bet", values=Values(amount=600)),
            Choice(label="they-are-bet", do="chips-are 8 of 125", values=Values(amount=125)),
        ),
    )
    splash = Alert(
        code="splash",
        level="question",
        values=Values(seat=8, turn=8, amount=120),
        choices=(
            Choice(label="they-are-bet", do="chips-are 8 of 120", values=Values(amount=120)),
            Choice(label="each-its-own", do="chips-are 8 bet"),
            Choice(label="no-bet", do="chips-are 7 nothing", values=Values(seat=7)),
        ),
        rule="out-of-turn",
    )
    offline = Alert(code="tray-offline", level="info", values=Values(seat=7))
    waits = _with_seats(base, _seat(8, "waiting", 905, 0, seen=60, early=True, tray="unsettled"), provisional=True)
    held = _with_seats(base, _seat(8, "waiting", 905, 0, held=_did("call", 60), held_chips=60, early=True))
    resting = _with_seats(base, _seat(5, "acted", 1415, 60, CALL), _seat(8, "to-act", 905, 0, seen=600), turn=8)
    splashed = _with_seats(resting, _seat(7, "waiting", 3125, 0, seen=60), _seat(8, "to-act", 905, 0, seen=60))
    return (
        Sample("own-stack-question", _replace(resting, alerts=(own_stack,), sequence=151)),
        Sample("splash-question", _replace(splashed, alerts=(splash, offline), sequence=152)),
        Sample("out-of-turn-question", _replace(waits, alerts=(question,), sequence=103)),
        Sample("out-of-turn-warning", _replace(held, alerts=(warning, offline), sequence=104)),
        Sample("rule", _replace(held, alerts=(warning,), sequence=104), (NamedKey.RULE,)),
        Sample("over-pot", _over_pot(base, over)),
        Sample("tray-offline", _offline(base, offline)),
    )


def _over_pot(base: TableView, alert: Alert) -> TableView:
    return _with_seats(
        base,
        _seat(5, "acted", 1170, 305, _did("raise", 305), due_back=15),
        _seat(7, "to-act", 3125, name="lee"),
        alerts=(alert,),
        sequence=105,
        pot=490,
        turn=7,
        to_call=305,
        min_raise_to=550,
        max_raise_to=1100,
        next=(Choice(label="push-back-to", do="return 5", values=Values(seat=5, amount=15)),),
        undo=_told(5, _did("raise", 305)),
        told=_told(5, _did("raise", 305), "sensed"),
    )


def _offline(base: TableView, alert: Alert) -> TableView:
    return _with_seats(
        base,
        _seat(7, "to-act", 3125, 0, tray="offline", name="lee"),
        _seat(5, "acted", 1415, 60, CALL, source="keyed"),
        alerts=(alert,),
        sequence=106,
        turn=7,
        pot=245,
        max_raise_to=365,
        provisional=True,
        sensors="partly",
        devices=(Device(name="reader B", up=False, reason="silence"),),
        undo=_told(5, _did("call", 60)),
        told=_told(5, _did("call", 60), "keyed"),
    )


def _owes() -> TableView:
    return _with_seats(
        _pot_limit(),
        _seat(5, "acted", 1405, 70, _did("raise", 100), owes=30, seen=5, at_least=True, unknown_chips=2),
        _seat(7, "to-act", 3125, name="lee"),
        sequence=107,
        provisional=True,
        turn=7,
        to_call=100,
        min_raise_to=140,
        max_raise_to=425,
        undo=_told(5, _did("raise", 100)),
        told=_told(5, _did("raise", 100), "sensed"),
        alerts=(
            Alert(
                code="under-raise",
                level="warning",
                values=Values(seat=5, amount=30, least=100),
                choices=(
                    Choice(label="call-was-said", do="5 said call"),
                    Choice(label="it-is-in", do="5 in"),
                ),
                rule="under-raise",
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
        game=NO_LIMIT,
        hand=120,
        phase="idle",
        money=Money(prefix="$"),
        button=2,
        seats=seats,
        undo=Told(step="awards", pot="main", seats=(3,)),
        next=(Choice(label="next-hand", do="hand"),),
        told=Told(step="awards", pot="main", seats=(3,)),
    )


def _no_limit() -> TableView:
    return TableView(
        sequence=109,
        table="Table 1",
        game=GameView(structure="no-limit", blinds=(100, 200)),
        hand=12,
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
            _seat(2, "acted", 20150, 1250, _did("raise", 1250), source="keyed"),
            _seat(3, "to-act", 32550),
            _seat(4, "waiting", 8000, presumed=""),
            _seat(5, "waiting", None),
            _seat(6, "folded", 20000, presumed="fold", button=True),
        ),
        undo=_told(6, FOLD),
        told=_told(6, FOLD),
    )


def _ten_seats() -> TableView:
    """Everything at once: ten seats, long amounts, every mark."""
    return TableView(
        sequence=110,
        table="Table 10",
        game=GameView(variant="omaha", structure="pot-limit", blinds=(500, 1_000)),
        hand=2041,
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
            _seat(1, "acted", 218_000, 84_500, CALL, blind=500, name="alexandra"),
            _seat(2, "acted", None, 84_500, CALL, due_back=15_500, seen=2_500, source="confirmed"),
            _seat(3, "all-in", 0, 62_000, ALL_IN, tray="offline", source="keyed"),
            _seat(4, "to-act", 1_675_000, 1_000, blind=1_000, seen=84_500, at_least=True),
            _seat(5, "folded", 940_000, presumed="fold"),
            _seat(6, "waiting", 1_640_000, held=_did("raise", 250_000), seen=250_000),
            _seat(7, "waiting", 312_500, 0, owes=12_500, unknown_chips=3),
            _seat(8, "all-in", 0, 84_500, CALL),
            _seat(9, "waiting", 905_000, 0, tray="unsettled", seen=100),
            _seat(10, "waiting", 1_000_000, 0, name="zoe", unknown_chips=1),
        ),
        undo=_told(5, FOLD),
        accounts={"rake": 4_200, "jackpot": 100, "adjustment": -500},
        told=Told(step="action-on", seat=4),
    )


def _closed() -> TableView:
    return _with_seats(
        _side_pots(),
        _seat(9, "acted", 3625, 850, CALL),
        sequence=111,
        phase="closed",
        turn=None,
        to_call=None,
        may=(),
        pot=7270,
        round=4,
        undo=_told(9, _did("call", 850)),
        give="side2",
        told=_told(9, _did("call", 850), "sensed"),
    )


def _boards() -> TableView:
    """All-in, two boards: the pots as each board gets them."""
    return _replace(
        _closed(),
        sequence=113,
        game=msgspec.structs.replace(NO_LIMIT, bomb=20),
        round=3,
        pots=(
            PotView(name="main", amount=5050, seats=(1, 3, 5, 8, 9), boards=(2525, 2525)),
            PotView(name="side1", amount=2220, seats=(1, 8, 9), boards=(1110, 1110)),
        ),
        give="side1",
    )


def _tournament() -> TableView:
    """Between hands, held hand for hand while the level's time is over; one player owes on markers."""
    held = Alert(
        code="next-hand-held",
        level="info",
        choices=(Choice(label="floor-lets-go", do="floor go"),),
        clears="floor",
    )
    return _with_seats(
        _idle(),
        _seat(6, "waiting", None, name="fay", markers=150),
        sequence=114,
        game=GameView(name="level 7", blinds=(1500, 3000), ante=3000),
        level=LevelView(
            name="level 7",
            minutes_left=4,
            next="level 8",
            next_game=GameView(name="level 8", blinds=(2000, 4000), ante=4000),
            until_break=24,
        ),
        hold="hand-for-hand",
        alerts=(held,),
        next=(),
    )


def _pages(idle: TableView) -> tuple[Sample, ...]:
    """What is opened over the table, the keyboard, and what players see."""
    hand, text = LookAt("hand", page_samples.HAND_PAGE.line.number), LookAt("phh", page_samples.PHH_PAGE.hand)
    hands, alerts, report, games, devices = TABS
    name = tuple(map(Letter, ("a", "n", "n", "-", "l", "e", "e")))
    called = _with_seats(_pot_limit(), _seat(5, "to-act", None, name="Bartholomew-Kingsley", time_called=True))
    return (
        Sample("page-hands", idle, (hands,), answer=page_samples.HANDS_PAGE),
        Sample("page-hand", idle, (hand,), answer=page_samples.HAND_PAGE),
        Sample("page-hand-end", idle, (hand, PageKey.DOWN, PageKey.DOWN), answer=page_samples.HAND_PAGE),
        Sample("page-phh", idle, (text,), answer=page_samples.PHH_PAGE),
        Sample("page-alerts", idle, (alerts,), answer=page_samples.ALERTS_PAGE),
        Sample("page-report", idle, (report,), answer=page_samples.REPORT_PAGE),
        Sample("page-games", idle, (games,), answer=page_samples.GAMES_PAGE),
        Sample("page-devices", idle, (devices,), answer=page_samples.DEVICES_PAGE),
        Sample("keyboard", idle, (Seat(5), NamedKey.NAME, *name)),
        Sample("players", _pot_limit(), players=True),
        Sample("players-time", called, players=True),
        Sample("players-no-pot", _replace(_pot_limit(), show_pot="never"), players=True),
        Sample("players-between", idle, players=True),
    )


def samples() -> tuple[Sample, ...]:
    """All reference views, in the order in which the pictures are numbered."""
    pot_limit, closed, idle = _pot_limit(), _closed(), _idle()
    deal = Choice(label="deal", do="deal", values=Values(variant="omaha", street=4))
    dealing = _replace(closed, give="", round=3, next=(deal,), alerts=(), sequence=112)
    plain = (
        Sample("pot-limit", pot_limit),
        Sample("side-pots", _side_pots()),
        *_alerts(),
        Sample("owes", _owes()),
        Sample("idle", idle),
        Sample("no-limit", _no_limit()),
        Sample("ten-seats", _ten_seats()),
        Sample("closed", dealing),
        Sample("number-pad", pot_limit, (NamedKey.RAISE, Digit("2"), Digit("00"))),
        Sample("table-keys", pot_limit, (NamedKey.TABLE,)),
        Sample("seat-keys", pot_limit, (BetSpot(3), Digit("8"), Digit("0"))),
        Sample("seat-acts", pot_limit, (BetSpot(8),)),
        Sample("misdeal", pot_limit, (NamedKey.TABLE, NamedKey.VOID)),
        Sample("player", idle, (Seat(1),)),
        Sample("moves", idle, (Seat(1), NamedKey.MOVES)),
        Sample("sit", idle, (Seat(5), Digit("2"), Digit("00"))),
        Sample("award", closed, (NamedKey.AWARD, Seat(8), Seat(9))),
        Sample("boards", _boards()),
        Sample("tournament", _tournament()),
        Sample("disconnected", pot_limit, live=False),
        *_pages(idle),
    )
    dollars = (
        Sample(f"{sample.name}-dollars", large(sample.view), sample.touches, players=sample.players)
        for sample in plain
        if sample.live and sample.answer is None
        if sample.name not in ("no-limit", "table-keys", "number-pad", "keyboard")
    )
    typed = (NamedKey.RAISE, Bound("max"))
    every = (*plain, *dollars, Sample("number-pad-dollars", large(pot_limit), typed))
    return tuple([replace(sample, view=with_bounds(sample.view)) for sample in every])
