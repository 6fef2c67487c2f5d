"""Which keys there are, what they say, and what they send: pure functions of the view."""

from __future__ import annotations

from dataclasses import dataclass

from controller.view import Choice, SeatView, TableView
from ui.state import sending
from ui.state.targets import NamedKey, Offered, Target
from ui.words import text, written


@dataclass(frozen=True, slots=True)
class Key:
    """One key. `do` is the step it sends; empty where it only changes what the screen shows."""

    target: Target
    label: str
    detail: str = ""
    do: str = ""
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
        Key(NamedKey.FOLD, text.FOLD, do=sending.fold(turn), enabled="fold" in can),
        _check_call(view, turn, can),
        _bet_raise(view, turn, can),
        _pot(view, turn, can),
        _all_in(view, turn, can),
    )


def _check_call(view: TableView, turn: int, can: set[str]) -> Key:
    if "call" in can:
        label = f"{text.CALL} {written(view.to_call, view.money)}" if view.to_call is not None else text.CALL
        who = seat_view(view, turn)
        short = who is not None and who.stack is not None and view.to_call == who.stack
        return Key(NamedKey.CALL, label, text.ALL_IN if short else "", sending.call(turn), tone="main")
    if "check" in can:
        return Key(NamedKey.CALL, text.CHECK, do=sending.check(turn), tone="main")
    return Key(NamedKey.CALL, text.CHECK_OR_CALL, enabled=False)


def _bet_raise(view: TableView, turn: int, can: set[str]) -> Key:
    opening = "bet" in can
    least, most = view.min_raise_to, view.max_raise_to
    amount = written(least, view.money)
    if not opening and "raise" not in can:
        if "complete" in can:
            detail = text.TO.format(amount) if least is not None else ""
            return Key(NamedKey.RAISE, text.COMPLETE, detail, sending.complete(turn), tone="main")
        return Key(NamedKey.RAISE, text.BET_OR_RAISE, enabled=False)
    label = text.BET if opening else text.RAISE
    if view.limit == "fixed" and least is not None and least == most:
        do = sending.bet(turn, least) if opening else sending.raise_to(turn, least)
        return Key(NamedKey.RAISE, label, amount if opening else text.TO.format(amount), do, tone="main")
    return Key(NamedKey.RAISE, label + " ...", tone="main")


def _pot(view: TableView, turn: int, can: set[str]) -> Key:
    label = text.HALF_POT if view.limit == "half-pot" else text.POT
    most = view.max_raise_to
    if view.limit not in ("pot", "half-pot") or most is None or not can & {"bet", "raise"}:
        return Key(NamedKey.POT, label, enabled=False)
    opening = "bet" in can
    if view.limit == "pot":
        do = sending.pot(turn)
    else:
        do = sending.bet(turn, most) if opening else sending.raise_to(turn, most)
    amount = written(most, view.money)
    return Key(NamedKey.POT, label, amount if opening else text.TO.format(amount), do, tone="strong")


def _all_in(view: TableView, turn: int, can: set[str]) -> Key:
    """The book's stack is an estimate: whoever may put chips in may say all-in, whatever it says."""
    who = seat_view(view, turn)
    if who is None or not can & {"bet", "call", "complete", "raise"}:
        return Key(NamedKey.ALL_IN, text.ALL_IN, enabled=False)
    detail = written(who.stack, view.money) if who.stack is not None else ""
    return Key(NamedKey.ALL_IN, text.ALL_IN, detail, sending.all_in(turn), tone="strong")


def _offered(view: TableView, *wanted: str) -> Choice | None:
    """The first of these steps that the view offers."""
    return next((choice for choice in view.next if choice.do in wanted), None)


def _awards(view: TableView) -> tuple[str, ...]:
    """Each step that gives one pot, to be completed or to one seat."""
    return tuple(sending.award(pot.name, seats) for pot in view.pots for seats in ((), *((n,) for n in pot.seats)))


def award_ready(view: TableView) -> bool:
    """True when a pot can be given."""
    return _offered(view, *_awards(view)) is not None or (
        view.phase in ("closed", "over") and any(pot.amount for pot in view.pots)
    )


def steps(view: TableView) -> tuple[Key, Key, Key]:
    """Deal, award, next hand: always in their places, greyed out until the view offers them."""
    award = _offered(view, *_awards(view))
    award_detail = award.label if award is not None and award.label.upper() != text.AWARD else ""
    return (
        _step(NamedKey.DEAL, text.DEAL, _offered(view, sending.deal())),
        Key(NamedKey.AWARD, text.AWARD, award_detail, enabled=award_ready(view), tone="main"),
        _step(NamedKey.HAND, text.NEXT_HAND, _offered(view, sending.hand())),
    )


def _step(target: NamedKey, label: str, choice: Choice | None) -> Key:
    if choice is None:
        return Key(target, label, enabled=False, tone="main")
    return Key(target, label, _detail(choice, label), choice.do, tone="main")


def _detail(choice: Choice, label: str) -> str:
    """The words of a step, where they say more than its key does."""
    words = choice.label
    return words[len(label) :].strip() if words.upper().startswith(label) else words


def extra_steps(view: TableView) -> tuple[Key, ...]:
    """Steps that have no key of their own: push chips back, name the first seat, deal closing."""
    others = (sending.deal(), sending.hand(), *_awards(view))
    return tuple(
        Key(Offered(index), choice.label, do=choice.do, tone="main")
        for index, choice in enumerate(view.next)
        if choice.do not in others
    )


def always(view: TableView, *, correcting: bool = False) -> tuple[Key, Key, Key]:
    """Undo (names what it undoes), correct, call floor."""
    called = any(alert.code == "floor-called" for alert in view.alerts)
    correct = text.CANCEL if correcting else text.CORRECT
    return (
        Key(NamedKey.UNDO, text.UNDO, view.undo, sending.undo(), bool(view.undo), "undo"),
        Key(NamedKey.CORRECT, correct, tone="pressed" if correcting else "quiet"),
        Key(NamedKey.FLOOR, text.CALL_FLOOR, text.FLOOR_COMES if called else "", sending.call_floor(), tone="floor"),
    )


def misdeal(view: TableView) -> Key:
    """Void the hand; while there is one to void."""
    playing = view.phase in ("betting", "closed")
    return Key(NamedKey.VOID, text.VOID, text.VOID_DETAIL, sending.void(), playing, "floor")


def named_step(view: TableView, seat: int) -> str | None:
    """The step that a touch on a seat means while nobody has the turn: who acts first, who brings in."""
    choice = _offered(view, sending.first(seat), sending.bring_in(seat))
    return choice.do if choice is not None else None
