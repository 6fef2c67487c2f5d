"""Which keys there are, what they say, and what they send: pure functions of the view."""

from __future__ import annotations

from dataclasses import dataclass

from controller.view import Choice, SeatView, TableView
from ui import text
from ui.amounts import written


@dataclass(frozen=True, slots=True)
class Key:
    """One key. `do` is the step it sends; empty where it only changes what the screen shows."""

    id: str
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
    turn = view.turn
    can = set(view.may) if turn is not None else set()
    return (
        Key("fold", text.FOLD, do=f"{turn} fold", enabled="fold" in can),
        _check_call(view, can),
        _bet_raise(view, can),
        _pot(view, can),
        _all_in(view, can),
    )


def _check_call(view: TableView, can: set[str]) -> Key:
    if "call" in can:
        label = f"{text.CALL} {written(view.to_call, view.money)}" if view.to_call is not None else text.CALL
        who = seat_view(view, view.turn)
        short = who is not None and who.stack is not None and view.to_call == who.stack
        return Key("call", label, text.ALL_IN if short else "", f"{view.turn} call", tone="main")
    if "check" in can:
        return Key("call", text.CHECK, do=f"{view.turn} check", tone="main")
    return Key("call", text.CHECK_OR_CALL, enabled=False)


def _bet_raise(view: TableView, can: set[str]) -> Key:
    opening = "bet" in can
    if not opening and "raise" not in can:
        if "complete" in can:
            amount = written(view.min_raise_to, view.money)
            detail = text.TO.format(amount) if view.min_raise_to is not None else ""
            return Key("raise", text.COMPLETE, detail, f"{view.turn} complete", tone="main")
        return Key("raise", text.BET_OR_RAISE, enabled=False)
    label = text.BET if opening else text.RAISE
    least, most = view.min_raise_to, view.max_raise_to
    if view.limit == "fixed" and least is not None and least == most:
        words = f"{view.turn} bet {least}" if opening else f"{view.turn} raise to {least}"
        amount = written(least, view.money)
        return Key("raise", label, amount if opening else text.TO.format(amount), words, tone="main")
    return Key("raise", label + " ...", tone="main")


def _pot(view: TableView, can: set[str]) -> Key:
    label = text.HALF_POT if view.limit == "half-pot" else text.POT
    bounded = view.limit in ("pot", "half-pot") and view.max_raise_to is not None
    if not bounded or not can & {"bet", "raise"}:
        return Key("pot", label, enabled=False)
    amount = written(view.max_raise_to, view.money)
    if view.limit == "pot":
        words = f"{view.turn} pot"
    elif "bet" in can:
        words = f"{view.turn} bet {view.max_raise_to}"
    else:
        words = f"{view.turn} raise to {view.max_raise_to}"
    return Key("pot", label, amount if "bet" in can else text.TO.format(amount), words, tone="strong")


def _all_in(view: TableView, can: set[str]) -> Key:
    """The book's stack is an estimate: whoever may put chips in may say all-in, whatever it says."""
    who = seat_view(view, view.turn)
    if who is None or not can & {"bet", "call", "complete", "raise"}:
        return Key("all-in", text.ALL_IN, enabled=False)
    detail = written(who.stack, view.money) if who.stack is not None else ""
    return Key("all-in", text.ALL_IN, detail, f"{view.turn} all-in", tone="strong")


def _first(view: TableView, word: str) -> Choice | None:
    return next((choice for choice in view.next if choice.do.split(" ", 1)[0] == word), None)


def award_ready(view: TableView) -> bool:
    """True when a pot can be given."""
    return _first(view, "award") is not None or (
        view.phase in ("closed", "over") and any(pot.amount for pot in view.pots)
    )


def steps(view: TableView) -> tuple[Key, Key, Key]:
    """Deal, award, next hand: always in their places, greyed out until the view offers them."""
    deal, hand, award = _first(view, "deal"), _first(view, "hand"), _first(view, "award")
    award_detail = award.label if award is not None and award.label.upper() != text.AWARD else ""
    return (
        Key("deal", text.DEAL, _detail(deal, text.DEAL), deal.do if deal else "", deal is not None, "main"),
        Key("award", text.AWARD, award_detail, enabled=award_ready(view), tone="main"),
        Key(
            "hand",
            text.NEXT_HAND,
            _detail(hand, text.NEXT_HAND),
            hand.do if hand else "",
            hand is not None,
            "main",
        ),
    )


def _detail(choice: Choice | None, label: str) -> str:
    """The words of a step, where they say more than its key does."""
    if choice is None or choice.label.upper() == label:
        return ""
    shorter = choice.label
    if shorter.upper().startswith(label):
        shorter = shorter[len(label) :].strip()
    return shorter


def extra_steps(view: TableView) -> tuple[Key, ...]:
    """Steps that have no key of their own: push chips back, name the first seat, deal closing."""
    used = {choice.do for choice in (_first(view, "deal"), _first(view, "hand")) if choice is not None}
    return tuple(
        Key(f"step {index}", choice.label, do=choice.do, tone="main")
        for index, choice in enumerate(view.next)
        if choice.do not in used and not choice.do.startswith("award")
    )


def always(view: TableView, *, correcting: bool = False) -> tuple[Key, Key, Key]:
    """Undo (names what it undoes), correct, call floor."""
    called = any(alert.code == "floor-called" for alert in view.alerts)
    return (
        Key("undo", text.UNDO, view.undo, "undo", bool(view.undo), "undo"),
        Key("correct", text.CANCEL if correcting else text.CORRECT, tone="pressed" if correcting else "quiet"),
        Key("floor", text.CALL_FLOOR, text.FLOOR_COMES if called else "", "call floor", tone="floor"),
    )


def named_step(view: TableView, seat: int) -> str | None:
    """The step that a touch on a seat means while nobody has the turn: who acts first, who brings in."""
    wanted = (f"first {seat}", f"bring-in {seat}")
    return next((choice.do for choice in view.next if choice.do in wanted), None)
