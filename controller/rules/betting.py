"""The betting: what a seat may do, what it costs, how little and how much, and what follows.

Queries: `to_call`, `bounds`, `may`, `why_no_raise`. Actions: `reject_reason` (why not), `allowed` (may), `apply` (do).
Source: Robert's Rules of Poker, section 3 (betting and raising) and 14 (no-limit); TDA rules 41 to 55.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from operator import add
from typing import Any, Literal

from controller.rules.game import BIG_BET
from controller.rules.hand import (
    NO_SEATS,
    NOBODY_ACTED,
    NOT_ACTED,
    NOTHING,
    UNBOUNDED,
    Act,
    Amounts,
    Hand,
    Phase,
    Verb,
    clockwise,
    put,
    refusal,
    replace,
)
from controller.rules.structures import BOUNDS, Bounds, largest_bet

NoRaise = Literal["capped", "not-reopened", "nobody-to-raise", "no-chips"]


class RuleError(ValueError):
    """An action that the rules do not allow was to be applied; the message says why."""


# --- what a seat faces ---


def reach(hand: Hand, seat: int) -> int:
    """The chips that the seat can still put in: its stack, or what the hand's cap leaves; UNBOUNDED where unknown."""
    left = UNBOUNDED if seat in hand.unknown else hand.stacks[seat]
    if hand.game.hand_cap:
        left = min(left, hand.game.hand_cap - hand.contributed(seat))
    return left if left > 0 else 0


def has_opponent(hand: Hand, seat: int) -> bool:
    """True where another seat can still act: has neither folded nor is all-in."""
    return len(hand.active) > (seat in hand.active)


def facing(hand: Hand, seat: int) -> int:
    """The total that the seat has to match. Against players who are all all-in it is the largest of their bets, even
    where a short blind was posted for more."""
    if has_opponent(hand, seat):
        return hand.level
    return min(hand.level, max((hand.bets[other] for other in hand.live if other != seat), default=0))


def to_call(hand: Hand, seat: int) -> int:
    """What the seat has to add to call, never more than it has."""
    due = facing(hand, seat) - hand.bets[seat]
    return min(due, reach(hand, seat)) if due > 0 else 0


# --- the right to raise ---


def why_no_raise(hand: Hand, seat: int) -> NoRaise | None:
    """Why the seat may not bet or raise, or None where it may (be it only all-in for less than the least).

    Source: Robert's Rules 3.3 and 3.4 (number of raises), 3.6 (short all-ins), 3.10 (out of turn).
    """
    if hand.capped:
        return "capped"
    if seat in hand.barred or not reopened(hand, seat):
        return "not-reopened"
    if not has_opponent(hand, seat):
        return "nobody-to-raise"
    if reach(hand, seat) <= hand.level - hand.bets[seat]:
        return "no-chips"
    return None


def reopened(hand: Hand, seat: int) -> bool:
    """True for a seat that has not acted in this round, or faces at least a full raise since it did (with the half-bet
    rule: half of one). Short all-ins add up. Who called a bring-in or a blind that is less than the bet faces a full
    bet when it is completed. Source: Robert's Rules 3.6 and 6; TDA 47."""
    acted_at = hand.faced[seat]
    if acted_at == NOT_ACTED:
        return True
    faces = hand.level - acted_at
    began = hand.opening
    if began and began.full < began.level == acted_at < hand.full:
        return True
    return faces >= hand.size or (hand.game.all_in_rule == "half-bet" and faces > 0 and 2 * faces >= hand.size)


def bounds(hand: Hand, seat: int) -> Bounds | None:
    """The least and the most total that the seat may bet or raise to; None where it may not or cannot reach the
    least."""
    if why_no_raise(hand, seat):
        return None
    least, most = BOUNDS[hand.game.structure](hand, seat)
    total = hand.bets[seat] + reach(hand, seat)
    return (least, min(most, total)) if least <= total else None


