"""Topics of the rules: a short introduction to each, and the files of its code.

A topic is a folder of scripts, from which `page_writer` builds a page.
"""

from __future__ import annotations

from typing import Final, NamedTuple


class Topic(NamedTuple):
    """A topic: its folder of scripts, its title, an introduction, and the files of its code."""

    folder: str
    title: str
    intro: str
    code: tuple[str, ...]


TOPICS: Final = (
    Topic(
        "turn-order",
        "Order of action",
        "A round goes clockwise until every live seat has matched the current bet. Before the flop, the seat after "
        "the last blind acts first and the big blind last. On later streets, the first live seat left of the button "
        "acts first. In stud, the dealer names the seat that acts first, because the cards decide.",
        ("rules/actions.py", "rules/variants.py", "table/turn_actions.py"),
    ),
    Topic(
        "limits",
        "Limits of bets and raises",
        "Every structure sets a minimum and a maximum for the next bet or raise. The maximum is the stack in "
        "no-limit, the pot after the call in pot-limit, and half of that in half-pot. Fixed and spread limit have "
        "sizes of their own, sometimes others for the opening bet, and a cap on raises. A hand cap limits what a "
        "player can put in during one hand. Only whole units of a stack play. In a mix, each game has its own limits.",
        ("rules/betting_structures.py", "rules/legal_actions.py", "rules/game.py"),
    ),
    Topic(
        "forced-bets",
        "Antes, blinds, posts and the bring-in",
        "Some chips must be in before anybody acts: antes by each player or by one for all, one to three blinds, the "
        "bring-in of stud, and the posts of players who are new or have missed blinds. Nobody enters between the "
        "button and the big blind. Blinds are live bets. Dead money counts for nobody's call.",
        (
            "rules/forced_bets/blinds.py",
            "rules/forced_bets/stud.py",
            "rules/seating/missed_blinds.py",
            "table/opening_bets.py",
        ),
    ),
    Topic(
        "button",
        "Button and blinds of the next hand",
        "Between hands the button and the blinds move, also past seats that are empty now. The house plays a dead, "
        "moving or simplified button. Heads-up, the button posts the small blind. The floor may move the button, and "
        "a new player may buy it.",
        (
            "rules/seating/button_and_blinds.py",
            "table/between_hands/next_hand_seats.py",
            "table/between_hands/hand_start.py",
        ),
    ),
    Topic(
        "kill-and-straddle",
        "Kill pots, straddles and the rock",
        "These are voluntary and earned blinds in addition to the ordinary ones. A straddle buys the last action of "
        "the first round, and a sleeper does not. A rock goes to the winner of the pot. The winner of a large pot, or "
        "of several pots in a row, kills the next hand, so that all limits grow.",
        ("rules/forced_bets/straddles.py", "table/opening_bets.py", "table/dealer_actions.py"),
    ),
    Topic(
        "all-in",
        "All-in and side pots",
        "Nobody can lose or win more than they had in front of them. What others bet beyond that goes to side pots. "
        "The full-bet and the half-bet rule decide whether a short all-in lets players who have acted raise again.",
        ("rules/side_pots.py", "rules/actions.py"),
    ),
    Topic(
        "award",
        "Award of the pots",
        "Pots are awarded one by one. They are split if hands are equal, halved first in high-low, and divided by "
        "shares after several boards or runs. Odd chips have the size of the smallest chip that plays and an order of "
        "their own. If only the blinds are left, they may chop, and nobody wins.",
        ("rules/awards.py", "rules/pot_division.py", "rules/side_pots.py", "table/dealer_actions.py"),
    ),
    Topic(
        "rake",
        "Rake, jackpot and kitty",
        "The house takes its part of the called chips and never of an uncalled bet. It takes the rake at the award or "
        "as the pot is built, up to a cap, and sometimes only if there was a flop. Jackpots and the players' own "
        "kitty are taken in addition. The house takes nothing from the chips that it adds itself in a splash pot.",
        ("rules/awards.py", "table/dealer_actions.py"),
    ),
    Topic(
        "rulings",
        "Rulings on words and chips",
        "Players speak, put in chips, or do both, in one motion or in two, in turn or out of turn. Words bind and "
        "have priority over chips that follow. Chips without words are judged by their number. Chips that do not play "
        "go back, and missing chips are owed.",
        ("table/interpretation.py", "table/declarations.py", "table/chip_motions.py", "table/out_of_turn.py"),
    ),
    Topic(
        "tda",
        "Differences of tournament rules",
        'With `rulebook = "tda"` some situations are settled in another way: chips that could be spared, calls that '
        "are too small, actions out of turn, the cap heads-up, and short blinds in the pot maximum.",
        ("table/interpretation.py", "table/out_of_turn.py", "rules/game.py"),
    ),
    Topic(
        "dealer",
        "Keys of the dealer",
        "Folds and checks are not sensed, and the dealer keys them late. One touch shows where the action is and "
        "which actions are presumed. The dealer can add words that were heard, and can key bets while a seat sensor "
        "is out.",
        (
            "table/turn_actions.py",
            "table/declarations.py",
            "table/corrections/wager_corrections.py",
            "table/between_hands/players.py",
        ),
    ),
    Topic(
        "floor",
        "Decisions of the floor",
        "The floor binds or releases held actions, declares hands dead, corrects the pot or a bet to the amount that "
        "was counted, and gives the turn. A misdeal returns all chips. Differences have an account.",
        ("table/floor_decisions.py", "rules/corrections.py"),
    ),
    Topic(
        "table-stakes",
        "Chips on the table",
        "Players add and remove chips between hands, within the buy-in, and a returning player brings back what was "
        "taken away. At open stakes, players may also buy chips, play cash or borrow during a hand, and markers are "
        "recorded until they are redeemed. Bounties are paid between hands. A recorded stack is an estimate, so that "
        "the chips on the table are right if they differ.",
        (
            "rules/seating/buy_ins.py",
            "table/between_hands/players.py",
            "table/between_hands/stack_changes.py",
            "table/between_hands/seat_sessions.py",
            "table/between_hands/open_and_close.py",
            "table/between_hands/credit_markers.py",
            "table/between_hands/promotions.py",
        ),
    ),
    Topic(
        "bombs-and-boards",
        "Bomb pots, double boards, run it twice",
        "In a bomb pot everybody antes, nobody posts a blind, and betting begins on the flop. Several boards are "
        "dealt because the game has them, or because nobody can bet any longer. Each board then wins its part of "
        "every pot.",
        (
            "rules/forced_bets/bomb_pots.py",
            "rules/pot_division.py",
            "table/between_hands/bomb_pots.py",
            "table/dealer_actions.py",
        ),
    ),
    Topic(
        "mixes",
        "Mixes",
        "Several games are played in turn. HORSE, 8-game and dealer's choice are ready-made, and a house may add its "
        "own. Each game has its limits and its blinds. In a game without blinds the button stays.",
        ("config/mixed_games.py", "rules/variants.py", "table/between_hands/next_hand_seats.py"),
    ),
    Topic(
        "tournament",
        "Levels, breaks and hand-for-hand",
        "Each level of a tournament is a game of its own. The clock shows when the next level is due, and the dealer "
        "begins it with a hand. No hand starts in a break or while the floor holds the table.",
        ("table/between_hands/tournament.py", "config/tournament_levels.py"),
    ),
    Topic(
        "refused",
        "Refused steps",
        "Chips on the table cannot be refused, but a step that is impossible can. Examples are a step of a seat that "
        "is empty or has folded, a street that is dealt while the round is open, and a pot for a seat that is not in "
        "it. A refused step changes nothing and names the reason.",
        ("rules/refusals.py", "table/refusals_and_warnings.py", "table/balances.py"),
    ),
    Topic(
        "undo",
        "Undo and redo",
        "Every step that changed something can be undone, including floor decisions, one after the other, and can be "
        "done again.",
        ("table/corrections/undo_redo.py", "table/reducer.py"),
    ),
)
