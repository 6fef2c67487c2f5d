"""What people do in a hand: words, chips put forward and taken back, in and out of turn.

Everything that people do is taken, ruled on and warned about: a machine cannot refuse what lies on the felt. Refused is
only what a seat that is not in the hand does.
Source: rulings.md, "What was meant" and "When".
"""

from __future__ import annotations

from controller.rules.betting import facing, fold_early, in_turn, play, reach, replay, settle, to_call
from controller.rules.hand import Act, Hand, Phase, Verb, put, replace
from controller.table import holding
from controller.table import meaning as rulings
from controller.table.meaning import Ruling
from controller.table.state import Held, Motion, Refuse, Spoken, Table, due_back, last_act, owed
from controller.table.steps import Step, Words

Warnings = list[str]
_WAITING = (Phase.BETTING, Phase.BRING_IN, Phase.FIRST)


def hand_of(table: Table) -> Hand:
    """The hand in progress. Refuses between hands."""
    if table.hand is None or not table.playing:
        raise Refuse("no hand is in progress")
    return table.hand


def in_hand(table: Table, seat: int) -> Hand:
    """The hand in progress. Refuses a seat that is not in it any more."""
    hand = hand_of(table)
    if seat not in table.players:
        raise Refuse(f"seat {seat} is empty")
    if seat not in hand.order:
        raise Refuse(f"seat {seat} is not in this hand")
    if seat in hand.folded:
        raise Refuse(f"seat {seat} has folded")
    return hand


def someone_else(hand: Hand, seat: int) -> None:
    """Refuses to take the hand of the last seat left: the pots are its."""
    if hand.live == (seat,):
        raise Refuse(f"seat {seat} is the only one left: the pots are its")


# --- words ---


def says(table: Table, step: Step, warnings: Warnings) -> Table:
    """Words of a seat."""
    seat, words = step.seat, step.words
    assert words is not None
    hand = in_hand(table, seat)
    if seat in hand.all_in and owed(table, seat) == 0:
        raise Refuse(f"seat {seat} is all-in")
    if words.kind == "time":
        return table._replace(timed=table.timed | {seat})
    if seat == hand.turn:
        return _in_turn_by_words(table, seat, words, warnings)
    if words.kind == "fold" and seat not in hand.all_in:
        someone_else(hand, seat)
        return _fold_out_of_turn(table, seat, warnings)
    if holding.may_still_act(table, seat):
        ruling = rulings.by_words(holding.as_if_in_turn(table, seat), seat, words, 0)
        return _hold(table, seat, ruling, words, (), warnings)
    if not _pays_what_it_owes(table, seat, words):
        warnings.append("string-bet")
    return table


def _pays_what_it_owes(table: Table, seat: int, words: Words) -> bool:
    """True for words that only repeat what the seat is bound to and has not put in yet."""
    hand = table.hand
    assert hand is not None
    done = [act for act in hand.log if act.seat == seat]
    if not done or not owed(table, seat):
        return False
    call = done[-1].verb is Verb.CALL
    return words.kind == "call" if call else words.amount == hand.bets[seat] and not words.by


def _in_turn_by_words(table: Table, seat: int, words: Words, warnings: Warnings) -> Table:
    hand = table.hand
    assert hand is not None
    if words.kind == "fold" and seat in table.must_call:
        warnings.append("not-possible")
        return _hold_in_turn(table, seat, "fold", words)
    ruling = rulings.by_words(hand, seat, words, table.felt[seat])
    warnings.extend(ruling.warnings)
    if ruling.act is None:
        return _hold_in_turn(table, seat, ruling.held, words)
    named = max(ruling.named, ruling.act.total)
    spoken = {**table.spoken, seat: Spoken(named, ruling.open_amount)}
    motions = {other: motion for other, motion in table.motions.items() if other != seat}
    return _do(table._replace(spoken=spoken, motions=motions), ruling.act, warnings)


def _hold_in_turn(table: Table, seat: int, said: str, words: Words) -> Table:
    held = Held(said, words, (), table.hand.bets[seat] if table.hand else 0, 0, out_of_turn=False)
    return table._replace(held={**table.held, seat: held})


