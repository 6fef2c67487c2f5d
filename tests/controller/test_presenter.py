"""The view of a live table: every alert is raised by something, its keys do what they say, and no amount is raw."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.live import (
    ALONE_US,
    ASTRAY_US,
    BADGE_READER,
    HIGH_WATER,
    OVERDUE_US,
    RIPE_US,
    STORAGE,
    TABLE_KEY,
    UNSETTLED_US,
    Asked,
    AskedAbout,
    Change,
    Live,
    LiveReason,
    Setup,
    obey,
    react,
    tick,
)
from controller.live import failed as after_fault
from controller.presenter import game_view, refused, show
from controller.presenter.asking import about_chips
from controller.presenter.codes import CODES, WARNINGS
from controller.rules import BY_DEFAULT, Game, Kill, Player, Refusal, VariantName, Why
from controller.scripts import STEP_US, begin, load
from controller.table import (
    ChipsAre,
    Level,
    Reason,
    RecordsAltered,
    RecordsDamaged,
    RecordsMissed,
    Restarted,
    Source,
    Table,
    TagCopied,
    line,
    open_table,
    parse,
)
from controller.view import (
    Alert,
    Choice,
    Device,
    Did,
    DidVerb,
    Label,
    SeatStatus,
    SeatView,
    TableView,
    Told,
    ToScreen,
    Values,
    decode_to_screen,
    encode,
)
from controller.words import words_of
from hardware.events import (
    Chip,
    DeviceDown,
    DeviceMisset,
    DeviceUp,
    Event,
    KeyPressed,
    PressesLost,
    StackComplete,
    StackSeen,
    TagWeak,
    TrayOffline,
    TrayOnline,
)
from hardware.spots import bet_spot
from tests.controller.sums_of_views import check_sums
from tests.house_money import DOLLARS, raw

SCRIPTS = Path(__file__).resolve().parents[1] / "scripts"
PLAYERS = {seat: Player(stack=150_000 + 1_000 * seat) for seat in range(1, 7)}
NO_LIMIT = Game(blinds=(500, 1000), unit=100)
POT_LIMIT = Game(variant="omaha", structure="pot-limit", blinds=(500, 1000), unit=500)
FIXED = Game(structure="fixed-limit", blinds=(1000, 2000), bets=(2000, 2000, 4000, 4000), unit=500)
STUD = Game(
    variant="stud", structure="fixed-limit", ante=500, bring_in=500, bets=(2000, 2000, 4000, 4000, 4000), unit=500
)


def a_table(game: Game = NO_LIMIT, players: dict[int, Player] | None = None) -> Table:
    return open_table({"main": game}, 1, players or PLAYERS)


class At:
    """A live table with its clock; what is done at it has to be taken."""

    def __init__(self, game: Game = NO_LIMIT, *, players: dict[int, Player] | None = None, **setup: Any) -> None:
        self.live = Live(Setup(**setup), a_table(game, players))
        self.now_us = 10_000_000
        self.chips = 0
        self.source: Source = "dealer"

    def took(self, change: Change) -> Change:
        self.live = change.live
        check(self.view)
        return change

    def do(self, *lines: str) -> At:
        for each in lines:
            change = self.took(obey(self.live, parse(each), self.now_us, source=self.source))
            assert change.refused is None, (each, change.refused)
        return self

    def tried(self, text: str) -> At:
        """A step that is refused."""
        assert self.took(obey(self.live, parse(text), self.now_us)).refused is not None
        return self

    def told(self, event: Event) -> At:
        self.took(react(self.live, event, self.now_us))
        return self

    def stack(self, *denominations: int) -> tuple[Chip, ...]:
        self.chips += len(denominations)
        return tuple(Chip(f"E004{self.chips - place:012X}", each) for place, each in enumerate(denominations))

    def lies(
        self, spot: int | str, *denominations: int, strangers: tuple[str, ...] = (), at_least: bool = False, **more: Any
    ) -> At:
        name = bet_spot(spot) if isinstance(spot, int) else spot
        lammers = more.get("lammers", ())
        stack = self.stack(*denominations)
        return self.told(StackComplete(name, stack, strangers, lammers, at_least, self.now_us))

    def seen(self, seat: int, *denominations: int, at_least: bool = False) -> At:
        return self.told(StackSeen(bet_spot(seat), self.stack(*denominations), (), (), at_least, self.now_us))

    def after(self, us: int) -> At:
        self.now_us += us
        self.took(tick(self.live, self.now_us))
        return self

    @property
    def view(self) -> TableView:
        return show(self.live, 7, name="Table 4", money=DOLLARS)

    @property
    def codes(self) -> list[str]:
        return [alert.code for alert in self.view.alerts]

    def alert(self, code: str) -> Alert:
        return next(alert for alert in self.view.alerts if alert.code == code)

    def seat(self, seat: int) -> SeatView:
        return self.view.seats[seat - 1]


def check(view: TableView) -> None:
    """What holds of every view, whatever happened."""
    assert [seat.seat for seat in view.seats] == list(range(1, 11))
    assert decode_to_screen(encode(ToScreen(view=view))).view == view
    assert sum(pot.amount for pot in view.pots) == view.pot
    assert view.pot >= sum(seat.bet for seat in view.seats)
    assert (view.turn is None) == (view.to_call is None)
    assert bool(view.may) == (view.turn is not None)
    assert [seat.seat for seat in view.seats if seat.status == "to-act"] == ([view.turn] if view.turn else [])
    if view.min_raise_to is not None and view.max_raise_to is not None:
        assert view.min_raise_to <= view.max_raise_to
    check_sums(view)
    keys = [alert.key for alert in view.alerts]
    assert len(keys) == len(set(keys)), keys
    levels = [("question", "warning", "info").index(alert.level) for alert in view.alerts]
    assert levels == sorted(levels)
    for choice in [*view.next, *(choice for alert in view.alerts for choice in alert.choices)]:
        assert line(parse(choice.do)) == choice.do
    assert not [text for text in said(view) if raw(text)]
    words = words_of(view)
    for alert in view.alerts:
        for text in (words.title(alert), words.text(alert), *map(words.label, alert.choices)):
            assert not re.search(r"(^| )\?|[{}\[\]]", text), text


# --- no amount is a raw integer ---


def said(view: TableView) -> Iterator[str]:
    """Every word that a screen can make of a view, but for the screen's own."""
    words = words_of(view)
    yield from (words.game(view.game), words.street(view.game.variant, view.round), view.table)
    for alert in view.alerts:
        yield words.title(alert)
        yield words.text(alert)
        yield from map(words.label, alert.choices)
        rule = words.rule(alert)
        yield from rule or ()
    yield from map(words.label, view.next)
    yield from (words.told(each) for each in (view.told, view.undo) if each)
    for seat in view.seats:
        yield words.status(seat.status)
        yield seat.name
        yield from (words.did(did) for did in (seat.last, seat.held) if did)
    yield from (words.pot(pot.name) for pot in view.pots)
    yield from map(words.account, view.accounts)
    yield from map(words.device, view.devices)
    yield words.largest(view.limit, opening="bet" in view.may)


