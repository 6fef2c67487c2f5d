"""The options of `potkeeper serve`, and the files that they name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import msgspec

from controller.config import BadInputError, TableConfig, load_config, parse_config
from controller.integrity import read_public_key
from controller.journal import DEFAULT_ARCHIVE_BYTES, LayoutInForce
from controller.live import FileFault
from controller.service.command_handler import AccessPolicy
from controller.service.roles import Permissions, default_permissions, load_permissions
from controller.service.start_files.layout_in_force import describe_layout
from hardware.badges import BadgeList, dealer_names, load_badge_list
from hardware.layout import (
    GpioSpec,
    TableLayout,
    Technology,
    load_layout_with_sources,
    reference_layout,
)

DEFAULT_CONFIG: Final = """
[table]
name = "Table 1"

[game]
structure = "no-limit"
blinds    = [1, 2]
"""
"""Default configuration: an empty no-limit table with blinds of 1 and 2."""


@dataclass(frozen=True)
class ServeOptions:
    """The options of `serve`: which table and which hardware."""

    config: Path | None
    layout: Path | None
    ports: Mapping[str, str]
    tags: Technology | None = None
    badges: Path | None = None
    badges_key: Path | None = None
    """File with the public key of the house, with which the list of badges must be signed, or None for any list."""
    roles: Path | None = None
    key: Path | None = None
    """File of the table's private key, which signs the journal."""
    high_water: Path | None = None
    """File, on another device than the journal, for the high-water mark: the number of the journal's last record."""
    heads: tuple[str, ...] = ()
    """Targets outside the table for the signed head after each hand: `syslog`, HTTP addresses, or paths of files."""
    heads_ca: Path | None = None
    """File with the certificates that confirm the servers of HTTP addresses, or None for those of the system."""
    archive_bytes: int = DEFAULT_ARCHIVE_BYTES
    """Maximum total size of the journal's closed segments in bytes."""
    archive_days: int = 0
    """Maximum age of the journal's closed segments in days, or 0 for any age."""
    trays: bool = True
    gpio: bool = True
    encoded: bool = False
    """True if the UIDs of chips encode denominations. Then each UID of the right form counts as a chip."""
    socket_group: str | None = None
    """Name of the group that may use the dealer's socket, or None for the group of the service."""
    room_group: str | None = None
    """Name of the group that may use the read-only socket of the room, or None for no such socket."""
    register: Path | None = None
    """File to read instead of the register of chips that the layout names."""
    options_file: Path | None = None
    """File with options, or None if the command line has all of them."""
    options_fault: FileFault | None = None
    """Fault of the file with options. If the file is not replaced, nobody is authorised."""
    options_copy: tuple[Path, bytes] | None = None
    """Place of a copy of the file with options, and its content. None if there is nothing to keep."""
    last_used_register: Path | None = None
    """Copy of the register of chips with which the table started last. An older register is refused."""

    def read_config(self) -> TableConfig:
        """Return the configuration of the table. Raises BadInputError."""
        return load_config(self.config) if self.config is not None else parse_config(DEFAULT_CONFIG)

    def read_badge_list(self) -> BadgeList | None:
        """Return the badges of the house, or None for an open table, which needs no badges.

        Raises BadInputError if the list is invalid, empty, or not signed with the key of the house.
        """
        if self.badges is None:
            return None
        public = read_public_key(self.badges_key) if self.badges_key is not None else None
        badge_list = load_badge_list(self.badges, public)
        if not badge_list.badges:
            raise BadInputError(
                f"{self.badges}: no badges, expected at least one badge. Leave out --badges for an open table"
            )
        return badge_list

    def read_permissions(self) -> Permissions:
        """Return the table's permissions. Raises BadInputError."""
        return load_permissions(self.roles) if self.roles is not None else default_permissions()

    def read_access_policy(self) -> AccessPolicy:
        """Return the table's permissions and the number of registered badges. Raises BadInputError."""
        return make_access_policy(self.read_permissions(), self.read_badge_list())

    def read_layout(self) -> TableLayout:
        """Return the layout of the hardware with the given ports. Raises LayoutError or BadInputError."""
        return self.read_layout_in_force()[0]

    def read_layout_in_force(self) -> tuple[TableLayout, LayoutInForce]:
        """Return the layout as `read_layout` does, and what the journal records about it.

        Raises LayoutError or BadInputError.
        """
        loaded = (
            load_layout_with_sources(self.layout, self.register, self.last_used_register)
            if self.layout is not None
            else None
        )
        in_force = describe_layout(self.layout, loaded, self._layout_options)
        layout = loaded.layout if loaded is not None else reference_layout()
        layout = layout.with_ports(dict(self.ports))
        if self.tags is not None:
            layout = layout.with_tag_technology(self.tags)
        if self.encoded:
            if loaded is not None and loaded.register is not None:
                raise BadInputError("--encoded: the layout has a register of the chips, expected only one of the two")
            layout = layout.with_simulated_chips()
        return layout if self.gpio else msgspec.structs.replace(layout, gpio=GpioSpec()), in_force

    @property
    def _layout_options(self) -> str:
        """The options that change the layout, as on the command line."""
        options = [f"--port {name}={port}" for name, port in sorted(self.ports.items())]
        options += [f"--tags {self.tags}"] if self.tags is not None else []
        options += ["--encoded"] if self.encoded else []
        options += ["--no-gpio"] if not self.gpio else []
        return " ".join(options)


def make_access_policy(permissions: Permissions, badge_list: BadgeList | None) -> AccessPolicy:
    """Return the permissions of a table with this list of badges, or of an open table if the list is None."""
    if badge_list is None:
        return AccessPolicy(permissions)
    return AccessPolicy(permissions, len(badge_list.badges), badge_list.number, dealer_names(badge_list.badges))
