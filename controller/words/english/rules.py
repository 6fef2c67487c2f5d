"""The rules that rulings rest on, one line each in our own words.

A key names a ruling, not a rule: two books may settle it by different rules. Where a book is silent, the house's own
ruling stands for both.
Source: Robert's Rules of Poker, version 11, sections 3 (betting and raising), 5 (hold'em) and 14 (no-limit and
pot-limit); rules and recommended procedures (RP) of the Tournament Directors Association.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from controller.words.books import Books
from controller.words.catalogue import Rule

_BOOKS: Final = Books(
    "Robert's Rules", "House rules", betting="betting and raising, {number}", section="section {number}, {where}"
)
_betting, _section, _tda = _BOOKS.of_betting, _BOOKS.of_section, _BOOKS.of_tda
_own, _house = _BOOKS.of_house, _BOOKS.of_both

RULES: Final[Mapping[str, tuple[Rule, Rule]]] = {
    "out-of-turn": (
        _betting(10, "Binding unless a player in between bets, calls or raises. Who checked may not bet or raise."),
        _tda("53-A", "Binding unless a player in between bets or raises; then all options are open again."),
    ),
    "skipped": (
        _betting(11, "Call time, or lose the right to act once three players have acted behind."),
        _tda("36 and 53-B", "Two actions behind, one with chips, or any three, and the skipped hand is for the floor."),
    ),
    "string-bet": (
        _betting(14, "A second motion adds nothing: announce the raise or put it in at once."),
        _tda("56", "A bet in several motions, back to the stack for more, is not allowed."),
    ),
    "oversized-chip": (
        _betting(15, "One chip larger than the bet, without words, is only a call."),
        _tda("44", "One oversized chip is a call unless a raise is declared before it lands."),
    ),
    "under-bet": (
        _betting(16, "A bet that is too low is made good while its round is open; nobody raises because of it."),
        _tda("52-A", "An opening bet below the minimum is corrected until the next street is dealt."),
    ),
    "under-raise": (
        _betting(16, "A raise that is too low is made good while its round is open; nobody raises because of it."),
        _tda("52-A", "A raise below the minimum is corrected until the next street is dealt."),
    ),
    "under-call": (
        _betting(
            13, "Who did not know of a raise may take it back while nobody has acted behind; else it is made good."
        ),
        _tda("51-B", "A full call when facing the opening bet or heads-up; otherwise the floor decides."),
    ),
    "over-limit": (
        _section(14, "pot-limit 1", "More than the pot is reduced to the most allowed, the surplus goes back."),
        _tda("52-B", "A bet over the pot is corrected for everyone until the next street is dealt."),
    ),
    "off-unit": (
        _betting(16, "An amount that should be rounded is changed to the nearest proper one."),
        _own("off the unit", "The nearest multiple of the unit plays, a tie goes up."),
    ),
    "capped": (
        _betting(3, "With three or more players who can bet: a bet and three raises; four with two betting rounds."),
        _tda("48", "Limit games have a cap on raises, heads-up too until two players are left in the event."),
    ),
    "not-reopened": (
        _betting(6, "A short all-in does not reopen the betting for those who have acted on all before it."),
        _tda("47", "Who has acted and faces less than a full raise may not raise again."),
    ),
    "no-check-raise": (
        _betting(1, "Check-raise is permitted in all games but certain forms of lowball; here the house has none."),
        _own("no check-raise", "Who has checked in a round may call or fold, not raise."),
    ),
    "fold-for-free": (
        _section(3, "dead hands 1", "A hand thrown away in turn with another to act behind is dead, bet or no bet."),
        _tda("58", "Folding in turn with nothing to call is binding, and may be penalised."),
    ),
    "not-possible": (
        _betting(8, "Words in turn bind to what can be done: facing a bet that is call, raise or fold."),
        _tda("55", "A check facing a bet leaves a call or a fold, no raise."),
    ),
    "chips-withdrawn": (
        _betting(12, "Chips released, or pushed forward so that another acts, stay in and are made correct."),
        _tda("46-B and 50-A", "Chips put in in turn stay in; taking a bet back when raised binds to call or raise."),
    ),
    "words-differ": (
        _section(14, "rule 8", "When words and chips differ, the chips are corrected to the words."),
        _tda("40-A", "Words or chips, whichever is first, decide; at the same time, clear words do."),
    ),
    "turn-too-early": (
        _section(
            5, "rules 6 and 8", "An early turn is out of play for the round; what would be the river replaces it."
        ),
        _tda(
            "39-C, RP-5",
            "An early turn is set aside, the river card takes its place, and it goes back before the river.",
        ),
    ),
    "river-too-early": (
        _section(5, "rules 6 and 8", "An early river goes back into the stub; reshuffle, cut, deal without a burn."),
        _tda("39-C, RP-5", "An early river goes back into the stub, which is reshuffled; no second burn."),
    ),
    "flop-too-early": (
        _section(5, "rules 6 and 7", "An early flop is mixed into the stub; the burn stays, the new flop needs none."),
        _tda("39-C, RP-5", "An early flop goes back into the stub, which is reshuffled; the burn card stays."),
    ),
    "street-too-early": (
        _section(5, "rule 6", "A card dealt before the betting is complete is not used, whatever those to act do."),
        _tda("39-C, RP-5", "Cards dealt before the betting is complete are not used."),
    ),
    "half-pot-limit": _house("half pot", "A raise adds at most half of what the pot holds after the call."),
    "fixed-limit": _house("fixed limit", "A bet or raise is exactly the bet of the round."),
    "spread-limit": _house("spread limit", "A bet or raise is between the least and the largest bet of the round."),
    "hand-cap": _house("cap", "Nobody puts more than the cap into one hand; who reaches it is treated as all-in."),
    "stack-corrected": _house("the felt is right", "What lies on the felt counts; the book is put right by a count."),
    "buy-in": _house("buy-in", "Who sits down or adds chips stays between minimum and maximum buy-in."),
    "going-south": _house("table stakes", "Chips stay on the table: who returns in time brings what was taken away."),
    "unknown-chip": _house("foreign chips", "A tag that is no chip of this house has no value and is no bet."),
    "between-rounds": _house("when a chip is a bet", "Chips at a spot are a bet only while the betting is open."),
}
"""By ruling: the rule with `roberts` and with `tda`."""
