"""What was done, as codes and amounts: what a seat did last, what is held of it, what the last step was."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from controller.live import Live
from controller.rules import Act, Hand, Verb
from controller.table import (
    ActionOn,
    Adds,
    Awards,
    BuysButton,
    ChangesSeat,
    Chops,
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
    Meant,
    Moves,
    NamesBringIn,
    NamesFirst,
    OpenPair,
    PaysTime,
    PlaysCash,
    PlaysGame,
    Posts,
    Redeems,
    Removes,
    Returns,
    RunsBoards,
    Says,
    SeatAmountStep,
    SeatStep,
    Sits,
    StartsBomb,
    StartsHand,
    Step,
    Straddles,
    Table,
    TimePasses,
    Tips,
    TrayBack,
    TrayOut,
    Undoes,
    Voids,
)
from controller.view import BetSource, Did, DidVerb, Told

NAMES: Final[Mapping[type[Step], str]] = {
    Declares: "declares",
    Says: "says",
    Heard: "heard",
    Moves: "moves",
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

_PUTS_IN = frozenset({"call", "bet", "raise", "all-in"})


def last_acts(hand: Hand) -> dict[int, Did]:
    """By seat, what it did last in this round; before that its blind."""
    found = {}
    if hand.round == 1:
        found = {seat: Did(verb="blind", amount=hand.blinds[seat]) for seat in hand.order if hand.blinds[seat]}
    places = {act.seat: place for place, act in enumerate(hand.log) if act.verb in _PLAIN}
    return found | {seat: _did(hand, place) for seat, place in places.items()}


def _as_did(what: Meant) -> Did:
    """What a held action means."""
    return Did(verb=what.kind, amount=what.total)


def held_acts(held: Mapping[int, Held]) -> dict[int, Did]:
    """By seat, what is held of it."""
    return {seat: _as_did(action.meant) for seat, action in held.items()}


def told(live: Live, step: Step | None, *, sourced: bool = True) -> Told | None:
    """The last step that changed the table, None where there is none. Where it was about chips, it says where that bet
    comes from, if it is to be `sourced`."""
    if step is None:
        return None
    name = NAMES[type(step)]
    if isinstance(step, Declares | Says | Heard | Moves):
        source = live.sources.get(step.seat, "book") if sourced else "book"
        return _of_seat(live.table, step, name, source)
    return _of_table(step, name)


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
        case FloorCountsPot() | StartsBomb():
            return Told(step=name, amount=step.amount)
        case PlaysGame():
            return Told(step=name, name=step.name)
        case SeatStep():
            return Told(step=name, seat=step.seat)
    return Told(step=name)


def _of_seat(table: Table, step: Declares | Says | Heard | Moves, name: str, source: BetSource) -> Told:
    hand, seat, held = table.hand, step.seat, table.street.held.get(step.seat)
    if hand is not None and held is not None:
        return Told(step=name, seat=seat, did=_as_did(held.meant), held=True)
    done = next((place for place, act in _backwards(hand) if act.seat == seat and act.verb in _PLAIN), None)
    if hand is None or done is None or (not isinstance(step, Moves) and step.declaration.kind == "time"):
        return Told(step=name, seat=seat, did=_as_said(step))
    did = _did(hand, done)
    return Told(step=name, seat=seat, did=did, source=source if did.verb in _PUTS_IN else "book")


def _as_said(step: Declares | Says | Heard | Moves) -> Did:
    if isinstance(step, Moves):
        return Did(verb="chips" if step.net >= 0 else "takes", amount=abs(step.net))
    return Did(verb=step.declaration.kind, amount=0 if step.declaration.by else step.declaration.amount)


def _backwards(hand: Hand | None) -> list[tuple[int, Act]]:
    """The round's log with places, the last act first."""
    return [] if hand is None else list(enumerate(hand.log))[::-1]


def _did(hand: Hand, place: int) -> Did:
    act = hand.log[place]
    verb, amount = _PLAIN[act.verb], 0
    if act.verb is Verb.WAGER:
        opened = hand.opening.level if hand.opening is not None else 0
        if not opened and not any(earlier.verb is Verb.WAGER for earlier in hand.log[:place]):
            verb = "bet"
        amount = act.total
    elif act.verb is Verb.CALL:
        amount = hand.bets[act.seat]
    return Did(verb=verb, amount=amount, all_in=act.seat in hand.all_in)
