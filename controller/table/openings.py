"""What opens a hand or a street beside the deal: posts, straddles and kill blinds; in stud, who opens.

Source: rulings.md, "Between hands"; table-scripts.md, Steps.
"""

from __future__ import annotations

from controller import rules
from controller.rules import Hand, Refusal, Why, require
from controller.table.book import require_in_hand
from controller.table.codes import Cautions, Reason
from controller.table.holding import early_folds
from controller.table.state import Table
from controller.table.steps import Kills, NamesBringIn, NamesFirst, OpenPair, Posts, Straddles
from controller.table.turns import carry_on

# --- before anyone acts ---


def reject_opening(table: Table, hand: Hand) -> Refusal | None:
    """Why it is too late for a post, a straddle or a kill blind, or None: somebody has acted, in turn or out of it."""
    return rules.reject_late(hand) or (Refusal(Why.ACTED_ALREADY) if table.street.held else None)


def _with_blinds(table: Table, hand: Hand, cautions: Cautions) -> Table:
    """The table with more blinds in front of the seats."""
    return carry_on(table._replace(street=table.street._replace(felt=hand.bets)), hand, cautions)


def reject_posts(table: Table, hand: Hand, seat: int) -> Refusal | None:
    """Why the seat cannot post to be dealt in, or None."""
    player = table.players.get(seat)
    if player is None:
        return Refusal(Reason.EMPTY_SEAT, seat)
    why = rules.reject_post(hand, seat) or reject_opening(table, hand)
    if why is not None:
        return why
    if player.away or not rules.can_play(hand.game, player):
        return Refusal(Reason.AWAY if player.away else Reason.OUT_OF_CHIPS, seat)
    return None if any(rules.post_due(hand.game, player)) else Refusal(Reason.OWES_NO_POST, seat)


def posts(table: Table, hand: Hand, step: Posts, cautions: Cautions) -> Table:
    """A seat posts what it owes to come back in, or to come in new."""
    seat = step.seat
    require(reject_posts(table, hand, seat))
    player = table.players[seat]
    live, dead = rules.post_due(hand.game, player)
    posted = rules.post(hand, seat, player.stack, live, dead, unknown=player.unknown)
    table = table._replace(players={**table.players, seat: rules.posted(hand.game, player)})
    return _with_blinds(table, posted, cautions)


def straddles(table: Table, hand: Hand, step: Straddles, cautions: Cautions) -> Table:
    """A seat straddles."""
    require_in_hand(table, hand, step.seat)
    require(reject_opening(table, hand))
    return _with_blinds(table, rules.straddle(hand, step.seat, step.amount), cautions)


def kills(table: Table, hand: Hand, step: Kills, cautions: Cautions) -> Table:
    """A seat owes the kill blind, where the table does not know it by itself."""
    require_in_hand(table, hand, step.seat)
    require(reject_opening(table, hand))
    return _with_blinds(table, rules.kill(hand, step.seat), cautions)


# --- stud ---


def names_bring_in(table: Table, hand: Hand, step: NamesBringIn, cautions: Cautions) -> Table:
    """The dealer names the seat that owes the bring-in."""
    require_in_hand(table, hand, step.seat)
    return carry_on(table, rules.bring_in(hand, step.seat, early_folds(table)), cautions)


def names_first(table: Table, hand: Hand, step: NamesFirst, cautions: Cautions) -> Table:
    """The dealer names the seat that acts first this round."""
    require_in_hand(table, hand, step.seat)
    return carry_on(table, rules.name_first(hand, step.seat, early_folds(table)), cautions)


def open_pair(table: Table, hand: Hand, step: OpenPair, cautions: Cautions) -> Table:
    """An open pair shows on the second round."""
    return table._replace(hand=rules.open_pair(hand))
