"""What the screen is busy with besides showing the table: typing an amount, correcting a seat, giving a pot.

Frozen values; none of them outlives the hand (for a wager: the turn) that it was opened in.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from controller.view import TableView
from ui import amounts, text
from ui.amounts import written
from ui.keys import Key, seat_view


@dataclass(frozen=True, slots=True)
class Normal:
    """Nothing: a touch on a seat says that the action is there."""


@dataclass(frozen=True, slots=True)
class Correcting:
    """The next touch on a seat opens its keys, one on the pot its count."""


@dataclass(frozen=True, slots=True)
class Pad:
    """An amount is being typed; OK sends `template` with it."""

    title: str
    template: str
    keys: str = ""
    wager: bool = False
    """A bet or raise of the seat in turn: the bounds of the view are its quick amounts."""


@dataclass(frozen=True, slots=True)
class SeatPanel:
    """One seat is being put right; digits typed serve whichever of its keys is touched next."""

    seat: int
    keys: str = ""


Half = Literal["whole", "high", "low"]


@dataclass(frozen=True, slots=True)
class Award:
    """A pot is being given: the seats touched so far, in their order."""

    pot: str
    half: Half = "whole"
    high: tuple[int, ...] = ()
    """The winners, of the whole pot or of its high half."""
    low: tuple[int, ...] = ()


Mode = Normal | Correcting | Pad | SeatPanel | Award


def wager(view: TableView) -> Pad:
    """The pad for the bet or raise of the seat in turn."""
    if "bet" in view.may:
        return Pad(text.BET_IS.format(view.turn), f"{view.turn} bet {{}}", wager=True)
    return Pad(text.RAISE_TO.format(view.turn), f"{view.turn} raise to {{}}", wager=True)


def pad_hint(pad: Pad, view: TableView) -> str:
    """What to know about the typed wager. It may be sent all the same: the table rules on it."""
    amount = amounts.typed(pad.keys, view.money)
    if not pad.wager or not amount:
        return ""
    if view.min_raise_to is not None and amount < view.min_raise_to:
        return text.BELOW.format(written(view.min_raise_to, view.money))
    if view.max_raise_to is not None and amount > view.max_raise_to:
        return text.ABOVE.format(written(view.max_raise_to, view.money))
    return ""


def panel_entry(panel: SeatPanel, view: TableView) -> tuple[str, str]:
    """Title and template of what OK does for this seat: its bet in a hand, its chips between hands."""
    seat = seat_view(view, panel.seat)
    if view.phase in ("idle", "over"):
        if seat is None or seat.status == "empty":
            return text.SIT_DOWN.format(panel.seat), f"{panel.seat} sit {{}}"
        return text.ADD_CHIPS.format(panel.seat), f"{panel.seat} add {{}}"
    return text.BET_CORRECTION.format(panel.seat), f"floor bet {panel.seat} {{}}"


def panel_keys(panel: SeatPanel, view: TableView) -> tuple[Key, ...]:
    """The ten keys of a seat under correction; those that need an amount are live once one is typed."""
    if view.phase in ("idle", "over"):
        return _between_hands(panel, view)
    return _in_hand(panel, view)


def _with_amount(key: str, label: str, template: str, panel: SeatPanel, view: TableView) -> Key:
    amount = amounts.typed(panel.keys, view.money)
    if amount is None:
        return Key(key, label, text.NEEDS_AMOUNT, enabled=False)
    return Key(key, label, written(amount, view.money), template.format(amount))


def _in_hand(panel: SeatPanel, view: TableView) -> tuple[Key, ...]:
    n = panel.seat
    seat = seat_view(view, n)
    amount = amounts.typed(panel.keys, view.money)
    raise_words = f"{n} said raise to {amount}" if amount else f"{n} said raise"
    raise_detail = text.TO.format(written(amount, view.money)) if amount else ""
    due = seat.due_back if seat else 0
    held = bool(seat and seat.held)
    in_hand = bool(seat and seat.status not in ("empty", "away", "out"))
    live = bool(seat and seat.status in ("to-act", "waiting", "acted"))
    return (
        Key("said raise", text.SAID_RAISE, raise_detail, raise_words, in_hand),
        Key("said call", text.SAID_CALL, "", f"{n} said call", in_hand),
        Key("return", text.RETURN, written(due, view.money) if due else "", f"return {n}", due > 0),
        _with_amount("takes", text.TAKES, f"{n} takes {{}}", panel, view),
        _with_amount("stack", text.COUNTED, f"{n} stack {{}}", panel, view),
        Key("release", text.RELEASE, text.RELEASE_DETAIL, f"floor release {n}", held, "floor"),
        Key("bind", text.BIND, text.BIND_DETAIL, f"floor bind {n}", held, "floor"),
        Key("turn", text.TURN_HERE, "", f"floor turn {n}", live, "floor"),
        Key("folds", text.FOLDS, "", f"{n} fold", live),
        Key("dead", text.DEAD, "", f"floor dead {n}", in_hand and live, "floor"),
    )


def _between_hands(panel: SeatPanel, view: TableView) -> tuple[Key, ...]:
    n = panel.seat
    seat = seat_view(view, n)
    taken = seat is not None and seat.status != "empty"
    away = seat is not None and seat.status == "away"
    due = seat.due_back if seat else 0
    amount_keys = (
        _with_amount("remove", text.REMOVES, f"{n} remove {{}}", panel, view),
        _with_amount("stack", text.COUNTED, f"{n} stack {{}}", panel, view),
        _with_amount("tip", text.TIP, f"{n} tip {{}}", panel, view),
        _with_amount("time", text.TIME, f"{n} time {{}}", panel, view),
    )
    return (
        *(key if taken else replace(key, enabled=False, do="") for key in amount_keys),
        Key("return", text.RETURN, written(due, view.money) if due else "", f"return {n}", due > 0),
        Key("away", text.AWAY, "", f"{n} away", taken and not away),
        Key("back", text.IS_BACK, "", f"{n} back", away),
        Key("lost", text.STACK_LOST, "", f"{n} stack unknown", taken),
        Key("leave", text.LEAVES, "", f"{n} leave", taken),
    )


def award_start(view: TableView) -> Award | None:
    """The first pot that has something in it; its only seat is touched already."""
    pots = [pot for pot in view.pots if pot.amount]
    if not pots:
        return None
    return award_pot(view, pots[0].name)


def award_pot(view: TableView, name: str) -> Award | None:
    """The pot of that name, to be given; None when there is none."""
    pot = next((one for one in view.pots if one.name == name), None)
    if pot is None:
        return None
    return Award(name, high=pot.seats if len(pot.seats) == 1 else ())


def award_seat(award: Award, view: TableView, seat: int) -> Award:
    """The seat touched: in, or out again. A seat that cannot win the pot changes nothing."""
    pot = next((one for one in view.pots if one.name == award.pot), None)
    if pot is None or seat not in pot.seats:
        return award
    half = award.low if award.half == "low" else award.high
    half = tuple(one for one in half if one != seat) if seat in half else (*half, seat)
    return replace(award, low=half) if award.half == "low" else replace(award, high=half)


def award_half(award: Award, key: str) -> Award:
    """The half that the next seats win; back to the whole pot forgets the low winners."""
    if key == "low":
        return replace(award, half="low")
    if key == "high":
        return replace(award, half="high")
    return replace(award, half="whole", low=())


def award_step(award: Award) -> str:
    """The step that gives it; empty while a half has no winner."""
    high, low = (" ".join(map(str, seats)) for seats in (award.high, award.low))
    if award.half == "whole":
        return f"award {award.pot} {high}" if high else ""
    return f"award {award.pot} high {high} low {low}" if high and low else ""


def pot_name(name: str) -> str:
    """The name of a pot as people say it: "main" is MAIN, "side2" is SIDE 2."""
    if name.startswith("side"):
        return text.SIDE.format(name[4:]).strip()
    return name.upper()


def still_fits(mode: Mode, old: TableView | None, new: TableView) -> bool:
    """False when what the mode was opened for is gone from the new view."""
    if old is None or isinstance(mode, Normal):
        return True
    if isinstance(mode, Pad) and mode.wager:
        return (old.hand, old.round, old.turn) == (new.hand, new.round, new.turn) and new.turn is not None
    if isinstance(mode, Award):
        return any(pot.name == mode.pot and pot.amount for pot in new.pots) and old.hand == new.hand
    return old.hand == new.hand
