"""Test that every mistake in a file gives one error line with file, key, value and expectation.

The file `expected.txt` contains the expected lines.
"""

import codecs
import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Literal, get_args, get_origin, get_type_hints

import pytest
from click.testing import CliRunner

from controller.cli import main
from controller.commands import EXIT_BAD_INPUT
from controller.config import MAX_CONFIG_BYTES, BadInputError, load_config, parse_game
from controller.histories import load_hand
from controller.rules import MAX_AMOUNT, UNSET, Game
from controller.scripts import MAX_FILE_BYTES, MAX_STEPS, load_script, play_rules
from controller.steps import MAX_LINE_CHARS, StepSyntaxError, parse_step
from controller.view import (
    protocol,
)
from hardware import layout
from tests.bad_input.test_input_file_fuzz import GOOD

HERE = Path(__file__).parent
EXPECTED = dict(
    line.split(": ", 1) for line in (HERE / "expected.txt").read_text().splitlines() if not line.startswith("#")
)
DEADLINE_S = 300
"""Maximum time in seconds for one run of the command line over all bad files. An idle machine needs a few seconds."""
CLI_WITHOUT_PROGRESS = (
    "import math, sys; from controller import progress; from controller.cli import main;"
    "progress.SHOW_AFTER_S = math.inf; sys.exit(main())"
)
"""Python code that runs the command line without lines of progress, which only a slow machine would print."""
MAX_MESSAGE_LENGTH = 400
"""Maximum number of characters of an error message. People do not read a longer message to its end."""


def _play(path: Path) -> None:
    for _ in play_rules(load_script(path)):
        pass


LOADERS: dict[str, Callable[[Path], object]] = {
    "scripts": _play,
    "phh": load_hand,
    "layouts": layout.load_layout,
    "tables": load_config,
}


def _error_of(path: Path) -> str:
    """Load a bad file, and return its error message without the name of the file."""
    with pytest.raises((BadInputError, layout.LayoutError)) as caught:
        LOADERS[path.parts[0]](path)
    return str(caught.value).removeprefix(f"{path}: ")


def test_every_bad_file_has_an_expected_error_line() -> None:
    files = {f"{kind}/{path.name}" for kind in LOADERS for path in (HERE / kind).iterdir()}
    assert files == set(EXPECTED)
    assert len(files) >= 60


