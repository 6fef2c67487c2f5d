"""Chips that seats put forward and take back, in and out of turn, and what is given back to them.

Source: rulings.md, "What was meant" and "When".
"""

from __future__ import annotations

from controller import rules
from controller.rules import Hand, Phase, Verb, choices, put, replay, to_call
from controller.table import holding, meaning, turns
from controller.table.book import due_back, hand_of, owed, owes, require_in_hand
from controller.table.codes import Caution, Cautions, Reason, Warned, refused
from controller.table.state import HeldOutOfTurn, Motion, Spoken, Table
from controller.table.steps import AllPutIn, Declares, EndsMotion, Exchanges, Moves, PutsIn, Returns
from controller.table.turns import carry_on
from hardware.chips import chips_for


def moves(table: Table, hand: Hand, step: Moves, cautions: Cautions) -> Table:
    """Chips put forward or taken back by a seat, one motion."""
    seat, net = step.seat, sum(step.forward) - sum(step.back)
    if seat not in table.players:
        raise refused(Reason.EMPTY_SEAT, seat)
    returned = net < 0 and -net <= due_back(table, seat)
    table = _small_counted(table, hand, step)
    if returned or (net > 0 and seat in hand.folded and owed(table, seat)):  # what it was bound to before it folded
        return _lies(table, seat, net)
    if net > 0:
        return _put_forward(table, hand, step, net, cautions)
    require_in_hand(table, hand, seat)
    return _taken_back(table, hand, seat, -net, cautions) if net else table


def _lies(table: Table, seat: int, more: int) -> Table:
    """The table where so much more lies on the seat's spot, or less."""
    felt = put(table.street.felt, seat, table.street.felt[seat] + more)
    return table._replace(street=table.street._replace(felt=felt))


def _small_counted(table: Table, hand: Hand, step: Moves) -> Table:
    """The table with what lies on the seat's spot in chips that do not play, after the motion. More of them taken than
    lay there: a larger chip was broken, and the rest of it lies there now."""
    seat, street, unit = step.seat, table.street, meaning.smallest_that_plays(hand.game.unit)
    came = sum([chip for chip in step.forward if chip < unit])
    went = sum([chip for chip in step.back if chip < unit])
    if came == went:
        return table
    small = street.small[seat] + came - went
    return table._replace(street=street._replace(small=put(street.small, seat, small if small >= 0 else small % unit)))


# --- put forward ---


def _put_forward(table: Table, hand: Hand, step: Moves, net: int, cautions: Cautions) -> Table:
    """More chips than lay there."""
    seat, added, street = step.seat, step.forward, table.street
    said_all_in = hand.phase is not Phase.PAYING and any(act.all_in and act.seat == seat for act in hand.log)
    if seat != hand.turn:  # whose turn it is, is in the hand
        require_in_hand(table, hand, seat)
    before = street.felt[seat]
    felt = before + net
    corrected = seat not in hand.unknown and felt > hand.bets[seat] + max(0, hand.stacks[seat])
    acts_again = False
    if corrected:  # more than the book says it has: the felt is right, nobody knows the stack any more
        cautions.append(Warned(Caution.STACK_CORRECTED, seat))
        seemed_all_in, hand = seat in hand.all_in, rules.stack_exceeded(hand, seat)
        acts_again = seemed_all_in and seat in hand.pending and hand.level > hand.bets[seat]
        table = table._replace(hand=hand)
    in_turn = seat == hand.turn
    own_bet_back = in_turn and felt <= hand.bets[seat]
    owes = (not in_turn or own_bet_back) and owed(table, seat) > 0
    table = table._replace(street=street._replace(felt=put(street.felt, seat, felt)))
    if said_all_in and seat in hand.unknown:  # what lies there is what it has
        return sized_by_chips(table, hand, seat, before, added, cautions)
    if acts_again:
        return turns.acts_by_chips(table, hand, seat, felt, added, before, cautions)
    if owes or (not in_turn and _adds_up(table, hand, seat)):
        return _makes_good(table, hand, seat, before, added, cautions)
    if in_turn:
        return turns.acts_by_chips(table, hand, seat, felt, added, before, cautions)
    if seat in street.held:
        return _more_for_held(table, hand, seat, before, added, cautions)
    if holding.may_still_act(table, hand, seat):
        seen = holding.seen_by(table, hand, seat)
        plays = meaning.what_plays(hand, choices(hand, seat), felt, street.small[seat])
        ruling = meaning.by_chips(seen, seat, choices(seen, seat), felt, added, plays)
        return turns.acts_out_of_turn(table, hand, seen, seat, ruling, None, added, cautions)
    spoken = street.spoken.get(seat)
    named = spoken is not None and felt <= spoken.named  # chips that the words named, before they were corrected
    does_not_play = seat in hand.all_in and hand.stacks[seat] < hand.game.unit
    if not named and not corrected and not does_not_play:
        cautions.append(Warned(Caution.STRING_BET, seat))
    return table


