"""What moves a hand on in a betting round, and from one to the next.

`apply` is what people do in turn; it refuses what the rules do not allow. `force` is what the floor binds. Both ask
`hand.TRANSITIONS` first, as do the others here.
Source: Robert's Rules of Poker, section 3 (betting and raising) and 14 (no-limit); TDA rules 41 to 55.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from operator import add

from controller.rules.game import BIG_BET
from controller.rules.hand import (
    BEING_GIVEN,
    NO_SEATS,
    NOBODY_ACTED,
    NOT_ACTED,
    NOTHING,
    TRANSITIONS,
    Act,
    Changes,
    Choices,
    Hand,
    Phase,
    Verb,
    changed,
    clockwise,
    put,
    refusal,
    replace,
)
from controller.rules.queries import choices, facing
from controller.rules.refusals import Refusal, RuleError, Why, require
from controller.rules.structures import cap, largest_bet, to_open

_BETTING, _CLOSED, _NOTHING_TO_CALL = Phase.BETTING, Phase.CLOSED, Why.NOTHING_TO_CALL
"""Looked up once: a member of an enum is found by a function call each time, and each decision asks for several."""


def reject_reason(hand: Hand, act: Act) -> Refusal | None:
    """Why the seat in turn may not do this, or None. The seat's right to act is checked, not its manners."""
    if act.verb not in TRANSITIONS[hand.phase]:
        return refusal(hand, act.verb)
    if act.seat != hand.turn:
        return Refusal(Why.NOT_IN_TURN, hand.turn)
    reject = _REJECT.get(act.verb)
    return reject(hand, act, _found(hand, act.seat)) if reject else None


def _found(hand: Hand, seat: int) -> Choices:
    """What the seat faces and may do; the hand has it where somebody asked for the seat in turn before."""
    return (hand.choices_of_turn if seat == hand.turn else None) or choices(hand, seat)


def _reject_check(hand: Hand, act: Act, found: Choices) -> Refusal | None:
    return None if found.why_no_call is _NOTHING_TO_CALL else Refusal(Why.FACES_BET, act.seat, hand.level)


def _reject_call(hand: Hand, act: Act, found: Choices) -> Refusal | None:
    if act.all_in and found.why_no_call is _NOTHING_TO_CALL:  # all that it has, be it nothing more
        return None
    return Refusal(found.why_no_call, act.seat) if found.why_no_call else None


def _reject_wager(hand: Hand, act: Act, found: Choices) -> Refusal | None:
    seat, total = act.seat, act.total
    if found.why_no_raise:
        return Refusal(found.why_no_raise, seat)
    has = total if act.all_in else found.has
    if hand.level < total == has <= found.limit or found.least <= total <= min(found.limit, found.has):
        return None
    return Refusal(Why.NOT_BETWEEN, seat, total, found.least, found.most)


_REJECT: dict[Verb, Callable[[Hand, Act, Choices], Refusal | None]] = {
    Verb.CHECK: _reject_check,
    Verb.CALL: _reject_call,
    Verb.WAGER: _reject_wager,
}


def apply(hand: Hand, act: Act) -> Hand:
    """The hand after the seat in turn has done this. Raises RuleError with the reason where it may not."""
    why = reject_reason(hand, act)
    if why is not None:
        raise RuleError(why)
    return redo(hand, act)


def force(hand: Hand, act: Act) -> Hand:
    """The hand after the act, whether or not the seat was in turn or the size allowed: what the floor binds stands.
    Raises RuleError where the phase does not allow it."""
    require(refusal(hand, act.verb))
    return redo(hand, act)


def redo(hand: Hand, act: Act) -> Hand:
    """The hand after an act that has been allowed before, as corrections and histories play a round again: nothing is
    checked."""
    changes = _DO[act.verb](hand, act)
    if not changes["pending"]:
        changes["phase"] = _CLOSED
    after = changed(hand, changes)
    if "raises" in changes:
        after = cap(after)
    goes_on = after.pending and len(after.active) > 1 and after.phase is _BETTING  # as after most acts
    return after if goes_on else settle(after)