@pytest.mark.parametrize("kind", GOOD)
def test_byte_order_mark_of_a_file_is_ignored(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(GOOD[kind])
    expected = LOADERS[kind](path)
    path.write_bytes(codecs.BOM_UTF8 + GOOD[kind])
    assert LOADERS[kind](path) == expected


@pytest.mark.parametrize("name", EXPECTED)
def test_mistake_is_one_error_line(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(HERE)
    message = _error_of(Path(name))
    assert message == EXPECTED[name]
    assert "\n" not in message
    assert len(message) <= MAX_MESSAGE_LENGTH
    assert "expected" in message or name.startswith(("phh/", "layouts/"))


# --- the command line ---


@pytest.mark.parametrize("options", [[], ["--rules-only"]])
def test_bad_scripts_are_reported_and_the_other_scripts_still_run(options: list[str], tmp_path: Path) -> None:
    good = tmp_path / "good.toml"
    good.write_text('button = 3\nstacks = { 1 = 50, 2 = 50 }\n[[step]]\ndo = "1 bet 5"\n')
    not_utf8 = os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9.toml")
    paths = ["no-such-file.toml", not_utf8, "scripts", str(good)]
    result = subprocess.run(
        [sys.executable, "-c", CLI_WITHOUT_PROGRESS, "script", *options, *paths],
        cwd=HERE,
        env={**os.environ, "PYTHONPATH": str(HERE.parents[1])},
        capture_output=True,
        timeout=DEADLINE_S,
        check=False,
    )
    assert result.stderr == b""
    assert result.returncode == 2
    lines = [json.loads(line) for line in result.stdout.splitlines()]
    errors = {line["file"]: line["error"] for line in lines if "error" in line}
    assert [line for line in lines if "error" in line] == [{"file": f, "error": e} for f, e in errors.items()]
    bad = {name: message for name, message in EXPECTED.items() if name.startswith("scripts/")}
    assert {name: errors.get(name) for name in bad} == bad
    assert errors["no-such-file.toml"] == "cannot be read, No such file or directory: expected a readable file"
    assert len(errors) == len(bad) + 2
    assert [line["step"] for line in lines if line["file"] == str(good)] == [0, 1]


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("none.toml", "cannot be read, No such file or directory: expected a readable file"),
        (".", "cannot be read, Is a directory: expected a readable file"),
        ("nul\0.toml", "cannot be read, embedded null byte: expected a readable file"),
        ("/dev/zero", f"file too large: expected at most {MAX_FILE_BYTES} bytes"),
    ],
)
def test_path_that_is_not_a_file_is_refused_in_one_line(
    name: str, line: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(BadInputError) as caught:
        load_script(Path(name))
    assert str(caught.value) == line


def test_file_over_the_size_limit_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "large.toml"
    path.write_bytes(b"#" * (MAX_FILE_BYTES + 1))
    with pytest.raises(BadInputError, match=f"file too large: expected at most {MAX_FILE_BYTES} bytes"):
        load_script(path)


def test_script_with_too_many_steps_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "long.toml"
    path.write_text("button = 3\nstacks = { 1 = 50, 2 = 50 }\n" + '[[step]]\ndo = "hand"\n' * (MAX_STEPS + 1))
    with pytest.raises(BadInputError, match=f"step: {MAX_STEPS + 1} steps, expected at most {MAX_STEPS}"):
        load_script(path)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("demo --speed nan", "--speed nan: expected 0.01 to 1000"),
        ("demo --speed inf", "--speed inf: expected 0.01 to 1000"),
        ("demo --speed 1e-300", "--speed 1e-300: expected 0.01 to 1000"),
        ("demo --hands -1", "--hands -1: expected 0 (all hands) or more"),
        ("demo --histories none", "--histories none: no such folder, expected one with .phh files"),
        (
            "demo --pictures /dev/null/x",
            "--pictures /dev/null/x: Not a directory, expected a folder that can be written",
        ),
        ("check --config /dev/zero", "/dev/zero: cannot be read, not a regular file: expected a readable file"),
        ("serve --config /dev/zero", "/dev/zero: cannot be read, not a regular file: expected a readable file"),
        ("check --config pipe", "pipe: cannot be read, not a regular file: expected a readable file"),
        (
            "check --config large",
            f"large: cannot be read, file of more than {MAX_CONFIG_BYTES} bytes: expected a readable file",
        ),
        ("check --roles /dev/zero", "/dev/zero: cannot be read, not a regular file: expected a file"),
        ("serve --roles empty", "empty: may: missing, expected a value"),
        ("check --badges empty", "empty: no badges, expected at least one badge. Leave out --badges for an open table"),
        ("check --layout /dev/zero", "/dev/zero: not a regular file: expected a readable layout file"),
        ("check --layout pipe", "pipe: not a regular file: expected a readable layout file"),
        ("check --layout large", "large: file of more than 4000000 bytes: expected a readable layout file"),
        ("check --layout .", ".: Is a directory: expected a readable layout file"),
        ("replay /dev/zero", "/dev/zero: cannot be read: not a regular file, expected a file with one hand"),
        ("replay pipe", "pipe: cannot be read: not a regular file, expected a file with one hand"),
        ("replay large", "large: cannot be read: file of more than 1000000 bytes, expected a file with one hand"),
        ("journal verify empty", "journal empty: the file is empty, expected a journal"),
        ("journal export empty", "journal empty: the file is empty, expected a journal"),
        ("journal verify /dev/null", "journal /dev/null: the file is empty, expected a journal"),
        (
            "check --config two\nlines",
            "two\\nlines: cannot be read, No such file or directory: expected a readable file",
        ),
    ],
)
def test_bad_command_argument_prints_one_error_line(
    line: str, message: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    os.mkfifo("pipe")
    Path("empty").touch()
    with Path("large").open("wb") as file:
        file.truncate(5_000_000)
    result = CliRunner().invoke(main, line.split(" "))
    assert (result.stderr, result.stdout, result.exit_code) == (f"potkeeper: {message}\n", "", EXIT_BAD_INPUT)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("--nosuch", "potkeeper: No such option '--nosuch'. See `potkeeper --help`"),
        ("nosuch", "potkeeper: No such command 'nosuch'. See `potkeeper --help`"),
        ("bench nosuch", "potkeeper bench: No such command 'nosuch'. See `potkeeper bench --help`"),
        ("script", "potkeeper script: Missing argument 'PATHS...'. See `potkeeper script --help`"),
        (
            "serve --log-level x",
            "potkeeper serve: Invalid value for '--log-level': 'x' is not one of 'debug', 'info', 'warning', 'error'. "
            "See `potkeeper serve --help`",
        ),
    ],
)
def test_wrong_command_or_option_prints_one_error_line(line: str, message: str) -> None:
    result = CliRunner().invoke(main, line.split(), prog_name="potkeeper")
    assert (result.stderr, result.stdout, result.exit_code) == (f"{message}\n", "", EXIT_BAD_INPUT)


# --- every key of [game] ---

HINTS = get_type_hints(Game)
WRONG_VALUES: tuple[object, ...] = ("canasta", -7, 10**18, float("nan"), 0.5, [None], {"x": 1}, [["a"]])


