"""Check that people can enter every kind of step with few touches from the main page.

`pytest -s` prints the number of touches for each kind of step. `test_end_to_end_verbs.py` tests the same touches on the
real window.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, Literal, NamedTuple

import pytest

from controller.steps import STEP_CLASS_BY_VERB, Observation, parse_step
from controller.view import Alert, Choice, TableView
from tests.ui.touch_table import TouchTable, count_untyped, digit_touches
from ui.scene import lay_out_scene
from ui.state import (
    AlertAnswer,
    BetSpot,
    CardTab,
    FloorCallKey,
    GameChoice,
    LetterKey,
    NamedKey,
    OfferedStep,
    ScreenState,
    SeatTile,
    Target,
    page_state,
    press_target,
    show_view,
)
from ui.state.main_keys import FLOOR_CALL_REASONS

N: Final = NamedKey
HOLDEM: Final = 'blinds = [5, 10]\nstart = "idle"'
POT_LIMIT: Final = f'structure = "pot-limit"\nvariant = "omaha"\n{HOLDEM}'
STUD: Final = (
    'variant = "stud"\nstructure = "fixed-limit"\nante = 1\nbring_in = 3\nbets = [10, 10, 20, 20, 20]\nstart = "idle"'
)
"""Setup of a stud game. In the hold'em games of this module, seat 4 acts first, because the button moves from seat 1 to
seat 2."""

Kind = Literal["action", "tab", "asked", "tab-asked", "listed", "listed-asked", "paged", "named"]
MAX_TOUCHES: Final[dict[Kind, int]] = {
    "action": 2,
    "tab": 3,
    "asked": 3,
    "tab-asked": 4,
    "listed": 4,
    "listed-asked": 5,
    "paged": 4,
    "named": 4,
}
"""Maximum number of touches for a step, without the touches for digits and letters.

- "action" is for the actions in a hand, and the usual steps between hands.
- "tab" is for the keys on a tab of a player's card that a touch on the seat or its bet spot does not open. It is also
  for the rare keys in a list of the shown tab, and for the decisions of the floor.
