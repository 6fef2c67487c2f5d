"""The view of a live table: alerts with their choices, fields, and the texts that a screen shows."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.live import (
    ASK_DELAY_US,
    HELD_ACTION_DELAY_US,
    LONE_EMPTY_SPOT_DELAY_US,
    UNAWARDED_CHIPS_DELAY_US,
    UNSETTLED_TIMEOUT_US,
    ChipQuestion,
    ChipQuestionKind,
    FileFault,
    FileKind,
    Live,
    LiveRefusal,
    RevaluedChips,
    TableSetup,
    Transition,
    WaitingFile,
    derived_state,
    handle_command,
    handle_event,
    tick,
)
from controller.live import handle_program_error as after_fault
from controller.messages import messages_for
from controller.presenter import build_game_view, build_refusal_view, build_table_view
from controller.presenter.alert_codes import ALERT_TYPES, PRACTICE_TASKS, WARNING_TYPES
from controller.presenter.chip_question_alerts import chip_question_alert
from controller.rules import UNSET, VARIANTS, Game, Kill, Player, Rake, Refusal, RuleRefusal, VariantName
from controller.scripts import STEP_INTERVAL_US, load_script, starting_table
from controller.steps import StepSource, format_step, observations, parse_step
from controller.table import Table, TableRefusal, TournamentLevel, open_table
from controller.view import (
    ActionVerb,
    ActionView,
    Alert,
    Choice,
    Device,
    KeyLabel,
    MessageValues,
    SeatStatus,
    SeatView,
    ServiceMessage,
    StepSummary,
    TableView,
    protocol,
)
from hardware.events import (
    Chip,
    DeviceDown,
    DeviceUp,
    Event,
    KeyPressed,
    PressesLost,
    SpotOffline,
    SpotOnline,
    StackProvisional,
    StackSettled,
    WeakTagFound,
    WrongDeviceSetting,
)
from hardware.spots import bet_spot
from tests.controller.view_invariants import check_sums
from tests.money_format import DOLLARS, has_unformatted_number

SCRIPTS = Path(__file__).resolve().parents[1] / "scripts"
PLAYERS = {seat: Player(stack=150_000 + 1_000 * seat) for seat in range(1, 7)}
NO_LIMIT = Game(blinds=(500, 1000), unit=100)
TOURNAMENT = replace(NO_LIMIT, rulebook="tda")
LIMPED = ("4 call", "5 fold", "6 fold", "1 fold", "2 call", "3 check", "2 in", "4 in", "deal")
POT_LIMIT = Game(variant="omaha", structure="pot-limit", blinds=(500, 1000), unit=500)
FIXED = Game(structure="fixed-limit", blinds=(1000, 2000), bets=(2000, 2000, 4000, 4000), unit=500)
STUD = Game(
    variant="stud", structure="fixed-limit", ante=500, bring_in=500, bets=(2000, 2000, 4000, 4000, 4000), unit=500
)


def table_of(game: Game = NO_LIMIT, players: dict[int, Player] | None = None) -> Table:
    return open_table({"main": game}, 1, players or PLAYERS)


class LiveView:
    """A live table with simulated time, and the view of this table.

    `do` applies steps and fails if the table refuses a step.
    """

    def __init__(self, game: Game = NO_LIMIT, *, players: dict[int, Player] | None = None, **setup: Any) -> None:
        self.live = Live(TableSetup(**setup), table_of(game, players))
        self.now_us = 10_000_000
        self.chips = 0
        self.source: StepSource = "dealer"

    def apply(self, change: Transition) -> Transition:
        self.live = change.live
        check_view(self.view)
        return change

    def do(self, *lines: str) -> LiveView:
        for line in lines:
            change = self.apply(handle_command(self.live, parse_step(line), self.now_us, source=self.source))
            assert change.refusal is None, (line, change.refusal)
        return self

    def try_step(self, text: str) -> LiveView:
        """Apply a step that must be refused."""
        assert self.apply(handle_command(self.live, parse_step(text), self.now_us)).refusal is not None
        return self

    def send_event(self, event: Event) -> LiveView:
        self.apply(handle_event(self.live, event, self.now_us))
        return self

    def stack(self, *denominations: int) -> tuple[Chip, ...]:
        self.chips += len(denominations)
        return tuple(Chip(f"E004{self.chips - place:012X}", value) for place, value in enumerate(denominations))

    def settle_chips(
        self,
        spot: int | str,
        *denominations: int,
        unknown_tags: tuple[str, ...] = (),
        at_least: bool = False,
        **more: Any,
    ) -> LiveView:
        name = bet_spot(spot) if isinstance(spot, int) else spot
        lammers = more.get("lammers", ())
        stack = self.stack(*denominations)
        return self.send_event(StackSettled(name, stack, unknown_tags, lammers, at_least, self.now_us))

    def show_chips(self, seat: int, *denominations: int, at_least: bool = False) -> LiveView:
        return self.send_event(
            StackProvisional(bet_spot(seat), self.stack(*denominations), (), (), at_least, self.now_us)
        )

    def advance(self, us: int) -> LiveView:
        self.now_us += us
        self.apply(tick(self.live, self.now_us))
        return self

    @property
    def view(self) -> TableView:
        return build_table_view(self.live, 7, name="Table 4", money=DOLLARS)

    @property
    def codes(self) -> list[str]:
        return [alert.code for alert in self.view.alerts]

    def alert(self, code: str) -> Alert:
        return next(alert for alert in self.view.alerts if alert.code == code)

    def seat(self, seat: int) -> SeatView:
        return self.view.seats[seat - 1]


def check_view(view: TableView) -> None:
    """Verify what must be true of every view."""
    assert [seat.seat for seat in view.seats] == list(range(1, 11))
    assert protocol.decode_service_message(protocol.encode(ServiceMessage(view=view))).view == view
    assert sum(pot.amount for pot in view.pots) == view.pot
    assert view.pot >= sum(seat.bet for seat in view.seats)
    assert (view.turn is None) == (view.to_call is None)
    assert bool(view.allowed_actions) == (view.turn is not None)
    assert [seat.seat for seat in view.seats if seat.status == "to-act"] == ([view.turn] if view.turn else [])
    if view.min_raise_to is not None and view.max_raise_to is not None:
        assert view.min_raise_to <= view.max_raise_to
    check_sums(view)
    keys = [alert.key for alert in view.alerts]
    assert len(keys) == len(set(keys)), keys
    levels = [("question", "warning", "info").index(alert.level) for alert in view.alerts]
    assert levels == sorted(levels)
    for choice in [*view.next_choices, *(choice for alert in view.alerts for choice in alert.choices)]:
        assert format_step(parse_step(choice.do)) == choice.do
    assert not [text for text in view_texts(view) if has_unformatted_number(text)]
    messages = messages_for(view)
    for alert in view.alerts:
        for text in (messages.alert_title(alert), messages.alert_text(alert), *map(messages.choice, alert.choices)):
            assert not re.search(r"(^| )\?|[{}\[\]]", text), text


# --- no amount is a raw integer ---


def view_texts(view: TableView) -> Iterator[str]:
    """Yield every text that a screen derives from a view. The fixed labels of the screen are not included."""
    messages = messages_for(view)
    yield from (messages.game(view.game), messages.street(view.game.variant, view.round), view.table_name)
    for alert in view.alerts:
        yield messages.alert_title(alert)
        yield messages.alert_text(alert)
        yield from map(messages.choice, alert.choices)
        rule = messages.alert_rule(alert)
        yield from rule or ()
    yield from map(messages.choice, view.next_choices)
    yield from (messages.step_summary(summary) for summary in (view.last_step, view.undo) if summary)
    for seat in view.seats:
        yield messages.seat_status(seat.status)
        yield seat.name
        yield from (messages.action(did) for did in (seat.last_action, seat.held_action) if did)
    yield from (messages.pot(pot.name) for pot in view.pots)
    yield from map(messages.account, view.accounts)
    yield from map(messages.device_down, view.devices)
    yield messages.maximum_label(view.limit, opening="bet" in view.allowed_actions)


# --- every alert is raised ---

HAND = ("hand",)
PATIENT: dict[str, Any] = {}
AT_ONCE: dict[str, Any] = {"tolerates_delays": False}


def at(game: Game, setup: dict[str, Any], *lines: str) -> LiveView:
    return LiveView(game, **setup).do(*HAND, *lines)


def _after_the_hand() -> LiveView:
    return at(NO_LIMIT, PATIENT, "4 fold", "5 fold", "6 fold", "1 fold", "2 fold", "award main 3")


def _restarted() -> LiveView:
    table = at(NO_LIMIT, PATIENT)
    table.apply(handle_command(table.live, observations.ServiceRestarted(), table.now_us, source="sensor"))
    return table


def _steps_not_recorded() -> LiveView:
    table = at(NO_LIMIT, PATIENT)
    table.apply(handle_command(table.live, observations.StepsNotRecorded(7), table.now_us, source="sensor"))
    return table


def _tag_copied() -> LiveView:
    table = at(NO_LIMIT, PATIENT)
    table.apply(
        handle_command(
            table.live, observations.RecordTagCopied("E00401", "bet4", "bet6"), table.now_us, source="sensor"
        )
    )
    return table


def _journal_altered() -> LiveView:
    table = at(NO_LIMIT, PATIENT)
    table.apply(handle_command(table.live, observations.JournalAltered("older-copy"), table.now_us, source="sensor"))
    return table


def _journal_damaged() -> LiveView:
    table = at(NO_LIMIT, PATIENT)
    table.apply(handle_command(table.live, observations.JournalDamaged(), table.now_us, source="sensor"))
    return table


def _step_failed() -> LiveView:
    table = at(NO_LIMIT, PATIENT)
    event = StackSettled(bet_spot(4), (), (), (), False, table.now_us)
    table.apply(after_fault(table.live, event, "division by zero", table.now_us))
    return table


def _file_fault(kind: FileKind, *, is_replaced: bool = False) -> LiveView:
    return LiveView(file_faults=(FileFault(kind, f"{kind}.toml", f"{kind}.toml:3: a = 1: expected 2", is_replaced),))


def _device_down(device: str, reason: str = "silence", **setup: Any) -> LiveView:
    return LiveView(**setup).send_event(DeviceDown(device, reason, 0))


def _badge_refused() -> LiveView:
    table = at(NO_LIMIT, PATIENT)
    refused = observations.BadgeRefused("badge-reader:A-00", "unknown")
    table.apply(handle_command(table.live, refused, table.now_us, source="sensor"))
    return table


def _sensors_off() -> LiveView:
    table = LiveView()
    for seat in PLAYERS:
        table.send_event(SpotOffline(bet_spot(seat), "no-reading", 0))
    return table


def _tournament() -> LiveView:
    """Return a tournament table with two levels of twenty minutes and a break of ten minutes between them."""
    table = LiveView()
    games = {"one": NO_LIMIT, "break": NO_LIMIT, "two": replace(NO_LIMIT, blinds=(1000, 2000), min_bet=UNSET)}
    levels = (TournamentLevel("one", 20), TournamentLevel("break", 10, is_break=True), TournamentLevel("two", 20))
    table.live = Live(TableSetup(), open_table(games, 1, PLAYERS, levels=levels))
    return table


def _stud(*lines: str) -> LiveView:
    return at(STUD, AT_ONCE, *lines)


FLOP = ("4 call", "4 chips 1000", "5 fold", "6 fold", "1 fold", "2 fold", "3 check", "deal")
CHECKED = ("3 check", "4 check", "deal")
NEW_PLAYER = {**PLAYERS, 7: Player(stack=100_000, is_new=True)}
KILLS = replace(FIXED, kill=Kill(factor=2, pot=4000), min_bet=UNSET)


def _all_in_pair(game: Game) -> LiveView:
    """Return a table with seats 4 and 5 all-in for 20,000 and 30,000, both called by seat 6."""
    table = LiveView(game, players=PLAYERS | {4: Player(stack=20_000), 5: Player(stack=30_000)})
    return table.do(*HAND, "4 all-in", "5 all-in", "6 call", "1 fold", "2 fold", "3 fold", "bets-in")


ALERT_BUILDERS: dict[str, Callable[[], LiveView]] = {
    "out-of-turn": lambda: at(NO_LIMIT, AT_ONCE, "5 raise to 3000"),
    "string-bet": lambda: at(NO_LIMIT, AT_ONCE, "4 chips 1000", "4 chips 2000"),
    "oversized-chip": lambda: at(NO_LIMIT, AT_ONCE, "4 chips 10000"),
    "under-bet": lambda: at(NO_LIMIT, AT_ONCE, *FLOP, "3 chips 500"),
    "under-call": lambda: at(NO_LIMIT, AT_ONCE, "4 raise to 6000", "5 chips 2500"),
    "under-raise": lambda: at(NO_LIMIT, AT_ONCE, "4 chips 1000 500"),
    "over-limit": lambda: at(POT_LIMIT, AT_ONCE, "4 chips 10000 500"),
    "off-unit": lambda: at(NO_LIMIT, AT_ONCE, "4 raise to 3130"),
    "later-refused": lambda: LiveView(
        replace(NO_LIMIT, buy_in=(20_000, 160_000)), players={1: Player(stack=150_000), 2: Player(stack=150_000)}
    ).do(*HAND, "2 later add 10000", "1 fold", "award main 2"),
    "capped": lambda: at(
        FIXED, AT_ONCE, "4 raise to 4000", "5 raise to 6000", "6 raise to 8000", "1 raise to 10000", "2 raise to 12000"
    ),
    "not-reopened": lambda: LiveView(
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
    "unknown-chip": lambda: at(NO_LIMIT, PATIENT).settle_chips(4, 1000, unknown_tags=("E0049999",)),
    "tray-offline": lambda: at(NO_LIMIT, PATIENT).send_event(SpotOffline(bet_spot(4), "no-reading", 0)),
    "behind-the-turn": lambda: at(NO_LIMIT, PATIENT, "5 raise to 3000"),
    "sweep-question": lambda: (
        at(NO_LIMIT, PATIENT)
        .settle_chips(2, 500)
        .settle_chips(3, 1000)
        .settle_chips(4, 1000)
        .settle_chips(2)
        .settle_chips(3)
    ),
    "at-least": lambda: at(NO_LIMIT, PATIENT).settle_chips(4, 1000, 1000, at_least=True),
    "act-or-answer": lambda: at(NO_LIMIT, PATIENT, "5 raise to 3000", "out-of-turn 5").settle_chips(
        4, 1000, 1000, 1000
    ),
    "key-too-late": lambda: (
        at(NO_LIMIT, PATIENT).settle_chips(4, 1000).send_event(KeyPressed("check-call", 10_100_000))
    ),
    "chips-between-rounds": lambda: at(NO_LIMIT, PATIENT, *FLOP, "3 check", "4 check").settle_chips(4, 5000),
    "due-back": lambda: at(NO_LIMIT, AT_ONCE, "4 chips 10000", "5 fold"),
    "owes": lambda: at(NO_LIMIT, AT_ONCE, "4 call"),
    "unclear-amount": lambda: at(TOURNAMENT, AT_ONCE, *LIMPED, "2 says bet 20"),
    "misunderstood-call": lambda: at(NO_LIMIT, AT_ONCE, "4 raise to 6000", "5 chips 2500"),
    "held-for-the-floor": lambda: at(
        replace(NO_LIMIT, rulebook="tda"), AT_ONCE, "4 raise to 3000", "5 raise to 9000", "6 chips 1000 500"
    ),
    "unsettled": lambda: at(NO_LIMIT, PATIENT).show_chips(4, 1000).advance(UNSETTLED_TIMEOUT_US),
    "post-owed": lambda: LiveView(replace(NO_LIMIT, new_player_posts=True), players=NEW_PLAYER),
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
    "flop-too-early": lambda: at(NO_LIMIT, PATIENT, "4 call", "4 chips 1000").try_step("deal"),
    "turn-too-early": lambda: at(NO_LIMIT, PATIENT, *FLOP).try_step("deal"),
    "river-too-early": lambda: at(NO_LIMIT, PATIENT, *FLOP, "3 check", "4 check", "deal").try_step("deal"),
    "street-too-early": lambda: _stud("bring-in 3", "3 chips 500", "4 chips 500").try_step("deal"),
    "hands-open": lambda: _all_in_pair(TOURNAMENT),
    "betting-open": lambda: at(NO_LIMIT, PATIENT, *FLOP, *CHECKED, *CHECKED).try_step("deal"),
    "lammer": lambda: at(NO_LIMIT, PATIENT, "4 all-in").settle_chips(4, lammers=("all-in",)),
    "all-in-not-booked": lambda: at(NO_LIMIT, PATIENT).settle_chips(4, lammers=("all-in",)),
    "missed-blind-not-booked": lambda: at(NO_LIMIT, PATIENT).settle_chips(4, lammers=("missed-blind",)),
    "rock-not-booked": lambda: LiveView(replace(NO_LIMIT, rock=3)).settle_chips(4, lammers=("rock",)),
    "kill-not-booked": lambda: LiveView(KILLS).settle_chips(4, lammers=("kill",)),
    "counting-bet": lambda: at(NO_LIMIT, PATIENT).settle_chips("pad").do("count 4 bet").settle_chips("pad", 1000, 1000),
    "counting-buy-in": lambda: LiveView().settle_chips("pad").do("count 7 buy-in").settle_chips("pad", 5000, 1000),
    "counting-stack": lambda: LiveView().settle_chips("pad").do("count 4 stack"),
    "pile-not-added": lambda: LiveView().settle_chips("pad", unknown_tags=("E0049999",)).do("count 4 stack"),
    "button-elsewhere": lambda: at(NO_LIMIT, PATIENT).settle_chips(4, lammers=("button",)),
    "not-on-the-felt": lambda: LiveView().settle_chips(3).do(*HAND, "4 fold"),
    "chips-found": lambda: at(NO_LIMIT, PATIENT).settle_chips("pot").settle_chips("pot", 500, 100),
    "chips-left-over": lambda: _after_the_hand().settle_chips(4, 5000),
    "chips-astray": lambda: _after_the_hand().settle_chips("pot", 5000, 1000).advance(UNAWARDED_CHIPS_DELAY_US),
    "next-hand-held": lambda: LiveView().do("floor hold"),
    "break": lambda: _tournament().do("clock 20", "game break"),
    "level-over": lambda: _tournament().do(*HAND, "clock 20"),
    "clock-over": lambda: at(NO_LIMIT, PATIENT, "call-clock 4").advance(30_000_000),
    "floor-called": lambda: at(NO_LIMIT, PATIENT, "call-floor"),
    "failed": _step_failed,
    "restarted": _restarted,
    "spot-offline": lambda: at(NO_LIMIT, PATIENT).send_event(SpotOffline("pot", "no-reading", 0)),
    "reader-offline": lambda: _device_down("odd", readers=frozenset({"odd"})),
    "reader-misset": lambda: LiveView(readers=frozenset({"odd"})).send_event(
        WrongDeviceSetting("odd", "afi", "07", "00", 0)
    ),
    "board-offline": lambda: _device_down("keys"),
    "badge-reader-offline": lambda: _device_down(derived_state.BADGE_READER),
    "badge-reader-paused": lambda: _device_down("badge-reader:A-00", derived_state.READER_PAUSED),
    "badge-refused": _badge_refused,
    "high-water-offline": lambda: _device_down(derived_state.HIGH_WATER_MARK, "Input/output error"),
    "table-key-offline": lambda: _device_down(derived_state.TABLE_KEY, "No such file or directory"),
    "storage-nearly-full": lambda: _device_down(derived_state.STORAGE, "< 200 MB"),
    "key-bounces": lambda: _device_down("key-fold", "bounces"),
    "key-stuck": lambda: _device_down("key-seat3", "stuck"),
    "presses-lost": lambda: LiveView().send_event(PressesLost("keys", 3, 0)),
    "sensors-off": _sensors_off,
    "journal-damaged": _journal_damaged,
    "journal-gap": _steps_not_recorded,
    "tag-copied": _tag_copied,
    "tag-weak": lambda: at(NO_LIMIT, PATIENT).send_event(WeakTagFound("bet4", "E00401", 500, 0)),
    "journal-altered": _journal_altered,
    "journal-not-written": lambda: LiveView(is_recorded=False),
    "file-replaced": lambda: _file_fault("layout", is_replaced=True),
    "layout-unusable": lambda: _file_fault("layout"),
    "file-waits": lambda: LiveView(waiting_files=(WaitingFile("config", "table.toml", "hand-over"),)),
    "file-needs-restart": lambda: LiveView(waiting_files=(WaitingFile("layout", "layout.toml", "restart"),)),
    "chips-revalued": lambda: LiveView(revalued_chips=RevaluedChips(3)),
    "roles-unusable": lambda: _file_fault("roles"),
    "badges-unusable": lambda: _file_fault("badges"),
    "secret-readable": lambda: _file_fault("secret"),
}
"""For each alert code, a function that returns a table at which this alert is shown."""

WITH_A_REFUSAL: dict[str, tuple[Game, str]] = {
    "buy-in": (replace(NO_LIMIT, buy_in=(20_000, 100_000)), "7 sit 5000"),
    "going-south": (NO_LIMIT, "4 remove 2000"),
}
"""For each warning that comes with a refusal, a game and a step that this game refuses."""


BET, NOTHING = observations.ExplainsChips(4, "bet"), observations.ExplainsChips(4, "nothing")
CHIP_QUESTIONS: dict[ChipQuestionKind, tuple[tuple[observations.ExplainsChips, ...], list[str]]] = {
    "own-stack": ((NOTHING, BET, observations.ExplainsChips(4, "bet", 2500)), ["OWN STACK", "BET $60", "BET $25"]),
    "left-over": ((observations.ExplainsChips(4, "swept"), BET), ["SWEPT", "BET $60"]),
    "last-pot": ((NOTHING, BET), ["LAST POT", "BET $60"]),
    "splash": (
        (observations.ExplainsChips(4, "bet", 6000), BET, observations.ExplainsChips(3, "nothing")),
        ["BET $60", "TWO BETS", "SEAT 3: NO BET"],
    ),
    "covered": (
        (
            observations.ExplainsChips(4, "covered"),
            observations.ExplainsChips(4, "swept"),
            observations.ExplainsChips(4, "taken"),
        ),
        ["STILL THERE", "SWEPT", "TAKEN BACK"],
    ),
    "at-least": ((BET, observations.ExplainsChips(4, "bet", 10_000)), ["BET $60", "BET $100"]),
    "copied": ((BET, NOTHING), ["BET $60", "NO BET"]),
    "strangers": ((NOTHING, BET), ["NO BET", "BET $60"]),
    "change": ((observations.ExplainsChips(4, "change", 6000), BET), ["CHANGE $60", "BET $60"]),
    "emptied": (
        (
            observations.ExplainsChips(4, "swept"),
            observations.ExplainsChips(4, "taken"),
            observations.ExplainsChips(4, "covered"),
        ),
        ["SWEPT", "TAKEN BACK", "STILL THERE"],
    ),
    "fold-meant": (
        (
            observations.ExplainsChips(4, "taken"),
            observations.ExplainsChips(4, "covered"),
            observations.ExplainsChips(4, "swept"),
        ),
        ["4 FOLDED", "STILL THERE", "SWEPT"],
    ),
    "folded-seat": ((NOTHING,), ["NO BET"]),
    "chips-between-rounds": ((BET,), ["PUSH BACK $60"]),
}
"""For each kind of question about 60 dollars in chips, the expected answers.

