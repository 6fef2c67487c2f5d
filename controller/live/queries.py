"""What follows from the live state: what waits for the dealer, what is doubtful, what lies where it should not.

Seats are given in the order in which their chips came to wait, or by number.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from operator import itemgetter
from typing import Final, Literal, NamedTuple

from controller.live.state import Found, Live, Spot
from controller.rules import BEING_GIVEN, Phase, can_play, clockwise, may_be_dealt_in, post_due
from controller.table import (
    MOST_CHIPS,
    AnswersActsNow,
    AnswersOutOfTurn,
    HeldOutOfTurn,
    Table,
    WaitsFor,
    is_open,
    owed,
    owes,
)
from hardware.chips import chips_for
from hardware.events import Chip
from hardware.spots import BET_SPOTS, POT

SWEEP_US: Final = 5_000_000
"""Spots that empty within this time of each other are one sweep: a dealer's arm needs two or three seconds."""
BADGE_READER: Final = "badge-reader"
"""Its name among the devices."""
HIGH_WATER: Final = "high-water"
"""As above: the mark of the journal's end on another device."""
TABLE_KEY: Final = "table-key"
"""As above: what holds the key that the journal is signed with."""
STORAGE: Final = "storage"
"""As above: the disk that the journal is on."""
UNTOLD: Final = Spot()
SEAT_OF: Final = {spot: seat for seat, spot in enumerate(BET_SPOTS, 1)}
IN_TURN: Final = (Phase.BETTING, Phase.BRING_IN, Phase.FIRST)
"""The phases in which somebody is in turn, or will be as soon as the dealer names a seat."""


def passed(since_us: int, now_us: int, limit_us: int) -> bool:
    """True where so much time has passed. A time that is still to come is one of before a restart of the machine: long
    ago."""
    return not 0 <= now_us - since_us < limit_us


def worth(chips: Iterable[Chip]) -> int:
    """What the chips are worth together."""
    return sum(chip.denomination for chip in chips)


def values(chips: tuple[Chip, ...]) -> tuple[int, ...]:
    """What each of the chips is worth."""
    return tuple(chip.denomination for chip in chips)


def few(chips: tuple[int, ...]) -> tuple[int, ...]:
    """The chips; where they are more than a step can name, fewer chips of the same value."""
    return chips if len(chips) <= MOST_CHIPS else chips_for(sum(chips))


# --- spots ---


def spot_of(live: Live, seat: int) -> Spot:
    """What was seen on the seat's bet spot."""
    return live.spots.get(BET_SPOTS[seat - 1], UNTOLD)


def lying(live: Live, seat: int) -> int:
    """What lies at the seat by the last reading, taken or not; what the book says where its tray has not told yet."""
    chips = spot_of(live, seat).lies
    return live.table.street.felt[seat] if chips is None else worth(chips)


def explained(live: Live, seat: int) -> int:
    """What of it steps account for; what the book says where the seat's tray has not told yet."""
    chips = spot_of(live, seat).explained
    return live.table.street.felt[seat] if chips is None else worth(chips)


def waiting(live: Live, why: WaitsFor) -> tuple[int, ...]:
    """The seats whose last reading waits for this reason, in the order in which they came to wait."""
    found = [
        (spot.waiting.place, seat)
        for name, spot in live.spots.items()
        if spot.waiting is not None and spot.waiting.why == why and (seat := SEAT_OF.get(name))
    ]
    return tuple(seat for _, seat in sorted(found))


def waiting_seats(live: Live) -> tuple[int, ...]:
    """The seats whose last reading waits, for whatever reason, in the order in which they came to wait."""
    found = [
        (spot.waiting.place, seat)
        for name, spot in live.spots.items()
        if spot.waiting is not None and (seat := SEAT_OF.get(name))
    ]
    return tuple(seat for _, seat in sorted(found))


