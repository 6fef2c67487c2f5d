"""The state of a hand in a few words: what a seat did last, what the last step was. For screens and printed lines."""

from __future__ import annotations

from controller.rules.hand import Act, Hand, Verb
from controller.table.state import Table
from controller.table.steps import Step, StepError, parse

_THIRD_PERSON = {
    "fold": "folds",
    "check": "checks",
    "call": "calls",
    "bet": "bets",
    "raise": "raises",
    "all-in": "is all-in",
}


def last_act(hand: Hand, seat: int) -> str:
    """What the seat did last in this round: "bet 20", "raise to 60", "call", "blind 10"; "" for nothing yet."""
    mine = [place for place, act in enumerate(hand.log) if act.seat == seat and act.verb is not Verb.TURN]
    if not mine:
        return f"blind {hand.blinds[seat]}" if hand.round == 1 and hand.blinds[seat] else ""
    words = act_in_words(hand, mine[-1])
    return f"{words}, all-in" if seat in hand.all_in else words


def act_in_words(hand: Hand, place: int) -> str:
    """The act at a place of the round's log: "bet 20", "raise to 60", "call", "check", "fold"."""
    act = hand.log[place]
    if act.verb is Verb.DEAD:
        return "fold"
    if act.verb is not Verb.WAGER:
        return act.verb.value
    opened = hand.opening.level if hand.opening is not None else 0
    first = not opened and not any(earlier.verb is Verb.WAGER for earlier in hand.log[:place])
    return f"bet {act.total}" if first else f"raise to {act.total}"


def told(table: Table, source: str = "") -> str:
    """The last step that changed the table, in a sentence: "seat 3 raises to 60 (sensed)"."""
    sentence = _sentence(table)
    return f"{sentence} ({source})" if sentence and source else sentence


def _sentence(table: Table) -> str:
    if not table.told:
        return ""
    try:
        step = parse(table.told)
    except StepError:
        return table.told
    if step.verb in ("act", "says", "moved", "said"):
        return _of_seat(table, step)
    return _of_table(step)


def _of_seat(table: Table, step: Step) -> str:
    hand, seat = table.hand, step.seat
    if hand is not None and seat in table.held:
        return f"seat {seat}: {table.held[seat].said}, held"
    last = next((act for act in reversed(hand.log) if act.seat == seat), None) if hand is not None else None
    if hand is None or last is None:
        return f"seat {seat}: {step.text.partition(' ')[2]}"
    return f"seat {seat} {_conjugated(hand, last)}"


def _conjugated(hand: Hand, act: Act) -> str:
    place = max(place for place, other in enumerate(hand.log) if other == act)
    verb, _, rest = act_in_words(hand, place).partition(" ")
    amount = f" {hand.bets[act.seat]}" if verb == "call" else f" {rest}" if rest else ""
    all_in = ", all-in" if act.seat in hand.all_in else ""
    return f"{_THIRD_PERSON[verb]}{amount}{all_in}"


def _of_table(step: Step) -> str:
    sentences = {
        "deal": "the next street is dealt",
        "hand": "the next hand starts",
        "void": "misdeal: everything goes back",
        "here": f"the action is on seat {step.seat}",
        "return": f"what was due back is with seat {step.seat}",
        "award": f"{step.name} goes to seat {', '.join(map(str, (*step.seats, *step.low)))}",
        "bring-in": f"seat {step.seat} owes the bring-in",
        "first": f"seat {step.seat} acts first",
        "floor": f"floor: {step.text.partition(' ')[2]}",
    }
    return sentences.get(step.verb, step.text)
