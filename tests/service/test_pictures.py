"""The pictures of the README: the situations of the demonstration's first hand, played through the pipeline and drawn.

They are written to `build/readme`; those in `ui/pictures` are copies that somebody looked at.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

import pytest

from controller.live import OVERDUE_US, Change, Live, Setup, obey, react, tick
from controller.presenter import refused, show
from controller.scripts import STEP_US, Scene, begin, happens, load
from controller.simulation import HANDS, Felt, conform, do_step, quick_layout
from controller.table import AnswersOutOfTurn, Deals, Declaration, Declares, Moves, Step
from controller.view import Refused, TableView
from hardware.simulated.world import World
from ui.snapshot import render

ROOT = Path(__file__).parents[2]


class _Table:
    """The first hand of the demonstration at a live table, in simulated time."""

    def __init__(self) -> None:
        self.script = load(HANDS / "1-pot-limit-omaha.toml")
        self.scene = Scene(begin(self.script))
        self.live = Live(Setup(), self.scene.table)
        self.felt = Felt(self.scene.table, quick_layout())
        self.done = 0
        self._hear()

    def _hear(self) -> None:
        for event in self.felt.rig.settle():
            self._take(react(self.live, event, event.at_us))

    def _take(self, change: Change) -> None:
        self.live = change.live

    def play_to(self, last: int) -> TableView:
        """The view after the step of that number."""
        while self.done < last:
            what, before = self.script.steps[self.done], self.scene.table
            self.done += 1
            self.scene, _ = happens(self.scene, what, self.done * STEP_US)
            do_step(self, before, what)
            self._hear()
            if not isinstance(what, Moves):
                conform(self.felt.world, self.scene.table)
                self._hear()
        return self.view()

    def after(self, us: int) -> TableView:
        """The view when so much time has passed and nobody has keyed anything."""
        self._take(tick(self.live, self.felt.rig.now_us + us))
        return self.view()

    # a room of the rehearsal

    def view(self) -> TableView:
        return show(self.live, self.done + 1, name="Table 4")

    def command(self, step: Step) -> Refused | None:
        change = obey(self.live, step, self.felt.rig.now_us)
        self._take(change)
        return refused(change.refused) if change.refused is not None else None

    def press(self, key: str) -> None:
        """The keys are touches here: what they mean is tested elsewhere."""
        turn = self.live.table.hand.turn if self.live.table.hand else 0
        meant = {"fold": Declares(turn, Declaration("fold")), "check-call": Declares(turn, Declaration("check"))}
        self.command(meant.get(key, Deals()))

    def hands(self) -> AbstractContextManager[World]:
        return nullcontext(self.felt.world)

    def wait(self, until: Callable[[TableView], bool], limit_s: float) -> bool:
        return True

    def pause(self, seconds: float) -> None:
        pass


def situations() -> dict[str, TableView]:
    """The README's pictures by name."""
    table = _Table()
    views = {"largest-raise": table.play_to(3)}
    table.play_to(4)
    views["out-of-turn-question"] = table.after(OVERDUE_US)
    assert table.command(AnswersOutOfTurn(4)) is None
    views["out-of-turn-warning"] = table.view()
    views["over-the-pot"] = table.play_to(10)
    views["side-pot"] = table.play_to(16)
    return views


def test_the_situations_are_what_the_readme_says() -> None:
    views = situations()
    first = views["largest-raise"]
    assert (first.pot, first.turn, first.to_call, first.max_raise_to, first.limit) == (85, 3, 35, 155, "pot")
    asked = [(alert.code, alert.level) for alert in views["out-of-turn-question"].alerts]
    assert asked == [("behind-the-turn", "question")]
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