def _more_for_held(
    table: Table, hand: Hand, seat: int, before: int, added: tuple[int, ...], cautions: Cautions
) -> Table:
    """Chips of a seat whose action is held: those of its words, or a second action."""
    held, felt = table.street.held[seat], table.street.felt[seat]
    if isinstance(held, HeldOutOfTurn) and held.open_amount:
        return holding.chips_of_bare_raise(table, hand, seat, held, felt, added)
    if before < held.needs:  # its words' own chips, maybe with change to come
        return table
    return turns.once_more_out_of_turn(table, hand, seat, cautions)


def _makes_good(table: Table, hand: Hand, seat: int, before: int, added: tuple[int, ...], cautions: Cautions) -> Table:
    """Chips of a seat that owes: they fill up what it is bound to; after a bare "raise" they decide how much it is."""
    street = table.street
    felt, spoken = street.felt[seat], street.spoken.get(seat)
    if spoken is None:
        return table
    motion = Motion(_last_index(hand, seat), felt, before, added, under_call=False)
    street = street._replace(motions={**street.motions, seat: motion})
    is_sized = spoken.open_amount and not hand.log[motion.place].all_in  # all-in, and counted since: that is known
    if is_sized and (_adds_up(table, hand, seat) or not hand.game.raise_in_motions):
        sized = {**street.spoken, seat: Spoken(felt, open_amount=bool(hand.game.raise_in_motions))}
        table = table._replace(street=street._replace(spoken=sized))
        return sized_by_chips(table, hand, seat, before, added, cautions) if felt > hand.bets[seat] else table
    needed = max(hand.bets[seat], spoken.named)
    if meaning.could_be_spared(hand, felt - street.small[seat], added, needed):
        cautions.append(Warned(Caution.WORDS_DIFFER, seat))
    return table._replace(street=street)


def _adds_up(table: Table, hand: Hand, seat: int) -> bool:
    """True where more chips make a bare "raise" larger: until the next seat acts or the motion is said to be over, in a
    house that lets it be made in several motions (Robert's Rules 14.6). A fold out of turn, or of who is away, does not
    count."""
    spoken = table.street.spoken.get(seat)
    if spoken is None or not spoken.open_amount or not hand.game.raise_in_motions:
        return False
    index = _last_index(hand, seat)
    return hand.log[index].verb is Verb.WAGER and not turns.is_followed(table, hand, index)


def sized_by_chips(
    table: Table, hand: Hand, seat: int, before: int, added: tuple[int, ...], cautions: Cautions
) -> Table:
    """The seat's last act is as much as lies there: after a bare "raise", or all-in with an unknown stack."""
    street, index = table.street, _last_index(hand, seat)
    felt, earlier = street.felt[seat], replay(hand, hand.log[:index])
    motion = Motion(index, felt, before, added, under_call=False)
    table = table._replace(street=street._replace(motions={**street.motions, seat: motion}))
    found = choices(earlier, seat)
    if hand.log[index].all_in:
        ruling = meaning.all_in_for(earlier, seat, found, felt)
    else:
        plays = felt if felt >= found.has else felt - street.small[seat]
        ruling = meaning.chips_after_raise(earlier, seat, found, plays, added)
    for code in ruling.warnings:
        cautions.append(Warned(code, seat))
    if ruling.act is None:
        return table
    log = (*hand.log[:index], ruling.act, *hand.log[index + 1 :])
    return carry_on(table, replay(hand, log), cautions)


def _last_index(hand: Hand, seat: int) -> int:
    return max([index for index, act in enumerate(hand.log) if act.seat == seat])


def ends_motion(table: Table, hand: Hand, step: EndsMotion, cautions: Cautions) -> Table:
    """The seat's motion is over: what it has put forward after a bare "raise" is how much it is."""
    seat = step.seat
    require_in_hand(table, hand, seat)
    if seat in hand.all_in and owed(table, seat) == 0:
        raise refused(Reason.ALL_IN, seat)
    held = table.street.held.get(seat)
    if isinstance(held, HeldOutOfTurn):
        table = holding.with_held(table, seat, held._replace(open_amount=False))
    return turns.motion_over(table, seat)


