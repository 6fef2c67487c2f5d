"""Check the pictures of the README, which show five situations from the first hand of `make demo`.

The test plays the hand with simulated chips and readers, and writes the pictures to `build/readme`. The files in
`ui/pictures` are copies that a person has checked.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

import pytest

from controller.live import HELD_ACTION_DELAY_US, Live, TableSetup, Transition, handle_command, handle_event, tick
from controller.presenter import build_refusal_view, build_table_view
from controller.scripts import STEP_INTERVAL_US, ScriptState, apply_scripted_step, load_script, starting_table
from controller.simulation import DEMO_HANDS_DIR, ChipsAndReaders, fast_tag_layout, match_chips_to_table, perform_step
from controller.steps import Declaration, Step, hand_steps, observations
from controller.view import RefusalView, TableView
from hardware.simulated.world import World
from ui.screenshots import render_views

ROOT = Path(__file__).parents[2]


class _DemoTable:
    """Table at which the first hand of `make demo` is played in simulated time, with simulated chips and readers."""

    def __init__(self) -> None:
        self.script = load_script(DEMO_HANDS_DIR / "1-pot-limit-omaha.toml")
        self.script_state = ScriptState(starting_table(self.script))
        self.live = Live(TableSetup(), self.script_state.table)
        self.sensors = ChipsAndReaders(self.script_state.table, fast_tag_layout())
        self.done = 0
        self._read_sensors()

    def _read_sensors(self) -> None:
        for event in self.sensors.rig.settle():
            self._apply(handle_event(self.live, event, event.at_us))

    def _apply(self, change: Transition) -> None:
        self.live = change.live

    def play_to(self, last: int) -> TableView:
        """Play the steps of the hand up to the one with number `last`, and return the view after it."""
        while self.done < last:
            step, table_before = self.script.steps[self.done], self.script_state.table
            self.done += 1
            self.script_state, _ = apply_scripted_step(self.script_state, step, self.done * STEP_INTERVAL_US)
            perform_step(self, table_before, step)
            self._read_sensors()
            if not isinstance(step, hand_steps.MovesChips):
                match_chips_to_table(self.sensors.world, self.script_state.table)
                self._read_sensors()
        return self.view()

    def after(self, us: int) -> TableView:
        """Return the view after `us` microseconds in which nobody touches anything."""
        self._apply(tick(self.live, self.sensors.rig.now_us + us))
        return self.view()

    # --- interface of PlayableTable ---

    def view(self) -> TableView:
        return build_table_view(self.live, self.done + 1, name="Table 4")

    def send_step(self, step: Step) -> RefusalView | None:
        change = handle_command(self.live, step, self.sensors.rig.now_us)
        self._apply(change)
        return build_refusal_view(change.refusal) if change.refusal is not None else None

    def press_key(self, key: str) -> None:
        """Send the step that a touch on a key would send. Other tests check the keys themselves."""
        turn = self.live.table.hand.turn if self.live.table.hand else 0
        steps = {
            "fold": hand_steps.Declares(turn, Declaration("fold")),
            "check-call": hand_steps.Declares(turn, Declaration("check")),
        }
        self.send_step(steps.get(key, hand_steps.DealsStreet()))

    def exclusive_world(self) -> AbstractContextManager[World]:
        return nullcontext(self.sensors.world)

    def wait_for_view(self, until: Callable[[TableView], bool], limit_s: float) -> bool:
        return True

    def pause(self, seconds: float) -> None:
        pass


def situations() -> dict[str, TableView]:
    """Return the view for each picture of the README, by the name of the picture."""
    table = _DemoTable()
    views = {"largest-raise": table.play_to(3)}
    table.play_to(4)
    views["out-of-turn-question"] = table.after(HELD_ACTION_DELAY_US)
    assert table.send_step(observations.AnswersOutOfTurn(4)) is None
    views["out-of-turn-warning"] = table.view()
    views["over-the-pot"] = table.play_to(10)
    views["side-pot"] = table.play_to(16)
    return views


def test_readme_pictures_show_the_described_situations() -> None:
    views = situations()
    first = views["largest-raise"]
    assert (first.pot, first.turn, first.to_call, first.max_raise_to, first.limit) == (85, 3, 35, 155, "pot")
    alerts = [(alert.code, alert.level) for alert in views["out-of-turn-question"].alerts]
    assert alerts == [("behind-the-turn", "question")]
    assert [alert.code for alert in views["out-of-turn-warning"].alerts] == ["out-of-turn"]
    over = views["over-the-pot"]
    assert [alert.code for alert in over.alerts] == ["over-limit"]
    assert [seat.due_back for seat in over.seats if seat.due_back] == [325]
    pots = {pot.name: (pot.amount, pot.seats) for pot in views["side-pot"].pots}
    assert pots == {"main": (475, (1, 2, 8)), "side1": (930, (1, 2))}


@pytest.mark.screen
def test_readme_pictures_exist() -> None:
    pictures = render_views(list(situations().items()), ROOT / "build" / "readme")
    assert len(pictures) == 5
    for picture in pictures:
        data = picture.read_bytes()
        assert data.startswith(b"\x89PNG")
        assert (int.from_bytes(data[16:20]), int.from_bytes(data[20:24])) == (1280, 800)
