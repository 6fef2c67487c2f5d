"""A table without socket, window or sensors: a screen, and what comes of its touches."""

from __future__ import annotations

from collections.abc import Iterable

from controller.config import read_config
from controller.live import Live, Setup, obey
from controller.presenter import refused, show
from controller.rules import Refusal
from controller.service.looks import Look, asked
from controller.service.looks.asked import OfAward, OfTable
from controller.service.looks.award import award_page
from controller.service.looks.games import games_page
from controller.table import parse
from controller.view import Page, Refused, ReportPage, TableView
from ui import state
from ui.scene import lay_out
from ui.state import Digit, Letter, Screen, Target

SECOND_US = 1_000_000
STACKS = "{ 1 = 1000, 2 = 1000, 3 = 1000, 4 = 1000, 5 = 1000, 6 = 1000 }"


class ByTouch:
    """One table. Every touch must be on something that can be touched on the picture at that moment."""

    def __init__(self, game: str, *, stacks: str = STACKS, button: int = 1, trays: bool = False) -> None:
        config = read_config(f"button = {button}\nstacks = {stacks}\n[game]\n{game}\n")
        self.live = Live(Setup(trays=trays), config.table)
        self.sent: list[str] = []
        """Steps that touches sent."""
        self.refused: list[Refusal] = []
        self._now_us, self._sequence = SECOND_US, 0
        self.screen = Screen()
        self._show()

    @property
    def view(self) -> TableView:
        assert self.screen.view is not None
        return self.screen.view

    def do(self, *lines: str) -> ByTouch:
        """What came before: each step must be taken."""
        for line in lines:
            assert self._obey(line) is None, (line, self.refused[-1])
        return self

    def touch(self, *targets: Target) -> list[str]:
        """Touches one after the other; the steps that they sent, without what they only asked to look at."""
        before = len(self.sent)
        for target in targets:
            there = {one.target for one in lay_out(self.screen).touchables}
            assert target in there, f"{target} cannot be touched"
            self.screen, sending = state.press(self.screen, target)
            if sending is None:
                continue
            look = asked(sending.do)
            if look is not None:
                self._looks(look)
            else:
                self.sent.append(sending.do)
                self._obey(sending.do)
        return self.sent[before:]

    def _looks(self, look: Look) -> None:
        """What is asked for is there at once: what an award would give, the games, an empty report."""
        page: Page | Refused = ReportPage()
        if isinstance(look, OfAward):
            page = award_page(self.live.table, look.award)
        elif look == OfTable("games"):
            page = games_page(self.live.table)
        if isinstance(page, Refused):
            self.screen = state.refuse(self.screen, page)
        else:
            self.screen = state.answered(self.screen, page)

    def _obey(self, line: str) -> Refusal | None:
        self._now_us += SECOND_US
        change = obey(self.live, parse(line), self._now_us)
        self.live = change.live
        if change.refused is not None:
            self.refused.append(change.refused)
            self.screen = state.refuse(self.screen, refused(change.refused))
            return change.refused
        self._show()
        return None

    def _show(self) -> None:
        self._sequence += 1
        self.screen = state.show(self.screen, show(self.live, self._sequence))


def digits(amount: int) -> list[Target]:
    """The touches that type an amount."""
    keys: dict[str, Target] = {str(number): Digit(key) for number, key in enumerate(_DIGITS)}
    return [keys[figure] for figure in str(amount)]


_DIGITS: tuple[state.PadKey, ...] = ("0", "1", "2", "3", "4", "5", "6", "7", "8", "9")


def besides_digits(targets: Iterable[Target]) -> int:
    """How many touches there are but the digits of an amount and the letters of a name."""
    return sum(not isinstance(target, Digit | Letter) for target in targets)
