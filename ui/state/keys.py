"""Which keys there are, what they say (as codes) and what they send: pure functions of the view."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from controller.view import Choice, Label, SeatView, TableView, Told
from controller.words import ScreenKey
from ui.state import sending
from ui.state.targets import NamedKey, Offered, Target

Do = partial[str]
"""A step to be made by a function of `sending`: it is made when it is sent."""


@dataclass(frozen=True, slots=True)
class Key:
    """One key: what it says and, in smaller letters, how much or for whom. `do` is None where it sends nothing."""

    target: Target
    label: ScreenKey | Choice
    detail: ScreenKey | Choice | Told | None = None
    amount: int | None = None
    """The money that the words of label and detail can name."""
    do: Do | None = None
    enabled: bool = True
    tone: str = "key"


def seat_view(view: TableView, seat: int | None) -> SeatView | None:
    """The seat of that number, or None."""
    return next((one for one in view.seats if one.seat == seat), None)


def action_keys(view: TableView) -> tuple[Key, Key, Key, Key, Key]:
    """Fold, check or call, bet or raise, pot, all-in, for the seat in turn; greyed out where it may not."""
    turn = view.turn or 0  # no seat has that number, and none may do anything then
    can = set(view.may) if turn else set()
    return (
        Key(NamedKey.FOLD, "fold", do=partial(sending.fold, turn), enabled="fold" in can),
        _check_call(view, turn, can),
        _bet_raise(view, turn, can),
        _pot(view, turn, can),
        _all_in(view, turn, can),
    )


def _check_call(view: TableView, turn: int, can: set[str]) -> Key:
    if "call" in can:
        who = seat_view(view, turn)
        short = who is not None and who.stack is not None and view.to_call == who.stack
        label: ScreenKey = "call" if view.to_call is None else "call-amount"
        detail: ScreenKey | None = "all-in" if short else None
        return Key(NamedKey.CALL, label, detail, view.to_call, partial(sending.call, turn), tone="main")
    if "check" in can:
        return Key(NamedKey.CALL, "check", do=partial(sending.check, turn), tone="main")
    return Key(NamedKey.CALL, "check-or-call", enabled=False)


def _bet_raise(view: TableView, turn: int, can: set[str]) -> Key:
    """With limits that leave one amount only the key sends it; else it asks for one."""
    opening = "bet" in can
    least, most = view.min_raise_to, view.max_raise_to
    if not opening and "raise" not in can:
        if "complete" in can:
            detail: ScreenKey | None = "to" if least is not None else None
            return Key(NamedKey.RAISE, "complete", detail, least, partial(sending.complete, turn), tone="main")
        return Key(NamedKey.RAISE, "bet-or-raise", enabled=False)
    if view.limit == "fixed" and least is not None and least == most:
        if opening:
            return Key(NamedKey.RAISE, "bet", "amount", least, partial(sending.bet, turn, least), tone="main")
        return Key(NamedKey.RAISE, "raise", "to", least, partial(sending.raise_to, turn, least), tone="main")
    return Key(NamedKey.RAISE, "bet-asks" if opening else "raise-asks", tone="main")


def _pot(view: TableView, turn: int, can: set[str]) -> Key:
    label: ScreenKey = "half-pot" if view.limit == "half-pot" else "pot"
    most = view.max_raise_to
    if view.limit not in ("pot", "half-pot") or most is None or not can & {"bet", "raise"}:
        return Key(NamedKey.POT, label, enabled=False)
    opening = "bet" in can
    do = partial(sending.bet, turn, most) if opening else partial(sending.raise_to, turn, most)
    if view.limit == "pot":
        do = partial(sending.pot, turn)
    return Key(NamedKey.POT, label, "amount" if opening else "to", most, do, tone="strong")


def _all_in(view: TableView, turn: int, can: set[str]) -> Key:
    """The book's stack is an estimate: whoever may put chips in may say all-in, whatever it says."""
    who = seat_view(view, turn)
    if who is None or not can & {"bet", "call", "complete", "raise"}:
        return Key(NamedKey.ALL_IN, "all-in", enabled=False)
    detail: ScreenKey | None = "amount" if who.stack is not None else None
    return Key(NamedKey.ALL_IN, "all-in", detail, who.stack, partial(sending.all_in, turn), tone="strong")


def _offered(view: TableView, label: Label) -> Choice | None:
    """The first choice of that kind that the view offers."""
    return next((choice for choice in view.next if choice.label == label), None)


def award_ready(view: TableView) -> bool:
    """True when a pot can be given."""
    return _offered(view, "award") is not None or (
        view.phase in ("closed", "over") and any(pot.amount for pot in view.pots)
    )


def steps(view: TableView) -> tuple[Key, Key, Key]:
    """Deal, award, next hand: always in their places, greyed out until the view offers them."""
    deal, hand = _offered(view, "deal"), _offered(view, "next-hand")
    return (
        Key(NamedKey.DEAL, deal or "deal", do=_sends(deal), enabled=deal is not None, tone="main"),
        Key(NamedKey.AWARD, "award", _offered(view, "award"), enabled=award_ready(view), tone="main"),
        Key(NamedKey.HAND, hand or "next-hand", do=_sends(hand), enabled=hand is not None, tone="main"),
    )


def _sends(choice: Choice | None) -> Do | None:
    return None if choice is None else partial(sending.offered, choice)


WITH_A_KEY: frozenset[Label] = frozenset({"deal", "next-hand", "award"})
"""What is offered and has a key of its own."""


def extra_steps(view: TableView) -> tuple[Key, ...]:
    """Steps that have no key of their own: push chips back, name the first seat, close the street."""
    return tuple(
        Key(Offered(index), choice, do=_sends(choice), tone="main")
        for index, choice in enumerate(view.next)
        if choice.label not in WITH_A_KEY
    )


def always(view: TableView, *, correcting: bool = False) -> tuple[Key, Key, Key]:
    """Undo (names what it undoes), correct, call floor."""
    called = any(alert.code == "floor-called" for alert in view.alerts)
    undo, floor = partial(sending.undo), partial(sending.call_floor)
    return (
        Key(NamedKey.UNDO, "undo", view.undo, do=undo, enabled=view.undo is not None, tone="undo"),
        Key(NamedKey.CORRECT, "cancel" if correcting else "correct", tone="pressed" if correcting else "quiet"),
        Key(NamedKey.FLOOR, "call-floor", "floor-comes" if called else None, do=floor, tone="floor"),
    )


def misdeal(view: TableView) -> Key:
    """Void the hand; while there is one to void."""
    playing = view.phase in ("betting", "closed")
    return Key(NamedKey.VOID, "misdeal", "misdeal-detail", do=partial(sending.void), enabled=playing, tone="floor")


def named_step(view: TableView, seat: int) -> Do | None:
    """The step that a touch on a seat means while nobody has the turn: who acts first, who brings in."""
    names = (choice for choice in view.next if choice.label in ("acts-first", "brings-in"))
    return _sends(next((choice for choice in names if choice.values.seat == seat), None))
