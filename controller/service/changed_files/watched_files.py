"""The files that a running table watches: how each is read, and what a change of it means.

A judgement of a new value is a function that takes the value up between two hands. It is True if the value is in force
already, and False if it needs a restart.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, Protocol, TypeAlias

import msgspec

from controller.config import MAX_CONFIG_BYTES, BadInputError, TableConfig, configuration_files, read_file
from controller.journal import LayoutInForce
from controller.live import FileKind
from controller.service.roles import Permissions
from controller.service.setup_check import find_game_problem
from controller.service.start_files import FileWatch, StartFiles, with_groups
from controller.service.table_service import TableService
from hardware.layout import LayoutError, TableLayout, chip_register_of

_logger = logging.getLogger(__name__)
Judgement: TypeAlias = Callable[[], bool] | bool
"""Function that takes a value up and returns False to be called again later, or True or False as above."""


class ChipReaders(Protocol):
    """Interface of the hardware that can continue with other chips. `hardware.table_io.TableIO` implements it."""

    def use_chips(self, layout: TableLayout) -> None:
        """Continue with the chips of this layout, and read every spot again."""


class LayoutUser(Protocol):
    """Interface of the guided set-up, which borrows the ports and knows the chips of the layout."""

    @property
    def has_ports(self) -> bool:
        """Return True while the table has no readers."""

    def use_layout(self, layout: TableLayout) -> None:
        """Continue with this layout."""


class WatchedFile(NamedTuple):
    """One file with its watch, and the function that judges a new value."""

    path: Path
    watch: FileWatch[Any]
    judge: Callable[[Any], Judgement]


class WatchedFiles:
    """The files of a running table, with the values that are in force."""

    def __init__(
        self,
        service: TableService,
        files: StartFiles,
        hardware: ChipReaders | None,
        set_up: LayoutUser | None,
    ) -> None:
        self._service, self._options, self._hardware, self._set_up = service, files.options, hardware, set_up
        self._permissions, self._layout, self._layout_in_force = files.permissions, files.layout, files.layout_in_force
        self._options_content: bytes | None = None

    def by_kind(self) -> Mapping[FileKind, WatchedFile]:
        """Return the files that the options of `serve` name."""
        return dict(self._files())

    def _files(self) -> Iterator[tuple[FileKind, WatchedFile]]:
        options = self._options
        if (config := options.config) is not None:
            watch = FileWatch(lambda: configuration_files(config), lambda: self._read_config(config))
            yield "config", WatchedFile(config, watch, self._judge_config)
        if (roles := options.roles) is not None:
            watch_roles = FileWatch(lambda: (roles,), lambda: with_groups(options.read_permissions(), options))
            yield "roles", WatchedFile(roles, watch_roles, self._judge_permissions)
        if (layout := options.layout) is not None and options.trays:
            watch_layout = FileWatch(lambda: _layout_files(layout), lambda: self._read_layout(layout))
            yield "layout", WatchedFile(layout, watch_layout, self._judge_layout)
        if (file := options.options_file) is not None and options.options_fault is None:
            watch_options = FileWatch(lambda: (file,), lambda: _content(file))
            yield "options", WatchedFile(file, watch_options, self._judge_options)

    def _read_config(self, path: Path) -> TableConfig:
        """Return the configuration if `check` accepts it. Raises BadInputError."""
        config = self._options.read_config()
        if problem := find_game_problem(config, self._layout):
            raise BadInputError(f"{path}: {problem}")
        return config

    def _read_layout(self, path: Path) -> tuple[TableLayout, LayoutInForce]:
        """Return the layout if `check` accepts its chips, and what the journal records. Raises BadInputError."""
        layout, in_force = self._options.read_layout_in_force()
        if problem := find_game_problem(self._service.config, layout):
            raise BadInputError(f"{path}: {problem}")
        return layout, in_force

    def _judge_config(self, config: TableConfig) -> Judgement:
        if self._service.config.plays_like(config):
            return True

        return partial(self._service.use_configuration, config)

    def _judge_permissions(self, permissions: Permissions) -> Judgement:
        if permissions == self._permissions:
            return True
        if permissions.endpoints != self._permissions.endpoints:
            return False

        def apply() -> bool:
            self._permissions = permissions
            self._service.use_permissions(permissions)
            return True

        return apply

    def _judge_layout(self, read: tuple[TableLayout, LayoutInForce]) -> Judgement:
        layout, in_force = read
        if _without_date(in_force) == _without_date(self._layout_in_force):
            return True
        if self._layout is None or msgspec.structs.replace(layout, chips=self._layout.chips) != self._layout:
            return False

        def apply() -> bool:
            is_set_up_running = self._set_up is not None and self._set_up.has_ports
            revalued = self._revalued_chips(layout)
            if is_set_up_running or not self._service.use_layout(in_force, len(revalued)):
                return False
            for uid in revalued:
                _logger.warning("chip %s: another value than before, or none", uid)
            self._layout, self._layout_in_force = layout, in_force
            if self._hardware is not None:
                self._hardware.use_chips(layout)
            if self._set_up is not None:
                self._set_up.use_layout(layout)
            return True

        return apply

    def _revalued_chips(self, layout: TableLayout) -> list[str]:
        """Return the UIDs of all chips at the table that have another value with this layout, or none."""
        if self._layout is None:
            return []
        old, new = self._layout.chip_set, layout.chip_set
        return [uid for uid in self._service.live.chip_locations if old.denomination(uid) != new.denomination(uid)]

    def _judge_options(self, content: bytes) -> bool:
        if self._options_content is None:
            copy = self._options.options_copy
            self._options_content = copy[1] if copy is not None else content
        return content == self._options_content


def _layout_files(layout: Path) -> tuple[Path, ...]:
    """Return the paths of a layout and of its register of chips."""
    try:
        register = chip_register_of(layout)
    except LayoutError:
        return (layout,)
    return (layout, register[0]) if register is not None else (layout,)


def _without_date(layout: LayoutInForce) -> LayoutInForce:
    """Return what the journal records about a layout, without the time at which a file was written."""
    return msgspec.structs.replace(layout, list_date="")


def _content(path: Path) -> bytes:
    """Return the content of a file of options, which may be missing."""
    try:
        return read_file(path, MAX_CONFIG_BYTES)
    except FileNotFoundError:
        return b""
    except OSError as error:
        raise BadInputError(f"{path}: cannot be read, {error.strerror or error}: expected a readable file") from None