# --- every alert is raised ---

HAND = ("hand",)
PATIENT: dict[str, Any] = {}
AT_ONCE: dict[str, Any] = {"patient": False}
UNREAD: dict[str, Any] = {"trays": False}


def at(game: Game, setup: dict[str, Any], *lines: str) -> At:
    return At(game, **setup).do(*HAND, *lines)


def _after_the_hand() -> At:
    return at(NO_LIMIT, PATIENT, "4 fold", "5 fold", "6 fold", "1 fold", "2 fold", "award main 3")


def _restarted() -> At:
    table = at(NO_LIMIT, PATIENT)
    table.took(obey(table.live, Restarted(), table.now_us, source="sensor"))
    return table


def _missed() -> At:
    table = at(NO_LIMIT, PATIENT)
    table.took(obey(table.live, RecordsMissed(7), table.now_us, source="sensor"))
    return table


def _copied() -> At:
    table = at(NO_LIMIT, PATIENT)
    table.took(obey(table.live, TagCopied("E00401", "bet4", "bet6"), table.now_us, source="sensor"))
    return table


def _altered() -> At:
    table = at(NO_LIMIT, PATIENT)
    table.took(obey(table.live, RecordsAltered("older-copy"), table.now_us, source="sensor"))
    return table


def _damaged() -> At:
    table = at(NO_LIMIT, PATIENT)
    table.took(obey(table.live, RecordsDamaged(), table.now_us, source="sensor"))
    return table


def _failed() -> At:
    table = at(NO_LIMIT, PATIENT)
    event = StackComplete(bet_spot(4), (), (), (), False, table.now_us)
    table.took(after_fault(table.live, event, "division by zero", table.now_us))
    return table


def _down(device: str, reason: str = "silence", **setup: Any) -> At:
    return At(**setup).told(DeviceDown(device, reason, 0))


def _sensors_off() -> At:
    table = At()
    for seat in PLAYERS:
        table.told(TrayOffline(bet_spot(seat), "no-reading", 0))
    return table


def _tournament() -> At:
    """Two levels of twenty minutes with a break of ten between them."""
    table = At()
    games = {"one": NO_LIMIT, "break": NO_LIMIT, "two": replace(NO_LIMIT, blinds=(1000, 2000), min_bet=BY_DEFAULT)}
    levels = (Level("one", 20), Level("break", 10, is_break=True), Level("two", 20))
    table.live = Live(Setup(), open_table(games, 1, PLAYERS, levels=levels))
    return table


def _stud(*lines: str) -> At:
    return at(STUD, AT_ONCE, *lines)


FLOP = ("4 call", "4 chips 1000", "5 fold", "6 fold", "1 fold", "2 fold", "3 check", "deal")
CHECKED = ("3 check", "4 check", "deal")
NEW_PLAYER = {**PLAYERS, 7: Player(stack=100_000, new=True)}
KILLS = replace(FIXED, kill=Kill(factor=2, pot=4000), min_bet=BY_DEFAULT)

