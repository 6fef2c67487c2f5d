"""Sample views that a screen must be able to show, for tests, pictures and demonstrations."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import msgspec

from controller.view import (
    ActionVerb,
    ActionView,
    Alert,
    BetSource,
    Choice,
    Device,
    GameView,
    LevelView,
    MessageValues,
    Money,
    PotView,
    SeatView,
    StepSummary,
    TableView,
    pages,
)
from ui import page_samples
from ui.bet_limit_samples import with_bet_limits
from ui.large_amounts import enlarge_amounts
from ui.scene import DEFAULT_APPEARANCE, Appearance, Scene, lay_out_players_display, lay_out_scene
from ui.state import (
    BetSpot,
    LetterKey,
    NamedKey,
    PadDigit,
    PageKey,
    PageRequest,
    QuickAmount,
    ScreenMessage,
    ScreenState,
    SeatTile,
    Target,
    lose_connection,
    page_actions,
    page_state,
    press_target,
    show_view,
)


@dataclass(frozen=True, slots=True)
class ViewSample:
    """A view for a picture, with the touches before the picture is drawn and the state of the connection."""

    name: str
    view: TableView
    touches: tuple[Target, ...] = ()
    is_live: bool = True
    page: pages.Page | None = None
    """Reply of the service to the query that the touches send, or None."""
    is_players_display: bool = False
    """True if the view is drawn on the display for players."""

    @property
    def screen_state(self) -> ScreenState:
        """Return the state of the dealer's screen after the view, the touches and the reply."""
        screen = show_view(ScreenState(), self.view)
        for target in self.touches:
            screen, _ = press_target(screen, target)
        if self.page is not None:
            screen = page_actions.receive_page(screen, self.page)
        return screen if self.is_live else lose_connection(screen, ScreenMessage("connection-ended"))

    def scene(self, appearance: Appearance = DEFAULT_APPEARANCE) -> Scene:
        """Return the scene that the sample's screen shows, which is the dealer's or the players' screen."""
        return (lay_out_players_display if self.is_players_display else lay_out_scene)(self.screen_state, appearance)


def _action(verb: ActionVerb, amount: int = 0, *, all_in: bool = False) -> ActionView:
    return ActionView(verb=verb, amount=amount, all_in=all_in)


def _summary(seat: int, action: ActionView, source: BetSource = "book") -> StepSummary:
    return StepSummary(step="declares", seat=seat, action=action, bet_source=source)


CALL, FOLD, ALL_IN = _action("call"), _action("fold"), _action("all-in")
POT_LIMIT = GameView(variant="omaha", structure="pot-limit", blinds=(5, 10))
NO_LIMIT = GameView(structure="no-limit", blinds=(1, 2))


def _seat(
    seat: int, status: Any, stack: int | None, bet: int = 0, last_action: ActionView | None = None, **fields: Any
) -> SeatView:
    return SeatView(
        seat=seat,
        status=status,
        stack=stack,
        bet=bet,
        last_action=last_action,
        bet_source=fields.pop("source", "sensed" if bet else "book"),
        tray=fields.pop("tray", "ok"),
        **fields,
    )


def _pot_limit() -> TableView:
    """Return a pot-limit hand of nine seats on the flop. The seat in turn may call 60, or raise to 100 up to 305."""
    return TableView(
        sequence=101,
        table_name="Table 4",
        game=POT_LIMIT,
        hand_number=118,
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
        quick_bets={"x2": 120, "x2.5": 150, "x3": 180, "third-pot": 140, "half-pot": 185, "two-thirds-pot": 225},
        limit="pot",
        allowed_actions=("call", "fold", "raise"),
        button=9,
        seats=(
            _seat(1, "waiting", 1180, 20, _action("bet", 20)),
            _seat(2, "folded", 455),
            _seat(3, "acted", 890, 60, _action("raise", 60), name="ann"),
            _seat(4, "folded", 2310),
            _seat(5, "to-act", 1475),
            _seat(6, "folded", 640),
            _seat(7, "waiting", 3125, name="lee"),
            _seat(8, "waiting", 905),
            _seat(9, "folded", 1000, button=True),
        ),
        undo=_summary(4, FOLD),
        devices=(Device(name="reader A", up=True), Device(name="board 1", up=True)),
        accounts={"rake": 42},
        last_step=_summary(4, FOLD),
    )