def _do(table: Table, act: Act, warnings: Warnings) -> Table:
    """The act of the seat in turn, and what follows: held actions behind it whose turn has come."""
    hand = table.hand
    assert hand is not None
    seat = act.seat
    held = {other: value for other, value in table.held.items() if other != seat}
    after = play(hand, act)
    if act.verb is Verb.WAGER and table.players[seat].borrowed:
        after = replace(after, no_all_in=after.no_all_in | {seat})
    table = table._replace(hand=after, held=held, must_call=table.must_call - {seat})
    return carry_on(table, warnings)


# --- whose turn comes ---


def carry_on(table: Table, warnings: Warnings) -> Table:
    """The table after everything that follows by itself: absent seats fold in turn, held actions are carried out or
    released when the turn reaches their seat."""
    while True:
        hand = table.hand
        assert hand is not None
        table = holding.forget_folds(table)
        seat = hand.turn
        if not seat:  # nothing waits for a turn that does not come any more
            return table._replace(held={}) if hand.phase is Phase.CLOSED else table
        if seat in hand.folded:
            table = table._replace(hand=settle(replace(hand, pending=hand.pending[1:])))
            continue
        if table.players[seat].away:
            table = table._replace(hand=play(hand, Act(Verb.FOLD, seat)))
            continue
        held = table.held.get(seat)
        if held is None or not held.out_of_turn:
            return table
        table = _turn_reaches(table, seat, held, warnings)


def _turn_reaches(table: Table, seat: int, held: Held, warnings: Warnings) -> Table:
    """The held action is carried out as it stood where the action has not changed or the floor bound it, else
    released."""
    hand = table.hand
    assert hand is not None
    changed = holding.has_changed(hand, held)
    rest = {other: value for other, value in table.held.items() if other != seat}
    table = table._replace(held=rest)
    if changed and not held.bound:
        if hand.game.rulebook == "roberts" and held.said.split()[0] in ("check", "call"):
            table = table._replace(hand=replace(hand, barred=hand.barred | {seat}))
        return table
    if held.words is None:
        return _judge(table, seat, held.felt, held.added, hand.bets[seat], warnings)
    no_raise_any_more = changed and 0 < held.wager <= hand.level
    return _in_turn_by_words(table, seat, Words("call") if no_raise_any_more else held.words, warnings)


def _fold_out_of_turn(table: Table, seat: int, warnings: Warnings) -> Table:
    """A fold out of turn binds at once; it is carried out when its turn comes."""
    hand = table.hand
    assert hand is not None
    if hand.phase is Phase.PAYING:
        raise Refuse("the pots are being given")
    warnings.append("out-of-turn")
    held = Held("fold", Words("fold"), (), hand.bets[seat], len(hand.log))
    table = table._replace(hand=fold_early(hand, seat), held={**table.held, seat: held})
    _warn_skipped(table, warnings)
    return carry_on(table, warnings)


def _hold(
    table: Table, seat: int, ruling: Ruling, words: Words | None, added: tuple[int, ...], warnings: Warnings
) -> Table:
    """An action out of turn waits for its turn. A second one changes nothing."""
    warnings.append("out-of-turn")
    if seat not in table.held:
        table = table._replace(held={**table.held, seat: holding.held_as(table, seat, ruling, words, added)})
    _warn_skipped(table, warnings)
    return table


def _warn_skipped(table: Table, warnings: Warnings) -> None:
    if holding.is_skipped(table):
        warnings.append("skipped")


# --- chips ---


def moved(table: Table, step: Step, warnings: Warnings) -> Table:
    """Chips put forward or taken back by a seat, one motion."""
    seat, net = step.seat, sum(step.chips) - sum(step.taken)
    hand = hand_of(table)
    if seat not in table.players:
        raise Refuse(f"seat {seat} is empty")
    was_due_back = due_back(table, seat)
    table = table._replace(small=put(table.small, seat, _small_after(table, hand, step)))
    if net < 0 and -net <= was_due_back:
        return table._replace(felt=put(table.felt, seat, table.felt[seat] + net))
    if net > 0 and seat in hand.folded and owed(table, seat):  # what it was bound to before it folded
        return table._replace(felt=put(table.felt, seat, table.felt[seat] + net))
    hand = in_hand(table, seat)
    if net == 0:
        return table
    if net < 0:
        return _taken_back(table, hand, seat, -net, warnings)
    table = _book_corrected(table, hand, seat, table.felt[seat] + net, warnings)
    return _put_forward(table, seat, step.chips, net, warnings)