MAKERS: dict[str, Callable[[], At]] = {
    "out-of-turn": lambda: at(NO_LIMIT, AT_ONCE, "5 raise to 3000"),
    "string-bet": lambda: at(NO_LIMIT, AT_ONCE, "4 chips 1000", "4 chips 2000"),
    "oversized-chip": lambda: at(NO_LIMIT, AT_ONCE, "4 chips 10000"),
    "under-bet": lambda: at(NO_LIMIT, AT_ONCE, *FLOP, "3 chips 500"),
    "under-call": lambda: at(NO_LIMIT, AT_ONCE, "4 raise to 6000", "5 chips 2500"),
    "under-raise": lambda: at(NO_LIMIT, AT_ONCE, "4 chips 1000 500"),
    "over-limit": lambda: at(POT_LIMIT, AT_ONCE, "4 chips 10000 500"),
    "off-unit": lambda: at(NO_LIMIT, AT_ONCE, "4 raise to 3130"),
    "capped": lambda: at(
        FIXED, AT_ONCE, "4 raise to 4000", "5 raise to 6000", "6 raise to 8000", "1 raise to 10000", "2 raise to 12000"
    ),
    "not-reopened": lambda: At(
        players={1: Player(stack=150_000), 2: Player(stack=150_000), 3: Player(stack=4_500), 4: Player(stack=150_000)},
        **AT_ONCE,
    ).do(*HAND, "4 raise to 3000", "1 fold", "2 fold", "3 all-in", "4 chips 5000 5000"),
    "no-check-raise": lambda: at(
        replace(NO_LIMIT, check_raise=False), AT_ONCE, *FLOP, "3 check", "4 bet 2000", "4 chips 2000", "3 raise to 6000"
    ),
    "fold-for-free": lambda: at(NO_LIMIT, AT_ONCE, *FLOP, "3 fold"),
    "not-possible": lambda: at(NO_LIMIT, PATIENT, "4 says check"),
    "chips-withdrawn": lambda: at(NO_LIMIT, AT_ONCE, "4 chips 1000", "5 chips 1000", "4 takes 1000"),
    "words-differ": lambda: at(NO_LIMIT, AT_ONCE, "4 says call", "4 chips 2500 500"),
    "skipped": lambda: at(NO_LIMIT, AT_ONCE, "5 fold", "6 fold", "1 fold"),
    "stack-corrected": lambda: at(NO_LIMIT, AT_ONCE, "4 chips 100000 100000"),
    "unknown-chip": lambda: at(NO_LIMIT, PATIENT).lies(4, 1000, strangers=("E0049999",)),
    "tray-offline": lambda: at(NO_LIMIT, PATIENT).told(TrayOffline(bet_spot(4), "no-reading", 0)),
    "behind-the-turn": lambda: at(NO_LIMIT, PATIENT, "5 raise to 3000"),
    "sweep-question": lambda: at(NO_LIMIT, PATIENT).lies(2, 500).lies(3, 1000).lies(4, 1000).lies(2).lies(3),
    "at-least": lambda: at(NO_LIMIT, PATIENT).lies(4, 1000, 1000, at_least=True),
    "act-or-answer": lambda: at(NO_LIMIT, PATIENT, "5 raise to 3000", "out-of-turn 5").lies(4, 1000, 1000, 1000),
    "key-too-late": lambda: at(NO_LIMIT, PATIENT).lies(4, 1000).told(KeyPressed("check-call", 10_100_000)),
    "chips-between-rounds": lambda: at(NO_LIMIT, PATIENT, *FLOP, "3 check", "4 check").lies(4, 5000),
    "due-back": lambda: at(NO_LIMIT, AT_ONCE, "4 chips 10000", "5 fold"),
    "owes": lambda: at(NO_LIMIT, AT_ONCE, "4 call"),
    "held-for-the-floor": lambda: at(
        replace(NO_LIMIT, rulebook="tda"), AT_ONCE, "4 raise to 3000", "5 raise to 9000", "6 chips 1000 500"
    ),
    "unsettled": lambda: at(NO_LIMIT, PATIENT).seen(4, 1000).after(UNSETTLED_US),
    "post-owed": lambda: At(replace(NO_LIMIT, new_player_posts=True), players=NEW_PLAYER),
    "kill-owed": lambda: at(
        KILLS,
        AT_ONCE,
        "4 raise to 4000",
        "4 chips 4000",
        "5 fold",
        "6 fold",
        "1 fold",
        "2 fold",
        "3 call",
        "3 chips 2000",
        "deal",
        "3 check",
        "4 check",
        "deal",
        "3 check",
        "4 check",
        "deal",
        "3 check",
        "4 check",
        "award main 4",
    ),
    "flop-too-early": lambda: at(NO_LIMIT, PATIENT, "4 call", "4 chips 1000").tried("deal"),
    "turn-too-early": lambda: at(NO_LIMIT, PATIENT, *FLOP).tried("deal"),
    "river-too-early": lambda: at(NO_LIMIT, PATIENT, *FLOP, "3 check", "4 check", "deal").tried("deal"),
    "street-too-early": lambda: _stud("bring-in 3", "3 chips 500", "4 chips 500").tried("deal"),
    "betting-open": lambda: at(NO_LIMIT, PATIENT, *FLOP, *CHECKED, *CHECKED).tried("deal"),
    "lammer": lambda: at(NO_LIMIT, PATIENT, "4 all-in").lies(4, lammers=("all-in",)),
    "all-in-not-booked": lambda: at(NO_LIMIT, PATIENT).lies(4, lammers=("all-in",)),
    "missed-blind-not-booked": lambda: at(NO_LIMIT, PATIENT).lies(4, lammers=("missed-blind",)),
    "rock-not-booked": lambda: At(replace(NO_LIMIT, rock=3)).lies(4, lammers=("rock",)),
    "kill-not-booked": lambda: At(KILLS).lies(4, lammers=("kill",)),
    "counting-bet": lambda: at(NO_LIMIT, PATIENT).lies("pad").do("count 4 bet").lies("pad", 1000, 1000),
    "counting-buy-in": lambda: At().lies("pad").do("count 7 buy-in").lies("pad", 5000, 1000),
    "counting-stack": lambda: At().lies("pad").do("count 4 stack"),
    "pile-not-added": lambda: At().lies("pad", strangers=("E0049999",)).do("count 4 stack"),
    "button-elsewhere": lambda: at(NO_LIMIT, PATIENT).lies(4, lammers=("button",)),
    "not-on-the-felt": lambda: At().lies(3).do(*HAND, "4 fold"),
    "chips-found": lambda: at(NO_LIMIT, PATIENT).lies("pot").lies("pot", 500, 100),
    "chips-left-over": lambda: _after_the_hand().lies(4, 5000),
    "chips-astray": lambda: _after_the_hand().lies("pot", 5000, 1000).after(ASTRAY_US),
    "next-hand-held": lambda: At().do("floor hold"),
    "break": lambda: _tournament().do("clock 20", "game break"),
    "level-over": lambda: _tournament().do(*HAND, "clock 20"),
    "floor-called": lambda: at(NO_LIMIT, PATIENT, "call-floor"),
    "failed": _failed,
    "restarted": _restarted,
    "spot-offline": lambda: at(NO_LIMIT, PATIENT).told(TrayOffline("pot", "no-reading", 0)),
    "reader-offline": lambda: _down("odd", readers=frozenset({"odd"})),
    "reader-misset": lambda: At(readers=frozenset({"odd"})).told(DeviceMisset("odd", "afi", "07", "00", 0)),
    "board-offline": lambda: _down("keys"),
    "badge-reader-offline": lambda: _down(BADGE_READER),
    "high-water-offline": lambda: _down(HIGH_WATER, "Input/output error"),
    "table-key-offline": lambda: _down(TABLE_KEY, "No such file or directory"),
    "storage-nearly-full": lambda: _down(STORAGE, "< 200 MB"),
    "presses-lost": lambda: At().told(PressesLost("keys", 3, 0)),
    "sensors-off": _sensors_off,
    "journal-damaged": _damaged,
    "journal-gap": _missed,
    "tag-copied": _copied,
    "tag-weak": lambda: at(NO_LIMIT, PATIENT).told(TagWeak("bet4", "E00401", 500, 0)),
    "journal-altered": _altered,
    "journal-not-written": lambda: At(recorded=False),
}
"""Each alert by something that can happen."""

WITH_A_REFUSAL: dict[str, tuple[Game, str]] = {
    "buy-in": (replace(NO_LIMIT, buy_in=(20_000, 100_000)), "7 sit 5000"),
    "going-south": (NO_LIMIT, "4 remove 2000"),
}
"""Warnings of steps that are refused: they are told with the refusal."""


BET, NOTHING = ChipsAre(4, "bet"), ChipsAre(4, "nothing")
OF_CHIPS: dict[AskedAbout, tuple[tuple[ChipsAre, ...], list[str]]] = {
    "own-stack": ((NOTHING, BET, ChipsAre(4, "bet", 2500)), ["OWN STACK", "BET $60", "BET $25"]),
    "last-pot": ((NOTHING, BET), ["LAST POT", "BET $60"]),
    "splash": (
        (ChipsAre(4, "bet", 6000), BET, ChipsAre(3, "nothing")),
        ["BET $60", "EACH ITS OWN", "NO BET OF SEAT 3"],
    ),
    "covered": (
        (ChipsAre(4, "covered"), ChipsAre(4, "swept"), ChipsAre(4, "taken")),
        ["STILL THERE", "SWEPT", "TAKEN BACK"],
    ),
    "at-least": ((BET, ChipsAre(4, "bet", 10_000)), ["BET $60", "BET $100"]),
    "copied": ((BET, NOTHING), ["BET $60", "NO BET"]),
    "strangers": ((NOTHING, BET), ["NO BET", "BET $60"]),
    "change": ((ChipsAre(4, "change", 6000), BET), ["CHANGE $60", "BET $60"]),
    "emptied": ((ChipsAre(4, "swept"), ChipsAre(4, "taken")), ["SWEPT", "TAKEN BACK"]),
    "folded-seat": ((NOTHING,), ["NO BET"]),
    "chips-between-rounds": ((BET,), ["PUSH BACK $60"]),
}
"""What is asked about chips: answers, and what their keys say where 60 dollars are asked about."""


