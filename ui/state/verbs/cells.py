"""A table of verbs and the cells of a panel: which key stands in each cell, for a seat and what has been typed.

A verb is one line of a table. Several may share a cell: the first of those that make sense now and that suit what is
typed stands there, so that a dealer finds the amount's verbs and the plain ones in the same places every time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Final

from controller.view import SeatView, TableView
from controller.words import ScreenKey
from ui.state.keys import Key
from ui.state.modes import Picking, Sure
from ui.state.targets import NamedKey

CELLS: Final = 15
"""Keys of a panel beside the one that closes it."""


def always(view: TableView, seat: SeatView) -> bool:
    """A verb that makes sense at any time."""
    return True


@dataclass(frozen=True, slots=True)
class Verb:
    """One key of a panel: where it stands, what it says, the step that it makes, and when it makes sense.

    `plain` makes the step from the seat (in the table's own panel: from nothing), `amount` from the seat and what was
    typed; a verb may have both. With `picks`, the question that is asked then, the next seat touched is its last word.
    """

    cell: int
    target: NamedKey
    label: ScreenKey
    plain: Callable[..., str] | None = None
    amount: Callable[..., str] | None = None
    when: Callable[[TableView, SeatView], bool] = always
    picks: ScreenKey | None = None
    sure: ScreenKey | None = None
    """Asked once before it is sent."""
    named: bool = False
    """The step also takes the name that was typed."""
    tone: str = "key"

    def suits(self, amount: int | None) -> bool:
        """Whether it makes something of what is typed, or of nothing typed."""
        return (self.plain if amount is None else self.amount) is not None


@dataclass(frozen=True, slots=True)
class Given:
    """What the keys of a panel are made for: the seat (None for the table's own), the amount and the name typed."""

    seat: int | None
    amount: int | None = None
    name: str = ""


def panel(verbs: Iterable[Verb], view: TableView, seat: SeatView, given: Given) -> tuple[tuple[int, Key], ...]:
    """The keys that stand in the panel, each with its cell; cells where nothing makes sense stay empty."""
    found: dict[int, Verb] = {}
    for verb in verbs:
        first = found.get(verb.cell)
        fits_better = first is None or (not first.suits(given.amount) and verb.suits(given.amount))
        if fits_better and verb.when(view, seat):
            found[verb.cell] = verb
    return tuple((cell, _key(verb, given)) for cell, verb in sorted(found.items()))


def _key(verb: Verb, given: Given) -> Key:
    if not verb.suits(given.amount):
        return Key(verb.target, verb.label, enabled=False, tone=verb.tone)
    do = _step(verb, given)
    if verb.picks is not None:
        return Key(verb.target, verb.label, opens=Picking(verb.picks, do, given.seat), tone=verb.tone)
    if verb.sure is not None:
        return Key(verb.target, verb.label, opens=Sure(verb.sure, do), tone=verb.tone)
    return Key(verb.target, verb.label, do=do, tone=verb.tone)


def _step(verb: Verb, given: Given) -> partial[str]:
    """The step with all that is known of it."""
    make = verb.plain if given.amount is None else verb.amount
    assert make is not None
    known = [value for value in (given.seat, given.amount) if value is not None]
    return partial(make, *known, name=given.name) if verb.named and given.name else partial(make, *known)
