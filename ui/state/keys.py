"""Which keys there are, what they say (as codes) and what they send: pure functions of the view."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Final

from controller.view import Choice, Label, SeatView, TableView, Told
from controller.words import ScreenKey
from ui.state import sending
from ui.state.modes import Do, Mode, Sure
from ui.state.targets import NamedKey, Offered, Target


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
    opens: Mode | None = None
    """What the screen is busy with after it."""
    seat: int = 0
    """The seat that the words of the detail can name."""


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
        label: ScreenKey = "call" if view.to_call is None else "bring-in-amount" if view.brings_in else "call-amount"
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
    """The book's stack is an estimate: whoever may put chips in may say all-in, whatever it says. The key names what it
    comes to by the rules."""
    who = seat_view(view, turn)
    if who is None or not can & {"bet", "call", "complete", "raise"}:
        return Key(NamedKey.ALL_IN, "all-in", enabled=False)
    comes_to = view.all_in.did.amount if view.all_in is not None else who.stack
    detail: ScreenKey | None = ("to" if "raise" in can else "amount") if comes_to else None
    return Key(NamedKey.ALL_IN, "all-in", detail, comes_to or None, partial(sending.all_in, turn), tone="all-in-key")


# --- what the view offers ---

OF_A_SEAT: frozenset[Label] = frozenset({"posts", "straddles", "kills", "buys-button"})
"""Offered seat by seat: they stand among the keys of their seat."""
BY_A_TOUCH: frozenset[Label] = frozenset({"acts-first", "brings-in"})
"""Offered seat by seat: a touch on the seat is the answer."""
THE_FLOORS: frozenset[Label] = frozenset({"plays-game"})
"""What only the floor's badge allows."""
WITH_A_KEY: frozenset[Label] = frozenset({"deal", "next-hand"})
"""What is offered and has a key of its own."""
MOST_OFFERS: Final = 3
"""Keys of the main page for what the view offers."""


def _offered(view: TableView, label: Label) -> Choice | None:
    """The first choice of that kind that the view offers."""
    return next((choice for choice in view.next if choice.label == label), None)


def award_ready(view: TableView) -> bool:
    """True when a pot can be given."""
    return bool(view.give) or _offered(view, "award") is not None


def awards_next(view: TableView) -> bool:
    """True when nothing is left to do but to give the pots: a touch on a seat says who wins."""
    return view.turn is None and _offered(view, "deal") is None and award_ready(view)


def go_on(view: TableView) -> Key:
    """The one step that goes on with the hand: deal, give a pot, the next hand. A pot of one seat is given at once."""
    deal, hand, sole = _offered(view, "deal"), _offered(view, "next-hand"), _offered(view, "award")
    if deal is not None:
        return Key(NamedKey.DEAL, deal, do=_sends(deal), tone="main")
    if hand is not None:
        return Key(NamedKey.HAND, hand, do=_sends(hand), tone="main")
    if award_ready(view):
        if sole is None or view.give not in ("", sole.values.pot):
            return Key(NamedKey.AWARD, "award", tone="main")
        return Key(NamedKey.AWARD, "award", "to-seat", seat=sole.values.seat, do=_sends(sole), tone="main")
    return Key(NamedKey.DEAL, "deal", enabled=False, tone="main")


def _sends(choice: Choice | None) -> Do | None:
    return None if choice is None else partial(sending.offered, choice)


def extra_steps(view: TableView) -> tuple[Key, ...]:
    """Steps that are offered and have no key of their own: push chips back, run it twice, chop."""
    dealing = _offered(view, "deal") is not None
    return tuple(
        Key(Offered(index), choice, do=_sends(choice), tone="floor" if choice.label in THE_FLOORS else "main")
        for index, choice in enumerate(view.next)
        if choice.label not in WITH_A_KEY | OF_A_SEAT | BY_A_TOUCH and (dealing or choice.label != "award")
    )


def offered_to(view: TableView, seat: int) -> tuple[Key, ...]:
    """What is offered to that seat: to post, to straddle, to buy the button."""
    return tuple(
        Key(Offered(index), choice, do=_sends(choice), tone="main")
        for index, choice in enumerate(view.next)
        if choice.label in OF_A_SEAT and choice.values.seat == seat
    )


def offers(screen_shows_pot: bool, view: TableView) -> tuple[Key, ...]:
    """The keys of what the moment offers, as many as the main page has room for."""
    found = extra_steps(view)
    if view.show_pot == "on-request":
        found = (*found, Key(NamedKey.SHOW_POT, "hide-pot" if screen_shows_pot else "show-pot", tone="quiet"))
    room = MOST_OFFERS - (2 if view.redo is not None else 0)
    return found if len(found) <= room else (*found[: room - 1], Key(NamedKey.OFFERS, "more-offers"))


def undo(view: TableView) -> Key:
    """Undo: names what it takes back, and asks before it goes back into the hand before."""
    do = partial(sending.undo)
    if view.undo_crosses:
        return Key(NamedKey.UNDO, "undo", view.undo, opens=Sure("undo-crosses", do), tone="undo")
    return Key(NamedKey.UNDO, "undo", view.undo, do=do, enabled=view.undo is not None, tone="undo")


def redo(view: TableView) -> Key | None:
    """Redo, where something was undone: names what it does again, and asks before it goes on into the next hand."""
    if view.redo is None:
        return None
    do = partial(sending.redo)
    if view.redo_crosses:
        return Key(NamedKey.REDO, "redo", view.redo, opens=Sure("redo-crosses", do), tone="undo")
    return Key(NamedKey.REDO, "redo", view.redo, do=do, tone="undo")


def call_floor(view: TableView) -> Key:
    """Calls the floor."""
    called = any(alert.code == "floor-called" for alert in view.alerts)
    return Key(
        NamedKey.FLOOR, "call-floor", "floor-comes" if called else None, do=partial(sending.call_floor), tone="floor"
    )


def named_step(view: TableView, seat: int) -> Do | None:
    """The step that a touch on a seat means while nobody has the turn: who acts first, who brings in."""
    names = (choice for choice in view.next if choice.label in BY_A_TOUCH)
    return _sends(next((choice for choice in names if choice.values.seat == seat), None))


def seat_wanted(view: TableView) -> Label | None:
    """What the next touch on a seat is to say, while nobody has the turn: who acts first, who brings in."""
    return next((choice.label for choice in view.next if choice.label in BY_A_TOUCH), None)