@pytest.mark.parametrize("about", OF_CHIPS)
def test_a_question_about_chips_has_its_answers_in_order(about: AskedAbout) -> None:
    likely, said = OF_CHIPS[about]
    found, words = about_chips(Asked(4, about, 6000, likely), 3), words_of(At().view)
    assert (found.code, found.level) == ("unknown-chip" if about == "strangers" else about, "question")
    assert found.values == Values(seat=4, turn=3, amount=6000)
    assert [parse(choice.do) for choice in found.choices] == list(likely)
    assert [words.label(choice) for choice in found.choices] == said
    assert "$60" in words.text(found) or about == "strangers"


def test_what_nobody_knows_is_not_said_of_chips() -> None:
    found = about_chips(Asked(4, "copied", 0, (BET,)), 0)
    assert found.values == Values(seat=4)
    assert words_of(At().view).label(found.choices[0]) == "BET"


def test_every_alert_has_a_maker() -> None:
    asked = {about_chips(Asked(4, about, 0, ()), 0).code for about in get_args(AskedAbout)}
    assert set(OF_CHIPS) == set(get_args(AskedAbout))
    assert set(MAKERS) | set(WITH_A_REFUSAL) | asked == set(CODES)
    assert not set(MAKERS) & set(WITH_A_REFUSAL)


TOGETHER: dict[str, list[tuple[str, int]]] = {
    "lammer": [("owes", 4), ("lammer", 4)],
    "under-call": [("under-call", 5), ("owes", 4)],
    "capped": [("capped", 2), ("owes", 1), ("owes", 4), ("owes", 5), ("owes", 6)],
    "not-reopened": [("not-reopened", 4), ("owes", 3)],
    "skipped": [("out-of-turn", 5), ("out-of-turn", 6), ("out-of-turn", 1), ("skipped", 1)],
    "act-or-answer": [("act-or-answer", 4), ("out-of-turn", 5)],
    "held-for-the-floor": [("held-for-the-floor", 6), ("owes", 4), ("owes", 5)],
    "sensors-off": [("sensors-off", 0), *(("tray-offline", seat) for seat in (6, 1, 2, 3, 4, 5))],
}
"""What is told beside an alert where it does not stand alone, with the seats, in order."""


@pytest.mark.parametrize("code", MAKERS)
def test_every_alert_is_raised_and_no_other(code: str) -> None:
    table = MAKERS[code]()
    alert = table.alert(code)
    told = [(each.code, each.values.seat) for each in table.view.alerts]
    assert told == TOGETHER.get(code, [(code, alert.values.seat)])
    assert alert.clears == CODES[code].clears
    assert alert.rule == CODES[code].rule


@pytest.mark.parametrize(
    ("code", "values", "do"),
    [
        (
            "out-of-turn",
            Values(seat=5, turn=4, held=Did(verb="raise", amount=3000)),
            ["here 4", "floor bind 5", "floor release 5"],
        ),
        ("string-bet", Values(seat=4, turn=5, amount=2000), ["return 4", "4 said raise"]),
        ("oversized-chip", Values(seat=4, turn=5, amount=9000), ["return 4", "4 said raise"]),
        ("under-bet", Values(seat=3, turn=4, amount=500, least=1000), ["3 in"]),
        ("under-call", Values(seat=5, turn=6, amount=3500), ["5 in"]),
        ("under-raise", Values(seat=4, turn=5, amount=500, least=2000), ["4 said call", "4 in"]),
        ("over-limit", Values(seat=4, turn=5, amount=10_500, most=3500), ["return 4"]),
        ("off-unit", Values(seat=4, turn=5, amount=3100), []),
        ("capped", Values(seat=2, turn=3), []),
        ("not-reopened", Values(seat=4, amount=5500), ["return 4"]),
        ("chips-withdrawn", Values(seat=4, turn=6, amount=1000), ["4 in"]),
        ("words-differ", Values(seat=4, turn=5, amount=2000), ["return 4"]),
        ("skipped", Values(seat=1, turn=4), []),
        ("unknown-chip", Values(seat=4, turn=4, amount=1000, count=1), ["chips-are 4 bet", "chips-are 4 nothing"]),
        ("at-least", Values(seat=4, turn=4, amount=2000), ["chips-are 4 bet"]),
        ("sweep-question", Values(seats=(2, 3)), ["deal closing"]),
        ("act-or-answer", Values(seat=4, turn=5, seats=(4,), did="folded"), ["here 5", "acts-now 4"]),
        ("key-too-late", Values(seat=5, turn=5), ["5 call"]),
        ("chips-between-rounds", Values(seat=4, amount=5000), ["chips-are 4 bet"]),
        ("due-back", Values(seat=4, amount=9000), ["return 4"]),
        ("owes", Values(seat=4, amount=1000), ["4 in"]),
        (
            "held-for-the-floor",
            Values(seat=6, turn=6, held=Did(verb="call", amount=1500)),
            ["floor bind 6", "floor release 6"],
        ),
        ("unsettled", Values(seat=4, amount=1000), []),
        ("post-owed", Values(seat=7, amount=1000), []),
        ("kill-owed", Values(seat=4, amount=4000), []),
        ("flop-too-early", Values(turn=5), ["deal closing"]),
        ("lammer", Values(seat=4, lammer="all-in"), []),
        ("missed-blind-not-booked", Values(seat=4, lammer="missed-blind"), []),
        ("counting-bet", Values(seat=4, amount=2000, count=1), ["counted", "count-off"]),
        ("counting-buy-in", Values(seat=7, amount=6000, count=1), ["counted", "count-off"]),
        ("counting-stack", Values(seat=4, amount=0), ["count-off"]),
        ("pile-not-added", Values(seat=4, amount=0, count=1), ["count-off"]),
        ("button-elsewhere", Values(seat=4, button=1), []),
        ("not-on-the-felt", Values(seat=3, amount=1000), []),
        ("chips-found", Values(spot="pot", amount=600, count=2), []),
        ("tag-copied", Values(seats=(4, 6)), ["tags-checked"]),
        ("tag-weak", Values(amount=500, tag="E00401"), ["tags-checked"]),
        ("chips-left-over", Values(seat=4, amount=5000), []),
        ("chips-astray", Values(amount=6000), []),
        ("floor-called", Values(), ["floor-came"]),
        ("restarted", Values(hand=1), ["restart-checked"]),
        ("journal-damaged", Values(hand=1), ["records-checked"]),
        ("journal-gap", Values(count=7), ["records-checked"]),
        ("journal-altered", Values(reason="older-copy"), ["records-checked"]),
        ("spot-offline", Values(spot="pot", reason="no-reading"), []),
        ("reader-offline", Values(device="odd", reason="silence"), []),
    ],
)
def test_an_alert_names_what_is_known_and_what_can_be_done(code: str, values: Values, do: list[str]) -> None:
    alert = MAKERS[code]().alert(code)
    assert alert.values == values
    assert [choice.do for choice in alert.choices] == do


