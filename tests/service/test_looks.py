"""What a screen looks at beside the view: it is what was played, and looking changes nothing."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.config import read_config
from controller.histories import export_recorded, parse_hand, to_script
from controller.journal import Segment
from controller.live import Change, Live, Setup, obey
from controller.scripts import STEP_US, Scene, begin, happens
from controller.service import Guarding, Service
from controller.service.looks import Looks, Played, asked
from controller.service.looks.hands import MOST_ACTIONS, hand_page, hands_page
from controller.service.looks.played import HANDS, PlayedHand
from controller.service.looks.raised import ALERTS, Raised
from controller.service.roles import read_rights
from controller.table import Source, Step, StepError, Table, line, parse
from controller.table.state import LastWords
from controller.view import (
    MAX_LINE_BYTES,
    Action,
    Alert,
    AlertsPage,
    AwardPage,
    DevicesPage,
    GamesPage,
    HandPage,
    HandsPage,
    Page,
    PhhPage,
    Refused,
    Reply,
    ReportPage,
    ToScreen,
    Values,
    encode,
)
from hardware.health import AntennaHealth, DeviceHealth, Health, Pressed
from tests.service.inside import inside
from tests.service.running import CONFIG, DEADLINE_S, Bare, connected, served
from tests.service.test_roles import DOORS, usual_text

SECOND_US = 1_000_000
HAND = ["hand", "4 raise to 30", "1 call", "2 fold", "3 call", "deal", "3 check", "4 bet 40", "1 fold", "3 fold"]


@dataclass
class Sitting:
    """A table that is played, with the log of it."""

    live: Live
    played: Played
    now_us: int = 0

    def do(self, *steps: str, source: Source = "dealer", badge: str = "") -> None:
        """Each is done; a minute apart, so that nothing of one belongs to the next."""
        for step in steps:
            self.now_us += 60 * SECOND_US
            change = obey(self.live, parse(step), self.now_us, source=source, shown_turn=None)
            assert change.refused is None, (step, change.refused)
            self.take(change, badge)

    def take(self, change: Change, badge: str = "") -> None:
        self.played.takes(self.live, change, badge=badge)
        self.live = change.live

    def page(self, number: int = 0) -> HandPage:
        """Of that hand; 0: of the last one."""
        hands = self.played.hands()
        return hand_page(next(hand for hand in hands if not number or hand.number == number))


def sitting(config: str = CONFIG, *, trays: bool = False) -> Sitting:
    live = Live(Setup(trays=trays, clock=True), read_config(config).table)
    return Sitting(live, Played())


# --- what is looked at ---


@pytest.mark.parametrize("do", ["hand", "3 fold", "award main 3", "looking", "lookhands", ""])
def test_what_does_not_begin_with_look_is_a_step(do: str) -> None:
    assert asked(do) is None


@pytest.mark.parametrize(
    "do",
    [
        *("look", "look x", "look hands 3", "look hand", "look hand x", "look hand -1", "look hand ٣", "look phh 1 2"),
        *("look hand " + "9" * 10, "look award", "look award 3 fold", "look deal", "look look hands"),
    ],
)
def test_what_cannot_be_looked_at_is_said_in_one_line(do: str) -> None:
    with pytest.raises(StepError, match="expected") as raised:
        asked(do)
    assert "\n" not in str(raised.value)


# --- the last hands ---


def did(action: Action) -> tuple[str, int, str, int]:
    """An action in short: the step, whose, what came of it, the pot after it."""
    told = action.told
    return told.step, told.seat, f"{told.did.verb} {told.did.amount}" if told.did else "", action.pot


def test_a_hand_is_told_action_by_action_words_and_their_chips_as_one() -> None:
    table = sitting()
    table.do(*HAND, "award main 4")
    page = table.page()
    assert [did(action) for action in page.actions] == [
        ("starts-hand", 0, "", 15),
        ("declares", 4, "raise 30", 45),
        ("declares", 1, "call 30", 75),
        ("declares", 2, "fold 0", 75),
        ("declares", 3, "call 30", 95),
        ("deals", 0, "", 95),
        ("declares", 3, "check 0", 95),
        ("declares", 4, "bet 40", 135),
        ("declares", 1, "fold 0", 135),
        ("declares", 3, "fold 0", 135),
        ("awards", 0, "", 0),
    ]
    assert [action.round for action in page.actions] == [1] * 5 + [2] * 6
    assert {action.by for action in page.actions} == {"dealer"}
    assert [(seat.seat, seat.brought, seat.left, seat.won) for seat in page.seats] == [
        (1, 1000, 970, 0),
        (2, 1000, 995, 0),
        (3, 1000, 970, 0),
        (4, 1000, 1065, 135),
    ]
    assert (page.line.ended, page.line.pot, page.line.round, page.line.whole) == ("won", 135, 2, True)
    assert [(share.seat, share.amount, share.name) for share in page.line.won] == [(4, 135, "dev")]


def test_a_ruling_stands_at_the_action_that_it_is_about_with_its_rule() -> None:
    table = sitting(CONFIG + 'structure = "pot-limit"\n')
    table.do("hand", "4 raise to 900")
    (_, action) = table.page().actions
    (ruling,) = action.rulings
    assert (ruling.code, ruling.values.seat, ruling.choices) == ("over-limit", 4, ())
    assert ruling.rule and table.page().line.rulings == 1


def test_a_decision_of_the_floor_has_the_badge() -> None:
    table = sitting()
    table.do("hand")
    table.do("floor bet 3 20", source="floor", badge="eve")
    table.do("4 fold", badge="eve")
    assert [(action.by, action.badge) for action in table.page().actions] == [
        ("dealer", ""),
        ("floor", "eve"),
        ("dealer", ""),
    ]


def test_a_hand_that_is_played_and_one_that_is_called_off_are_told_so() -> None:
    table = sitting()
    table.do("hand", "4 raise to 30")
    assert (table.page().line.ended, table.page().line.pot) == ("", 45)
    table.do("void")
    assert (table.page().line.ended, table.page().line.pot, table.page().line.won) == ("void", 45, ())


def test_what_is_done_between_hands_belongs_to_none() -> None:
    table = sitting()
    table.do(*HAND, "award main 4", "3 add 100", "4 tip 5", "hand")
    assert len(table.page(1).actions) == 11 and len(table.page(2).actions) == 1


def test_the_last_twenty_are_kept() -> None:
    table = sitting()
    for _ in range(HANDS + 3):
        table.do("hand", "void")
    page = hands_page(table.played.hands(), table.live.table)
    assert [hand.number for hand in page.hands] == list(range(HANDS + 3, 3, -1))
    assert not page.is_all and all(hand.whole for hand in page.hands)
    assert len(table.played._acts) <= 2 * HANDS + 2


def test_a_table_that_was_closed_and_opened_counts_from_one_again_and_the_newest_is_looked_at() -> None:
    table = sitting()
    table.do("hand", "void", "close", "open", "1 sit 500", "2 sit 500", "hand")
    assert [hand.number for hand in table.played.hands()] == [1, 1]
    assert table.page(1).line.ended == ""


# --- undo and redo ---


def firsts(played: Played) -> list[str]:
    return [line(act[0].step) for act in played._acts]


def past(table: Table) -> list[str]:
    return [line(done.step) for done in table.past]


def at_random(dice: Random, log: Played, steps: int = 60) -> Sitting:
    """A table at which anything is tried, and a third of it taken back or done again."""
    table = Sitting(Live(Setup(trays=False, clock=True), read_config(CONFIG).table), log)
    table.do("hand")
    acts = ["fold", "check", "call", "bet 40", "raise to 80", "says raise", "chips 25 5", "chips 100", "all-in"]
    others = ["hand", "deal", "deal closing", "void", "award main 1", "award main 2 3", "1 tip 1", "2 add 10"]
    for _ in range(steps):
        choice = dice.random()
        if choice < 0.3:
            step = dice.choice(["undo", "undo", "redo"])
        elif choice < 0.5:
            step = dice.choice(others)
        else:
            hand = table.live.table.hand
            step = f"{(hand.turn if hand else 0) or dice.randint(1, 4)} {dice.choice(acts)}"
        table.now_us += dice.choice([1, 20]) * SECOND_US
        change = obey(table.live, parse(step), table.now_us, source="dealer", shown_turn=None)
        table.take(change)
    return table


@settings(max_examples=25, deadline=None)
@given(st.randoms(use_true_random=False))
def test_the_log_is_what_the_table_can_take_back_whatever_was_undone_and_redone(dice: Random) -> None:
    table = at_random(dice, Played())
    assert firsts(table.played) == past(table.live.table)
    assert [line(act[0].step) for act in table.played._undone] == [
        line(ahead.done.step) for ahead in table.live.table.future
    ]


class Forgetful(Played):
    """A planted log, at which what is taken back stays."""

    def takes(self, live: Live, change: Change, **known: Any) -> None:
        if not any(line(step) == "undo" for step, _ in change.steps):
            super().takes(live, change, **known)


def test_a_planted_log_that_does_not_follow_undo_is_caught() -> None:
    table = at_random(Random(1), Forgetful())
    assert firsts(table.played) != past(table.live.table)


def test_undo_across_a_hand_takes_the_hand_away_and_redo_brings_it_back() -> None:
    table = sitting()
    table.do(*HAND, "award main 4", "hand")
    whole = table.played.hands()
    table.do("undo", "undo")
    assert [hand.number for hand in table.played.hands()] == [1]
    assert table.page().line.ended == ""
    table.do("redo", "redo")
    assert table.played.hands() == whole


# --- as a file ---


def told(table: Table) -> Table:
    """The table without what a file does not hold."""
    return table._replace(past=(), future=(), joins=LastWords())


def read_back(hand: PlayedHand) -> Table:
    """The table at the end of the hand as it is read from its text."""
    script = to_script(parse_hand(export_recorded(hand.before, hand.steps)))
    scene = Scene(begin(script))
    for number, what in enumerate(script.steps, 1):
        scene, outcome = happens(scene, what, number * STEP_US)
        assert outcome.refused is None, (what, outcome.refused)
    return scene.table


CHIPS_SEEN = [
    *("hand", "4 raise to 30", "4 chips 25 5", "1 says raise", "1 chips 100", "2 fold", "3 fold"),
    *("4 says 100", "4 chips 25 25 5 5 5 5", "deal", "4 chips 100", "1 fold", "award main 4"),
]


def test_a_hand_that_was_keyed_is_written_down_and_read_back() -> None:
    table = sitting()
    table.do(*HAND[:-1], "3 raise to 80", "undo", "3 fold", "award main 4")
    (hand,) = table.played.hands()
    assert told(read_back(hand)) == told(hand.now)


def test_a_hand_whose_chips_were_seen_is_written_down_and_read_back() -> None:
    table = sitting(trays=True)
    for step in CHIPS_SEEN:
        table.now_us += 60 * SECOND_US
        table.take(Change(table.live, at_us=table.now_us).then("dealer", parse(step)))
    (hand,) = table.played.hands()
    assert hand.is_over
    assert told(read_back(hand)) == told(hand.now)


# --- alerts ---


def alert(code: str, seat: int = 0) -> Alert:
    return Alert(code=code, level="warning", values=Values(seat=seat))


def test_alerts_are_told_newest_first_with_who_cleared_them() -> None:
    raised = Raised(0)
    raised.shows((alert("a", 1), alert("b")), 1, hand=7, did=("dealer", ""))
    raised.shows((alert("a", 1), alert("c")), 2, hand=7, did=("floor", "eve"))
    raised.shows((alert("c"),), 3, hand=8, did=("itself", ""))
    raised.shows((alert("c"), alert("a", 1)), 4, hand=8, did=("itself", ""))
    lines = raised.page().alerts
    assert [(one.alert.code, one.by, one.badge, one.hand, one.cleared_s is None) for one in lines] == [
        ("a", "", "", 8, True),
        ("c", "", "", 7, True),
        ("b", "floor", "eve", 7, False),
        ("a", "itself", "", 7, False),
    ]


def test_alerts_are_bounded() -> None:
    raised = Raised(0)
    for number in range(3 * ALERTS):
        raised.shows((alert(str(number)),), number, hand=1, did=("dealer", ""))
    page = raised.page()
    assert len(page.alerts) == ALERTS and page.alerts[0].alert.code == str(3 * ALERTS - 1)
    assert len(raised._standing) == 1


def test_who_cleared_an_alert_is_told_by_what_was_done(tmp_path: Path) -> None:
    with inside(tmp_path, Guarding(read_rights(usual_text()), 1)) as table:
        bare = table.door()
        assert bare.command("call-floor") is None
        table.badge("floor")
        assert bare.command("floor-came") is None
        table.badge(None)
        assert bare.command("hand") is None
        assert bare.command("4 says raise") is None
        assert bare.command("4 raise to 30") is None
        page = look(bare, "alerts")
    assert isinstance(page, AlertsPage)
    assert ("floor-called", "floor", "eve (floor)") in [(one.alert.code, one.by, one.badge) for one in page.alerts]
    assert not [one for one in page.alerts if one.by not in ("floor", "dealer", "itself", "")]


# --- what an award would give ---

EIGHT = CONFIG + 'variant = "omaha8"\n'
RAKED = CONFIG + "unit = 5\nrake = { percent = 10, cap = 8 }\njackpot = { amount = 1, pot = 20 }\n"


@pytest.mark.parametrize(
    ("config", "to", "do", "shares", "odd", "drop"),
    [
        (CONFIG, 34, "award main 4", {4: 107}, {}, (0, 0)),
        (CONFIG, 34, "award main 3 4", {3: 54, 4: 53}, {3: 1}, (0, 0)),
        (CONFIG, 35, "award main 3 4", {3: 55, 4: 55}, {}, (0, 0)),
        (CONFIG, 34, "award main 4*3 1", {4: 80, 1: 27}, {4: 2, 1: 1}, (0, 0)),
        (CONFIG + "unit = 5\n", 35, "award main 4*3 1", {4: 80, 1: 30}, {4: 5, 1: 5}, (0, 0)),
        (RAKED, 35, "award main 3 4", {3: 54, 4: 50}, {3: 4}, (5, 1)),
        (EIGHT, 34, "award main high 4 low 1 3", {4: 54, 3: 27, 1: 26}, {4: 1, 3: 1}, (0, 0)),
        (EIGHT, 35, "award main high 4 low 1 3", {4: 55, 3: 28, 1: 27}, {3: 1}, (0, 0)),
        (CONFIG + "boards = 2\n", 34, "award main board1 3 board2 4", {3: 54, 4: 53}, {3: 1}, (0, 0)),
    ],
)
def test_what_an_award_would_give_is_told_and_is_what_it_gives(
    config: str, to: int, do: str, shares: dict[int, int], odd: dict[int, int], drop: tuple[int, int]
) -> None:
    table = sitting(config)
    table.do("hand", f"4 raise to {to}", "1 call", "2 fold", "3 call", *["deal", "3 check", "4 check", "1 check"] * 3)
    before = table.live
    page = asyncio.run(Looks().page(asked(f"look {do}") or pytest.fail("no look"), before))
    assert isinstance(page, AwardPage) and table.live is before
    table.do(do)
    assert table.live.table.hand is not None
    given = dict(enumerate(table.live.table.hand.given))
    assert {share.seat: share.amount for share in page.shares} == {seat: got for seat, got in given.items() if got}
    assert {share.seat: share.amount for share in page.shares} == shares
    assert {share.seat: share.amount for share in page.odd} == odd
    assert (page.rake, page.jackpot) == drop == (table.live.table.accounts.rake, table.live.table.accounts.jackpot)
    assert page.amount == sum(shares.values())


def test_an_award_that_is_refused_is_refused_alike() -> None:
    table = sitting()
    table.do("hand", "4 fold")
    for do in ("award main 4", "award side7 3"):
        change = obey(table.live, parse(do), table.now_us, source="dealer", shown_turn=None)
        refused = asyncio.run(Looks().page(asked(f"look {do}") or pytest.fail("no look"), table.live))
        assert isinstance(refused, Refused) and change.refused is not None
        assert refused.code == change.refused.code.value


# --- on the socket ---


def look(bare: Bare, do: str) -> Page | Refused:
    """What is answered to a look."""
    bare.send(encode(bare.next(f"look {do}")))
    while (reply := bare.message().reply) is None:
        pass
    found = reply.page or reply.refused
    assert found is not None
    return found


ALL = {
    "hands": HandsPage,
    "hand 1": HandPage,
    "phh 1": PhhPage,
    "alerts": AlertsPage,
    "devices": DevicesPage,
    "report": ReportPage,
    "games": GamesPage,
}


def play(bare: Bare, *steps: str) -> None:
    bare.shown or bare.view()
    for step in steps:
        assert bare.command(step) is None, step


def recorded(journal: Path) -> list[str]:
    with contextlib.closing(Segment.view(journal)) as book:
        return [record.do for record in book.records()]


def test_every_page_comes_and_looking_leaves_no_trace(tmp_path: Path) -> None:
    journal = tmp_path / "journal.db"
    with inside(tmp_path, journal=journal) as table, connected(table.address) as bare:
        table.service._looks._writes = export_recorded
        play(bare, *HAND, "award main 4")
        records = recorded(journal)
        live, view = table.service.live, table.service.view
        for do, kind in ALL.items():
            assert isinstance(look(bare, do), kind), do
        assert table.service.live is live and table.service.view is view
        assert recorded(journal) == records


@pytest.mark.parametrize(
    ("do", "code"),
    [("hand 7", "no-such-hand"), ("phh 7", "no-such-hand"), ("phh 1", "hand-not-over"), ("x", "not-a-step")],
)
def test_a_page_that_is_not_there_is_refused_with_why(tmp_path: Path, do: str, code: str) -> None:
    with inside(tmp_path) as table, connected(table.address) as bare:
        play(bare, "hand")
        found = look(bare, do)
        assert isinstance(found, Refused) and found.code == code
        assert isinstance(look(bare, "hands"), HandsPage), "the connection stays"


def test_a_service_that_was_started_by_its_command_writes_hands_down(tmp_path: Path) -> None:
    with served(tmp_path, "--no-trays") as service:
        service.start()
        with connected(service.address) as bare:
            play(bare, *HAND, "award main 4")
            page = look(bare, "phh 1")
            assert isinstance(page, PhhPage) and parse_hand(page.text).own is not None


def test_commands_do_not_wait_for_a_page_that_takes_long(tmp_path: Path) -> None:
    written = threading.Event()

    def slow(table: Table, steps: Sequence[Step]) -> str:
        assert written.wait(DEADLINE_S)
        return "text"

    with inside(tmp_path) as table, connected(table.address) as bare:
        table.service._looks._writes = slow
        play(bare, "hand", "4 fold", "1 fold", "2 fold", "award main 3")
        bare.send(encode(bare.next("look phh 1")))
        assert bare.command("hand") is None
        written.set()
        while (reply := bare.message().reply) is None:
            pass
        assert reply.page == PhhPage(hand=1, text="text")


def test_a_fault_of_ours_in_a_page_ends_with_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Looks, "_of_table", lambda *_: 1 / 0)
    with inside(tmp_path) as table, connected(table.address) as bare:
        bare.view()
        found = look(bare, "hands")
        assert isinstance(found, Refused) and found.code == "fault"
        assert bare.command("hand") is None


def test_hands_of_the_running_segment_are_there_once_a_service_has_started(tmp_path: Path) -> None:
    def restarted() -> tuple[Sequence[PlayedHand], HandsPage]:
        service = Service.open(read_config(CONFIG), tmp_path / "journal.db", trays=False)
        assert service._recorder is not None
        service._recorder.close()
        hands = service._looks.played.hands()
        return hands, hands_page(hands, service.live.table)

    with inside(tmp_path, journal=tmp_path / "journal.db") as table, connected(table.address) as bare:
        play(bare, *HAND, "undo", "3 fold", "award main 4", "hand", "4 call")
        before = table.service._looks.played.hands()
    hands, page = restarted()
    assert [hand.steps for hand in hands] == [hand.steps for hand in before]
    assert [hand_page(hand).actions for hand in hands] == [hand_page(hand).actions for hand in before]
    assert page.is_all

    with inside(tmp_path, journal=tmp_path / "journal.db") as table, connected(table.address) as bare:
        play(bare, "void")
        table.call(lambda: table.service._recorder.rotate(table.service.live, 0))  # type: ignore[union-attr]
        play(bare, "hand")
    hands, page = restarted()
    assert [hand.number for hand in hands] == [3] and not page.is_all


def test_players_may_not_look_and_their_view_has_no_stacks(tmp_path: Path) -> None:
    with inside(tmp_path, Guarding(read_rights(usual_text() + DOORS))) as table:
        players = table.door("players.sock")
        for do in ALL:
            found = look(players, do)
            assert isinstance(found, Refused) and found.code == "not-allowed"


def test_a_page_fits_into_a_line_whatever_was_played() -> None:
    table = sitting(CONFIG + 'structure = "pot-limit"\n')
    table.do("hand", "4 raise to 900")
    began, ruled = table.played.hands()[0].acts
    page = hand_page(PlayedHand(1, (began, *[ruled] * 2 * MOST_ACTIONS)))
    assert len(page.actions) == MOST_ACTIONS and page.actions[0].rulings
    assert len(encode(ToScreen(reply=Reply(id=1, page=page)))) < MAX_LINE_BYTES


# --- devices ---


def test_devices_are_told_as_the_hardware_counts_them() -> None:
    looks = Looks(records="journal.db")
    looks.health = lambda: Health(
        antennas=(AntennaHealth("bet3", "left", 3, True, tags=4, reads=10, failed=1, fault="rf-error", fault_us=1),),
        devices=(DeviceHealth("left", "reader", up=False, bad_frames=2),),
        pressed={"fold": Pressed(), 3: Pressed(2, 1)},
        lamps=frozenset({3}),
    )
    live = sitting().live._replace(devices={"left": "no-answer", "badge-reader": None})
    page = asyncio.run(looks.page(asked("look devices") or pytest.fail("no look"), live))
    assert isinstance(page, DevicesPage)
    (antenna,) = page.antennas
    assert (antenna.spot, antenna.tags, antenna.reads, antenna.failed, antenna.fault) == ("bet3", 4, 10, 1, "rf-error")
    assert antenna.fault_age_s is not None and antenna.age_ms is None
    assert [(one.name, one.kind, one.up, one.reason) for one in page.devices] == [
        ("left", "reader", False, "no-answer"),
        ("badge-reader", "badge-reader", True, ""),
    ]
    assert [(key.key, key.seat, key.presses, key.age_s is None) for key in page.keys] == [
        ("fold", 0, 0, True),
        ("", 3, 2, False),
    ]
    assert page.lamps == (3,) and page.version and page.records == "journal.db"
