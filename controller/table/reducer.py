"""`step`: what happens at a table, one step at a time. The only way a table changes.

A step that cannot be done changes nothing and says why. After every step the chips are counted: what was bought in is
what the players, the pot and the accounts hold. `Undoes` goes back to the table before the last step that changed it,
`Redoes` does that step again.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar, Final, NamedTuple, TypeAlias, TypeVar

from controller.rules import Hand, Phase, Refusal, RuleError
from controller.table import chips, dealer, declarations, floor, openings, steps, turns
from controller.table.between import bombs, evening, markers, money, players, starting, tournament
from controller.table.codes import Caution, Cautions, Reason, Warned, refused
from controller.table.corrections import taken_back, wagers
from controller.table.state import Table
from controller.table.steps import Step, line
from firmware_bridge.errors import PotkeeperError, Whose


class Outcome(NamedTuple):
    """What came of a step: the table after it, why it was refused (then the table is as before), what it is warned
    about."""

    table: Table
    refused: Refusal | None = None
    warned: tuple[Warned, ...] = ()

    @property
    def warnings(self) -> tuple[Caution, ...]:
        """The codes of `warned`, each once, sorted."""
        return tuple(sorted({each.code for each in self.warned}))


class ConservationError(PotkeeperError):
    """Chips appeared or vanished: a fault of ours. The step that did it is named."""

    whose: ClassVar[Whose] = "ours"


Handler: TypeAlias = Callable[[Table, Step, Cautions], Table]
_Kind = TypeVar("_Kind", bound=Step)


def _any_time(kind: type[_Kind], does: Callable[[Table, _Kind, Cautions], Table]) -> tuple[type[Step], Handler]:
    def handler(table: Table, what: Step, cautions: Cautions) -> Table:
        assert isinstance(what, kind)
        return does(table, what, cautions)

    return kind, handler


def _in_hand(kind: type[_Kind], does: Callable[[Table, Hand, _Kind, Cautions], Table]) -> tuple[type[Step], Handler]:
    """A step that needs a hand in progress, and is given it."""

    def handler(table: Table, what: Step, cautions: Cautions) -> Table:
        assert isinstance(what, kind)
        if table.hand is None or table.hand.phase is Phase.OVER:
            raise refused(Reason.NO_HAND)
        return does(table, table.hand, what, cautions)

    return kind, handler


HANDLERS: Final[dict[type[Step], Handler]] = dict(
    (
        _in_hand(steps.Declares, declarations.says),
        _in_hand(steps.Says, declarations.says),
        _in_hand(steps.Heard, declarations.heard),
        _in_hand(steps.Moves, chips.moves),
        _in_hand(steps.WasAnother, wagers.was_another),
        _in_hand(steps.PutsIn, chips.puts_in),
        _in_hand(steps.AllPutIn, chips.all_put_in),
        _in_hand(steps.EndsMotion, chips.ends_motion),
        _any_time(steps.Returns, chips.returns),
        _any_time(steps.Exchanges, chips.exchanges),
        _in_hand(steps.ActionOn, turns.action_on),
        _in_hand(steps.NamesBringIn, openings.names_bring_in),
        _in_hand(steps.NamesFirst, openings.names_first),
        _in_hand(steps.OpenPair, openings.open_pair),
        _in_hand(steps.Posts, openings.posts),
        _in_hand(steps.Straddles, openings.straddles),
        _in_hand(steps.Kills, openings.kills),
        _in_hand(steps.BuysButton, starting.buys_button),
        _any_time(steps.FloorPlacesButton, starting.places_button),
        _any_time(steps.StartsHand, starting.starts_hand),
        _any_time(steps.StartsBomb, bombs.starts_bomb),
        _in_hand(steps.Deals, dealer.deals),
        _in_hand(steps.RunsBoards, dealer.runs_boards),
        _in_hand(steps.Awards, dealer.awards),
        _in_hand(steps.Voids, dealer.voids),
        _in_hand(steps.Chops, dealer.chops),
        _in_hand(steps.Skips, dealer.skips),
        _in_hand(steps.TakesDrop, dealer.takes_drop),
        _in_hand(steps.TakesKitty, dealer.takes_kitty),
        _any_time(steps.Opens, evening.opens),
        _any_time(steps.Closes, evening.closes),
        _any_time(steps.ChangesDealer, evening.changes_dealer),
        _any_time(steps.PlaysGame, players.plays_game),
        _any_time(steps.Sits, players.sits),
        _any_time(steps.Leaves, players.leaves),
        _any_time(steps.GoesAway, players.goes_away),
        _any_time(steps.ComesBack, players.comes_back),
        _any_time(steps.ChangesSeat, players.changes_seat),
        _any_time(steps.Adds, money.adds),
        _any_time(steps.PlaysCash, money.adds),
        _any_time(steps.GivesMarker, markers.gives_marker),
        _any_time(steps.Redeems, markers.redeems),
        _any_time(steps.Removes, money.removes),
        _any_time(steps.Counted, money.counts_stack),
        _any_time(steps.Tips, money.tips),
        _any_time(steps.PaysTime, money.pays_time),
        _any_time(steps.TimePasses, tournament.time_passes),
        _any_time(steps.TrayOut, players.tray_out),
        _any_time(steps.TrayBack, players.tray_back),
        _any_time(steps.FloorHolds, tournament.holds),
        _any_time(steps.FloorGoes, tournament.goes),
        _in_hand(steps.FloorBinds, floor.binds),
        _in_hand(steps.FloorReleases, floor.releases),
        _in_hand(steps.FloorKillsHand, floor.kills_hand),
        _in_hand(steps.FloorCountsPot, floor.counts_pot),
        _in_hand(steps.FloorSetsBet, floor.sets_bet),
        _in_hand(steps.FloorGivesTurn, floor.gives_turn),
    )
)
"""One function a class of steps; undo and redo are apart, and no table changes by a note."""


def step(table: Table, what: Step, at_us: int = 0) -> Outcome:
    """What comes of one step at the time `at_us`. Pure: the same table and step give the same outcome.

    Raises ConservationError where chips appear or vanish, which no step may do.
    """
    handler = HANDLERS.get(type(what))
    cautions: Cautions = []
    try:
        if isinstance(what, steps.Undoes):
            return Outcome(taken_back.undone(table))
        if isinstance(what, steps.Redoes):
            return Outcome(taken_back.redone(table))
        if handler is None:
            return Outcome(table)
        after = handler(_begun(table), what, cautions)
    except RuleError as error:
        warning = error.refusal.warning
        return Outcome(table, error.refusal, (Warned(Caution(warning), error.refusal.seat),) if warning else ())
    if what.undone != "stays":
        after = taken_back.remembered(table, after, what, at_us)
    check_conserved(after, what)
    return Outcome(after, None, tuple(sorted(set(cautions))))


def _begun(table: Table) -> Table:
    """The table as the next step finds it: what was shown of the round before is gone."""
    street = table.street
    return table._replace(street=street._replace(presumed={}, passing=False)) if street.passing else table


def check_conserved(table: Table, after: Step) -> None:
    """Raises ConservationError where the chips at the table are not those that were bought in."""
    total, hand = sum(table.accounts), table.hand
    in_hand = hand.order if hand is not None and hand.phase is not Phase.OVER else ()
    for seat, player in table.players.items():
        if hand is None or seat not in in_hand:
            total += player.stack
        else:
            total += hand.stacks[seat]
    if in_hand and hand is not None:
        total += hand.total
    if total != table.bought:
        raise ConservationError(f"after {line(after)!r}: {total} chips, {table.bought} were bought in")