def _small_after(table: Table, hand: Hand, step: Step) -> int:
    """What lies on the seat's spot in chips that do not play, after the motion. More of them taken than lay there: a
    larger chip was broken, and the rest of it lies there now."""
    unit = rulings.smallest_that_plays(hand.game.unit)
    put_in = sum(chip for chip in step.chips if chip < unit)
    small = table.small[step.seat] + put_in - sum(chip for chip in step.taken if chip < unit)
    return small if small >= 0 else small % unit


def _book_corrected(table: Table, hand: Hand, seat: int, felt: int, warnings: Warnings) -> Table:
    """More chips than the book says the seat has: the felt is right, nobody knows the stack any more."""
    if seat in hand.unknown or felt <= hand.bets[seat] + max(0, hand.stacks[seat]):
        return table
    warnings.append("stack-corrected")
    hand = replace(hand, unknown=hand.unknown | {seat})
    if not reach(hand, seat):  # the hand's cap, not the stack, makes it all-in
        return table._replace(hand=hand)
    back_in = seat in hand.all_in and hand.phase is Phase.BETTING and hand.level > hand.bets[seat]
    hand = replace(
        hand,
        all_in=hand.all_in - {seat},
        pending=in_turn(hand, {*hand.pending, seat}, hand.turn - 1) if back_in else hand.pending,
    )
    return table._replace(hand=hand)


def _put_forward(table: Table, seat: int, added: tuple[int, ...], net: int, warnings: Warnings) -> Table:
    hand = table.hand
    assert hand is not None
    before, felt = table.felt[seat], table.felt[seat] + net
    debt = owed(table, seat)
    table = table._replace(felt=put(table.felt, seat, felt))
    betting = hand.phase is not Phase.PAYING
    if betting and any(act.all_in and act.seat == seat for act in hand.log):  # an unknown stack: what lies there
        return _sized_by_chips(table, seat, before, added, warnings)
    own_bet_back = seat == hand.turn and felt <= hand.bets[seat]
    if debt and (seat != hand.turn or own_bet_back):
        return _makes_good(table, seat, before, added, warnings)
    if seat == hand.turn:
        return _judge(table, seat, felt, added, before, warnings)
    if seat in table.held and table.held[seat].open_amount:
        return holding.chips_of_bare_raise(table, seat, felt, added)
    if seat in table.held and felt <= table.held[seat].needs:
        return table
    if seat in table.held:
        if before < table.held[seat].needs:  # its words' own chips, with change to come
            return table
        return _hold(table, seat, Ruling(None), None, added, warnings)
    if "stack-corrected" in warnings and seat in hand.pending and hand.level > hand.bets[seat]:
        return _judge(table, seat, felt, added, before, warnings)
    if holding.may_still_act(table, seat):
        seen = holding.as_if_in_turn(table, seat)
        ruling = rulings.by_chips(seen, seat, felt, added, _playing(table, seat, felt))
        return _hold(table, seat, ruling, None, added, warnings)
    spoken = table.spoken.get(seat)
    if spoken and felt <= spoken.named:  # chips that the words named, before they were corrected
        return table
    if "stack-corrected" not in warnings:
        warnings.append("string-bet")
    return table


def _makes_good(table: Table, seat: int, before: int, added: tuple[int, ...], warnings: Warnings) -> Table:
    """Chips of a seat that owes: they fill up what it is bound to; after a bare "raise" they decide how much it is."""
    hand, felt = table.hand, table.felt[seat]
    assert hand is not None
    spoken = table.spoken.get(seat)
    if spoken is None:
        return table
    motion = Motion(_last_index(hand, seat), felt, before, added, under_call=False)
    table = table._replace(motions={**table.motions, seat: motion})
    if spoken.open_amount:
        table = table._replace(spoken={**table.spoken, seat: spoken._replace(open_amount=False, named=felt)})
        if felt > hand.bets[seat]:
            return _sized_by_chips(table, seat, before, added, warnings)
        return table
    needed = max(hand.bets[seat], spoken.named)
    large = tuple(chip for chip in added if chip >= rulings.smallest_that_plays(hand.game.unit))
    if rulings.could_be_spared(felt - table.small[seat], large, needed):
        warnings.append("words-differ")
    return table


