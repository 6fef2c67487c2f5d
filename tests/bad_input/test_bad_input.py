"""Every kind of mistake is one line: file, key, value, what was expected. `expected.txt` has the lines."""

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

from controller.cli import BAD_INPUT, main
from controller.config import MOST_CONFIG_BYTES, BadInputError, load_config, make_game
from controller.histories import load_hand
from controller.rules import BY_DEFAULT, MOST_AMOUNT, Game
from controller.scripts import MOST_BYTES, MOST_STEPS, load, play_rules
from controller.table import MOST_LINE, StepError, parse
from controller.view import SocketError, decode_command
from hardware import layout

HERE = Path(__file__).parent
EXPECTED = dict(
    line.split(": ", 1) for line in (HERE / "expected.txt").read_text().splitlines() if not line.startswith("#")
)
DEADLINE_S = 120
"""For the command line over the whole corpus: it takes a few seconds."""
MOST_SAID = 400
"""Characters of a message: a line that a person reads to its end."""


def _play(path: Path) -> None:
    for _ in play_rules(load(path)):
        pass


LOADERS: dict[str, Callable[[Path], object]] = {
    "scripts": _play,
    "phh": load_hand,
    "layouts": layout.load,
    "tables": load_config,
}


def _said(path: Path) -> str:
    with pytest.raises((BadInputError, layout.LayoutError)) as caught:
        LOADERS[path.parts[0]](path)
    return str(caught.value).removeprefix(f"{path}: ")


def test_every_file_has_its_line() -> None:
    files = {f"{kind}/{path.name}" for kind in LOADERS for path in (HERE / kind).iterdir()}
    assert files == set(EXPECTED)
    assert len(files) >= 60


