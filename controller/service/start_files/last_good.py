"""Files with which a table starts: each file, else what worked before, else a safe default.

A mistake in a file must not leave the table dark, because months may lie between the edit and the next start. A start
that went well therefore keeps a copy of each file in a folder beside the journal. The next start uses the copy if the
file cannot be used. Without a copy it uses a safe default: no sensors, the built-in roles, or badges that authorise
nobody. A table that has a journal takes its configuration from there. A new table without a configuration does not
start, because nobody has chosen its game and stakes, and the technician who has just written the file is there.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, Generic, NamedTuple, TypeVar

from controller.config import MAX_CONFIG_BYTES, BadInputError, TableConfig, add_line_number, parse_config
from controller.journal import LayoutInForce, journal_exists
from controller.live import FileFault, FileKind
from controller.service.command_handler import AccessPolicy
from controller.service.roles import Permissions, default_permissions, group_number
from controller.service.start_files.serve_options import DEFAULT_CONFIG, ServeOptions, make_access_policy
from hardware.badges import Badge, BadgeList
from hardware.file_replacement import replace_file
from hardware.layout import TableLayout, chip_register_of
from hardware.text_input_validation import find_exposure, read_file

LAST_GOOD_SUFFIX: Final = ".last-good"
"""Suffix of the folder beside the journal, with the copies of files with which the table has started."""
MAX_COPIED_BYTES: Final = 4 * MAX_CONFIG_BYTES
"""Maximum size of a copied file in bytes. It is the maximum size of a layout, the largest of these files."""

_COPIED_KINDS: Final[tuple[FileKind, ...]] = ("config", "layout", "roles", "badges")

_Value = TypeVar("_Value")
_logger = logging.getLogger(__name__)


class _Loaded(NamedTuple, Generic[_Value]):
    """A value, and the fault of its file, or None if the file was used."""

    value: _Value
    fault: FileFault | None


@dataclass(frozen=True)
class StartFiles:
    """The values of all files with which a table starts."""

    config: TableConfig
    layout: TableLayout | None
    permissions: Permissions
    badge_list: BadgeList | None
    """The badges of the house, an empty list if nobody is authorised, or None for an open table."""
    faults: tuple[FileFault, ...]
    options: ServeOptions
    folder: Path | None
    """Folder for the copies, or None if no copies are kept."""
    layout_in_force: LayoutInForce
    """What the journal records about the layout."""

    @property
    def access_policy(self) -> AccessPolicy:
        """Return the table's permissions and the number of registered badges."""
        return make_access_policy(self.permissions, self.badge_list)

    @property
    def badges(self) -> tuple[Badge, ...] | None:
        """The badges of the house, () if nobody is authorised, or None for an open table."""
        return self.badge_list.badges if self.badge_list is not None else None

    @property
    def copies(self) -> ServeOptions | None:
        """The options with the kept copies in place of the files, or None if no copies are kept."""
        return _options_of_copies(self.options, self.folder) if self.folder is not None else None

    def with_badge_list(self, badge_list: BadgeList, fault: FileFault | None) -> StartFiles:
        """Return a copy with another list of badges, and with the fault of its file."""
        faults = tuple(other for other in self.faults if other.kind != "badges")
        return replace(self, badge_list=badge_list, faults=faults if fault is None else (*faults, fault))

    def keep_badge_list(self) -> None:
        """Copy the list of badges after the table has taken up another one. If the disk fails, log this."""
        if self.folder is not None and self.options.badges is not None:
            try:
                _write_copy(self.folder / "badges.toml", read_file(self.options.badges, MAX_COPIED_BYTES))
            except (OSError, BadInputError) as error:
                _logger.warning("%s: no copy of the list of badges, %s", self.folder, error)

    def after_take_up(self, kind: FileKind, config: TableConfig) -> StartFiles:
        """Return a copy with the configuration in force, and without the fault of a file that has been taken up."""
        return replace(self, config=config, faults=tuple(fault for fault in self.faults if fault.kind != kind))

    def keep_copies(self, kinds: Collection[FileKind] = ()) -> None:
        """Copy each file that was used, or only those of these kinds.

        If the disk fails, log this and keep the earlier copies.
        """
        if self.folder is None:
            return
        faulty = {fault.kind for fault in self.faults}
        if kinds:
            faulty |= set(_COPIED_KINDS) - set(kinds)
        options = self.options
        try:
            if options.options_copy is not None and not kinds:
                _write_copy(*options.options_copy)
            if options.config is not None and "config" not in faulty:
                _write_copy(self.folder / "config.toml", self.config.text.encode())
            if options.layout is not None and self.layout is not None and "layout" not in faulty:
                register = chip_register_of(options.layout)
                if register is not None:
                    _write_copy(self.folder / "register.toml", read_file(register[0], MAX_COPIED_BYTES))
                _write_copy(self.folder / "layout.toml", read_file(options.layout, MAX_COPIED_BYTES))
            if options.roles is not None and "roles" not in faulty:
                _write_copy(self.folder / "roles.toml", read_file(options.roles, MAX_COPIED_BYTES))
            if options.badges is not None and "badges" not in faulty:
                _write_copy(self.folder / "badges.toml", read_file(options.badges, MAX_COPIED_BYTES))
        except (OSError, BadInputError) as error:
            _logger.warning("%s: no copies of the files of this start, %s", self.folder, error)


