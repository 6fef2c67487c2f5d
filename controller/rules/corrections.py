"""What has been done and turns out otherwise: a bet corrected, a stack counted, a fold taken back.

A round is kept as its opening and its log; a correction plays it again. Nothing here asks whether an act is allowed: it
has been, or the floor has decided it.
Source: Robert's Rules of Poker, sections 1 (the floor's decision is final) and 3; rulings.md, "A dealer is a person".
"""

from __future__ import annotations

from controller.rules.actions import folded_early, in_turn, raised, redo, settle
from controller.rules.hand import ACTIONS, NOT_ACTED, Act, Amounts, Hand, Phase, Verb, put, replace
from controller.rules.queries import choices, facing, reach
from controller.rules.refusals import Refusal, RuleError, Why, require

_BETTING = (Verb.CHECK, Verb.CALL, Verb.WAGER)
_BET_IN = (Phase.BETTING, Phase.CLOSED)
"""The phases in which the round's bets can still be corrected."""


# --- a round played again ---


def replay(hand: Hand, log: tuple[Act, ...], *, also_folded: bool = False) -> Hand:
    """This round played again from its opening with another log: what people did stands, the amounts follow.

    A call calls whatever there is to call, a raise stays the total it was (a call where that is no raise any more), a
    check stays one or becomes the call that it was taken for. Who has called once does not get another turn because of
    it. Who has folded left in the pot what it had put in before, unless that is what is corrected (`also_folded`).
    Source: Robert's Rules 3.16.
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
            again = folded_early(again, act.seat)
        else:
            again = redo(again, _as_it_stands_now(again, act))
    again = replace(again, barred=hand.barred.intersection(again.pending))
    return _none_owes_too_much(again, hand, frozenset() if also_folded else hand.folded)


def _none_owes_too_much(again: Hand, hand: Hand, folded: frozenset[int]) -> Hand:
    """Who has folded is not reached by a correction: what it had put in before is what it leaves in the pot. Nobody
    whose stack is known puts in more than plays of what it has."""
    bets, stacks, unit = again.bets, again.stacks, hand.game.unit
    for seat in hand.order:
        more = bets[seat] - hand.bets[seat] if seat in folded else 0
        if stacks[seat] < 0 and seat not in hand.unknown:
            more = max(more, -stacks[seat] + (bets[seat] + stacks[seat]) % unit)
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


def fold_taken_back(hand: Hand, seat: int) -> tuple[Hand, int]:
    """The hand as if the seat had not folded out of turn, and the place in the round's log that is gone: what was done
    after it moves up by one."""
    opening = hand.opening
    if opening is not None and seat in opening.folded:
        opening = replace(opening, folded=opening.folded - {seat})
    fold = Act(Verb.DEAD, seat)
    place = hand.log.index(fold) if fold in hand.log else len(hand.log)
    log = (*hand.log[:place], *hand.log[place + 1 :])
    return replace(hand, folded=hand.folded - {seat}, log=log, opening=opening), place


# --- a bet that was another ---


def reject_correction(hand: Hand) -> Refusal | None:
    """Why no bet of this round can be corrected, or None."""
    return None if hand.phase in _BET_IN else Refusal(Why.NO_ROUND_TO_CORRECT)


def bet_corrected(hand: Hand, seat: int, amount: int) -> Hand:
    """The round with the seat's bet made `amount`, as the floor decides; a seat that does not have that much by the
    book has an unknown stack from now on. Raises RuleError where no betting round is there to correct."""
    require(reject_correction(hand))
    if amount > hand.bets[seat] + hand.stacks[seat] and seat not in hand.unknown:
        hand = replace(hand, unknown=hand.unknown | {seat}, all_in=hand.all_in - {seat})
    return _corrected(hand, seat, amount)


def _corrected(hand: Hand, seat: int, amount: int) -> Hand:
    """The round with the seat's last wager or call made `amount`; where it has not acted, its blind."""
    indices = [index for index, act in enumerate(hand.log) if act.seat == seat and act.verb in _BETTING]
    if not indices:
        return _blind_corrected(hand, seat, amount)
    index = indices[-1]
    earlier = replay(hand, hand.log[:index])
    if amount > earlier.level:
        act = Act(Verb.WAGER, seat, amount)
    else:
        act = Act(Verb.CALL if amount > earlier.bets[seat] else Verb.CHECK, seat)
    since = hand.log[index + 1 :]
    if act.verb is Verb.WAGER and hand.log[index].verb is Verb.CHECK:  # who checked did not know of a bet
        since = tuple([other for other in since if other.verb is not Verb.CHECK])
    after = replay(hand, (*hand.log[:index], act, *since))
    return after if after.bets[seat] == amount else _moved_to(after, seat, amount)