def _acted(hand: Hand, act: Act) -> Changes:
    """What changes with whatever a seat does: it waits no longer, and what held for its first action only is over."""
    seat = act.seat
    waiting = hand.pending[1:] if seat == hand.turn else _behind(hand, seat)
    changes: Changes = {"pending": waiting, "started": True, "log": (*hand.log, act)}
    if seat in hand.barred:
        changes["barred"] = hand.barred - {seat}
    if seat == hand.deferred:
        changes["deferred"] = 0
    return changes


def _fold(hand: Hand, act: Act) -> Changes:
    seat = act.seat
    changes = _acted(hand, act)
    changes["folded"] = hand.folded | {seat}
    if seat in hand.all_in:
        changes["all_in"] = hand.all_in - {seat}
    if hand.bring_in_passes:
        _pass_bring_in(changes, hand, seat)
    return changes


def _dead(hand: Hand, act: Act) -> Changes:
    changes = _fold(hand, act)
    changes["pending"] = tuple([seat for seat in hand.pending if seat != act.seat])  # it did not act: the turn stays
    changes["started"] = hand.started
    if hand.bring_in_passes:
        _pass_bring_in(changes, hand, act.seat)
    return changes


def _pass_bring_in(changes: Changes, hand: Hand, seat: int) -> None:
    """The seat does not bring in for the one that is all-in for the ante: the next one has to. Source: TDA RP-10 E."""
    if seat == hand.bring_in and changes["pending"]:
        changes["bring_in"] = changes["pending"][0]


def _check(hand: Hand, act: Act) -> Changes:
    changes = _acted(hand, act)
    changes["faced"] = put(hand.faced, act.seat, hand.level)
    return changes


def _call(hand: Hand, act: Act) -> Changes:
    seat = act.seat
    found = _found(hand, seat)
    amount = found.to_call
    if act.all_in:
        amount = max(0, min(amount, act.total - hand.bets[seat]))
    changes = _acted(hand, act)
    _put_in(changes, hand, act, amount, found)
    if hand.bring_in != seat:
        changes["faced"] = put(hand.faced, seat, hand.level)
    else:
        changes["bring_in"] = 0
        if hand.level >= hand.size and "all_in" not in changes:  # as large as the bet: an option comes round again
            changes["pending"] = (*changes["pending"], seat)
    return changes


def _wager(hand: Hand, act: Act) -> Changes:
    seat, total = act.seat, act.total
    changes = _acted(hand, act)
    _set_level(changes, hand, total)
    _put_in(changes, hand, act, total - hand.bets[seat], _found(hand, seat))
    waiting = {*hand.active, *hand.pending}  # early folds wait on
    waiting.discard(seat)
    changes["pending"] = in_turn(hand, waiting, seat) if hand.deferred else clockwise(waiting, seat)
    changes["faced"] = put(hand.faced, seat, total)
    changes["bring_in"], changes["wagers"] = 0, hand.wagers + 1
    return changes


def raised(hand: Hand, total: int) -> Hand:
    """The hand with a bet of this total to match, whoever made it."""
    changes: Changes = {}
    _set_level(changes, hand, total)
    return changed(hand, changes)


def _set_level(changes: Changes, hand: Hand, total: int) -> None:
    """The new bet to match. A full bet or raise sets the size of the next; a short all-in does not."""
    game, size = hand.game, hand.size
    changes["level"] = total
    if game.structure in BIG_BET:
        added = total - hand.level
        if added >= size:
            changes["full"], changes["size"] = total, added
        return
    added, opens = total - hand.full, to_open(hand) if game.opening else None
    whole = opens[0] if opens else size
    half_counts = game.all_in_rule == "half-bet" and 2 * added >= whole
    if added < whole and not half_counts:
        return
    if game.structure == "spread-limit" or hand.open_pair:  # the last bet or raise decides, else the limit
        size = min(max(size, added), largest_bet(hand))
    changes["full"], changes["size"], changes["raises"] = total, size, hand.raises + bool(hand.full)


def _put_in(changes: Changes, hand: Hand, act: Act, amount: int, found: Choices) -> None:
    """The seat's bet grows by amount; it is all-in when nothing is left to put in, or it said so."""
    seat = act.seat
    total = hand.bets[seat] + amount
    changes["bets"] = put(hand.bets, seat, total)
    changes["stacks"] = put(hand.stacks, seat, hand.stacks[seat] - amount)
    if act.all_in or found.has <= total:
        changes["all_in"] = hand.all_in | {seat}