def may(hand: Hand, seat: int) -> tuple[str, ...]:
    """What the seat may do, in words, sorted. A bet of part of the stack is never listed apart from an all-in."""
    words = ["fold"]
    if facing(hand, seat) <= hand.bets[seat]:
        words.append("check")
    elif why_no_call(hand, seat) is None:
        words.append("call")
    if why_no_raise(hand, seat) is None:
        words.append(raise_word(hand))
    return tuple(sorted(words))


def raise_word(hand: Hand) -> str:
    """What more chips than a call are called now: bet, complete or raise.

    Source: Robert's Rules 3.6; a short bet is completed in limit games only, in big-bet games nothing is.
    """
    if not hand.level:
        return "bet"
    return "complete" if hand.level > hand.full and hand.game.structure not in BIG_BET else "raise"


# --- actions ---


def reject_reason(hand: Hand, act: Act) -> str | None:
    """Why the seat in turn may not do this, or None. The seat's right to act is checked, not its manners."""
    why = refusal(hand, act.verb)
    if why is None and act.seat != hand.turn:
        why = f"the turn is on seat {hand.turn}"
    if why is not None:
        return why
    reject = _REJECT.get(act.verb)
    return reject(hand, act) if reject else None


def _reject_check(hand: Hand, act: Act) -> str | None:
    return f"seat {act.seat} faces a bet of {hand.level}" if facing(hand, act.seat) > hand.bets[act.seat] else None


def _reject_call(hand: Hand, act: Act) -> str | None:
    return why_no_call(hand, act.seat)


def why_no_call(hand: Hand, seat: int) -> str | None:
    """Why the seat may not call, or None."""
    due = facing(hand, seat) - hand.bets[seat]
    if due <= 0:
        return "there is nothing to call"
    short = seat in hand.no_all_in and reach(hand, seat) < due
    return "the seat may not go all-in for less" if short else None


def _reject_wager(hand: Hand, act: Act) -> str | None:
    seat, total = act.seat, act.total
    why = why_no_raise(hand, seat)
    if why:
        return f"seat {seat} may not raise: {why}"
    most_it_has = hand.bets[seat] + reach(hand, seat)
    least, most = BOUNDS[hand.game.structure](hand, seat)
    if hand.level < total == most_it_has <= most:
        return None
    if not least <= total <= min(most, most_it_has):
        return f"{total} is not between {least} and {min(most, most_it_has)}"
    return None


_REJECT: dict[Verb, Callable[[Hand, Act], str | None]] = {
    Verb.CHECK: _reject_check,
    Verb.CALL: _reject_call,
    Verb.WAGER: _reject_wager,
}


def allowed(hand: Hand, act: Act) -> bool:
    """True where `apply` would do it."""
    return reject_reason(hand, act) is None


def apply(hand: Hand, act: Act) -> Hand:
    """The hand after the seat in turn has done this. Raises RuleError with the reason where it may not."""
    why = reject_reason(hand, act)
    if why is not None:
        raise RuleError(why)
    return play(hand, act)


def play(hand: Hand, act: Act) -> Hand:
    """The hand after the act, whether or not the seat was in turn or the size allowed: what the floor binds stands."""
    return settle(_DO[act.verb](hand, act))


def _acted(hand: Hand, act: Act) -> dict[str, Any]:
    """What changes with whatever a seat does: it waits no longer, and what held for its first action only is over."""
    seat = act.seat
    changes: dict[str, Any] = {"pending": _behind(hand, seat), "started": True, "log": (*hand.log, act)}
    if seat in hand.barred:
        changes["barred"] = hand.barred - {seat}
    if seat == hand.deferred:
        changes["deferred"] = 0
    return changes


def _fold(hand: Hand, act: Act) -> Hand:
    seat = act.seat
    return replace(hand, folded=hand.folded | {seat}, all_in=hand.all_in - {seat}, **_acted(hand, act))


