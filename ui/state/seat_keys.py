"""The keys of one seat while it is put right: in a hand what it did, between hands what its player does."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from controller.view import SeatView, TableView
from ui.state import sending
from ui.state.keys import Key, seat_view
from ui.state.modes import Asked, SeatPanel
from ui.state.targets import NamedKey
from ui.words import amount_of, text, written


def panel_amount(panel: SeatPanel, view: TableView) -> Asked:
    """What OK does for this seat: its bet in a hand, its chips between hands."""
    n = panel.seat
    if not _between_hands(view):
        return Asked(text.BET_CORRECTION.format(n), partial(sending.floor_bet, n))
    seat = seat_view(view, n)
    if seat is None or seat.status == "empty":
        return Asked(text.SIT_DOWN.format(n), partial(sending.sit, n))
    return Asked(text.ADD_CHIPS.format(n), partial(sending.add, n))


def panel_keys(panel: SeatPanel, view: TableView) -> tuple[Key, ...]:
    """The keys of a seat under correction, ten at most; those that need an amount are live once one is typed."""
    return _player_keys(panel, view) if _between_hands(view) else _hand_keys(panel, view)


def _between_hands(view: TableView) -> bool:
    return view.phase in ("idle", "over")


def _with_amount(
    target: NamedKey, label: str, step: Callable[[int, int], str], panel: SeatPanel, view: TableView
) -> Key:
    amount = amount_of(panel.typed, view.money)
    if amount is None:
        return Key(target, label, text.NEEDS_AMOUNT, enabled=False)
    return Key(target, label, written(amount, view.money), step(panel.seat, amount))


def _returned(n: int, seat: SeatView | None, view: TableView) -> Key:
    due = seat.due_back if seat else 0
    return Key(
        NamedKey.RETURN, text.RETURN, written(due, view.money) if due else "", sending.give_back(n), enabled=due > 0
    )


def _hand_keys(panel: SeatPanel, view: TableView) -> tuple[Key, ...]:
    n = panel.seat
    seat = seat_view(view, n)
    amount = amount_of(panel.typed, view.money)
    raise_detail = text.TO.format(written(amount, view.money)) if amount else ""
    held = bool(seat and seat.held)
    in_hand = bool(seat and seat.status not in ("empty", "away", "out"))
    live = bool(seat and seat.status in ("to-act", "waiting", "acted"))
    return (
        Key(NamedKey.SAID_RAISE, text.SAID_RAISE, raise_detail, sending.said_raise(n, amount), in_hand),
        Key(NamedKey.SAID_CALL, text.SAID_CALL, "", sending.said_call(n), in_hand),
        _returned(n, seat, view),
        _with_amount(NamedKey.TAKES, text.TAKES, sending.takes, panel, view),
        _with_amount(NamedKey.STACK, text.COUNTED, sending.stack, panel, view),
        Key(NamedKey.RELEASE, text.RELEASE, text.RELEASE_DETAIL, sending.floor_release(n), held, "floor"),
        Key(NamedKey.BIND, text.BIND, text.BIND_DETAIL, sending.floor_bind(n), held, "floor"),
        Key(NamedKey.TURN, text.TURN_HERE, "", sending.floor_turn(n), live, "floor"),
        Key(NamedKey.FOLDS, text.FOLDS, "", sending.fold(n), live),
        Key(NamedKey.DEAD, text.DEAD, "", sending.floor_dead(n), in_hand and live, "floor"),
    )


def _player_keys(panel: SeatPanel, view: TableView) -> tuple[Key, ...]:
    n = panel.seat
    seat = seat_view(view, n)
    taken = seat is not None and seat.status != "empty"
    away = seat is not None and seat.status == "away"
    amount_keys = (
        _with_amount(NamedKey.REMOVE, text.REMOVES, sending.remove, panel, view),
        _with_amount(NamedKey.STACK, text.COUNTED, sending.stack, panel, view),
        _with_amount(NamedKey.TIP, text.TIP, sending.tip, panel, view),
        _with_amount(NamedKey.TIME, text.TIME, sending.time, panel, view),
    )
    return (
        *(key if taken else replace(key, enabled=False, do="") for key in amount_keys),
        _returned(n, seat, view),
        Key(NamedKey.AWAY, text.AWAY, "", sending.away(n), taken and not away),
        Key(NamedKey.BACK, text.IS_BACK, "", sending.back(n), away),
        Key(NamedKey.LOST, text.STACK_LOST, "", sending.stack_unknown(n), taken),
        Key(NamedKey.LEAVE, text.LEAVES, "", sending.leave(n), taken),
    )