def _blind_corrected(hand: Hand, seat: int, amount: int) -> Hand:
    """What lay in front of the seat when the round's betting began was this amount; where that was nothing, its bet is
    one that has been made now."""
    opening = hand.opening
    if opening is None or amount < 0 or seat in hand.folded:
        return _moved_to(hand, seat, amount)
    if hand.log and not opening.bets[seat]:
        return _bet_now(hand, seat, amount) if amount > hand.level else _moved_to(hand, seat, amount)
    opening = raised(opening, amount) if amount > opening.level else opening
    opening = replace(opening, bets=put(opening.bets, seat, amount))
    after = replay(replace(hand, opening=opening), hand.log)
    return after if hand.log else settle(replace(after, pending=in_turn(after, after.pending, hand.turn - 1)))


def _bet_now(hand: Hand, seat: int, amount: int) -> Hand:
    """A bet or raise of the seat; the turn stays where it is."""
    after = redo(hand, Act(Verb.WAGER, seat, amount))
    return redo(after, Act(Verb.TURN, hand.turn)) if hand.turn in after.pending else after


def _moved_to(hand: Hand, seat: int, amount: int) -> Hand:
    """The seat's bet set to amount, nothing else concluded from it but the bet to match, which all others face."""
    difference = amount - hand.bets[seat]
    stacks = put(hand.stacks, seat, hand.stacks[seat] - difference)
    bets = put(hand.bets, seat, amount)
    left = reach(replace(hand, bets=bets, stacks=stacks), seat)
    all_in = hand.all_in - {seat} if left else (hand.all_in | {seat}) - hand.folded
    waiting = {other for other in hand.pending if other not in all_in}
    higher = amount > hand.level
    hand = raised(hand, amount) if higher else hand
    hand = replace(hand, bets=bets, stacks=stacks, all_in=all_in)
    raises = higher and hand.opening is not None  # nobody can answer on a street without betting
    if raises:
        waiting = waiting.union(hand.active) - {seat}
    if hand.phase is not Phase.BETTING and not raises:
        return hand
    return settle(replace(hand, pending=in_turn(hand, waiting, (hand.turn or seat + 1) - 1)))


def pot_counted(hand: Hand, difference: int) -> Hand:
    """The pot that holds so much more (or less) than the book says. Raises RuleError where a pot that is being given
    does not hold what is missing."""
    if hand.phase is Phase.PAYING:
        first = hand.pots_left[0]
        if first.amount + difference < 0:
            raise RuleError(Refusal(Why.POT_HOLDS_LESS, amount=first.amount, name=first.name))
        left = (first._replace(amount=first.amount + difference), *hand.pots_left[1:])
        hand = replace(hand, pots_left=left)
    return _pots_said_anew(replace(hand, middle=hand.middle + difference))