def _turn(hand: Hand, act: Act) -> Changes:
    seat = act.seat
    waiting = {*hand.pending, seat} if seat in hand.active else hand.pending  # all-in after a correction
    faced = put(hand.faced, seat, NOT_ACTED)  # it decides anew
    barred = hand.barred - {seat}
    return {"pending": in_turn(hand, waiting, seat - 1), "faced": faced, "barred": barred, "log": (*hand.log, act)}


_DO = {
    Verb.FOLD: _fold,
    Verb.DEAD: _dead,
    Verb.CHECK: _check,
    Verb.CALL: _call,
    Verb.WAGER: _wager,
    Verb.TURN: _turn,
}


# --- out of turn ---


def reject_dead(hand: Hand, seat: int) -> Refusal | None:
    """Why the seat's hand cannot be folded out of turn or declared dead, or None."""
    why = refusal(hand, Verb.DEAD)
    if why is not None:
        return why
    if seat not in hand.live:
        return Refusal(Why.NOT_IN_HAND, seat)
    return Refusal(Why.ONE_LEFT, seat) if hand.live == (seat,) else None


def fold_early(hand: Hand, seat: int) -> Hand:
    """The hand after a fold out of turn, which binds at once. The seat is passed over when its turn comes: until then
    the round waits for it like for any other. Raises RuleError where it may not fold."""
    require(reject_dead(hand, seat))
    return folded_early(hand, seat)


def folded_early(hand: Hand, seat: int) -> Hand:
    """`fold_early`, for corrections: nothing is checked."""
    log = (*hand.log, Act(Verb.DEAD, seat)) if hand.opening is not None else hand.log  # a round that has begun
    hand = replace(hand, folded=hand.folded | {seat}, log=log)
    return settle(hand) if hand.phase is Phase.BETTING else hand


def declare_dead(hand: Hand, seat: int) -> Hand:
    """The hand after the floor has declared the seat's hand dead: it waits for no turn. Raises RuleError where it
    cannot be."""
    require(reject_dead(hand, seat))
    if hand.phase is Phase.BETTING and hand.turn == seat:
        return redo(hand, Act(Verb.DEAD, seat))
    folded = replace(
        hand,
        folded=hand.folded | {seat},
        all_in=hand.all_in - {seat},
        pending=tuple([other for other in hand.pending if other != seat]),
        log=(*hand.log, Act(Verb.DEAD, seat)) if hand.opening is not None else hand.log,
    )
    return settle(folded) if hand.phase is Phase.BETTING or len(folded.live) < 2 else folded


def give_turn(hand: Hand, seat: int) -> Hand:
    """The turn given to the seat by the floor: it decides anew. Raises RuleError where it cannot act."""
    require(refusal(hand, Verb.TURN) or reject_opener(hand, seat))
    return redo(hand, Act(Verb.TURN, seat))


def reject_opener(hand: Hand, seat: int) -> Refusal | None:
    """Why no turn can be given to the seat, or None."""
    return None if seat in hand.active else Refusal(Why.CANNOT_ACT, seat)


def pass_over(hand: Hand) -> Hand:
    """The turn goes past its seat, which has folded before it came."""
    changes: Changes = {"pending": hand.pending[1:]}
    if hand.bring_in_passes:
        _pass_bring_in(changes, hand, hand.turn)
    return settle(changed(hand, changes))


def bar(hand: Hand, seat: int) -> Hand:
    """The seat may not bet or raise on this turn: what it did out of turn was a check or call, and the action has
    changed (Robert's Rules 3.10), or it has said "check" facing a bet (TDA 55)."""
    return replace(hand, barred=hand.barred | {seat})


def unbar(hand: Hand, seat: int) -> Hand:
    """The seat has all its options again, as the floor decides."""
    return replace(hand, barred=hand.barred - {seat}) if seat in hand.barred else hand


def lend(hand: Hand, seat: int) -> Hand:
    """Open stakes: the seat has raised with borrowed chips, and may not call all-in for less from now on."""
    return replace(hand, no_all_in=hand.no_all_in | {seat})


def as_if_in_turn(hand: Hand, seat: int, raised_to: Mapping[int, int]) -> Hand:
    """The hand as a seat sees it that does not wait for its turn: it acts next, and faces the bets and raises by seat
    that others have announced and not made yet."""
    for other, total in raised_to.items():
        if other != seat and total > hand.level:
            hand = replace(raised(hand, total), bets=put(hand.bets, other, total))
    others = [other for other in hand.pending if other != seat]
    return replace(hand, pending=(seat, *others), phase=Phase.BETTING)


