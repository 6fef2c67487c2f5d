"""The view: everything that a screen shows of a desk, as one frozen value."""

from __future__ import annotations

from typing import Any, Literal

from controller.live.desk import Desk
from controller.presenter import telling
from controller.rules.betting import bounds, may, reach, to_call
from controller.rules.hand import UNBOUNDED, Hand, Phase
from controller.rules.structures import BOUNDS
from controller.table import state as tables
from controller.table.state import Held, Table
from controller.view import (
    Alert,
    Choice,
    Device,
    Level,
    Money,
    PotView,
    SeatStatus,
    SeatView,
    ShowPot,
    TableView,
    Tray,
)
from controller.words import alerts as rulebook

Limit = Literal["pot", "half-pot", "stack", "fixed", "spread", "none"]
_LIMITS: dict[str, Limit] = {
    "pot-limit": "pot",
    "half-pot": "half-pot",
    "fixed-limit": "fixed",
    "spread-limit": "spread",
    "no-limit": "none",
}
_PHASES: dict[Phase, Literal["betting", "closed", "over"]] = {
    Phase.BRING_IN: "betting",
    Phase.FIRST: "betting",
    Phase.BETTING: "betting",
    Phase.CLOSED: "closed",
    Phase.PAYING: "closed",
    Phase.OVER: "over",
}
_HELD_BACK = frozenset({"out-of-turn", "skipped"})
"""Warnings about actions that wait: shown as what is held, not as what the last step did."""

_OF_HELD = frozenset({"under-call", "not-possible"})
"""Warnings of an action that is held: the question about it says the same."""


def show(
    desk: Desk, sequence: int, *, name: str = "", money: Money | None = None, show_pot: ShowPot = "always"
) -> TableView:
    """The view of the desk. The same desk gives the same view, `sequence` apart."""
    table, hand = desk.table, desk.table.hand
    playing = hand if hand is not None and table.playing else None
    least, most, limit = _bounds(playing)
    turn = playing.turn if playing and playing.turn else None
    return TableView(
        sequence=sequence,
        table=name,
        game=game_name(table),
        hand=table.hands,
        street=hand.game.kind.rounds[hand.round - 1] if hand is not None else "",
        round=hand.round if hand is not None else 0,
        phase=_PHASES[hand.phase] if hand is not None else "idle",
        money=money or Money(),
        unit=table.game.unit,
        show_pot=show_pot,
        pot=tables.pot(table),
        pots=tuple(PotView(name=pot.name, amount=pot.amount, seats=pot.seats) for pot in tables.pots_now(table)),
        turn=turn,
        to_call=to_call(playing, turn) if playing and turn else None,
        min_raise_to=least,
        max_raise_to=most,
        limit=limit,
        provisional=_provisional(desk),
        may=may(playing, turn) if playing and turn else (),
        button=playing.button if playing else table.placed.button,
        seats=tuple(_seat(desk, seat) for seat in range(1, 11)),
        alerts=_alerts(desk),
        undo=telling.told(table) if table.past else "",
        next=_next(table),
        devices=tuple(
            Device(name=device, up=why is None, text=why or "") for device, why in sorted(desk.devices.items())
        ),
        sensors=_sensors(desk),
        accounts={name: amount for name, amount in table.accounts._asdict().items() if amount},
        told=telling.told(table),
    )


def game_name(table: Table) -> str:
    """The game for people: "Omaha pot-limit 5/10"."""
    game = table.game
    stakes = "/".join(map(str, game.blinds)) or (f"ante {game.ante}" if game.ante else "")
    return " ".join(part for part in (game.kind.title, game.structure, stakes) if part)


def _bounds(hand: Hand | None) -> tuple[int | None, int | None, Limit]:
    if hand is None or not hand.turn:
        return None, None, "none"
    found = bounds(hand, hand.turn)
    if found is None:
        return None, None, "stack"
    least, most = found
    allowed = BOUNDS[hand.game.structure](hand, hand.turn)[1]
    if most >= UNBOUNDED:
        return least, None, "none"
    by_stack = hand.bets[hand.turn] + reach(hand, hand.turn) < allowed
    return least, most, "stack" if by_stack else _LIMITS[hand.game.structure]


