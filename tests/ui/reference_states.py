"""The states of the screen that have reference pictures, and the appearance of each picture.

An appearance is a size, a theme and a language. Most states come from tables that are played according to the rules, so
that their views are complete. Other states are sample views from `ui.view_samples`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import cycle, product
from pathlib import Path
from typing import Any, Final
from zlib import crc32

import msgspec

from controller.live import Live, TableSetup, handle_command
from controller.messages import languages
from controller.presenter import build_table_view
from controller.presenter.alert_codes import ALERT_TYPES
from controller.scripts import STEP_INTERVAL_US, parse_script, starting_table
from controller.view import (
    ActionView,
    Alert,
    Choice,
    FloorCallView,
    MessageValues,
    Money,
    TableView,
    pages,
)
from ui.scene import Appearance, tokens
from ui.scene.layout import LAYOUTS
from ui.state import BetSpot, NamedKey, PadDigit, QuickAmount, SeatTile, Target
from ui.view_samples import ViewSample, view_samples

REFERENCE_FOLDER: Final = Path(__file__).with_name("reference")
"""Folder of the reference pictures."""
README_PICTURES: Final = Path(__file__).parents[2] / "ui" / "pictures"
"""Folder of the pictures in documents."""
APPEARANCES: Final = tuple(Appearance(*parts) for parts in product(LAYOUTS, tokens.THEMES.values(), languages()))
"""All twelve combinations of two sizes, two themes and three languages."""
DARK, BRIGHT = tokens.THEMES["dark"], tokens.THEMES["bright"]
TEN_INCH, SEVEN_INCH = LAYOUTS


@dataclass(frozen=True, slots=True)
class ReferencePicture:
    """A reference picture: the state of the screen and its appearance.

    `name` is the name of the picture file without its suffix.
    """

    name: str
    sample: ViewSample
    appearance: Appearance


def view_after(header: dict[str, Any], *steps: str) -> TableView:
    """Return the view of a table after the dealer has entered these steps."""
    script = parse_script({"title": "pictured", "step": [{"do": step} for step in steps], **header})
    live = Live(TableSetup(has_sensors=False), starting_table(script))
    for number, step in enumerate(script.steps, 1):
        result = handle_command(live, step, number * STEP_INTERVAL_US)
        assert result.refusal is None, (steps[number - 1], result.refusal)
        live = result.live
    return build_table_view(live, 1, name="Table 4")


def stacks_by_seat(*stacks: int) -> dict[str, int]:
    """Return the stacks by seat number: the first amount for seat 1, the second for seat 2, and so on."""
    return {str(seat): stack for seat, stack in enumerate(stacks, 1)}


LIMIT: Final = {"structure": "fixed-limit", "blinds": [10, 20], "bets": [20, 20, 40, 40]}
STUD: Final = {"variant": "stud8", "structure": "fixed-limit", "ante": 2, "bring_in": 5, "bets": [20, 20, 40, 40, 40]}
POT: Final = {"variant": "omaha", "structure": "pot-limit", "blinds": [5, 10], "unit": 5}
HOUSE_CHIPS: Final = {5: "#0b0e12", 20: "#ffc0cb", 100: "#eef1f4", 500: "#ffa500"}
"""Chips of a house. Two have the colours of the screen's background."""
LONG_NAMES: Final = {
    1: "Bartholomew-Kingsley",
    4: "Wolfeschlegelsteinhau",
    7: "陈大文先生陈大文先生陈大文先生陈大文先生",
}
LARGEST_AMOUNT: Final = 999_999_999
"""Largest amount that can be entered on the screen, in cents: $9,999,999.99."""


def nine_pots() -> TableView:
    """Return a table on which ten seats went all-in for increasing amounts: a main pot and eight side pots."""
    steps = [f"{seat} all-in" for seat in (3, 4, 5, 6, 7, 8, 9, 10, 1, 2)]
    header = {
        "button": 10,
        "stacks": stacks_by_seat(*(200 * seat for seat in range(1, 11))),
        "game": {"blinds": [5, 10]},
        "names": {str(seat): name for seat, name in LONG_NAMES.items() if seat != 4},
    }
    return view_after(header, *steps)


def largest_amounts() -> TableView:
    """Return a table with amounts close to $9,999,999.99 and names of twenty letters."""
    view = view_after(
        {"button": 10, "stacks": stacks_by_seat(*[5000] * 10), "game": POT}, "3 raise to 35", "4 call", "5 fold"
    )
    seats = tuple(
        msgspec.structs.replace(
            seat,
            stack=LARGEST_AMOUNT - seat.seat,
            bet=LARGEST_AMOUNT - seat.seat if seat.bet else 0,
            name=LONG_NAMES.get(seat.seat, "")[:20],
            last_action=ActionView(verb="raise", amount=LARGEST_AMOUNT - seat.seat)
            if seat.last_action and seat.last_action.amount
            else seat.last_action,
        )
        for seat in view.seats
    )
    return msgspec.structs.replace(
        view,
        seats=seats,
        pot=LARGEST_AMOUNT,
        to_call=LARGEST_AMOUNT - 7,
        min_raise_to=LARGEST_AMOUNT - 4,
        max_raise_to=LARGEST_AMOUNT,
        money=Money(prefix="$", decimals=2),
    )