def settle(hand: Hand) -> Hand:
    """The hand with its round open, or closed where nobody has anything left to decide."""
    if hand.pending and (len(hand.active) > 1 or not _decided(hand)):
        return hand if hand.phase is _BETTING else replace(hand, phase=_BETTING)
    return hand if hand.phase is _CLOSED and not hand.pending else replace(hand, phase=_CLOSED, pending=())


def _decided(hand: Hand) -> bool:
    """True where nobody has anything left to decide: one player left, or one with chips who has nothing to call.
    At most one can act."""
    active = hand.active
    return not active or len(hand.live) < 2 or facing(hand, active[0]) <= hand.bets[active[0]]


def in_turn(hand: Hand, seats: Iterable[int], after: int) -> tuple[int, ...]:
    """The seats in the order in which they act: clockwise, from the first after the seat `after`; a kill that acts last
    waits for all others."""
    waiting, last = clockwise(seats, after), hand.deferred
    if last and last in waiting:
        return (*[seat for seat in waiting if seat != last], last)
    return waiting


def _behind(hand: Hand, seat: int) -> tuple[int, ...]:
    """Who still has to act when this seat has acted out of turn: play goes on behind it."""
    return in_turn(hand, [other for other in hand.pending if other != seat], seat)


# --- rounds ---


def open_round(hand: Hand, first: int, without: frozenset[int] = NO_SEATS, early: frozenset[int] = NO_SEATS) -> Hand:
    """A betting round in which every active seat has to act, those in `without` only if somebody raises; those in
    `early` have folded, and their turn comes all the same. It begins with the seat `first` or the next after it, and is
    closed at once where nobody has anything to decide."""
    waiting = ({*hand.active} - without) | early if without or early else hand.active
    pending = in_turn(hand, waiting, first - 1)
    return _begun(replace(hand, pending=pending, opening=None))


def _begun(hand: Hand) -> Hand:
    """The hand with its betting round begun: as it is now, it is what corrections go back to."""
    hand = settle(hand)
    return replace(hand, opening=replace(hand, log=()) if hand.log else hand)


def deal(hand: Hand) -> Hand:
    """The next betting round. Raises RuleError where the round is open, the hand is on its last, or it is over."""
    require(reject_deal(hand))
    if hand.game.unit > 1:
        hand = _below_the_unit(hand)
    changes: Changes = {
        "round": hand.round + 1,
        "paid": tuple(map(add, hand.paid, hand.bets)),
        "middle": hand.middle + sum(hand.bets),
        "bets": NOTHING,
        "level": 0,
        "full": 0,
        "size": hand.game.base_size(hand.round + 1),
        "raises": 0,
        "capped": False,
        "faced": NOBODY_ACTED,
        "barred": NO_SEATS,
        "deferred": 0,
        "open_pair": False,
        "wagers": 0,
        "log": (),
        "opening": None,
    }
    if hand.phase in BEING_GIVEN or len(hand.active) < 2:
        return changed(hand, changes)
    if hand.game.kind.by_board:
        changes["phase"] = Phase.FIRST
        return changed(hand, changes)
    changes["phase"], changes["pending"] = _BETTING, clockwise(hand.active, hand.button)
    return _begun(changed(hand, changes))


def _below_the_unit(hand: Hand) -> Hand:
    """The hand where a seat is all-in whose stack holds nothing that plays: a blind or a call was off the unit."""
    unit = hand.game.unit
    empty = {seat for seat in hand.active if hand.stacks[seat] < unit and seat not in hand.unknown}
    return replace(hand, all_in=hand.all_in | empty) if empty else hand


def reject_deal(hand: Hand) -> Refusal | None:
    """Why the next street cannot be dealt, or None."""
    why = refusal(hand, Verb.DEAL)
    if why is not None:
        return why
    if hand.last_round:
        return Refusal(Why.LAST_ROUND)
    if len(hand.live) < 2:
        return Refusal(Why.ONE_LEFT, hand.live[0]) if hand.live else Refusal(Why.NOBODY_LEFT)
    return None
