"""`show`: everything that a screen shows of a live table, as one frozen value."""

from __future__ import annotations

from typing import NamedTuple

from controller.live import Live, has_pad, raising
from controller.presenter.alerts import alerts
from controller.presenter.known import Known, know
from controller.presenter.seats import seat_views
from controller.presenter.telling import held_acts, last_acts, told
from controller.rules import UNBOUNDED, Game, Hand, Phase, board_parts, reject_chop, reject_run
from controller.table import (
    Awards,
    Chops,
    Deals,
    EndsMotion,
    NamesBringIn,
    NamesFirst,
    PlaysGame,
    Reason,
    Returns,
    RunsBoards,
    StartsHand,
    line,
)
from controller.view import (
    Choice,
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
    Values,
)

_LIMITS: dict[str, Limit] = {
    "pot-limit": "pot",
    "half-pot": "half-pot",
    "fixed-limit": "fixed",
    "spread-limit": "spread",
    "no-limit": "none",
}
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
    turn, sensed = _turn(known), _sensors(live)
    following = table.next_in_mix if table.mix else ""
    held = held_acts(table.street.held)
    last = last_acts(known.hand) if known.hand is not None else {}
    return TableView(
        sequence=sequence,
        table=name,
        game=game_view(game, table.game_name, bomb=known.hand.bomb if known.hand is not None else 0),
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
        provisional=known.provisional,
        may=known.may,
        button=known.button,
        next=_next(known),
        devices=tuple(
            [Device(name=each, up=why is None, reason=why or "") for each, why in sorted(live.devices.items())]
        ),
        sensors=sensed,
        is_open=live.badges == 0,
        pad=has_pad(live),
        accounts={account: amount for account, amount in table.accounts._asdict().items() if amount},
        undo=told(live, known.told, sourced=False),
        told=told(live, known.told),
        recorded=live.setup.recorded,
        seats=seat_views(known, last, held),
        alerts=alerts(known, sensed, held),
    )


def game_view(game: Game, name: str, *, bomb: int = 0) -> GameView:
    """A game by its name in the configuration, as far as its title needs it; `bomb` is the ante of a bomb pot."""
    fixed = game.structure == "fixed-limit"
    return GameView(
        name=name,
        variant=game.variant,
        structure=game.structure,
        blinds=game.blinds,
        ante=game.ante,
        bets=game.bets[: len(game.kind.rounds)] if fixed else (),
        bomb=bomb,
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
    boards = known.hand.boards if known.hand is not None else 1
    return tuple(
        [
            PotView(
                name=one.name,
                amount=one.amount,
                seats=one.seats,
                boards=board_parts(one.amount, boards, known.game.unit) if boards > 1 < len(one.seats) else (),
            )
            for one in known.pots
        ]
    )


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
    limit = "stack" if found.has < found.limit else _LIMITS[known.game.structure]
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


# --- what the dealer can do next ---


def _next(known: Known) -> tuple[Choice, ...]:
    hand = known.hand
    if hand is None:
        start = (Choice(label="next-hand", do=line(StartsHand())),) if known.why_no_hand is None else ()
        following = known.live.table.next_in_mix
        named = Choice(label="plays-game", do=line(PlaysGame(following)), values=Values(name=following))
        return (*start, named) if following else start
    backs = tuple(
        Choice(label="push-back-to", do=line(Returns(seat)), values=Values(seat=seat, amount=due))
        for seat in hand.order
        if (due := known.standings[seat].due_back)
    )
    if hand.phase is Phase.BRING_IN:
        names = (Choice(label="brings-in", do=line(NamesBringIn(n)), values=Values(seat=n)) for n in hand.active)
        return (*backs, *names)
    if hand.phase is Phase.FIRST:
        names = (Choice(label="acts-first", do=line(NamesFirst(n)), values=Values(seat=n)) for n in hand.active)
        return (*backs, *names)
    if hand.phase not in (Phase.CLOSED, Phase.PAYING):
        return (*backs, *_open_raise(known), *_chop(known, hand))
    sole = tuple(
        Choice(
            label="award",
            do=line(Awards(one.name, one.seats)),
            values=Values(pot=one.name, amount=one.amount, seat=one.seats[0]),
        )
        for one in known.pots
        if len(one.seats) == 1
    )
    if hand.last_round or len(hand.live) < 2:
        return (*sole, *backs)
    street = Values(street=hand.round + 1, variant=known.game.variant)
    return (Choice(label="deal", do=line(Deals()), values=street), *sole, *backs, *_runs(hand))


def _chop(known: Known, hand: Hand) -> tuple[Choice, ...]:
    """Taking the blinds back, where those left are in them and the house allows it."""
    table = known.live.table
    if hand.phase is not Phase.BETTING or hand.wagers or table.street.held:
        return ()
    refused = reject_chop(hand, table.carried.placed.posting)
    return (Choice(label="chops", do=line(Chops())),) if refused is None else ()


def _runs(hand: Hand) -> tuple[Choice, ...]:
    """How often the cards to come can be dealt, where the house offers it."""
    counts = range(2, hand.game.runs + 1) if hand.boards == 1 else ()
    return tuple(
        [
            Choice(label="runs-boards", do=line(RunsBoards(count)), values=Values(count=count))
            for count in counts
            if reject_run(hand, count) is None
        ]
    )


def _open_raise(known: Known) -> tuple[Choice, ...]:
    """A raise to which more motions may still add, until the next seat acts: the dealer can say that it is over."""
    table = known.live.table
    seat = raising(table) if any(said.open_amount for said in table.street.spoken.values()) else 0
    if not seat or known.standings[seat].owed:
        return ()
    return (Choice(label="motion-over", do=line(EndsMotion(seat)), values=Values(seat=seat)),)
