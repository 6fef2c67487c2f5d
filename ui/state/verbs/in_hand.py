"""The keys of a seat that is in the hand: what it does and says, in turn or not, what it did in truth, what the floor
decides of it. Words of the contract beside each: `tests/table-scripts.md`.
"""

from __future__ import annotations

from typing import Final

from controller.view import SeatView, TableView
from ui.state import sending
from ui.state.targets import NamedKey
from ui.state.verbs.cells import Verb


def _is_held(view: TableView, seat: SeatView) -> bool:
    return seat.held is not None


def _may_act(view: TableView, seat: SeatView) -> bool:
    return seat.status in ("to-act", "waiting", "acted")


def _is_live(view: TableView, seat: SeatView) -> bool:
    return _may_act(view, seat) or seat.status == "all-in"


def _has_put_in(view: TableView, seat: SeatView) -> bool:
    return _is_live(view, seat) and (seat.last is not None or seat.held is not None or seat.bet > 0)


def _owes(view: TableView, seat: SeatView) -> bool:
    return seat.owes > 0


def _due_back(view: TableView, seat: SeatView) -> bool:
    return seat.due_back > 0


def _may_straddle(view: TableView, seat: SeatView) -> bool:
    return seat.may_straddle > 0


def _is_pot_limit(view: TableView, seat: SeatView) -> bool:
    return view.game.structure == "pot-limit" and _may_act(view, seat)


def _is_limit(view: TableView, seat: SeatView) -> bool:
    return view.game.structure == "fixed-limit" and _may_act(view, seat)


def _open_stakes(view: TableView, seat: SeatView) -> bool:
    return view.open_stakes


def _has_pad(view: TableView, seat: SeatView) -> bool:
    return view.pad


N: Final = NamedKey
IN_HAND: Final[tuple[Verb, ...]] = (
    # what the floor decides
    Verb(0, N.BIND, "floor-binds", plain=sending.floor_bind, when=_is_held, tone="floor"),
    Verb(0, N.TURN, "floor-turn", plain=sending.floor_turn, when=_may_act, tone="floor"),
    Verb(0, N.CASH, "plays-cash", amount=sending.cash, when=_open_stakes),
    Verb(1, N.RELEASE, "floor-releases", plain=sending.floor_release, when=_is_held, tone="floor"),
    Verb(1, N.FLOOR_BET, "floor-bet", amount=sending.floor_bet, tone="floor"),
    Verb(2, N.DEAD, "floor-dead", plain=sending.floor_dead, when=_may_act, tone="floor"),
    Verb(2, N.MARKER, "marker-given", amount=sending.marker, when=_open_stakes),
    # what the seat does, in turn or not: the table rules on it
    Verb(3, N.FOLDS, "folds", plain=sending.fold, when=_may_act),
    Verb(3, N.ADD, "adds", amount=sending.add, when=_open_stakes),
    Verb(4, N.CHECKS, "checks", plain=sending.check, when=_may_act),
    Verb(4, N.ONE_CHIP, "one-chip", amount=sending.chip, when=_is_live),
    Verb(5, N.CALLS, "calls", plain=sending.call, when=_may_act),
    Verb(5, N.CHIPS, "chips-silent", amount=sending.amount_alone, when=_may_act),
    Verb(6, N.RAISES, "raises", plain=sending.says_raise, amount=sending.raise_to, when=_may_act, tone="main"),
    Verb(7, N.POTS, "pots", plain=sending.pot, when=_is_pot_limit),
    Verb(7, N.COMPLETES, "completes", plain=sending.complete, when=_is_limit),
    Verb(7, N.RAISES_BY, "raises-by", amount=sending.raise_by, when=_may_act),
    Verb(8, N.ALL, "goes-all-in", plain=sending.all_in, when=_may_act),
    Verb(8, N.LENT, "marker-lent", amount=sending.lent, picks="who-lends", when=_open_stakes),
    # what it did or said in truth; where nothing lies there yet, words before chips
    Verb(9, N.SAID_CALL, "said-call", plain=sending.said_call, when=_has_put_in),
    Verb(9, N.WAS, "was", amount=sending.was, when=_has_put_in),
    Verb(10, N.SAID_RAISE, "said-raise", plain=sending.said_raise, amount=sending.said_raise, when=_has_put_in),
    Verb(9, N.SAYS_CALL, "says-call", plain=sending.says_call, when=_may_act),
    Verb(10, N.SAYS_RAISE, "says-raise", plain=sending.says_raise, amount=sending.says_raise, when=_may_act),
    Verb(11, N.STRADDLE, "straddle", amount=sending.straddle, when=_may_straddle),
    Verb(11, N.COUNT_BET, "count-bet", plain=sending.count_bet, when=_has_pad),
    Verb(11, N.TAKES, "takes-back", amount=sending.takes, when=_has_put_in),
    Verb(12, N.RETURN, "returned", plain=sending.give_back, when=_due_back),
    Verb(12, N.IN, "it-is-in", plain=sending.is_in, when=_owes),
    Verb(12, N.DONE, "motion-done", plain=sending.done, when=_may_act),
    Verb(13, N.COUNT_STACK, "count-stack", plain=sending.count_stack, when=_has_pad),
    Verb(13, N.STACK, "stack-is", amount=sending.stack),
    Verb(13, N.LOST, "stack-lost", plain=sending.stack_unknown),
    Verb(14, N.CALLS_TIME, "calls-time", plain=sending.calls_time, when=_may_act),
    Verb(14, N.CHANGE, "change", amount=sending.change),
)
"""By cell; of those that share one the first that suits."""
