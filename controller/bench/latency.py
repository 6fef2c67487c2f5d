"""How long from the chips to the table: what air, wire and sweep take, and what the software adds.

Air, wire, sweep and settling are measured in simulated time with the real drivers (`landings.py`), the software in real
time on ptys with FEIG readers (`host.py`). What no software changes is the floor: three equal readings (readers.md, 1).
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from controller.bench.host import flush_us, measure_host
from controller.bench.landings import LATENCY_SCENES, Scene, at_share, land
from hardware.layout import Layout, Technology, peppers, reference
from hardware.simulated.floor import floor_us

LANDINGS: Final = 300
FEW_CHIPS_LANDINGS: Final = 1_200
"""Of a few chips at the seat in turn, the scene that is judged by its p99: of 300 that is the fourth longest, which one
late answer more or less moves by a seventh of the floor."""
FEW_CHIPS: Final = 5
WAGERS: Final = 24
"""Of each technology; two seconds each."""
QUICK_LANDINGS: Final = 20
QUICK_WAGERS: Final = 2
TECHNOLOGIES: Final[tuple[Technology, ...]] = ("iso15693", "mode3")

Progress = Callable[[int, int], None]


class Rigged(NamedTuple):
    """A table that is measured."""

    reader: str
    technology: Technology
    layout: Layout


def rigged() -> tuple[Rigged, ...]:
    """Each reader with each technology that it reads."""
    return (
        *(Rigged("feig", technology, reference().with_tags(technology)) for technology in TECHNOLOGIES),
        Rigged("pepper", "iso15693", peppers()),
    )


def landings_of(scene: Scene, quick: bool = False) -> int:
    """How often chips land in this scene."""
    if quick:
        return QUICK_LANDINGS
    is_judged = scene.in_turn and scene.spots == 1 and scene.chips <= FEW_CHIPS
    return FEW_CHIPS_LANDINGS if is_judged else LANDINGS


def measure_latency(quick: bool = False, seed: int = 1, progress: Progress | None = None) -> list[dict[str, Any]]:
    """A row for each reader, technology and scenario, times in milliseconds.

    `floor_ms`: three equal readings without pause. `p50_ms`, `p99_ms`: from chips that land at any moment, with usual
    noise, to `StackSeen`, in simulated time. `host_p50_ms`, `host_p99_ms`: from the last byte of the third equal
    reading to the view on the socket, in real time, for as many chips of that technology, with FEIG readers whatever
    the row's reader is. `flush_p99_ms`: a commit of the journal. `progress` is told how much is done of how much.
    Raises TimeoutError where the table does not answer.
    """
    tables, wagers = rigged(), QUICK_WAGERS if quick else WAGERS
    steps = len(tables) * len(LATENCY_SCENES) + len(TECHNOLOGIES)
    done = 0

    def step() -> None:
        nonlocal done
        done += 1
        if progress is not None:
            progress(done, steps)

    host: dict[tuple[str, int], list[int]] = {}
    for technology in TECHNOLOGIES:
        for chips, values in measure_host(technology, wagers).views.items():
            host[technology, chips] = values
        step()
    with tempfile.TemporaryDirectory(prefix="potkeeper-bench-") as name:
        flushes = flush_us(Path(name) / "flush.db")
    rows = []
    for table in tables:
        for scene in LATENCY_SCENES:
            values = land(table.layout, scene, landings_of(scene, quick), seed=seed).seen_us
            floor = floor_us(table.layout, table.layout.readers[0], scene.chips)
            rows.append(
                {
                    "reader": table.reader,
                    "technology": table.technology,
                    "scenario": scene.name,
                    "floor_ms": _ms(floor),
                    "p50_ms": _ms(at_share(values, 0.5)),
                    "p99_ms": _ms(at_share(values, 0.99)),
                    **_host(host, table.technology, scene.chips),
                    "flush_p99_ms": _ms(at_share(flushes, 0.99)),
                }
            )
            step()
    return rows


def _host(host: Mapping[tuple[str, int], list[int]], technology: str, chips: int) -> dict[str, float]:
    values = host.get((technology, chips)) or [value for values in host.values() for value in values]
    return {"host_p50_ms": _ms(at_share(values, 0.5)), "host_p99_ms": _ms(at_share(values, 0.99))}


def _ms(value_us: int) -> float:
    return round(value_us / 1000, 2)
