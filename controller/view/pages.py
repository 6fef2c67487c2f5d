"""The pages that a screen can ask for with `look …`, one type for each query.

A page has codes and typed amounts but no sentences, like a view. Times of day are seconds since midnight in the time
zone of the table, or None if they are not known. A page does not change after it was sent, so a screen that shows it
for longer must ask for it again.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from controller.view.table_view import Alert, GameView, LevelView, StepSummary
from controller.view.wire_names import WIRE_NAMES

HandResult = Literal["", "won", "void", "chopped"]
"""How a hand ended, or "" while it is played."""
Attribution = Literal["", "dealer", "floor", "technician", "itself"]
"""Who cleared an alert or caused a step. `itself` is for changes made by a sensor or by the passage of time. "" means
that the alert is still open."""
DeviceKind = Literal["reader", "board", "badge-reader", "keys", "storage"]
"""The type of a device on the devices page."""


class SeatShare(msgspec.Struct, frozen=True, kw_only=True):
    """The amount that one seat receives."""

    seat: int
    amount: int
    name: str = ""


class HandRow(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, rename=WIRE_NAMES["HandRow"]):
    """One hand in the list of the last hands."""

    number: int
    game: GameView = GameView()
    began_s: int | None = None
    round: int = 0
    """The last betting round that was reached, from 1. With `game.variant`, it names the street."""
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
    """False if earlier hands are missing from the list, because they are too old or not in the archive."""


class HandAction(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, rename=WIRE_NAMES["HandAction"]):
    """One step of a hand."""

    summary: StepSummary
    round: int = 0
    """The betting round in which the step was done."""
    pot: int = 0
    """The pot after the step."""
    by: Attribution = ""
    badge: str = ""
    """The badge of the person who made a decision of the floor, as named in the records."""
    at_s: int | None = None
    warnings: tuple[Alert, ...] = ()
    """The warnings that the step raised, with their rules and without choices."""


class HandSeat(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, rename=WIRE_NAMES["HandSeat"]):
    """A player who was dealt in."""

    seat: int
    name: str = ""
    stack_before: int | None = None
    """The stack when the hand began, or None if it was not known."""
    stack_after: int | None = None
    """The stack when the hand ended, or the present stack if the hand is in progress."""
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
    """When the alert was cleared, or None while it is open."""
    cleared_by: Attribution = ""
    cleared_by_badge: str = ""
    """The badge that was on the reader when the floor or a technician cleared the alert, as named in the records."""
    hand: int = 0
    """The hand in which the alert was raised, or the last hand before the alert."""


class AlertsPage(msgspec.Struct, frozen=True, kw_only=True, tag_field="page", tag="alerts"):
    """The answer to `look alerts`: the last two hundred alerts, newest first."""

    alerts: tuple[AlertRow, ...] = ()
    since_s: int = 0
    """When this service began to keep alerts."""


class AntennaRow(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One antenna and how well it is read now."""

    spot: str
    reader: str
    antenna: int
    up: bool | None = None
    """Whether the antenna is read, or None before its first reading."""
    tags: int = 0
    """Number of tags in the last good reading."""
    reads: int = 0
    """Number of readings of the antenna within the last 30 to 60 seconds."""
    failed: int = 0
    """Number of readings within the last 30 to 60 seconds that failed."""
    age_ms: int | None = None
    """Time since the last good reading in milliseconds, or None if it had none."""
    fault: str = ""
    """Code of the last failed reading, or "" if none failed since the service began."""
    fault_age_s: int | None = None
    """Time since the last failed reading in seconds, or None."""