def is_waiting(live: Live, seat: int, why: WaitsFor) -> bool:
    """True where the seat's last reading waits for this reason."""
    held_back = spot_of(live, seat).waiting
    return held_back is not None and held_back.why == why


def is_unsure(live: Live, seat: int) -> bool:
    """True where chips lie at the seat of which it is not known how many, or whether they are a bet."""
    held_back = spot_of(live, seat).waiting
    return held_back is not None and held_back.why in ("doubt", "own-stack", "last-pot", "splash", "copied")


def is_open_doubt(live: Live, seat: int) -> bool:
    """True where a reader that is not sure of all it sees shows more than the book counts already."""
    if not is_waiting(live, seat, "doubt"):
        return False
    spot = spot_of(live, seat)
    return worth(chip for chip in spot.lies or () if chip.uid not in spot.left) > live.table.street.felt[seat]


class Uncounted(NamedTuple):
    """What lies at a seat beyond what counts."""

    amount: int = 0
    at_least: bool = False
    strangers: int = 0
    """Tags that are neither chips nor lammers."""


def uncounted(live: Live, seat: int) -> Uncounted:
    """What lies at the seat and does not count (yet): in motion, doubtful, or there since the betting closed."""
    glimpse, spot = live.glimpses.get(BET_SPOTS[seat - 1]), spot_of(live, seat)
    if spot.waiting is not None and spot.waiting.why not in ("doubt", "emptied", "deferred"):
        if spot.waiting.round and spot.explained is not None:
            return Uncounted(worth(set(spot.lies or ()) - set(spot.explained)))
        return Uncounted(max(0, lying(live, seat) - explained(live, seat)))
    if glimpse is not None:
        amount = max(0, worth(glimpse.stack) - live.table.street.felt[seat])
        return Uncounted(amount, glimpse.at_least and amount > 0, len(glimpse.strangers))
    if is_waiting(live, seat, "doubt"):
        amount = max(0, lying(live, seat) - live.table.street.felt[seat])
        return Uncounted(amount, spot.at_least and amount > 0, len(spot.strangers))
    return Uncounted()


def is_provisional(live: Live) -> bool:
    """True while an amount that the bounds hang on may still change: chips moving, doubtful or owed in this hand, or
    not to be seen because a seat of it is not read."""
    hand = live.table.hand
    if hand is None or hand.phase is Phase.OVER:
        return False
    seats = (seat for seat in waiting_seats(live) if _may_change(live, seat))
    moving = {*live.glimpses, *live.blind, *(name for name, spot in live.spots.items() if spot.failed)}
    live_seats = set(hand.live)
    return (
        any(SEAT_OF.get(name) in live_seats for name in moving)
        or not live_seats.isdisjoint(seats)
        or not live_seats.isdisjoint(live.table.offline)
        or any(owes(live.table))
    )


def _may_change(live: Live, seat: int) -> bool:
    held_back = spot_of(live, seat).waiting
    if held_back is None or held_back.why in ("between", "deferred", "folded-seat"):
        return False
    return held_back.why != "doubt" or is_open_doubt(live, seat)


# --- what waits for the dealer ---


def is_betting(table: Table) -> bool:
    """True while somebody is in turn, or will be as soon as the dealer names a seat."""
    return table.hand is not None and table.hand.phase in IN_TURN


def to_act(live: Live) -> tuple[int, ...]:
    """The seats that have still to act in the round that is open, in their order; none where no round is."""
    return live.table.hand.pending if live.table.hand is not None else ()


def is_call(live: Live, seat: int, came: list[Chip]) -> bool:
    """True for just the chips that the seat has to add to what lies there."""
    hand = live.table.hand
    return hand is not None and live.table.street.felt[seat] + worth(came) == hand.level


def is_paid(table: Table) -> bool:
    """True from the first pot that was given to the next hand."""
    return table.hand is None or table.hand.phase in BEING_GIVEN


def owes_chips(table: Table, seat: int) -> bool:
    """True where the seat has still to put chips forward in this hand."""
    return table.playing and owed(table, seat) > 0