def _dead(hand: Hand, act: Act) -> Hand:
    waiting = tuple([seat for seat in hand.pending if seat != act.seat])  # it did not act: the turn stays where it is
    return replace(_fold(hand, act), pending=waiting, started=hand.started)


def fold_early(hand: Hand, seat: int) -> Hand:
    """The hand after a fold out of turn, which binds at once. The seat is passed over when its turn comes: until then
    the round waits for it like for any other."""
    log = (*hand.log, Act(Verb.DEAD, seat)) if hand.opening is not None else hand.log  # a round that has begun
    hand = replace(hand, folded=hand.folded | {seat}, log=log)
    return settle(hand) if hand.phase is Phase.BETTING else hand


def _check(hand: Hand, act: Act) -> Hand:
    return replace(hand, faced=put(hand.faced, act.seat, hand.level), **_acted(hand, act))


def _call(hand: Hand, act: Act) -> Hand:
    seat = act.seat
    amount = to_call(hand, seat)
    if act.all_in:
        amount = max(0, min(amount, act.total - hand.bets[seat]))
    changes = _acted(hand, act) | _put_in(hand, act, amount)
    if hand.bring_in != seat:
        changes["faced"] = put(hand.faced, seat, hand.level)
    else:
        changes["bring_in"] = 0
        if hand.level >= hand.size and "all_in" not in changes:  # as large as the bet: an option comes round again
            changes["pending"] = (*changes["pending"], seat)
    return replace(hand, **changes)


def _wager(hand: Hand, act: Act) -> Hand:
    seat, total = act.seat, act.total
    changes = _acted(hand, act) | _put_in(hand, act, total - hand.bets[seat]) | _level(hand, total)
    changes["pending"] = in_turn(hand, {*hand.active, *hand.pending} - {seat}, seat)  # early folds wait on
    after = replace(hand, faced=put(hand.faced, seat, total), bring_in=0, wagers=hand.wagers + 1, **changes)
    return cap(after) if after.full == total else after


def raised(hand: Hand, total: int) -> Hand:
    """The hand with a bet of this total to match, whoever made it."""
    return replace(hand, **_level(hand, total))


def _level(hand: Hand, total: int) -> dict[str, Any]:
    """The new bet to match. A full bet or raise sets the size of the next; a short all-in does not."""
    game, size = hand.game, hand.size
    if game.structure in BIG_BET:
        added = total - hand.level
        return {"level": total, "full": total, "size": added} if added >= size else {"level": total}
    added = total - hand.full
    half_counts = game.all_in_rule == "half-bet" and 2 * added >= size
    if added < size and not half_counts:
        return {"level": total}
    if game.structure == "spread-limit" or hand.open_pair:  # the last bet or raise decides, else the limit
        size = min(max(size, added), largest_bet(hand))
    return {"level": total, "full": total, "size": size, "raises": hand.raises + bool(hand.full)}


def cap(hand: Hand) -> Hand:
    """Fixed and spread limit: the round is capped by its last raise, unless two players are left and the house makes
    the exception for them. Source: Robert's Rules 3.3 and 3.4; TDA 48."""
    game = hand.game
    if game.structure in BIG_BET or not game.raises or hand.raises < game.raises:
        return hand
    if game.heads_up_uncapped and len(hand.active) < 3:
        return hand
    return replace(hand, capped=True)


def _put_in(hand: Hand, act: Act, amount: int) -> dict[str, Any]:
    """What changes where the seat's bet grows by amount; all-in when nothing is left to put in, or it said so."""
    seat = act.seat
    changes: dict[str, Any] = {
        "bets": put(hand.bets, seat, hand.bets[seat] + amount),
        "stacks": put(hand.stacks, seat, hand.stacks[seat] - amount),
    }
    if act.all_in or reach(hand, seat) <= amount:
        changes["all_in"] = hand.all_in | {seat}
    return changes


