"""What was done, as codes and amounts: what a seat did last, what is held of it, what the last step was."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from controller.live import Live
from controller.rules import Act, Hand, Verb, raise_word
from controller.table import (
    ActionOn,
    Adds,
    AllPutIn,
    Awards,
    BuysButton,
    ChangesDealer,
    ChangesSeat,
    Chops,
    Closes,
    ComesBack,
    Counted,
    Deals,
    Declares,
    EndsMotion,
    Exchanges,
    FloorBinds,
    FloorCountsPot,
    FloorGivesTurn,
    FloorGoes,
    FloorHolds,
    FloorKillsHand,
    FloorPlacesButton,
    FloorReleases,
    FloorSetsBet,
    GivesMarker,
    GoesAway,
    Heard,
    Held,
    Kills,
    Leaves,
    Moves,
    NamesBringIn,
    NamesFirst,
    OpenPair,
    Opens,
    PaysTime,
    PlaysCash,
    PlaysGame,
    Posts,
    PutsIn,
    Redeems,
    Redoes,
    Removes,
    Returns,
    RunsBoards,
    Says,
    SeatAmountStep,
    SeatStep,
    Sits,
    Skips,
    StartsBomb,
    StartsHand,
    Step,
    Straddles,
    Table,
    TakesDrop,
    TakesKitty,
    TimePasses,
    Tips,
    TrayBack,
    TrayOut,
    Undoes,
    Voids,
    WasAnother,
)
from controller.view import BetSource, Did, DidVerb, Told

MOST_LATELY: Final = 3
"""Steps told besides the last one: as many as are read at a glance."""
NO_SOURCES: Final[Mapping[int, BetSource]] = {}

NAMES: Final[Mapping[type[Step], str]] = {
    Declares: "declares",
    Says: "says",
    Heard: "heard",
    Moves: "moves",
    WasAnother: "was-another",
    PutsIn: "puts-in",
    AllPutIn: "all-put-in",
    EndsMotion: "ends-motion",
    Returns: "returns",
    Exchanges: "exchanges",
    ActionOn: "action-on",
    NamesBringIn: "names-bring-in",
    NamesFirst: "names-first",
    OpenPair: "open-pair",
    Deals: "deals",
    Awards: "awards",
    RunsBoards: "runs-boards",
    StartsBomb: "starts-bomb",
    StartsHand: "starts-hand",
    Voids: "voids",
    Chops: "chops",
    Undoes: "undoes",
    Redoes: "redoes",
    Skips: "skips",
    TakesDrop: "takes-drop",
    TakesKitty: "takes-kitty",
    Opens: "opens",
    Closes: "closes",
    ChangesDealer: "changes-dealer",
    Posts: "posts",
    Straddles: "straddles",
    Kills: "kills",
    BuysButton: "buys-button",
    PlaysGame: "plays-game",
    Sits: "sits",
    Leaves: "leaves",
    GoesAway: "goes-away",
    ComesBack: "comes-back",
    ChangesSeat: "changes-seat",
    Adds: "adds",
    PlaysCash: "plays-cash",
    GivesMarker: "gives-marker",
    Redeems: "redeems",
    Removes: "removes",
    Counted: "counted",
    Tips: "tips",
    PaysTime: "pays-time",
    FloorBinds: "floor-binds",
    FloorReleases: "floor-releases",
    FloorKillsHand: "floor-kills-hand",
    FloorCountsPot: "floor-counts-pot",
    FloorSetsBet: "floor-sets-bet",
    FloorGivesTurn: "floor-gives-turn",
    FloorPlacesButton: "floor-places-button",
    FloorHolds: "floor-holds",
    FloorGoes: "floor-goes",
    TimePasses: "time-passes",
    TrayOut: "tray-out",
    TrayBack: "tray-back",
}
"""The code of each step that changes a table."""

_PLAIN: dict[Verb, DidVerb] = {
    Verb.FOLD: "fold",
    Verb.DEAD: "fold",
    Verb.CHECK: "check",
    Verb.CALL: "call",
    Verb.WAGER: "raise",
}
"""What of a round's log a seat did itself, or what was done with its hand."""

_PUTS_IN = frozenset({"call", "brings-in", "bet", "complete", "raise", "all-in"})


def last_acts(hand: Hand) -> dict[int, Did]:
    """By seat, what it did last in this round; before that its blind."""
    found = {}
    if hand.round == 1:
        found = {seat: Did(verb="blind", amount=hand.blinds[seat]) for seat in hand.order if hand.blinds[seat]}
    places = {act.seat: place for place, act in enumerate(hand.log) if act.verb in _PLAIN}
    return found | {seat: _did(hand, place) for seat, place in places.items()}


def _as_did(held: Held) -> Did:
    """What a held action means, with the total that it covers."""
    meant = held.meant
    return Did(verb=meant.kind, amount=meant.total or (held.needs if meant.kind == "call" else 0))


