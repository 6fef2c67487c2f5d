"""The keys of one seat while it is put right: in a hand what it did, between hands what its player does."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from controller.view import SeatView, TableView
from controller.words import ScreenKey
from ui.state import sending
from ui.state.keys import Key, seat_view
from ui.state.modes import Asked, SeatPanel
from ui.state.targets import NamedKey
from ui.state.typed import amount_of


def panel_amount(panel: SeatPanel, view: TableView) -> Asked:
    """What OK does for this seat: its bet in a hand, its chips between hands."""
    n = panel.seat
    if not _between_hands(view):
        return Asked("bet-correction", partial(sending.floor_bet, n), n)
    seat = seat_view(view, n)
    if seat is None or seat.status == "empty":
        return Asked("sits-with", partial(sending.sit, n), n)
    return Asked("adds-chips", partial(sending.add, n), n)


def panel_keys(panel: SeatPanel, view: TableView) -> tuple[Key, ...]:
    """The keys of a seat under correction, ten at most; those that need an amount are live once one is typed."""
    return _player_keys(panel, view) if _between_hands(view) else _hand_keys(panel, view)


def _between_hands(view: TableView) -> bool:
    return view.phase in ("idle", "over")


def _with_amount(
    target: NamedKey, label: ScreenKey, step: Callable[[int, int], str], panel: SeatPanel, view: TableView
) -> Key:
    amount = amount_of(panel.typed, view.money)
    if amount is None:
        return Key(target, label, "needs-amount", enabled=False)
    return Key(target, label, "amount", amount, partial(step, panel.seat, amount))


def _or_count(key: Key, label: ScreenKey, what: str, panel: SeatPanel, view: TableView) -> Key:
    """The key; where it wants for an amount and there is a pad, one that has the seat's bet or stack counted there."""
    if key.enabled or not view.pad:
        return key
    return Key(key.target, label, "on-the-pad", do=partial(sending.count, what, panel.seat))


def _stack(panel: SeatPanel, view: TableView) -> Key:
    typed = _with_amount(NamedKey.STACK, "stack-is", sending.stack, panel, view)
    return _or_count(typed, "count-stack", "stack", panel, view)


def _returned(n: int, seat: SeatView | None) -> Key:
    due = seat.due_back if seat else 0
    do = partial(sending.give_back, n)
    return Key(NamedKey.RETURN, "returned", "amount" if due else None, due, do, enabled=due > 0)


def _hand_keys(panel: SeatPanel, view: TableView) -> tuple[Key, ...]:
    n = panel.seat
    seat = seat_view(view, n)
    amount = amount_of(panel.typed, view.money)
    raised: ScreenKey | None = "to" if amount else None
    said_raise = partial(sending.said_raise, n, amount)
    held = bool(seat and seat.held)
    in_hand = bool(seat and seat.status not in ("empty", "away", "out"))
    live = bool(seat and seat.status in ("to-act", "waiting", "acted"))
    takes = _with_amount(NamedKey.TAKES, "takes-back", sending.takes, panel, view)
    return (
        Key(NamedKey.SAID_RAISE, "said-raise", raised, amount, said_raise, in_hand),
        Key(NamedKey.SAID_CALL, "said-call", None, None, partial(sending.said_call, n), in_hand),
        _returned(n, seat),
        _or_count(takes, "count-bet", "bet", panel, view) if in_hand else takes,
        _stack(panel, view),
        Key(NamedKey.RELEASE, "release", "release-detail", None, partial(sending.floor_release, n), held, "floor"),
        Key(NamedKey.BIND, "bind", "bind-detail", None, partial(sending.floor_bind, n), held, "floor"),
        Key(NamedKey.TURN, "turn-here", None, None, partial(sending.floor_turn, n), live, "floor"),
        Key(NamedKey.FOLDS, "folds", None, None, partial(sending.fold, n), live),
        Key(NamedKey.DEAD, "dead-hand", None, None, partial(sending.floor_dead, n), in_hand and live, "floor"),
    )


def _player_keys(panel: SeatPanel, view: TableView) -> tuple[Key, ...]:
    n = panel.seat
    seat = seat_view(view, n)
    taken = seat is not None and seat.status != "empty"
    away = seat is not None and seat.status == "away"
    buys_in = partial(sending.count, "buy-in", n)
    amount_keys = (
        _with_amount(NamedKey.REMOVE, "removes", sending.remove, panel, view),
        _stack(panel, view),
        _with_amount(NamedKey.TIP, "tip", sending.tip, panel, view),
        _with_amount(NamedKey.TIME, "time", sending.time, panel, view),
    )
    return (
        *(key if taken else replace(key, enabled=False, do=None) for key in amount_keys),
        _returned(n, seat),
        Key(NamedKey.AWAY, "away", None, None, partial(sending.away, n), taken and not away),
        Key(NamedKey.BACK, "back", None, None, partial(sending.back, n), away),
        Key(NamedKey.LOST, "stack-lost", None, None, partial(sending.stack_unknown, n), taken),
        Key(NamedKey.LEAVE, "leaves", None, None, partial(sending.leave, n), taken),
        *((Key(NamedKey.COUNT, "count-buy-in", "on-the-pad", None, buys_in),) if view.pad else ()),
    )