def _turn(hand: Hand, act: Act) -> Hand:
    seat = act.seat
    waiting = {*hand.pending, seat} if seat in hand.active else hand.pending  # all-in after a correction
    faced = put(hand.faced, seat, NOT_ACTED)  # it decides anew
    return replace(hand, pending=in_turn(hand, waiting, seat - 1), faced=faced, log=(*hand.log, act))


def settle(hand: Hand) -> Hand:
    """The hand with its round open, or closed where nobody has anything left to decide."""
    if not hand.pending or _decided(hand):
        return replace(hand, pending=(), phase=Phase.CLOSED)
    return hand if hand.phase is Phase.BETTING else replace(hand, phase=Phase.BETTING)


def _decided(hand: Hand) -> bool:
    """True where nobody has anything left to decide: one player left, or one with chips who has nothing to call."""
    active = hand.active
    if len(active) > 1:
        return False
    return not active or len(hand.live) < 2 or facing(hand, active[0]) <= hand.bets[active[0]]


def in_turn(hand: Hand, seats: Iterable[int], after: int) -> tuple[int, ...]:
    """The seats in the order in which they act: clockwise, from the first after the seat `after`; a kill that acts last
    waits for all others."""
    waiting = clockwise(seats, after)
    if hand.deferred in waiting:
        return (*[seat for seat in waiting if seat != hand.deferred], hand.deferred)
    return waiting


def _behind(hand: Hand, seat: int) -> tuple[int, ...]:
    """Who still has to act when this seat has: in turn it was the first of them, else play goes on behind it."""
    if seat == hand.turn:
        return hand.pending[1:]
    return in_turn(hand, [other for other in hand.pending if other != seat], seat)


_DO = {
    Verb.FOLD: _fold,
    Verb.DEAD: _dead,
    Verb.CHECK: _check,
    Verb.CALL: _call,
    Verb.WAGER: _wager,
    Verb.TURN: _turn,
}


# --- rounds ---


def open_round(hand: Hand, first: int, without: frozenset[int] = NO_SEATS, early: frozenset[int] = NO_SEATS) -> Hand:
    """A betting round in which every active seat has to act, those in `without` only if somebody raises; those in
    `early` have folded, and their turn comes all the same. It begins with the seat `first` or the next after it, and is
    closed at once where nobody has anything to decide."""
    pending = in_turn(hand, ({*hand.active} - without) | early, first - 1)
    hand = settle(replace(hand, pending=pending, opening=None))
    return replace(hand, opening=replace(hand, log=()) if hand.log else hand)


def deal(hand: Hand) -> Hand:
    """The next betting round. Raises RuleError where the round is open, the hand is on its last, or it is over."""
    why = reject_deal(hand)
    if why:
        raise RuleError(why)
    fresh = replace(
        hand,
        round=hand.round + 1,
        paid=tuple(map(add, hand.paid, hand.bets)),
        middle=hand.middle + sum(hand.bets),
        bets=NOTHING,
        level=0,
        full=0,
        size=hand.game.base_size(hand.round + 1),
        raises=0,
        capped=False,
        faced=NOBODY_ACTED,
        barred=NO_SEATS,
        deferred=0,
        open_pair=False,
        wagers=0,
        log=(),
        opening=None,
    )
    if hand.phase is Phase.PAYING or len(hand.active) < 2:
        return fresh
    if hand.game.kind.by_board:
        return replace(fresh, phase=Phase.FIRST)
    return open_round(fresh, fresh.order[0])


def reject_deal(hand: Hand) -> str | None:
    """Why the next street cannot be dealt, or None."""
    why = refusal(hand, Verb.DEAL)
    if why:
        return why
    if hand.last_round:
        return "the last betting round is closed: award the pots"
    if len(hand.live) < 2:
        return f"only seat {hand.live[0]} is left: award the pot" if hand.live else "nobody is left in the hand"
    return None


