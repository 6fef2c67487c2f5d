"""Functions that verify that the fields of a view agree: the maximum bet, the all-in, the pots and the seats."""

from __future__ import annotations

from controller.view import LargestBetView, SeatView, TableView


def check_sums(view: TableView) -> None:
    """Raise AssertionError if two fields of the view contradict each other."""
    in_turn = view.turn is not None
    assert (view.largest_bet is None, view.all_in is None) == (not in_turn, not in_turn)
    if view.largest_bet is not None:
        _check_largest(view, view.largest_bet)
    if view.all_in is not None and view.all_in.action.verb in ("bet", "raise", "complete"):
        assert view.max_raise_to is None or view.all_in.action.amount <= view.max_raise_to, (
            "the all-in is more than the largest raise"
        )
    for amount in (view.pot_to, *view.quick_bets.values()):
        assert amount is None or (view.min_raise_to or 0) <= amount <= (view.max_raise_to or amount)
    for pot in view.pots:
        assert 0 <= pot.uncalled <= max(0, pot.amount)
        assert not pot.uncalled or len(pot.seats) == 1
        assert not pot.odd_first or sorted(pot.odd_first) == sorted(pot.seats)
    assert view.next_pot_to_award in ("", *(pot.name for pot in view.pots))
    assert not view.next_pot_to_award or view.phase == "closed"
    labels = [choice.label for choice in view.next_choices]
    assert not ("deal" in labels and any(seat.chips_owed for seat in view.seats)), (
        "the deal is offered while a seat owes chips"
    )
    assert len(view.recent_steps) <= 3
    for seat in view.seats:
        _check_seat(view, seat)


def _check_largest(view: TableView, largest: LargestBetView) -> None:
    parts, pot = {part.kind: part.amount for part in largest.parts}, [part.amount for part in largest.pot_parts]
    assert all([*parts.values(), *pot])
    assert sum(part.amount for part in largest.parts) == (largest.max_total or 0)
    assert (largest.max_total is None) == (view.game.structure == "no-limit")
    if "pot" in parts or "half-pot" in parts:
        assert sum(pot) == parts["pot"] if "pot" in parts else sum(pot) // 2 == parts["half-pot"]
    if view.max_raise_to is not None and view.limit not in ("stack", "cap"):
        assert view.max_raise_to == largest.max_total, "the largest raise differs from the sum of its parts"
    if view.max_raise_to is not None and view.limit in ("stack", "cap") and largest.max_total is not None:
        assert view.max_raise_to <= largest.max_total
        assert not largest.has_enough
    assert bool(largest.no_raise_reason) == (not {"bet", "raise", "complete"}.intersection(view.allowed_actions))


def _check_seat(view: TableView, seat: SeatView) -> None:
    assert seat.presumed_action != "check" or seat.status not in ("to-act", "waiting"), (
        "a check is presumed for a seat that is still to act"
    )
    assert not (seat.blind and view.phase in ("betting", "closed") and view.round > 1), (
        "a blind is shown after the first round"
    )
    playing = seat.status in ("to-act", "waiting", "acted", "folded", "all-in") and view.phase in ("betting", "closed")
    assert not (playing and seat.not_in_hand_reason)
    if view.phase in ("betting", "closed") and seat.status in ("away", "out"):
        assert seat.not_in_hand_reason, "the seat is not in the hand and no reason is given"
    assert not seat.may_post or seat.post_due
