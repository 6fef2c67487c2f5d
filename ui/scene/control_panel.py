"""The lower part of the screen, with its numbers and keys in every mode.

Some modes show a number pad, the keys of a seat, or the keys for the award of a pot.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final, NamedTuple

from controller.messages import Messages, ScreenKey
from controller.view import ActionView, Alert, Choice, StepSummary, TableView
from ui.scene import situation_panel, text_layout
from ui.scene.boxes import Box, span
from ui.scene.layout import ScreenLayout
from ui.scene.text_layout import format_seat_ranges
from ui.scene.tokens import KEY_TEXT_MARGINS, USUAL_CHIP_COLOURS
from ui.scene.touch_filter import TouchArea
from ui.scene.view_models import pots_with_winners
from ui.state import (
    TAB_KEY_COUNT,
    AwardBoard,
    AwardPart,
    CardTab,
    ChipKey,
    NamedKey,
    PadDigit,
    PotChoice,
    QuickAmount,
    QuickBetKey,
    ScreenState,
    SeatKey,
    Target,
    amount_entry,
    award_entry,
    card_tabs,
    floor_keys,
    is_pot_visible,
    main_keys,
    modes,
    page_state,
    seat_keys,
    table_keys,
)

FLOOR_KEY_CACHE_SIZE: Final = 32
"""Maximum number of cached keys that call the floor: a few places in each language."""


class PlacedKey(NamedTuple):
    """A key with its texts and its place."""

    target: Target
    box: Box
    label: str
    detail: str = ""
    tone: str = "key"
    is_enabled: bool = True
    effect: object = None
    """Value that changes if a touch on the key would send another command. Keys with equal values send the same
    command."""


@dataclass(frozen=True, slots=True)
class EntryField:
    """The field that shows the entered amount, or the selected winners of a pot."""

    title: str
    value: str
    hint: str
    box: Box


@dataclass(frozen=True, slots=True)
class ControlPanel:
    """The content of the lower part of the screen."""

    keys: tuple[PlacedKey, ...]
    entry_field: EntryField | None = None
    number_touch_areas: tuple[TouchArea, ...] = ()
    """Touch areas of the shown numbers, such as the smallest raise. A touch on a number enters it as an amount."""
    covers_numbers: bool = False
    """True if the keys cover the amount to call, the smallest raise and the largest raise."""


MENU_PAGES: Final[dict[page_state.PageRequest, ScreenKey]] = {
    page_state.HANDS_REQUEST: "menu-records",
    page_state.GAMES_REQUEST: "tab-games",
}
"""The pages that the menu opens. All other pages are one touch from these."""


def lay_out_control_panel(
    screen: ScreenState, view: TableView, floor_call: Alert | None, messages: Messages, layout: ScreenLayout
) -> ControlPanel:
    """Return the lower part of the screen in the current mode, such as the entry of an amount, with CALL FLOOR.

    `floor_call` is the alert about a call for the floor, or None.
    """
    panel = _panel_of_mode(screen, view, messages, layout)
    has_pad = isinstance(screen.mode, modes.SeatPanel | modes.TablePanel | modes.FloorPanel | modes.WagerEntry)
    floor_box = layout.floor_key_beside_pad if has_pad else layout.service_keys[1]
    floor_key = floor_key_in(floor_call, floor_box, messages)
    if has_pad and floor_key.detail:  # There is space for one of the two texts.
        floor_key = floor_key._replace(label=floor_key.detail, detail="")
    return replace(panel, keys=(*panel.keys, floor_key))


@lru_cache(FLOOR_KEY_CACHE_SIZE)
def floor_key_in(floor_call: Alert | None, box: Box, messages: Messages) -> PlacedKey:
    """Return CALL FLOOR in this place. `floor_call` is the alert about a call for the floor, or None."""
    (key,) = place_keys([main_keys.call_floor_key(floor_call)], [box], messages)
    return key


def _panel_of_mode(screen: ScreenState, view: TableView, messages: Messages, layout: ScreenLayout) -> ControlPanel:
    """Return the content of the current mode."""
    match screen.mode:
        case modes.SeatPanel() as mode:
            title = messages.text("seat-keys-named" if mode.name else "seat-keys", seat=mode.seat, name=mode.name)
            tabs = tuple(
                [
                    _tab_key(tab, box, mode, view, messages)
                    for tab, box in zip(TAB_LABELS, layout.card_tabs, strict=True)
                ]
            )
            first = (mode.opened_list or mode.tab).value * TAB_KEY_COUNT
            on_tab = [(cell - first, key) for cell, key in seat_keys(mode, view)]
            placed = [(layout.card_keys[place], key) for place, key in on_tab if 0 <= place < TAB_KEY_COUNT]
            return _card(placed, title, mode.typed, view, messages, layout, tabs)
        case modes.TablePanel() as mode:
            placed = [(layout.table_keys[cell], key) for cell, key in table_keys(mode, view)]
            pages = tuple(
                [
                    PlacedKey(request, layout.table_keys[cell], messages.text(label), tone="quiet")
                    for cell, (request, label) in enumerate(MENU_PAGES.items(), 1)
                ]
            )
            return _card(placed, messages.text("menu"), mode.typed, view, messages, layout, pages)
        case modes.FloorPanel() as mode:
            title = messages.text("floor-keys" if mode.seat is None else "floor-seat-keys", seat=mode.seat or 0)
            placed = [(layout.table_keys[cell], key) for cell, key in floor_keys(mode, view)]
            return _card(placed, title, mode.typed, view, messages, layout, ())
        case modes.WagerEntry() as mode:
            return _wager_panel(mode, view, messages, layout)
        case modes.AwardEntry() as mode:
            return _award_panel(mode, screen, view, messages, layout)
        case modes.SeatPick():
            return ControlPanel((_cancel_key(layout.cancel_key, messages),))
        case modes.Confirmation():
            confirm_key = PlacedKey(NamedKey.OK, layout.confirm_key, messages.text("yes"), tone="ok")
            return ControlPanel((_cancel_key(layout.cancel_key, messages), confirm_key))
        case modes.OfferList():
            boxes = layout.offer_list_keys[1:]
            offers = main_keys.offered_step_keys(view)[: len(boxes)]
            offer_keys = place_keys(offers, boxes[: len(offers)], messages)
            return ControlPanel((_cancel_key(layout.offer_list_keys[0], messages), *offer_keys), covers_numbers=True)
    page_keys = main_keys.main_page_keys(view, is_pot_shown=screen.shows_pot)
    situation_keys: tuple[PlacedKey, ...] = ()
    keys: list[tuple[main_keys.Key, Box]] = []
    if page_keys.actions:
        keys += zip(page_keys.actions, layout.action_keys, strict=True)
    else:
        situation_keys = _situation_keys(view, messages, layout)
    keys += _side_keys(screen, page_keys, view, layout)
    placed_keys = place_keys([key for key, _ in keys], [box for _, box in keys], messages)
    # The number pad has keys for bets of a named size whose amounts are too wide for their places here.
    shown = [
        key
        for key in placed_keys
        if not isinstance(key.target, QuickBetKey) or key.target.kind == "min" or _fits(key.detail, key.box, layout)
    ]
    return ControlPanel((*situation_keys, *shown))


def _fits(text: str, box: Box, layout: ScreenLayout) -> bool:
    """Return True if the text fits into one line on a key in this place."""
    return text_layout.width(text) * layout.type_scale.caption <= box.w - KEY_TEXT_MARGINS


def _situation_keys(view: TableView, messages: Messages, layout: ScreenLayout) -> tuple[PlacedKey, ...]:
    """Return the keys that take the place of the actions while nobody can act."""
    notes = situation_panel.seat_notes(view, messages)
    boxes = layout.situation_keys(len(notes))
    return tuple(
        [PlacedKey(SeatKey(note.seat), box, note.label, note.text) for note, box in zip(notes, boxes, strict=False)]
    )


def _side_keys(
    screen: ScreenState, keys: main_keys.MainPageKeys, view: TableView, layout: ScreenLayout
) -> list[tuple[main_keys.Key, Box]]:
    """Return the keys at the right with their places: proposed steps, undo, redo, and the keys that are always shown.

    A proposed step is one that the view suggests, such as to run it twice. Bets of a named size give way to other keys
    in their places. After CALL FLOOR, keys for the reason are in the place of proposed steps, redo and these bets.
    """
    undo = (keys.undo, layout.undo_key)
    menu = (main_keys.Key(NamedKey.MENU, "menu", tone="quiet"), layout.service_keys[0])
    next_step = (keys.next_step, layout.next_key)
    if screen.mode == modes.Normal(has_called_floor=True):
        return [
            *zip(main_keys.floor_call_reason_keys(), layout.floor_call_reason_keys, strict=True),
            undo,
            menu,
            next_step,
        ]
    has_quick_bets = view.turn is not None and bool(view.quick_bets)
    offer_boxes = _offer_boxes(len(keys.offers), layout, is_last_row_only=keys.redo is not None or has_quick_bets)
    others = (*offer_boxes, *((layout.redo_key,) if keys.redo is not None else ()))
    return [
        *zip(keys.offers, offer_boxes, strict=True),
        undo,
        *([(keys.redo, layout.redo_key)] if keys.redo is not None else []),
        menu,
        next_step,
        *[
            (key, box)
            for key, box in zip(keys.quick_bets, layout.quick_bet_keys, strict=False)
            if key is not None and not any(box.overlaps(other) for other in others)
        ],
    ]


def _offer_boxes(count: int, layout: ScreenLayout, *, is_last_row_only: bool) -> tuple[Box, ...]:
    """Return the places for the keys of `count` steps that the view proposes.

    The keys share three cells. A single key takes only the last cell if other keys need the first two.
    """
    first, second, third = layout.offer_keys
    if count == 0 or (is_last_row_only and count == 1):
        return (third,)[:count]
    return {1: (span(first, third),), 2: (span(first, second), third)}.get(count, (first, second, third))


def place_keys(keys: Sequence[main_keys.Key], boxes: Sequence[Box], messages: Messages) -> tuple[PlacedKey, ...]:
    """Return the keys with their texts and their places."""
    texts = [
        (
            messages.choice(key.label)
            if isinstance(key.label, Choice)
            else messages.text(key.label, amount=key.amount),
            ""
            if key.detail is None
            else messages.step_summary(key.detail)
            if isinstance(key.detail, StepSummary)
            else messages.choice(key.detail)
            if isinstance(key.detail, Choice)
            else messages.text("counts-as", action=messages.action(key.detail))
            if isinstance(key.detail, ActionView)
            else messages.text(key.detail, amount=key.amount, seat=key.seat, name=key.name)
            if key.minutes is None
            else messages.text(key.detail, count=key.minutes),
        )
        for key in keys
    ]
    effects = [_key_effect(key) for key in keys]
    return tuple(
        [
            PlacedKey(key.target, box, label, detail, key.tone, key.is_enabled, effect)
            for key, box, (label, detail), effect in zip(keys, boxes, texts, effects, strict=True)
        ]
    )


def _key_effect(key: main_keys.Key) -> object:
    """Return a value that is equal for all keys with the same command. Return None for a key without a command."""
    match key.opens_mode:
        case modes.Confirmation(step=step):
            return modes.Confirmation, step
        case modes.SeatPick(step=step_for_seat):
            return modes.SeatPick, step_for_seat(0)
    return key.step if key.meaning is None else (key.step, key.meaning)


def _cancel_key(box: Box, messages: Messages) -> PlacedKey:
    return PlacedKey(NamedKey.CANCEL, box, messages.text("cancel"), tone="quiet")


# --- entry of an amount ---


def _pad_keys(view: TableView, messages: Messages, layout: ScreenLayout) -> tuple[PlacedKey, ...]:
    """Return the keys of the number pad."""
    needs_decimals = view.money.decimals > 0 and view.unit % 10**view.money.decimals
    cells: tuple[amount_entry.PadKey, ...] = (
        "7",
        "8",
        "9",
        "back",
        "4",
        "5",
        "6",
        "." if needs_decimals else "00",
        "1",
        "2",
        "3",
        "0",
    )
    labels: dict[amount_entry.PadKey, str] = {"back": messages.text("delete"), ".": messages.decimal_symbol}
    return tuple(
        [
            PlacedKey(PadDigit(key), box, labels.get(key, key), tone="quiet")
            for key, box in zip(cells, layout.number_pad, strict=True)
        ]
    )


QUICK_AMOUNT_KEYS: Final[tuple[tuple[QuickAmount, ScreenKey], ...]] = (
    (QuickAmount("half-pot"), "half-of-pot"),
    (QuickAmount("two-thirds-pot"), "two-thirds-of-pot"),
    (QuickAmount("pot"), "pot"),
)
"""Amounts that have their own key below the numbers.