def _with(view: TableView, **changes: Any) -> TableView:
    return msgspec.structs.replace(view, **changes)


def _with_seats(view: TableView, *changed_seats: SeatView, **changes: Any) -> TableView:
    by_number = {seat.seat: seat for seat in changed_seats}
    return _with(view, seats=tuple(by_number.get(seat.seat, seat) for seat in view.seats), **changes)


def _side_pots() -> TableView:
    return TableView(
        sequence=102,
        table_name="Table 4",
        game=POT_LIMIT,
        hand_number=119,
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
        quick_bets={"x2": 1700, "x2.5": 2125, "x3": 2550, "third-pot": 3275},
        limit="stack",
        allowed_actions=("call", "fold", "raise"),
        button=4,
        seats=(
            _seat(1, "acted", 2450, 850, CALL),
            _seat(2, "folded", 455),
            _seat(3, "all-in", 0, 0, ALL_IN),
            _seat(4, "away", 2310, button=True),
            _seat(5, "all-in", 0, 300, ALL_IN),
            _seat(6, "empty", 0, tray="none"),
            _seat(7, "folded", 3125),
            _seat(8, "all-in", 0, 850, _action("raise", 850), source="confirmed"),
            _seat(9, "to-act", 4475),
        ),
        undo=_summary(8, _action("raise", 850, all_in=True)),
        accounts={"rake": 42},
        last_step=_summary(1, _action("call", 850), "sensed"),
    )


def _alert_samples() -> tuple[ViewSample, ...]:
    base = _pot_limit()
    question = Alert(
        code="behind-the-turn",
        level="question",
        values=MessageValues(seat=8, turn=5, seats=(5, 7), presumed_action="folded"),
        choices=(
            Choice(label="they-folded", do="here 8", values=MessageValues(seats=(5, 7))),
            Choice(label="out-of-turn", do="out-of-turn 8"),
        ),
        rule="out-of-turn",
    )
    warning = Alert(
        code="out-of-turn",
        level="warning",
        values=MessageValues(seat=8, turn=5, held_action=_action("call", 60)),
        choices=(
            Choice(label="action-is-on", do="here 5", values=MessageValues(turn=5)),
            Choice(label="it-stands", do="floor bind 8"),
            Choice(label="give-it-back", do="floor release 8"),
        ),
        rule="out-of-turn",
    )
    over_limit = Alert(
        code="over-limit",
        level="warning",
        values=MessageValues(seat=5, amount=320, most=305),
        choices=(
            Choice(label="push-back", do="return 5", values=MessageValues(amount=15)),
            Choice(label="raise-was-said", do="5 said raise"),
        ),
        rule="over-limit",
    )
    own_stack = Alert(
        code="own-stack",
        level="question",
        values=MessageValues(seat=8, turn=8, amount=600),
        choices=(
            Choice(label="own-stack", do="chips-are 8 nothing"),
            Choice(label="they-are-bet", do="chips-are 8 bet", values=MessageValues(amount=600)),
            Choice(label="they-are-bet", do="chips-are 8 of 125", values=MessageValues(amount=125)),
        ),
    )
    splash = Alert(
        code="splash",
        level="question",
        values=MessageValues(seat=8, turn=8, amount=120),
        choices=(
            Choice(label="they-are-bet", do="chips-are 8 of 120", values=MessageValues(amount=120)),
            Choice(label="each-its-own", do="chips-are 8 bet"),
            Choice(label="no-bet", do="chips-are 7 nothing", values=MessageValues(seat=7)),
        ),
        rule="out-of-turn",
    )
    offline = Alert(code="tray-offline", level="info", values=MessageValues(seat=7))
    waiting_view = _with_seats(
        base, _seat(8, "waiting", 905, 0, uncounted=60, acted_early=True, tray="unsettled"), provisional=True
    )
    held_view = _with_seats(
        base, _seat(8, "waiting", 905, 0, held_action=_action("call", 60), held_chips=60, acted_early=True)
    )
    resting_view = _with_seats(
        base, _seat(5, "acted", 1415, 60, CALL), _seat(8, "to-act", 905, 0, uncounted=600), turn=8
    )
    splashed_view = _with_seats(
        resting_view, _seat(7, "waiting", 3125, 0, uncounted=60), _seat(8, "to-act", 905, 0, uncounted=60)
    )
    return (
        ViewSample("own-stack-question", _with(resting_view, alerts=(own_stack,), sequence=151)),
        ViewSample("splash-question", _with(splashed_view, alerts=(splash, offline), sequence=152)),
        ViewSample("out-of-turn-question", _with(waiting_view, alerts=(question,), sequence=103)),
        ViewSample("out-of-turn-warning", _with(held_view, alerts=(warning, offline), sequence=104)),
        ViewSample("rule", _with(held_view, alerts=(warning,), sequence=104), (NamedKey.ALERT_DETAILS,) * 2),
        ViewSample("over-pot", _over_pot(base, over_limit)),
        ViewSample("tray-offline", _offline(base, offline)),
    )


