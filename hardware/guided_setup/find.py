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


def find_wiring(
    bench: DeviceBench, spots: Sequence[str], buttons: Sequence[str], tell: Callable[[Prompt], None]
) -> Wiring:
    """Return the antennas of these spots and the numbers of these buttons.

    `tell` is called with each thing that the technician must do next.
    """
    survey = [
        Antenna(port, number) for port, kind in bench.kinds.items() if kind != "panel" for number in SURVEYED_ANTENNAS
    ]
    present = frozenset(tag for _ in range(BASELINE_ROUNDS) for antenna in survey for tag in bench.read(antenna).tags)
    antennas: dict[Antenna, str] = {}
    missing: list[str] = []
    for spot in spots:
        tell(Prompt("chip", spot))
        antenna = _find_antenna(bench, survey, present, antennas)
        if antenna is None:
            missing.append(spot)
        else:
            antennas[antenna] = spot
    found: dict[Button, str] = {}
    bench.presses()
    for name in buttons:
        tell(Prompt("press", name))
        button = _find_button(bench, found)
        if button is None:
            missing.append(name)
        else:
            found[button] = name
    return Wiring(antennas, found, tuple(missing), bench.serials)


def find_layout_wiring(bench: DeviceBench, layout: TableLayout, tell: Callable[[Prompt], None]) -> Wiring:
    """Return the wiring of all spots and buttons that the layout has."""
    buttons = [name for panel in layout.panels for name in panel.buttons.values()]
    return find_wiring(bench, layout.spot_antennas.spots, buttons, tell)


def _find_antenna(
    bench: DeviceBench, survey: Sequence[Antenna], present: frozenset[str], known: dict[Antenna, str]
) -> Antenna | None:
    """Return the antenna that hears a new chip, or None if no antenna does, or if two hear it alike."""
    hits: Counter[Antenna] = Counter()
    for _ in range(MAX_ROUNDS):
        hearing = [antenna for antenna in survey if bench.read(antenna).tags - present]
        if known.keys() & set(hearing):
            continue
        hits.update(hearing)
        ranking = hits.most_common(2)
        second = ranking[1][1] if len(ranking) > 1 else 0
        if ranking and ranking[0][1] >= max(MIN_HITS, second + MIN_LEAD):
            return ranking[0][0]
    return None


def _find_button(bench: DeviceBench, known: dict[Button, str]) -> Button | None:
    """Return the next button that is pressed and not known yet, or None if nobody presses one."""
    for _ in range(MAX_PRESS_WAITS):
        for button in bench.presses():
            if button not in known:
                return button
    return None