def read_start_files(options: ServeOptions, journal: Path | None) -> StartFiles:
    """Return the values of the files that the options name, with the faults of files that cannot be used.

    Without a journal, raises BadInputError for the first such file, because no copies are kept either. Also raises
    BadInputError if a new journal would begin with a configuration that nobody has chosen.
    """
    folder = journal.with_name(journal.name + LAST_GOOD_SUFFIX) if journal is not None else None
    copies = options if folder is None else _options_of_copies(options, folder)
    if folder is not None:
        options = replace(options, last_used_register=copies.register)

    def load(kind: FileKind, read: Callable[[ServeOptions], _Value], default: _Value) -> _Loaded[_Value]:
        path = getattr(options, kind)
        try:
            return _Loaded(read(options), None)
        except BadInputError as error:
            if folder is None:
                raise
            message = add_line_number(str(error))
        name = path.name if path is not None else f"--{kind}"
        try:
            return _Loaded(read(copies), FileFault(kind, name, message, is_replaced=True))
        except BadInputError:
            return _Loaded(default, FileFault(kind, name, message, is_replaced=False))

    config, config_fault = load("config", ServeOptions.read_config, parse_config(DEFAULT_CONFIG))
    no_layout: tuple[TableLayout | None, LayoutInForce] = (None, LayoutInForce())
    (layout, layout_in_force), layout_fault = load("layout", _read_layout, no_layout)
    permissions, roles_fault = load("roles", ServeOptions.read_permissions, default_permissions())
    permissions = with_groups(permissions, options)
    nobody: BadgeList | None = BadgeList()
    if options.options_fault is not None and not options.options_fault.is_replaced:
        # Nobody knows which badges the options would have named.
        options, badges, badges_fault = replace(options, badges=None), nobody, None
    else:
        badges, badges_fault = load("badges", ServeOptions.read_badge_list, nobody)
    if config_fault is not None and not config_fault.is_replaced:
        if journal is None or not journal_exists(journal):
            raise BadInputError(config_fault.error)
        config_fault = config_fault._replace(is_replaced=True)  # by the configuration in the journal
    possible = (options.options_fault, config_fault, layout_fault, roles_fault, badges_fault)
    faults = tuple(fault for fault in possible if fault is not None)
    for fault in faults:
        _logger.error("%s. The table starts with %s", fault.error, _replacement(fault))
    if options.badges is not None and (exposure := find_exposure(options.badges)):
        _logger.error("%s", exposure)
        faults = (*faults, FileFault("secret", options.badges.name, exposure, is_replaced=False))
    return StartFiles(config, layout, permissions, badges, faults, options, folder, layout_in_force)


def with_groups(permissions: Permissions, options: ServeOptions) -> Permissions:
    """Return the permissions with the groups that the options name. Raises BadInputError."""
    if options.socket_group is not None:
        permissions = permissions.with_dealer_group(group_number("--socket-group", options.socket_group))
    return permissions if options.room_group is None else _with_room(permissions, options.room_group)


def _with_room(permissions: Permissions, group: str) -> Permissions:
    """Return the permissions with the room's socket. A wrong group must not keep the table from its start."""
    try:
        return permissions.with_room(group_number("--room-group", group))
    except BadInputError as error:
        _logger.error("%s. The table starts without the socket of the room", error)
        return permissions


def _read_layout(options: ServeOptions) -> tuple[TableLayout | None, LayoutInForce]:
    return options.read_layout_in_force() if options.trays else (None, LayoutInForce())


def _options_of_copies(options: ServeOptions, folder: Path) -> ServeOptions:
    """Return the options with the copies in place of the files that they name."""
    return replace(
        options,
        config=folder / "config.toml",
        layout=folder / "layout.toml",
        register=folder / "register.toml",
        roles=folder / "roles.toml",
        badges=folder / "badges.toml",
    )


def _replacement(fault: FileFault) -> str:
    """Return what the table uses instead of a file, for the log."""
    if fault.is_replaced:
        return "the configuration of its journal" if fault.kind == "config" else "the last good copy"
    return _DEFAULTS[fault.kind]


_DEFAULTS: Final[dict[FileKind, str]] = {
    "layout": "no sensors",
    "roles": "the built-in roles",
    "badges": "nobody authorised",
    "options": "the options of its unit, and nobody authorised",
}


def _write_copy(path: Path, data: bytes) -> None:
    """Write a copy that only the service may read, because it may contain keys."""
    path.parent.mkdir(mode=0o700, exist_ok=True)
    with replace_file(path) as file:
        file.write(data)