def with_answered_call(view: TableView) -> TableView:
    """Return the view three minutes after the dealer has called the floor, with a person who comes."""
    values = MessageValues(count=3, name="Maria Gomez", reason="ruling")
    choice = Choice(label="floor-has-decided", do="floor-came")
    alert = Alert(code="floor-called", level="info", values=values, choices=(choice,))
    return msgspec.structs.replace(
        view, alerts=(alert,), floor_call=FloorCallView(why="ruling", minutes=3, answered_by="Maria Gomez")
    )


def table_states() -> dict[str, tuple[TableView, tuple[Target, ...]]]:
    """Return states of played tables by name. A state is a view and the targets that are touched in this view."""
    six_stacks = stacks_by_seat(500, 800, 500, 960, 500, 500)
    pot_game = {"button": 4, "stacks": six_stacks, "game": POT}
    to_the_flop = ["1 call", "2 call", "3 call", "4 call", "5 call", "6 check", "deal"]
    kill_game = {**LIMIT, "kill": {"factor": 2, "pot": 100}, "straddle": "live"}
    stud_game = {"button": 1, "stacks": stacks_by_seat(400, 400, 400, 400), "game": STUD}
    limit_game = {"button": 4, "stacks": six_stacks, "game": LIMIT}
    no_limit_game = {"button": 3, "stacks": six_stacks, "game": {"blinds": [5, 10]}}
    three_raises = ["1 raise to 40", "2 raise to 60", "3 raise to 80"]
    return {
        "short-of-the-pot": (
            view_after({**pot_game, "stacks": {**six_stacks, "3": 90}}, "1 raise to 30", "2 raise to 80"),
            (),
        ),
        "above-the-stack": (view_after(pot_game, "1 call", "2 call", "3 call", "4 raise to 60"), ()),
        "stud-bring-in": (view_after(stud_game), ()),
        "stud-first": (view_after(stud_game, "bring-in 3", "3 bet 5", "4 call", "1 call", "2 complete"), ()),
        "limit-capped": (view_after(limit_game, *three_raises), ()),
        "limit-straddle": (view_after({**limit_game, "game": kill_game}, "1 straddle 40"), ()),
        "out-of-turn-keyed": (view_after(pot_game, "3 raise to 60"), ()),
        "over-the-pot-keyed": (view_after(pot_game, "1 raise to 500"), ()),
        "string-bet-keyed": (view_after(pot_game, "1 call", "1 chips 25"), ()),
        "folded-round": (view_after(pot_game, *to_the_flop, "5 check", "6 bet 40"), ()),
        "away-and-back": (
            view_after(no_limit_game, *(f"{seat} fold" for seat in (6, 1, 2, 3, 4)), "award main 5", "3 away"),
            (),
        ),
        "seat-keys-between": (
            view_after(no_limit_game, *(f"{seat} fold" for seat in (6, 1, 2, 3, 4)), "award main 5"),
            (SeatTile(3),),
        ),
        "number-pad-over": (
            view_after(pot_game, "1 raise to 30"),
            (NamedKey.RAISE, PadDigit("9"), PadDigit("0"), PadDigit("0")),
        ),
        "number-pad-max": (
            msgspec.structs.replace(view_after(pot_game, "1 raise to 30"), chip_colours=HOUSE_CHIPS),
            (NamedKey.RAISE, QuickAmount("max")),
        ),
        "seat-keys-typed": (view_after(pot_game, "1 raise to 30"), (BetSpot(1), PadDigit("4"), PadDigit("0"))),
        "floor-why": (view_after(pot_game, "1 raise to 30"), (NamedKey.CALL_FLOOR,)),
        "floor-coming": (with_answered_call(view_after(pot_game, "1 raise to 30")), ()),
        "table-keys-between": (
            view_after(no_limit_game, *(f"{seat} fold" for seat in (6, 1, 2, 3, 4)), "award main 5"),
            (NamedKey.MENU, PadDigit("5"), PadDigit("00")),
        ),
        "nine-pots": (nine_pots(), ()),
        "largest-amounts": (largest_amounts(), ()),
    }


IN_ALL_APPEARANCES: Final = ("largest-amounts",)
"""Names of the states that are drawn in all twelve combinations of size, theme and language."""
IN_BOTH_SIZES: Final = ("nine-pots", "ten-seats", "seat-keys", "award-shares", "page-report")
"""Names of the states with many texts, which are drawn in both sizes of the screen."""
AWARD_SHARES: Final = pages.AwardPage(
    pot="side2",
    amount=1785,
    shares=(pages.SeatShare(seat=8, amount=890), pages.SeatShare(seat=9, amount=895)),
    odd_chips=(pages.SeatShare(seat=9, amount=5),),
    rake=14,
    jackpot=1,
)
CHANGED_DIGIT_PICTURES: Final = ("largest-amounts-10in-dark-en", "largest-amounts-7in-bright-zh")
"""Names of pictures from which copies with one wrong digit are made. A test must detect the wrong digit in each copy.
"""