def raising(table: Table) -> int:
    """The seat whose bare "raise" more motions may still make larger, 0 for none: until the next seat acts. Source:
    Robert's Rules 14.6."""
    hand = table.hand
    if hand is None or not hand.log or not hand.game.raise_in_motions:
        return 0
    seat = hand.log[-1].seat
    spoken = table.street.spoken.get(seat)
    return seat if spoken is not None and spoken.open_amount else 0


def sweeping(live: Live) -> tuple[int, ...]:
    """The seats whose spots emptied together while the round is open: the street is closing, or so it seems. Empty
    where nothing looks like that."""
    spots = {seat: spot_of(live, seat).waiting for seat in (*waiting(live, "emptied"), *waiting(live, "covered"))}
    times = sorted(held_back.at_us for held_back in spots.values() if held_back is not None)
    if len(times) < 2 or times[-1] - times[0] > SWEEP_US or not is_open(live.table):
        return ()
    return tuple(sorted(spots))


def is_lone(live: Live, seat: int) -> bool:
    """True where the seat has bet and nobody has answered: all others may have folded, and the dealer has swept."""
    hand = live.table.hand
    if hand is None or seat not in hand.live or hand.turn == seat or BET_SPOTS[seat - 1] in live.glimpses:
        return False
    level = hand.bets[seat]
    return all(other in hand.pending and hand.bets[other] < level for other in hand.live if other != seat)


def answers_to(live: Live, seat: int) -> tuple[int, ...]:
    """Seats that have bet already although this one comes before them: its chips may be an answer to theirs, after a
    check that was not keyed yet, or its act before them. The dealer knows which; until then they wait."""
    hand, held_back = live.table.hand, live.table.street.held
    if not held_back or hand is None or not hand.turn or seat not in hand.pending or seat in hand.folded:
        return ()
    if AnswersActsNow(seat) in live.answered:
        return ()
    ring = clockwise(hand.order, hand.turn - 1)
    return tuple(
        other
        for other, held in held_back.items()
        if isinstance(held, HeldOutOfTurn)
        and held.meant.kind in ("bet", "raise")
        and ring.index(other) > ring.index(seat)
    )


def possible_answers(live: Live) -> frozenset[AnswersOutOfTurn | AnswersActsNow]:
    """The answers that can be given now."""
    held = (AnswersOutOfTurn(seat) for seat in live.table.street.held)
    return frozenset((*held, *(AnswersActsNow(seat) for seat in waiting(live, "deferred"))))


# --- what is told about spots and devices ---


def unsettled(live: Live) -> tuple[tuple[int, int], ...]:
    """(seat, amount seen) of spots where chips have been moving for longer than a motion takes."""
    late = {name: worth(glimpse.stack) for name, glimpse in live.glimpses.items() if glimpse.late}
    return tuple((seat, late[name]) for name, seat in SEAT_OF.items() if name in late)


def left_over(live: Live) -> tuple[tuple[int, int], ...]:
    """(seat, amount) of chips that came to a spot after a pot was given and that no bet of the hand accounts for."""
    found = []
    for name, seat in SEAT_OF.items():
        spot = live.spots.get(name, UNTOLD)
        if not spot.left:
            continue
        there = worth(chip for chip in spot.lies or () if chip.uid in spot.left)
        amount = min(there, lying(live, seat) - live.table.street.felt[seat])
        if amount > 0:
            found.append((seat, amount))
    return tuple(found)


def not_on_felt(live: Live) -> tuple[tuple[int, int], ...]:
    """(seat, amount) of blinds in the book that never lay on the felt, told as soon as somebody has acted."""
    hand, table = live.table.hand, live.table
    if hand is None or not live.setup.trays or not is_betting(table) or hand.round != 1 or not hand.log:
        return ()
    acted = {act.seat for act in hand.log}
    found = []
    for seat in hand.live:
        spot = spot_of(live, seat)
        missing = table.street.felt[seat] - lying(live, seat)
        moves = BET_SPOTS[seat - 1] in live.glimpses or spot.waiting is not None or spot.hidden or seat in live.put_back
        if missing > 0 and spot.lies is not None and seat not in acted and seat not in table.offline and not moves:
            found.append((seat, missing))
    return tuple(found)


