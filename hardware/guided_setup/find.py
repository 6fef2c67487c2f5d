"""Find which antenna is which spot, and which button is which key, with the technician's help.

The technician puts one chip on each spot in turn, and presses each button in turn. A chip is found at the antenna that
hears it most often, because neighbour antennas may hear it as well. The chip may move on to the next spot directly. A
round in which an antenna that is already known hears the chip does not count.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Final, Literal, NamedTuple

from hardware.guided_setup.device_bench import SURVEYED_ANTENNAS, Antenna, Button, DeviceBench
from hardware.layout import TableLayout

MIN_HITS: Final = 3
"""Number of rounds in which an antenna must hear the chip before its spot is known."""
MIN_LEAD: Final = 3
"""Number of rounds by which that antenna must lead. The antenna of a neighbour spot hears the chip less often."""
MAX_ROUNDS: Final = 120
"""Maximum number of rounds for one spot. A round takes about half a second with two readers."""
MAX_PRESS_WAITS: Final = 1_200
"""Maximum number of waits for one press, which are about a minute."""
BASELINE_ROUNDS: Final = 3
"""Number of rounds at the beginning. Tags that are heard in them lie on the table already, and are ignored."""


class Prompt(NamedTuple):
    """What the technician is asked to do: put a chip on a spot, or press a button. `name` is the spot or the button."""

    kind: Literal["chip", "press"]
    name: str


class Wiring(NamedTuple):
    """The wiring that was found. `missing` has the spots and buttons that were not found, in order."""

    antennas: dict[Antenna, str]
    buttons: dict[Button, str]
    missing: tuple[str, ...]
    serials: Mapping[str, str] = {}
    """Serial number of the device at each port. A device without one is left out."""


class FindDialogue:
    """What was found so far, and what the technician does next. The dialogue uses no device."""

    def __init__(self, spots: Sequence[str], buttons: Sequence[str]) -> None:
        self._prompts = (*(Prompt("chip", spot) for spot in spots), *(Prompt("press", name) for name in buttons))
        self._answers: list[Antenna | Button | None] = []
        """What was found for each prompt so far, or None if it was skipped."""
        self._hits: Counter[Antenna] = Counter()
        self.must_lift_chip = False
        """True if the chip may still lie on another spot. It counts again after a round in which nothing is heard."""

    @property
    def prompt(self) -> Prompt | None:
        """Return what the technician does next, or None at the end."""
        return self._prompts[self.step] if self.step < len(self._prompts) else None

    @property
    def step(self) -> int:
        """Return the number of prompts that were answered or skipped."""
        return len(self._answers)

    @property
    def step_count(self) -> int:
        """Return the number of prompts."""
        return len(self._prompts)

    def hear(self, hearing: Sequence[Antenna]) -> None:
        """Count a round in which these antennas heard a new chip."""
        if not hearing:
            self.must_lift_chip = False
        if self.must_lift_chip or set(self._answers) & set(hearing):
            return
        self._hits.update(hearing)
        ranking = self._hits.most_common(2)
        second = ranking[1][1] if len(ranking) > 1 else 0
        if ranking and ranking[0][1] >= max(MIN_HITS, second + MIN_LEAD):
            self._answer(ranking[0][0])

    def press(self, button: Button) -> None:
        """Take a press as the answer, unless the button is known already."""
        if button not in self._answers:
            self._answer(button)

    def skip(self) -> None:
        """Leave out the spot or button."""
        self._answer(None)

    def back(self) -> None:
        """Forget the last answer and ask for it again. At the beginning, nothing happens."""
        if self._answers:
            self._answers.pop()
            self._hits.clear()
            self.must_lift_chip = True

    def wiring(self, serials: Mapping[str, str]) -> Wiring:
        """Return what was found."""
        found = list(zip(self._prompts, self._answers, strict=False))
        return Wiring(
            {place: prompt.name for prompt, place in found if isinstance(place, Antenna)},
            {place: prompt.name for prompt, place in found if isinstance(place, Button)},
            tuple(prompt.name for prompt, place in found if place is None),
            serials,
        )

    def _answer(self, place: Antenna | Button | None) -> None:
        self._answers.append(place)
        self._hits.clear()


class FindRun:
    """A dialogue with the devices of a table. Each round reads all antennas, or waits for a press."""

    def __init__(self, bench: DeviceBench, spots: Sequence[str], buttons: Sequence[str]) -> None:
        self.dialogue = FindDialogue(spots, buttons)
        self._bench = bench
        self._survey = [
            Antenna(port, number)
            for port, kind in bench.kinds.items()
            if kind != "panel"
            for number in SURVEYED_ANTENNAS
        ]
        self._present = frozenset(
            tag for _ in range(BASELINE_ROUNDS) for antenna in self._survey for tag in bench.read(antenna).tags
        )

    def do_round(self) -> None:
        """Let the dialogue hear one round of readings, or the first press that answers the prompt."""
        step = self.dialogue.step
        if self._is_chip_next():
            self.dialogue.hear([antenna for antenna in self._survey if self._bench.read(antenna).tags - self._present])
            if not self._is_chip_next():
                self._bench.presses()
            return
        for button in self._bench.presses():
            if self.dialogue.step == step:
                self.dialogue.press(button)

    def skip(self) -> None:
        """Leave out the spot or button. Presses from before the first button do not count."""
        was_chip_next = self._is_chip_next()
        self.dialogue.skip()
        if was_chip_next and not self._is_chip_next():
            self._bench.presses()

    def _is_chip_next(self) -> bool:
        prompt = self.dialogue.prompt
        return prompt is not None and prompt.kind == "chip"


def find_wiring(
    bench: DeviceBench, spots: Sequence[str], buttons: Sequence[str], tell: Callable[[Prompt], None]
) -> Wiring:
    """Return the antennas of these spots and the numbers of these buttons.

    `tell` is called with each thing that the technician must do next.
    """
    run = FindRun(bench, spots, buttons)
    dialogue = run.dialogue
    while (prompt := dialogue.prompt) is not None:
        tell(prompt)
        step, max_rounds = dialogue.step, MAX_ROUNDS if prompt.kind == "chip" else MAX_PRESS_WAITS
        for _ in range(max_rounds):
            run.do_round()
            if dialogue.step != step:
                break
        else:
            run.skip()
    return dialogue.wiring(bench.serials)


def find_layout_wiring(bench: DeviceBench, layout: TableLayout, tell: Callable[[Prompt], None]) -> Wiring:
    """Return the wiring of all spots and buttons that the layout has."""
    return find_wiring(bench, layout.spot_antennas.spots, button_names(layout), tell)


def button_names(layout: TableLayout) -> list[str]:
    """Return the names of the buttons of the panel boards."""
    return [name for panel in layout.panels for name in panel.buttons.values()]
