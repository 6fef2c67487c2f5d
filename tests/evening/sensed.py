"""The evening at a table with sensors: which of its steps chips tell by themselves, and what is left to key.

Chips tell calls, bets and raises. Folds and checks before them are told by the answer to "6, 1 folded?"; those at the
end of a round by the deal key and the answer to "too early?", before a pot is given by CLOSE THE STREET; else by a
touch on the seat that has the turn. What was keyed wrong is not wrong here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from controller.scripts import STEP_US, begin, happens
from controller.scripts import Scene as Playing
from controller.simulation.people import SWEEPS, speaks_for_itself
from controller.table import Awards, Deals, Declares, Moves, Note, Returns, Step, Table, declared_chips, parse
from tests.evening.by_step import Touched, as_script
from tests.ui.evening import Scene
from ui.state import Answer, NamedKey, Seat, Target

RIGHT_AT_ONCE: Final = {"2 raise to 20": "2 raise to 30", "2 was 30": ""}
"""What trays read otherwise than it was keyed without them."""
N: Final = NamedKey
YES: Final = Answer(0)
"""The likely answer, which stands first."""


class Deed(NamedTuple):
    """What hands, the dealer's keys and touches do, in this order; then chips lie where the table says."""

    scene: Scene
    table: Table
    """As the rules have it afterwards."""
    chips: Moves | None = None
    keys: tuple[str, ...] = ()
    touches: tuple[Target, ...] = ()
    asks: bool = False
    """A question about it is open still: the table is not shown like that yet."""
    chips_follow: bool = False
    """Words of a seat, whose chips come after them; or chips that are pushed back."""
    sweeps: bool = False
    """Chips are taken off the spots."""


def as_sensed(steps: Sequence[Touched]) -> list[Touched]:
    """The steps as they are where trays read what lies there."""
    return [one._replace(do=RIGHT_AT_ONCE.get(one.do, one.do)) for one in steps if RIGHT_AT_ONCE.get(one.do) != ""]


def deeds(steps: Sequence[Touched]) -> Iterator[Deed]:
    """What is done for these steps, one after the other."""
    playing, silent = Playing(begin(as_script(()))), list[Touched]()
    for number, one in enumerate(steps):
        step, before = parse(one.do), playing.table
        if not isinstance(step, Note):
            playing, _ = happens(playing, step, (number + 1) * STEP_US)
        if isinstance(step, Declares) and step.declaration.kind in ("fold", "check"):
            silent.append(one)
            continue
        following = steps[number + 1] if number + 1 < len(steps) else None
        deed = Deed(
            one.scene,
            playing.table,
            touches=one.touches,
            asks=following is not None and isinstance(parse(following.do), Note),
            chips_follow=isinstance(step, Declares),
            sweeps=isinstance(step, SWEEPS),
        )
        yield from _with(deed, step, before, [parse(each.do) for each in silent])
        silent.clear()


def _with(deed: Deed, step: Step, before: Table, silent: list[Step]) -> Iterator[Deed]:
    """The deed, and the folds and checks that came before it."""
    motion = _told_by_chips(step, before)
    if motion is not None:
        yield deed._replace(chips=motion, touches=(YES,) if silent else (), chips_follow=False)
        return
    if silent and not before.street.held and isinstance(step, Deals):
        yield deed._replace(keys=("deal",), touches=(YES,))
        return
    if silent and not before.street.held and isinstance(step, Awards):
        yield deed._replace(table=before, touches=(N.TABLE, N.CLOSING), sweeps=False)
        silent = []
    if len(silent) > 1 and before.hand is not None:
        yield deed._replace(table=before, touches=(Seat(before.hand.turn),), asks=True)  # the action is there
        silent = []
    for each in silent:
        assert isinstance(each, Declares)
        yield deed._replace(keys=("fold" if each.declaration.kind == "fold" else "check-call",), touches=(), asks=True)
    if isinstance(step, Returns):
        yield deed._replace(touches=(), chips_follow=True)
    elif isinstance(step, Deals):
        yield deed._replace(keys=("deal",), touches=())
    else:
        yield deed


def _told_by_chips(step: Step, before: Table) -> Moves | None:
    """The motion that says all of the step, if one does."""
    if isinstance(step, Moves):
        return step
    if not isinstance(step, Declares):
        return None
    motion = declared_chips(before, step)
    is_early = before.hand is not None and step.seat != before.hand.turn
    says_it = motion is not None and (is_early or speaks_for_itself(before.hand, step, motion.forward))
    return motion if says_it else None