def _sized_by_chips(table: Table, seat: int, before: int, added: tuple[int, ...], warnings: Warnings) -> Table:
    hand, felt = table.hand, table.felt[seat]
    assert hand is not None
    index = _last_index(hand, seat)
    motion = Motion(index, felt, before, added, under_call=False)
    table = table._replace(motions={**table.motions, seat: motion})
    earlier = replay(hand, hand.log[:index])
    if hand.log[index].all_in:
        ruling = rulings.all_in_for(earlier, seat, felt)
    else:
        whole = felt >= rulings.total_of(earlier, seat)
        ruling = rulings.chips_after_raise(earlier, seat, felt if whole else felt - table.small[seat], added)
    warnings.extend(ruling.warnings)
    if ruling.act is None:
        return table
    log = (*hand.log[:index], ruling.act, *hand.log[index + 1 :])
    return carry_on(table._replace(hand=replay(hand, log)), warnings)


def _last_index(hand: Hand, seat: int) -> int:
    return max(index for index, act in enumerate(hand.log) if act.seat == seat)


def _playing(table: Table, seat: int, felt: int) -> int:
    """What of the chips on the spot plays: chips below the unit do not, and what is off the unit does not, but where it
    is exactly the call of an all-in that is off the unit."""
    hand = table.hand
    assert hand is not None
    unit, small = hand.game.unit, table.small[seat]
    large, due = felt - small, facing(hand, seat)
    return due if large + min(small, due % unit) == due else large - large % unit


def _judge(table: Table, seat: int, felt: int, added: tuple[int, ...], before: int, warnings: Warnings) -> Table:
    """Chips without words of the seat in turn."""
    hand = table.hand
    assert hand is not None
    ruling = rulings.by_chips(hand, seat, felt, added, _playing(table, seat, felt))
    warnings.extend(code for code in ruling.warnings if code not in warnings)
    if ruling.act is None:
        held = Held(ruling.held, Words("call"), added, felt, len(hand.log), out_of_turn=False)
        return table._replace(held={**table.held, seat: held})
    motion = Motion(len(hand.log), felt, before, added, ruling.under_call)
    spoken = {other: words for other, words in table.spoken.items() if other != seat}
    table = table._replace(motions={**table.motions, seat: motion}, spoken=spoken)
    return _do(table, ruling.act, warnings)


def _taken_back(table: Table, hand: Hand, seat: int, amount: int, warnings: Warnings) -> Table:
    """Chips taken back from the spot, more than was due back."""
    felt = table.felt[seat] - amount
    if felt < 0:
        raise Refuse(f"seat {seat} has only {table.felt[seat]} in front of it")
    if seat in hand.all_in and seat not in table.held and not owed(table, seat):
        raise Refuse(f"seat {seat} is all-in")
    table = table._replace(felt=put(table.felt, seat, felt))
    motion = table.motions.get(seat)
    last = last_act(hand)
    behind = [other for other in table.held if other != seat]
    unaware = motion and motion.under_call and last and last.seat == seat and felt <= motion.before and not behind
    if unaware and hand.phase in (Phase.BETTING, Phase.CLOSED):
        motions = {other: value for other, value in table.motions.items() if other != seat}
        return table._replace(hand=replay(hand, hand.log[:-1]), motions=motions)
    warnings.append("chips-withdrawn")
    if hand.game.rulebook == "tda" and seat == hand.turn and hand.level > hand.bets[seat]:
        return table._replace(must_call=table.must_call | {seat})
    return table


def given_back(table: Table, step: Step, warnings: Warnings) -> Table:
    """The dealer gives the seat what is due back."""
    amount = due_back(table, step.seat)
    if not amount:
        raise Refuse(f"nothing is due back to seat {step.seat}")
    felt, small = put(table.felt, step.seat, table.felt[step.seat] - amount), put(table.small, step.seat, 0)
    return table._replace(felt=felt, small=small)


def changed(table: Table, step: Step, warnings: Warnings) -> Table:
    """A value-neutral exchange changes nothing."""
    if step.seat not in table.players:
        raise Refuse(f"seat {step.seat} is empty")
    return table


# --- words that were heard before chips ---


