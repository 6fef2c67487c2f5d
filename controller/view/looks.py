"""What a screen looks at beside the table: one typed page for each command `look …`.

A page carries codes and typed amounts, no sentences, as a view does. Times of day are seconds since midnight where the
table stands; None where nobody knows any more. A page is what it was when it was asked for: who keeps it open asks
again.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from controller.view.table import Alert, GameView, LevelView, Told

Ended = Literal["", "won", "void", "chopped"]
"""How a hand ended; "" for one that is still played."""
By = Literal["", "dealer", "floor", "technician", "itself"]
"""Who cleared an alert, or gave a step; `itself`: what it was about has passed, or a sensor told; "" for nobody yet."""
DeviceKind = Literal["reader", "board", "badge-reader", "keys", "storage"]


class Share(msgspec.Struct, frozen=True, kw_only=True):
    """What one seat gets."""

    seat: int
    amount: int
    name: str = ""


class HandLine(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One hand in the list of the last ones."""

    number: int
    game: GameView = GameView()
    began_s: int | None = None
    round: int = 0
    """The last betting round that was reached, from 1; with `game.variant` it names the street."""
    ended: Ended = ""
    pot: int = 0
    """All that was in it when it ended, or is now."""
    won: tuple[Share, ...] = ()
    """What each seat was given, the seat with most first."""
    rulings: int = 0
    """How often something was warned about or ruled on."""
    whole: bool = True
    """False where the hand began before what is still known of it: it can be looked at, and has no PHH."""


class HandsPage(msgspec.Struct, frozen=True, kw_only=True, tag_field="page", tag="hands"):
    """`look hands`: the last twenty hands, the newest first, without what was undone."""

    hands: tuple[HandLine, ...] = ()
    is_all: bool = True
    """False where hands were played before that are not known: older ones, or what the archive does not have."""


