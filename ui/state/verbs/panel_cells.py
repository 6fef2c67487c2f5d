"""The type of a panel key, and the selection of the key for each cell of a panel.

A panel is the set of keys for a seat or for the table. Several keys may have the same cell, but the cell shows only the
first one that is available and accepts the current input. An example is a cell with one key for an entered amount and
another key without an amount.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

from controller.messages import ScreenKey
from controller.steps import Step
from controller.view import SeatView, TableView
from ui.state.main_keys import Key
from ui.state.modes import Confirmation, SeatPick
from ui.state.touch_targets import CardList, CardTab, NamedKey

TAB_KEY_COUNT: Final = 8
"""Maximum number of keys on a tab or in a list of a player's card."""
PANEL_CELL_COUNT: Final = (len(CardTab) + len(CardList)) * TAB_KEY_COUNT
"""Number of cells for keys: eight on each tab and in each list of a card. The menu uses the first eleven cells."""


def on_tab(tab: CardTab | CardList, index: int) -> int:
    """Return the cell of a key on a tab or in a list of a player's card. The index is from 0 to 7."""
    number: int = tab.value
    return number * TAB_KEY_COUNT + index


def is_always_available(view: TableView, seat: SeatView) -> bool:
    """Return True. Keys that are always available use this function."""
    return True


BETWEEN_HANDS: Final = frozenset({"idle", "over"})
"""Phases of the table in which no hand is played."""


@dataclass(frozen=True, slots=True)
class PanelVerb:
    """A possible key of a panel: its cell, its label, the step that it sends, and when it is available.

    `plain_step` builds a step without an amount, and `amount_step` a step with the entered amount. A key may have both.
    In the panel of a seat, both functions also get the seat. If `seat_question` is given, the dealer also touches
    another seat, which becomes the last argument.
    """

    cell: int
    target: NamedKey
    label: ScreenKey
    plain_step: Callable[..., Step] | None = None
    amount_step: Callable[..., Step] | None = None
    is_available: Callable[[TableView, SeatView], bool] = is_always_available
    seat_question: ScreenKey | None = None
    confirmation: ScreenKey | None = None
    """Question that the dealer must confirm before the screen sends the step, or None."""
    takes_name: bool = False
    """True if the step also contains the entered name."""
    detail: ScreenKey | None = None
    """Text in smaller letters below the label, or None."""
    tone: str = "key"

    def accepts_input(self, amount: int | None) -> bool:
        """Return True if the key has a step for this amount. The amount is None if the dealer has entered nothing."""
        return (self.plain_step if amount is None else self.amount_step) is not None


@dataclass(frozen=True, slots=True)
class PanelInput:
    """The input of a panel: the entered amount and name, and the seat. In the panel of the table, the seat is None."""

    seat: int | None
    amount: int | None = None
    name: str = ""


def fill_cells(
    verbs: Iterable[PanelVerb], view: TableView, seat: SeatView, panel_input: PanelInput
) -> tuple[tuple[int, Key], ...]:
    """Return the keys of a panel with their cells. A cell stays empty if no key for it is available."""
    chosen: dict[int, PanelVerb] = {}
    for verb in verbs:
        current = chosen.get(verb.cell)
        fits_better = current is None or (
            not current.accepts_input(panel_input.amount) and verb.accepts_input(panel_input.amount)
        )
        if fits_better and verb.is_available(view, seat):
            chosen[verb.cell] = verb
    return tuple((cell, _panel_key(verb, panel_input)) for cell, verb in sorted(chosen.items()))


def _panel_key(verb: PanelVerb, panel_input: PanelInput) -> Key:
    key = Key(verb.target, verb.label, detail=verb.detail, tone=verb.tone)
    if not verb.accepts_input(panel_input.amount):
        return replace(key, is_enabled=False)
    build = _step_builder(verb, panel_input)
    if verb.seat_question is not None:
        return replace(key, opens_mode=SeatPick(verb.seat_question, build, panel_input.seat))
    if verb.confirmation is not None:
        return replace(key, opens_mode=Confirmation(verb.confirmation, build()))
    return replace(key, step=build())


def _step_builder(verb: PanelVerb, panel_input: PanelInput) -> partial[Step]:
    """Return a function that returns the step with the known arguments: seat, amount and name."""
    build = verb.plain_step if panel_input.amount is None else verb.amount_step
    assert build is not None
    arguments = [value for value in (panel_input.seat, panel_input.amount) if value is not None]
    return (
        partial(build, *arguments, name=panel_input.name)
        if verb.takes_name and panel_input.name
        else partial(build, *arguments)
    )
