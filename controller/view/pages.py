"""The pages that a screen can request with `look …`, with one type for each query.

A page has codes and typed amounts but no sentences, like a view. Times of day are seconds since midnight in the time
zone of the table, or None if they are not known. A page does not change after it was sent. A screen that shows a page
for longer must request it again.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from controller.view.table_view import Alert, GameView, LevelView, StepSummary
from controller.view.wire_names import WIRE_NAMES

HandResult = Literal["", "won", "void", "chopped"]
"""The result of a hand, or "" while the hand is played."""
Attribution = Literal["", "dealer", "floor", "technician", "itself"]
"""The role of the person who cleared an alert or caused a step.

`itself` means that a sensor or the passage of time caused the change. The value is "" while an alert is open.
"""
DeviceKind = Literal["reader", "board", "badge-reader", "keys", "storage"]
"""The type of a device on the devices page."""


class SeatShare(msgspec.Struct, frozen=True, kw_only=True):
    """The amount that one seat receives."""

    seat: int
    amount: int
    name: str = ""
    board: int = 0
    """Number of the board for an odd chip of a pot that is played on several boards, otherwise 0."""


class HandRow(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, rename=WIRE_NAMES["HandRow"]):
    """One hand in the list of the last hands."""

    number: int
    game: GameView = GameView()
    began_s: int | None = None
    round: int = 0
    """Number of the last betting round that the hand reached, from 1.

    The number together with `game.variant` determines the name of the street.
    """
    result: HandResult = ""
    pot: int = 0
    """The total of the pot when the hand ended, or the present total if the hand is in progress."""
    awards: tuple[SeatShare, ...] = ()
    """The amounts that seats received, largest amount first."""
    warning_count: int = 0
    """Number of warnings and rulings in the hand."""
    is_complete: bool = True
    """False if the beginning of the hand is no longer available. The hand can then be shown but not exported as PHH."""


class HandsPage(
    msgspec.Struct, frozen=True, kw_only=True, tag_field="page", tag="hands", rename=WIRE_NAMES["HandsPage"]
):
    """The answer to `look hands`: the last twenty hands, newest first, without undone steps."""

    hands: tuple[HandRow, ...] = ()
    is_complete: bool = True
    """False if earlier hands are missing from the list, because they are too old or are not in the archive."""


class HandAction(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, rename=WIRE_NAMES["HandAction"]):
    """One step of a hand."""

    summary: StepSummary
    round: int = 0
    """The betting round in which the step was done."""
    pot: int = 0
    """The pot after the step."""
    by: Attribution = ""
    badge: str = ""
    """Name of the badge of the person who made this decision of the floor."""
    at_s: int | None = None
    warnings: tuple[Alert, ...] = ()
    """The warnings that the step raised, with their rules and without choices."""


class HandSeat(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, rename=WIRE_NAMES["HandSeat"]):
    """A player who was dealt in."""

    seat: int
    name: str = ""
    stack_before: int | None = None
    """The player's stack when the hand began, or None if the stack was not known."""
    stack_after: int | None = None
    """The player's stack when the hand ended, or the present stack if the hand is in progress."""
    won: int = 0


class HandPage(msgspec.Struct, frozen=True, kw_only=True, tag_field="page", tag="hand", rename=WIRE_NAMES["HandPage"]):
    """The answer to `look hand N`: one hand, action by action."""

    summary: HandRow
    button: int = 0
    seats: tuple[HandSeat, ...] = ()
    actions: tuple[HandAction, ...] = ()
    rake: int = 0
    jackpot: int = 0
    kitty: int = 0


class PhhPage(msgspec.Struct, frozen=True, kw_only=True, tag_field="page", tag="phh"):
    """The answer to `look phh N`: a hand that has ended, as the text of a PHH file."""

    hand: int
    text: str


class AlertRow(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, rename=WIRE_NAMES["AlertRow"]):
    """An alert that was raised, without its choices."""

    alert: Alert
    raised_s: int
    cleared_s: int | None = None
    """Time of day at which the alert was cleared, or None while the alert is open."""
    cleared_by: Attribution = ""
    cleared_by_badge: str = ""
    """Name of the badge that was on the badge reader when the floor or a technician cleared the alert."""
    hand: int = 0
    """Number of the hand in which the alert was raised, or of the last hand before the alert."""


class AlertsPage(msgspec.Struct, frozen=True, kw_only=True, tag_field="page", tag="alerts"):
    """The answer to `look alerts`: the last two hundred alerts, newest first."""

    alerts: tuple[AlertRow, ...] = ()
    since_s: int = 0
    """Time of day since which this service has kept alerts."""