@pytest.mark.parametrize("name", EXPECTED)
def test_a_mistake_is_one_line(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(HERE)
    said = _said(Path(name))
    assert said == EXPECTED[name]
    assert "\n" not in said
    assert len(said) <= MOST_SAID
    assert "expected" in said or name.startswith(("phh/", "layouts/"))


# --- the command line ---


@pytest.mark.parametrize("options", [[], ["--rules-only"]])
def test_bad_scripts_are_named_and_the_rest_is_played(options: list[str], tmp_path: Path) -> None:
    good = tmp_path / "good.toml"
    good.write_text('button = 3\nstacks = { 1 = 50, 2 = 50 }\n[[step]]\ndo = "1 bet 5"\n')
    odd = os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9.toml")
    paths = ["no-such-file.toml", odd, "scripts", str(good)]
    ran = subprocess.run(
        [sys.executable, "-m", "controller.cli", "script", *options, *paths],
        cwd=HERE,
        env={**os.environ, "PYTHONPATH": str(HERE.parents[1])},
        capture_output=True,
        timeout=DEADLINE_S,
        check=False,
    )
    assert ran.stderr == b""
    assert ran.returncode == 2
    lines = [json.loads(line) for line in ran.stdout.splitlines()]
    errors = {line["file"]: line["error"] for line in lines if "error" in line}
    assert [line for line in lines if "error" in line] == [{"file": f, "error": e} for f, e in errors.items()]
    bad = {name: said for name, said in EXPECTED.items() if name.startswith("scripts/")}
    assert {name: errors.get(name) for name in bad} == bad
    assert errors["no-such-file.toml"] == "cannot be read, No such file or directory: expected a file"
    assert len(errors) == len(bad) + 2
    assert [line["step"] for line in lines if line["file"] == str(good)] == [0, 1]


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("none.toml", "cannot be read, No such file or directory: expected a file"),
        (".", "cannot be read, Is a directory: expected a file"),
        ("nul\0.toml", "cannot be read, embedded null byte: expected a file"),
        ("/dev/zero", f"file of more than {MOST_BYTES} bytes: expected at most that"),
    ],
)
def test_what_is_no_file(name: str, line: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(BadInputError) as caught:
        load(Path(name))
    assert str(caught.value) == line


def test_a_file_that_is_too_large(tmp_path: Path) -> None:
    path = tmp_path / "large.toml"
    path.write_bytes(b"#" * (MOST_BYTES + 1))
    with pytest.raises(BadInputError, match=f"file of more than {MOST_BYTES} bytes: expected at most that"):
        load(path)


def test_too_many_steps(tmp_path: Path) -> None:
    path = tmp_path / "long.toml"
    path.write_text("button = 3\nstacks = { 1 = 50, 2 = 50 }\n" + '[[step]]\ndo = "hand"\n' * (MOST_STEPS + 1))
    with pytest.raises(BadInputError, match=f"step: {MOST_STEPS + 1} steps, expected at most {MOST_STEPS}"):
        load(path)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("demo --speed nan", "--speed nan: expected 0.01 to 1000"),
        ("demo --speed inf", "--speed inf: expected 0.01 to 1000"),
        ("demo --speed 1e-300", "--speed 1e-300: expected 0.01 to 1000"),
        ("demo --hands -1", "--hands -1: expected a number from 0"),
        ("demo --histories none", "--histories none: no such folder, expected one with .phh files"),
        ("demo --pictures /dev/null/x", "--pictures /dev/null/x: Not a directory, expected a folder to write into"),
        ("check --config /dev/zero", "/dev/zero: cannot be read, not a regular file: expected a file"),
        ("serve --config /dev/zero", "/dev/zero: cannot be read, not a regular file: expected a file"),
        ("check --config pipe", "pipe: cannot be read, not a regular file: expected a file"),
        (
            "check --config large",
            f"large: cannot be read, file of more than {MOST_CONFIG_BYTES} bytes: expected a file",
        ),
        ("check --roles /dev/zero", "/dev/zero: cannot be read, not a regular file: expected a file"),
        ("serve --roles empty", "empty: may: missing, always expected"),
        ("check --badges empty", "empty: no badges, expected at least one, or no list for an open table"),
        ("check --layout /dev/zero", "/dev/zero: not a regular file: a readable layout file expected"),
        ("check --layout pipe", "pipe: not a regular file: a readable layout file expected"),
        ("check --layout large", "large: file of more than 4000000 bytes: a readable layout file expected"),
        ("check --layout .", ".: Is a directory: a readable layout file expected"),
        ("replay /dev/zero", "/dev/zero: cannot be read: not a regular file, expected the file of one hand"),
        ("replay pipe", "pipe: cannot be read: not a regular file, expected the file of one hand"),
        ("replay large", "large: cannot be read: file of more than 1000000 bytes, expected the file of one hand"),
        ("journal verify empty", "journal empty: the file is empty, expected a journal"),
        ("journal export empty", "journal empty: the file is empty, expected a journal"),
        ("journal verify /dev/null", "journal /dev/null: the file is empty, expected a journal"),
        ("check --config two\nlines", "two\\nlines: cannot be read, No such file or directory: expected a file"),
    ],
)
def test_bad_input_of_a_command_is_one_line(
    line: str, said: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    os.mkfifo("pipe")
    Path("empty").touch()
    with Path("large").open("wb") as file:
        file.truncate(5_000_000)
    ran = CliRunner().invoke(main, line.split(" "))
    assert (ran.stderr, ran.stdout, ran.exit_code) == (f"potkeeper: {said}\n", "", BAD_INPUT)


# --- every key of [game] ---

HINTS = get_type_hints(Game)
WRONG: tuple[object, ...] = ("canasta", -7, 10**18, float("nan"), 0.5, [None], {"x": 1}, [["a"]])


def _words(hint: object) -> tuple[str, ...]:
    if get_origin(hint) is Literal:
        return get_args(hint)
    return tuple(word for part in get_args(hint) for word in _words(part))


@pytest.mark.parametrize("wrong", WRONG, ids=repr)
@pytest.mark.parametrize("key", [field.name for field in fields(Game)])
def test_every_key_of_a_game_with_a_wrong_value(key: str, wrong: object) -> None:
    with pytest.raises(BadInputError) as caught:
        make_game({key: wrong})
    said = str(caught.value)
    assert said.startswith(f"game.{key}")
    assert "expected" in said
    assert "\n" not in said


@pytest.mark.parametrize("key", [name for name, hint in HINTS.items() if _words(hint)])
def test_a_choice_names_what_may_be_chosen(key: str) -> None:
    with pytest.raises(BadInputError) as caught:
        make_game({key: "canasta"})
    for word in _words(HINTS[key]):
        assert word in str(caught.value)


@pytest.mark.parametrize("key", [name for name, hint in HINTS.items() if hint is int])
@pytest.mark.parametrize("wrong", [BY_DEFAULT, -2, MOST_AMOUNT + 1, True, "5", 2.0])
def test_every_number_of_a_game_out_of_bounds(key: str, wrong: object) -> None:
    with pytest.raises(BadInputError, match=rf"^game\.{key} = .*expected "):
        make_game({key: wrong})


# --- steps ---


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("3 raise over 40", "expected 'raise', 'raise to N' or 'raise by N', got 'raise over 40'"),
        ("3 sit 200 as ann b", "expected 'as NAME', 'transfer', 'in-stead' or nothing more, got 'as ann b'"),
        (
            "3 chips " + "100000000000000 " * 2,
            f"expected chips of at most {MOST_AMOUNT} together, got {2 * MOST_AMOUNT}",
        ),
        ("٣ call", "expected a seat number or one of award, "),
        ("3 bet ٣", "expected an amount from 1 to"),
        ("3 bet 1_000", "expected an amount from 1 to"),
        ("x" * (MOST_LINE + 1), f"expected at most {MOST_LINE} characters, got {MOST_LINE + 1}"),
    ],
)
def test_a_line_that_is_no_step(line: str, said: str) -> None:
    with pytest.raises(StepError) as caught:
        parse(line)
    assert said in str(caught.value)
    assert len(str(caught.value)) <= MOST_SAID


# --- the socket ---


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (b"", 'command \'\': expected {"client": "a1", "id": 1, "do": "3 call"}, Input data was truncated'),
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
        (b'{"client": "a", "id": 1, "do": "deal", "x": ' + b"[" * 200_000, "expected {"),
    ],
    ids=range(19),
)
def test_a_line_that_is_no_command(line: bytes, said: str) -> None:
    with pytest.raises(SocketError) as caught:
        decode_command(line)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) <= MOST_SAID
