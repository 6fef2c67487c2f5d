"""The guided set-up by touches on the screen, with a real service and emulated devices at pseudo terminals."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path

import pytest

from controller.journal import Journal
from controller.steps import observations, table_steps
from controller.view import RefusalView, TableView, pages, protocol
from hardware.chip_register import derive_public_key, generate_private_key, parse_chip_list, sign_text
from hardware.layout import parse_layout
from hardware.simulated.pty_table import PtyTable
from hardware.simulated.world import World
from hardware.text_input_validation import BadInputError
from tests.service.in_process_service import InProcessService, in_process_service
from tests.service.service_process import DEADLINE_S, RawConnection, wait_until
from tests.service.test_roles import access_policy
from tests.small_layout import CHIP, RANGES, SMALL_LAYOUT, with_ports
from ui.scene import lay_out_scene
from ui.state import (
    OutgoingCommand,
    ScreenState,
    Target,
    page_actions,
    page_state,
    press_target,
    show_refusal,
    show_view,
)


class Technician:
    """A person at the screen of a service, who touches only keys that the screen shows, and moves chips."""

    def __init__(self, service: InProcessService, table: PtyTable) -> None:
        self._service, self._table = service, table
        self._connection: RawConnection = service.connect()
        self._laid: list[str] = []
        self.screen = show_view(ScreenState(), self.view())
        self.touch(page_state.PAGE_TABS[-1], is_visible=False)
        self.touch(page_state.SET_UP_REQUEST)

    def view(self) -> TableView:
        return self._service.call(lambda: self._service.service.view)

    @property
    def page(self) -> pages.SetUpPage:
        assert self.screen.page is not None and isinstance(self.screen.page.content, pages.SetUpPage)
        return self.screen.page.content

    def touch(self, target: Target, *, is_visible: bool = True) -> RefusalView | None:
        """Touch a key, send its command, and show the reply. Return the refusal or None."""
        shown = {area.target for area in lay_out_scene(self.screen).touch_areas}
        assert not is_visible or target in shown, (target, shown)
        self.screen, command = press_target(self.screen, target)
        return self._send(command) if command is not None else None

    def touch_set_up(self, word: str) -> RefusalView | None:
        """Touch the key of the set-up with this word. It must be on the page."""
        shown = [area.target for area in lay_out_scene(self.screen).touch_areas]
        return self.touch(next(key for key in shown if isinstance(key, page_state.SetUpKey) and key.word == word))

    def wait_for(self, is_reached: Callable[[pages.SetUpPage], bool]) -> pages.SetUpPage:
        """Refresh the page, as the screen does, until it is as expected."""
        end_s = time.monotonic() + DEADLINE_S
        while not is_reached(self.page):
            assert time.monotonic() < end_s, self.page
            time.sleep(0.01)
            self.screen, command = page_actions.refresh_page(self.screen)
            assert command is not None
            self._send(command)
        return self.page

    def lay(self, tags: Sequence[str], spot: str) -> None:
        """Put these chips on a spot, in place of the chips that were put anywhere before."""
        with self._table.exclusive_world() as world:
            for tag in self._laid:
                world.lift_foreign_tag(tag)
            self._laid = list(tags)
            for tag in self._laid:
                world.lay_foreign_tag(tag, spot)

    def press(self, button: str) -> None:
        self._table.press(button)
        self._table.release(button)

    def _send(self, command: OutgoingCommand) -> RefusalView | None:
        connection = self._connection
        connection.send(protocol.encode(connection.next_command(command.do)))
        while (reply := connection.message().reply) is None:
            pass
        if reply.page is not None:
            self.screen = page_actions.receive_page(self.screen, reply.page)
        if reply.refused is not None:
            self.screen = show_refusal(self.screen, reply.refused)
        return reply.refused


def are_readers_up(service: InProcessService, up: bool) -> bool:
    """Return True if all readers and boards are up for the table, or all are down."""
    return {device.up for device in service.call(lambda: service.service.view).devices} == {up}


def wait_for_readers(service: InProcessService, *, up: bool) -> None:
    wait_until(lambda: are_readers_up(service, up), f"readers up: {up}")


@pytest.fixture
def table() -> Iterator[PtyTable]:
    """A table on which the antennas of seats 1 and 3 were exchanged, and the button of seat 1 is number 2."""
    swapped = SMALL_LAYOUT.replace('1 = "bet1", 2 = "bet3"', '1 = "bet3", 2 = "bet1"').replace(
        '0 = "seat1"', '2 = "seat1"'
    )
    with PtyTable(parse_layout(swapped + RANGES), World({})) as pty_table:
        yield pty_table


def write_layout(path: Path, table: PtyTable, chips: str = RANGES) -> str:
    text = with_ports(SMALL_LAYOUT, table.layout.ports) + chips
    path.write_text(text)
    return text


def test_find_by_touches_names_and_writes_a_swapped_wiring_and_gives_the_readers_back(
    tmp_path: Path, table: PtyTable
) -> None:
    path, journal = tmp_path / "layout.toml", tmp_path / "journal.db"
    write_layout(path, table)
    with in_process_service(tmp_path, journal=journal, layout=path) as service:
        technician = Technician(service, table)
        wait_for_readers(service, up=True)
        assert technician.touch_set_up("find") is None
        wait_for_readers(service, up=False)
        for spot in ("bet1", "bet3"):
            technician.wait_for(lambda page, spot=spot: (page.stage, page.name) == ("chip", spot))  # type: ignore[misc]
            technician.lay([CHIP], spot)
        technician.wait_for(lambda page: page.stage == "press")
        technician.touch_set_up("back")
        technician.wait_for(lambda page: page.stage == "lift")
        technician.lay([], "bet3")
        assert technician.wait_for(lambda page: page.stage == "chip").name == "bet3"
        technician.lay([CHIP], "bet3")
        technician.wait_for(lambda page: page.name == "seat1")
        technician.press("seat1")
        technician.wait_for(lambda page: page.name == "fold")
        technician.touch_set_up("skip")
        result = technician.wait_for(lambda page: page.stage == "result")
        wait_for_readers(service, up=True)
        assert [(note.code, note.name, note.other) for note in result.notes] == [
            ("swapped", "bet1", "bet3"),
            ("moved", "seat1", ""),
            ("not-found", "fold", ""),
        ]
        technician.touch_set_up("write")
        assert technician.wait_for(lambda page: page.stage == "written").path == str(path)
        text = path.read_text()
        assert parse_layout(text).readers[0].antennas == {1: "bet3", 2: "bet1"}
        assert "# the back room" in text and "# bolted under seat 1" in text
        # The chip of the set-up is no bet, and no hand has begun.
        assert (technician.view().pot, technician.view().hand_number) == (0, 0)
    with closing(Journal.open_read_only(journal)) as segment:
        steps = [entry.step for entry in segment.entries()]
    assert [step.detail for step in steps if isinstance(step, observations.SetUpUsed)] == [
        "ended, started by screen",
        "layout.toml written by screen",
    ]
    sensor_steps = (observations.Observation, table_steps.RecordSeatSensorOffline, table_steps.RecordSeatSensorOnline)
    assert [step for step in steps if not isinstance(step, sensor_steps)] == [], "the set-up was recorded as play"


def test_cancel_error_and_start_of_a_hand_give_the_readers_back(
    tmp_path: Path, table: PtyTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "layout.toml"
    text = write_layout(path, table)
    with in_process_service(tmp_path, layout=path) as service:
        technician = Technician(service, table)
        wait_for_readers(service, up=True)
        connection = service.connect()
        for end in ("cancel", "hand", "idle", "error"):
            if end == "error":
                monkeypatch.setattr("hardware.guided_setup.FindRun", None)
            technician.touch_set_up("find")
            wait_for_readers(service, up=False)
            if end == "cancel":
                technician.touch_set_up("cancel")
            elif end == "hand":
                technician.lay([CHIP], "bet3")
                assert connection.command("hand") is None, "play by touches must stay possible"
            elif end == "idle":
                monkeypatch.setattr("controller.service.guided_setup.guided_set_up.IDLE_TIMEOUT_US", 0)
            wait_for_readers(service, up=True)
            if end == "error":
                assert "TypeError" in technician.wait_for(lambda page: page.stage == "result").error
                continue
            technician.wait_for(lambda page: page.stage == "choose")
            if end == "hand":
                refusal = technician.touch_set_up("find")
                assert refusal is not None and refusal.code == "hand-in-progress"
                # The chip that was left on the spot of seat 1 is named, but it is no bet.
                wait_until(lambda: "behind-the-turn" in [alert.code for alert in technician.view().alerts], "alert")
                assert [seat.bet for seat in technician.view().seats][:4] == [0, 5, 10, 0]
                technician.lay([], "bet3")
                assert connection.command("void") is None
            monkeypatch.undo()
    assert path.read_text() == text


def test_enroll_and_tune_by_touches_write_beside_what_the_service_may_not_write(
    tmp_path: Path, table: PtyTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    private, folder = generate_private_key(), tmp_path / "etc"
    folder.mkdir()
    path, register = folder / "layout.toml", folder / "list.toml"
    register.write_bytes(sign_text(b'house = "Grand"\nnumber = 3\nlisted = { E004015000250001 = 25 }\n', private))
    chips = f'register = "list.toml"\nregister_key = "{derive_public_key(private)}"\n'
    text = write_layout(path, table, chips)

    def refuse(path: Path, text: str) -> None:
        raise BadInputError(f"{path}: Read-only file system")

    monkeypatch.setattr("hardware.guided_setup.write_layout", refuse)
    monkeypatch.setattr("hardware.guided_setup.tune.OWN_READINGS", 2)
    monkeypatch.setattr("hardware.guided_setup.tune.OTHER_READINGS", 1)
    monkeypatch.setattr("hardware.guided_setup.enroll.PILE_READINGS", 3)
    monkeypatch.setattr("controller.service.guided_setup.tasks.TUNE_HEIGHTS", (1, 2))
    new = [f"E00401500025{number:04X}" for number in range(0x1000, 0x1003)]
    with in_process_service(tmp_path, layout=path) as service:
        technician = Technician(service, table)
        # Enter the denomination on the pad, and count a listed chip, two new chips, and the second again.
        technician.touch_set_up("enroll")
        for digit in (2, 5):
            technician.touch(page_state.DenominationKey(digit))
        technician.touch_set_up("enroll")
        notes = []
        for pile in ([CHIP, new[0]], new[:2], new[1:]):
            technician.wait_for(lambda page: page.stage == "pile")
            technician.lay(pile, "bet3")  # Its cable leads to the antenna that the layout calls bet1.
            technician.touch_set_up("ready")
            assert technician.wait_for(lambda page: page.stage == "counted").count == len(pile)
            technician.touch_set_up("take")
            page = technician.wait_for(lambda page: page.stage == "pile")
            notes.append([(note.code, note.name) for note in page.notes])
        assert notes == [[("listed", CHIP)], [], [("twice", new[1])]]
        technician.touch_set_up("finish")
        technician.wait_for(lambda page: page.stage == "result")
        technician.touch_set_up("write")
        written = technician.wait_for(lambda page: page.stage == "written")
        assert (written.path, written.copy_to) == (str(tmp_path / "list.toml.new"), "")
        chip_list = parse_chip_list((tmp_path / "list.toml.new").read_bytes(), "new")
        assert (chip_list.number, chip_list.listed) == (4, dict.fromkeys([CHIP, *new[:2]], 25))
        technician.touch_set_up("discard")
        # Measure the first spot, and leave out the second one.
        technician.lay([], "bet3")
        technician.touch_set_up("tune")
        for height in (1, 2):
            technician.wait_for(lambda page, height=height: (page.stage, page.count) == ("stack", height))  # type: ignore[misc]
            technician.lay(new[:height], "bet3")
            technician.touch_set_up("ready")
        technician.wait_for(lambda page: (page.stage, page.name) == ("stack", "bet3"))
        technician.touch_set_up("skip")
        assert [note.height for note in technician.wait_for(lambda page: page.stage == "result").notes] == [2]
        technician.touch_set_up("write")
        written = technician.wait_for(lambda page: page.stage == "written")
        assert (written.path, written.copy_to) == (str(tmp_path / "layout.toml.new"), str(path))
        assert parse_layout((tmp_path / "layout.toml.new").read_text()).antennas.max_sure_heights == {"bet1": 2}
    assert path.read_text() == text


def test_set_up_needs_the_badge_of_a_technician_and_everybody_may_cancel(tmp_path: Path) -> None:
    path = tmp_path / "layout.toml"
    path.write_text(SMALL_LAYOUT + RANGES)
    with in_process_service(tmp_path, access_policy(), layout=path) as table:
        dealer, codes = table.connect(), []
        for role in (None, "floor", "dealer", "technician"):
            table.present_badge(role)
            refusal = dealer.command("set-up tune")
            codes.append(refusal.code if refusal is not None else "")
        assert codes == ["asks-technician"] * 3 + [""]
        room = table.connect("room.sock").command("set-up find")
        assert room is not None and room.code == "not-allowed"
        table.present_badge(None)
        assert dealer.command("set-up cancel") is None
    with in_process_service(tmp_path) as table:
        refusal = table.connect().command("set-up find")
        assert refusal is not None and refusal.code == "no-set-up"