# --- corrections ---


def replay(hand: Hand, log: tuple[Act, ...]) -> Hand:
    """This round played again from its opening with another log: what people did stands, the amounts follow.

    A call calls whatever there is to call, a raise stays the total it was (a call where that is no raise any more), a
    check stays one or becomes the call that it was taken for. Who has called once does not get another turn because of
    it. Source: Robert's Rules 3.16.
    """
    assert hand.opening is not None
    stacks = _stacks_of_opening(hand)
    all_in = _all_in_of_opening(hand, stacks)
    again = replace(
        hand.opening,
        stacks=stacks,
        unknown=hand.unknown,
        all_in=all_in,
        pending=_pending_of_opening(hand, all_in),
        middle=hand.middle,  # the floor may have counted the pot since
        no_all_in=hand.no_all_in,
        opening=hand.opening,
    )
    for act in log:
        if act.verb is Verb.DEAD and act.seat in hand.pending:  # folded out of turn, and its turn has not come yet
            again = fold_early(again, act.seat)
        else:
            again = play(again, _as_it_stands_now(again, act))
    return _none_owes_too_much(replace(again, barred=hand.barred.intersection(again.pending)), hand)


def _none_owes_too_much(again: Hand, hand: Hand) -> Hand:
    """Who has folded is not reached by a correction: what it had put in before is what it leaves in the pot. Nobody
    whose stack is known puts in more than it has."""
    bets, stacks = again.bets, again.stacks
    for seat in hand.order:
        more = bets[seat] - hand.bets[seat] if seat in hand.folded else 0
        if seat not in hand.unknown:
            more = max(more, -stacks[seat])
        if more > 0:
            bets, stacks = put(bets, seat, bets[seat] - more), put(stacks, seat, stacks[seat] + more)
    return replace(again, bets=bets, stacks=stacks) if bets is not again.bets else again


def _stacks_of_opening(hand: Hand) -> Amounts:
    """The opening's stacks with what has changed since by other ways than betting (a count, chips bought)."""
    assert hand.opening is not None
    return tuple(
        stack + bet - before for stack, bet, before in zip(hand.stacks, hand.bets, hand.opening.bets, strict=True)
    )


def _all_in_of_opening(hand: Hand, stacks: Amounts) -> frozenset[int]:
    """Who is all-in at the opening with these stacks: who was, and who was counted and has nothing left to put in.
    Where nobody knows the stack, only words make it so."""
    assert hand.opening is not None
    was, before, unknown_then = hand.opening.all_in, hand.opening.stacks, hand.opening.unknown

    counted = replace(hand.opening, stacks=stacks, unknown=hand.unknown)

    def as_it_was(seat: int) -> bool:
        return seat in hand.unknown or (stacks[seat] == before[seat] and seat not in unknown_then)

    return frozenset(seat for seat in hand.order if (seat in was if as_it_was(seat) else not reach(counted, seat)))


def _pending_of_opening(hand: Hand, all_in: frozenset[int]) -> tuple[int, ...]:
    """Who has to act from the opening on, where these are all-in."""
    opening = hand.opening
    assert opening is not None
    waiting = ({*opening.pending} | (opening.all_in - all_in)) - all_in
    return in_turn(opening, waiting, opening.turn - 1 if opening.turn else hand.button)


def _as_it_stands_now(hand: Hand, act: Act) -> Act:
    seat = act.seat
    if act.verb is Verb.WAGER and act.total <= hand.level:
        act = Act(Verb.CALL, seat, act.total if act.all_in else 0, act.all_in)
    if act.verb is Verb.CHECK and facing(hand, seat) > hand.bets[seat]:
        return Act(Verb.CALL, seat)
    if act.verb is Verb.CALL and facing(hand, seat) <= hand.bets[seat] and not act.all_in:
        return Act(Verb.CHECK, seat)
    return act
