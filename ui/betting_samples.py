"""What bounds the seat in turn, for reference views: made up of the amounts that they show."""

from __future__ import annotations

from typing import Final, cast

import msgspec

from controller.view import (
    Addend,
    AllInView,
    Did,
    DidVerb,
    LargestView,
    Limit,
    Part,
    PotPart,
    SeatView,
    TableView,
    Told,
)

LIMITS: Final[dict[str, Limit]] = {"pot-limit": "pot", "fixed-limit": "fixed", "no-limit": "none"}
FOLD: Final = Did(verb="fold")


def with_bounds(view: TableView) -> TableView:
    """The view with how its largest raise is made up, what all-in comes to, and what was done before."""
    seat = next((one for one in view.seats if one.seat == view.turn), None)
    if seat is None or view.to_call is None or view.largest is not None:
        return view
    pot = view.game.structure == "pot-limit"
    on_top = _pot_after_call(view, seat, view.to_call) if pot else 0
    word = cast(Addend, next((word for word in view.may if word in ("bet", "complete", "raise")), "raise"))
    parts = (Part("in-front", seat.bet), Part("call", view.to_call), Part("pot" if pot else word, on_top))
    whole = sum(part.amount for part in parts)
    reach = None if seat.stack is None else seat.stack + seat.bet
    most = whole if pot else view.max_raise_to
    plays = min(each for each in (reach, most, view.max_raise_to) if each is not None) if view.max_raise_to else 0
    reaches = reach is not None and plays == reach
    largest = LargestView(
        limit=LIMITS[view.game.structure],
        most=whole if pot else None,
        parts=tuple(part for part in parts if part.amount) if pot else (),
        pot=(PotPart("there", on_top - view.to_call), PotPart("call", view.to_call)) if pot else (),
        stack=seat.stack,
        reaches=view.limit != "stack",
        rule="over-limit" if view.limit == "pot" else "",
    )
    did = Did(verb=cast(DidVerb, word), amount=plays, all_in=reaches)
    return msgspec.structs.replace(
        view,
        largest=largest,
        all_in=AllInView(did=did, total=reach, back=0 if reach is None else max(0, reach - plays)),
        pot_to=whole if pot and view.limit == "pot" else None,
        lately=view.lately or _lately(view),
    )


def _pot_after_call(view: TableView, seat: SeatView, to_call: int) -> int:
    """What the largest raise adds; with a stack below it, what the pot would be."""
    if view.limit == "pot" and view.max_raise_to is not None:
        return view.max_raise_to - seat.bet - to_call
    return view.pot + to_call


def _lately(view: TableView) -> tuple[Told, ...]:
    """Three steps that led to the view: the acts of other seats."""
    others = [seat for seat in view.seats if seat.status in ("acted", "folded", "all-in")]
    told = [
        Told(step="declares", seat=one.seat, did=one.last or FOLD, source=one.bet_source if one.bet else "book")
        for one in others
    ]
    return tuple([each for each in told if each.seat != (view.told.seat if view.told else 0)][-3:])
