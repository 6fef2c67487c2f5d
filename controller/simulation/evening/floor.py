"""The floor: puts right what the table has wrong, at the end of a round and of a hand, so that one error does not count
a hundred times."""

from __future__ import annotations

from typing import Final

from controller.rules import Phase
from controller.simulation.evening.room import Evening
from controller.table import (
    Counted,
    Declaration,
    Declares,
    FloorPlacesButton,
    FloorSetsBet,
    StartsHand,
    Undoes,
    Voids,
    is_unknown,
    owed,
    owes,
    stack,
    step,
)

MOST_UNDONE: Final = 12
"""Steps of a round that are taken back to be rid of a fold that was none."""


def mend_round(evening: Evening) -> bool:
    """Makes the table's round that of the rules, also in the middle of it; False where that cannot be done."""
    truth = evening.truth.hand
    if truth is None:
        return False
    for _ in range(MOST_UNDONE):
        table = evening.table.hand
        if table is None or table.round != truth.round or evening.table.hands != evening.truth.hands:
            return False
        if not table.folded - truth.folded:
            break
        evening.touch(Undoes())
    _key_acts(evening)
    _set_bets(evening)
    return agrees(evening)


def _key_acts(evening: Evening) -> None:
    """What those that are still to act have done is keyed, in turn."""
    truth = evening.truth.hand
    assert truth is not None
    for _ in range(3 * len(truth.order)):
        table = evening.table.hand
        if table is None or not table.turn or table.turn == truth.turn:
            return
        seat = table.turn
        if not key_act(evening, seat):
            return


def key_act(evening: Evening, seat: int) -> bool:
    """What the seat in turn has done is keyed, with its chips where they are not read; False where that is refused."""
    table, truth = evening.table.hand, evening.truth.hand
    assert table is not None and truth is not None
    if seat in truth.folded:
        words = Declaration("fold")
    elif truth.bets[seat] > table.level:
        words = Declaration("raise" if table.level else "bet", truth.bets[seat])
    else:
        words = Declaration("call" if table.level > table.bets[seat] else "check")
    evening.tally.touches += 1
    if evening.touch(Declares(seat, words)).refused is not None or evening.table.hand is table:
        return False
    _set_bet(evening, seat)
    return True


def _set_bets(evening: Evening) -> None:
    truth = evening.truth.hand
    assert truth is not None
    for seat in truth.order:
        _set_bet(evening, seat)


def _set_bet(evening: Evening, seat: int) -> None:
    truth, table = evening.truth.hand, evening.table.hand
    assert truth is not None and table is not None
    if table.bets[seat] != truth.bets[seat] or owed(evening.table, seat) != owed(evening.truth, seat):
        evening.touch(FloorSetsBet(seat, truth.bets[seat]), "floor")


def agrees(evening: Evening) -> bool:
    """True where the table has the round as the rules have it."""
    table, truth = evening.table.hand, evening.truth.hand
    if table is None or truth is None:
        return table is truth
    same = (table.round, table.folded, table.turn, table.bets) == (truth.round, truth.folded, truth.turn, truth.bets)
    return same and table.phase is truth.phase and owes(evening.table) == owes(evening.truth)


def give_up(evening: Evening) -> None:
    """A hand that cannot be put right is void, at the table and in truth."""
    if evening.truth.playing:
        evening.really(Voids())
    if evening.table.playing:
        evening.touch(Voids())


def mend_stacks(evening: Evening) -> tuple[int, ...]:
    """Between the hands: stacks are counted that the table has wrong, or does not know. Gives the seats that it had
    wrong."""
    hand = evening.table.hand
    if hand is not None and hand.phase is not Phase.OVER:
        give_up(evening)
    wrong = tuple(seat for seat in evening.truth.players if stack(evening.table, seat) != stack(evening.truth, seat))
    unknown = [seat for seat in evening.truth.players if is_unknown(evening.table, seat) and seat not in wrong]
    for seat in (*wrong, *unknown):
        evening.touch(Counted(seat, stack(evening.truth, seat)), "floor")
    return wrong


def mend_button(evening: Evening) -> None:
    """Just before a hand: the button is put where it has to be in it, where the table voided a hand that was played."""
    here, there = (step(table, StartsHand()).table for table in (evening.table, evening.truth))
    if there.hand is not None and here.carried.placed != there.carried.placed:
        evening.touch(FloorPlacesButton(there.hand.button), "floor")