The first value has the answers, with the most likely first. The second value has the label of every answer key on the
screen.
"""


@pytest.mark.parametrize("kind", CHIP_QUESTIONS)
def test_chip_question_lists_its_answers_in_order(kind: ChipQuestionKind) -> None:
    likely, labels = CHIP_QUESTIONS[kind]
    alert, messages = chip_question_alert(ChipQuestion(4, kind, 6000, likely), 3), messages_for(LiveView().view)
    assert (alert.code, alert.level) == ("unknown-chip" if kind == "strangers" else kind, "question")
    assert alert.values == MessageValues(seat=4, turn=3, amount=6000)
    assert [parse_step(choice.do) for choice in alert.choices] == list(likely)
    assert [messages.choice(choice) for choice in alert.choices] == labels
    assert "$60" in messages.alert_text(alert) or kind == "strangers"


def test_unknown_amount_is_left_out_of_a_chip_question() -> None:
    alert = chip_question_alert(ChipQuestion(4, "copied", 0, (BET,)), 0)
    assert alert.values == MessageValues(seat=4)
    assert messages_for(LiveView().view).choice(alert.choices[0]) == "BET"


def test_every_alert_has_a_builder() -> None:
    asked = {chip_question_alert(ChipQuestion(4, kind, 0, ()), 0).code for kind in get_args(ChipQuestionKind)}
    assert set(CHIP_QUESTIONS) == set(get_args(ChipQuestionKind))
    practice = {f"practice-{task}" for task in PRACTICE_TASKS}  # tests/controller/test_practice.py
    assert set(ALERT_BUILDERS) | set(WITH_A_REFUSAL) | asked | practice == set(ALERT_TYPES)
    assert not set(ALERT_BUILDERS) & set(WITH_A_REFUSAL)


COMPANION_ALERTS: dict[str, list[tuple[str, int]]] = {
    "lammer": [("owes", 4), ("lammer", 4)],
    "under-call": [("under-call", 5), ("owes", 4), ("misunderstood-call", 5)],
    "unclear-amount": [("under-bet", 2), ("off-unit", 2), ("unclear-amount", 2)],
    "misunderstood-call": [("under-call", 5), ("owes", 4), ("misunderstood-call", 5)],
    "capped": [("capped", 2), ("owes", 1), ("owes", 4), ("owes", 5), ("owes", 6)],
    "not-reopened": [("not-reopened", 4), ("owes", 3)],
    "skipped": [("out-of-turn", 5), ("out-of-turn", 6), ("out-of-turn", 1), ("skipped", 1)],
    "act-or-answer": [("act-or-answer", 4), ("out-of-turn", 5)],
    "held-for-the-floor": [("held-for-the-floor", 6), ("owes", 4), ("owes", 5), ("misunderstood-call", 6)],
    "sensors-off": [("sensors-off", 0), *(("tray-offline", seat) for seat in (6, 1, 2, 3, 4, 5))],
}
"""All expected alerts of the tables in `ALERT_BUILDERS` that show more than one alert.