@pytest.mark.parametrize("variant", ["holdem", "omaha", "omaha8"])
@pytest.mark.parametrize(
    ("dealt", "code"),
    [
        ((), "flop-too-early"),
        (FLOP, "turn-too-early"),
        ((*FLOP, "3 check", "4 check", "deal"), "river-too-early"),
    ],
)
def test_a_street_of_a_board_too_early_is_named(variant: VariantName, dealt: tuple[str, ...], code: str) -> None:
    table = at(replace(NO_LIMIT, variant=variant), PATIENT, *dealt)
    assert code in table.tried("deal").codes


@pytest.mark.parametrize("code", WITH_A_REFUSAL)
def test_a_refused_step_tells_its_warning(code: str) -> None:
    game, text = WITH_A_REFUSAL[code]
    table = At(game)
    if code == "going-south":
        table.do(*HAND)
    refusal = obey(table.live, parse(text), table.now_us).refused
    assert refusal is not None
    warned = refused(refusal).alert
    assert warned is not None
    assert (warned.code, warned.values.seat) == (code, refusal.seat)
    assert not raw(words_of(table.view).refused(refused(refusal)))


def test_levels_of_warnings_are_those_of_their_code() -> None:
    assert WARNINGS.items() <= CODES.items()


# --- the keys of an alert do what they say ---


@pytest.mark.parametrize("code", MAKERS)
def test_every_answer_can_be_given(code: str) -> None:
    for place in range(len(MAKERS[code]().alert(code).choices)):
        table = MAKERS[code]()
        choice = table.alert(code).choices[place]
        assert choice.label in get_args(Label)
        table.source = "floor" if choice.do.startswith(("floor", "records")) else "dealer"
        table.do(choice.do)
        assert choice.do not in [each.do for alert in table.view.alerts if alert.code == code for each in alert.choices]


def test_a_tray_that_is_out_is_told_until_it_is_back() -> None:
    table = at(NO_LIMIT, PATIENT).told(TrayOffline(bet_spot(5), "no-reading", 0))
    for step in ("4 fold", "5 fold"):
        assert [(each.code, each.values.seat) for each in table.view.alerts] == [("tray-offline", 5)]
        assert [seat.seat for seat in table.view.seats if seat.tray == "offline"] == [5]
        table.do(step)
    assert table.told(TrayOnline(bet_spot(5), 0)).view.alerts == ()


def test_what_is_told_of_a_seat_where_nobody_sits_asks_nothing() -> None:
    alert = at(NO_LIMIT, PATIENT).told(TrayOffline(bet_spot(9), "no-reading", 0)).alert("tray-offline")
    assert (alert.values, alert.choices) == (Values(seat=9), ())


def test_behind_the_turn_asks_who_was_passed() -> None:
    table = at(NO_LIMIT, PATIENT, "6 raise to 3000")
    assert table.alert("behind-the-turn").level == "info", "a key may be on its way"
    alert = table.after(OVERDUE_US).alert("behind-the-turn")
    assert alert.level == "question"
    assert alert.values == Values(seat=6, turn=4, seats=(4, 5), did="folded")
    assert alert.choices == (
        Choice(label="they-folded", do="here 6", values=Values(seats=(4, 5))),
        Choice(label="out-of-turn", do="out-of-turn 6"),
    )
    table.do("out-of-turn 6")
    assert table.codes[0] == "out-of-turn"
    assert table.alert("out-of-turn").values.held == Did(verb="raise", amount=3000)
    answers = ["action-is-on", "it-stands", "give-it-back"]
    assert [choice.label for choice in table.alert("out-of-turn").choices] == answers
    assert words_of(table.view).label(table.alert("out-of-turn").choices[0]) == "ACTION IS ON 4"
    table.do("here 4")
    assert table.alert("out-of-turn").level == "info", "the dealer has said so, and waits"
    assert [choice.label for choice in table.alert("out-of-turn").choices] == answers[1:]
    table.do("floor bind 6")
    assert [choice.label for choice in table.alert("out-of-turn").choices] == ["give-it-back"]


def test_chips_behind_the_turn_that_are_not_sure_are_told() -> None:
    alert = at(NO_LIMIT, PATIENT).lies(6, 3000, at_least=True).alert("behind-the-turn")
    assert (alert.level, alert.values, alert.choices) == ("info", Values(seat=6, turn=4), ())
    assert "behind-the-turn" not in at(NO_LIMIT, PATIENT).lies(4, 3000, at_least=True).codes


def test_chips_behind_the_turn_are_told_as_soon_as_they_are_seen() -> None:
    table = at(NO_LIMIT, PATIENT).seen(6, 1000, 2000)
    assert [(each.code, each.level, each.values) for each in table.view.alerts] == [
        ("behind-the-turn", "info", Values(seat=6, turn=4))
    ]
    assert "behind-the-turn" not in table.do("4 fold", "5 fold").codes


def test_nobody_is_out_of_turn_before_the_dealer_has_named_who_opens() -> None:
    called = ("bring-in 3", "3 chips 500", "4 fold", "5 fold", "6 fold", "1 fold", "2 chips 500", "deal")
    table = at(STUD, PATIENT, *called, "2 chips 2000")
    assert (2 in table.live.table.street.held, table.codes) == (True, [])
    assert table.do("first 3").codes == ["behind-the-turn"]


def test_a_sweep_is_asked_about_when_no_deal_follows() -> None:
    table = MAKERS["sweep-question"]()
    assert table.alert("sweep-question").level == "info"
    assert table.after(RIPE_US).alert("sweep-question").level == "question"


