"""What is shown of each seat."""

from __future__ import annotations

from typing import Final, Literal, get_args

from controller.presenter.known import Known
from controller.rules import Hand, Phase, Player, Verb, can_play, post_due
from controller.table import Held, Table, why_out
from controller.view import Did, SeatStatus, SeatView, Tray, WhyOut
from hardware.spots import BET_SPOTS

_NOBODY_ACTS_YET: Final = frozenset({Phase.BRING_IN, Phase.FIRST})
_WHY_OUT: Final[dict[str, WhyOut]] = {code: code for code in get_args(WhyOut)}


_EMPTY: Final = {
    (seat, tray): SeatView(seat=seat, tray=tray) for seat in range(1, len(BET_SPOTS) + 1) for tray in get_args(Tray)
}
"""Seats where nobody sits: made once, as half of a table may be."""


def seat_views(known: Known, last: dict[int, Did], held: dict[int, Did], early: frozenset[int]) -> tuple[SeatView, ...]:
    """All seats in order, with what they did last and what is held of them; `early` are those that act before their
    turn, or may."""
    numbers = range(1, len(BET_SPOTS) + 1)
    return tuple([_seat_view(known, seat, last.get(seat), held.get(seat), seat in early) for seat in numbers])


def _seat_view(known: Known, seat: int, last: Did | None, held: Did | None, early: bool) -> SeatView:
    table = known.live.table
    player, tray = table.players.get(seat), _tray(known, seat)
    if player is None:
        return SeatView(seat=seat, tray=tray, early=True) if early else _EMPTY[seat, tray]
    hand = known.hand
    if hand is None or seat not in hand.order:
        return _out_of_the_hand(known, seat, player, held, early=early)
    live, standing, seen = known.live, known.standings[seat], known.uncounted[seat]
    first = hand.round == 1
    return SeatView(
        seat=seat,
        name=player.name,
        status=_status(hand, seat),
        stack=standing.stack,
        bet=standing.counted,
        bet_source=live.sources.get(seat, "book"),
        last=last,
        presumed=_presumed(table, hand, seat) if table.street.presumed else "",
        held=held,
        held_chips=_held_chips(table, hand, seat, table.street.held[seat]) if held is not None else 0,
        early=early,
        owes=standing.owed,
        due_back=standing.due_back,
        markers=known.markers.get(seat, 0),
        blind=hand.blinds[seat] if first else 0,
        straddle=first and (seat in hand.straddles),
        kill=first and seat == hand.killer,
        time_called=seat in table.street.timed,
        button=seat == known.button,
        may_straddle=known.openings.straddles.get(seat, 0),
        tray=tray,
        seen=seen.amount,
        at_least=seen.at_least,
        unknown_chips=seen.strangers,
    )


def _out_of_the_hand(known: Known, seat: int, player: Player, held: Did | None, *, early: bool) -> SeatView:
    """A player who is not in the hand; between hands every one."""
    live, table, following = known.live, known.live.table, known.following
    standing, seen = known.standings[seat], known.uncounted[seat]
    why = why_out(table, seat, following)
    post = sum(post_due(table.game, player)) if why is not None and not player.away else 0
    return SeatView(
        seat=seat,
        name=player.name,
        status=_status_out(known, player),
        stack=standing.stack,
        bet=standing.counted,
        bet_source=live.sources.get(seat, "book"),
        held=held,
        early=early,
        owes=standing.owed,
        due_back=standing.due_back,
        markers=known.markers.get(seat, 0),
        blind=dict(following.placed.blinds).get(seat, 0) if following is not None else 0,
        kill=following is not None and following.killer == seat,
        button=seat == known.button,
        why_out=_WHY_OUT[why] if why is not None else "",
        waits_hands=player.waits,
        missed=player.big_owed + player.small_owed + player.ante_owed,
        post=post,
        may_post=seat in known.openings.posts,
        tray=_tray(known, seat),
        seen=seen.amount,
        at_least=seen.at_least,
        unknown_chips=seen.strangers,
    )


def _tray(known: Known, seat: int) -> Tray:
    live = known.live
    if not live.setup.trays:
        return "none"
    if seat in live.table.offline:
        return "offline"
    name = BET_SPOTS[seat - 1]
    return "unsettled" if name in live.glimpses or name in live.blind else "ok"


def _presumed(table: Table, hand: Hand, seat: int) -> Literal["", "fold", "check"]:
    """What the seat is taken to have done, where that is what it did last: not of who has acted since, or has to."""
    presumed = table.street.presumed.get(seat)
    if presumed is None or (presumed == "fold") != (seat in hand.folded):
        return ""
    if presumed == "fold":
        return "fold"
    acts = [act.verb for act in hand.log if act.seat == seat]
    return "check" if seat not in hand.pending and acts and acts[-1] is Verb.CHECK else ""


def _held_chips(table: Table, hand: Hand, seat: int, held: Held) -> int:
    """What it put forward for what is held of it; what is more than that is due back."""
    return max(0, min(table.street.felt[seat], held.needs) - hand.bets[seat])


def _status_out(known: Known, player: Player) -> SeatStatus:
    if player.away:
        return "away"
    return "out" if known.hand is not None or not can_play(known.game, player) else "waiting"


def _status(hand: Hand, seat: int) -> SeatStatus:
    if seat in hand.folded:
        return "folded"
    if seat in hand.all_in:
        return "all-in"
    if seat == hand.turn:
        return "to-act"
    return "waiting" if seat in hand.pending or hand.phase in _NOBODY_ACTS_YET else "acted"
