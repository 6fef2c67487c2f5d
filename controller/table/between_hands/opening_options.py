"""Options before the first action of a hand: posts, straddles, kill blinds and buying the button.

Source: rulings.md, "Between hands"; table-scripts.md, Steps.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from controller import rules
from controller.rules import Hand
from controller.table.between_hands.hand_start import reject_button_buyer
from controller.table.opening_bets import reject_entry_post, reject_opening_bet
from controller.table.state import Table


class OpeningOptions(NamedTuple):
    """Seats that can post, straddle, post a kill blind or buy the button, with the amounts."""

    posts: Mapping[int, int] = {}
    min_straddles: Mapping[int, int] = {}
    kill_blinds: Mapping[int, int] = {}
    button_buyers: tuple[int, ...] = ()


NO_OPENING_OPTIONS: Final = OpeningOptions()
"""Options after the first action of a hand, when no post, straddle, kill blind or purchase is possible."""


def available_openings(table: Table, hand: Hand) -> OpeningOptions:
    """Return which posts, straddles, kill blinds and purchases of the button are possible now.

    Return `NO_OPENING_OPTIONS` after the first action.
    """
    if reject_opening_bet(table, hand) is not None:
        return NO_OPENING_OPTIONS
    game, seats_not_dealt_in = hand.game, [seat for seat in table.players if seat not in hand.dealt_seats]
    min_straddle, kill_blind = rules.straddles.min_straddle(hand), rules.straddles.kill_blind_amount(game)
    straddle_candidates = hand.live_seats if game.straddle != "none" or game.button_straddle != "none" else ()
    posting_seats = [seat for seat in seats_not_dealt_in if reject_entry_post(table, hand, seat) is None]
    return OpeningOptions(
        posts={seat: sum(rules.missed_blinds.entry_post(game, table.players[seat])) for seat in posting_seats},
        min_straddles={
            seat: min_straddle
            for seat in straddle_candidates
            if rules.straddles.reject_straddle(hand, seat, min_straddle) is None
        },
        kill_blinds={
            seat: kill_blind for seat in hand.live_seats if rules.straddles.reject_kill_blind(hand, seat) is None
        }
        if kill_blind
        else {},
        button_buyers=tuple([seat for seat in seats_not_dealt_in if reject_button_buyer(table, hand, seat) is None])
        if game.buy_button
        else (),
    )