def _provisional(desk: Desk) -> bool:
    """True while an amount that the bounds hang on may still change: chips moving, doubtful or owed in this hand."""
    hand = desk.table.hand
    if hand is None or not desk.table.playing:
        return False
    doubtful = {seat for seat in desk.doubt if desk.is_open_doubt(seat)}
    unsettled = {*desk.seen, *doubtful, *desk.vanished} & set(hand.live)
    return bool(unsettled) or any(tables.owes(desk.table))


def _sensors(desk: Desk) -> Literal["on", "partly", "off"]:
    if not desk.trays:
        return "off"
    out = desk.table.offline & set(desk.table.players)
    if out and out == set(desk.table.players):
        return "off"
    return "partly" if out or any(desk.devices.get(reader) for reader in desk.readers) else "on"


# --- seats ---


def _seat(desk: Desk, seat: int) -> SeatView:
    table, hand = desk.table, desk.table.hand
    player = table.players.get(seat)
    tray: Tray = "none"
    if desk.trays:
        tray = "offline" if seat in table.offline else "unsettled" if seat in desk.seen else "ok"
    if player is None:
        return SeatView(seat=seat, tray=tray)
    playing = hand if hand is not None and table.playing and seat in hand.order else None
    held = table.held.get(seat)
    provisional = desk.seen.get(seat) or desk.doubt.get(seat)
    uncounted = sum(provisional.chips) - table.felt[seat] if provisional else 0
    if seat in desk.between:
        uncounted = sum(desk.between[seat]) - desk.tracker.value(seat, table)
    return SeatView(
        seat=seat,
        name=player.name,
        status=_status(table, seat, playing),
        stack=None if tables.is_unknown(table, seat) else tables.stack(table, seat),
        bet=tables.counted(table, seat) if playing else 0,
        bet_source=_bet_source(desk.sources.get(seat)),
        last=telling.last_act(playing, seat) if playing else "",
        presumed=table.presumed.get(seat, ""),
        held=held.said if held else "",
        owes=tables.owed(table, seat) if playing else 0,
        due_back=tables.due_back(table, seat),
        blind=playing.blinds[seat] if playing else 0,
        button=seat == (hand.button if hand is not None and table.playing else table.placed.button),
        tray=tray,
        seen=max(0, uncounted),
        at_least=bool(provisional and provisional.at_least and uncounted > 0),
        unknown_chips=provisional.unknown if provisional else 0,
    )


def _bet_source(source: str | None) -> Literal["book", "sensed", "confirmed", "keyed"]:
    if source == "sensed":
        return "sensed"
    if source == "confirmed":
        return "confirmed"
    return "keyed" if source == "keyed" else "book"


def _status(table: Table, seat: int, hand: Hand | None) -> SeatStatus:
    if hand is None:
        if table.players[seat].away:
            return "away"
        return "out" if table.playing or table.players[seat].broke else "waiting"
    if seat in hand.folded:
        return "folded"
    if seat in hand.all_in:
        return "all-in"
    if seat == hand.turn:
        return "to-act"
    return "waiting" if seat in hand.pending else "acted"


# --- what the dealer can do next ---


def _next(table: Table) -> tuple[Choice, ...]:
    hand = table.hand
    if hand is None or not table.playing:
        return (Choice(label="NEXT HAND", do="hand"),)
    backs = tuple(
        Choice(label=f"PUSH BACK {due} TO {seat}", do=f"return {seat}")
        for seat in hand.order
        if (due := tables.due_back(table, seat))
    )
    if hand.phase not in (Phase.CLOSED, Phase.PAYING):
        return backs
    sole = tuple(
        Choice(label=f"{pot.name.upper()} {pot.amount} TO {pot.seats[0]}", do=f"award {pot.name} {pot.seats[0]}")
        for pot in tables.pots_now(table)
        if len(pot.seats) == 1
    )
    if hand.last_round or len(hand.live) < 2:
        return (*sole, *backs)
    return (Choice(label=f"DEAL {hand.game.kind.rounds[hand.round].upper()}", do="deal"), *sole, *backs)


