"""The scene: everything that a screen shows, with places, texts and touch targets.

The scene depends only on the state of the screen and its appearance. The widgets of `ui.window` draw the scene.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import compress
from typing import Final, NamedTuple

from controller.messages import Messages, ScreenKey, messages_for
from controller.view import Alert, Choice, StepSummary, TableView
from ui.scene import text_layout, view_models
from ui.scene.appearance import DEFAULT_APPEARANCE, Appearance
from ui.scene.boxes import Box
from ui.scene.control_panel import EntryField, PlacedKey, lay_out_control_panel, place_keys
from ui.scene.layout import MAX_CHOICES, SeatBoxes
from ui.scene.pages import PlacedPage, lay_out_open_page
from ui.scene.status_line import status_line
from ui.scene.tokens import KEY_TEXT_MARGINS
from ui.scene.touch_filter import TouchArea
from ui.scene.view_models import AlertBandModel, AlertDetail, BetSpotModel, NumberModel, PotModel, SeatTileModel
from ui.state import (
    AlertAnswer,
    BetSpot,
    Explanation,
    HeldSeat,
    NamedKey,
    ScreenState,
    SeatTile,
    Target,
    award_entry,
    current_alert,
    explain,
    held_seat_steps,
    is_pot_visible,
    is_table_covered,
    main_keys,
    modes,
    pending_alerts,
)

DETAIL_KEYS: Final[Mapping[AlertDetail, ScreenKey]] = {"text": "more", "rule": "rule", "action": "rule-back"}
"""Label of the key that shows a detail of an alert."""
MAX_BAND_KEY_LINES: Final = 3
"""Maximum number of lines in the label of a key in the alert band, in the minimum font size."""
LIKELY_KEY_WIDTH, OTHER_KEY_WIDTH = 2.0, 1.5
"""Minimum widths of the keys in the alert band: first of the most likely answer, then of each other answer. The unit is
the minimum width of a touch target."""
UNDO_BAND_KEY_WIDTH: Final = 4.0
"""Width of the undo key in the alert band, in minimum widths of a touch target."""


@dataclass(frozen=True, slots=True)
class Scene:
    """Everything that one picture of the screen shows."""

    is_live: bool
    appearance: Appearance = DEFAULT_APPEARANCE
    disconnected_text: tuple[str, str] = ("", "")
    """Title and text that are shown over the last view while the screen is not live."""
    title_bar: tuple[str, str] = ("", "")
    alert_band: AlertBandModel = AlertBandModel()
    alert_text_box: Box | None = None
    """Place of the alert's text in the alert band, next to the keys. None if there is no alert."""
    recent_steps: tuple[str, ...] = ()
    """Short descriptions of the last steps, newest first. The header shows them unless it shows an alert."""
    notes: tuple[str, ...] = ()
    """Texts about the next level or game, and about the amounts in the accounts of the house."""
    street: str = ""
    street_progress: tuple[int, int] = (0, 0)
    """Number of the street, counted from 1, and number of streets in this variant. Both are 0 between hands."""
    pot: tuple[str, str] = ("", "")
    pot_list: tuple[PotModel, ...] = ()
    status_line: tuple[str, str] = ("", "calm")
    """Text of the status line, which is between the table and the keys, and the name of its colours."""
    max_bet_sum: str = ""
    """Calculation of the largest bet or raise, such as "call 35 + pot 120 = 155"."""
    seats: tuple[SeatTileModel, ...] = ()
    spots: tuple[BetSpotModel, ...] = ()
    numbers: tuple[NumberModel, ...] = ()
    """The amount to call, the smallest raise and the largest raise. The field is empty while other keys take the place
    of these numbers."""
    entry_field: EntryField | None = None
    keys: tuple[PlacedKey, ...] = ()
    page: PlacedPage | None = None
    """The page that covers the table, or None. The field `keys` also contains the keys of the page."""
    touch_areas: tuple[TouchArea, ...] = ()


