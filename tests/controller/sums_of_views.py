"""What has to add up in every view, whatever happened: the largest bet, all-in, the pots, what stands at a seat."""

from __future__ import annotations

from controller.view import LargestView, SeatView, TableView


def check_sums(view: TableView) -> None:
    """Fails where the view says two things that do not agree."""
    in_turn = view.turn is not None
    assert (view.largest is None, view.all_in is None) == (not in_turn, not in_turn)
    if view.largest is not None:
        _check_largest(view, view.largest)
    if view.all_in is not None and view.all_in.did.verb in ("bet", "raise", "complete"):
        assert view.max_raise_to is None or view.all_in.did.amount <= view.max_raise_to, "all-in over the limit"
    for amount in (view.pot_to, view.half_pot_to):
        assert amount is None or (view.min_raise_to or 0) <= amount <= (view.max_raise_to or amount)
    for pot in view.pots:
        assert 0 <= pot.uncalled <= max(0, pot.amount)
        assert not pot.uncalled or len(pot.seats) == 1
        assert not pot.odd_first or sorted(pot.odd_first) == sorted(pot.seats)
    assert view.give in ("", *(pot.name for pot in view.pots))
    assert not view.give or view.phase == "closed"
    labels = [choice.label for choice in view.next]
    assert not ("deal" in labels and any(seat.owes for seat in view.seats)), "dealt while chips are owed"
    assert len(view.lately) <= 3
    for seat in view.seats:
        _check_seat(view, seat)


def _check_largest(view: TableView, largest: LargestView) -> None:
    parts, pot = {part.what: part.amount for part in largest.parts}, [part.amount for part in largest.pot]
    assert all([*parts.values(), *pot])
    assert sum(part.amount for part in largest.parts) == (largest.most or 0)
    assert (largest.most is None) == (view.game.structure == "no-limit")
    if "pot" in parts or "half-pot" in parts:
        assert sum(pot) == parts["pot"] if "pot" in parts else sum(pot) // 2 == parts["half-pot"]
    if view.max_raise_to is not None and view.limit not in ("stack", "cap"):
        assert view.max_raise_to == largest.most, "the largest raise is not what it is made up of"
    if view.max_raise_to is not None and view.limit in ("stack", "cap") and largest.most is not None:
        assert view.max_raise_to <= largest.most
        assert not largest.reaches
    assert bool(largest.why_no_raise) == (not {"bet", "raise", "complete"}.intersection(view.may))


def _check_seat(view: TableView, seat: SeatView) -> None:
    assert seat.presumed != "check" or seat.status not in ("to-act", "waiting"), "presumed of a seat to act"
    assert not (seat.blind and view.phase in ("betting", "closed") and view.round > 1), "a blind of an earlier round"
    playing = seat.status in ("to-act", "waiting", "acted", "folded", "all-in") and view.phase in ("betting", "closed")
    assert not (playing and seat.why_out)
    if view.phase in ("betting", "closed") and seat.status in ("away", "out"):
        assert seat.why_out, "not in the hand, and nobody says why"
    assert not seat.may_post or seat.post