class Action(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One step of a hand, as it was done."""

    told: Told
    round: int = 0
    """The betting round that it was done in."""
    pot: int = 0
    """After it."""
    by: By = ""
    badge: str = ""
    """Whose badge it was, for a decision of the floor; as the records name it."""
    at_s: int | None = None
    rulings: tuple[Alert, ...] = ()
    """What it was warned about, with the rule; without choices."""


class HandSeat(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Somebody who was dealt in."""

    seat: int
    name: str = ""
    brought: int | None = None
    """Its stack when the hand began; None where nobody knew it."""
    left: int | None = None
    """Its stack when the hand ended, or as it is now."""
    won: int = 0


class HandPage(msgspec.Struct, frozen=True, kw_only=True, tag_field="page", tag="hand"):
    """`look hand N`: one hand, action by action."""

    line: HandLine
    button: int = 0
    seats: tuple[HandSeat, ...] = ()
    actions: tuple[Action, ...] = ()
    rake: int = 0
    jackpot: int = 0
    kitty: int = 0


class PhhPage(msgspec.Struct, frozen=True, kw_only=True, tag_field="page", tag="phh"):
    """`look phh N`: a hand that has ended, as the text of a PHH file."""

    hand: int
    text: str


class AlertLine(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An alert that was raised, without its choices."""

    alert: Alert
    raised_s: int
    cleared_s: int | None = None
    """None while it stands."""
    by: By = ""
    badge: str = ""
    """Whose badge lay on the reader, where the floor or a technician cleared it; as the records name it."""
    hand: int = 0
    """The hand in which it was raised, or the last one before."""


class AlertsPage(msgspec.Struct, frozen=True, kw_only=True, tag_field="page", tag="alerts"):
    """`look alerts`: the last two hundred, the newest first."""

    alerts: tuple[AlertLine, ...] = ()
    since_s: int = 0
    """When this service began to keep them."""


class AntennaLine(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One antenna as it is read now."""

    spot: str
    reader: str
    antenna: int
    up: bool | None = None
    """None while nothing is known of it yet."""
    tags: int = 0
    """That answered in the last good reading."""
    reads: int = 0
    """Readings within the last half to whole minute,"""
    failed: int = 0
    """and how many of them failed."""
    age_ms: int | None = None
    """Since the last good reading."""
    fault: str = ""
    """The code of the last failed reading; "" for none since the service began,"""
    fault_age_s: int | None = None
    """and how long ago that was."""


class DeviceLine(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A reader, a board, the badge reader, the keys, what the records lie on."""

    name: str
    kind: DeviceKind
    up: bool = False
    reason: str = ""
    """Why it is not up, as its driver said it."""
    port: str = ""
    model: str = ""
    """Of a reader, what it speaks."""
    version: str = ""
    """Of what runs on it, where it tells."""
    frames: int = 0
    """Good frames since the service began,"""
    bad_frames: int = 0
    """frames that were damaged,"""
    timeouts: int = 0
    """questions that it did not answer,"""
    reboots: int = 0
    """and how often it began anew."""


class KeyLine(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One of the dealer's keys, or the button of a seat."""

    key: str
    """A key's name; "" for the button of a seat."""
    seat: int = 0
    presses: int = 0
    """Since the service began."""
    age_s: int | None = None
    """Since the last one."""


class DevicesPage(msgspec.Struct, frozen=True, kw_only=True, tag_field="page", tag="devices"):
    """`look devices`: what stands on the table, as it is now."""

    antennas: tuple[AntennaLine, ...] = ()
    devices: tuple[DeviceLine, ...] = ()
    keys: tuple[KeyLine, ...] = ()
    """Those that were pressed, and all that the layout has."""
    lamps: tuple[int, ...] = ()
    """The seats whose lamps should shine."""
    version: str = ""
    """Of this program."""
    up_s: int = 0
    """How long the service has been running."""
    records: str = ""
    """Where the journal is written; "" where there is none."""


class PlayerAccount(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What one player brought and took away since the table was opened."""

    name: str = ""
    seat: int = 0
    """0: has left."""
    bought: int = 0
    cashed: int = 0
    stack: int | None = 0
    """What lies before the seat now; None where nobody knows it."""
    owes: int = 0
    """On markers."""


class DealerShift(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One dealer's time at the table."""

    name: str = ""
    hands: int = 0
    accounts: dict[str, int] = {}
    """What came to each account in it."""


class ReportPage(msgspec.Struct, frozen=True, kw_only=True, tag_field="page", tag="report"):
    """`look report`: where all chips are."""

    accounts: dict[str, int] = {}
    players: tuple[PlayerAccount, ...] = ()
    """By seat, then those who have left."""
    dealers: tuple[DealerShift, ...] = ()
    """The one who deals now is the last."""
    bought: int = 0
    """Chips bought in less those cashed out."""
    stacks: int = 0
    """All that lies before players,"""
    pot: int = 0
    """and in the middle."""
    hands: int = 0
    minutes: int = 0
    balances: bool = True
    """What was bought is what players, pot and accounts hold."""


class AwardPage(msgspec.Struct, frozen=True, kw_only=True, tag_field="page", tag="award"):
    """`look award …`: what that award would do, nothing is done. An award that would be refused is refused here."""

    pot: str
    amount: int = 0
    """What is divided: the pot after what is taken from it."""
    shares: tuple[Share, ...] = ()
    """By seat, odd chips among them."""
    odd: tuple[Share, ...] = ()
    """The odd chips, and who gets them: how much more than the others with the same part."""
    rake: int = 0
    jackpot: int = 0
    kitty: int = 0


class GamesPage(msgspec.Struct, frozen=True, kw_only=True, tag_field="page", tag="games"):
    """`look games`: what the house spreads at this table, as configured."""

    games: tuple[GameView, ...] = ()
    mix: tuple[str, ...] = ()
    """The games of the mix in the order in which they are played."""
    levels: tuple[LevelView, ...] = ()
    buy_in: tuple[int, int] | None = None
    """Least and most of who sits down now, 0 for no most; None where the house has no limits."""
    rake: str = ""
    """Of the pot, as a percentage; "" for none,"""
    rake_cap: int = 0
    """and how much it is at most; 0 for no most."""


Page = HandsPage | HandPage | PhhPage | AlertsPage | DevicesPage | ReportPage | AwardPage | GamesPage
"""The answer to one `look`."""