def reference_pictures() -> tuple[ReferencePicture, ...]:
    """Return all reference pictures of whole screens. The appearance of a picture depends on the name of its state."""
    samples = {
        sample.name: sample for sample in view_samples() if sample.view.money.decimals == 0 or sample.name == "no-limit"
    }
    samples |= {name: ViewSample(name, view, touches) for name, (view, touches) in table_states().items()}
    samples["award-shares"] = replace(samples["award"], name="award-shares", page=AWARD_SHARES)
    appearances = [APPEARANCES[crc32(name.encode()) % len(APPEARANCES)] for name in samples]
    base_pictures = [
        ReferencePicture(_picture_name(name, appearance), sample, appearance)
        for (name, sample), appearance in zip(samples.items(), appearances, strict=True)
    ]
    all_appearance_pictures = [
        ReferencePicture(_picture_name(name, appearance), samples[name], appearance)
        for name in IN_ALL_APPEARANCES
        for appearance in APPEARANCES
    ]
    other_appearances = [
        replace(picture.appearance, layout=TEN_INCH if picture.appearance.layout is SEVEN_INCH else SEVEN_INCH)
        for picture in base_pictures
    ]
    other_size_pictures = [
        ReferencePicture(_picture_name(picture.sample.name, appearance), picture.sample, appearance)
        for picture, appearance in zip(base_pictures, other_appearances, strict=True)
        if picture.sample.name in IN_BOTH_SIZES
    ]
    pictures = {picture.name: picture for picture in (*base_pictures, *all_appearance_pictures, *other_size_pictures)}
    return tuple(pictures.values())


def _picture_name(state: str, appearance: Appearance) -> str:
    size = "10in" if appearance.layout is TEN_INCH else "7in"
    theme_name = "dark" if appearance.theme is DARK else "bright"
    return f"{state}-{size}-{theme_name}-{appearance.language}"


# --- alerts ---

ALERT_VALUES: Final = MessageValues(
    seat=8,
    turn=5,
    button=3,
    seats=(5, 7),
    amount=125_000_000,
    least=2_000,
    most=925_000_000,
    count=12,
    hand=118,
    presumed_action="folded",
    held_action=ActionView(verb="raise", amount=30_000),
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
TWO_CHOICES: Final = (
    Choice(label="out-of-turn", do="out-of-turn 8"),
    Choice(label="floor-has-decided", do="alert-done"),
)
ALERTS_PER_SHEET: Final = 10
"""Maximum number of alert bands in one picture."""


ALERT_REASONS: Final = {
    "floor-called": "ruling",
    "journal-altered": "behind",
    "journal-not-written": "",
    "storage-nearly-full": "< 200 MB",
}
"""Reason that is inserted into the text of an alert about the floor or the journal, by the code of the alert. All other
alerts get a reason about a device."""


def _alert_values(code: str) -> MessageValues:
    return msgspec.structs.replace(ALERT_VALUES, reason=ALERT_REASONS.get(code, ALERT_VALUES.reason))


def alerts_by_appearance() -> tuple[tuple[Appearance, tuple[Alert, ...]], ...]:
    """Return all alerts in groups of up to ten. Each group is one picture and comes with its appearance."""
    alerts = [
        Alert(
            code=code,
            level=alert_type.level,
            values=_alert_values(code),
            choices=TWO_CHOICES if alert_type.level != "info" else (),
            rule=alert_type.rule,
        )
        for code, alert_type in sorted(ALERT_TYPES.items())
    ]
    sheets = [tuple(alerts[start : start + ALERTS_PER_SHEET]) for start in range(0, len(alerts), ALERTS_PER_SHEET)]
    appearances = cycle(APPEARANCES[start * 7 % len(APPEARANCES)] for start in range(len(APPEARANCES)))
    return tuple(zip(appearances, sheets, strict=False))


def alert_sheets() -> Iterator[tuple[str, Appearance, list[ViewSample]]]:
    """Yield each picture of alerts with its name, its appearance, and one sample for each alert in the picture."""
    table = next(sample.view for sample in view_samples() if sample.name == "pot-limit")
    dollars = msgspec.structs.replace(table, money=Money(prefix="$", decimals=2))
    for number, (appearance, alerts) in enumerate(alerts_by_appearance(), 1):
        views = [msgspec.structs.replace(dollars, alerts=(alert,)) for alert in alerts]
        yield (
            _picture_name(f"alerts-{number}", appearance),
            appearance,
            [ViewSample(view.alerts[0].code, view) for view in views],
        )