class DeviceRow(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A reader, a panel board, the badge reader, the keys, or the storage of the records."""

    name: str
    kind: DeviceKind
    up: bool = False
    reason: str = ""
    """Why the device is down, in the words of its driver."""
    port: str = ""
    model: str = ""
    """The protocol of a reader."""
    version: str = ""
    """The version of the device's software, if it reports one."""
    frames: int = 0
    """Number of valid frames, that is messages from the device, since the service began."""
    bad_frames: int = 0
    """Number of damaged frames."""
    timeouts: int = 0
    """Number of requests to the device that it did not answer."""
    reboots: int = 0
    """Number of restarts."""


class KeyRow(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One of the dealer's keys, or the button of a seat."""

    key: str
    """The name of the key, or "" for the button of a seat."""
    seat: int = 0
    presses: int = 0
    """Number of presses since the service began."""
    age_s: int | None = None
    """Time since the last press in seconds, or None."""


class DevicesPage(
    msgspec.Struct, frozen=True, kw_only=True, tag_field="page", tag="devices", rename=WIRE_NAMES["DevicesPage"]
):
    """The answer to `look devices`: all devices of the table, as they are now."""

    antennas: tuple[AntennaRow, ...] = ()
    devices: tuple[DeviceRow, ...] = ()
    keys: tuple[KeyRow, ...] = ()
    """All keys of the dealer's panel, and any other key that was pressed."""
    lamps: tuple[int, ...] = ()
    """The seats that should have their lamp on."""
    version: str = ""
    """The version of this program."""
    uptime_s: int = 0
    """Time since the service started, in seconds."""
    journal_path: str = ""
    """The path of the journal, or "" if the table keeps no journal."""


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


class DealerShift(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A dealer's time at the table."""

    name: str = ""
    hands: int = 0
    accounts: dict[str, int] = {}
    """The amount that each account received while this dealer was at the table."""


class ReportPage(
    msgspec.Struct, frozen=True, kw_only=True, tag_field="page", tag="report", rename=WIRE_NAMES["ReportPage"]
):
    """The answer to `look report`: where all chips are."""

    accounts: dict[str, int] = {}
    players: tuple[PlayerAccount, ...] = ()
    """The players by seat, then the players who have left."""
    dealers: tuple[DealerShift, ...] = ()
    """The dealers in order. The last one deals now."""
    net_bought_in: int = 0
    """The value of all chips bought in, minus the chips cashed out."""
    stacks: int = 0
    """Sum of the stacks."""
    pot: int = 0
    """The pot of the hand in progress."""
    hands: int = 0
    minutes: int = 0
    is_balanced: bool = True
    """True if the chips bought in equal those of players, pot and accounts."""


class AwardPage(
    msgspec.Struct, frozen=True, kw_only=True, tag_field="page", tag="award", rename=WIRE_NAMES["AwardPage"]
):
    """The answer to `look award …`: the effect that this award would have.

    The award is not made. If the table would refuse the award, it also refuses this query.
    """

    pot: str
    amount: int = 0
    """The amount that is divided: the pot after rake, jackpot and kitty."""
    shares: tuple[SeatShare, ...] = ()
    """The amount for each seat, including odd chips."""
    odd_chips: tuple[SeatShare, ...] = ()
    """The odd chips by seat, that is the amount by which the seat receives more than others with the same share."""
    rake: int = 0
    jackpot: int = 0
    kitty: int = 0


class GamesPage(msgspec.Struct, frozen=True, kw_only=True, tag_field="page", tag="games"):
    """The answer to `look games`: the games that the house offers at this table."""

    games: tuple[GameView, ...] = ()
    mix: tuple[str, ...] = ()
    """The games of the mix, in the order in which they are played."""
    levels: tuple[LevelView, ...] = ()
    buy_in: tuple[int, int] | None = None
    """Minimum and maximum buy-in, with 0 for no maximum. None if the house has no limits."""
    rake: str = ""
    """The rake as a percentage of the pot, or "" if the house takes no rake."""
    rake_cap: int = 0
    """The maximum rake of a pot, or 0 if it has no maximum."""


Page = HandsPage | HandPage | PhhPage | AlertsPage | DevicesPage | ReportPage | AwardPage | GamesPage
"""Any of the pages, in the form in which a reply contains it."""