def said(table: Table, step: Step, warnings: Warnings) -> Table:
    """The dealer heard words before the seat's last motion: it is judged anew with them, until the next street."""
    seat, words = step.seat, step.words
    assert words is not None
    hand = in_hand(table, seat)
    if words.kind == "time":
        return table._replace(timed=table.timed | {seat})
    held = table.held.get(seat)
    if held is not None and held.added and not held.out_of_turn:  # what the floor was to decide
        return _said_of_under_call(table, seat, words, warnings)
    if held is not None and held.words is None:
        return holding.said_of_chips(table, seat, words)
    motion = table.motions.get(seat)
    if motion is None or hand.phase not in (Phase.BETTING, Phase.CLOSED):
        raise Refuse(f"seat {seat} has put no chips forward in this round: what was done before it stands")
    earlier = replay(hand, hand.log[: motion.place])
    ruling = rulings.by_words(earlier, seat, words, motion.before)
    if ruling.open_amount and motion.felt > (ruling.act.total if ruling.act else 0):
        ruling = rulings.chips_after_raise(earlier, seat, motion.felt, motion.added)
    if ruling.act is None:
        raise Refuse(f"seat {seat} could not {words}")
    warnings.extend(ruling.warnings)
    log = (*hand.log[: motion.place], ruling.act, *hand.log[motion.place + 1 :])
    spoken = {**table.spoken, seat: Spoken(max(ruling.named, ruling.act.total), False)}
    motions = {**table.motions, seat: motion._replace(under_call=False)}
    return carry_on(table._replace(hand=replay(hand, log), spoken=spoken, motions=motions), warnings)


def _said_of_under_call(table: Table, seat: int, words: Words, warnings: Warnings) -> Table:
    """Words that were heard before too few chips: they bind, and nothing is left for the floor."""
    held = table.held[seat]
    rest = {other: value for other, value in table.held.items() if other != seat}
    table = _in_turn_by_words(table._replace(held=rest), seat, words, warnings)
    spoken = table.spoken.get(seat)
    if spoken and spoken.open_amount and due_back(table, seat):
        return _sized_by_chips(table, seat, held.needs - sum(held.added), held.added, warnings)
    return table


# --- what the dealer shows ---


def here(table: Table, step: Step, warnings: Warnings) -> Table:
    """The action is on this seat: those from the turn up to it have folded, or checked where there was nothing to
    call."""
    seat, hand = step.seat, in_hand(table, step.seat)
    if hand.phase is not Phase.BETTING or seat not in hand.pending:
        raise Refuse(f"seat {seat} cannot act now")
    while table.hand and table.hand.phase is Phase.BETTING and seat in table.hand.pending and table.hand.turn != seat:
        if table.hand.turn == table.hand.bring_in:
            raise Refuse(f"seat {table.hand.bring_in} owes the bring-in")
        table = presume(table, warnings)
    return table


def presume(table: Table, warnings: Warnings) -> Table:
    """The seat in turn is taken to have checked, or folded to a bet."""
    hand = table.hand
    assert hand is not None
    seat = hand.turn
    verb = Verb.FOLD if facing(hand, seat) > hand.bets[seat] else Verb.CHECK
    table = table._replace(presumed={**table.presumed, seat: verb.value})
    return _do(table, Act(verb, seat), warnings)


def forward(table: Table, seat: int, words: Words) -> int:
    """How many chips a seat puts forward that declares these words and does what they name, before any correction.

    Never more than it has; what lies on its spot already counts.
    """
    hand = table.hand
    if hand is None or not table.playing or seat not in hand.order or words.kind in ("fold", "check", "time"):
        return 0
    has = hand.bets[seat] + max(0, hand.stacks[seat])
    if words.kind == "call":
        seen = holding.as_if_in_turn(table, seat)
        named = seen.bets[seat] + to_call(seen, seat)
    elif words.kind == "all-in":
        named = has
    elif words.amount:
        named = hand.level + words.amount if words.by else words.amount
    else:
        ruling = rulings.by_words(holding.as_if_in_turn(table, seat), seat, words, table.felt[seat])
        named = ruling.act.total if ruling.act and ruling.act.total else hand.bets[seat] + to_call(hand, seat)
    if seat not in hand.unknown:
        named = min(named, has)
    return max(0, named - table.felt[seat])
