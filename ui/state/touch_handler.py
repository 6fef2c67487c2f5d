"""The effects of touches. A touch changes the screen, sends a command to the service, or does both."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from controller.steps import Declaration, Step, hand_steps
from controller.view import TableView
from ui.settings import SettingKey
from ui.state.amount_entry import TypedAmount, add_chip, amount_as_typed, press_pad_key, typed_amount
from ui.state.award_entry import (
    add_share,
    build_award_step,
    select_board,
    select_part,
    start_award,
    start_next_award,
    toggle_winner,
)
from ui.state.commands import OutgoingCommand, SentStep, award_query, step_line
from ui.state.main_keys import (
    HeldSeatStep,
    Key,
    action_keys,
    call_floor_key,
    floor_call,
    floor_call_reason_keys,
    is_award_next,
    min_bet_key,
    next_step_key,
    offered_step_keys,
    quick_bet_keys,
    redo_key,
    seat_touch_step,
    turn_passing_steps,
    undo_here_key,
    undo_key,
)
from ui.state.modes import (
    NORMAL,
    AwardEntry,
    Confirmation,
    FloorPanel,
    Mode,
    NameEntry,
    Normal,
    OfferList,
    SeatPanel,
    SeatPick,
    TablePanel,
    WagerEntry,
    quick_amounts,
)
from ui.state.name_entry import KeyboardKey, LetterKey
from ui.state.page_actions import finish_name, press_page
from ui.state.page_keys import page_keys
from ui.state.page_state import DenominationKey, PageKey, PageRequest, SetUpKey
from ui.state.screen import ScreenMessage, ScreenState, current_alert, pending_alerts, show_refusal
from ui.state.touch_targets import (
    AlertAnswer,
    AwardBoard,
    AwardPart,
    BetSpot,
    CardTab,
    ChipKey,
    FloorCallKey,
    GameChoice,
    HeldSeat,
    NamedKey,
    OfferedStep,
    PadDigit,
    PotChoice,
    QuickAmount,
    QuickBetKey,
    SeatKey,
    SeatTile,
    Target,
)
from ui.state.verbs import floor_keys, opening_tab, seat_keys, table_keys

TouchOutcome = tuple[ScreenState, OutgoingCommand | None]
"""The state of the screen after a touch, and the command that the touch sends, or None."""


def press_target(screen: ScreenState, target: Target) -> TouchOutcome:
    """Return the state of the screen after a touch on this target, and the command that the touch sends."""
    view = screen.view
    if view is None or not screen.is_live:
        return show_refusal(screen, ScreenMessage("not-connected")), None
    if screen.message is not None:
        screen = replace(screen, message=None)
    if screen.explained is not None:
        screen = replace(screen, explained=None)
        if target is NamedKey.DISMISS_ALERT:
            return screen, None
    if screen.mode == Normal(has_called_floor=True) and not isinstance(target, FloorCallKey):
        screen = replace(screen, mode=NORMAL)
    outcome, command = _press(screen, view, target)
    is_held = isinstance(target, HeldSeat)
    return (outcome if outcome.was_held is is_held else replace(outcome, was_held=is_held)), command


def _press(screen: ScreenState, view: TableView, target: Target) -> TouchOutcome:
    """Return the outcome of a touch on a target of a live screen."""
    match target:
        case SeatTile(number) | SeatKey(number):
            return _press_seat(screen, view, number)
        case HeldSeat(number):
            held = held_seat_steps(screen, view).get(number)
            return (screen, None) if held is None else _send(screen, view, held.step)
        case BetSpot(seat):
            is_picking_seat = isinstance(screen.mode, AwardEntry | SeatPick | FloorPanel)
            return (
                _press_seat(screen, view, seat)
                if is_picking_seat
                else (_toggle_card(screen, view, seat, is_spot=True), None)
            )
        case CardTab():
            return _select_tab(screen, target), None
        case AlertAnswer(index):
            return _answer_alert(screen, view, index)
        case PadDigit() | ChipKey() | QuickAmount():
            return _change_typed(screen, lambda typed: _typed_after(typed, target, view)), None
        case PotChoice(name):
            return _continue_award(screen, view, start_award(view, name))
        case AwardPart() | AwardBoard():
            return _select_award_tab(screen, view, target)
        case PageRequest() | PageKey() | SetUpKey() | DenominationKey() | LetterKey() | KeyboardKey() | SettingKey():
            return press_page(screen, target)
        case OfferedStep() | GameChoice() | QuickBetKey() | FloorCallKey():
            return _press_key(screen, view, target)
        case NamedKey():
            return _press_named_key(screen, view, target)


def _send(
    screen: ScreenState, view: TableView, step: SentStep, *, keep_mode: bool = False
) -> tuple[ScreenState, OutgoingCommand]:
    mode: Mode = screen.mode if keep_mode else NORMAL
    return replace(screen, mode=mode, refusal_warning=None, sent_from_mode=screen.mode), OutgoingCommand(
        step_line(step), view.sequence
    )


def _send_wager(screen: ScreenState, view: TableView, seat: int, words: Declaration) -> TouchOutcome:
    """Send the entered bet or raise of a seat. Change nothing if no amount was entered."""
    return _send(screen, view, hand_steps.Declares(seat, words)) if words.amount else (screen, None)


# --- seats ---


def _press_seat(screen: ScreenState, view: TableView, seat: int) -> TouchOutcome:
    """Handle a touch on a seat.

    Depending on the mode, the touch selects a winner, answers a question, or opens the card of the seat.
    """
    mode = screen.mode
    if isinstance(mode, AwardEntry):
        return _continue_award(screen, view, toggle_winner(mode, view, seat))
    if isinstance(mode, SeatPick):
        return _send(screen, view, mode.step(seat))
    if isinstance(mode, TablePanel):
        return _open_card(screen, view, SeatPanel(seat, mode.typed)), None
    if isinstance(mode, FloorPanel):
        return replace(screen, mode=replace(mode, seat=None if seat == mode.seat else seat)), None
    if isinstance(mode, SeatPanel) or view.phase in ("idle", "over"):
        return _toggle_card(screen, view, seat), None
    touch_step = seat_touch_step(view, seat)
    if touch_step is not None:
        return _send(screen, view, touch_step)
    award = start_next_award(view) if is_award_next(view) else None
    if (
        award is not None
        and award.part_winners == ()
        and (with_winner := toggle_winner(award, view, seat)).part_winners
    ):
        return _continue_award(screen, view, with_winner)
    return _toggle_card(screen, view, seat), None


def held_seat_steps(screen: ScreenState, view: TableView) -> Mapping[int, HeldSeatStep]:
    """Return the seats with a step for a finger that rests on their tile. On others it only asks for an explanation.

    During betting the step passes the turn to the seat, because the seats before it have folded or checked. When only
    pots are left to award, it gives the next pot to the seat.
    """
    if screen.page is not None or not isinstance(screen.mode, Normal | SeatPanel | AwardEntry):
        return {}
    if is_award_next(view):
        steps = {seat.seat: _whole_pot_step(screen, view, seat.seat) for seat in view.seats}
        return {seat: HeldSeatStep(step) for seat, step in steps.items() if step is not None}
    return turn_passing_steps(view)


def _whole_pot_step(screen: ScreenState, view: TableView, seat: int) -> Step | None:
    """Return the step that gives the next pot to a seat, or None if it cannot win the pot or a winner is selected."""
    award = start_next_award(view)
    has_winners = isinstance(screen.mode, AwardEntry) and screen.mode.part_winners
    if award is None or award.part_winners or has_winners or view.game.high_low:
        return None
    return build_award_step(toggle_winner(award, view, seat), view)


def _toggle_card(screen: ScreenState, view: TableView, seat: int, *, is_spot: bool = False) -> ScreenState:
    """Open the card of a seat. If it is open already, close it."""
    mode = screen.mode
    if isinstance(mode, SeatPanel) and mode.seat == seat:
        return replace(screen, mode=NORMAL)
    return _open_card(screen, view, SeatPanel(seat), is_spot=is_spot)


def _open_card(screen: ScreenState, view: TableView, card: SeatPanel, *, is_spot: bool = False) -> ScreenState:
    return replace(screen, mode=replace(card, tab=opening_tab(view, card, is_spot=is_spot)))


def _select_tab(screen: ScreenState, tab: CardTab) -> ScreenState:
    """Show another tab of the open card and keep the entered amount. A touch on the shown tab closes the card."""
    mode = screen.mode
    if not isinstance(mode, SeatPanel):
        return screen
    is_shown = mode.tab is tab and mode.opened_list is None
    return replace(screen, mode=NORMAL if is_shown else replace(mode, tab=tab, opened_list=None))


def _answer_alert(screen: ScreenState, view: TableView, index: int) -> TouchOutcome:
    alert = current_alert(screen)
    if alert is None or index >= len(alert.choices):
        return screen, None
    return _send(replace(screen, detail_touches=0), view, alert.choices[index], keep_mode=True)


# --- award of a pot ---


def _continue_award(screen: ScreenState, view: TableView, award: AwardEntry | None) -> TouchOutcome:
    """Show this award. When all winners are selected, query the share of each winner."""
    if award is None:
        return replace(screen, mode=NORMAL), None
    step = build_award_step(award, view)
    query = OutgoingCommand(award_query(step), 0) if step is not None else None
    return replace(screen, mode=award, award_shares=None), query


def _select_award_tab(screen: ScreenState, view: TableView, tab: AwardPart | AwardBoard) -> TouchOutcome:
    award = screen.mode
    if not isinstance(award, AwardEntry):
        return screen, None
    selected = select_board(award, tab.number) if isinstance(tab, AwardBoard) else select_part(award, tab)
    return _continue_award(screen, view, selected)


# --- keys ---


def _press_named_key(screen: ScreenState, view: TableView, key: NamedKey) -> TouchOutcome:
    mode = screen.mode
    match key:
        case NamedKey.OK:
            return _confirm(screen, view)
        case NamedKey.AS_RAISE_BY if isinstance(mode, WagerEntry):
            amount = typed_amount(mode.typed, view.money)
            return _send_wager(screen, view, mode.seat, Declaration("raise", amount or 0, is_raise_by=True))
        case NamedKey.ADD_SHARE if isinstance(mode, AwardEntry):
            return _continue_award(screen, view, add_share(mode))
        case NamedKey.AWARD if next_step_key(view).step is None:
            return _continue_award(screen, view, start_next_award(view))
    changed = _press_local_key(screen, view, key)
    return (changed, None) if changed is not None else _press_key(screen, view, key)


def _press_local_key(screen: ScreenState, view: TableView, key: NamedKey) -> ScreenState | None:
    """Return the state after a touch on a key that only changes the screen, such as CANCEL. Otherwise return None."""
    match key:
        case NamedKey.CANCEL:
            mode = screen.mode.return_to if isinstance(screen.mode, NameEntry) else None
            return replace(screen, mode=mode or NORMAL)
        case NamedKey.MENU:
            return replace(screen, mode=TablePanel())
        case NamedKey.CALL_FLOOR if floor_call(view) is not None:
            return _toggle_floor_panel(screen)
        case NamedKey.MORE_OFFERS:
            return replace(screen, mode=OfferList())
        case NamedKey.SHOW_POT:
            return replace(screen, shows_pot=not screen.shows_pot)
        case NamedKey.ALERT_DETAILS | NamedKey.NEXT_ALERT | NamedKey.DISMISS_ALERT:
            return _press_band_key(screen, key)
    return None


def _toggle_floor_panel(screen: ScreenState) -> ScreenState:
    """Show the decisions of the floor, for the seat of the card or entry and with the entered amount, or close them."""
    match screen.mode:
        case FloorPanel():
            mode: Mode = NORMAL
        case SeatPanel(seat=seat, typed=typed) | WagerEntry(seat=seat, typed=typed):
            mode = FloorPanel(seat, typed)
        case TablePanel(typed=typed):
            mode = FloorPanel(typed=typed)
        case _:
            mode = FloorPanel()
    return replace(screen, mode=mode, page=None)


def _press_band_key(screen: ScreenState, key: NamedKey) -> ScreenState:
    """Return the state after a touch on a small key of the alert band, such as "show more"."""
    alert = current_alert(screen)
    if alert is None:
        return screen
    if key is NamedKey.ALERT_DETAILS:
        return replace(screen, detail_touches=screen.detail_touches + 1, selected_alert=alert.key)
    if key is NamedKey.DISMISS_ALERT and alert is screen.refusal_warning:
        return replace(screen, refusal_warning=None, detail_touches=0)
    if key is NamedKey.DISMISS_ALERT:
        return replace(
            screen, dismissed_alerts=screen.dismissed_alerts | {alert.key}, selected_alert=None, detail_touches=0
        )
    alerts = pending_alerts(screen)
    next_alert = alerts[(alerts.index(alert) + 1) % len(alerts)]
    return replace(screen, selected_alert=next_alert.key, detail_touches=0)


def _change_typed(screen: ScreenState, change: Callable[[TypedAmount], TypedAmount]) -> ScreenState:
    mode = screen.mode
    if not isinstance(mode, WagerEntry | SeatPanel | TablePanel | FloorPanel):
        return screen
    return replace(screen, mode=replace(mode, typed=change(mode.typed)))


def _typed_after(typed: TypedAmount, target: PadDigit | ChipKey | QuickAmount, view: TableView) -> TypedAmount:
    """Return the entered amount after a touch on a key that changes it."""
    match target:
        case PadDigit(key):
            return press_pad_key(typed, key, view.money)
        case ChipKey(value):
            return add_chip(typed, value, view.money)
        case QuickAmount(kind):
            amount = quick_amounts(view).get(kind)
            return typed if amount is None else amount_as_typed(amount, view.money)


def _confirm(screen: ScreenState, view: TableView) -> TouchOutcome:
    """Handle OK. Send the entered wager or name, the award with its winners, or the step that needed a confirmation."""
    match screen.mode:
        case NameEntry() as entry:
            changed, step = finish_name(screen, entry)
            return _send(changed, view, step) if step is not None else (changed, None)
        case AwardEntry() as award:
            award_step = build_award_step(award, view)
            return _send(screen, view, award_step, keep_mode=True) if award_step is not None else (screen, None)
        case WagerEntry(seat, is_opening_bet, typed):
            amount = typed_amount(typed, view.money)
            return _send_wager(screen, view, seat, Declaration("bet" if is_opening_bet else "raise", amount or 0))
        case Confirmation(step=confirmed):
            return _send(screen, view, confirmed)
    return screen, None


def _press_key(screen: ScreenState, view: TableView, target: Target) -> TouchOutcome:
    """Handle a touch on a key that sends a step or opens a mode."""
    pressed = next((key for key in _current_keys(screen, view) if key.target == target), None)
    if pressed is None or not pressed.is_enabled:
        return screen, None
    if pressed.opens_mode is not None:
        return replace(screen, mode=pressed.opens_mode), None
    if pressed.step is None:
        return screen, None
    if isinstance(target, GameChoice):
        screen = replace(screen, page=None)
    if target is NamedKey.CALL_FLOOR and isinstance(screen.mode, Normal) and screen.page is None:
        screen = replace(screen, mode=Normal(has_called_floor=True))
    keep_mode = target in (NamedKey.UNDO, NamedKey.UNDO_HERE, NamedKey.REDO, NamedKey.CALL_FLOOR)
    return _send(screen, view, pressed.step, keep_mode=keep_mode)


def _current_keys(screen: ScreenState, view: TableView) -> Iterator[Key]:
    """Yield every key that can send a step or open a mode now, even if the key is not visible.

    The keys that are touched most often come first, because the key of a touch is found without building the others.
    """
    yield from action_keys(view)
    yield from (undo_key(view), next_step_key(view), call_floor_key())
    yield from offered_step_keys(view)
    other_keys = (redo_key(view), undo_here_key(view, was_held=screen.was_held), min_bet_key(view))
    yield from (key for key in (*other_keys, *quick_bet_keys(view)) if key is not None)
    match screen.mode:
        case Normal(has_called_floor=True):
            yield from floor_call_reason_keys()
        case SeatPanel() as panel:
            yield from (key for _, key in seat_keys(panel, view))
        case TablePanel() as panel:
            yield from (key for _, key in table_keys(panel, view))
        case FloorPanel() as panel:
            yield from (key for _, key in floor_keys(panel, view))
    if screen.page is not None:
        yield from page_keys(screen.page, view)
