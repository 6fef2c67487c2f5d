"""Table scripts: read one, play it, print what is seen. The contract is table-scripts.md.

`--rules-only` feeds the steps to the controller; without it they go the whole way through simulated chips, readers and
settling (`controller/pipeline.py`). Both make the same events, so both print the same.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from controller import acting
from controller.configuring import BadInputError, make_game, say, shown
from controller.rules import betting
from controller.rules.game import Game
from controller.rules.hand import NO_SEATS, NOTHING, SEATS, Hand, Phase, clockwise, put
from controller.rules.stakes import Player
from controller.seen import seen
from controller.stepping import Outcome, step
from controller.steps import Step, StepError, motion, parse
from controller.table import MAIN_GAME, Table, open_table
from hardware.simulated.world import chips_for

STEP_US = 60_000_000
"""Scripted steps lie a minute apart: nothing of one belongs to the next."""
MOST_STEPS = 20_000
"""More than any script has; a larger file is a mistake."""
MOST_BYTES = 4_000_000


class Here(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`[here]`: a hand taken over in the middle."""

    round: int = 1
    pot: int = 0
    bets: dict[str, int] = {}
    turn: int | None = None
    last_raise: int = 0
    folded: list[int] = []


class Do(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One `[[step]]`: what happens, and what is then to be seen (not looked at here)."""

    do: str
    see: dict[str, Any] = {}


class Start(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`[start]`."""

    see: dict[str, Any] = {}


class File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The file as it is written."""

    button: int
    stacks: dict[str, int]
    title: str = ""
    source: str = ""
    names: dict[str, str] = {}
    game: dict[str, Any] = {}
    games: dict[str, dict[str, Any]] = {}
    start: Start = Start()
    here: Here | None = None
    step: list[Do] = []


class Script(NamedTuple):
    """A script, checked: the table before the first hand, how it starts, and its steps."""

    table: Table
    start: str
    here: Here | None
    steps: tuple[Step, ...]


# --- reading ---


def load(path: Path) -> Script:
    """The script in a file. Raises BadInputError with one line: key, value, what was expected."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise BadInputError(f"cannot be read: {error.strerror}") from None
    if len(data) > MOST_BYTES:
        raise BadInputError(f"{len(data)} bytes: expected at most {MOST_BYTES}")
    try:
        return read(tomllib.loads(data.decode()))
    except UnicodeDecodeError as error:
        raise BadInputError(f"byte {error.start}: expected UTF-8 text") from None
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise BadInputError(f"not TOML: {error}") from None


def read(values: Mapping[str, Any]) -> Script:
    """The script that TOML values describe. Raises BadInputError."""
    try:
        file = msgspec.convert(values, File)
    except msgspec.ValidationError as error:
        raise BadInputError(say(error, values, "script")) from None
    games, start = _games(file)
    players = _players(file)
    _seat("button", file.button)
    table = open_table(games, file.button, players)._replace(fresh=start != "idle")
    if len(file.step) > MOST_STEPS:
        raise BadInputError(f"step: {len(file.step)} steps, expected at most {MOST_STEPS}")
    try:
        steps = tuple(parse(item.do) for item in file.step)
    except StepError as error:
        raise BadInputError(f"step {_failing(file)}: {error}") from None
    if start == "here" and file.here is None:
        raise BadInputError('game.start = "here": expected a table [here]')
    if start == "here" and file.here is not None:
        _check_here(file.here, table)
    return Script(table, start, file.here, steps)


def _failing(file: File) -> int:
    """The number of the first step that is none."""
    for number, item in enumerate(file.step, 1):
        try:
            parse(item.do)
        except StepError:
            return number
    return 0


def _games(file: File) -> tuple[dict[str, Game], str]:
    main = dict(file.game)
    start = main.pop("start", "hand")
    if start not in ("hand", "idle", "here"):
        raise BadInputError(f"game.start = {shown(start)}: expected hand, idle or here")
    games = {MAIN_GAME: make_game(main)}
    for name, differs in file.games.items():
        if name == MAIN_GAME:
            raise BadInputError(f"games.{name}: expected another name, {MAIN_GAME} is [game] itself")
        games[name] = make_game({**main, **differs}, f"games.{name}")
    return games, start


def _players(file: File) -> dict[int, Player]:
    players: dict[int, Player] = {}
    for seat, amount in file.stacks.items():
        if amount < 0 or amount > 10**15:
            raise BadInputError(f"stacks.{seat} = {amount}: expected a stack from 0")
        players[_seat("stacks", seat)] = Player(name=file.names.get(seat, ""), stack=amount)
    if not players:
        raise BadInputError("stacks: expected at least one seat with chips")
    for named in file.names:
        if _seat("names", named) not in players:
            raise BadInputError(f"names.{named}: expected a seat that has a stack")
    return dict(sorted(players.items()))


def _seat(key: str, seat: str | int) -> int:
    if not str(seat).isdigit() or not 1 <= int(seat) <= SEATS:
        raise BadInputError(f"{key}: seat {shown(seat)}, expected 1 to {SEATS}")
    return int(seat)


def _check_here(here: Here, table: Table) -> None:
    rounds = len(table.game.kind.rounds)
    if not 1 <= here.round <= rounds:
        raise BadInputError(f"here.round = {here.round}: expected 1 to {rounds}")
    if here.pot < 0 or here.last_raise < 0 or any(bet < 0 for bet in here.bets.values()):
        raise BadInputError("here: expected amounts from 0")
    named = [
        ("turn", here.turn),
        *(("folded", seat) for seat in here.folded),
        *(("bets", int(seat)) for seat in here.bets),
    ]
    for key, seat in named:
        if seat is not None and _seat(f"here.{key}", seat) not in table.players:
            raise BadInputError(f"here.{key}: seat {seat} has no stack")
    if here.turn in here.folded:
        raise BadInputError(f"here.turn = {here.turn}: expected a seat that has not folded")


# --- starting ---


def begin(script: Script) -> Table:
    """The table as it is before the first step. Raises BadInputError where no hand can start."""
    if script.start == "idle":
        return script.table
    if script.start == "here" and script.here is not None:
        return _taken_over(script.table, script.here)
    outcome = step(script.table, parse("hand"))
    if outcome.refused:
        raise BadInputError(f"stacks: the first hand cannot start, {outcome.refused}")
    return outcome.table._replace(past=())


def _taken_over(table: Table, here: Here) -> Table:
    """A hand in its middle. Who has put in the bet of the round has acted; the others have not."""
    game, button = table.game, table.placed.button
    order = clockwise(tuple(table.players), button)
    stacks, bets = NOTHING, NOTHING
    for seat, player in table.players.items():
        stacks = put(stacks, seat, player.stack)
    for bettor, bet in here.bets.items():
        bets = put(bets, int(bettor), bet)
    level = max(bets)
    least = game.base_size(here.round)
    size = here.last_raise or (
        least if game.structure == "fixed-limit" else max(least, level if here.round == 1 else 0)
    )
    folded = frozenset(here.folded)
    hand = Hand(
        game=game,
        button=button,
        order=order,
        stacks=stacks,
        unknown=NO_SEATS,
        round=here.round,
        bets=bets,
        extra=here.pot,
        folded=folded,
        all_in=frozenset(seat for seat in order if stacks[seat] == 0 and seat not in folded),
        big_blind=table.placed.big_place,
        small_blind=table.placed.small_place,
        level=level,
        full=level,
        size=size,
        raises=1 if here.last_raise and game.structure in ("fixed-limit", "spread-limit") and level > size else 0,
        started=True,
        phase=Phase.CLOSED,
    )
    if here.turn is not None:
        hand = _with_turn(hand, here)
    players = {seat: player for seat, player in table.players.items()}
    bought = table.bought + here.pot + sum(bets)
    return table._replace(
        hand=hand, felt=bets, fresh=False, hands=1, bought=bought, players=players, placed=table.placed
    )


def _with_turn(hand: Hand, here: Here) -> Hand:
    assert here.turn is not None
    waiting = clockwise(hand.order, here.turn - 1)
    option = hand.round == 1 and hand.level == hand.game.big_blind
    acted = NO_SEATS
    if hand.level and not option:
        acted = frozenset(seat for seat in hand.order if hand.bets[seat] == hand.level and seat != here.turn)
    elif not hand.level:
        ring = list(hand.order)
        acted = frozenset(ring[: ring.index(here.turn)]) if here.turn in ring else NO_SEATS
    faced = hand.faced
    for seat in acted:
        faced = put(faced, seat, hand.level)
    hand = hand._replace(faced=faced, wagers=1 if hand.level and not option else 0)
    return betting.open_round(hand, waiting[0], acted)


# --- playing ---


def play(script: Script) -> Iterator[dict[str, Any]]:
    """The objects that a script prints, fed to the controller directly. Raises BadInputError where it cannot begin."""
    table = begin(script)
    yield {"step": 0, **seen(table)}
    unseen: dict[int, int] = {}
    for number, what in enumerate(script.steps, 1):
        outcome = one_step(table, what, number * STEP_US, unseen)
        table = outcome.table
        yield {"step": number, **seen(table, outcome.refused, outcome.warnings)}


def one_step(table: Table, what: Step, at_us: int, unseen: dict[int, int]) -> Outcome:
    """A scripted step as the events that it makes. `unseen` holds chips that lie at trays that are out."""
    if what.verb == "moved" and what.seat in table.offline:
        unseen[what.seat] = unseen.get(what.seat, 0) + sum(what.chips) - sum(what.taken)
        return Outcome(table)
    outcome = step(table, what, at_us)
    if outcome.refused is not None:
        return outcome
    following: Step | None = None
    if what.verb == "act" and what.words is not None:
        following = declared_chips(table, outcome.table, what)
    elif what.verb == "plug" and unseen.get(what.seat):
        following = appeared(what, unseen.pop(what.seat))
    if following is None:
        return outcome
    after = step(outcome.table, following, at_us)
    if after.refused is not None:
        return outcome
    return Outcome(after.table, None, tuple(sorted({*outcome.warnings, *after.warnings})))


def declared_chips(before: Table, after: Table, what: Step) -> Step | None:
    """The chips that go forward with declared words, as the motion they make; None where there are none."""
    assert what.words is not None
    amount = acting.forward(before, what.seat, what.words)
    return motion(what.seat, chips_for(amount), ()) if amount else None


def appeared(what: Step, net: int) -> Step:
    """The motion that a tray shows when it is back: what has come or gone meanwhile."""
    return motion(what.seat, chips_for(max(0, net)), chips_for(max(0, -net)))