The smallest and the largest raise need no key, because a touch on the number itself enters it.
"""


def _quick_amount_keys(amounts: Mapping[str, int], messages: Messages, layout: ScreenLayout) -> list[PlacedKey]:
    """Return the keys that enter a share of the pot.

    An amount that does not fit on its key is left out, because a touch shows it as the entered amount.
    """
    keys = []
    for (quick_amount, label), box in zip(QUICK_AMOUNT_KEYS, layout.amount_keys, strict=False):
        amount = amounts.get(quick_amount.kind)
        detail = "" if amount is None else messages.amount(amount)
        shown = detail if _fits(detail, box, layout) else ""
        is_enabled = amount is not None
        keys.append(PlacedKey(quick_amount, box, messages.text(label), shown, is_enabled=is_enabled, effect=amount))
    return keys


def _chip_keys(view: TableView, messages: Messages, layout: ScreenLayout) -> list[PlacedKey]:
    """Return the keys that add a chip to the entered amount, in the colours of the chips. Wide labels have no key.

    A chip has the colour of the house, or else the usual one. A chip without a usual colour looks like other keys.
    """
    keys, chips = [], amount_entry.chips_of_game(view.unit, view.money, tuple(view.chip_colours))
    for (value, chip), box in zip(chips, layout.amount_keys[len(QUICK_AMOUNT_KEYS) :], strict=False):
        label = f"+{chip.whole}" if chip.fraction is None else f"+{chip.whole}{messages.decimal_symbol}{chip.fraction}"
        usual_colour = USUAL_CHIP_COLOURS.get(int(chip.whole)) if chip.fraction is None else None
        if _fits(label, box, layout):
            tone = view.chip_colours.get(value) or usual_colour or "key"
            keys.append(PlacedKey(ChipKey(value), box, label, tone=tone))
    return keys


def _wager_panel(mode: modes.WagerEntry, view: TableView, messages: Messages, layout: ScreenLayout) -> ControlPanel:
    """Return the keys for a bet or raise of the seat in turn.

    The amount to call, the smallest raise and the largest raise stay visible. A touch on one of the two raises enters
    its amount.
    """
    amounts, typed = modes.quick_amounts(view), amount_entry.typed_amount(mode.typed, view.money)
    raise_by_key = PlacedKey(
        NamedKey.AS_RAISE_BY,
        layout.raise_by_key,
        messages.text("by"),
        is_enabled=bool(typed) and not mode.is_opening_bet,
    )
    ok_key = PlacedKey(NamedKey.OK, layout.ok_key, messages.text("ok"), is_enabled=bool(typed), tone="ok")
    field = EntryField(
        messages.text("bet-is" if mode.is_opening_bet else "raise-to", seat=mode.seat),
        messages.typed_amount(mode.typed.whole, mode.typed.fraction),
        _out_of_range_hint(mode, view, messages),
        layout.wager_entry,
    )
    number_boxes = ((QuickAmount("min"), layout.numbers[1]), (QuickAmount("max"), layout.numbers[2]))
    number_areas = tuple(
        [
            TouchArea(quick_amount, box, amounts[quick_amount.kind])
            for quick_amount, box in number_boxes
            if quick_amount.kind in amounts
        ]
    )
    return ControlPanel(
        (
            _cancel_key(layout.cancel_key, messages),
            *_quick_amount_keys(amounts, messages, layout),
            *_chip_keys(view, messages, layout),
            raise_by_key,
            ok_key,
            *_pad_keys(view, messages, layout),
        ),
        field,
        number_touch_areas=number_areas,
    )


def _out_of_range_hint(mode: modes.WagerEntry, view: TableView, messages: Messages) -> str:
    """Return a hint with the limit if the entered wager is too small or too large, otherwise ""."""
    match modes.out_of_range(mode, view):
        case "below":
            return messages.text("below", amount=view.min_raise_to)
        case "above":
            return messages.over_maximum(view.limit, view.max_raise_to, opening=mode.is_opening_bet)
    return ""


TAB_LABELS: Final[dict[CardTab, ScreenKey]] = {
    CardTab.ACTION: "tab-action",
    CardTab.FIX: "tab-fix",
    CardTab.PLAYER: "tab-player",
}


def _tab_key(tab: CardTab, box: Box, mode: modes.SeatPanel, view: TableView, messages: Messages) -> PlacedKey:
    """Return the key that shows a tab. The key of the shown tab looks pressed."""
    tone = "picked" if tab is mode.tab and mode.opened_list is None else "quiet"
    return PlacedKey(tab, box, messages.text(TAB_LABELS[tab]), tone=tone, is_enabled=tab in card_tabs(view, mode.seat))


def _card(
    keys: Sequence[tuple[Box, main_keys.Key]],
    title: str,
    typed: amount_entry.TypedAmount,
    view: TableView,
    messages: Messages,
    layout: ScreenLayout,
    tabs: tuple[PlacedKey, ...],
) -> ControlPanel:
    """Return the card of a seat, or the menu, next to the number pad.

    The tabs of a card share the first row with its title. In the menu, keys for pages are in their place.
    """
    placed_keys = place_keys([key for _, key in keys], [box for box, _ in keys], messages)
    field = EntryField(title, messages.typed_amount(typed.whole, typed.fraction), "", layout.card_entry)
    return ControlPanel(
        (_cancel_key(layout.close_card_key, messages), *tabs, *placed_keys, *_pad_keys(view, messages, layout)),
        field,
        covers_numbers=True,
    )


# --- award of a pot ---


def _award_panel(
    award: modes.AwardEntry, screen: ScreenState, view: TableView, messages: Messages, layout: ScreenLayout
) -> ControlPanel:
    """Return the keys for the award of a pot.

    On the left are the keys that give a winner a second share, and choose the pot or a part of it, such as the
    low half. On the right are the winners and the key that awards the pot.
    """
    share_key = PlacedKey(
        NamedKey.ADD_SHARE,
        layout.award_keys[1],
        messages.text("share"),
        is_enabled=bool(award_entry.winners_of_part(award, award.part)),
        tone="quiet",
    )
    part_keys = _part_tabs(award, view, messages, layout)
    pots = [pot for pot in pots_with_winners(view) if pot.amount]
    boxes = layout.award_keys[max(5, 2 + len(part_keys)) :]
    pot_keys = [
        PlacedKey(
            PotChoice(pot.name),
            box,
            messages.pot(pot.name),
            format_seat_ranges(pot.seats),
            "picked" if pot.name == award.pot else "key",
        )
        for pot, box in zip(pots, boxes, strict=False)
    ]
    step = award_entry.build_award_step(award, view)
    award_label = messages.text("split" if sum(len(seats) for _, seats in award.part_winners) > 1 else "give")
    return ControlPanel(
        (
            _cancel_key(layout.award_keys[0], messages),
            place_keys([main_keys.undo_key(view)], [layout.undo_key], messages)[0],
            share_key,
            *part_keys,
            *pot_keys,
            PlacedKey(
                NamedKey.OK, layout.confirm_key, award_label, is_enabled=step is not None, tone="ok", effect=step
            ),
        ),
        _award_field(award, screen, view, messages, layout),
        covers_numbers=True,
    )


def _part_tabs(award: modes.AwardEntry, view: TableView, messages: Messages, layout: ScreenLayout) -> list[PlacedKey]:
    """Return the tabs for the parts of a pot: its halves and the whole in high-low games, and its boards.

    Each tab names its winners.
    """
    current, boards = award.part, award_entry.boards_of(award, view)
    tabs: list[tuple[Target, str, tuple[int, ...], bool]] = []
    if view.game.high_low:
        for half in award_entry.PARTS:
            part = AwardPart(half, current.board)
            tabs.append((part, messages.text(half), award_entry.winners_of_part(award, part), part == current))
    if len(boards) > 1:
        for board in boards:
            winners = tuple({seat for part, seats in award.part_winners if part.board == board for seat in seats})
            tabs.append((AwardBoard(board), messages.text("board", number=board), winners, board == current.board))
    return [
        PlacedKey(target, box, label, format_seat_ranges(winners), "picked" if is_shown else "quiet")
        for (target, label, winners, is_shown), box in zip(tabs, layout.award_keys[2:], strict=False)
    ]


def _award_field(
    award: modes.AwardEntry, screen: ScreenState, view: TableView, messages: Messages, layout: ScreenLayout
) -> EntryField:
    pot = next((candidate for candidate in view.pots if candidate.name == award.pot), None)
    amount = messages.amount(pot.amount) if pot and is_pot_visible(screen) else ""
    board = messages.text("board", number=award.part.board) if award.part.board else ""
    half = "" if award.part.half == "whole" else messages.text(award.part.half)
    winners = messages.text("winners-and").join(map(str, award_entry.winners_of_part(award, award.part))) or "_"
    title = " ".join(filter(None, (messages.pot(pot.name) if pot else "", amount)))
    return EntryField(title, winners, " ".join(filter(None, (board, half))), layout.award_entry)