def _choices(hint: object) -> tuple[str, ...]:
    """Return all words that the `Literal` types in a type hint allow."""
    if get_origin(hint) is Literal:
        return get_args(hint)
    return tuple(choice for part in get_args(hint) for choice in _choices(part))


@pytest.mark.parametrize("wrong", WRONG_VALUES, ids=repr)
@pytest.mark.parametrize("key", [field.name for field in fields(Game)])
def test_wrong_value_of_any_game_key_is_refused(key: str, wrong: object) -> None:
    with pytest.raises(BadInputError) as caught:
        parse_game({key: wrong})
    message = str(caught.value)
    assert message.startswith(f"game.{key}")
    assert "expected" in message
    assert "\n" not in message


@pytest.mark.parametrize("key", [name for name, hint in HINTS.items() if _choices(hint)])
def test_invalid_choice_error_lists_the_valid_choices(key: str) -> None:
    with pytest.raises(BadInputError) as caught:
        parse_game({key: "canasta"})
    for choice in _choices(HINTS[key]):
        assert choice in str(caught.value)


@pytest.mark.parametrize("key", [name for name, hint in HINTS.items() if hint is int])
@pytest.mark.parametrize("wrong", [UNSET, -2, MAX_AMOUNT + 1, True, "5", 2.0])
def test_out_of_range_number_of_any_game_key_is_refused(key: str, wrong: object) -> None:
    with pytest.raises(BadInputError, match=rf"^game\.{key} = .*expected "):
        parse_game({key: wrong})


# --- steps ---


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("3 raise over 40", "expected 'raise', 'raise to N' or 'raise by N', got 'raise over 40'"),
        ("3 sit 200 ann b", "expected 'as NAME', 'transfer', 'in-stead' or nothing more, got 'ann b'"),
        ("3 name", "expected a name, got nothing"),
        (
            "3 chips " + "100000000000000 " * 2,
            f"expected chips of at most {MAX_AMOUNT} together, got {2 * MAX_AMOUNT}",
        ),
        ("٣ call", "expected a seat number or one of award, "),
        ("3 bet ٣", "expected an amount from 1 to"),
        ("3 bet 1_000", "expected an amount from 1 to"),
        ("x" * (MAX_LINE_CHARS + 1), f"expected at most {MAX_LINE_CHARS} characters, got {MAX_LINE_CHARS + 1}"),
    ],
)
def test_unparsable_step_line_is_refused(line: str, message: str) -> None:
    with pytest.raises(StepSyntaxError) as caught:
        parse_step(line)
    assert message in str(caught.value)
    assert len(str(caught.value)) <= MAX_MESSAGE_LENGTH


# --- the socket ---


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (
            b"",
            "command '': expected an object such as "
            '{"client": "a1", "id": 1, "do": "3 call"}: Input data was truncated',
        ),
        (b"7", "Expected `object`, got `int`"),
        (b"[]", "Expected `object`, got `array`"),
        (b"null", "Expected `object`, got `null`"),
        (b'{"client": "a", "do": "deal"}', "Object missing required field `id`"),
        (b'{"id": 1, "do": "deal"}', "Object missing required field `client`"),
        (b'{"client": "a", "id": 1}', "Object missing required field `do`"),
        (b'{"client": "a", "id": "1", "do": "deal"}', "Expected `int`, got `str` - at `$.id`"),
        (b'{"client": "a", "id": 1.5, "do": "deal"}', "Expected `int`, got `float` - at `$.id`"),
        (b'{"client": "a", "id": -1, "do": "deal"}', "Expected `int` >= 0 - at `$.id`"),
        (
            b'{"client": "a", "id": 99999999999999999999999, "do": "deal"}',
            "Expected `int` <= 9007199254740991 - at `$.id`",
        ),
        (b'{"client": "a", "id": 1, "do": 5}', "Expected `str`, got `int` - at `$.do`"),
        (b'{"client": "a", "id": 1, "do": "deal", "shown": "now"}', "Expected `int`, got `str` - at `$.shown`"),
        (b'{"client": "a", "id": 1, "do": "deal"', "Input data was truncated"),
        (b'{"client": "a", "id": 1, "do": "deal"} deal', "JSON is malformed"),
        (b"3 call", "Expected `object`, got `int`"),
        (b"\xff\xfe", "JSON is malformed"),
        (b'{"client": "a", "id": 1, "do": "\xff"}', "can't decode byte 0xff"),
        (b'{"client": "a", "id": 1, "do": "deal", "x": ' + b"[" * 200_000, "expected an object such as {"),
    ],
    ids=range(19),
)
def test_unparsable_command_line_is_refused(line: bytes, message: str) -> None:
    with pytest.raises(protocol.SocketError) as caught:
        protocol.decode_command(line)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) <= MAX_MESSAGE_LENGTH