def held_acts(held: Mapping[int, Held]) -> dict[int, Did]:
    """By seat, what is held of it."""
    return {seat: _as_did(action) for seat, action in held.items()}


def told(after: Table, step: Step, sources: Mapping[int, BetSource] = NO_SOURCES) -> Told:
    """A step that has led to this table. Where it was about chips, it says where that bet comes from: by seat, in
    `sources`."""
    name = NAMES[type(step)]
    if isinstance(step, Declares | Says | Heard | Moves):
        return _of_seat(after, step, name, sources.get(step.seat, "book"))
    return _of_table(step, name)


def lately(live: Live) -> tuple[Told, ...]:
    """The steps before the last one, the newest first, three at most."""
    past, sources, found = live.table.past, dict(live.sources), []
    for place in range(len(past) - 1, max(0, len(past) - 1 - MOST_LATELY), -1):
        after, newer = past[place].before, past[place].step
        if isinstance(newer, SeatStep):  # where its bet comes from is known of its last step alone
            sources.pop(newer.seat, None)
        found.append(told(after, past[place - 1].step, sources))
    return tuple(found)


def without_source(told: Told) -> Told:
    """The same, not saying where a bet comes from: only acts of seats do."""
    if told.source == "book":
        return told
    return Told(step=told.step, seat=told.seat, did=told.did, held=told.held)


def _of_table(step: Step, name: str) -> Told:
    """Whatever is no act of a seat."""
    match step:
        case Awards():
            return Told(step=name, pot=step.pot, seats=(*step.high, *step.low))
        case ChangesSeat():
            return Told(step=name, seat=step.seat, seats=(step.to,))
        case Sits():
            return Told(step=name, seat=step.seat, amount=step.amount, name=step.name)
        case GivesMarker() | Redeems() if step.lender:
            return Told(step=name, seat=step.seat, amount=step.amount, seats=(step.lender,))
        case RunsBoards():
            return Told(step=name, count=step.count)
        case TimePasses():
            return Told(step=name, count=step.minutes)
        case SeatAmountStep() | FloorSetsBet() | Counted():
            return Told(step=name, seat=step.seat, amount=step.amount)
        case FloorCountsPot() | StartsBomb() | TakesDrop() | TakesKitty():
            return Told(step=name, amount=step.amount)
        case PlaysGame() | ChangesDealer():
            return Told(step=name, name=step.name)
        case SeatStep():
            return Told(step=name, seat=step.seat)
    return Told(step=name)


def _of_seat(table: Table, step: Declares | Says | Heard | Moves, name: str, source: BetSource) -> Told:
    hand, seat, held = table.hand, step.seat, table.street.held.get(step.seat)
    if hand is not None and held is not None:
        return Told(step=name, seat=seat, did=_as_did(held), held=True)
    done = _last_place(hand, seat) if hand is not None else None
    if hand is None or done is None or (not isinstance(step, Moves) and step.declaration.kind == "time"):
        return Told(step=name, seat=seat, did=_as_said(step))
    did = _did(hand, done)
    return Told(step=name, seat=seat, did=did, source=source if did.verb in _PUTS_IN else "book")


def _as_said(step: Declares | Says | Heard | Moves) -> Did:
    if isinstance(step, Moves):
        return Did(verb="chips" if step.net >= 0 else "takes", amount=abs(step.net))
    return Did(verb=step.declaration.kind, amount=0 if step.declaration.by else step.declaration.amount)


def _last_place(hand: Hand, seat: int) -> int | None:
    """The place in the round's log of what the seat did last; None where it has done nothing."""
    for place in range(len(hand.log) - 1, -1, -1):
        act = hand.log[place]
        if act.seat == seat and act.verb in _PLAIN:
            return place
    return None


def _did(hand: Hand, place: int) -> Did:
    act = hand.log[place]
    verb, amount = _PLAIN[act.verb], 0
    if act.verb is Verb.WAGER:
        verb, amount = _wager(hand, act, place), act.total
    elif act.verb is Verb.CALL:
        amount = hand.bets[act.seat]
        verb = "brings-in" if _is_bring_in(hand, place) else verb
    return Did(verb=verb, amount=amount, all_in=act.seat in hand.all_in)


def _wager(hand: Hand, act: Act, place: int) -> DidVerb:
    """The first of a round opens it, or completes what was less than a full bet; one all-in for less does not."""
    opening = hand.opening
    if any(earlier.verb is Verb.WAGER for earlier in hand.log[:place]):
        return "raise"
    if opening is None:
        return "bet"
    short = opening.level and act.total < opening.full + opening.size
    return "raise" if short else raise_word(opening)


def _is_bring_in(hand: Hand, place: int) -> bool:
    """True for the first chips of a round that opened with a bring-in: nobody may put any in before that."""
    brought = hand.opening is not None and hand.opening.bring_in
    return bool(brought) and not any(act.verb in (Verb.CALL, Verb.WAGER) for act in hand.log[:place])
