"""Table scripts: read one, play it, print what is seen. The contract is table-scripts.md.

`--rules-only` feeds the steps to the controller; without it they go the whole way through simulated chips, readers and
settling (`controller/pipeline.py`). Both make the same events, so both print the same.
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from controller.config.reading import BadInputError, make_game, say, shown
from controller.rules import betting, button
from controller.rules.game import BIG_BET, MOST_AMOUNT, Game
from controller.rules.hand import NO_SEATS, NOTHING, SEATS, Amounts, Hand, Phase, clockwise, put, replace
from controller.rules.stakes import Player
from controller.scripts.seen import seen
from controller.table import acting
from controller.table.reducer import Outcome, step
from controller.table.state import MAIN_GAME, Table, open_table
from controller.table.steps import MOST_CHIPS, Step, StepError, motion, parse
from hardware.chips import chips_for

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


_TABLES = {"": File, "start": Start, "here": Here, "step": Do}
"""The tables whose keys are fixed, by name."""


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
        with path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise BadInputError(f"cannot be read, {why}: expected a file") from None
    if len(data) > MOST_BYTES:
        raise BadInputError(f"file of more than {MOST_BYTES} bytes: expected at most that")
    return read(parse_toml(data))


def parse_toml(data: bytes) -> dict[str, Any]:
    """The values of a TOML file. Raises BadInputError with the place of what is none."""
    try:
        return tomllib.loads(data.decode())
    except UnicodeDecodeError as error:
        raise BadInputError(f"byte {error.start} = 0x{data[error.start]:02X}: expected UTF-8 text") from None
    except RecursionError:
        raise BadInputError("nested too deep: expected TOML") from None
    except tomllib.TOMLDecodeError as error:
        raise BadInputError(f"{error}: expected TOML") from None
    except ValueError:  # int's refusal of thousands of digits
        raise BadInputError(f"a number of thousands of digits: expected at most {MOST_AMOUNT}") from None


def read(values: Mapping[str, Any], *, seats_needed: bool = True) -> Script:
    """The script that TOML values describe; without `seats_needed` nobody has to sit there. Raises BadInputError."""
    try:
        file = msgspec.convert(values, File)
    except msgspec.ValidationError as error:
        line = say(error, values, "", _TABLES)
        raise BadInputError(re.sub(r"^step\[(\d+)\]", lambda number: f"step {int(number[1]) + 1}", line)) from None
    games, start = _games(file)
    players = _players(file)
    if seats_needed and not players:
        raise BadInputError("stacks: expected at least one seat with chips")
    if not 1 <= file.button <= SEATS:
        raise BadInputError(f"button = {shown(file.button)}: expected a seat from 1 to {SEATS}")
    table = open_table(games, file.button, players)._replace(fresh=start != "idle")
    if start == "here":  # who has nothing left behind was dealt in all the same
        table = table._replace(placed=button.first(table.game, file.button, tuple(players)))
    if len(file.step) > MOST_STEPS:
        raise BadInputError(f"step: {len(file.step)} steps, expected at most {MOST_STEPS}")
    try:
        steps = tuple(parse(item.do) for item in file.step)
    except StepError as error:
        raise BadInputError(f"step {_failing(file)}: {error}") from None
    if (start == "here") != (file.here is not None):
        raise BadInputError(f"game.start = {start!r}: expected 'here' with a table [here], and only then")
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
        if name.split() != [name]:
            raise BadInputError(f"games.{shown(name)}: expected a name of one word")
        games[name] = make_game({**main, **differs}, f"games.{name}")
    return games, start


def _players(file: File) -> dict[int, Player]:
    players: dict[int, Player] = {}
    for seat, amount in file.stacks.items():
        if not 0 <= amount <= MOST_AMOUNT:
            raise BadInputError(f"stacks.{seat} = {shown(amount)}: expected a stack from 0 to {MOST_AMOUNT}")
        players[_seat("stacks", seat)] = Player(name=file.names.get(seat, ""), stack=amount)
    for named, name in file.names.items():
        if _seat("names", named) not in players:
            raise BadInputError(f"names.{named} = {shown(name)}: expected a seat that has a stack")
        if list(file.names.values()).count(name) > 1:
            raise BadInputError(f"names.{named} = {shown(name)}: expected a name that no other seat has")
    return dict(sorted(players.items()))


_SEATS = tuple(str(seat) for seat in range(1, SEATS + 1))


def _seat(key: str, seat: str | int) -> int:
    if str(seat) not in _SEATS:
        raise BadInputError(f"{key}: seat {shown(seat)}, expected 1 to {SEATS}")
    return int(seat)


def _check_here(here: Here, table: Table) -> None:
    rounds = len(table.game.kind.rounds)
    if not 1 <= here.round <= rounds:
        raise BadInputError(f"here.round = {here.round}: expected 1 to {rounds}")
    amounts = {
        "pot": here.pot,
        "last_raise": here.last_raise,
        **{f"bets.{seat}": bet for seat, bet in here.bets.items()},
    }
    for key, amount in amounts.items():
        if not 0 <= amount <= MOST_AMOUNT:
            raise BadInputError(f"here.{key} = {shown(amount)}: expected an amount from 0 to {MOST_AMOUNT}")
    named: list[tuple[str, str | int | None]] = [("turn", here.turn)]
    named += [("folded", seat) for seat in here.folded] + [("bets", seat) for seat in here.bets]
    for key, seat in named:
        if seat is not None and _seat(f"here.{key}", seat) not in table.players:
            raise BadInputError(f"here.{key}: seat {seat}, expected one that has a stack")
    if here.turn is not None and (here.turn in here.folded or not table.players[here.turn].stack):
        raise BadInputError(f"here.turn = {here.turn}: expected a seat with chips behind that has not folded")
    if table.players.keys() <= set(here.folded):
        raise BadInputError(f"here.folded = {shown(here.folded)}: expected at least one seat that has not folded")


# --- starting ---


def begin(script: Script) -> Table:
    """The table as it is before the first step. Raises BadInputError where no hand can start."""
    if script.start == "idle":
        return script.table
    if script.start == "here" and script.here is not None:
        return _taken_over(script.table, script.here)
    outcome = step(script.table, parse("hand"))
    if outcome.refused:
        raise BadInputError(f"stacks = {_stacks(script.table)}: {outcome.refused}, expected two or more with chips")
    return outcome.table._replace(past=())


def _stacks(table: Table) -> str:
    return shown({seat: player.stack for seat, player in table.players.items()})


def _taken_over(table: Table, here: Here) -> Table:
    """A hand in its middle, as far as bets show what was done."""
    game, placed = table.game, table.placed
    order = clockwise(tuple(table.players), placed.button)
    stacks, bets = NOTHING, NOTHING
    for seat, player in table.players.items():
        stacks = put(stacks, seat, player.stack)
    for bettor, bet in here.bets.items():
        bets = put(bets, int(bettor), bet)
    level = max(bets)
    least = game.base_size(here.round)
    size = least if game.structure == "fixed-limit" else here.last_raise or max(least, _last_step(bets))
    folded = frozenset(here.folded)
    forced = max(game.big_blind, game.bring_in) if here.round == 1 else 0
    levels = len({bet for bet in bets if bet > forced})
    raises = 0
    if game.structure == "spread-limit":
        raises = max(levels - (not forced), int(here.last_raise > 0 and level > size))
    if game.structure == "fixed-limit":  # bets of one size: the level tells how many, half a bet or more is one
        raises = max(0, (2 * level + size) // (2 * size) - 1)
    hand = Hand(
        game=game,
        button=placed.button,
        order=order,
        stacks=stacks,
        unknown=NO_SEATS,
        round=here.round,
        bets=bets,
        middle=here.pot,
        blinds=_posted(placed.blinds, bets) if here.round == 1 else NOTHING,
        folded=folded,
        all_in=frozenset(seat for seat in order if stacks[seat] == 0 and seat not in folded),
        big_blind=placed.big_place,
        small_blind=placed.small_place,
        level=level,
        full=_full(game, level, size, forced),
        size=size,
        raises=raises,
        wagers=levels,
        started=True,
        phase=Phase.CLOSED,
    )
    if here.turn is not None:
        hand = _with_turn(betting.cap(hand), here)
    players = dict(table.players)
    bought = table.bought + here.pot + sum(bets)
    return table._replace(hand=hand, felt=bets, fresh=False, hands=1, bought=bought, players=players)


def _full(game: Game, level: int, size: int, forced: int) -> int:
    """The last level that counts as a full bet: not a blind or a bring-in below the bet, nor a short all-in."""
    if level < size and level == forced:
        return 0 if game.structure not in BIG_BET else level
    short = level % size if game.structure == "fixed-limit" else 0
    return level if game.all_in_rule == "half-bet" and 2 * short >= size else level - short


def _posted(blinds: tuple[tuple[int, int], ...], bets: Amounts) -> Amounts:
    posted = NOTHING
    for seat, amount in blinds:
        posted = put(posted, seat, min(amount, bets[seat]))
    return posted


def _last_step(bets: Amounts) -> int:
    """How far the largest bet of the round lies above the next one: the last bet or raise, as far as bets show it."""
    second, first = sorted({0, *bets})[-2:] if any(bets) else (0, 0)
    return first - second


def _with_turn(hand: Hand, here: Here) -> Hand:
    assert here.turn is not None
    waiting = clockwise(hand.order, here.turn - 1)
    option = hand.round == 1 and hand.level == hand.game.big_blind
    acted = NO_SEATS
    if hand.level and not option:
        acted = frozenset(seat for seat in hand.order if hand.bets[seat] == hand.level and seat != here.turn)
    else:  # whoever sits between the seat that opens the round and the one in turn
        ring = list(clockwise(hand.order, hand.big_blind)) if option and hand.big_blind else list(hand.order)
        acted = frozenset(ring[: ring.index(here.turn)])
    faced = hand.faced
    forced = hand.game.bring_in if hand.round == 1 else 0
    for seat in hand.order:
        if hand.bets[seat] > max(hand.blinds[seat], forced):  # more than it had to: it has acted
            faced = put(faced, seat, hand.bets[seat])
    for seat in acted:
        faced = put(faced, seat, hand.level)
    hand = replace(hand, faced=faced)
    return betting.open_round(hand, waiting[0], acted)


# --- playing ---


def play(script: Script) -> Iterator[dict[str, Any]]:
    """The objects that a script prints, fed to the controller directly. Raises BadInputError where it cannot begin."""
    table = begin(script)
    yield {"step": 0, **seen(table)}
    unseen: dict[int, Step] = {}
    for number, what in enumerate(script.steps, 1):
        outcome = one_step(table, what, number * STEP_US, unseen)
        table = outcome.table
        yield {"step": number, **seen(table, outcome.refused, outcome.warnings)}


def one_step(table: Table, what: Step, at_us: int, unseen: dict[int, Step]) -> Outcome:
    """A scripted step as the events that it makes. `unseen` is by seat the motion (a `Step`) that a tray which is out
    will show when it is back; it starts empty, and is written here."""
    if what.verb == "moved" and what.seat in table.offline:
        return Outcome(table, out_of_sight(table, what, unseen))
    outcome = step(table, what, at_us)
    if outcome.refused is not None:
        return outcome
    following: Step | None = None
    if what.verb == "act" and what.words is not None:
        following = declared_chips(table, outcome.table, what)
    elif what.verb == "plug":
        following = unseen.pop(what.seat, None)
    if following is not None:
        after = step(outcome.table, following, at_us)
        if after.refused is None:
            outcome = Outcome(after.table, None, tuple(sorted({*outcome.warnings, *after.warnings})))
            covered(unseen, following)
    cleared(unseen, table, outcome.table)
    return outcome


def declared_chips(before: Table, after: Table, what: Step) -> Step | None:
    """The chips that go forward with declared words, as the motion they make; None where there are none."""
    assert what.words is not None
    amount = acting.forward(before, what.seat, what.words)
    return motion(what.seat, chips_for(amount), ()) if amount else None


# --- chips at a tray that is out ---


def out_of_sight(table: Table, what: Step, unseen: dict[int, Step]) -> str | None:
    """A motion at a tray that is out, taken down in `unseen`. Gives why people cannot do it, or None."""
    before = unseen.get(what.seat, motion(what.seat, (), ()))
    there = table.felt[what.seat] + sum(before.chips) - sum(before.taken)
    if sum(what.taken) > there + sum(what.chips):
        return f"seat {what.seat} has only {there} in front of it"
    _take_down(unseen, what.seat, (*before.chips, *what.chips), (*before.taken, *what.taken))
    return None


def covered(unseen: dict[int, Step], declared: Step) -> None:
    """Chips of words that were keyed at a tray that is out: those that lie there unseen are part of them."""
    before = unseen.get(declared.seat)
    if before is not None and before.chips:
        value = min(sum(before.chips), sum(declared.chips))
        _take_down(unseen, declared.seat, left_of(before.chips, value), ())


def cleared(unseen: dict[int, Step], before: Table, after: Table) -> None:
    """Hands have taken chips off spots whose trays are out: what was gone already is not missed twice."""
    for seat, what in list(unseen.items()):
        fell = before.felt[seat] - after.felt[seat]
        if what.taken and fell > 0:
            _take_down(unseen, seat, (), left_of(what.taken, min(sum(what.taken), fell)))


def _take_down(unseen: dict[int, Step], seat: int, came: tuple[int, ...], went: tuple[int, ...]) -> None:
    """What has come to a spot and gone from it, as one motion in one direction; nothing where neither is left."""
    both = Counter(came) & Counter(went)
    came, went = _without(came, both), _without(went, both)
    same = min(sum(came), sum(went))
    came, went = _few(left_of(came, same)), _few(left_of(went, same))
    unseen.pop(seat, None)
    if came or went:
        unseen[seat] = motion(seat, came, went)


def _without(chips: tuple[int, ...], others: Counter[int]) -> tuple[int, ...]:
    return tuple((Counter(chips) - others).elements())


def left_of(chips: tuple[int, ...], value: int) -> tuple[int, ...]:
    """What is left of chips, largest first, when a value that they hold is taken out of them: whole chips as far as
    they fit, the rest in change of the smallest that is larger."""
    left: list[int] = []
    for chip in sorted(chips, reverse=True):
        if chip <= value:
            value -= chip
        else:
            left.append(chip)
    if value:
        left += chips_for(left.pop() - value)
    return tuple(sorted(left, reverse=True))


def _few(chips: tuple[int, ...]) -> tuple[int, ...]:
    """The chips, or fewer of the same value where they are more than one motion has."""
    return chips if len(chips) <= MOST_CHIPS else chips_for(sum(chips))
