"""The actions of a page: send queries, handle touches on keys, show replies, and refresh the content."""

from __future__ import annotations

from dataclasses import replace

from controller.messages import languages
from controller.steps import Step
from controller.view import (
    pages,
)
from ui.settings import SettingKey, next_setting
from ui.state.commands import OutgoingCommand, page_query, set_up_command
from ui.state.modes import NORMAL, NameEntry
from ui.state.name_entry import KeyboardKey, LetterKey, press_keyboard_key, press_letter
from ui.state.page_state import (
    SETTINGS_REQUEST,
    DenominationKey,
    OpenPage,
    PageKey,
    PageRequest,
    SetUpKey,
    answers_request,
)
from ui.state.screen import ScreenState, show_award_shares

SCROLL_LINES = 6
"""Number of lines by which UP and DOWN scroll a page. Some lines stay visible, because a page shows more lines than
that."""
MAX_DENOMINATION = 99_999_999
"""Maximum denomination that can be entered, which is more than any chip is worth."""
STATIC_PAGES: frozenset[str] = frozenset({"phh", "games"})
"""Kinds of page with content that never changes: a completed hand, and the configured games."""
CHANGING_PAGES: frozenset[str] = frozenset({"devices", "set-up"})
"""Kinds of page with content that changes even if the view does not change."""


def request_page(screen: ScreenState, request: PageRequest) -> tuple[ScreenState, OutgoingCommand]:
    """Open a page and return the query for its content."""
    sequence = screen.view.sequence if screen.view is not None else 0
    return replace(
        screen, page=OpenPage(request, requested_sequence=sequence), mode=NORMAL, sent_from_mode=NORMAL
    ), _page_query(request)


def _page_query(request: PageRequest) -> OutgoingCommand:
    return OutgoingCommand(page_query(request.kind, request.hand), 0)


def refresh_page(screen: ScreenState) -> tuple[ScreenState, OutgoingCommand | None]:
    """Return a query for the open page if its content may have changed. The caller repeats this once a second."""
    page, view = screen.page, screen.view
    if page is None or view is None or not screen.is_live:
        return screen, None
    if page.request == SETTINGS_REQUEST or (page.content is not None and page.request.kind in STATIC_PAGES):
        return screen, None
    if page.requested_sequence == view.sequence and page.request.kind not in CHANGING_PAGES:
        return screen, None
    return replace(screen, page=replace(page, requested_sequence=view.sequence)), _page_query(page.request)


def refresh_on_view(previous: ScreenState, screen: ScreenState) -> tuple[ScreenState, OutgoingCommand | None]:
    """Return a query for the open page if the table was just opened or closed. The caller repeats this for every view.

    Opening or closing the table changes every stack, so the page with the accounts should not wait for its next
    refresh.
    """
    old_view, new_view = previous.view, screen.view
    if old_view is None or new_view is None or old_view.is_closed == new_view.is_closed:
        return screen, None
    return refresh_page(screen)


def receive_page(screen: ScreenState, answer: pages.Page) -> ScreenState:
    """Show the reply to a query. Ignore the reply if its page is no longer open."""
    if isinstance(answer, pages.AwardPage):
        return show_award_shares(screen, answer)
    page = screen.page
    if page is None or not answers_request(page, answer):
        return screen
    return replace(screen, page=replace(page, content=answer))


def press_page(
    screen: ScreenState,
    target: PageRequest | PageKey | LetterKey | KeyboardKey | SettingKey | SetUpKey | DenominationKey,
) -> tuple[ScreenState, OutgoingCommand | None]:
    """Handle a touch on a key that opens a page, on a key of a page, or on the keyboard."""
    match target:
        case PageRequest() if target == SETTINGS_REQUEST:
            return replace(screen, page=OpenPage(target), mode=NORMAL, sent_from_mode=NORMAL), None
        case PageRequest():
            return request_page(screen, target)
        case SettingKey():
            return replace(screen, settings=next_setting(screen.settings, target, languages())), None
        case SetUpKey("enroll", 0):  # The pad must be filled in first.
            return _enter_denomination(screen, 0), None
        case SetUpKey():
            return _enter_denomination(screen, None), OutgoingCommand(set_up_command(target.word, target.number), 0)
        case DenominationKey():
            typed = screen.page.denomination or 0 if screen.page is not None else 0
            digits = typed // 10 if target.digit is None else min(typed * 10 + target.digit, MAX_DENOMINATION)
            return _enter_denomination(screen, digits), None
        case PageKey():
            return _scroll_or_close(screen, target), None
        case _:
            return _press_keyboard(screen, target), None


def _enter_denomination(screen: ScreenState, denomination: int | None) -> ScreenState:
    page = screen.page
    return screen if page is None else replace(screen, page=replace(page, denomination=denomination))


def _scroll_or_close(screen: ScreenState, key: PageKey) -> ScreenState:
    page = screen.page
    if page is None or key is PageKey.CLOSE:
        return replace(screen, page=None)
    line_count = SCROLL_LINES if key is PageKey.DOWN else -SCROLL_LINES
    return replace(screen, page=replace(page, first_line=max(0, page.first_line + line_count)))


def _press_keyboard(screen: ScreenState, key: LetterKey | KeyboardKey) -> ScreenState:
    mode = screen.mode
    if not isinstance(mode, NameEntry):
        return screen
    typed = press_letter(mode.typed, key) if isinstance(key, LetterKey) else press_keyboard_key(mode.typed, key)
    return replace(screen, mode=replace(mode, typed=typed))


def finish_name(screen: ScreenState, entry: NameEntry) -> tuple[ScreenState, Step | None]:
    """Handle OK on the keyboard. Open the keys of the seat with the name, or return a step with the name."""
    name = entry.typed.name.strip()
    if entry.step is not None:
        return screen, entry.step(name) if name else None
    mode = replace(entry.return_to, name=name) if entry.return_to is not None else NORMAL
    return replace(screen, mode=mode), None
