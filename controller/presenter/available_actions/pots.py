"""The pots of the hand, with the part of the last bet that nobody called."""

from __future__ import annotations

from typing import Final

from controller.presenter.view_inputs import ViewInputs
from controller.rules import Hand, Phase, Pot, pot_division, uncalled_chips
from controller.view import PotView

AWARDABLE_PHASES: Final = frozenset({Phase.CLOSED, Phase.AWARDING})
"""Phases in which the betting round is over.

In these phases a pot may be awarded if nobody can still bet for it.
"""


def pot_views(inputs: ViewInputs) -> tuple[PotView, ...]:
    """Return the pots. If the hand has several boards, each pot includes its part for each board."""
    hand = inputs.hand
    if hand is None:
        return ()
    boards = hand.board_count
    return tuple(
        [
            PotView(
                name=pot.name,
                amount=pot.amount,
                seats=pot.seats,
                boards=pot_division.split_by_board(pot.amount, boards, inputs.game.unit)
                if boards > 1 < len(pot.seats)
                else (),
                uncalled=uncalled_amount(hand, pot),
                odd_first=_odd_chip_order(hand, pot),
            )
            for pot in inputs.balances.pots
        ]
    )


def _odd_chip_order(hand: Hand, pot: Pot) -> tuple[int, ...]:
    """Return the seats of the pot in the order in which they receive odd chips, starting left of the button.

    Return an empty tuple in stud, in which the cards decide the order. Also return an empty tuple for a pot with one
    seat.
    """
    if hand.phase not in AWARDABLE_PHASES or hand.game.variant_rules.opener_by_cards or len(pot.seats) < 2:
        return ()
    return tuple([seat for seat in hand.dealt_seats if seat in pot.seats])


def uncalled_amount(hand: Hand, pot: Pot) -> int:
    """Return the amount of the last bet that nobody called, or 0 if it was called in full.

    This amount is in the last pot, which only the seat that made the bet can win.
    """
    if hand.phase not in AWARDABLE_PHASES or len(pot.seats) != 1:
        return 0
    (seat,) = pot.seats
    top = max([paid + bet for paid, bet in zip(hand.paid_earlier, hand.bets, strict=True)])
    return min(pot.amount, uncalled_chips(hand)) if hand.paid_earlier[seat] + hand.bets[seat] == top else 0
