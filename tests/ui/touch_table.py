"""A table and its screen without a socket, a window or sensors. A test touches the targets of this screen."""

from __future__ import annotations

from collections.abc import Iterable

from controller.config import parse_config
from controller.live import Live, TableSetup, handle_command
from controller.presenter import build_refusal_view, build_table_view
from controller.rules import Refusal
from controller.service.queries import Query, parse_query
from controller.service.queries.award_preview import award_page
from controller.service.queries.game_page import games_page
from controller.service.queries.requests import AwardQuery, TableQuery
from controller.steps import parse_step
from controller.view import (
    RefusalView,
    TableView,
    pages,
)
from ui import state
from ui.scene import lay_out_scene
from ui.state import LetterKey, PadDigit, ScreenState, Target

SECOND_US = 1_000_000
STACKS = "{ 1 = 1000, 2 = 1000, 3 = 1000, 4 = 1000, 5 = 1000, 6 = 1000 }"


class TouchTable:
    """A table with its screen. Each touch must be on a target that the screen shows at that moment."""

    def __init__(self, game: str, *, stacks: str = STACKS, button: int = 1, trays: bool = False) -> None:
        config = parse_config(f"button = {button}\nstacks = {stacks}\n[game]\n{game}\n")
        self.live = Live(TableSetup(has_sensors=trays), config.table)
        self.sent: list[str] = []
        """Steps that the touches have sent."""
        self.refused: list[Refusal] = []
        self._now_us, self._sequence = SECOND_US, 0
        self.screen = ScreenState()
        self._show()

    @property
    def view(self) -> TableView:
        """Return the view that the screen shows."""
        assert self.screen.view is not None
        return self.screen.view

    def do(self, *lines: str) -> TouchTable:
        """Apply steps before the first touch. Fail if the table refuses a step."""
        for line in lines:
            assert self._apply_step(line) is None, (line, self.refused[-1])
        return self

    def touch(self, *targets: Target) -> list[str]:
        """Touch the targets one after the other and return the steps that they sent, without queries."""
        sent_before = len(self.sent)
        for target in targets:
            targets_shown = {shown for area in lay_out_scene(self.screen).touch_areas for shown in area.targets}
            assert target in targets_shown, f"{target} cannot be touched"
            self.screen, command = state.press_target(self.screen, target)
            if command is None:
                continue
            query = parse_query(command.do)
            if query is not None:
                self.screen = self.answer_query(self.screen, query)
            else:
                self.sent.append(command.do)
                self._apply_step(command.do)
        return self.sent[sent_before:]

    def answer_query(self, screen: ScreenState, query: Query) -> ScreenState:
        """Return the screen with the answer to a query: the shares of an award, the games, or an empty report."""
        page: pages.Page | RefusalView = pages.ReportPage()
        if isinstance(query, AwardQuery):
            page = award_page(self.live.table, query.award)
        elif query == TableQuery("games"):
            page = games_page(self.live.table)
        if isinstance(page, RefusalView):
            return state.show_refusal(screen, page)
        return state.page_actions.receive_page(screen, page)

    def _apply_step(self, line: str) -> Refusal | None:
        self._now_us += SECOND_US
        result = handle_command(self.live, parse_step(line), self._now_us)
        self.live = result.live
        if result.refusal is not None:
            self.refused.append(result.refusal)
            self.screen = state.show_refusal(self.screen, build_refusal_view(result.refusal))
            return result.refusal
        self._show()
        return None

    def _show(self) -> None:
        self._sequence += 1
        self.screen = state.show_view(self.screen, build_table_view(self.live, self._sequence))


def digit_touches(amount: int) -> list[Target]:
    """Return the touches that enter an amount."""
    keys: dict[str, Target] = {str(number): PadDigit(key) for number, key in enumerate(_DIGIT_KEYS)}
    return [keys[digit] for digit in str(amount)]


_DIGIT_KEYS: tuple[state.amount_entry.PadKey, ...] = ("0", "1", "2", "3", "4", "5", "6", "7", "8", "9")


def count_untyped(targets: Iterable[Target]) -> int:
    """Return the number of touches. The digits of an amount and the letters of a name are not counted."""
    return sum(not isinstance(target, PadDigit | LetterKey) for target in targets)
