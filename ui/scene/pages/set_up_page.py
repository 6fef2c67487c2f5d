"""Content of the page SET UP, which guides a technician through FIND, ENROLL and TUNE."""

from __future__ import annotations

import textwrap
from typing import Final

from controller.messages import Messages, ScreenKey
from controller.view import pages
from ui.scene.pages.page_layout import Column, LineTone, PageCard, PageContent, TextLine
from ui.state import DenominationKey, SetUpKey

MAX_ERROR_CHARS: Final = 64
"""Maximum number of characters in a line of an error, which names ports and files. The smaller panel has more space."""
_WHOLE_LINE: Final = (Column(1.0),)
_SEAT_BUTTONS: Final = {f"seat{seat}": seat for seat in range(1, 11)}
_TITLES: Final[dict[pages.SetUpTask, ScreenKey]] = {
    "": "title-set-up",
    "find": "set-up-find",
    "enroll": "set-up-enroll",
    "tune": "set-up-tune",
}
_NOTES: Final[dict[pages.SetUpNoteCode, ScreenKey]] = {
    "swapped": "set-up-swapped",
    "moved": "set-up-moved",
    "not-found": "set-up-not-found",
    "height": "set-up-height",
    "listed": "set-up-listed",
    "twice": "set-up-twice",
    "weak": "set-up-weak",
    "dead": "set-up-dead",
    "crossed": "set-up-crossed",
}
_CALM_NOTES: Final = frozenset({"height"})
"""Notes without a problem."""


def set_up_content(page: pages.SetUpPage, denomination: int | None, messages: Messages) -> PageContent:
    """Return the page: what to do next with its keys, or what was found. `denomination` is shown on a pad if given."""
    if denomination is not None and page.stage == "choose":
        return _denomination_pad(denomination, messages)
    note = messages.text("set-up-step", number=page.step + 1, total=page.total) if page.total else ""
    lines = [_line(text, "question") for text in _instructions(page, messages)]
    lines += [_note_line(item, messages) for item in page.notes]
    lines += [_line(text, "warning") for text in textwrap.wrap(page.error, MAX_ERROR_CHARS)]
    lines += [_line(text) for text in _hints(page, messages)]
    return PageContent(messages.text(_TITLES[page.task]), note, tuple(lines), keys=_keys(page, messages))


def _line(text: str, tone: LineTone = "calm") -> TextLine:
    return TextLine(_WHOLE_LINE, (text,), tone)


def _instructions(page: pages.SetUpPage, messages: Messages) -> list[str]:
    """Return what the technician does next."""
    name, count, amount = _name(page.name, messages), page.count, page.amount
    match page.stage:
        case "opening":
            return [messages.text("set-up-opening")]
        case "lift":
            return [messages.text("set-up-lift")]
        case "chip":
            return [messages.text("set-up-chip", name=name)]
        case "press":
            return [messages.text("set-up-press", name=name)]
        case "pile":
            return [messages.text("set-up-pile", name=name), messages.text("set-up-taken", amount=amount, number=count)]
        case "counted":
            return [messages.text("set-up-counted", number=count)]
        case "stack":
            return [messages.text("set-up-stack", name=name, number=count)]
        case "measuring":
            return [messages.text("set-up-measuring", name=name)]
        case "result" if page.task == "enroll" and not page.error:
            return [messages.text("set-up-taken", amount=amount, number=count)]
        case "result" if not page.notes and not page.error:
            return [messages.text("set-up-same")]
        case "written":
            return [messages.text("set-up-written", path=page.path)]
    return []


def _hints(page: pages.SetUpPage, messages: Messages) -> list[str]:
    """Return the lines below: what each task does, what the keys do, or how to use a written file."""
    keys: list[ScreenKey] = []
    match page.stage:
        case "choose":
            keys = ["set-up-about-find", "set-up-about-enroll", "set-up-about-tune", "set-up-no-readers"]
        case "lift" | "chip" | "press":
            keys = ["set-up-hint-skip", "set-up-no-readers"]
        case "stack" if not page.step:
            keys = ["set-up-hint-clear", "set-up-no-readers"]
        case "pile" | "counted" | "stack" | "measuring" | "opening":
            keys = ["set-up-no-readers"]
        case "result" if page.can_write:
            keys = ["set-up-ask-write"]
        case "written" if page.task == "enroll":
            keys = ["set-up-sign"]
        case "written" if page.copy_to:
            copy = messages.text("set-up-copy", path=page.path, target=page.copy_to)
            return [copy, messages.text("set-up-restart")]
        case "written":
            keys = ["set-up-restart"]
    return [messages.text(key) for key in keys]


def _note_line(note: pages.SetUpNote, messages: Messages) -> TextLine:
    text = messages.text(
        _NOTES[note.code],
        name=_name(note.name, messages),
        other=_name(note.other, messages),
        place=note.place,
        number=note.height,
    )
    return _line(text, "calm" if note.code in _CALM_NOTES else "warning")


def _name(name: str, messages: Messages) -> str:
    """Return the name of a spot or of a seat's button in the language of the screen. Leave other names as they are."""
    if name in _SEAT_BUTTONS:
        return messages.text("seat-button", seat=_SEAT_BUTTONS[name])
    return messages.spot(name) if name else ""


def _keys(page: pages.SetUpPage, messages: Messages) -> tuple[PageCard, ...]:
    """Return the keys at the lower edge. CANCEL gives the readers back to the table."""
    step, cancel = page.step, PageCard(SetUpKey("cancel"), messages.text("cancel"), tone="quiet")

    def card(word: str, label: ScreenKey, *, tone: str = "key", is_enabled: bool = True) -> PageCard:
        return PageCard(SetUpKey(word, step), messages.text(label), tone=tone, is_enabled=is_enabled)  # type: ignore[arg-type]  # The callers pass only known words.

    match page.stage:
        case "choose":
            return card("find", "set-up-find"), card("enroll", "set-up-enroll"), card("tune", "set-up-tune")
        case "lift" | "chip" | "press":
            return card("skip", "set-up-skip"), card("back", "set-up-back", is_enabled=step > 0), cancel
        case "pile":
            finish = card("finish", "set-up-finish", is_enabled=page.count > 0)
            return card("ready", "set-up-count", tone="main"), finish, cancel
        case "counted":
            take = card("take", "set-up-take", tone="main", is_enabled=page.count > 0)
            return take, card("skip", "set-up-again"), cancel
        case "stack":
            return card("ready", "set-up-ready", tone="main"), card("skip", "set-up-skip"), cancel
        case "result" if page.can_write:
            return card("write", "set-up-write", tone="main"), card("discard", "set-up-discard")
        case "result" | "written":
            return (card("discard", "set-up-done", tone="main"),)
    return (cancel,)


def _denomination_pad(denomination: int, messages: Messages) -> PageContent:
    """Return the pad for the denomination of new chips."""
    digits = [PageCard(DenominationKey(digit), str(digit)) for digit in (1, 2, 3, 4, 5, 6, 7, 8, 9)]
    delete = PageCard(DenominationKey(), messages.text("delete"), tone="quiet")
    start = PageCard(SetUpKey("enroll", denomination), messages.text("ok"), tone="main", is_enabled=bool(denomination))
    shown = messages.text("set-up-denomination", amount=denomination)
    return PageContent(
        messages.text("set-up-enroll"), shown, cards=(*digits, delete, PageCard(DenominationKey(0), "0"), start)
    )