# --- alerts ---


def _alerts(desk: Desk) -> tuple[Alert, ...]:
    """What the dealer should know or decide, most urgent first: questions, warnings, then what is only told."""
    found = [*_questions(desk), *_of_last_step(desk), *_of_table(desk), *_of_devices(desk)]
    urgency = {"question": 0, "warning": 1, "info": 2}
    return tuple(sorted(found, key=lambda alert: urgency[alert.level]))


def _questions(desk: Desk) -> list[Alert]:
    table, book = desk.table, desk.table.game.rulebook
    found: list[Alert] = []
    hand = table.hand
    if hand is None or not table.playing:
        return found
    if desk.sweeping:
        seats = ", ".join(map(str, sorted(desk.vanished)))
        close = Choice(label="STREET CLOSED", do="deal closing")
        found.append(rulebook.alert("sweep-question", book, seats=seats, choices=(close,)))
    for seat, held in table.held.items():
        found.append(_of_held(desk, hand, seat, held))
    for seat in desk.deferred:
        for other in desk.answers_to(seat)[:1]:
            first = [each for each in _between(hand, other) if each in hand.pending and each not in hand.folded]
            did = "checked" if not to_call(hand, seat) else "folded"
            choices = (
                Choice(label=f"{', '.join(map(str, first))} {did.upper()}", do=f"here {other}"),
                Choice(label=f"SEAT {seat} ACTS NOW", do=f"ack now-{seat}"),
            )
            names = " and ".join(map(str, first))
            found.append(rulebook.alert("act-or-answer", book, seat, turn=other, seats=names, did=did, choices=choices))
    for seat, doubt in desk.doubt.items():
        code = "unknown-chip" if doubt.unknown else "at-least"
        level: Level = "question" if desk.is_open_doubt(seat) else "info"
        if doubt.unknown or level == "question":
            amount = sum(doubt.chips)
            found.append(rulebook.alert(code, book, seat, amount=amount, count=doubt.unknown, level=level))
    for seat, chips in desk.between.items():
        amount = sum(chips) - desk.tracker.value(seat, table)
        found.append(rulebook.alert("chips-between-rounds", book, seat, amount=amount))
    if desk.too_early and tables.is_open(table) and not hand.last_round:
        street = hand.game.kind.rounds[hand.round]
        close = Choice(label="THEY HAVE ACTED", do="deal closing")
        found.append(rulebook.alert(rulebook.too_early(street), book, turn=hand.turn or None, choices=(close,)))
    return found


def _of_held(desk: Desk, hand: Hand, seat: int, held: Held) -> Alert:
    book = hand.game.rulebook
    rulings = (
        Choice(label="IT STANDS", do=f"floor bind {seat}"),
        Choice(label="GIVE IT BACK", do=f"floor release {seat}"),
    )
    if not held.out_of_turn:
        code = "held-for-the-floor" if held.words is not None and held.added else "not-possible"
        return rulebook.alert(code, book, seat, held=held.said, choices=rulings)
    skipped = [other for other in _between(hand, seat) if other in hand.pending and other not in hand.folded]
    asked = desk.patient and held.said != "fold" and f"held-{seat}" not in desk.answered and skipped
    if not asked or not hand.turn:
        return rulebook.alert("out-of-turn", book, seat, held=held.said, turn=hand.turn or None, choices=rulings)
    did = "checked" if not to_call(hand, hand.turn) else "folded"
    seats = " and ".join(map(str, skipped))
    choices = (
        Choice(label=f"{', '.join(map(str, skipped))} {did.upper()}", do=f"here {seat}"),
        Choice(label="OUT OF TURN", do=f"ack held-{seat}"),
    )
    return rulebook.alert("behind-the-turn", book, seat, turn=hand.turn, seats=seats, did=did, choices=choices)


