"""What an award would do: done on the table as it is, which stays as it is."""

from __future__ import annotations

from controller import presenter
from controller.rules import award_boards, odd_in
from controller.table import Awards, Table, step
from controller.view import AwardPage, Refused, Share


def award_page(table: Table, award: Awards) -> AwardPage | Refused:
    """What each seat would get; or why the pot cannot be given so."""
    refusal = step(table, award).refused
    if refusal is not None:
        return presenter.refused(refusal)
    assert table.hand is not None, "an award that can be done is of a hand"
    done = award_boards(table.hand, award.pot, award.won)
    return AwardPage(
        pot=award.pot,
        amount=sum(done.given.values()),
        shares=_shares(table, done.given),
        odd=_shares(table, odd_in(table.hand, award.pot, award.won)),
        rake=done.rake,
        jackpot=done.jackpot,
        kitty=done.kitty,
    )


def _shares(table: Table, given: dict[int, int]) -> tuple[Share, ...]:
    seats = [seat for seat in sorted(given) if given[seat]]
    return tuple([Share(seat=seat, amount=given[seat], name=table.players[seat].name) for seat in seats])