def lay_out_scene(screen: ScreenState, appearance: Appearance = DEFAULT_APPEARANCE) -> Scene:
    """Return the scene that shows this state of the screen."""
    view = screen.view
    if view is None:
        return Scene(
            is_live=False,
            appearance=appearance,
            disconnected_text=disconnected_text(screen, Messages(language=appearance.language)),
        )
    selected_seats, messages = _selected_seats(screen), messages_for(view, language=appearance.language)
    alert, explanation = current_alert(screen), explain(screen) if screen.explained is not None else None
    pot_visible, table_covered = is_pot_visible(screen), is_table_covered(screen)
    has_message = alert is not None or explanation is not None
    status = status_line(screen, view, messages, shows_last_step=has_message)
    undo = main_keys.undo_here_key(view, was_held=screen.was_held) if not has_message else None
    floor_call = main_keys.floor_call(view)
    table = view_models.table_model(view, messages, pot_visible=pot_visible)
    band = _Band()
    if explanation is not None:
        band = _explanation_band(explanation, messages, appearance)
    elif alert is not None:
        band = _alert_band(alert, screen, messages, appearance)
    elif undo is not None and view.last_step is not None:
        band = _undo_band(undo, view.last_step, messages, appearance)
    scene = Scene(
        is_live=screen.is_live,
        appearance=appearance,
        disconnected_text=("", "") if screen.is_live else disconnected_text(screen, messages),
        title_bar=table.title_bar,
        alert_band=band.model,
        alert_text_box=band.text_box,
        recent_steps=table.recent_steps,
        notes=table.notes,
        status_line=status,
    )
    if table_covered:
        refusal = status[0] if screen.message is not None else ""
        page = lay_out_open_page(screen, view, messages, appearance.layout, refusal)
        keys = (*band.keys, *page.keys)
        return replace(scene, page=page, keys=keys, touch_areas=_key_areas(keys))
    tiles, spots = view_models.seat_models(view, messages, selected_seats, table.last_pot_by_seat)
    panel = lay_out_control_panel(screen, view, floor_call, messages, appearance.layout)
    keys = (*band.keys, *panel.keys)
    held_steps, seat_boxes = held_seat_steps(screen, view), appearance.layout.seat_boxes(len(view.seats))
    table_areas = _table_areas(screen, view, held_steps, seat_boxes)
    return replace(
        scene,
        street=table.street,
        street_progress=table.street_progress,
        pot=table.pot,
        pot_list=table.pot_list,
        max_bet_sum=table.max_bet_sum,
        seats=tuple(tiles),
        spots=tuple(spots),
        numbers=() if panel.covers_numbers else table.numbers,
        entry_field=panel.entry_field,
        keys=keys,
        touch_areas=(*table_areas, *panel.number_touch_areas, *_key_areas(keys)),
    )


def disconnected_text(screen: ScreenState, messages: Messages) -> tuple[str, str]:
    """Return the title and the text that explain why the screen is not live."""
    reason = messages.text(screen.link_status.key, amount=None, **screen.link_status.values)
    return messages.text("not-live"), reason if screen.view is None else messages.text("lost", reason=reason)


def _selected_seats(screen: ScreenState) -> tuple[int, ...]:
    mode = screen.mode
    if isinstance(mode, modes.AwardEntry):
        return award_entry.winners_of_part(mode, mode.part)
    return (mode.seat,) if isinstance(mode, modes.SeatPanel) else ()


def _key_areas(keys: tuple[PlacedKey, ...]) -> tuple[TouchArea, ...]:
    return tuple([TouchArea(key.target, key.box, key.effect) for key in keys if key.is_enabled])


def _table_areas(
    screen: ScreenState, view: TableView, held: Mapping[int, main_keys.HeldSeatStep], seat_boxes: Sequence[SeatBoxes]
) -> tuple[TouchArea, ...]:
    """Return the touch areas of the seats and the bet spots.

    A touch on a bet spot usually opens the panel of its seat. A finger that rests on the tile of a seat in `held`
    passes the turn or gives a pot to this seat.
    """
    is_picking_seat = isinstance(screen.mode, modes.AwardEntry | modes.SeatPick)
    has_spot = [is_picking_seat or seat.status not in ("empty", "away") for seat in view.seats]
    numbers = [seat.seat for seat in view.seats]
    tiles: list[Target] = [*map(SeatTile, numbers)]
    spots = tiles if is_picking_seat else [*map(BetSpot, numbers)]
    areas = [
        TouchArea(
            tile,
            boxes.tile,
            type(screen.mode),
            held_target=HeldSeat(seat) if seat in held else None,
            held_effect=(view.hand_number, view.round, held[seat]) if seat in held else None,
        )
        for seat, tile, boxes in zip(numbers, tiles, seat_boxes, strict=True)
    ]
    areas += [TouchArea(spot, boxes.spot) for spot, boxes in compress(zip(spots, seat_boxes, strict=True), has_spot)]
    return tuple(areas)