The key is the alert code of the table. The value lists its alerts in order, each with its seat.
"""


@pytest.mark.parametrize("code", ALERT_BUILDERS)
def test_every_alert_is_raised_only_with_its_companions(code: str) -> None:
    table = ALERT_BUILDERS[code]()
    alert = table.alert(code)
    alerts = [(shown.code, shown.values.seat) for shown in table.view.alerts]
    assert alerts == COMPANION_ALERTS.get(code, [(code, alert.values.seat)])
    assert alert.clearable_by == ALERT_TYPES[code].clearable_by
    assert alert.rule == ALERT_TYPES[code].rule


@pytest.mark.parametrize(
    ("code", "values", "do"),
    [
        (
            "out-of-turn",
            MessageValues(seat=5, turn=4, held_action=ActionView(verb="raise", amount=3000)),
            ["here 4", "floor bind 5", "floor release 5"],
        ),
        (
            "string-bet",
            MessageValues(seat=4, turn=5, amount=2000),
            ["return 4", "4 said raise", "4 said raise to 3000"],
        ),
        ("oversized-chip", MessageValues(seat=4, turn=5, amount=9000), ["return 4", "4 said raise"]),
        ("under-bet", MessageValues(seat=3, turn=4, amount=500, least=1000), ["3 in"]),
        ("under-call", MessageValues(seat=5, turn=6, amount=3500), ["5 in"]),
        ("under-raise", MessageValues(seat=4, turn=5, amount=500, least=2000), ["4 in", "4 said call"]),
        ("over-limit", MessageValues(seat=4, turn=5, amount=10_500, most=3500), ["return 4"]),
        ("off-unit", MessageValues(seat=4, turn=5, amount=3100), []),
        ("capped", MessageValues(seat=2, turn=3), []),
        ("not-reopened", MessageValues(seat=4, amount=5500), ["return 4"]),
        ("chips-withdrawn", MessageValues(seat=4, turn=6, amount=1000), ["4 in"]),
        ("words-differ", MessageValues(seat=4, turn=5, amount=2000), ["return 4"]),
        ("skipped", MessageValues(seat=1, turn=4), []),
        (
            "unknown-chip",
            MessageValues(seat=4, turn=4, amount=1000, count=1),
            ["chips-are 4 bet", "chips-are 4 nothing"],
        ),
        ("at-least", MessageValues(seat=4, turn=4, amount=2000), ["chips-are 4 bet"]),
        ("sweep-question", MessageValues(seats=(2, 3)), ["deal closing"]),
        (
            "act-or-answer",
            MessageValues(seat=4, turn=5, seats=(4,), presumed_action="folded"),
            ["here 5", "acts-now 4"],
        ),
        ("key-too-late", MessageValues(seat=5, turn=5), ["5 call"]),
        ("chips-between-rounds", MessageValues(seat=4, amount=5000), ["chips-are 4 bet"]),
        ("due-back", MessageValues(seat=4, amount=9000), ["return 4"]),
        ("owes", MessageValues(seat=4, amount=1000), ["4 in"]),
        (
            "held-for-the-floor",
            MessageValues(seat=6, turn=6, held_action=ActionView(verb="call", amount=1500)),
            ["floor bind 6", "floor release 6"],
        ),
        ("unsettled", MessageValues(seat=4, amount=1000), []),
        ("post-owed", MessageValues(seat=7, amount=1000), []),
        ("kill-owed", MessageValues(seat=4, amount=4000), []),
        ("flop-too-early", MessageValues(turn=5), ["deal closing"]),
        ("lammer", MessageValues(seat=4, lammer="all-in"), []),
        ("missed-blind-not-booked", MessageValues(seat=4, lammer="missed-blind"), []),
        ("counting-bet", MessageValues(seat=4, amount=2000, count=1), ["counted", "count-off"]),
        ("counting-buy-in", MessageValues(seat=7, amount=6000, count=1), ["counted", "count-off"]),
        ("counting-stack", MessageValues(seat=4, amount=0), ["count-off"]),
        ("pile-not-added", MessageValues(seat=4, amount=0, count=1), ["count-off"]),
        ("button-elsewhere", MessageValues(seat=4, button=1), []),
        ("not-on-the-felt", MessageValues(seat=3, amount=1000), []),
        ("chips-found", MessageValues(spot="pot", amount=600, count=2), []),
        ("tag-copied", MessageValues(seats=(4, 6)), ["tags-checked"]),
        ("tag-weak", MessageValues(amount=500, tag="E00401"), ["tags-checked"]),
        ("chips-left-over", MessageValues(seat=4, amount=5000), []),
        ("chips-astray", MessageValues(amount=6000), []),
        ("floor-called", MessageValues(), ["floor-came"]),
        ("clock-over", MessageValues(seat=4, presumed_action="folded"), ["4 fold", "call-clock 4"]),
        ("restarted", MessageValues(hand=1), ["restart-checked"]),
        ("journal-damaged", MessageValues(hand=1), ["records-checked"]),
        ("journal-gap", MessageValues(count=7), ["records-checked"]),
        ("journal-altered", MessageValues(reason="behind"), ["records-checked"]),
        ("spot-offline", MessageValues(spot="pot", reason="no-reading"), []),
        ("reader-offline", MessageValues(device="odd", reason="silence"), []),
    ],
)
def test_alert_has_its_values_and_choices(code: str, values: MessageValues, do: list[str]) -> None:
    alert = ALERT_BUILDERS[code]().alert(code)
    assert alert.values == values
    assert [choice.do for choice in alert.choices] == do


def test_chips_after_words_are_not_offered_as_one_motion() -> None:
    alerts = at(NO_LIMIT, AT_ONCE, "4 call", "4 chips 1000", "4 chips 2000").view.alerts
    assert "one-motion" not in {choice.label for alert in alerts for choice in alert.choices}


@pytest.mark.parametrize("variant", [name for name, variant in VARIANTS.items() if variant.has_flop])
@pytest.mark.parametrize(
    ("dealt", "code"),
    [
        ((), "flop-too-early"),
        (FLOP, "turn-too-early"),
        ((*FLOP, "3 check", "4 check", "deal"), "river-too-early"),
    ],
)
def test_early_deal_alert_names_the_street(variant: VariantName, dealt: tuple[str, ...], code: str) -> None:
    table = at(replace(NO_LIMIT, variant=variant), PATIENT, *dealt)
    assert code in table.try_step("deal").codes


@pytest.mark.parametrize(
    ("game", "is_open"),
    [
        (TOURNAMENT, True),
        (NO_LIMIT, False),
        (replace(NO_LIMIT, open_all_in_hands=True), True),
        (replace(TOURNAMENT, open_all_in_hands=False), False),
        (replace(TOURNAMENT, variant="triple-draw"), False),
    ],
)
def test_hands_are_turned_up_once_nobody_can_bet_if_the_house_says_so(game: Game, is_open: bool) -> None:
    assert ("hands-open" in _all_in_pair(game).codes) is is_open


def test_hands_stay_closed_while_two_players_can_still_bet() -> None:
    game = LiveView(TOURNAMENT, players=PLAYERS | {4: Player(stack=20_000)})
    game.do(*HAND, "4 all-in", "5 call", "6 call", "1 fold", "2 fold", "3 fold", "bets-in")
    assert "hands-open" not in game.codes
    game.do("deal", "5 check", "6 check", "deal", "5 check", "6 check", "deal", "5 check", "6 check")
    alert = game.alert("hands-open")
    assert (alert.values.seats, alert.values.street) == ((4, 5, 6), 0)
    assert alert.values.pots == (("main", 61_500),)


def test_open_hands_name_each_pot_and_the_next_street() -> None:
    game, texts = _all_in_pair(TOURNAMENT), []
    for _ in range(2):
        texts.append(messages_for(game.view).alert_text(game.alert("hands-open")))
        game.do("deal")
    counted = "The main pot $615, side pot 1 $200. Seats 4–6 show."
    assert texts == [f"{counted} Next: Flop.", f"{counted} Next: Turn."]


@pytest.mark.parametrize("code", WITH_A_REFUSAL)
def test_refused_step_shows_its_warning(code: str) -> None:
    game, text = WITH_A_REFUSAL[code]
    table = LiveView(game)
    if code == "going-south":
        table.do(*HAND)
    refusal = handle_command(table.live, parse_step(text), table.now_us).refusal
    assert refusal is not None
    warned = build_refusal_view(refusal).alert
    assert warned is not None
    assert (warned.code, warned.values.seat) == (code, refusal.seat)
    assert not has_unformatted_number(messages_for(table.view).refusal(build_refusal_view(refusal)))


def test_every_warning_is_an_alert_of_the_same_type() -> None:
    assert WARNING_TYPES.items() <= ALERT_TYPES.items()


# --- the choices of an alert do what they say ---


@pytest.mark.parametrize("code", ALERT_BUILDERS)
def test_every_choice_of_an_alert_is_accepted_and_disappears(code: str) -> None:
    for place in range(len(ALERT_BUILDERS[code]().alert(code).choices)):
        table = ALERT_BUILDERS[code]()
        choice = table.alert(code).choices[place]
        assert choice.label in get_args(KeyLabel)
        table.source = "floor" if choice.do.startswith(("floor", "records")) else "dealer"
        table.do(choice.do)
        assert choice.do not in [
            later.do for alert in table.view.alerts if alert.code == code for later in alert.choices
        ]


def test_offline_tray_alert_lasts_until_the_tray_returns() -> None:
    table = at(NO_LIMIT, PATIENT).send_event(SpotOffline(bet_spot(5), "no-reading", 0))
    for step in ("4 fold", "5 fold"):
        assert [(alert.code, alert.values.seat) for alert in table.view.alerts] == [("tray-offline", 5)]
        assert [seat.seat for seat in table.view.seats if seat.tray == "offline"] == [5]
        table.do(step)
    assert table.send_event(SpotOnline(bet_spot(5), 0)).view.alerts == ()


def test_only_the_first_of_several_actions_behind_the_turn_is_asked() -> None:
    table = at(NO_LIMIT, PATIENT, "5 raise to 3000", "6 raise to 9000").advance(HELD_ACTION_DELAY_US)
    alerts = [(alert.values.seat, alert.level) for alert in table.view.alerts if alert.code == "behind-the-turn"]
    assert alerts == [(5, "question"), (6, "info")]
    table.do("out-of-turn 5")
    assert table.alert("behind-the-turn").level == "question"


def test_action_behind_silent_chips_is_not_asked_before_their_question_is_answered() -> None:
    table = at(NO_LIMIT, PATIENT).show_chips(4, 1000).show_chips(4).settle_chips(4)
    table.do("5 raise to 3000").advance(HELD_ACTION_DELAY_US + ASK_DELAY_US)
    assert [(alert.code, alert.level) for alert in table.view.alerts if alert.level != "warning"] == [
        ("emptied", "question"),
        ("behind-the-turn", "info"),
    ]


def test_offline_tray_alert_of_an_empty_seat_has_no_choices() -> None:
    alert = at(NO_LIMIT, PATIENT).send_event(SpotOffline(bet_spot(9), "no-reading", 0)).alert("tray-offline")
    assert (alert.values, alert.choices) == (MessageValues(seat=9), ())


def test_action_behind_the_turn_raises_a_question_about_skipped_seats() -> None:
    table = at(NO_LIMIT, PATIENT, "6 raise to 3000")
    assert table.alert("behind-the-turn").level == "info", "the question did not wait for a key"
    alert = table.advance(HELD_ACTION_DELAY_US).alert("behind-the-turn")
    assert alert.level == "question"
    assert alert.values == MessageValues(seat=6, turn=4, seats=(4, 5), presumed_action="folded")
    assert alert.choices == (
        Choice(label="they-folded", do="here 6", values=MessageValues(seats=(4, 5))),
        Choice(label="out-of-turn", do="out-of-turn 6"),
    )
    table.do("out-of-turn 6")
    assert table.codes[0] == "out-of-turn"
    assert table.alert("out-of-turn").values.held_action == ActionView(verb="raise", amount=3000)
    answers = ["action-is-on", "it-stands", "give-it-back"]
    assert [choice.label for choice in table.alert("out-of-turn").choices] == answers
    assert messages_for(table.view).choice(table.alert("out-of-turn").choices[0]) == "ACTION ON SEAT 4"
    table.do("here 4")
    assert table.alert("out-of-turn").level == "info", "the dealer has named the seat in turn, and waits"
    assert [choice.label for choice in table.alert("out-of-turn").choices] == answers[1:]
    table.do("floor bind 6")
    assert [choice.label for choice in table.alert("out-of-turn").choices] == ["give-it-back"]


@pytest.mark.parametrize(
    ("steps", "text"),
    [
        (("here 6",), "Action on seat 6 · Seats 4 and 5 fold"),
        (("4 raise to 3000", "here 6"), "Action on seat 6 · Seat 5 folds"),
        (("6 raise to 3000", "out-of-turn 6", "4 fold"), "Seat 4 folds"),
        (("6 raise to 3000", "out-of-turn 6", "4 fold", "5 fold"), "Seat 5 folds · Seat 6 raises to $30"),
        (("6 raise to 3000", "out-of-turn 6", "4 fold", "here 6"), "Seat 5 folds · Seat 6 raises to $30"),
        (("4 call", "5 call", "6 call", "1 call", "2 call", "here 3", "3 check"), "Seat 3 checks"),
        ((*FLOP, "here 4"), "Action on seat 4 · Seat 3 checks"),
    ],
)
def test_last_step_says_each_effect(steps: tuple[str, ...], text: str) -> None:
    table = at(NO_LIMIT, PATIENT, *steps)
    assert table.view.last_step is not None
    assert messages_for(table.view).step_summary(table.view.last_step) == text
    assert table.view.undo is not None
    assert " · " not in messages_for(table.view).step_summary(table.view.undo)


@pytest.mark.parametrize(
    ("steps", "text"),
    [
        (("4 raise to 3000", "3 call", "deal closing"), "Flop dealt · Seats 5, 6, 1, and 2 fold · Seat 3 calls $30"),
        (
            ("4 call", "3 raise to 6000", "deal closing"),
            "Seats 5, 6, 1, and 2 fold · Seat 3 raises to $60 · Seat 4 folds",
        ),
    ],
)
def test_deal_says_what_an_action_out_of_turn_became(steps: tuple[str, ...], text: str) -> None:
    table = LiveView(NO_LIMIT, **AT_ONCE)
    table.live = table.live._replace(setup=replace(table.live.setup, has_sensors=False))
    last_step = table.do("hand", *steps).view.last_step
    assert last_step is not None
    assert messages_for(table.view).step_summary(last_step) == text


@pytest.mark.parametrize(("badges", "mark"), [(0, " (not authorised)"), (2, "")])
def test_floor_decision_without_badges_is_marked(badges: int, mark: str) -> None:
    table = LiveView(NO_LIMIT)
    table.live = table.live._replace(badge_count=badges)
    table.do(*HAND, "floor turn 6")
    messages, view = messages_for(table.view), table.view
    assert view.last_step is not None and view.undo is not None
    text = messages.step_summary(view.undo)
    assert messages.step_summary(view.last_step) == f"{text}{mark}"
    earlier = table.do("6 fold").view.recent_steps[0]
    assert messages.step_summary(earlier) == f"{text}{mark}"


def test_earlier_steps_say_each_effect() -> None:
    table = at(NO_LIMIT, PATIENT, "6 raise to 3000", "out-of-turn 6", "4 fold", "5 fold", "1 fold")
    texts = [messages_for(table.view).step_summary(step) for step in table.view.recent_steps]
    assert texts[0] == "Seat 5 folds · Seat 6 raises to $30"


def test_doubtful_chips_behind_the_turn_are_shown() -> None:
    alert = at(NO_LIMIT, PATIENT).settle_chips(6, 3000, at_least=True).alert("behind-the-turn")
    assert (alert.level, alert.values, alert.choices) == ("info", MessageValues(seat=6, turn=4), ())
    assert "behind-the-turn" not in at(NO_LIMIT, PATIENT).settle_chips(4, 3000, at_least=True).codes


def test_chips_behind_the_turn_are_shown_when_seen() -> None:
    table = at(NO_LIMIT, PATIENT).show_chips(6, 1000, 2000)
    assert [(alert.code, alert.level, alert.values) for alert in table.view.alerts] == [
        ("behind-the-turn", "info", MessageValues(seat=6, turn=4))
    ]
    text = messages_for(table.view).alert_text(table.alert("behind-the-turn"))
    assert text == "These chips do not count yet.", "nobody knows yet whether the seat is out of turn"
    assert "behind-the-turn" not in table.do("4 fold", "5 fold").codes


def test_no_seat_is_out_of_turn_before_the_opener_is_named() -> None:
    called = ("bring-in 3", "3 chips 500", "4 fold", "5 fold", "6 fold", "1 fold", "2 chips 500", "deal")
    table = at(STUD, PATIENT, *called, "2 chips 2000")
    assert (2 in table.live.table.street.held_actions, table.codes) == (True, [])
    assert table.do("first 3").codes == ["behind-the-turn"]


def test_sweep_raises_a_question_if_no_deal_follows() -> None:
    table = ALERT_BUILDERS["sweep-question"]()
    assert table.alert("sweep-question").level == "info"
    assert table.advance(ASK_DELAY_US).alert("sweep-question").level == "question"


def test_impossible_action_offers_no_it_stands_choice() -> None:
    table = at(NO_LIMIT, PATIENT, "4 says check")
    assert [choice.label for choice in table.alert("not-possible").choices] == ["give-it-back"]


def test_failure_alert_of_a_spot_ends_when_the_spot_is_read_again() -> None:
    table = _step_failed()
    assert table.alert("failed").values == MessageValues(seat=4, spot="bet4", reason="division by zero")
    assert table.alert("failed").clearable_by == "technician"
    table.settle_chips(4, 1000)
    assert "failed" not in table.codes
    assert table.seat(4).bet == 1000


def test_failure_without_a_spot_raises_an_alert() -> None:
    table = at(NO_LIMIT, PATIENT)
    table.apply(after_fault(table.live, None, "no such thing", table.now_us))
    assert table.alert("failed").values == MessageValues(reason="no such thing")


def test_doubtful_pot_chips_between_hands_raise_no_unawarded_alert() -> None:
    assert (
        "chips-astray"
        not in _after_the_hand().settle_chips("pot", 5000, at_least=True).advance(UNAWARDED_CHIPS_DELAY_US).codes
    )
    assert (
        "chips-astray"
        not in _after_the_hand().settle_chips("pot", 5000, unknown_tags=("E1",)).advance(UNAWARDED_CHIPS_DELAY_US).codes
    )
    assert (
        _after_the_hand()
        .settle_chips("pot", 5000)
        .advance(UNAWARDED_CHIPS_DELAY_US)
        .alert("chips-astray")
        .values.amount
        == 5000
    )


def test_early_sweep_question_names_the_seat_whose_bet_remains() -> None:
    table = (
        at(NO_LIMIT, PATIENT)
        .settle_chips(2, 500)
        .settle_chips(3, 1000)
        .settle_chips(4, 1000, 1000, 1000)
        .settle_chips(2)
        .settle_chips(3)
    )
    assert table.alert("sweep-question").values == MessageValues(seat=4, seats=(2, 3))


def test_lone_withdrawn_bet_raises_no_sweep_question() -> None:
    table = at(NO_LIMIT, PATIENT).settle_chips(4, 1000).settle_chips(4).advance(LONE_EMPTY_SPOT_DELAY_US)
    assert "sweep-question" not in table.codes
    assert "chips-withdrawn" in table.codes


def test_device_alerts_end_when_the_devices_return() -> None:
    table = (
        at(NO_LIMIT, PATIENT)
        .send_event(SpotOffline("pot", "no-reading", 0))
        .send_event(DeviceDown("keys", "silence", 0))
    )
    assert {"spot-offline", "board-offline"} <= set(table.codes)
    table.send_event(SpotOnline("pot", 0)).send_event(DeviceUp("keys", 0))
    assert not {"spot-offline", "board-offline"} & set(table.codes)
    assert table.view.devices == (Device(name="keys", up=True),)


def test_same_alert_is_raised_once() -> None:
    table = at(NO_LIMIT, PATIENT).settle_chips(4, lammers=("rock", "rock"))
    assert table.codes.count("lammer") == 1


# --- seats, limits and next choices ---


# --- unclear amounts ---

DEEP: Final = dict.fromkeys(range(1, 7), Player(stack=2_000_000))
UNCLEAR: Final[dict[str, tuple[tuple[str, ...], int, list[str]]]] = {
    "a bet": ((*LIMPED, "2 says bet 20"), 2_000, ["2 was 2000"]),
    "a larger pot": (
        (*LIMPED, "2 bet 5000", "3 call", "4 call", "bets-in", "deal", "2 says bet 15"),
        15_000,
        ["2 was 15000"],
    ),
    "an amount alone": ((*LIMPED, "2 says 20"), 2_000, ["2 was 2000"]),
    "a raise": (("4 says raise to 25",), 0, []),
    "a raise in a larger pot": ((*LIMPED, "2 bet 1000", "3 call", "4 says raise to 20"), 2_000, ["4 was 2000"]),
    "a raise by an amount": ((*LIMPED, "2 bet 1000", "3 call", "4 says raise by 10"), 1_000, ["4 was 2000"]),
    "facing a raise": ((*LIMPED, "2 bet 1000", "3 raise to 2000", "4 says 50"), 5_000, ["4 says 5000"]),
    "bound to a call": ((*LIMPED, "2 bet 1000", "3 fold", "4 raise to 2000", "2 says 50"), 5_000, []),
    "above the pot": ((*LIMPED, "2 says bet 50"), 0, []),
    "too small, but clear": ((*LIMPED, "2 says bet 500"), 0, []),
    "a legal amount": ((*LIMPED, "2 says bet 1000"), 0, []),
}


@pytest.mark.parametrize("case", UNCLEAR)
def test_unclear_amount_is_suggested_by_the_size_of_the_pot(case: str) -> None:
    steps, amount, do = UNCLEAR[case]
    table = LiveView(TOURNAMENT, players=DEEP).do("hand", *steps)
    alerts = [alert for alert in table.view.alerts if alert.code == "unclear-amount"]
    assert [(alert.values.amount, [choice.do for choice in alert.choices]) for alert in alerts] == (
        [(amount, do)] if amount else []
    )
    if do:
        turn_before = table.view.turn
        table.do(*do)
        assert (table.view.turn == turn_before) is do[0].startswith(f"{do[0][0]} was")


def test_unclear_amount_is_not_suggested_with_roberts_rules() -> None:
    table = LiveView(players=DEEP).do("hand", *LIMPED, "2 says bet 20")
    assert "unclear-amount" not in {alert.code for alert in table.view.alerts}


def test_unclear_amount_changes_nothing_without_the_dealer() -> None:
    table = LiveView(TOURNAMENT, players=DEEP).do("hand", *LIMPED, "2 says bet 20")
    assert table.live.table.hand is not None and table.live.table.hand.current_bet == 1000


# --- gross misunderstanding of the bet ---

RAISED_TO_BLINDS: Final = ("4 raise to 3500", "5 fold", "6 fold", "1 fold", "2 fold")

BOTH: Final = ("give-it-back", "it-is-in")
SHORT_CALLS: Final[dict[str, tuple[Game, tuple[str, ...], str, tuple[str, ...]]]] = {
    "25 percent": (NO_LIMIT, ("4 raise to 40000", "5 chips 10000"), "$100 of $400 is in.", BOTH),
    "after the word": (NO_LIMIT, ("4 raise to 40000", "5 says call", "5 chips 10000"), "$100 of $400 is in.", BOTH),
    "79 percent": (NO_LIMIT, ("4 raise to 40000", "5 chips 25000 6900"), "$319 of $400 is in.", BOTH),
    "80 percent": (NO_LIMIT, ("4 raise to 40000", "5 chips 25000 7000"), "$320 of $400 is in.", ("it-is-in",)),
    "with a blind": (POT_LIMIT, (*RAISED_TO_BLINDS, "3 chips 500"), "$15 of $35 is in.", BOTH),
    "tda, held": (TOURNAMENT, ("4 raise to 40000", "5 chips 10000"), "$100 of $400 is in.", ("give-it-back",)),
}


@pytest.mark.parametrize("case", SHORT_CALLS)
def test_short_call_shows_which_part_of_the_bet_is_in(case: str) -> None:
    game, steps, sentence, labels = SHORT_CALLS[case]
    view = LiveView(game).do("hand", *steps).view
    (alert,) = (alert for alert in view.alerts if alert.code == "misunderstood-call")
    assert tuple(choice.label for choice in alert.choices) == labels
    assert sentence in messages_for(view).alert_text(alert)


NO_SHORT_CALLS: Final[dict[str, tuple[Game, tuple[str, ...]]]] = {
    "no chips yet": (NO_LIMIT, ("4 raise to 40000", "5 says call")),
    "only the blind": (POT_LIMIT, (*RAISED_TO_BLINDS, "3 says call")),
    "acted behind": (NO_LIMIT, ("4 raise to 40000", "5 chips 10000", "6 fold")),
    "paid": (NO_LIMIT, ("4 raise to 40000", "5 chips 10000", "5 in")),
    "a bet, no call": (NO_LIMIT, ("4 says raise to 40000", "4 chips 10000")),
    "fixed limit": (FIXED, ("4 raise to 4000", "5 chips 1000")),
}


@pytest.mark.parametrize("case", NO_SHORT_CALLS)
def test_call_that_the_floor_cannot_cancel_shows_no_part_of_the_bet(case: str) -> None:
    game, steps = NO_SHORT_CALLS[case]
    alerts = LiveView(game).do("hand", *steps).view.alerts
    assert "misunderstood-call" not in {alert.code for alert in alerts}


def test_cancelled_call_is_due_back_and_its_seat_acts_again() -> None:
    shown = LiveView().do("hand", "4 raise to 40000", "5 chips 10000", "floor release 5")
    assert shown.view.turn == 5
    assert [alert.code for alert in shown.view.alerts if alert.values.seat == 5] == ["due-back"]


def test_view_of_a_hand_before_the_flop_is_complete() -> None:
    table = at(POT_LIMIT, PATIENT, "4 raise to 3000").settle_chips(4, 1000, 1000, 1000)
    view = table.view
    assert (view.turn, view.to_call, view.min_raise_to, view.max_raise_to) == (5, 3000, 5000, 10_500)
    assert (view.limit, view.allowed_actions, view.pot) == ("pot", ("call", "fold", "raise"), 4500)
    assert (view.hand_number, view.round, view.phase, view.button, view.rulebook) == (1, 1, "betting", 1, "roberts")
    assert view.last_step == StepSummary(
        step="declares", seat=4, action=ActionView(verb="raise", amount=3000), bet_source="confirmed"
    )
    assert view.undo == StepSummary(step="declares", seat=4, action=ActionView(verb="raise", amount=3000))
    seat = table.seat(4)
    assert (seat.bet, seat.bet_source, seat.last_action) == (3000, "confirmed", ActionView(verb="raise", amount=3000))
    assert table.seat(2).last_action == ActionView(verb="blind", amount=500)
    assert [table.seat(seat).status for seat in (4, 5, 6, 7)] == ["acted", "to-act", "waiting", "empty"]
    assert [table.seat(seat).markers_owed for seat in (4, 7)] == [0, 0]


STATUSES: dict[str, tuple[Callable[[], LiveView], int, SeatStatus]] = {
    "an empty seat": (LiveView, 9, "empty"),
    "between hands": (LiveView, 4, "waiting"),
    "between hands, away": (lambda: LiveView().do("4 away"), 4, "away"),
    "between hands, out of chips": (lambda: LiveView().do("4 stack 0"), 4, "out"),
    "away during a hand": (lambda: LiveView().do("4 away", "hand"), 4, "away"),
    "not dealt in": (
        lambda: LiveView(replace(NO_LIMIT, new_player_posts=True), players=NEW_PLAYER).do(*HAND),
        7,
        "out",
    ),
    "in turn": (lambda: at(NO_LIMIT, AT_ONCE), 4, "to-act"),
    "behind the seat in turn": (lambda: at(NO_LIMIT, AT_ONCE), 5, "waiting"),
    "before the seat in turn": (lambda: at(NO_LIMIT, AT_ONCE, "4 call"), 4, "acted"),
    "folded": (lambda: at(NO_LIMIT, AT_ONCE, "4 fold"), 4, "folded"),
    "before the bring-in is named": (_stud, 4, "waiting"),
    "all-in": (lambda: at(NO_LIMIT, AT_ONCE, "4 all-in"), 4, "all-in"),
}


@pytest.mark.parametrize("rule", STATUSES)
def test_view_shows_the_status_of_a_seat(rule: str) -> None:
    make, seat, status = STATUSES[rule]
    assert make().seat(seat).status == status


# Each case has a table, a seat, and three expected values of the seat. The values are the amount of its uncounted
# chips, whether there may be more uncounted chips, and the number of its unknown tags.
UNCOUNTED: dict[str, tuple[Callable[[], LiveView], int, tuple[int, bool, int]]] = {
    "nothing": (lambda: at(NO_LIMIT, PATIENT), 4, (0, False, 0)),
    "moving chips": (lambda: at(NO_LIMIT, PATIENT).show_chips(4, 1000), 4, (1000, False, 0)),
    "moving chips equal to the counted bet": (lambda: at(NO_LIMIT, PATIENT).show_chips(3, 1000), 3, (0, False, 0)),
    "moving chips below the counted bet": (lambda: at(NO_LIMIT, PATIENT).show_chips(3, 500), 3, (0, False, 0)),
    "an incompletely read stack": (
        lambda: at(NO_LIMIT, PATIENT).settle_chips(4, 1000, 1000, at_least=True),
        4,
        (2000, True, 0),
    ),
    "an incompletely read stack equal to the counted bet": (
        lambda: at(NO_LIMIT, PATIENT).settle_chips(3, 1000, at_least=True),
        3,
        (0, False, 0),
    ),
    "an incompletely read stack below the counted bet": (
        lambda: at(NO_LIMIT, PATIENT).settle_chips(3, 500, at_least=True),
        3,
        (0, False, 0),
    ),
    "the smallest chip, incompletely read": (
        lambda: at(NO_LIMIT, PATIENT).settle_chips(4, 1, at_least=True),
        4,
        (1, True, 0),
    ),
    "the smallest chip, moving and incompletely read": (
        lambda: at(NO_LIMIT, PATIENT).show_chips(4, 1, at_least=True),
        4,
        (1, True, 0),
    ),
    "moving chips, incompletely read, equal to the counted bet": (
        lambda: at(NO_LIMIT, PATIENT).show_chips(3, 1000, at_least=True),
        3,
        (0, False, 0),
    ),
    "chips of another house": (
        lambda: at(NO_LIMIT, PATIENT).settle_chips(4, 1000, unknown_tags=("E0049999",)),
        4,
        (1000, False, 1),
    ),
    "chips between the rounds": (
        lambda: at(NO_LIMIT, PATIENT, *FLOP, "3 check", "4 check").settle_chips(4, 5000),
        4,
        (5000, False, 0),
    ),
}


@pytest.mark.parametrize("rule", UNCOUNTED)
def test_view_shows_uncounted_chips_of_a_seat(rule: str) -> None:
    make, seat, expected = UNCOUNTED[rule]
    shown = make().seat(seat)
    assert (shown.uncounted, shown.at_least, shown.unknown_tags) == expected


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
def test_view_shows_the_raise_limits(game: Game, stack: int, bounds: tuple[Any, ...]) -> None:
    players = {**PLAYERS, 4: Player(stack=stack)}
    view = LiveView(game, players=players).do(*HAND).view
    assert (view.min_raise_to, view.max_raise_to, view.limit) == bounds


def test_unknown_stack_does_not_limit_the_largest_raise() -> None:
    view = LiveView(players={**PLAYERS, 4: Player(stack=5000, stack_unknown=True)}).do(*HAND).view
    assert (view.min_raise_to, view.max_raise_to, view.limit) == (2000, None, "none")
    assert view.seats[3].stack is None


@pytest.mark.parametrize(
    ("lines", "choices"),
    [
        ((), []),
        (FLOP[:-1], [Choice(label="deal", do="deal", values=MessageValues(street=2, variant="holdem"))]),
        (
            ("4 fold", "5 fold", "6 fold", "1 fold", "2 fold"),
            [Choice(label="award", do="award main 3", values=MessageValues(pot="main", amount=1500, seat=3))],
        ),
        (
            ("4 chips 10000", "5 fold"),
            [Choice(label="push-back-to", do="return 4", values=MessageValues(seat=4, amount=9000))],
        ),
    ],
)
def test_view_lists_the_next_choices(lines: tuple[str, ...], choices: list[Choice]) -> None:
    assert list(at(NO_LIMIT, AT_ONCE, *lines).view.next_choices) == choices


def test_stud_view_asks_the_dealer_for_the_opener() -> None:
    table = _stud()
    assert [choice.label for choice in table.view.next_choices] == ["brings-in"] * len(PLAYERS)
    assert table.view.next_choices[2] == Choice(label="brings-in", do="bring-in 3", values=MessageValues(seat=3))
    table.do(table.view.next_choices[2].do)
    assert (table.view.turn, table.view.next_choices) == (3, ())
    table.do("3 chips 500", "4 chips 500", "5 fold", "6 fold", "1 fold", "2 fold", "deal")
    assert table.view.turn is None
    assert [choice.do for choice in table.view.next_choices] == ["first 3", "first 4", "open-pair"]
    assert table.do("first 4").view.turn == 4


def test_next_hand_is_offered_between_hands() -> None:
    assert LiveView().view.next_choices == (Choice(label="next-hand", do="hand"),)
    assert (LiveView().view.phase, LiveView().view.round) == ("idle", 0)
    assert _after_the_hand().view.phase == "over"
    assert not LiveView().view.provisional and not _after_the_hand().view.provisional


def test_game_view_holds_only_what_its_title_needs() -> None:
    assert build_game_view(FIXED, "main").bets == (2000, 2000, 4000, 4000)
    assert build_game_view(FIXED, "main").bomb == 0
    assert build_game_view(replace(NO_LIMIT, bets=(1, 2, 3, 4)), "late").bets == ()


# --- the last step ---


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (("4 call",), StepSummary(step="declares", seat=4, action=ActionView(verb="call", amount=1000))),
        (
            ("4 all-in",),
            StepSummary(step="declares", seat=4, action=ActionView(verb="raise", amount=154_000, all_in=True)),
        ),
        (
            (*FLOP, "3 check", "4 bet 2000"),
            StepSummary(step="declares", seat=4, action=ActionView(verb="bet", amount=2000)),
        ),
        (
            (*FLOP, "3 bet 2000", "4 raise to 6000"),
            StepSummary(step="declares", seat=4, action=ActionView(verb="raise", amount=6000)),
        ),
        (("4 fold",), StepSummary(step="declares", seat=4, action=ActionView(verb="fold"))),
        (("4 time",), StepSummary(step="declares", seat=4, action=ActionView(verb="time"))),
        (("4 chips 1000",), StepSummary(step="moves", seat=4, action=ActionView(verb="call", amount=1000))),
        (("5 fold",), StepSummary(step="declares", seat=5, action=ActionView(verb="fold"), is_held=True)),
        (
            ("5 raise to 3000",),
            StepSummary(step="declares", seat=5, action=ActionView(verb="raise", amount=3000), is_held=True),
        ),
        (
            ("5 raise to 3000", "floor bind 5", "4 call"),
            StepSummary(step="declares", seat=4, action=ActionView(verb="call", amount=1000)),
        ),
        (("here 6",), StepSummary(step="action-on", seat=6)),
        (("floor pot 2500",), StepSummary(step="floor-counts-pot", amount=2500)),
        (("floor bet 4 1000",), StepSummary(step="floor-sets-bet", seat=4, amount=1000)),
        (("4 stack unknown",), StepSummary(step="counted", seat=4)),
        (
            ("4 fold", "5 fold", "6 fold", "1 fold", "2 fold", "award main 3"),
            StepSummary(step="awards", pot="main", seats=(3,)),
        ),
    ],
)
def test_view_names_the_step_that_undo_reverts(lines: tuple[str, ...], expected: StepSummary) -> None:
    assert at(NO_LIMIT, AT_ONCE, *lines).view.undo == expected


ALL_FOLD_TO_3 = ("4 fold", "5 fold", "6 fold", "1 fold", "2 fold")
HEADS_UP_SHOWDOWN = (
    "4 call",
    "4 in",
    "5 fold",
    "6 fold",
    "1 fold",
    "2 fold",
    "3 check",
    *("deal", "3 check", "4 check") * 3,
)


@pytest.mark.parametrize(
    ("game", "lines", "text"),
    [
        (NO_LIMIT, (*ALL_FOLD_TO_3, "award main 3"), "The main pot: $15 to seat 3"),
        (
            replace(NO_LIMIT, rake=Rake(percent=10)),
            (*HEADS_UP_SHOWDOWN, "award main 4"),
            "The main pot: $23 to seat 4",
        ),
        (
            NO_LIMIT,
            (*HEADS_UP_SHOWDOWN, "award main 3 4"),
            "The main pot: $25 to seats 3 and 4 · Seat 3 gets $13 · Seat 4 gets $12",
        ),
        (
            replace(NO_LIMIT, variant="omaha8"),
            (*HEADS_UP_SHOWDOWN, "award main high 3 low 3 4"),
            "The main pot: $25 to seats 3 and 4 · Seat 3 gets $19 · Seat 4 gets $6",
        ),
    ],
)
def test_result_of_an_award_names_pot_amount_and_winners(game: Game, lines: tuple[str, ...], text: str) -> None:
    view = LiveView(game, **AT_ONCE).do("hand", *lines).view
    assert view.last_step is not None and view.undo is not None
    assert messages_for(view).step_summary(view.last_step) == text
    assert (view.undo.amount, view.undo.effects) == (None, ())


BRINGS_IN = ("bring-in 3", "3 call")


@pytest.mark.parametrize(
    ("lines", "did"),
    [
        (BRINGS_IN, ActionView(verb="brings-in", amount=500)),
        (("bring-in 3", "3 bet 500"), ActionView(verb="brings-in", amount=500)),
        ((*BRINGS_IN, "4 call"), ActionView(verb="call", amount=500)),
        ((*BRINGS_IN, "4 complete"), ActionView(verb="complete", amount=2000)),
        (("bring-in 3", "3 complete"), ActionView(verb="complete", amount=2000)),
        ((*BRINGS_IN, "4 complete", "5 raise to 4000"), ActionView(verb="raise", amount=4000)),
        (
            (*BRINGS_IN, "4 complete", "5 fold", "6 fold", "1 fold", "2 fold", "3 call"),
            ActionView(verb="call", amount=2000),
        ),
    ],
)
def test_bring_in_and_completion_have_their_own_verbs(lines: tuple[str, ...], did: ActionView) -> None:
    view = _stud(*lines).view
    assert view.last_step is not None
    assert view.last_step.action == did
    assert next(seat.last_action for seat in view.seats if seat.seat == view.last_step.seat) == did


def test_all_in_below_the_full_bet_is_not_a_completion() -> None:
    players = {**PLAYERS, 4: Player(stack=1500)}
    table = LiveView(STUD, players=players, **AT_ONCE).do(*HAND, *BRINGS_IN, "4 all-in")
    assert table.seat(4).last_action == ActionView(verb="raise", amount=1000, all_in=True)


def test_only_the_seat_that_owes_the_bring_in_is_asked_for_it() -> None:
    assert _stud("bring-in 3").view.brings_in
    assert not _stud(*BRINGS_IN).view.brings_in
    assert not at(NO_LIMIT, PATIENT).view.brings_in
    assert not LiveView().view.brings_in


def test_last_step_between_hands_is_reported() -> None:
    table = LiveView().do("7 sit 20000 as ann")
    assert table.view.last_step == StepSummary(step="sits", seat=7, amount=20_000, name="ann")
    assert table.do("7 moves 9").view.last_step == StepSummary(step="changes-seat", seat=7, seats=(9,))


def test_no_last_step_is_reported_before_the_first_step() -> None:
    assert (LiveView().view.last_step, LiveView().view.undo) == (None, None)


# --- refusals ---


@pytest.mark.parametrize(
    ("refusal", "values"),
    [
        (
            Refusal(RuleRefusal.TOTAL_OUT_OF_RANGE, amount=100, minimum=2000, maximum=9000),
            MessageValues(amount=100, least=2000, most=9000),
        ),
        (
            Refusal(RuleRefusal.NOT_IN_POT, seat=2, name="side1", seats=(3, 4)),
            MessageValues(seat=2, pot="side1", seats=(3, 4)),
        ),
        (Refusal(RuleRefusal.TOO_MANY_STRADDLES, maximum=2), MessageValues(count=2)),
        (
            Refusal(RuleRefusal.STRADDLE_SIZE, amount=1500, minimum=2000, maximum=2000),
            MessageValues(amount=1500, most=2000),
        ),
        (Refusal(RuleRefusal.STRADDLE_SIZE, amount=1500, minimum=2000), MessageValues(amount=1500, least=2000)),
        (Refusal(RuleRefusal.BETTING_NOT_OVER, amount=3, name="Turn"), MessageValues()),
        (
            Refusal(TableRefusal.DECLARATION_NOT_POSSIBLE, seat=3, amount=2000, name="bet"),
            MessageValues(seat=3, held_action=ActionView(verb="bet", amount=2000)),
        ),
        (
            Refusal(LiveRefusal.READ_ALREADY, seat=3, name="wager"),
            MessageValues(seat=3, held_action=ActionView(verb="wager")),
        ),
        (Refusal(LiveRefusal.READ_ALREADY, seat=3, name="dead"), MessageValues(seat=3)),
        (
            Refusal(LiveRefusal.NOT_OFFERED, seat=3, options=("nothing", "bet")),
            MessageValues(seat=3, answers=("no-bet", "they-are-bet")),
        ),
        (Refusal(TableRefusal.ALREADY_SEATED, name="ann"), MessageValues(name="ann")),
    ],
)
def test_refusal_separates_amounts_from_counts(refusal: Refusal, values: MessageValues) -> None:
    assert build_refusal_view(refusal).values == values
    assert build_refusal_view(refusal).code == refusal.code.value


@pytest.mark.parametrize("verb", get_args(ActionVerb))
def test_every_action_named_by_a_refusal_is_in_its_values(verb: str) -> None:
    assert build_refusal_view(
        Refusal(TableRefusal.DECLARATION_NOT_POSSIBLE, seat=3, name=verb)
    ).values.held_action == ActionView(verb=verb)  # type: ignore[arg-type]


# --- random steps ---

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
def test_every_view_passes_the_view_checks(game: Game, patient: bool, events: list[str | tuple[int, int]]) -> None:
    table = LiveView(game, tolerates_delays=patient).do(*HAND)
    for event in events:
        table.advance(400_000)
        if isinstance(event, str):
            change = table.apply(handle_command(table.live, parse_step(event), table.now_us))
            if change.refusal is not None:
                assert not has_unformatted_number(messages_for(table.view).refusal(build_refusal_view(change.refusal)))
        else:
            table.settle_chips(*event)


@pytest.mark.parametrize("topic", sorted(path.name for path in SCRIPTS.iterdir()))
def test_every_view_of_the_scripts_passes_the_view_checks(topic: str) -> None:
    for path in sorted((SCRIPTS / topic).rglob("*.toml")):
        script = load_script(path)
        table = LiveView()
        table.live = Live(TableSetup(), starting_table(script))
        for step in script.steps:
            table.advance(STEP_INTERVAL_US)
            change = table.apply(handle_command(table.live, step, table.now_us))
            if change.refusal is not None:
                assert not has_unformatted_number(
                    messages_for(table.view).refusal(build_refusal_view(change.refusal))
                ), path


def test_planted_raw_integer_is_caught() -> None:
    view = at(NO_LIMIT, PATIENT).view
    planted: Iterable[str] = (*view_texts(view), "PUSH BACK 24000")
    assert [text for text in planted if has_unformatted_number(text)] == ["PUSH BACK 24000"]


# --- one fault, one alert ---

SPOTS_BY_READER = {"odd": ("bet1", "bet3", "bet5", "bet9", "pot"), "even": ("bet2", "bet4", "bet6", "tray")}


def _with_readers_offline(*readers: str) -> LiveView:
    """Return a table at which readers are offline, and therefore all of their spots."""
    table = LiveView(readers=frozenset(SPOTS_BY_READER), spots_by_reader=SPOTS_BY_READER)
    for reader in readers:
        table.send_event(DeviceDown(reader, "silence", 0))
        for spot in SPOTS_BY_READER[reader]:
            table.send_event(SpotOffline(spot, "no-reading", 0))
    return table


def _own_faults(table: LiveView) -> list[tuple[str, str, tuple[int, ...]]]:
    """Return code, subject and seats of the alerts that do not follow from another alert."""
    return [(alert.code, alert.subject, alert.values.seats) for alert in table.view.alerts if not alert.cause]


def test_reader_that_is_offline_is_one_alert_with_its_seats() -> None:
    table = _with_readers_offline("odd")
    assert _own_faults(table) == [("reader-offline", "odd", (1, 3, 5))]
    assert {alert.cause for alert in table.view.alerts if alert.code in ("tray-offline", "spot-offline")} == {
        "reader-offline"
    }
    text = messages_for(table.view).alert_action(table.alert("reader-offline"))
    assert text == "Key in the bets of seats 1, 3, and 5."


def test_tray_that_is_offline_alone_is_an_alert_beside_the_offline_reader() -> None:
    table = _with_readers_offline("odd").send_event(SpotOffline(bet_spot(4), "no-reading", 0))
    assert _own_faults(table) == [("reader-offline", "odd", (1, 3, 5)), ("tray-offline", "", ())]


def test_table_with_all_readers_offline_shows_one_alert() -> None:
    assert _own_faults(_with_readers_offline("odd", "even")) == [("sensors-off", "", ())]
    assert _own_faults(_sensors_off()) == [("sensors-off", "", ())]


def test_reader_without_known_spots_has_no_seats() -> None:
    table = _device_down("odd", readers=frozenset({"odd"}))
    assert _own_faults(table) == [("reader-offline", "odd", ())]


# --- steps that wait for the end of the hand ---


def test_steps_that_wait_are_shown_at_their_seats_until_the_hand_is_over() -> None:
    table = at(NO_LIMIT, AT_ONCE, "4 later add 10000", "4 later moves 8", "7 later sit 50000")
    assert {seat.seat: seat.queued_steps for seat in table.view.seats if seat.queued_steps} == {
        4: (StepSummary(step="adds", seat=4, amount=10_000), StepSummary(step="changes-seat", seat=4, seats=(8,))),
        7: (StepSummary(step="sits", seat=7, amount=50_000),),
    }
    assert table.view.last_step is not None
    text = messages_for(table.view).step_summary(table.view.last_step)
    assert text == "Seat 7 buys in for $500 after this hand"
    table.do("7 later nothing")
    assert [seat.seat for seat in table.view.seats if seat.queued_steps] == [4]
    table.do(*ALL_FOLD_TO_3, "award main 3")
    assert not any(seat.queued_steps for seat in table.view.seats)
    assert (table.seat(8).stack, table.seat(7).status) == (164_000, "empty")
