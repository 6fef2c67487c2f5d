"""What the dealer answers when the screen asks: what is true, the first answer where it is.

A dealer who looks at the felt knows who has folded and what was bet. An answer is true where the table is nearer to
that after it; those that change no amount are compared with what people did.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from controller.live import asked, obey
from controller.presenter import show
from controller.rules import Hand, Verb
from controller.simulation.evening import floor
from controller.simulation.evening.room import Evening
from controller.table import (
    ActionOn,
    AllPutIn,
    AnswersActsNow,
    AnswersOutOfTurn,
    Awards,
    ChipsAre,
    Deals,
    FloorBinds,
    FloorReleases,
    PutsIn,
    Returns,
    StartsHand,
    Step,
    Table,
    due_back,
    owed,
    parse,
)
from controller.view import Alert

_SEAT_DIFFERS: Final = 1_000_000
"""A seat that has folded, or acted, here and not there weighs more than any amount."""
_NEVER: Final = (FloorBinds, FloorReleases, Deals, Awards, StartsHand)
"""What is the floor's, or is done with the cards and not because of a question."""


STILL_US: Final = 5_000_000
"""After so long the dealer keys what a seat has done that is still shown in turn."""


def look(evening: Evening) -> bool:
    """Looks at the screen, and puts right one thing there; False where there is nothing."""
    table, truth = evening.table.hand, evening.truth.hand
    if _answers(evening):
        return True
    if table is None or truth is None or table.round != truth.round or evening.table.hands != evening.truth.hands:
        return False
    if table.folded - truth.folded and not evening.live.glimpses:
        evening.note(f"NOTICES {table.folded - truth.folded} shown as folded")
        return floor.mend_round(evening)
    acted_us = evening.acted_us.get(table.turn, evening.now_us)
    if table.turn and table.turn != truth.turn and evening.now_us - acted_us > STILL_US:
        return floor.key_act(evening, table.turn)
    return False


def _answers(evening: Evening) -> bool:
    """Gives the first answer that is true; False where there is none to give."""
    for alert in show(evening.live, 1).alerts:
        for what in _candidates(evening, alert):
            if _is_true(evening, what):
                evening.tally.touches += 1
                if isinstance(what, Returns):
                    give_back(evening, what.seat)
                else:
                    evening.touch(what)
                return True
    return False


def give_back(evening: Evening, seat: int) -> None:
    """The dealer's hand pushes back what is due, and touches it on the screen."""
    amount = due_back(evening.truth, seat)
    evening.touch(Returns(seat))
    evening.really(Returns(seat))
    evening.hands.give_back(seat, amount, evening.now_us)


def distance(table: Table, truth: Table) -> int:
    """How far a table is from what is true, 0 where they are alike: who has folded, who has acted, what is bet."""
    here, there = table.hand, truth.hand
    if here is None or there is None or table.hands != truth.hands:
        return 0 if here is there else 100 * _SEAT_DIFFERS
    differs = 10 * abs(here.round - there.round) + len(here.folded ^ there.folded)
    differs += len(set(here.pending) ^ set(there.pending))
    amounts = sum(abs(here.contributed(seat) - there.contributed(seat)) for seat in there.order)
    amounts += sum(abs(owed(table, seat) - owed(truth, seat)) for seat in there.order)
    return differs * _SEAT_DIFFERS + amounts


def _candidates(evening: Evening, alert: Alert) -> Iterator[Step]:
    """What can be answered: as the screen has it, then what it does not offer; not of chips that are only early."""
    seen = [parse(choice.do) for choice in alert.choices]
    yield from seen
    seat = alert.values.seat
    if seat and any(each.seat == seat and each.about != "chips-between-rounds" for each in asked(evening.live)):
        short = evening.truth.street.felt[seat] - evening.table.street.felt[seat]
        if short > 0:
            yield ChipsAre(seat, "bet", short)
        for what in ("nothing", "covered", "taken", "swept"):
            yield ChipsAre(seat, what)


def _is_true(evening: Evening, what: Step) -> bool:
    if isinstance(what, _NEVER):
        return False
    if isinstance(what, AnswersOutOfTurn):
        return what.seat in evening.watch.early
    if isinstance(what, AnswersActsNow):
        return _acted_first(evening, what.seat)
    if isinstance(what, Returns):
        due = due_back(evening.truth, what.seat)
        return 0 < due == due_back(evening.table, what.seat) and evening.hands.wagered(what.seat) >= due
    if isinstance(what, PutsIn | AllPutIn):
        seats = (what.seat,) if isinstance(what, PutsIn) else tuple(evening.table.players)
        return all(_has_put_in(evening, seat) for seat in seats if owed(evening.table, seat))
    if isinstance(what, ActionOn) and _is_in_turn(evening.table, what.seat):  # said to who acts before that seat
        return _is_in_turn(evening.truth, what.seat)
    after = obey(evening.live, what, evening.now_us)
    if after.refused is not None:
        return False
    if makes_wrong(evening.table, after.live.table, evening.truth):
        return False
    before, now = distance(evening.table, evening.truth), distance(after.live.table, evening.truth)
    if isinstance(what, ChipsAre) and now == before:
        return _stays_true(evening, what)
    return now < before or (isinstance(what, ActionOn) and now == before)


def _has_put_in(evening: Evening, seat: int) -> bool:
    """True where what the seat is bound to by the table is what it has really put in."""
    table, truth = evening.table.hand, evening.truth.hand
    if table is None or truth is None:
        return False
    return table.contributed(seat) == truth.contributed(seat) and not owed(evening.truth, seat)


def _is_in_turn(table: Table, seat: int) -> bool:
    return table.hand is not None and table.hand.turn == seat


def makes_wrong(before: Table, after: Table, truth: Table) -> bool:
    """True where somebody has folded, checked or bet something that it has not."""
    was, now, there = before.hand, after.hand, truth.hand
    if was is None or now is None or there is None:
        return False
    same = was.round == now.round == there.round
    if same and any(not _has_checked(there, now, index) for index in range(len(was.log), len(now.log))):
        return True
    amounts = any(now.contributed(seat) not in (was.contributed(seat), there.contributed(seat)) for seat in there.order)
    return amounts or bool(now.folded - was.folded - there.folded)


def _has_checked(truth: Hand, table: Hand, index: int) -> bool:
    """False where the act of the table is a check of a seat that has put chips in there instead: whoever looks at the
    felt sees them."""
    act = table.log[index]
    if act.verb is not Verb.CHECK:
        return True
    times = sum(each.seat == act.seat for each in table.log[:index])
    really = [each.verb for each in truth.log if each.seat == act.seat][times : times + 1]
    return really in ([], [Verb.CHECK])


def _stays_true(evening: Evening, what: ChipsAre) -> bool:
    """Answers that change no amount now: what lies there, and what has been swept."""
    seat, table, truth = what.seat, evening.table, evening.truth
    if table.hand is None or truth.hand is None or table.hand.bets[seat] != truth.hand.bets[seat]:
        return False
    lies = evening.hands.wagered(seat) > 0
    if what.what == "covered":
        return lies and truth.hand.bets[seat] > 0
    if what.what == "swept":
        return not lies and evening.swept
    return what.what in ("nothing", "change")


def _acted_first(evening: Evening, seat: int) -> bool:
    """True where the seat's last motion came before those of the seats whose bets wait."""
    motions = evening.watch.motions
    mine = max((motion.at_us for motion in motions if motion.seat == seat), default=0)
    held = evening.table.street.held
    others = [motion.at_us for motion in motions if motion.seat in held and motion.seat != seat]
    return bool(mine) and all(mine < at_us for at_us in others)