# --- alert band ---


class _Band(NamedTuple):
    """The alert band: its texts, the place of the texts, and its keys. The band is empty if it shows nothing."""

    model: AlertBandModel = AlertBandModel()
    text_box: Box | None = None
    keys: tuple[PlacedKey, ...] = ()


def _alert_band(alert: Alert, screen: ScreenState, messages: Messages, appearance: Appearance) -> _Band:
    """Return the band with an alert, the answers to it, and a key for each of its details and for other alerts."""
    details = view_models.alert_details(alert, messages)
    shown = screen.detail_touches % len(details)
    alert_count = len(pending_alerts(screen))
    small_keys: list[tuple[Target, str, str]] = []
    if len(details) > 1:
        label = messages.text(DETAIL_KEYS[details[(shown + 1) % len(details)]])
        small_keys.append((NamedKey.ALERT_DETAILS, label, "other-choice"))
    if alert_count > 1:
        small_keys.append((NamedKey.NEXT_ALERT, messages.text("more-alerts", count=alert_count - 1), "other-choice"))
    if not alert.choices:
        small_keys.append(_dismiss_key(messages))
    text_box, keys = _place_band_keys(alert.choices[:MAX_CHOICES], small_keys, messages, appearance)
    return _Band(view_models.alert_band_model(alert, messages, details[shown]), text_box, keys)


def _explanation_band(explanation: Explanation, messages: Messages, appearance: Appearance) -> _Band:
    """Return the band that says what a touch on the held key would do, with a key that closes it."""
    text_box, keys = _place_band_keys((), [_dismiss_key(messages)], messages, appearance)
    return _Band(view_models.explanation_band(explanation, messages), text_box, keys)


def _undo_band(undo: main_keys.Key, step: StepSummary, messages: Messages, appearance: Appearance) -> _Band:
    """Return the band with the large undo key and the step that the key undoes."""
    width = appearance.layout.min_target_size * UNDO_BAND_KEY_WIDTH
    text_box, boxes = appearance.layout.alert_band_boxes((width,))
    return _Band(view_models.undo_band(step, messages), text_box, place_keys([undo], boxes, messages))


def _dismiss_key(messages: Messages) -> tuple[Target, str, str]:
    """Return the target, the label and the colours of the key that removes what the band shows."""
    return NamedKey.DISMISS_ALERT, messages.text("alert-seen"), "choice"


def _place_band_keys(
    choices: tuple[Choice, ...],
    small_keys: Sequence[tuple[Target, str, str]],
    messages: Messages,
    appearance: Appearance,
) -> tuple[Box, tuple[PlacedKey, ...]]:
    """Return the place of the band's text, and the keys of the answers and the small keys with their places."""
    labels = [messages.choice(choice) for choice in choices]
    widths = [
        _key_width(label, appearance, LIKELY_KEY_WIDTH if index == 0 else OTHER_KEY_WIDTH)
        for index, label in enumerate(labels)
    ]
    widths += [_key_width(label, appearance, 1) for _, label, _ in small_keys]
    text_box, boxes = appearance.layout.alert_band_boxes(tuple(widths))
    choice_keys = [
        PlacedKey(AlertAnswer(index), box, label, tone="choice" if index == 0 else "other-choice", effect=choice.do)
        for index, (choice, label, box) in enumerate(zip(choices, labels, boxes, strict=False))
    ]
    small_placed = [
        PlacedKey(target, box, label, tone=tone)
        for (target, label, tone), box in zip(small_keys, boxes[len(choices) :], strict=True)
    ]
    return text_box, (*choice_keys, *small_placed)


def _key_width(label: str, appearance: Appearance, min_targets: float) -> float:
    """Return the smallest width of a key at which its label has at most three lines.

    The width is at least `min_targets` times the minimum width of a touch target.
    """
    layout = appearance.layout
    return max(
        layout.min_target_size * min_targets,
        text_layout.min_width(label, MAX_BAND_KEY_LINES) * layout.min_font_size + KEY_TEXT_MARGINS,
    )
