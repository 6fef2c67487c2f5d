"""The file of an installed table with options of `serve`, such as `/etc/potkeeper/options`.

A line has one or more options as on the command line. `#` begins a comment:

    --badges /etc/potkeeper/badges.toml
    --badges-key /etc/potkeeper/house.key.pub

Earlier versions had one line `POTKEEPER_OPTIONS="…"`, which is still read.

A mistake in the file must neither leave the table dark nor allow more than before. A file with a mistake is therefore
not used at all: the options of the last good start are used. Without them, the table starts with the options of its
unit, and nobody is authorised.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import click
from click.core import ParameterSource

from controller.commands.option_values import parse_archive_days, parse_archive_mb, parse_port_option
from controller.config import MAX_CONFIG_BYTES, BadInputError, add_line_number, quote_value, read_file

OPTIONS_PARAMETER: Final = "options_file"
"""Name of the parameter of a command that names the file."""
_EARLIER_FORM: Final = "POTKEEPER_OPTIONS="
_EXPECTED: Final = "expected options of `potkeeper serve`"
_KIND: Final = "options"


def option_lines(path: Path) -> list[list[str]]:
    """Return the words of each line of a file with options. Raises BadInputError."""
    try:
        text = read_file(path, MAX_CONFIG_BYTES).decode("utf-8-sig")
    except OSError as error:
        raise BadInputError(f"{path}: cannot be read, {error.strerror or error}: expected a readable file") from None
    except UnicodeDecodeError as error:
        raise BadInputError(f"{path}: byte {error.start}: expected UTF-8 text") from None
    if not text.strip():
        raise BadInputError(f"{path}: empty, expected options or a comment such as `# no options`")
    lines = []
    for number, line in enumerate(text.splitlines(), 1):
        try:
            words = shlex.split(line, comments=True)
            if words and words[0].startswith(_EARLIER_FORM):
                words = shlex.split(" ".join([words[0].removeprefix(_EARLIER_FORM), *words[1:]]))
        except ValueError as error:
            raise BadInputError(f"{path}:{number}: {str(error).lower()}, expected quotes in pairs") from None
        lines.append(words)
    return lines


def read_options(path: Path, serve: click.Command) -> dict[str, Any]:
    """Return the values of the options in a file, by the names of the parameters of `serve`.

    Raises BadInputError with one line for the first mistake: file, line, option, and what was expected.
    """
    parameters = [parameter for parameter in serve.params if parameter.name != OPTIONS_PARAMETER]
    parser = click.Command(_KIND, params=parameters, add_help_option=False)
    values: dict[str, Any] = {}
    for number, words in enumerate(option_lines(path), 1):
        try:
            context = parser.make_context(_KIND, list(words))
            given = {
                name: value
                for name, value in context.params.items()
                if context.get_parameter_source(name) is ParameterSource.COMMANDLINE
            }
            _check_values(given, words)
        except (click.UsageError, BadInputError) as error:
            raise BadInputError(f"{path}:{number}: {_in_one_line(error)}") from None
        for name, value in given.items():
            values[name] = (*values.get(name, ()), *value) if isinstance(value, tuple) else value
    return values


def with_options_file(values: Mapping[str, Any], serve: click.Command) -> dict[str, Any]:
    """Return the parameters of a start, with the options of the file that they name.

    `options_fault` is then the fault of the file, or None, and `options_copy` the place for a copy and its content, or
    None. Raises BadInputError for a mistake if there is no journal, because no copies are kept either.
    """
    from controller.live import FileFault
    from controller.service import LAST_GOOD_SUFFIX

    given = {name: value for name, value in values.items() if name != OPTIONS_PARAMETER}
    path, journal = values[OPTIONS_PARAMETER], values["journal"]
    if path is None:
        return given
    given["options_file"] = path
    copy = journal.with_name(journal.name + LAST_GOOD_SUFFIX) / _KIND if journal is not None else None
    if (copy is None or not os.path.exists(copy)) and _has_nothing(path):
        return given
    try:
        options, content = read_options(path, serve), read_file(path, MAX_CONFIG_BYTES)
        return {**given, **options, "options_copy": (copy, content) if copy is not None else None}
    except BadInputError as error:
        if copy is None:
            raise
        message = add_line_number(str(error))
    try:
        last_good, is_replaced = read_options(copy, serve), True
    except BadInputError:
        last_good, is_replaced = {}, False
    return {**given, **last_good, "options_fault": FileFault(_KIND, path.name, message, is_replaced)}


def _has_nothing(path: Path) -> bool:
    """Return True for a file that is missing or empty, as on a table that has never had options."""
    try:
        return not read_file(path, MAX_CONFIG_BYTES).strip()
    except FileNotFoundError:
        return True
    except OSError:
        return False


def _check_values(given: Mapping[str, Any], words: list[str]) -> None:
    """Raise BadInputError for a value that would end the start of the service."""
    from controller.integrity import check_head_target
    from controller.service import group_number

    if unclear := next((word for word in words if not word.isprintable()), None):
        raise BadInputError(f"{quote_value(unclear)}: expected characters that can all be seen")
    for port in given.get("ports", ()):
        parse_port_option(port)
    for target in given.get("heads", ()):
        check_head_target(target)
    if "archive_mb" in given:
        parse_archive_mb(given["archive_mb"])
    if "archive_days" in given:
        parse_archive_days(given["archive_days"])
    for name, option in (("socket_group", "--socket-group"), ("room_group", "--room-group")):
        if name in given:
            group_number(option, given[name])


def _in_one_line(error: Exception) -> str:
    if isinstance(error, click.NoSuchOption):
        similar = " or ".join(error.possibilities or ())
        return f"{error.option_name}: no such option, {f'expected {similar}' if similar else _EXPECTED}"
    if isinstance(error, click.UsageError):
        return f"{error.format_message().rstrip('.')}, {_EXPECTED}"
    return str(error)