def _over_pot(base: TableView, alert: Alert) -> TableView:
    return _with_seats(
        base,
        _seat(5, "acted", 1170, 305, _action("raise", 305), due_back=15),
        _seat(7, "to-act", 3125, name="lee"),
        alerts=(alert,),
        sequence=105,
        pot=490,
        turn=7,
        to_call=305,
        min_raise_to=550,
        max_raise_to=1100,
        quick_bets={"x2": 610, "x2.5": 765, "x3": 915, "third-pot": 570, "half-pot": 705, "two-thirds-pot": 835},
        next_choices=(Choice(label="push-back-to", do="return 5", values=MessageValues(seat=5, amount=15)),),
        undo=_summary(5, _action("raise", 305)),
        last_step=_summary(5, _action("raise", 305), "sensed"),
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
        undo=_summary(5, _action("call", 60)),
        last_step=_summary(5, _action("call", 60), "keyed"),
    )


def _owes() -> TableView:
    return _with_seats(
        _pot_limit(),
        _seat(5, "acted", 1405, 70, _action("raise", 100), chips_owed=30, uncounted=5, at_least=True, unknown_tags=2),
        _seat(7, "to-act", 3125, name="lee"),
        sequence=107,
        provisional=True,
        turn=7,
        to_call=100,
        min_raise_to=140,
        max_raise_to=425,
        quick_bets={"x2": 200, "x2.5": 250, "x3": 300, "third-pot": 210, "half-pot": 260, "two-thirds-pot": 315},
        undo=_summary(5, _action("raise", 100)),
        last_step=_summary(5, _action("raise", 100), "sensed"),
        alerts=(
            Alert(
                code="under-raise",
                level="warning",
                values=MessageValues(seat=5, amount=30, least=100),
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
        table_name="Table 4",
        game=NO_LIMIT,
        hand_number=120,
        phase="idle",
        money=Money(prefix="$"),
        button=5,
        seats=seats,
        undo=StepSummary(step="awards", pot="main", seats=(3,)),
        next_choices=(Choice(label="next-hand", do="hand"),),
        last_step=StepSummary(step="awards", pot="main", seats=(3,)),
    )


def _no_limit() -> TableView:
    return TableView(
        sequence=109,
        table_name="Table 1",
        game=GameView(structure="no-limit", blinds=(100, 200)),
        hand_number=12,
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
        quick_bets={"x2": 2500, "x2.5": 3150, "x3": 3750, "third-pot": 2700, "half-pot": 3400, "two-thirds-pot": 4100},
        limit="stack",
        allowed_actions=("call", "fold", "raise"),
        button=6,
        seats=(
            _seat(1, "waiting", 19900, 100, blind=100),
            _seat(2, "acted", 20150, 1250, _action("raise", 1250), source="keyed"),
            _seat(3, "to-act", 32550),
            _seat(4, "waiting", 8000, presumed_action=""),
            _seat(5, "waiting", None),
            _seat(6, "folded", 20000, presumed_action="fold", button=True),
        ),
        undo=_summary(6, FOLD),
        last_step=_summary(6, FOLD),
    )


def _ten_seats() -> TableView:
    """Return a table with as much content as possible: ten seats, long amounts and every sign that a seat can have."""
    return TableView(
        sequence=110,
        table_name="Table 10",
        game=GameView(variant="omaha", structure="pot-limit", blinds=(500, 1_000)),
        hand_number=2041,
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
        quick_bets={
            "x2": 169_000,
            "x2.5": 211_300,
            "x3": 253_500,
            "third-pot": 540_500,
            "half-pot": 768_500,
            "two-thirds-pot": 996_500,
        },
        limit="pot",
        provisional=True,
        allowed_actions=("call", "fold", "raise"),
        button=10,
        seats=(
            _seat(1, "acted", 218_000, 84_500, CALL, blind=500, name="alexandra"),
            _seat(2, "acted", None, 84_500, CALL, due_back=15_500, uncounted=2_500, source="confirmed"),
            _seat(3, "all-in", 0, 62_000, ALL_IN, tray="offline", source="keyed"),
            _seat(4, "to-act", 1_675_000, 1_000, blind=1_000, uncounted=84_500, at_least=True),
            _seat(5, "folded", 940_000, presumed_action="fold"),
            _seat(6, "waiting", 1_640_000, held_action=_action("raise", 250_000), uncounted=250_000),
            _seat(7, "waiting", 312_500, 0, chips_owed=12_500, unknown_tags=3),
            _seat(8, "all-in", 0, 84_500, CALL),
            _seat(9, "waiting", 905_000, 0, tray="unsettled", uncounted=100),
            _seat(10, "waiting", 1_000_000, 0, name="zoe", unknown_tags=1),
        ),
        undo=_summary(5, FOLD),
        accounts={"rake": 4_200, "jackpot": 100, "adjustment": -500},
        last_step=StepSummary(step="action-on", seat=4),
    )


def _closed() -> TableView:
    return _with_seats(
        _side_pots(),
        _seat(9, "acted", 3625, 850, CALL),
        sequence=111,
        phase="closed",
        turn=None,
        to_call=None,
        allowed_actions=(),
        pot=7270,
        round=4,
        undo=_summary(9, _action("call", 850)),
        next_pot_to_award="side2",
        last_step=_summary(9, _action("call", 850), "sensed"),
    )


def _boards() -> TableView:
    """Return an all-in hand with two boards, in which each pot has an amount for each board."""
    return _with(
        _closed(),
        sequence=113,
        game=msgspec.structs.replace(NO_LIMIT, bomb=20),
        round=3,
        pots=(
            PotView(name="main", amount=5050, seats=(1, 3, 5, 8, 9), boards=(2525, 2525)),
            PotView(name="side1", amount=2220, seats=(1, 8, 9), boards=(1110, 1110)),
        ),
        next_pot_to_award="side1",
    )


def _tournament() -> TableView:
    """Return a tournament table between two hands of hand-for-hand play. One player has unpaid markers."""
    held = Alert(
        code="next-hand-held",
        level="info",
        choices=(Choice(label="floor-lets-go", do="floor go"),),
        clearable_by="floor",
    )
    return _with_seats(
        _idle(),
        _seat(6, "waiting", None, name="fay", markers_owed=150),
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
        next_choices=(),
    )


def _page_samples(idle: TableView) -> tuple[ViewSample, ...]:
    """Return the samples of the pages, the keyboard and the display for players."""
    hand_request, phh_request = (
        PageRequest("hand", page_samples.HAND_PAGE.summary.number),
        PageRequest("phh", page_samples.PHH_PAGE.hand),
    )
    hands_tab, alerts_tab, report_tab, games_tab, devices_tab = page_state.PAGE_TABS
    letters = tuple(map(LetterKey, ("a", "n", "n", "-", "l", "e", "e")))
    called_view = _with_seats(_pot_limit(), _seat(5, "to-act", None, name="Bartholomew-Kingsley", time_called=True))
    return (
        ViewSample("page-hands", idle, (hands_tab,), page=page_samples.HANDS_PAGE),
        ViewSample("page-hand", idle, (hand_request,), page=page_samples.HAND_PAGE),
        ViewSample("page-hand-end", idle, (hand_request, PageKey.DOWN, PageKey.DOWN), page=page_samples.HAND_PAGE),
        ViewSample("page-phh", idle, (phh_request,), page=page_samples.PHH_PAGE),
        ViewSample("page-alerts", idle, (alerts_tab,), page=page_samples.ALERTS_PAGE),
        ViewSample("page-report", idle, (report_tab,), page=page_samples.REPORT_PAGE),
        ViewSample("page-games", idle, (games_tab,), page=page_samples.GAMES_PAGE),
        ViewSample("page-devices", idle, (devices_tab,), page=page_samples.DEVICES_PAGE),
        ViewSample("page-set-up", idle, (page_state.SET_UP_REQUEST,), page=page_samples.SET_UP_PAGE),
        ViewSample("page-set-up-result", idle, (page_state.SET_UP_REQUEST,), page=page_samples.SET_UP_RESULT),
        ViewSample("keyboard", idle, (SeatTile(5), NamedKey.PLAYER_NAME, *letters)),
        ViewSample("players", _pot_limit(), is_players_display=True),
        ViewSample("players-time", called_view, is_players_display=True),
        ViewSample("players-no-pot", _with(_pot_limit(), show_pot="never"), is_players_display=True),
        ViewSample("players-between", idle, is_players_display=True),
    )


def view_samples() -> tuple[ViewSample, ...]:
    """Return all sample views. Their pictures are numbered in this order."""
    pot_limit, closed, idle = _pot_limit(), _closed(), _idle()
    deal_choice = Choice(label="deal", do="deal", values=MessageValues(variant="omaha", street=4))
    dealing_view = _with(closed, next_pot_to_award="", round=3, next_choices=(deal_choice,), alerts=(), sequence=112)
    plain_samples = (
        ViewSample("pot-limit", pot_limit),
        ViewSample("side-pots", _side_pots()),
        *_alert_samples(),
        ViewSample("owes", _owes()),
        ViewSample("idle", idle),
        ViewSample("no-limit", _no_limit()),
        ViewSample("ten-seats", _ten_seats()),
        ViewSample("closed", dealing_view),
        ViewSample("number-pad", pot_limit, (NamedKey.RAISE, PadDigit("2"), PadDigit("00"))),
        ViewSample("table-keys", pot_limit, (NamedKey.MENU,)),
        ViewSample("seat-keys", pot_limit, (BetSpot(3), PadDigit("8"), PadDigit("0"))),
        ViewSample("seat-acts", pot_limit, (BetSpot(8),)),
        ViewSample("floor-keys", pot_limit, (NamedKey.MENU, NamedKey.FLOOR_RULING)),
        ViewSample("misdeal", pot_limit, (NamedKey.MENU, NamedKey.MISDEAL)),
        ViewSample("player", idle, (SeatTile(1),)),
        ViewSample("player-more", idle, (SeatTile(1), NamedKey.OPEN_MORE)),
        ViewSample("moves", idle, (SeatTile(1), NamedKey.CHANGE_SEAT)),
        ViewSample("sit", idle, (SeatTile(5), PadDigit("2"), PadDigit("00"))),
        ViewSample("award", closed, (NamedKey.AWARD, SeatTile(8), SeatTile(9))),
        ViewSample("boards", _boards()),
        ViewSample("tournament", _tournament()),
        ViewSample("disconnected", pot_limit, is_live=False),
        *_page_samples(idle),
    )
    dollar_samples = (
        ViewSample(
            f"{sample.name}-dollars",
            enlarge_amounts(sample.view),
            sample.touches,
            is_players_display=sample.is_players_display,
        )
        for sample in plain_samples
        if sample.is_live and sample.page is None
        if sample.name not in ("no-limit", "table-keys", "number-pad", "keyboard")
    )
    touches = (NamedKey.RAISE, QuickAmount("max"))
    all_samples = (
        *plain_samples,
        *dollar_samples,
        ViewSample("number-pad-dollars", enlarge_amounts(pot_limit), touches),
    )
    return tuple([replace(sample, view=with_bet_limits(sample.view)) for sample in all_samples])