def found(live: Live) -> tuple[Found, ...]:
    """Chips in the pot or the tray that no bet spot has told in this hand."""
    return tuple(each for each in live.found if each.hand == live.table.hands)


def chips_astray(live: Live) -> int:
    """What the pot's antenna has held for too long after the last pot was given, 0 for nothing."""
    return worth(live.spots[POT].lies or ()) if live.astray else 0


def may_be_astray(live: Live) -> bool:
    """True where the pot's antenna surely holds chips though every pot was given."""
    pot = live.spots.get(POT, UNTOLD)
    sure = pot.out is None and not pot.at_least and not pot.strangers
    hand = live.table.hand
    return sure and bool(pot.lies) and (hand is None or hand.phase is Phase.OVER)


def button_elsewhere(live: Live) -> int:
    """The seat at whose spot the button was seen while the book has it at another one, 0 for none. Between the hands it
    may be on its way."""
    hand = live.table.hand
    if hand is None or hand.phase is Phase.OVER:
        return 0
    seen = [SEAT_OF[name] for name, spot in live.spots.items() if "button" in spot.lammers and name in SEAT_OF]
    return min([seat for seat in seen if seat != hand.button], default=0)


def lammers(live: Live) -> tuple[tuple[int, str], ...]:
    """(seat, name) of the lammers on bet spots, but for the button."""
    found = [
        (SEAT_OF[spot], name)
        for spot, seen in live.spots.items()
        if seen.lammers and spot in SEAT_OF
        for name in seen.lammers
        if name != "button"
    ]
    return tuple(sorted(found, key=itemgetter(0)))


def spots_out(live: Live) -> tuple[tuple[str, str], ...]:
    """(spot, why) of spots that are no seat's and are not read."""
    return tuple(sorted((name, spot.out) for name, spot in live.spots.items() if spot.out is not None))


def failures(live: Live) -> tuple[tuple[str, str], ...]:
    """(spot, what) of readings that count for nothing because this program failed; "" for a fault at no spot."""
    found = [(name, spot.failed) for name, spot in live.spots.items() if spot.failed]
    return tuple(sorted([*found, ("", live.failed)] if live.failed else found))


def kind_of(
    live: Live, device: str
) -> Literal["badge-reader", "high-water", "table-key", "storage", "reader", "board"]:
    """What a device is."""
    if device == BADGE_READER:
        return "badge-reader"
    if device == HIGH_WATER:
        return "high-water"
    if device == TABLE_KEY:
        return "table-key"
    if device == STORAGE:
        return "storage"
    return "reader" if device in live.setup.readers else "board"


# --- what is owed before a hand ---


def posts_owed(live: Live) -> tuple[tuple[int, int], ...]:
    """(seat, amount) of players who are there and are not dealt in before they post."""
    table, hand = live.table, live.table.hand
    playing = hand.order if hand is not None and hand.phase is not Phase.OVER else ()
    out = {seat: player for seat, player in table.players.items() if seat not in playing and not player.away}
    if not out:
        return ()
    game = table.game
    owing = {seat: who for seat, who in sorted(out.items()) if can_play(game, who) and not may_be_dealt_in(game, who)}
    return tuple((seat, due) for seat, who in owing.items() if (due := sum(post_due(game, who))))


def kill_owed(live: Live) -> tuple[int, int] | None:
    """(seat, amount) of the kill blind that the next hand begins with."""
    table, seat = live.table, live.table.carried.killer
    kill = table.game.kill if seat else None
    if kill is None or table.playing:
        return None
    return seat, int(table.game.big_blind * Fraction(kill.factor))
