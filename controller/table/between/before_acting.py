"""What can be done after a hand has started and before anyone acts: posts, straddles, kill blinds, the button bought.

Source: rulings.md, "Between hands"; table-scripts.md, Steps.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from controller import rules
from controller.rules import Hand
from controller.table.between.starting import reject_buys
from controller.table.openings import reject_opening, reject_posts
from controller.table.state import Table


class Openings(NamedTuple):
    """By seat the amount of its post, the least of its straddle, of the kill blind; and who can buy the button."""

    posts: Mapping[int, int] = {}
    straddles: Mapping[int, int] = {}
    kills: Mapping[int, int] = {}
    buys: tuple[int, ...] = ()


NO_OPENINGS: Final = Openings()


def still_open(table: Table, hand: Hand) -> Openings:
    """All that can be done; `NO_OPENINGS` once somebody has acted."""
    if reject_opening(table, hand) is not None:
        return NO_OPENINGS
    game, out = hand.game, [seat for seat in table.players if seat not in hand.order]
    least, kill = rules.least_straddle(hand), rules.kill_blind(game)
    straddling = hand.live if game.straddle != "none" or game.button_straddle != "none" else ()
    posting = [seat for seat in out if reject_posts(table, hand, seat) is None]
    return Openings(
        posts={seat: sum(rules.post_due(game, table.players[seat])) for seat in posting},
        straddles={seat: least for seat in straddling if rules.reject_straddle(hand, seat, least) is None},
        kills={seat: kill for seat in hand.live if rules.reject_kill(hand, seat) is None} if kill else {},
        buys=tuple([seat for seat in out if reject_buys(table, hand, seat) is None]) if game.buy_button else (),
    )
