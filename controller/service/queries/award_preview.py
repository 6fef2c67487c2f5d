"""The preview of an award: what each seat would get, without a change of the table."""

from __future__ import annotations

import msgspec

from controller import presenter
from controller.rules import Hand, awards, pots
from controller.steps import hand_steps
from controller.table import Table, apply_table_step
from controller.view import (
    RefusalView,
    pages,
)


def award_page(table: Table, award: hand_steps.AwardsPot) -> pages.AwardPage | RefusalView:
    """Return the amount that each seat would get, or the refusal if the pot cannot be awarded this way."""
    refusal = apply_table_step(table, award).refusal
    if refusal is not None:
        return presenter.build_refusal_view(refusal)
    assert table.hand is not None, "an award without a hand would have been refused"
    awarded_pot = awards.award_pot_by_board(table.hand, award.pot, award.board_winners)
    amount = sum(awarded_pot.awarded.values())
    drop = _drop_of_pot(_pot_amount(table.hand, award.pot) - amount, awarded_pot)
    return pages.AwardPage(
        pot=award.pot,
        amount=amount,
        shares=_shares(table, awarded_pot.awarded),
        odd_chips=_odd_chips(table, table.hand, award),
        rake=drop.rake,
        jackpot=drop.jackpot,
        kitty=drop.kitty,
    )


def _pot_amount(hand: Hand, name: str) -> int:
    return next(pot.amount for pot in pots(hand) if pot.name == name)


def _drop_of_pot(paid: int, result: awards.AwardResult) -> awards.Drop:
    """Return the part of the drop that comes out of a pot which pays `paid`, the rake first.

    The drop is due at the first award, which is that of a side pot, but the main pot pays it first.
    """
    rake = min(paid, result.rake)
    jackpot = min(paid - rake, result.jackpot)
    return awards.Drop(rake, jackpot, paid - rake - jackpot)


def _odd_chips(table: Table, hand: Hand, award: hand_steps.AwardsPot) -> tuple[pages.SeatShare, ...]:
    """Return the odd chips of each seat, board by board. The board is 0 if the pot is played on one board."""
    boards = awards.odd_chips_by_board(hand, award.pot, award.board_winners)
    return tuple(
        [
            msgspec.structs.replace(share, board=number if len(boards) > 1 else 0)
            for number, given in enumerate(boards, 1)
            for share in _shares(table, given)
        ]
    )


def _shares(table: Table, given: dict[int, int]) -> tuple[pages.SeatShare, ...]:
    seats = [seat for seat in sorted(given) if given[seat]]
    return tuple([pages.SeatShare(seat=seat, amount=given[seat], name=table.players[seat].name) for seat in seats])