def _between(hand: Hand, seat: int) -> tuple[int, ...]:
    """The seats from the turn up to, not with, this one."""
    if hand.turn not in hand.order:
        return ()
    at = hand.order.index(hand.turn)
    ring = (*hand.order[at:], *hand.order[:at])
    return ring[: ring.index(seat)] if seat in ring else ()


def _of_last_step(desk: Desk) -> list[Alert]:
    table, ruled = desk.table, desk.ruled
    seat, hand = ruled.seat, desk.table.hand
    found = []
    waiting = bool(table.held) and desk.patient
    for code in ruled.codes:
        if (code in _HELD_BACK and (waiting or not table.held)) or (code in _OF_HELD and seat in table.held):
            continue
        values = _values(table, hand, seat, code)
        found.append(rulebook.alert(code, table.game.rulebook, seat, choices=_remedies(table, seat, code), **values))
    return found


def _values(table: Table, hand: Hand | None, seat: int | None, code: str) -> dict[str, Any]:
    if hand is None or seat is None or not table.playing:
        return {}
    values: dict[str, Any] = {}
    if hand.turn:
        values["turn"] = hand.turn
    back, debt = tables.due_back(table, seat), tables.owed(table, seat)
    if code in ("under-bet", "under-call", "under-raise", "chips-withdrawn") and debt:
        values["amount"] = debt
    elif code == "over-limit":
        values |= {"amount": max(table.felt[seat], hand.bets[seat]), "most": hand.bets[seat]}
    elif code == "off-unit":
        values["amount"] = hand.bets[seat]
    elif back:
        values["amount"] = back
    if code in ("under-bet", "under-raise"):
        values["least"] = hand.bets[seat]
    return values


def _remedies(table: Table, seat: int | None, code: str) -> tuple[Choice, ...]:
    """The rule's answer first, then the other one."""
    if seat is None:
        return ()
    back = tables.due_back(table, seat)
    push = (Choice(label=f"PUSH BACK {back}", do=f"return {seat}"),) if back else ()
    raised = (Choice(label="RAISE WAS SAID", do=f"{seat} said raise"),)
    called = (Choice(label="CALL WAS SAID", do=f"{seat} said call"),)
    if code in ("string-bet", "oversized-chip"):
        return (*push, *raised) if seat in table.motions else push
    if code == "under-raise":
        return called if seat in table.motions else ()
    return push if code in ("over-limit", "capped", "not-reopened", "words-differ", "off-unit") else ()


def _of_table(desk: Desk) -> list[Alert]:
    table, book = desk.table, desk.table.game.rulebook
    found = []
    named = desk.ruled.seat if desk.ruled.codes else None
    for seat in sorted(table.players):
        back = tables.due_back(table, seat)
        if back and seat != named:
            push = Choice(label=f"PUSH BACK {back}", do=f"return {seat}")
            found.append(rulebook.alert("due-back", book, seat, amount=back, choices=(push,)))
        debt = tables.owed(table, seat) if table.playing else 0
        if debt and seat != named and seat not in desk.seen:
            found.append(rulebook.alert("owes", book, seat, amount=debt))
        if seat in table.offline and not (seat == named and "tray-offline" in desk.ruled.codes):
            found.append(rulebook.alert("tray-offline", book, seat))
    if desk.damaged:
        found.append(rulebook.alert("journal-damaged", book, hand=table.hands, level="warning"))
    if desk.floor_called:
        found.append(
            rulebook.alert("floor-called", book, choices=(Choice(label="FLOOR HAS DECIDED", do="call floor"),))
        )
    return found


def _of_devices(desk: Desk) -> list[Alert]:
    book = desk.table.game.rulebook
    found = []
    if desk.trays and desk.table.players and _sensors(desk) == "off":
        found.append(rulebook.alert("sensors-off", book))
    for device, why in sorted(desk.devices.items()):
        if why is None:
            continue
        code = "presses-lost" if why == "presses-lost" else desk.kind_of(device)
        found.append(rulebook.alert(code, book, about=device, device=device))
    return found