class AntennaRow(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One antenna, with the results of its recent readings."""

    spot: str
    reader: str
    antenna: int
    up: bool | None = None
    """True if the antenna can be read, or None before its first reading."""
    tags: int = 0
    """Number of tags in the last good reading of the antenna."""
    reads: int = 0
    """Number of readings of the antenna within the last 30 to 60 seconds."""
    failed: int = 0
    """Number of failed readings of the antenna within the last 30 to 60 seconds."""
    age_ms: int | None = None
    """Time in milliseconds since the antenna's last good reading, or None if no reading was good."""
    fault: str = ""
    """Error code of the last failed reading, or "" if no reading has failed since the service began."""
    fault_age_s: int | None = None
    """Time in seconds since the antenna's last failed reading, or None if no reading has failed."""


class DeviceRow(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One device: a reader, a panel board, the badge reader, the keys, or the storage of the journal."""

    name: str
    kind: DeviceKind
    up: bool = False
    reason: str = ""
    """The reason why the device is down, as its driver reports it."""
    port: str = ""
    model: str = ""
    """Name of the protocol that the reader uses."""
    version: str = ""
    """The version of the device's software, if it reports one."""
    frames: int = 0
    """Number of valid frames (messages from the device) since the service began."""
    bad_frames: int = 0
    """Number of damaged frames."""
    timeouts: int = 0
    """Number of requests that the device did not answer."""
    reboots: int = 0
    """Number of restarts."""
    serial: str = ""
    """The number that the device reports of itself, or "" if it is not known."""
    expected_serial: str = ""
    """The number of the device in the layout, or "" if any device may be connected."""
    problems: tuple[str, ...] = ()
    """What is wrong although the device answers, in English, for the technician."""


class KeyRow(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One of the dealer's keys, or the button of a seat."""

    key: str
    """The name of the key, or "" for the button of a seat."""
    seat: int = 0
    presses: int = 0
    """Number of presses of the key since the service began."""
    age_s: int | None = None
    """Time in seconds since the last press of the key, or None if it was not pressed."""


class AppendTimes(msgspec.Struct, frozen=True, omit_defaults=True):
    """How long appending to the journal took since the service began, with the flush to the disk."""

    count: int = 0
    total_us: int = 0
    longest_us: int = 0


class DevicesPage(
    msgspec.Struct, frozen=True, kw_only=True, tag_field="page", tag="devices", rename=WIRE_NAMES["DevicesPage"]
):
    """The answer to `look devices`: all devices of the table, as they are now."""

    antennas: tuple[AntennaRow, ...] = ()
    devices: tuple[DeviceRow, ...] = ()
    keys: tuple[KeyRow, ...] = ()
    """All keys of the dealer's panel, and all other keys that were pressed."""
    lamps: tuple[int, ...] = ()
    """The seats at which the lamp should be on."""
    version: str = ""
    """The version of this program."""
    build: str = ""
    """The hash of the installed program files, in hex, as `potkeeper --version` prints it."""
    uptime_s: int = 0
    """Time in seconds since the service started."""
    journal_path: str = ""
    """The path of the journal, or "" if the table keeps no journal."""
    web_code: str = ""
    """The code of `WebCodePage`, or "" if no browser has needed it within the last ten minutes."""
    append_times: AppendTimes = AppendTimes()
    journal_free_bytes: int | None = None
    """Free space of the journal's disk in bytes, or None if it is not known."""


class PlayerAccount(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, rename=WIRE_NAMES["PlayerAccount"]):
    """The chips that one player bought in and cashed out since the table was opened."""

    name: str = ""
    seat: int = 0
    """The seat of the player, or 0 if the player has left."""
    bought_in: int = 0
    cashed_out: int = 0
    stack: int | None = 0
    """The player's stack now, or None if it is not known."""
    owed_on_markers: int = 0
    """The amount that the player owes on markers."""


class UnpaidDebt(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The unpaid markers of a player who has left the table."""

    name: str = ""
    """The name of the player, or "" if nobody has entered one."""
    seat: int = 0
    """The seat that a player without a name has left, otherwise 0."""
    minute: int = 0
    """The table time in minutes at which a player without a name left."""
    amount: int


class DealerShift(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The shift of one dealer at the table."""

    name: str = ""
    hands: int = 0
    minutes: int = 0
    """The minutes for which the present dealer has dealt. 0 for an earlier dealer, or if the time is not known."""
    accounts: dict[str, int] = {}
    """The amount that each account of the house, such as the rake, received during the shift."""
    fills: int = 0
    """The value of the chips that came from the cage to the tray during the shift."""
    credits: int = 0
    """The value of the chips that went from the tray to the cage during the shift."""


class ReportPage(
    msgspec.Struct, frozen=True, kw_only=True, tag_field="page", tag="report", rename=WIRE_NAMES["ReportPage"]
):
    """The answer to `look report`: the chips of the players, the pot and the accounts of the house."""

    accounts: dict[str, int] = {}
    players: tuple[PlayerAccount, ...] = ()
    """The seated players in the order of their seats, followed by the players who have left."""
    unpaid_debts: tuple[UnpaidDebt, ...] = ()
    """The unpaid markers of players who have left, with the players without a name last."""
    dealers: tuple[DealerShift, ...] = ()
    """The shifts of the dealers in order of time. The last shift is the present one."""
    net_bought_in: int = 0
    """The value of all chips bought in, minus the chips cashed out."""
    stacks: int = 0
    """Sum of the stacks."""
    pot: int = 0
    """The pot of the hand in progress."""
    fills: int = 0
    """The value of the chips that came from the cage to the dealer's tray."""
    credits: int = 0
    """The value of the chips that went from the dealer's tray to the cage."""
    hands: int = 0
    minutes: int = 0
    """The table time. If no rule of the house counts minutes, the time from the first hand to the last step.

    The value is 0 if the time is not known.
    """
    has_open_access: bool = False
    """True if no list of badges exists, so that no decision of the floor is authorised by a badge."""
    is_balanced: bool = True
    """True if the net chips bought in equal the chips of players, pot and accounts together."""


class AwardPage(
    msgspec.Struct, frozen=True, kw_only=True, tag_field="page", tag="award", rename=WIRE_NAMES["AwardPage"]
):
    """The answer to `look award …`: the effect that an award of the pot would have.

    The award is not made. If the table would refuse the award, it also refuses this query.
    """

    pot: str
    amount: int = 0
    """The amount that is divided, which is the pot after rake, jackpot and kitty."""
    shares: tuple[SeatShare, ...] = ()
    """The amount that each seat receives, including odd chips."""
    odd_chips: tuple[SeatShare, ...] = ()
    """The odd chips that some seats receive because the pot cannot be divided equally."""
    rake: int = 0
    """The rake that is taken out of this pot. The main pot pays rake, jackpot and kitty before a side pot does."""
    jackpot: int = 0
    kitty: int = 0


class GamesPage(msgspec.Struct, frozen=True, kw_only=True, tag_field="page", tag="games"):
    """The answer to `look games`: the games that the house offers at this table."""

    games: tuple[GameView, ...] = ()
    mix: tuple[str, ...] = ()
    """The games of the mix, in the order in which they are played."""
    levels: tuple[LevelView, ...] = ()
    buy_in: tuple[int, int] | None = None
    """Minimum and maximum buy-in, or None if the house has no limits. A maximum of 0 means no maximum."""
    rake: str = ""
    """The rake as a percentage of the pot, or "" if the house takes no rake."""
    rake_cap: int = 0
    """The maximum rake of a pot, or 0 if the rake has no maximum."""


class WebCodePage(msgspec.Struct, frozen=True, kw_only=True, tag_field="page", tag="web-code"):
    """The answer to `look web-code`: the code with which the first person signs in with a browser.

    After the query, the devices page shows the code, so that only people at the table know it.
    """

    code: str
    """Six digits."""


SetUpTask = Literal["", "find", "enroll", "tune"]
"""A task of the guided set-up, or "" before one was chosen."""
SetUpStage = Literal[
    "choose", "opening", "lift", "chip", "press", "pile", "counted", "stack", "measuring", "result", "written"
]
"""What the guided set-up waits for or shows.

- `lift`: no chip on any spot, after BACK
- `chip`: a chip on the spot `name`
- `press`: a press of the button `name`
- `pile`: a pile on the spot `name`; `counted`: the confirmation that its number of chips is `count`
- `stack`: a stack of `count` chips on the spot `name`, which is then read while the stage is `measuring`
"""
SetUpNoteCode = Literal["swapped", "moved", "not-found", "height", "listed", "twice", "weak", "dead", "crossed"]


class SetUpNote(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One result of the guided set-up.

    `name` is a spot, a button, a device or a tag. `other` is what it was swapped with, and `place` is where it is now.
    """

    code: SetUpNoteCode
    name: str
    other: str = ""
    place: str = ""
    height: int = 0
    text: str = ""
    """The note in English, as the commands of the set-up print it."""


class SetUpPage(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="page", tag="set-up"):
    """The answer to `look set-up` and to each command of the guided set-up."""

    task: SetUpTask = ""
    stage: SetUpStage = "choose"
    step: int = 0
    """Number of the step. A key of this page sends it back, so that a late touch changes nothing."""
    total: int = 0
    """Number of steps, or 0 if it is not known."""
    name: str = ""
    count: int = 0
    amount: int = 0
    """Denomination of the chips that are taken up."""
    notes: tuple[SetUpNote, ...] = ()
    error: str = ""
    """Why the task ended, in English, for the technician."""
    can_write: bool = False
    """True if the result differs from the file and can be written."""
    path: str = ""
    """The file that was written."""
    copy_to: str = ""
    """The file that the technician replaces by `path`, because the service may not write it."""


Page = (
    HandsPage
    | HandPage
    | PhhPage
    | AlertsPage
    | DevicesPage
    | ReportPage
    | AwardPage
    | GamesPage
    | SetUpPage
    | WebCodePage
)
"""Any page that a reply can contain."""