def _pots_said_anew(hand: Hand) -> Hand:
    """The round with each "pot" that was said in it as much as the pot allows now, where no substantial action has
    followed it. Source: Robert's Rules 14 (pot-limit); TDA 52-B; rulings.md, "How much"."""
    for place, act in enumerate(hand.log):
        if act.pot and hand.phase in _BET_IN and not _stands(hand, place):
            total = choices(replay(hand, hand.log[:place]), act.seat).most
            hand = replay(hand, (*hand.log[:place], act._replace(total=total), *hand.log[place + 1 :]))
    return hand


def _stands(hand: Hand, place: int) -> bool:
    """True where enough players have acted after this act of the round. A fold out of turn counts once its turn has
    come. Source: Robert's Rules 3.11; TDA 36."""
    acts = [act for act in hand.log[place + 1 :] if act.verb in ACTIONS or act.verb is Verb.DEAD]
    behind = {act.seat for act in acts if act.verb is not Verb.DEAD or act.seat not in hand.pending}
    with_chips = any(act.verb in (Verb.CALL, Verb.WAGER) for act in acts)
    return len(behind - {hand.log[place].seat}) >= hand.game.acts_behind(with_chips)


# --- a stack that was another ---


def with_stack(hand: Hand, seat: int, behind: int) -> Hand:
    """The hand with the seat's stack known to be this; nothing else follows from it."""
    return replace(hand, stacks=put(hand.stacks, seat, behind), unknown=hand.unknown - {seat})


def with_more(hand: Hand, seat: int, amount: int) -> Hand:
    """The hand with chips added to the seat's stack, or taken from it, as far as the book follows them."""
    return replace(hand, stacks=put(hand.stacks, seat, hand.stacks[seat] + amount))


def with_unknown_stack(hand: Hand, seat: int) -> Hand:
    """The hand where nobody knows the seat's stack; what it has is what it puts forward."""
    return replace(hand, unknown=hand.unknown | {seat})


def stack_lost(hand: Hand, seat: int) -> Hand:
    """The hand where the dealer says that nobody knows the seat's stack: it is all-in only where the book says so, or
    the hand's cap."""
    by_the_book = reach(with_stack(hand, seat, hand.stacks[seat]), seat)
    hand = with_unknown_stack(hand, seat)
    return replace(hand, all_in=hand.all_in - {seat} if by_the_book else hand.all_in)


def stack_exceeded(hand: Hand, seat: int) -> Hand:
    """The hand where the seat has put more forward than the book says it has: nobody knows its stack, it is not all-in,
    and acts on a bet that it seemed not to be able to call."""
    hand = with_unknown_stack(hand, seat)
    if not reach(hand, seat):  # the hand's cap, not the stack, makes it all-in
        return hand
    back_in = seat in hand.all_in and hand.phase is Phase.BETTING and hand.level > hand.bets[seat]
    return replace(
        hand,
        all_in=hand.all_in - {seat},
        pending=in_turn(hand, {*hand.pending, seat}, hand.turn - 1) if back_in else hand.pending,
    )


def stack_counted(hand: Hand, seat: int, behind: int) -> Hand:
    """The hand with the seat's stack counted, and what follows: it is all-in or is not any more. Less than nothing is
    what it cannot pay of its bet."""
    was_all_in = seat in hand.all_in
    hand = with_stack(hand, seat, behind)
    if behind < 0:  # less than it still owes: it is all-in for what there is and plays
        total = hand.bets[seat] + behind
        return _corrected(hand, seat, total - total % hand.game.unit)
    if seat in hand.folded:
        return hand
    all_in = hand.all_in - {seat} if reach(hand, seat) else hand.all_in | {seat}
    hand = replace(hand, all_in=all_in)
    if hand.phase is not Phase.BETTING or was_all_in == (seat in all_in):
        return hand
    pending = tuple(other for other in hand.pending if other != seat or seat not in all_in)
    if seat not in all_in and (hand.level > hand.bets[seat] or hand.faced[seat] == NOT_ACTED):
        pending = in_turn(hand, {*pending, seat}, hand.turn - 1)
    return settle(replace(hand, pending=pending))
