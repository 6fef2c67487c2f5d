"""The states of which reference pictures are kept, and how each looks: size, theme, language.

Tables are played by the rules, so that a view has all that the service would show; what the rules alone do not come to
is taken from the reference views of `ui.samples`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import cycle, product
from pathlib import Path
from typing import Any, Final, get_args
from zlib import crc32

import msgspec

from controller.live import Live, Setup, obey
from controller.presenter import show
from controller.presenter.codes import CODES
from controller.scripts import STEP_US, begin, read
from controller.view import Alert, AwardPage, Choice, Did, Money, Share, TableView, Values
from controller.words import Language
from ui.samples import Sample, samples
from ui.scene import Look, theme
from ui.scene.layout import LAYOUTS
from ui.state import BetSpot, Bound, Digit, NamedKey, Seat, Target

KEPT: Final = Path(__file__).with_name("reference")
"""Where the reference pictures lie."""
README: Final = Path(__file__).parents[2] / "ui" / "pictures"
"""Where those of documents lie."""
LOOKS: Final = tuple(Look(*one) for one in product(LAYOUTS, theme.THEMES.values(), get_args(Language)))
"""Both sizes, both themes, three languages: all twelve."""
DARK, BRIGHT = theme.THEMES["dark"], theme.THEMES["bright"]
TEN, SEVEN = LAYOUTS


@dataclass(frozen=True, slots=True)
class Picture:
    """One state as it is drawn. `name` is that of its file."""

    name: str
    sample: Sample
    look: Look


def played(head: dict[str, Any], *steps: str) -> TableView:
    """The view after these steps, keyed by the dealer."""
    script = read({"title": "pictured", "step": [{"do": step} for step in steps], **head})
    live = Live(Setup(trays=False), begin(script))
    for number, step in enumerate(script.steps, 1):
        change = obey(live, step, number * STEP_US)
        assert change.refused is None, (steps[number - 1], change.refused)
        live = change.live
    return show(live, 1, name="Table 4")


def seated(*stacks: int) -> dict[str, int]:
    """Stacks of seats 1, 2, 3 …"""
    return {str(seat): stack for seat, stack in enumerate(stacks, 1)}


LIMIT: Final = {"structure": "fixed-limit", "blinds": [10, 20], "bets": [20, 20, 40, 40]}
STUD: Final = {"variant": "stud8", "structure": "fixed-limit", "ante": 2, "bring_in": 5, "bets": [20, 20, 40, 40, 40]}
POT: Final = {"variant": "omaha", "structure": "pot-limit", "blinds": [5, 10], "unit": 5}
LONG: Final = {1: "Bartholomew-Kingsley", 4: "Wolfeschlegelsteinhau", 7: "陈大文先生陈大文先生陈大文先生陈大文先生"}
LARGEST: Final = 999_999_999
"""$9,999,999.99."""


def nine_pots() -> TableView:
    """Ten seats, each all-in for more than the one before: a main pot and eight side pots, and one bet on top."""
    calls = [f"{seat} all-in" for seat in (3, 4, 5, 6, 7, 8, 9, 10, 1, 2)]
    head = {
        "button": 10,
        "stacks": seated(*(200 * seat for seat in range(1, 11))),
        "game": {"blinds": [5, 10]},
        "names": {str(seat): name for seat, name in LONG.items() if seat != 4},
    }
    return played(head, *calls)


def largest() -> TableView:
    """Stacks, bets and the pot at $9,999,999.99 and near it; names of twenty letters."""
    view = played({"button": 10, "stacks": seated(*[5000] * 10), "game": POT}, "3 raise to 35", "4 call", "5 fold")
    seats = tuple(
        msgspec.structs.replace(
            seat,
            stack=LARGEST - seat.seat,
            bet=LARGEST - seat.seat if seat.bet else 0,
            name=LONG.get(seat.seat, "")[:20],
            last=Did(verb="raise", amount=LARGEST - seat.seat) if seat.last and seat.last.amount else seat.last,
        )
        for seat in view.seats
    )
    return msgspec.structs.replace(
        view,
        seats=seats,
        pot=LARGEST,
        to_call=LARGEST - 7,
        min_raise_to=LARGEST - 4,
        max_raise_to=LARGEST,
        money=Money(prefix="$", decimals=2),
    )


def tables() -> dict[str, tuple[TableView, tuple[Target, ...]]]:
    """States of tables that were played, by name, with what was touched."""
    six = seated(500, 800, 500, 960, 500, 500)
    pot = {"button": 4, "stacks": six, "game": POT}
    third = ["1 call", "2 call", "3 call", "4 call", "5 call", "6 check", "deal"]
    kill = {**LIMIT, "kill": {"factor": 2, "pot": 100}, "straddle": "live"}
    stud = {"button": 1, "stacks": seated(400, 400, 400, 400), "game": STUD}
    limit = {"button": 4, "stacks": six, "game": LIMIT}
    returning = {"button": 3, "stacks": six, "game": {"blinds": [5, 10]}}
    capped = ["1 raise to 40", "2 raise to 60", "3 raise to 80"]
    return {
        "short-of-the-pot": (played({**pot, "stacks": {**six, "3": 90}}, "1 raise to 30", "2 raise to 80"), ()),
        "above-the-stack": (played(pot, "1 call", "2 call", "3 call", "4 raise to 60"), ()),
        "stud-bring-in": (played(stud), ()),
        "stud-first": (played(stud, "bring-in 3", "3 bet 5", "4 call", "1 call", "2 complete"), ()),
        "limit-capped": (played(limit, *capped), ()),
        "limit-straddle": (played({**limit, "game": kill}, "1 straddle 40"), ()),
        "out-of-turn-keyed": (played(pot, "3 raise to 60"), ()),
        "over-the-pot-keyed": (played(pot, "1 raise to 500"), ()),
        "string-bet-keyed": (played(pot, "1 call", "1 chips 25"), ()),
        "folded-round": (played(pot, *third, "5 check", "6 bet 40"), ()),
        "away-and-back": (
            played(returning, *(f"{seat} fold" for seat in (6, 1, 2, 3, 4)), "award main 5", "3 away"),
            (),
        ),
        "seat-keys-between": (
            played(returning, *(f"{seat} fold" for seat in (6, 1, 2, 3, 4)), "award main 5"),
            (Seat(3),),
        ),
        "number-pad-over": (played(pot, "1 raise to 30"), (NamedKey.RAISE, Digit("9"), Digit("0"), Digit("0"))),
        "number-pad-max": (played(pot, "1 raise to 30"), (NamedKey.RAISE, Bound("max"))),
        "seat-keys-typed": (played(pot, "1 raise to 30"), (BetSpot(1), Digit("4"), Digit("0"))),
        "nine-pots": (nine_pots(), ()),
        "largest-amounts": (largest(), ()),
    }


EVERYWHERE: Final = ("largest-amounts",)
"""States that are kept in each of the twelve looks."""
IN_BOTH_SIZES: Final = ("nine-pots", "ten-seats", "seat-keys", "award-shares", "page-report")
"""Those of which there is more than elsewhere."""
SHARES: Final = AwardPage(
    pot="side2",
    amount=1785,
    shares=(Share(seat=8, amount=890), Share(seat=9, amount=895)),
    odd=(Share(seat=9, amount=5),),
    rake=14,
    jackpot=1,
)
PLANTED: Final = ("largest-amounts-10in-dark-en", "largest-amounts-7in-bright-zh")
"""Pictures in which one digit after the other is changed, to see that it is noticed."""


def pictures() -> tuple[Picture, ...]:
    """All reference pictures of whole screens: each state in one look, which does not depend on the other states."""
    given = {
        sample.name: sample for sample in samples() if sample.view.money.decimals == 0 or sample.name == "no-limit"
    }
    given |= {name: Sample(name, view, touches) for name, (view, touches) in tables().items()}
    given["award-shares"] = replace(given["award"], name="award-shares", answer=SHARES)
    looks = [LOOKS[crc32(name.encode()) % len(LOOKS)] for name in given]
    rotating = [Picture(_name(name, look), one, look) for (name, one), look in zip(given.items(), looks, strict=True)]
    everywhere = [Picture(_name(name, look), given[name], look) for name in EVERYWHERE for look in LOOKS]
    turned = [replace(one.look, layout=TEN if one.look.layout is SEVEN else SEVEN) for one in rotating]
    other_size = [
        Picture(_name(one.sample.name, look), one.sample, look)
        for one, look in zip(rotating, turned, strict=True)
        if one.sample.name in IN_BOTH_SIZES
    ]
    found = {picture.name: picture for picture in (*rotating, *everywhere, *other_size)}
    return tuple(found.values())


def _name(state: str, look: Look) -> str:
    size = "10in" if look.layout is TEN else "7in"
    paint = "dark" if look.theme is DARK else "bright"
    return f"{state}-{size}-{paint}-{look.language}"


# --- alerts ---

NAMED: Final = Values(
    seat=8,
    turn=5,
    button=3,
    seats=(5, 7),
    amount=125_000_000,
    least=2_000,
    most=925_000_000,
    count=12,
    hand=118,
    did="folded",
    held=Did(verb="raise", amount=30_000),
    pot="side1",
    street=3,
    variant="omaha",
    device="Reader A",
    spot="bet8",
    lammer="missed-blind",
    name="level 8",
    tag="E004015000250001",
    reason="unplugged",
)
TWO: Final = (Choice(label="out-of-turn", do="out-of-turn 8"), Choice(label="floor-has-decided", do="alert-done"))
IN_A_SHEET: Final = 10
"""Bands below one another in one picture."""


REASONS: Final = {"journal-altered": "older-copy", "journal-not-written": "", "storage-nearly-full": "< 200 MB"}
"""Of records, not of devices."""


def _values(code: str) -> Values:
    return msgspec.structs.replace(NAMED, reason=REASONS.get(code, NAMED.reason))


def alerts() -> tuple[tuple[Look, tuple[Alert, ...]], ...]:
    """Every alert in some look, ten of one look to a sheet."""
    every = [
        Alert(
            code=code,
            level=known.level,
            values=_values(code),
            choices=TWO if known.level != "info" else (),
            rule=known.rule,
        )
        for code, known in sorted(CODES.items())
    ]
    parts = [tuple(every[at : at + IN_A_SHEET]) for at in range(0, len(every), IN_A_SHEET)]
    looks = cycle(LOOKS[at * 7 % len(LOOKS)] for at in range(len(LOOKS)))
    return tuple(zip(looks, parts, strict=False))


def sheets() -> Iterator[tuple[str, Look, list[Sample]]]:
    """Name, look, and a table with each of the alerts."""
    table = next(sample.view for sample in samples() if sample.name == "pot-limit")
    dollars = msgspec.structs.replace(table, money=Money(prefix="$", decimals=2))
    for number, (look, some) in enumerate(alerts(), 1):
        views = [msgspec.structs.replace(dollars, alerts=(alert,)) for alert in some]
        yield _name(f"alerts-{number}", look), look, [Sample(view.alerts[0].code, view) for view in views]