def test_what_cannot_be_done_cannot_stand() -> None:
    table = at(NO_LIMIT, PATIENT, "4 says check")
    assert [choice.label for choice in table.alert("not-possible").choices] == ["give-it-back"]


def test_a_fault_at_a_spot_is_named_and_goes_when_the_spot_is_read_again() -> None:
    table = _failed()
    assert table.alert("failed").values == Values(seat=4, spot="bet4", reason="division by zero")
    assert table.alert("failed").clears == "technician"
    table.lies(4, 1000)
    assert "failed" not in table.codes
    assert table.seat(4).bet == 1000


def test_a_fault_without_a_spot_is_told_too() -> None:
    table = at(NO_LIMIT, PATIENT)
    table.took(after_fault(table.live, None, "no such thing", table.now_us))
    assert table.alert("failed").values == Values(reason="no such thing")


def test_chips_that_lie_in_the_pot_between_the_hands_are_not_astray_while_nobody_is_sure() -> None:
    assert "chips-astray" not in _after_the_hand().lies("pot", 5000, at_least=True).after(ASTRAY_US).codes
    assert "chips-astray" not in _after_the_hand().lies("pot", 5000, strangers=("E1",)).after(ASTRAY_US).codes
    assert _after_the_hand().lies("pot", 5000).after(ASTRAY_US).alert("chips-astray").values.amount == 5000


def test_a_sweep_before_all_have_acted_leaves_the_seat_that_bet_alone() -> None:
    table = at(NO_LIMIT, PATIENT).lies(2, 500).lies(3, 1000).lies(4, 1000, 1000, 1000).lies(2).lies(3)
    assert table.alert("sweep-question").values == Values(seat=4, seats=(2, 3))


def test_a_spot_taken_back_alone_is_no_sweep() -> None:
    table = at(NO_LIMIT, PATIENT).lies(4, 1000).lies(4).after(ALONE_US)
    assert "sweep-question" not in table.codes
    assert "chips-withdrawn" in table.codes


def test_what_comes_back_is_not_told_any_more() -> None:
    table = at(NO_LIMIT, PATIENT).told(TrayOffline("pot", "no-reading", 0)).told(DeviceDown("keys", "silence", 0))
    assert {"spot-offline", "board-offline"} <= set(table.codes)
    table.told(TrayOnline("pot", 0)).told(DeviceUp("keys", 0))
    assert not {"spot-offline", "board-offline"} & set(table.codes)
    assert table.view.devices == (Device(name="keys", up=True),)


def test_the_same_alert_is_raised_once() -> None:
    table = at(NO_LIMIT, PATIENT).lies(4, lammers=("rock", "rock"))
    assert table.codes.count("lammer") == 1


# --- seats, bounds, what can be done next ---


def test_a_hand_before_the_flop() -> None:
    table = at(POT_LIMIT, PATIENT, "4 raise to 3000").lies(4, 1000, 1000, 1000)
    view = table.view
    assert (view.turn, view.to_call, view.min_raise_to, view.max_raise_to) == (5, 3000, 5000, 10_500)
    assert (view.limit, view.may, view.pot) == ("pot", ("call", "fold", "raise"), 4500)
    assert (view.hand, view.round, view.phase, view.button, view.rulebook) == (1, 1, "betting", 1, "roberts")
    assert view.told == Told(step="declares", seat=4, did=Did(verb="raise", amount=3000), source="confirmed")
    assert view.undo == Told(step="declares", seat=4, did=Did(verb="raise", amount=3000))
    seat = table.seat(4)
    assert (seat.bet, seat.bet_source, seat.last) == (3000, "confirmed", Did(verb="raise", amount=3000))
    assert table.seat(2).last == Did(verb="blind", amount=500)
    assert [table.seat(seat).status for seat in (4, 5, 6, 7)] == ["acted", "to-act", "waiting", "empty"]
    assert [table.seat(seat).markers for seat in (4, 7)] == [0, 0]


STATUSES: dict[str, tuple[Callable[[], At], int, SeatStatus]] = {
    "an empty seat": (At, 9, "empty"),
    "between the hands": (At, 4, "waiting"),
    "between the hands, away": (lambda: At().do("4 away"), 4, "away"),
    "between the hands, out of chips": (lambda: At().do("4 stack 0"), 4, "out"),
    "away during a hand": (lambda: At().do("4 away", "hand"), 4, "away"),
    "not dealt in": (
        lambda: At(replace(NO_LIMIT, new_player_posts=True), players=NEW_PLAYER).do(*HAND),
        7,
        "out",
    ),
    "in turn": (lambda: at(NO_LIMIT, AT_ONCE), 4, "to-act"),
    "behind it": (lambda: at(NO_LIMIT, AT_ONCE), 5, "waiting"),
    "after it": (lambda: at(NO_LIMIT, AT_ONCE, "4 call"), 4, "acted"),
    "folded": (lambda: at(NO_LIMIT, AT_ONCE, "4 fold"), 4, "folded"),
    "nobody is named who brings in": (_stud, 4, "waiting"),
    "all-in": (lambda: at(NO_LIMIT, AT_ONCE, "4 all-in"), 4, "all-in"),
}


@pytest.mark.parametrize("rule", STATUSES)
def test_the_status_of_a_seat(rule: str) -> None:
    make, seat, status = STATUSES[rule]
    assert make().seat(seat).status == status


# What is seen beyond what counts, whether it is at least so much, and tags that are no chips.
SEEN: dict[str, tuple[Callable[[], At], int, tuple[int, bool, int]]] = {
    "nothing": (lambda: at(NO_LIMIT, PATIENT), 4, (0, False, 0)),
    "chips that move": (lambda: at(NO_LIMIT, PATIENT).seen(4, 1000), 4, (1000, False, 0)),
    "chips that move, as many as count": (lambda: at(NO_LIMIT, PATIENT).seen(3, 1000), 3, (0, False, 0)),
    "chips that move, fewer than count": (lambda: at(NO_LIMIT, PATIENT).seen(3, 500), 3, (0, False, 0)),
    "a stack not read for sure": (
        lambda: at(NO_LIMIT, PATIENT).lies(4, 1000, 1000, at_least=True),
        4,
        (2000, True, 0),
    ),
    "a stack not read for sure, as much as counts": (
        lambda: at(NO_LIMIT, PATIENT).lies(3, 1000, at_least=True),
        3,
        (0, False, 0),
    ),
    "a stack not read for sure, less than counts": (
        lambda: at(NO_LIMIT, PATIENT).lies(3, 500, at_least=True),
        3,
        (0, False, 0),
    ),
    "the smallest chip, not read for sure": (
        lambda: at(NO_LIMIT, PATIENT).lies(4, 1, at_least=True),
        4,
        (1, True, 0),
    ),
    "the smallest chip, moving and not read for sure": (
        lambda: at(NO_LIMIT, PATIENT).seen(4, 1, at_least=True),
        4,
        (1, True, 0),
    ),
    "chips that move, not read for sure, as many as count": (
        lambda: at(NO_LIMIT, PATIENT).seen(3, 1000, at_least=True),
        3,
        (0, False, 0),
    ),
    "chips of another house": (
        lambda: at(NO_LIMIT, PATIENT).lies(4, 1000, strangers=("E0049999",)),
        4,
        (1000, False, 1),
    ),
    "chips between the rounds": (
        lambda: at(NO_LIMIT, PATIENT, *FLOP, "3 check", "4 check").lies(4, 5000),
        4,
        (5000, False, 0),
    ),
}