- "asked" is for the steps that need a confirmation or another seat, and "tab-asked" for such a step on another tab.
- "listed" is for the rare keys in a list of another tab, and "listed-asked" for such a step that needs another seat.
- "paged" is for the rarely needed steps that are on a page.
- "named" is for the steps that need a name.
"""


class Case(NamedTuple):
    """A kind of step (a verb): its game, the touches that enter the step, and the step itself."""

    verb: str
    game: str
    before: tuple[str, ...]
    """Steps that are applied before the touches."""
    touches: list[Target]
    step: str
    kind: Kind = "action"


def on_spot(seat: int, *targets: Target) -> list[Target]:
    return [BetSpot(seat), *targets]


def on_tile(seat: int, *targets: Target) -> list[Target]:
    return [SeatTile(seat), *targets]


OPEN: Final = f'stakes = "open"\n{HOLDEM}'
KILL: Final = f'structure = "fixed-limit"\nbets = [10, 10, 20, 20]\nkill = {{ factor = 2, pot = 100 }}\n{HOLDEM}'
FOURTH_STREET: Final = ("hand", "bring-in 4", "4 3", *(f"{n} call" for n in (5, 6, 1, 2, 3)), "deal")
TO_THE_BLINDS: Final = ("hand", *(f"{n} fold" for n in (4, 5, 6, 1)))
AFTER_A_BET: Final = ("hand", "4 raise to 30")
OUT_OF_TURN: Final = (*AFTER_A_BET, "6 raise to 90")
OVER: Final = ("hand", "4 fold", "5 fold", "6 fold", "1 fold", "2 fold", "award main 3")
CLOSED: Final = ("hand", "4 call", "5 fold", "6 fold", "1 fold", "2 call", "3 check")

IN_TURN: Final = (
    Case("act", HOLDEM, ("hand",), [N.FOLD], "4 fold"),
    Case("act", HOLDEM, ("hand",), [N.CALL], "4 call"),
    Case("act", HOLDEM, (*CLOSED, "deal"), [N.CALL], "2 check"),
    Case("act", HOLDEM, ("hand",), [N.RAISE, *digit_touches(35), N.OK], "4 raise to 35"),
    Case("act", HOLDEM, ("hand",), [N.RAISE, *digit_touches(25), N.AS_RAISE_BY], "4 raise by 25"),
    Case("act", HOLDEM, (*CLOSED, "deal"), [N.RAISE, *digit_touches(35), N.OK], "2 bet 35"),
    Case("act", POT_LIMIT, ("hand",), [N.POT], "4 pot"),
    Case("act", HOLDEM, ("hand",), [N.ALL_IN], "4 all-in"),
    Case("act", STUD, ("hand", "bring-in 4", "4 3"), [N.RAISE], "5 complete"),
    Case("bring-in", STUD, ("hand",), [SeatTile(4)], "bring-in 4"),
    Case("first", STUD, FOURTH_STREET, [SeatTile(6)], "first 6"),
    Case("open-pair", STUD, FOURTH_STREET, [OfferedStep(6)], "open-pair"),
)
OF_ANY_SEAT: Final = (
    Case("act", HOLDEM, ("hand",), on_tile(6, N.SEAT_FOLD), "6 fold"),
    Case("act", HOLDEM, ("hand",), on_tile(6, N.SEAT_CHECK), "6 check"),
    Case("act", HOLDEM, ("hand",), on_tile(6, N.SEAT_CALL), "6 call"),
    Case("act", HOLDEM, ("hand",), on_tile(6, *digit_touches(60), N.SEAT_RAISE), "6 raise to 60"),
    Case("act", HOLDEM, ("hand",), on_tile(6, *digit_touches(50), N.SEAT_RAISE_BY), "6 raise by 50"),
    Case("act", POT_LIMIT, ("hand",), on_tile(6, N.SEAT_POT), "6 pot"),
    Case("act", HOLDEM, ("hand",), on_tile(6, N.SEAT_ALL_IN), "6 all-in"),
    Case("act", HOLDEM, ("hand",), on_spot(6, N.OPEN_CHIPS, *digit_touches(40), N.SILENT_CHIPS), "6 40", "tab"),
    Case("act", HOLDEM, ("hand",), on_spot(6, CardTab.PLAYER, N.CALL_TIME), "6 time", "tab"),
    Case("says", HOLDEM, ("hand",), on_tile(4, N.SEAT_RAISE), "4 says raise"),
    Case("says", HOLDEM, ("hand",), on_spot(4, N.ANNOUNCE_CALL), "4 says call"),
    Case("says", HOLDEM, ("hand",), on_spot(4, *digit_touches(60), N.ANNOUNCE_RAISE), "4 says raise to 60"),
    Case("said", HOLDEM, ("hand", "4 chips 100"), on_spot(4, N.ANNOUNCED_RAISE), "4 said raise"),
    Case("said", HOLDEM, ("hand", "4 chips 25 5"), on_spot(4, N.ANNOUNCED_CALL), "4 said call"),
    Case(
        "said",
        HOLDEM,
        ("hand", "4 chips 25 5"),
        on_spot(4, *digit_touches(40), N.ANNOUNCED_RAISE),
        "4 said raise to 40",
    ),
    Case("chips", HOLDEM, ("hand",), on_spot(4, *digit_touches(100), N.ONE_CHIP), "4 chips 100"),
    Case("takes", HOLDEM, AFTER_A_BET, on_spot(4, N.OPEN_CHIPS, *digit_touches(5), N.TAKE_BACK), "4 takes 5", "tab"),
    Case("done", HOLDEM, ("hand", "4 says raise", "4 chips 100"), on_spot(4, N.END_MOTION), "4 done"),
    Case("was", HOLDEM, (*AFTER_A_BET, "5 call"), on_spot(4, *digit_touches(40), N.CORRECT_WAGER), "4 was 40"),
    Case("did", HOLDEM, (*AFTER_A_BET, "5 call"), on_spot(4, N.WAS_ANOTHER, N.WAS_CALL), "4 did call", "asked"),
    Case("did", HOLDEM, ("hand", "4 fold", "5 call"), on_spot(4, N.DID_NOT_FOLD, N.WAS_CALL), "4 did call", "asked"),
    Case("did", HOLDEM, ("hand", "4 call", "5 call"), on_spot(4, N.WAS_ANOTHER, N.WAS_FOLD), "4 did fold", "asked"),
    Case("did", HOLDEM, (*CLOSED, "deal", "2 bet 20"), on_spot(2, N.WAS_ANOTHER, N.WAS_CHECK), "2 did check", "asked"),
    Case("did", HOLDEM, AFTER_A_BET, on_spot(4, N.WAS_ANOTHER, N.WAS_ALL_IN), "4 did all-in", "asked"),
    Case(
        "did",
        HOLDEM,
        ("hand", "4 call", "5 fold"),
        on_spot(4, N.WAS_ANOTHER, *digit_touches(40), N.WAS_RAISE),
        "4 did raise to 40",
        "asked",
    ),
    Case("in", HOLDEM, ("hand", "4 says raise to 30"), on_spot(4, N.PAY_OWED), "4 in"),
    Case("bets-in", HOLDEM, ("hand", "4 says raise to 30"), [N.MENU, N.ALL_PAY_OWED], "bets-in"),
    Case("return", POT_LIMIT, ("hand", "4 chips 500"), [OfferedStep(0)], "return 4"),
    Case("return", POT_LIMIT, ("hand", "4 chips 500"), on_spot(4, N.RETURN_CHIPS), "return 4"),
    Case(
        "change",
        HOLDEM,
        AFTER_A_BET,
        on_spot(4, *digit_touches(100), N.OPEN_CHIPS, N.MAKE_CHANGE),
        "change 4 100",
        "tab",
    ),
    Case("here", HOLDEM, ("hand",), on_tile(6, N.ACTION_HERE), "here 6"),
    Case(
        "later",
        HOLDEM,
        ("hand",),
        on_tile(6, CardTab.PLAYER, *digit_touches(100), N.ADD_CHIPS),
        "6 later add 100",
        "tab",
    ),
    Case(
        "name",
        HOLDEM,
        ("hand",),
        on_tile(6, CardTab.PLAYER, N.PLAYER_NAME, *map(LetterKey, "ann lee"), N.OK),
        "6 name Ann Lee",
        "named",
    ),
    Case("name", HOLDEM, (), [SeatTile(3), N.PLAYER_NAME, *map(LetterKey, "ann lee"), N.OK], "3 name Ann Lee", "named"),
    Case("later", HOLDEM, ("hand",), on_tile(6, CardTab.PLAYER, N.AWAY), "6 later away", "tab"),
    Case("later", HOLDEM, ("hand",), on_tile(6, CardTab.PLAYER, N.LEAVE), "6 later leave", "tab"),
    Case(
        "later",
        HOLDEM,
        ("hand",),
        on_tile(6, CardTab.PLAYER, N.CHANGE_SEAT, SeatTile(7)),
        "6 later moves 7",
        "tab-asked",
    ),
    Case(
        "later",
        HOLDEM,
        ("hand", "6 later add 100"),
        on_tile(6, CardTab.PLAYER, N.CANCEL_REQUESTS),
        "6 later nothing",
        "tab",
    ),
    Case("later", HOLDEM, ("hand",), on_tile(7, *digit_touches(200), N.SIT), "7 later sit 200"),
    Case("later", HOLDEM, ("6 away", "hand"), on_tile(6, N.BACK), "6 later back"),
    Case("later", HOLDEM, ("6 away", "hand"), on_tile(6, N.LEAVE), "6 later leave"),
    Case(
        "later",
        HOLDEM,
        ("hand", "7 later sit 200"),
        on_tile(7, N.CANCEL_REQUESTS),
        "7 later nothing",
    ),
    Case("stack", HOLDEM, ("hand",), on_spot(4, N.OPEN_CHIPS, *digit_touches(900), N.SET_STACK), "4 stack 900", "tab"),
    Case("stack", HOLDEM, ("hand",), on_spot(4, N.OPEN_CHIPS, N.STACK_UNKNOWN), "4 stack unknown", "tab"),
    Case("add", OPEN, ("hand",), on_spot(4, CardTab.PLAYER, *digit_touches(100), N.ADD_CHIPS), "4 add 100", "tab"),
    Case(
        "cash",
        OPEN,
        ("hand",),
        on_tile(4, CardTab.PLAYER, N.OPEN_MORE, *digit_touches(100), N.ADD_CASH),
        "4 cash 100",
        "listed",
    ),
    Case(
        "marker",
        OPEN,
        ("hand",),
        on_tile(4, CardTab.PLAYER, N.OPEN_MORE, *digit_touches(100), N.PLAY_MARKER),
        "4 marker 100",
        "listed",
    ),
    Case(
        "marker",
        OPEN,
        ("hand", "4 fold"),
        on_tile(5, CardTab.PLAYER, N.OPEN_MORE, *digit_touches(100), N.BORROW_CHIPS, SeatTile(4)),
        "5 marker 100 from 4",
        "listed-asked",
    ),
    Case("straddle", f'straddle = "live"\n{HOLDEM}', ("hand",), on_spot(4, OfferedStep(0)), "4 straddle 20"),
    Case(
        "straddle",
        f'straddle = "mississippi"\n{HOLDEM}',
        ("hand",),
        on_tile(6, *digit_touches(40), N.STRADDLE),
        "6 straddle 40",
    ),
    Case("post", f"new_player_posts = true\n{HOLDEM}", ("7 sit 500", "hand"), [SeatTile(7), OfferedStep(0)], "7 post"),
    Case(
        "buys-button",
        f"buy_button = true\nnew_player_posts = true\n{HOLDEM}",
        ("2 leave", "2 sit 500", "hand"),
        [SeatTile(2), OfferedStep(0)],
        "2 buys-button",
    ),
    Case("kill", KILL, ("hand",), on_spot(5, OfferedStep(4)), "kill 5"),
)
OF_THE_HAND: Final = (
    Case("hand", HOLDEM, (), [N.NEXT_HAND], "hand"),
    Case("deal", HOLDEM, CLOSED, [N.DEAL], "deal"),
    Case("deal", HOLDEM, ("hand", "4 call"), [N.MENU, N.DEAL_CLOSING], "deal closing"),
    Case("award", HOLDEM, ("hand", *(f"{n} fold" for n in (4, 5, 6, 1, 2))), [N.AWARD], "award main 3"),
    Case("chop", f"chop = true\n{HOLDEM}", TO_THE_BLINDS, [OfferedStep(0)], "chop"),
    Case("boards", f"runs = 2\n{HOLDEM}", (*TO_THE_BLINDS, "2 all-in", "3 call"), [OfferedStep(1)], "boards 2"),
    Case("undo", HOLDEM, ("hand", "4 call"), [N.UNDO], "undo"),
    Case("redo", HOLDEM, ("hand", "4 call", "undo"), [N.REDO], "redo"),
    Case("void", HOLDEM, ("hand",), [N.MENU, N.MISDEAL, N.OK], "void", "asked"),
    Case("skip", HOLDEM, ("hand",), [N.MENU, N.SKIP_HAND, N.OK], "skip", "asked"),
    Case("drop", HOLDEM, (*CLOSED, "deal"), [N.MENU, *digit_touches(5), N.TAKE_DROP], "drop 5"),
    Case("kitty", HOLDEM, (*CLOSED, "deal"), [N.MENU, *digit_touches(5), N.TAKE_KITTY], "kitty 5"),
    Case("splash", HOLDEM, ("hand",), [N.MENU, *digit_touches(50), N.SPLASH_POT], "splash 50"),
    Case("bomb", HOLDEM, (), [N.MENU, *digit_touches(20), N.BOMB_POT], "bomb 20"),
    Case("call-clock", HOLDEM, ("hand", "4 time"), [OfferedStep(0)], "call-clock 4"),
    Case("call-floor", HOLDEM, ("hand",), [N.CALL_FLOOR], "call-floor"),
)
BETWEEN_HANDS: Final = (
    Case("sit", HOLDEM, (), [SeatTile(7), *digit_touches(200), N.SIT], "7 sit 200"),
    Case(
        "sit",
        HOLDEM,
        (),
        [SeatTile(7), N.PLAYER_NAME, LetterKey("a"), N.OK, *digit_touches(200), N.SIT],
        "7 sit 200 as A",
        "named",
    ),
    Case(
        "sit", HOLDEM, (), [SeatTile(7), N.OPEN_MORE, *digit_touches(200), N.SIT_TRANSFER], "7 sit 200 transfer", "tab"
    ),
    Case(
        "sit",
        HOLDEM,
        ("hand", *OVER[1:], "6 leave"),
        [SeatTile(6), N.OPEN_MORE, *digit_touches(200), N.SIT_AS_REPLACEMENT],
        "6 sit 200 in-stead",
        "tab",
    ),
    Case(
        "redeems",
        OPEN,
        ("hand", "4 marker 100", "void"),
        [SeatTile(4), N.OPEN_MORE, *digit_touches(50), N.REDEEM_MARKER],
        "4 redeems 50",
        "tab",
    ),
    Case(
        "redeems",
        OPEN,
        ("hand", "4 fold", "5 marker 100 from 4", "void"),
        [SeatTile(5), N.OPEN_MORE, *digit_touches(50), N.REPAY_LOAN, SeatTile(4)],
        "5 redeems 50 to 4",
        "tab-asked",
    ),
    Case("leave", HOLDEM, (), [SeatTile(3), N.LEAVE], "3 leave"),
    Case("away", HOLDEM, (), [SeatTile(3), N.AWAY], "3 away"),
    Case("back", HOLDEM, ("3 away",), [SeatTile(3), N.BACK], "3 back"),
    Case("moves", HOLDEM, (), [SeatTile(3), N.CHANGE_SEAT, SeatTile(7)], "3 moves 7", "asked"),
    Case("add", HOLDEM, (), [SeatTile(3), *digit_touches(100), N.ADD_CHIPS], "3 add 100"),
    Case("cash", HOLDEM, (), [SeatTile(3), N.OPEN_MORE, *digit_touches(100), N.ADD_CASH], "3 cash 100", "tab"),
    Case("remove", HOLDEM, (), [BetSpot(3), N.OPEN_CHIPS, *digit_touches(100), N.REMOVE_CHIPS], "3 remove 100", "tab"),
    Case("stack", HOLDEM, (), [BetSpot(3), N.OPEN_CHIPS, *digit_touches(900), N.SET_STACK], "3 stack 900", "tab"),
    Case("stack", HOLDEM, (), [BetSpot(3), N.OPEN_CHIPS, N.STACK_UNKNOWN], "3 stack unknown", "tab"),
    Case("tip", HOLDEM, (), [SeatTile(3), *digit_touches(5), N.TIP], "3 tip 5"),
    Case("time", HOLDEM, (), [SeatTile(3), N.OPEN_MORE, *digit_touches(6), N.PAY_TIME], "3 time 6", "tab"),
    Case("fill", HOLDEM, (), [N.MENU, *digit_touches(500), N.FILL], "fill 500"),
    Case("credit", HOLDEM, (), [N.MENU, *digit_touches(500), N.CREDIT], "credit 500"),
    Case("bounty", HOLDEM, (), [N.MENU, *digit_touches(9), N.BOUNTY, SeatTile(3)], "3 bounty 9", "asked"),
    Case(
        "from-each",
        HOLDEM,
        OVER,
        [N.MENU, *digit_touches(9), N.FROM_EACH, SeatTile(3)],
        "3 from-each 9",
        "asked",
    ),
    Case("to-each", HOLDEM, OVER, [N.MENU, *digit_touches(9), N.TO_EACH, SeatTile(3)], "3 to-each 9", "asked"),
)
OF_THE_FLOOR: Final = (
    Case("floor bind", HOLDEM, OUT_OF_TURN, [N.MENU, N.FLOOR_RULING, N.FLOOR_BIND], "floor bind 6", "tab"),
    Case("floor release", HOLDEM, OUT_OF_TURN, [N.MENU, N.FLOOR_RULING, N.FLOOR_RELEASE], "floor release 6", "tab"),
    Case(
        "floor dead",
        HOLDEM,
        ("hand",),
        [N.MENU, N.FLOOR_RULING, N.FLOOR_KILL_HAND, SeatTile(6)],
        "floor dead 6",
        "tab-asked",
    ),
    Case(
        "floor turn",
        HOLDEM,
        ("hand",),
        [N.MENU, N.FLOOR_RULING, SeatTile(6), N.FLOOR_TURN],
        "floor turn 6",
        "tab-asked",
    ),
    Case(
        "floor bet",
        HOLDEM,
        AFTER_A_BET,
        [N.MENU, N.FLOOR_RULING, *digit_touches(40), N.FLOOR_BET, SeatTile(4)],
        "floor bet 4 40",
        "tab-asked",
    ),
    Case(
        "floor pot", HOLDEM, ("hand",), [N.MENU, N.FLOOR_RULING, *digit_touches(20), N.FLOOR_POT], "floor pot 20", "tab"
    ),
    Case(
        "floor button", HOLDEM, (), [N.MENU, N.FLOOR_RULING, N.FLOOR_BUTTON, SeatTile(5)], "floor button 5", "tab-asked"
    ),
    Case(
        "floor button",
        HOLDEM,
        ("hand",),
        [N.MENU, N.FLOOR_RULING, BetSpot(5), N.FLOOR_BUTTON],
        "floor button 5",
        "tab-asked",
    ),
    Case("floor hold", HOLDEM, (), [N.MENU, N.FLOOR_RULING, N.FLOOR_HOLD_HANDS], "floor hold", "tab"),
    Case("floor go", HOLDEM, ("floor hold",), [N.MENU, N.FLOOR_RULING, N.FLOOR_ALLOW_HAND], "floor go", "tab"),
    Case("floor go", HOLDEM, ("floor hold",), [N.MENU, N.FLOOR_RULING, N.FLOOR_END_HOLD], "floor go on", "tab"),
)
ON_PAGES: Final = (
    Case("open", HOLDEM, ("close",), [N.MENU, page_state.GAMES_REQUEST, N.OPEN_TABLE, N.OK], "open", "paged"),
    Case("close", HOLDEM, (), [N.MENU, page_state.GAMES_REQUEST, N.CLOSE_TABLE, N.OK], "close", "paged"),
    Case(
        "dealer",
        HOLDEM,
        (),
        [N.MENU, page_state.GAMES_REQUEST, N.DEALER_NAME, LetterKey("l"), N.OK],
        "dealer L",
        "named",
    ),
    Case(
        "game",
        f'{HOLDEM}\n[games.razz]\nvariant = "razz"\nstructure = "fixed-limit"\nbets = [10, 10, 20, 20, 20]',
        (),
        [N.MENU, page_state.GAMES_REQUEST, GameChoice("razz")],
        "game razz",
        "paged",
    ),
)
CASES: Final = (*ON_PAGES, *IN_TURN, *OF_ANY_SEAT, *OF_THE_HAND, *BETWEEN_HANDS, *OF_THE_FLOOR)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.step)
def test_verb_touches_send_a_step_that_the_table_accepts(case: Case) -> None:
    table = TouchTable(case.game).do(*case.before)
    assert table.touch(*case.touches) == [case.step]
    refused = {"3 remove 100"}  # the rules do not allow chips to be removed, so the table refuses this step
    assert (table.refused == []) is (case.step not in refused), table.refused
    assert type(parse_step(case.step)) is STEP_CLASS_BY_VERB[case.verb]


def reasons_shown(table: TouchTable) -> set[str]:
    """Return the reasons for a call for the floor that a touch can give now."""
    targets = {target for area in lay_out_scene(table.screen).touch_areas for target in area.targets}
    return {target.reason for target in targets if isinstance(target, FloorCallKey)}


def test_reason_of_a_floor_call_is_one_more_touch_on_every_reason() -> None:
    for reason in FLOOR_CALL_REASONS:
        table = TouchTable(HOLDEM).do("hand")
        assert table.touch(N.CALL_FLOOR, FloorCallKey(reason)) == ["call-floor", f"call-floor {reason}"]
        assert reasons_shown(table) == set(), "the keys for the reason stay after the reason"


def test_hand_continues_after_a_floor_call_without_a_reason() -> None:
    table = TouchTable(HOLDEM).do("hand")
    assert table.touch(N.CALL_FLOOR, N.FOLD) == ["call-floor", "4 fold"]
    assert reasons_shown(table) == set()


def test_keys_for_the_reason_give_way_when_the_turn_passes_or_the_floor_has_come() -> None:
    for later in ("4 fold", "floor-came"):
        table = TouchTable(HOLDEM).do("hand")
        table.touch(N.CALL_FLOOR)
        assert reasons_shown(table) == set(FLOOR_CALL_REASONS)
        table.do(later)
        assert reasons_shown(table) == set()


def cases_above_limit(cases: Iterable[Case]) -> list[Case]:
    """Return the cases that need more touches than the limit of their kind."""
    return [case for case in cases if count_untyped(case.touches) > MAX_TOUCHES[case.kind]]


def test_every_verb_stays_within_its_touch_limit() -> None:
    for case in CASES:
        count = count_untyped(case.touches)
        print(f"{case.step:24} {count} touches{'' if count == len(case.touches) else ' and the entry'}")
    assert cases_above_limit(CASES) == []


def test_planted_third_touch_is_caught() -> None:
    three_touch_case = Case("act", HOLDEM, ("hand",), on_spot(6, N.CANCEL, BetSpot(6), N.SEAT_FOLD), "6 fold")
    assert cases_above_limit((three_touch_case,)) == [three_touch_case]


ANSWER_STEPS: Final = {
    "out-of-turn": "out-of-turn 6",
    "acts-now": "acts-now 3",
    "chips-are": "chips-are 4 bet",
    "counted": "counted",
    "count-off": "count-off",
    "floor-came": "floor-came",
    "restart-checked": "restart-checked",
    "records-checked": "records-checked",
    "tags-checked": "tags-checked",
}
"""Steps that only an answer to an alert can send, by their first word or words. The answer is one touch."""
ELSEWHERE: Final = {
    "call-clock": "a step that the view offers after CALLS TIME, tested in test_clock",
    "floor-answers": "a step of the room, which has no dealer's screen, tested in test_roles",
    "count": "a panel key of tables with a count pad, tested in test_ui_screen_state",
}
VERBS_WITHOUT_TOUCH: Final = {
    "clock": "the passage of time",
    "unplug": "a tray that failed",
    "plug": "a tray that answers again",
    "confirmed": "a late key that confirms an earlier action",
    "too-early": "a deal that was refused",
    "key-late": "a key after the turn had changed",
}
"""Kinds of step that nobody enters on a screen, each with what causes such a step."""


@pytest.mark.parametrize("verb", ANSWER_STEPS)
def test_alert_is_answered_with_one_touch(verb: str) -> None:
    step = ANSWER_STEPS[verb]
    assert type(parse_step(step)) is STEP_CLASS_BY_VERB[verb]
    alert = Alert(code="failed", level="question", choices=(Choice(label="checked", do=step),))
    _, command = press_target(show_view(ScreenState(), TableView(sequence=7, alerts=(alert,))), AlertAnswer(0))
    assert command is not None
    assert command.do == step


def test_every_verb_of_people_has_touches() -> None:
    verbs_of_people = {
        verb
        for verb, step_class in STEP_CLASS_BY_VERB.items()
        if not issubclass(step_class, Observation) or step_class.verb.owner != "sensor"
    } - VERBS_WITHOUT_TOUCH.keys()
    assert {case.verb for case in CASES} | ANSWER_STEPS.keys() | ELSEWHERE.keys() == verbs_of_people
