"""The next hand starts, or the one that has just started is set up anew.

Source: rulings.md, "Between hands"; table-scripts.md, Steps.
"""

from __future__ import annotations

from controller import rules
from controller.rules import Hand, Phase, Placement, Refusal, Why, require
from controller.table import dealer
from controller.table.between import tournament
from controller.table.between.dealt_in import game_of, killer_of, next_seats
from controller.table.between.seats import player_at
from controller.table.codes import Cautions, Reason, refused
from controller.table.state import Before, Carried, Street, Table
from controller.table.steps import BuysButton, FloorPlacesButton, StartsHand
from controller.table.turns import carry_on


def starts_hand(table: Table, step: StartsHand, cautions: Cautions) -> Table:
    """The next hand starts: the button moves, antes and blinds are posted."""
    require_start(table)
    return _start(table, *next_seats(table, game_of(table)), cautions)


def _start(table: Table, placed: Placement, seats: tuple[int, ...], cautions: Cautions) -> Table:
    """The hand started with button and blinds there, and these seats dealt in."""
    game, carried, players = game_of(table), table.carried, dict(table.players)
    if not carried.fresh:
        sit_out = frozenset(seat for seat, player in players.items() if seat not in seats and not rules.enters(player))
        players = rules.missed_blinds(game, players, carried.last, placed, table.places, sit_out)
    for seat in seats:
        players[seat] = rules.dealt_in(players[seat])
    began = rules.start_hand(
        game,
        placed,
        {seat: players[seat].stack for seat in seats},
        frozenset(seat for seat in seats if players[seat].unknown),
        rock=carried.rock,
        killer=carried.killer,
        third=sum(not player.broke for player in players.values()) > 2,
    )
    waits = killer_of(table, game) if not began.killer else 0
    before = before_hand(table)
    carried = carried._replace(placed=placed, redeal=None, fresh=False, killer=waits)
    return begin(table._replace(players=players), began, carried, before, cautions)


def require_start(table: Table) -> None:
    """Refuses the next hand where it cannot start yet."""
    if table.playing:
        raise refused(Reason.POTS_NOT_GIVEN)
    if table.closed:
        raise refused(Reason.CLOSED)
    tournament.require_not_held(table)


def begin(table: Table, began: Hand, carried: Carried, before: Before, cautions: Cautions) -> Table:
    """The table with the hand that began in it, and what a void goes back to."""
    table = tournament.hand_begun(table)
    players = {
        seat: player if seat in began.order else rules.not_dealt_in(player) for seat, player in table.players.items()
    }
    table = table._replace(players=players, vacated={})
    table = table._replace(hands=table.hands + 1, carried=carried, street=Street(felt=began.bets), before=before)
    return carry_on(table, began, cautions)


def before_hand(table: Table) -> Before:
    """What a void goes back to: the placement from which the hand followed."""
    carried = table.carried._replace(placed=table.carried.last)
    return Before(carried, table.players, table.hold, table.vacated)


# --- a hand that is set up anew ---


def places_button(table: Table, step: FloorPlacesButton, cautions: Cautions) -> Table:
    """The button belongs there: between hands the next hand is a first hand there, and before anyone has acted this one
    is set up anew as one. Source: TDA 34 (a wrong button is put right before substantial action)."""
    places = tuple(sorted({*table.places, step.seat}))
    hand = table.hand if table.playing else None
    if hand is not None:
        require(reject_acted(table, hand))
        table = _not_begun(table, hand)
    carried = table.carried._replace(placed=Placement(step.seat), redeal=None, fresh=True)
    table = table._replace(carried=carried, places=places)
    return table if hand is None else _start(table, *next_seats(table, game_of(table)), cautions)


def reject_buys(table: Table, hand: Hand, seat: int) -> Refusal | None:
    """Why the seat cannot buy the button, or None."""
    player = player_at(table, seat)
    why = rules.reject_buy(hand, seat) or reject_acted(table, hand)
    if why is not None:
        return why
    if player.away or not rules.can_play(hand.game, player):
        return Refusal(Reason.AWAY if player.away else Reason.OUT_OF_CHIPS, seat)
    return Refusal(Why.NOT_NEXT_TO_BUTTON, seat) if table.carried.placed.bought else None


def buys_button(table: Table, hand: Hand, step: BuysButton, cautions: Cautions) -> Table:
    """A seat that comes in left of the button posts both blinds, the others take theirs back, and it has the button in
    the next hand. Source: the house rule "buy the button" (T. Angelo)."""
    seat = step.seat
    require(reject_buys(table, hand, seat))
    table = _not_begun(table, hand)
    placed, seats = next_seats(table, game_of(table))
    placed = rules.bought_placement(game_of(table), placed, seat)
    return _start(table, placed, tuple(sorted({*seats, seat})), cautions)


def reject_acted(table: Table, hand: Hand) -> Refusal | None:
    """Why the hand cannot be set up anew, or None: somebody has acted, in turn or out of it, or the dealer has named
    who brings in."""
    acted = hand.round > 1 or hand.started or hand.bring_in or hand.phase is Phase.PAYING or table.street.held
    return Refusal(Why.ACTED_ALREADY) if acted else None


def _not_begun(table: Table, hand: Hand) -> Table:
    """The table as if the hand had not begun: the one that is set up anew is the same, and counts once."""
    return dealer.given_back(table, hand)._replace(hands=table.hands - 1)