@pytest.mark.parametrize("rule", SEEN)
def test_what_is_seen_and_does_not_count(rule: str) -> None:
    make, seat, found = SEEN[rule]
    shown = make().seat(seat)
    assert (shown.seen, shown.at_least, shown.unknown_chips) == found


@pytest.mark.parametrize(
    ("game", "stack", "bounds"),
    [
        (NO_LIMIT, 150_000, (2000, 150_000, "stack")),
        (POT_LIMIT, 150_000, (2000, 3500, "pot")),
        (POT_LIMIT, 3000, (2000, 3000, "stack")),
        (FIXED, 150_000, (4000, 4000, "fixed")),
        (NO_LIMIT, 1500, (None, None, "stack")),
    ],
)
def test_bounds(game: Game, stack: int, bounds: tuple[Any, ...]) -> None:
    players = {**PLAYERS, 4: Player(stack=stack)}
    view = At(game, players=players).do(*HAND).view
    assert (view.min_raise_to, view.max_raise_to, view.limit) == bounds


def test_nothing_bounds_a_stack_that_nobody_knows() -> None:
    view = At(players={**PLAYERS, 4: Player(stack=5000, unknown=True)}).do(*HAND).view
    assert (view.min_raise_to, view.max_raise_to, view.limit) == (2000, None, "none")
    assert view.seats[3].stack is None


@pytest.mark.parametrize(
    ("lines", "choices"),
    [
        ((), []),
        (FLOP[:-1], [Choice(label="deal", do="deal", values=Values(street=2, variant="holdem"))]),
        (
            ("4 fold", "5 fold", "6 fold", "1 fold", "2 fold"),
            [Choice(label="award", do="award main 3", values=Values(pot="main", amount=1500, seat=3))],
        ),
        (
            ("4 chips 10000", "5 fold"),
            [Choice(label="push-back-to", do="return 4", values=Values(seat=4, amount=9000))],
        ),
    ],
)
def test_what_can_be_done_next(lines: tuple[str, ...], choices: list[Choice]) -> None:
    assert list(at(NO_LIMIT, AT_ONCE, *lines).view.next) == choices


def test_in_stud_the_dealer_names_who_opens() -> None:
    table = _stud()
    assert [choice.label for choice in table.view.next] == ["brings-in"] * len(PLAYERS)
    assert table.view.next[2] == Choice(label="brings-in", do="bring-in 3", values=Values(seat=3))
    table.do(table.view.next[2].do)
    assert (table.view.turn, table.view.next) == (3, ())
    table.do("3 chips 500", "4 chips 500", "5 fold", "6 fold", "1 fold", "2 fold", "deal")
    assert table.view.turn is None
    assert [choice.do for choice in table.view.next] == ["first 3", "first 4", "open-pair"]
    assert table.do("first 4").view.turn == 4


def test_between_the_hands_the_next_one_is_offered() -> None:
    assert At().view.next == (Choice(label="next-hand", do="hand"),)
    assert (At().view.phase, At().view.round) == ("idle", 0)
    assert _after_the_hand().view.phase == "over"
    assert not At().view.provisional and not _after_the_hand().view.provisional


def test_the_game_is_told_as_far_as_its_title_needs() -> None:
    assert game_view(FIXED, "main").bets == (2000, 2000, 4000, 4000)
    assert game_view(FIXED, "main").bomb == 0
    assert game_view(replace(NO_LIMIT, bets=(1, 2, 3, 4)), "late").bets == ()


# --- what was done ---


@pytest.mark.parametrize(
    ("lines", "found"),
    [
        (("4 call",), Told(step="declares", seat=4, did=Did(verb="call", amount=1000))),
        (("4 all-in",), Told(step="declares", seat=4, did=Did(verb="raise", amount=154_000, all_in=True))),
        ((*FLOP, "3 check", "4 bet 2000"), Told(step="declares", seat=4, did=Did(verb="bet", amount=2000))),
        ((*FLOP, "3 bet 2000", "4 raise to 6000"), Told(step="declares", seat=4, did=Did(verb="raise", amount=6000))),
        (("4 fold",), Told(step="declares", seat=4, did=Did(verb="fold"))),
        (("4 time",), Told(step="declares", seat=4, did=Did(verb="time"))),
        (("4 chips 1000",), Told(step="moves", seat=4, did=Did(verb="call", amount=1000))),
        (("5 fold",), Told(step="declares", seat=5, did=Did(verb="fold"), held=True)),
        (
            ("5 raise to 3000",),
            Told(step="declares", seat=5, did=Did(verb="raise", amount=3000), held=True),
        ),
        (
            ("5 raise to 3000", "floor bind 5", "4 call"),
            Told(step="declares", seat=4, did=Did(verb="call", amount=1000)),
        ),
        (("here 6",), Told(step="action-on", seat=6)),
        (("floor pot 2500",), Told(step="floor-counts-pot", amount=2500)),
        (("floor bet 4 1000",), Told(step="floor-sets-bet", seat=4, amount=1000)),
        (("4 stack unknown",), Told(step="counted", seat=4)),
        (
            ("4 fold", "5 fold", "6 fold", "1 fold", "2 fold", "award main 3"),
            Told(step="awards", pot="main", seats=(3,)),
        ),
    ],
)
def test_the_last_step_is_told(lines: tuple[str, ...], found: Told) -> None:
    assert at(NO_LIMIT, AT_ONCE, *lines).view.undo == found


BRINGS_IN = ("bring-in 3", "3 call")


