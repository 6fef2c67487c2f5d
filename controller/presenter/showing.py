"""`show`: everything that a screen shows of a live table, as one frozen value."""

from __future__ import annotations

from typing import NamedTuple

from controller.live import Live, has_pad
from controller.presenter.alerts import alerts, early
from controller.presenter.known import Known, know
from controller.presenter.options.betting import LIMITS, bounds, own_bound
from controller.presenter.options.offering import BEING_PAID, next_steps, to_give, uncalled_in
from controller.presenter.seats import seat_views
from controller.presenter.telling import held_acts, last_acts, lately, told, without_source
from controller.rules import UNBOUNDED, Game, Hand, Phase, Pot, board_parts, kill_blind
from controller.table import Reason, redo_crosses, undo_crosses
from controller.view import (
    Device,
    GameView,
    Hold,
    LevelView,
    Limit,
    Money,
    PotView,
    Sensors,
    ShowPot,
    Stage,
    TableView,
    Told,
)

_HOLDS: dict[Reason, Hold] = {Reason.ON_HOLD: "hand-for-hand", Reason.ON_BREAK: "break"}
_STAGES: dict[Phase, Stage] = {
    Phase.BRING_IN: "betting",
    Phase.FIRST: "betting",
    Phase.BETTING: "betting",
    Phase.CLOSED: "closed",
    Phase.PAYING: "closed",
    Phase.OVER: "over",
}


def show(
    live: Live, sequence: int, *, name: str = "", money: Money | None = None, show_pot: ShowPot = "always"
) -> TableView:
    """The view of the table. The same live state gives the same view, `sequence` apart."""
    known = know(live)
    table, hand, game = live.table, live.table.hand, known.game
    turn, sensed, bound = _turn(known), _sensors(live), bounds(known)
    following = table.next_in_mix if table.mix else ""
    held = held_acts(table.street.held)
    last = last_acts(known.hand) if known.hand is not None else {}
    found, now, ahead = alerts(known, sensed, held), _told(known), table.future[-1:]
    return TableView(
        sequence=sequence,
        table=name,
        game=_game_played(known),
        next_game=game_view(table.games[table.next_game], table.next_game) if table.next_game else None,
        follows=game_view(table.games[following], following) if following else None,
        level=_level(known),
        hold=_HOLDS[known.why_no_hand] if known.why_no_hand is not None else "",
        rulebook=game.rulebook,
        hand=table.hands,
        round=hand.round if hand is not None else 0,
        phase=_STAGES[hand.phase] if hand is not None else "idle",
        money=money or Money(),
        unit=game.unit,
        show_pot=show_pot,
        pot=known.pot,
        pots=_pots(known),
        turn=turn.seat,
        to_call=turn.to_call,
        min_raise_to=turn.least,
        max_raise_to=turn.most,
        limit=turn.limit,
        largest=bound.largest,
        pot_to=bound.pot_to,
        half_pot_to=bound.half_pot_to,
        all_in=bound.all_in,
        capped=known.hand is not None and known.hand.capped and bool(known.hand.pending),
        provisional=known.provisional,
        may=known.may,
        brings_in=known.hand is not None and 0 < known.hand.turn == known.hand.bring_in,
        button=known.button,
        next=next_steps(known),
        give=to_give(known),
        devices=tuple(
            [Device(name=each, up=why is None, reason=why or "") for each, why in sorted(live.devices.items())]
        ),
        sensors=sensed,
        is_open=live.badges == 0,
        pad=has_pad(live),
        accounts={account: amount for account, amount in table.accounts._asdict().items() if amount},
        undo=without_source(now) if now is not None else None,
        undo_crosses=undo_crosses(table),
        redo=told(ahead[0].after, ahead[0].done.step) if ahead else None,
        redo_crosses=bool(ahead) and redo_crosses(table),
        told=now,
        lately=lately(live),
        recorded=live.setup.recorded,
        closed=table.closed,
        dealer=table.dealer,
        open_stakes=game.stakes == "open",
        seats=seat_views(known, last, held, early(found)),
        alerts=found,
    )


def _told(known: Known) -> Told | None:
    """The last step that changed the table."""
    return told(known.live.table, known.told, known.live.sources) if known.told is not None else None


def _game_played(known: Known) -> GameView:
    """The game of the hand, with what is special in it; between hands that of the next one."""
    hand, name = known.hand, known.live.table.game_name
    if hand is None:
        return game_view(known.game, name)
    return game_view(known.game, name, bomb=hand.bomb, kill=kill_blind(known.game) if hand.killer else 0)


def game_view(game: Game, name: str, *, bomb: int = 0, kill: int = 0) -> GameView:
    """A game by its name in the configuration, as far as its title needs it; `bomb` is the ante of a bomb pot, `kill`
    the kill blind by which its limits have grown."""
    fixed = game.structure == "fixed-limit"
    return GameView(
        name=name,
        variant=game.variant,
        structure=game.structure,
        blinds=game.blinds,
        ante=game.ante,
        bets=game.bets[: len(game.kind.rounds)] if fixed else (),
        bomb=bomb,
        kill=kill,
        high_low=game.kind.high_low,
    )


def _level(known: Known) -> LevelView | None:
    level = known.level
    if level is None:
        return None
    games = known.live.table.games
    follows = bool(level.next) and not level.next_is_break
    return LevelView(
        name=level.name,
        minutes_left=level.minutes_left,
        is_break=level.is_break,
        next=level.next,
        next_game=game_view(games[level.next], level.next) if follows else None,
        until_break=level.until_break,
    )


def _pots(known: Known) -> tuple[PotView, ...]:
    """The pots; what is played for on several boards, with the part of each."""
    hand = known.hand
    if hand is None:
        return ()
    boards = hand.boards
    return tuple(
        [
            PotView(
                name=one.name,
                amount=one.amount,
                seats=one.seats,
                boards=board_parts(one.amount, boards, known.game.unit) if boards > 1 < len(one.seats) else (),
                uncalled=uncalled_in(hand, one),
                odd_first=_odd_first(hand, one),
            )
            for one in known.pots
        ]
    )


def _odd_first(hand: Hand, pot: Pot) -> tuple[int, ...]:
    """The seats in the order in which odd chips go: left of the button; in stud the cards decide."""
    if hand.phase not in BEING_PAID or hand.game.kind.by_board or len(pot.seats) < 2:
        return ()
    return tuple([seat for seat in hand.order if seat in pot.seats])


class _Turn(NamedTuple):
    """What the seat in turn faces and may do."""

    seat: int | None = None
    to_call: int | None = None
    least: int | None = None
    most: int | None = None
    limit: Limit = "none"


def _turn(known: Known) -> _Turn:
    hand, found = known.hand, known.choices
    if hand is None or found is None:
        return _Turn()
    turn = _Turn(hand.turn, found.to_call, limit="stack")
    if found.why_no_raise or found.least > found.has:
        return turn
    most = min(found.limit, found.has)
    if most >= UNBOUNDED:
        return turn._replace(least=found.least, limit="none")
    limit = own_bound(hand, hand.turn) if found.has < found.limit else LIMITS[known.game.structure]
    return turn._replace(least=found.least, most=most, limit=limit)


def _sensors(live: Live) -> Sensors:
    """Whether the bets of the players are read."""
    if not live.setup.trays:
        return "off"
    players = frozenset(live.table.players)
    out = live.table.offline & players
    if out and out == players:
        return "off"
    return "partly" if out or any(live.devices.get(reader) is not None for reader in live.setup.readers) else "on"