# --- taken back ---


def _taken_back(table: Table, hand: Hand, seat: int, amount: int, cautions: Cautions) -> Table:
    """Chips taken back from the spot, more than was due back."""
    if table.street.felt[seat] < amount:
        raise refused(Reason.LESS_IN_FRONT, seat, table.street.felt[seat])
    if seat in hand.all_in and seat not in table.street.held and not owed(table, seat):
        raise refused(Reason.ALL_IN, seat)
    table = _lies(table, seat, -amount)
    if _was_unaware(table, hand, seat):
        motions = {other: value for other, value in table.street.motions.items() if other != seat}
        log = hand.log[: _last_index(hand, seat)]
        return table._replace(hand=replay(hand, log), street=table.street._replace(motions=motions))
    cautions.append(Warned(Caution.CHIPS_WITHDRAWN, seat))
    if hand.game.rulebook == "tda" and seat == hand.turn and hand.level > hand.bets[seat]:
        return table._replace(street=table.street._replace(must_call=table.street.must_call | {seat}))
    return table


def _was_unaware(table: Table, hand: Hand, seat: int) -> bool:
    """True where an under-call is taken back whole before anyone has acted behind it (Robert's Rules 3.13)."""
    motion, felt = table.street.motions.get(seat), table.street.felt[seat]
    if motion is None or not motion.under_call or felt > motion.before:
        return False
    behind = any(other != seat for other in table.street.held)
    acted = [act.seat for act in hand.log if not table.players[act.seat].away]
    was_last = bool(acted) and acted[-1] == seat
    return was_last and not behind and hand.phase in (Phase.BETTING, Phase.CLOSED)


def returns(table: Table, step: Returns, cautions: Cautions) -> Table:
    """The dealer gives the seat what is due back."""
    amount = due_back(table, step.seat)
    if not amount:
        raise refused(Reason.NOTHING_DUE_BACK, step.seat)
    table = _lies(table, step.seat, -amount)
    return table._replace(street=table.street._replace(small=put(table.street.small, step.seat, 0)))


def puts_in(table: Table, hand: Hand, step: PutsIn, cautions: Cautions) -> Table:
    """What the seat owes lies there."""
    debt = owed(table, step.seat)
    if not debt:
        raise refused(Reason.OWES_NOTHING, step.seat)
    return moves(table, hand, Moves(step.seat, chips_for(debt)), cautions)


def all_put_in(table: Table, hand: Hand, step: AllPutIn, cautions: Cautions) -> Table:
    """What all owe lies there."""
    debtors = [seat for seat, debt in enumerate(owes(table)) if debt]
    if not debtors:
        raise refused(Reason.NOBODY_OWES)
    for seat in debtors:
        table = puts_in(table, hand_of(table), PutsIn(seat), cautions)
    return table


def exchanges(table: Table, step: Exchanges, cautions: Cautions) -> Table:
    """A value-neutral exchange changes nothing."""
    if step.seat not in table.players:
        raise refused(Reason.EMPTY_SEAT, step.seat)
    return table


# --- the chips of words ---


def declared_chips(table: Table, step: Declares) -> Moves | None:
    """The chips that go forward with declared words as the words name them, before any correction; None where there
    are none. `table` is as it was before the words."""
    amount = _forward(table, step)
    return Moves(step.seat, chips_for(amount)) if amount else None


def _forward(table: Table, step: Declares) -> int:
    """What the words name less what lies on the seat's spot already; never more than the seat has."""
    hand, seat, words = table.hand, step.seat, step.declaration
    in_hand = hand is not None and hand.phase is not Phase.OVER and seat in hand.order
    if hand is None or not in_hand or words.kind in ("fold", "check", "time"):
        return 0
    has = meaning.whole_units(hand, hand.bets[seat] + max(0, hand.stacks[seat]))
    if words.kind == "call":
        seen = holding.seen_by(table, hand, seat)
        named = seen.bets[seat] + to_call(seen, seat)
    elif words.kind == "all-in":
        named = has
    elif words.amount:
        named = hand.level + words.amount if words.by else words.amount
    else:
        seen = holding.seen_by(table, hand, seat)
        ruling = meaning.by_words(seen, seat, choices(seen, seat), words, table.street.felt[seat])
        named = ruling.act.total if ruling.act and ruling.act.total else hand.bets[seat] + to_call(hand, seat)
    if seat not in hand.unknown:
        named = min(named, has)
    return max(0, named - table.street.felt[seat])
