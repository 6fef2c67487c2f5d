"""The pictures of the README: the situations of the demonstration's first hand, played through the pipeline and drawn.

They are written to `build/readme`; those in `ui/pictures` are copies that somebody looked at.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

import pytest

from controller.live.desk import Desk
from controller.presenter import showing
from controller.scripts import player as scripts
from controller.simulation import people as rehearsal
from controller.simulation import pipeline
from controller.simulation.demo import HANDS
from controller.simulation.pipeline import People
from controller.view import TableView
from hardware.simulated.world import World
from ui.snapshot import render

ROOT = Path(__file__).parents[2]


class _Table:
    """The first hand of the demonstration at a live desk, in simulated time."""

    def __init__(self) -> None:
        self.script = scripts.load(HANDS / "1-pot-limit-omaha.toml")
        self.twin = scripts.begin(self.script)
        self.desk = Desk(self.twin)
        self.people = People(self.twin, pipeline.quick_layout())
        self.done = 0
        self._hear()

    def _hear(self) -> None:
        for event in self.people.rig.settle():
            self.desk.on_event(event, event.at_us)

    def play_to(self, last: int) -> TableView:
        """The view after the step of that number."""
        while self.done < last:
            what, before = self.script.steps[self.done], self.twin
            self.done += 1
            self.twin = scripts.one_step(self.twin, what, self.done * scripts.STEP_US, {}).table
            rehearsal.do(self, before, self.twin, what)
            self._hear()
            if what.verb != "moved":
                self.people.conform(self.twin)
                self._hear()
        return self.view()

    # a room of the rehearsal

    def view(self) -> TableView:
        return showing.show(self.desk, self.done + 1, name="Table 4")

    def command(self, do: str) -> str | None:
        return self.desk.command(do, self.people.rig.now_us)

    def press(self, key: str) -> None:
        """The keys are touches here: what they mean is tested elsewhere."""
        turn = self.desk.table.hand.turn if self.desk.table.hand else 0
        self.command({"fold": f"{turn} fold", "check-call": f"{turn} check"}.get(key, key))

    def hands(self) -> AbstractContextManager[World]:
        return nullcontext(self.people.world)

    def wait(self, until: Callable[[TableView], bool], limit_s: float) -> bool:
        return True

    def pause(self, seconds: float) -> None:
        pass


def situations() -> dict[str, TableView]:
    """The README's pictures by name."""
    table = _Table()
    views = {"largest-raise": table.play_to(3)}
    views["out-of-turn-question"] = table.play_to(4)
    assert table.command("ack held-4") is None
    views["out-of-turn-warning"] = table.view()
    views["over-the-pot"] = table.play_to(10)
    views["side-pot"] = table.play_to(16)
    return views


def test_the_situations_are_what_the_readme_says() -> None:
    views = situations()
    first = views["largest-raise"]
    assert (first.pot, first.turn, first.to_call, first.max_raise_to, first.limit) == (85, 3, 35, 155, "pot")
    assert [alert.code for alert in views["out-of-turn-question"].alerts] == ["behind-the-turn"]
    assert [alert.code for alert in views["out-of-turn-warning"].alerts] == ["out-of-turn"]
    over = views["over-the-pot"]
    assert [alert.code for alert in over.alerts] == ["over-limit"]
    assert [seat.due_back for seat in over.seats if seat.due_back] == [325]
    pots = {pot.name: (pot.amount, pot.seats) for pot in views["side-pot"].pots}
    assert pots == {"main": (475, (1, 2, 8)), "side1": (930, (1, 2))}


@pytest.mark.screen
def test_the_pictures_are_drawn() -> None:
    pictures = render(list(situations().items()), ROOT / "build" / "readme")
    assert len(pictures) == 5
    for picture in pictures:
        data = picture.read_bytes()
        assert data.startswith(b"\x89PNG")
        assert (int.from_bytes(data[16:20]), int.from_bytes(data[20:24])) == (1280, 800)
