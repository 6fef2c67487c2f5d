"""What a view is made of: each layer below is asked once, the answers stay together."""

from __future__ import annotations

from typing import NamedTuple

from controller.live import (
    Asked,
    Found,
    Live,
    Uncounted,
    asked,
    button_elsewhere,
    chips_astray,
    failures,
    found,
    is_provisional,
    kill_owed,
    lammers,
    left_over,
    not_on_felt,
    posts_owed,
    spots_out,
    sweeping,
    uncounted,
    unsettled,
    waiting,
)
from controller.rules import Choices, Game, Hand, Pot, choices, may
from controller.table import (
    NO_OPENINGS,
    LevelNow,
    NextHand,
    Openings,
    Reason,
    Standing,
    Step,
    level_now,
    markers_owed,
    next_hand,
    pot,
    pots_now,
    standings,
    still_open,
    why_no_hand,
)


class Known(NamedTuple):
    """Everything that is asked of the layers below for one view."""

    live: Live
    hand: Hand | None
    """The hand in progress."""
    game: Game
    button: int
    told: Step | None
    standings: dict[int, Standing]
    """By seat, of the players."""
    pot: int
    pots: tuple[Pot, ...]
    choices: Choices | None
    """Of the seat in turn."""
    may: tuple[str, ...]
    openings: Openings
    """What can be done before anyone acts."""
    following: NextHand | None
    """The next hand as it would start now; None during a hand."""
    uncounted: dict[int, Uncounted]
    provisional: bool
    asked: tuple[Asked, ...]
    swept: tuple[int, ...]
    deferred: tuple[int, ...]
    doubtful: tuple[int, ...]
    unsettled: tuple[tuple[int, int], ...]
    left_over: tuple[tuple[int, int], ...]
    not_on_felt: tuple[tuple[int, int], ...]
    found: tuple[Found, ...]
    lammers: tuple[tuple[int, str], ...]
    spots_out: tuple[tuple[str, str], ...]
    failures: tuple[tuple[str, str], ...]
    astray: int
    button_at: int
    """The seat at whose spot the button was seen, where the book has it elsewhere."""
    posts: tuple[tuple[int, int], ...]
    kill: tuple[int, int] | None
    markers: dict[int, int]
    """By seat, what it owes on markers."""
    level: LevelNow | None
    """Of a tournament."""
    why_no_hand: Reason | None
    """Why the next hand may not start."""


def know(live: Live) -> Known:
    """All of it for this state."""
    table = live.table
    hand = table.hand if table.playing else None
    turn = hand if hand is not None and hand.turn else None
    return Known(
        live=live,
        hand=hand,
        game=table.game,
        button=table.button,
        told=table.told,
        standings=standings(table),
        pot=pot(table),
        pots=pots_now(table),
        choices=choices(turn, turn.turn) if turn else None,
        may=may(turn, turn.turn) if turn else (),
        openings=still_open(table, hand) if hand is not None and not hand.started else NO_OPENINGS,
        following=next_hand(table) if hand is None else None,
        asked=asked(live),
        uncounted={seat: uncounted(live, seat) for seat in table.players},
        swept=sweeping(live),
        deferred=waiting(live, "deferred"),
        doubtful=waiting(live, "doubt"),
        unsettled=unsettled(live),
        left_over=left_over(live),
        not_on_felt=not_on_felt(live),
        found=found(live),
        lammers=lammers(live),
        spots_out=spots_out(live),
        failures=failures(live),
        astray=chips_astray(live),
        button_at=button_elsewhere(live),
        provisional=is_provisional(live),
        posts=posts_owed(live),
        kill=kill_owed(live),
        markers=markers_owed(table) if table.markers else {},
        level=level_now(table) if table.levels else None,
        why_no_hand=why_no_hand(table) if table.levels or table.hold else None,
    )
