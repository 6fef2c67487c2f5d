"""What opens a page, what touches on it do, what the service answers, and when it closes by itself."""

from __future__ import annotations

from dataclasses import replace

from controller.view import AwardPage, Page
from ui.state import sending
from ui.state.modes import NORMAL, Naming
from ui.state.pages.keyboard import KeyboardKey, Letter, type_letter, type_other
from ui.state.pages.page import LookAt, OpenPage, PageKey, is_answer
from ui.state.screen import Screen, shares_told
from ui.state.sending import Sending

LINES_A_TOUCH = 6
"""How far UP and DOWN go: less than any page holds, so that the eye keeps its place."""
ONCE: frozenset[str] = frozenset({"phh", "games"})
"""What does not change while it is looked at: a hand that has ended, what is configured."""
MOVES_BY_ITSELF: frozenset[str] = frozenset({"devices"})
"""What changes without a new view."""


def look_at(screen: Screen, look: LookAt) -> tuple[Screen, Sending]:
    """Opens a page and asks for what is on it."""
    asked = screen.view.sequence if screen.view is not None else 0
    return replace(screen, page=OpenPage(look, asked=asked), mode=NORMAL, sent_from=NORMAL), _asking(look)


def _asking(look: LookAt) -> Sending:
    return Sending(sending.look(look.kind, look.hand), 0)


def asks_again(screen: Screen) -> tuple[Screen, Sending | None]:
    """To be called once a second: asks anew for what may have changed on the page that is open."""
    page, view = screen.page, screen.view
    if page is None or view is None or not screen.live:
        return screen, None
    if page.answer is not None and page.look.kind in ONCE:
        return screen, None
    if page.asked == view.sequence and page.look.kind not in MOVES_BY_ITSELF:
        return screen, None
    return replace(screen, page=replace(page, asked=view.sequence)), _asking(page.look)


def asks_at_once(before: Screen, screen: Screen) -> tuple[Screen, Sending | None]:
    """To be called with every view: closing or opening the table moves every stack, and who watches the accounts does
    not wait for that."""
    old, new = before.view, screen.view
    if old is None or new is None or old.closed == new.closed:
        return screen, None
    return asks_again(screen)


def answered(screen: Screen, answer: Page) -> Screen:
    """What was asked for has come; for a page that is closed by now, or another, it is nothing."""
    if isinstance(answer, AwardPage):
        return shares_told(screen, answer)
    page = screen.page
    if page is None or not is_answer(page, answer):
        return screen
    return replace(screen, page=replace(page, answer=answer))


def press_page(screen: Screen, target: LookAt | PageKey | Letter | KeyboardKey) -> tuple[Screen, Sending | None]:
    """A touch on what opens a page, on a key of one, or on the keyboard."""
    match target:
        case LookAt():
            return look_at(screen, target)
        case PageKey():
            return _turned(screen, target), None
        case _:
            return _typed(screen, target), None


def _turned(screen: Screen, key: PageKey) -> Screen:
    page = screen.page
    if page is None or key is PageKey.CLOSE:
        return replace(screen, page=None)
    step = LINES_A_TOUCH if key is PageKey.DOWN else -LINES_A_TOUCH
    return replace(screen, page=replace(page, first=max(0, page.first + step)))


def _typed(screen: Screen, key: Letter | KeyboardKey) -> Screen:
    mode = screen.mode
    if not isinstance(mode, Naming):
        return screen
    change = type_letter(mode.typing, key) if isinstance(key, Letter) else type_other(mode.typing, key)
    return replace(screen, mode=replace(mode, typing=change))


def name_typed(screen: Screen, naming: Naming) -> tuple[Screen, str | None]:
    """OK on the keyboard: back to the keys of the seat with the name, or the step that it was typed for."""
    if naming.step is not None:
        name = naming.typing.name
        return (replace(screen, mode=NORMAL), naming.step(name)) if name else (screen, None)
    back = replace(naming.back, name=naming.typing.name) if naming.back is not None else NORMAL
    return replace(screen, mode=back), None