@pytest.mark.parametrize(
    ("lines", "did"),
    [
        (BRINGS_IN, Did(verb="brings-in", amount=500)),
        (("bring-in 3", "3 bet 500"), Did(verb="brings-in", amount=500)),
        ((*BRINGS_IN, "4 call"), Did(verb="call", amount=500)),
        ((*BRINGS_IN, "4 complete"), Did(verb="complete", amount=2000)),
        (("bring-in 3", "3 complete"), Did(verb="complete", amount=2000)),
        ((*BRINGS_IN, "4 complete", "5 raise to 4000"), Did(verb="raise", amount=4000)),
        ((*BRINGS_IN, "4 complete", "5 fold", "6 fold", "1 fold", "2 fold", "3 call"), Did(verb="call", amount=2000)),
    ],
)
def test_a_bring_in_and_its_completion_have_their_own_verbs(lines: tuple[str, ...], did: Did) -> None:
    view = _stud(*lines).view
    assert view.told is not None
    assert view.told.did == did
    assert next(seat.last for seat in view.seats if seat.seat == view.told.seat) == did


def test_all_in_for_less_than_the_full_bet_does_not_complete() -> None:
    players = {**PLAYERS, 4: Player(stack=1500)}
    table = At(STUD, players=players, **AT_ONCE).do(*HAND, *BRINGS_IN, "4 all-in")
    assert table.seat(4).last == Did(verb="raise", amount=1000, all_in=True)


def test_only_who_owes_the_bring_in_is_told_to_bring_in() -> None:
    assert _stud("bring-in 3").view.brings_in
    assert not _stud(*BRINGS_IN).view.brings_in
    assert not at(NO_LIMIT, PATIENT).view.brings_in
    assert not At().view.brings_in


def test_the_last_step_between_the_hands_is_told() -> None:
    table = At().do("7 sit 20000 as ann")
    assert table.view.told == Told(step="sits", seat=7, amount=20_000, name="ann")
    assert table.do("7 moves 9").view.told == Told(step="changes-seat", seat=7, seats=(9,))


def test_nothing_is_told_before_the_first_step() -> None:
    assert (At().view.told, At().view.undo) == (None, None)


# --- refusals ---


@pytest.mark.parametrize(
    ("refusal", "values"),
    [
        (Refusal(Why.NOT_BETWEEN, amount=100, least=2000, most=9000), Values(amount=100, least=2000, most=9000)),
        (Refusal(Why.NOT_IN_POT, seat=2, name="side1", seats=(3, 4)), Values(seat=2, pot="side1", seats=(3, 4))),
        (Refusal(Why.TOO_MANY_STRADDLES, most=2), Values(count=2)),
        (Refusal(Why.STRADDLE_SIZE, amount=1500, least=2000, most=2000), Values(amount=1500, most=2000)),
        (Refusal(Why.STRADDLE_SIZE, amount=1500, least=2000), Values(amount=1500, least=2000)),
        (Refusal(Why.NOT_OVER, amount=3, name="Turn"), Values()),
        (
            Refusal(Reason.COULD_NOT, seat=3, amount=2000, name="bet"),
            Values(seat=3, held=Did(verb="bet", amount=2000)),
        ),
        (Refusal(LiveReason.READ_ALREADY, seat=3, name="wager"), Values(seat=3, held=Did(verb="wager"))),
        (Refusal(LiveReason.READ_ALREADY, seat=3, name="dead"), Values(seat=3)),
        (
            Refusal(LiveReason.NOT_OFFERED, seat=3, names=("nothing", "bet")),
            Values(seat=3, answers=("no-bet", "they-are-bet")),
        ),
        (Refusal(Reason.HAS_SEAT, name="ann"), Values(name="ann")),
    ],
)
def test_a_refusal_tells_amounts_apart_from_counts(refusal: Refusal, values: Values) -> None:
    assert refused(refusal).values == values
    assert refused(refusal).code == refusal.code.value


@pytest.mark.parametrize("verb", get_args(DidVerb))
def test_every_act_that_a_refusal_names_is_told(verb: str) -> None:
    assert refused(Refusal(Reason.COULD_NOT, seat=3, name=verb)).values.held == Did(verb=verb)  # type: ignore[arg-type]


# --- whatever happens ---

_seats = st.integers(1, 7)
_amounts = st.sampled_from([500, 1000, 2000, 3130, 6000, 25_000, 150_000])
_lines = st.one_of(
    st.builds("{} {}".format, _seats, st.sampled_from(["fold", "check", "call", "all-in", "time", "raise", "pot"])),
    st.builds(
        "{} {} {}".format, _seats, st.sampled_from(["bet", "raise to", "chips", "takes", "sit", "add"]), _amounts
    ),
    st.builds("{} {}".format, st.sampled_from(["return", "here", "floor bind", "floor release", "floor dead"]), _seats),
    st.builds("floor bet {} {}".format, _seats, _amounts),
    st.builds("award main {}".format, _seats),
    st.sampled_from(["hand", "deal", "deal closing", "undo", "void", "call-floor", "floor-came"]),
)
_games = st.sampled_from([NO_LIMIT, POT_LIMIT, FIXED, replace(POT_LIMIT, rulebook="tda")])


@settings(max_examples=40, deadline=None)
@given(_games, st.booleans(), st.lists(st.one_of(_lines, st.tuples(_seats, _amounts)), max_size=25))
def test_every_view_is_right(game: Game, patient: bool, happens: list[str | tuple[int, int]]) -> None:
    table = At(game, patient=patient).do(*HAND)
    for each in happens:
        table.after(400_000)
        if isinstance(each, str):
            change = table.took(obey(table.live, parse(each), table.now_us))
            if change.refused is not None:
                assert not raw(words_of(table.view).refused(refused(change.refused)))
        else:
            table.lies(*each)


@pytest.mark.parametrize("topic", sorted(path.name for path in SCRIPTS.iterdir()))
def test_every_view_of_the_scripts_is_right(topic: str) -> None:
    for path in sorted((SCRIPTS / topic).rglob("*.toml")):
        script = load(path)
        table = At()
        table.live = Live(Setup(), begin(script))
        for step in script.steps:
            table.after(STEP_US)
            change = table.took(obey(table.live, step, table.now_us))
            if change.refused is not None:
                assert not raw(words_of(table.view).refused(refused(change.refused))), path


def test_a_raw_integer_would_be_noticed() -> None:
    view = at(NO_LIMIT, PATIENT).view
    planted: Iterable[str] = (*said(view), "PUSH BACK 24000")
    assert [text for text in planted if raw(text)] == ["PUSH BACK 24000"]
