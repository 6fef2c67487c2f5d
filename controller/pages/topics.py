"""The topics of the rules: what each is about in a few words, and which files of the code hold it.

A topic is a folder of scripts; its page is made by `pages.py`.
"""

from __future__ import annotations

from typing import Final, NamedTuple


class Topic(NamedTuple):
    """One topic: its folder of scripts, its title, an introduction, and where its code is."""

    folder: str
    title: str
    intro: str
    code: tuple[str, ...]


TOPICS: Final = (
    Topic(
        "turn-order",
        "Whose turn it is",
        "A round goes clockwise until everybody left has matched the bet or has folded. Before the flop the seat "
        "after the last blind opens and the big blind has the last word; afterwards the first live seat left of the "
        "button opens. In stud the dealer names who opens, because the cards decide.",
        ("rules/actions.py", "rules/variants.py", "table/turns.py"),
    ),
    Topic(
        "limits",
        "How little and how much",
        "Every structure is a least and a most for the next bet or raise. No-limit ends at the stack, pot-limit at "
        "the pot after the call, half-pot at half of that; fixed and spread limit have their own sizes, perhaps others "
        "to open with, and a cap on raises. A cap limit ends what a player can put in during one hand, and of a stack "
        "only whole units play. In a mix each game has its own.",
        ("rules/structures.py", "rules/queries.py", "rules/game.py"),
    ),
    Topic(
        "forced-bets",
        "Antes, blinds, posts and the bring-in",
        "What has to be in before anybody decides: antes by each or by one for all, one to three blinds, the "
        "bring-in of stud, and what a seat owes that missed its blinds or is new. Nobody comes in between the button "
        "and the big blind. Blinds are live bets, dead money is nobody's.",
        ("rules/forced/blinds.py", "rules/forced/stud.py", "rules/seating/missed.py", "table/openings.py"),
    ),
    Topic(
        "button",
        "Where the button goes",
        "Between hands the button and the blinds move on, also past seats that are empty now: dead, moving or "
        "simplified, as the house has it. Heads-up the button posts the small blind. The floor may say where it "
        "belongs, and a newcomer may buy it.",
        ("rules/seating/button.py", "table/between/dealt_in.py", "table/between/starting.py"),
    ),
    Topic(
        "kill-and-straddle",
        "Kill pots, straddles and the rock",
        "Voluntary and earned blinds on top of the ordinary ones: a straddle buys the last word, a sleeper does "
        "not, a rock is passed on with the pot, and who wins a large pot or several in a row kills the next one: "
        "all limits grow.",
        ("rules/forced/straddles.py", "table/openings.py", "table/dealer.py"),
    ),
    Topic(
        "all-in",
        "All-in and side pots",
        "Nobody can lose or win more than was in front of them. What others bet beyond it goes to side pots, and a "
        "short all-in may or may not give those who have acted another raise: the full-bet and the half-bet rule.",
        ("rules/side_pots.py", "rules/actions.py"),
    ),
    Topic(
        "award",
        "Who gets the pot",
        "Pots are given one by one, split where hands are equal, halved first in high-low, by shares where several "
        "boards or runs were played. Odd chips are of the smallest chip that plays and have an order of their own. "
        "Where only the blinds are left, they may chop: nobody wins.",
        ("rules/awards.py", "rules/shares.py", "rules/side_pots.py", "table/dealer.py"),
    ),
    Topic(
        "rake",
        "Rake, jackpot and kitty",
        "The house takes its part of the chips that were called, never of an uncalled bet: at the award or as the "
        "pot is built, up to a cap, perhaps only with a flop. Jackpots, and the players' own kitty, come beside it.",
        ("rules/awards.py", "table/dealer.py"),
    ),
    Topic(
        "rulings",
        "What was meant",
        "People say things, push chips, or both, in one motion or two, in turn or not. Words bind and come before "
        "chips; chips without words are judged by how many they are. What does not play goes back, what is missing "
        "is owed.",
        ("table/meaning.py", "table/declarations.py", "table/chips.py", "table/holding.py"),
    ),
    Topic(
        "tda",
        "Where tournament rules differ",
        'With `rulebook = "tda"` some matters are settled otherwise: chips that could be spared, calls that are too '
        "small, actions out of turn, the cap heads-up, short blinds in the pot maximum.",
        ("table/meaning.py", "table/holding.py", "rules/game.py"),
    ),
    Topic(
        "dealer",
        "What the dealer shows",
        "Folds and checks are not sensed, and the dealer's fingers are late. One touch says where the action is and "
        "what is presumed to have happened; words that were heard can be added; an unplugged tray is keyed.",
        ("table/turns.py", "table/declarations.py", "table/corrections/wagers.py", "table/between/players.py"),
    ),
    Topic(
        "floor",
        "What the floor decides",
        "Held actions are bound or released, hands are declared dead, the pot or a bet is what was counted, the "
        "turn is where the floor says, and a misdeal gives everything back. Differences have an account.",
        ("table/floor.py", "rules/corrections.py"),
    ),
    Topic(
        "table-stakes",
        "What may be on the table",
        "Chips come and go between hands, within the buy-in, and what was taken away comes back with its player. At "
        "open stakes more may be bought, played in cash or borrowed in a hand, and what is owed on markers is kept "
        "until it is redeemed. A stack in the book is an estimate: the felt is right.",
        (
            "rules/seating/stakes.py",
            "table/between/players.py",
            "table/between/money.py",
            "table/between/stays.py",
            "table/between/evening.py",
            "table/between/markers.py",
        ),
    ),
    Topic(
        "bombs-and-boards",
        "Bomb pots, double boards, run it twice",
        "In a bomb pot everybody antes, nobody posts a blind, and the betting begins on the flop. Where more than one "
        "board is dealt, by the game or because nobody can bet any more, each board has its part of every pot.",
        ("rules/forced/bombs.py", "rules/shares.py", "table/between/bombs.py", "table/dealer.py"),
    ),
    Topic(
        "mixes",
        "Mixes",
        "Several games by turns: HORSE, 8-game and dealer's choice are ready-made, and a house may add its own. Each "
        "game has its limits and its blinds; where a game has no blinds the button stays.",
        ("config/mix.py", "rules/variants.py", "table/between/dealt_in.py"),
    ),
    Topic(
        "tournament",
        "Levels, breaks and hand-for-hand",
        "A tournament has levels with games of their own. The clock says when the next one is due, the dealer begins "
        "it with a hand; in a break, and while the floor holds the table, none starts.",
        ("table/between/tournament.py", "config/levels.py"),
    ),
    Topic(
        "refused",
        "What cannot be done",
        "What lies on the felt cannot be refused, but a step that makes no sense can: for a seat that is empty or "
        "has folded, a card while the round is open, a pot to somebody who is not in it. Nothing changes, and it "
        "says why.",
        ("rules/refusals.py", "table/codes.py", "table/book.py"),
    ),
    Topic(
        "undo",
        "Taking a step back",
        "Every step that changed something can be taken back, floor decisions too, one after the other, and be done "
        "again.",
        ("table/corrections/taken_back.py", "table/reducer.py"),
    ),
)
