"""The preview of an award: what each seat would get, without a change of the table."""

from __future__ import annotations

from controller import presenter
from controller.rules import (
    awards,
)
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
    return pages.AwardPage(
        pot=award.pot,
        amount=sum(awarded_pot.awarded.values()),
        shares=_shares(table, awarded_pot.awarded),
        odd_chips=_shares(table, awards.odd_chips_by_seat(table.hand, award.pot, award.board_winners)),
        rake=awarded_pot.rake,
        jackpot=awarded_pot.jackpot,
        kitty=awarded_pot.kitty,
    )


def _shares(table: Table, given: dict[int, int]) -> tuple[pages.SeatShare, ...]:
    seats = [seat for seat in sorted(given) if given[seat]]
    return tuple([pages.SeatShare(seat=seat, amount=given[seat], name=table.players[seat].name) for seat in seats])
