"""The commands of the room say in one line what is wrong with their input."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from controller.cli import main
from controller.room import TablesFile, add_table
from hardware.text_input_validation import BadInputError
from tests.controller.journal_tampering import KEY, OTHER_KEY

NO_DATABASE = "host=/nonexistent dbname=x"


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


@pytest.fixture
def tables(tmp_path: Path) -> Path:
    """Return a file of tables with one table."""
    path = tmp_path / "tables.toml"
    add_table(path, "Table 4", KEY.public_key)
    return path


def test_added_table_is_found_by_the_printed_token_only(tables: Path) -> None:
    key = tables.with_name("table.key.pub")
    key.write_text(OTHER_KEY.public_key)
    result = run("room", "add", 'Table "5"', "--tables", tables, "--key", key)
    assert result.exit_code == 0, result.output
    token = result.output.strip()
    assert len(token) == 64
    assert token not in tables.read_text()
    table = TablesFile(tables).find_by_token(token)
    assert table is not None
    assert (table.name, table.keys) == ('Table "5"', (OTHER_KEY.public_key,))
    assert TablesFile(tables).find_by_token("") is None
    assert TablesFile(tables).find_by_name("Table 4").keys == (KEY.public_key,)


@pytest.mark.parametrize(
    ("name", "key"), [("Table 4", OTHER_KEY), ("Table 5", KEY), ("", OTHER_KEY), ("a\nb", OTHER_KEY)]
)
def test_unusable_table_leaves_the_file_as_it_was(tables: Path, name: str, key: object) -> None:
    before = tables.read_bytes()
    public_key = tables.with_name("table.key.pub")
    public_key.write_text(KEY.public_key if key is KEY else OTHER_KEY.public_key)
    result = run("room", "add", name, "--tables", tables, "--key", public_key)
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
    assert str(tables) in result.stderr
    assert tables.read_bytes() == before


BAD_FILES = {
    "not TOML": (b"[[table", "expected [[table]]"),
    "not UTF-8": (b"\xff", "expected [[table]]"),
    "unknown key": (b'[[table]]\nname = "a"\nkeys = []\ntoken_sha256 = "x"\nrole = 1\n', "role"),
    "missing key": (b'[[table]]\nname = "a"\nkeys = []\n', "token_sha256"),
    "no public key": (b'[[table]]\nname = "a"\nkeys = []\ntoken_sha256 = "x"\n', "expected at least one public key"),
    "bad hash": (b'[[table]]\nname = "a"\nkeys = ["%064d"]\ntoken_sha256 = "x"\n' % 0, "expected 64 hex digits"),
    "bad public key": (b'[[table]]\nname = "a"\nkeys = ["x"]\ntoken_sha256 = "x"\n', "expected 64 hex digits"),
}


@pytest.mark.parametrize("name", BAD_FILES)
def test_bad_file_of_tables_is_named_and_the_last_good_one_is_kept(tables: Path, name: str) -> None:
    data, expected = BAD_FILES[name]
    running = TablesFile(tables)
    tables.write_bytes(data)
    with pytest.raises(BadInputError) as caught:
        running.reload()
    assert str(tables) in str(caught.value)
    assert expected in str(caught.value)
    assert running.find_by_name("Table 4").name == "Table 4"


Arguments = Callable[[Path, Path], tuple[str | Path, ...]]
BAD_INPUT: dict[str, tuple[Arguments, int, str]] = {
    "missing file of tables": (
        lambda folder, _: ("room", "serve", "--tables", folder / "x.toml"),
        2,
        "expected the tables of the room",
    ),
    "network without a certificate": (
        lambda _, tables: ("room", "serve", "--tables", tables, "--host", "0.0.0.0"),
        2,
        "expected --certificate and --key",
    ),
    "certificate without its key": (
        lambda folder, tables: ("room", "serve", "--tables", tables, "--certificate", folder / "x"),
        2,
        "expected both or neither",
    ),
    "missing certificate": (
        lambda folder, tables: (
            *("room", "serve", "--tables", tables),
            *("--certificate", folder / "x", "--key", folder / "y"),
        ),
        2,
        "expected a certificate as PEM",
    ),
    "live folder that is a file": (
        lambda _, tables: ("room", "serve", "--tables", tables, "--live", tables),
        2,
        "expected a folder for sockets",
    ),
    "live folder below a file": (
        lambda _, tables: ("room", "serve", "--tables", tables, "--live", tables / "live"),
        2,
        "expected a folder for sockets",
    ),
    "live folder with a path too long for a socket": (
        lambda folder, tables: ("room", "serve", "--tables", tables, "--live", folder / ("x" * 110)),
        2,
        "expected a folder for sockets",
    ),
    "room without its database": (
        lambda _, tables: ("room", "serve", "--tables", tables, "--database", NO_DATABASE),
        1,
        "database: ",
    ),
    "copy of an unknown table": (
        lambda folder, tables: ("room", "copy", "Table 9", folder / "copy", "--tables", tables),
        2,
        "no such table, expected Table 4",
    ),
    "copy into an existing folder": (
        lambda folder, tables: ("room", "copy", "Table 4", folder, "--tables", tables),
        2,
        "expected a new folder",
    ),
    "copy without the database": (
        lambda folder, tables: (
            *("room", "copy", "Table 4", folder / "copy"),
            *("--tables", tables, "--database", NO_DATABASE),
        ),
        1,
        "database: ",
    ),
    "check without the database": (
        lambda _, tables: ("room", "verify", "--tables", tables, "--database", NO_DATABASE),
        1,
        "database: ",
    ),
    "check of an unknown table": (
        lambda _, tables: ("room", "verify", "--tables", tables, "--table", "Table 9"),
        2,
        "no such table, expected Table 4",
    ),
    "check with a missing log of heads": (
        lambda folder, tables: ("room", "verify", "--tables", tables, "--heads", folder / "x"),
        2,
        "expected a log of heads",
    ),
    "derive without the database": (
        lambda _, __: ("room", "derive", "--once", "--database", NO_DATABASE),
        1,
        "database: ",
    ),
    "export without its key": (
        lambda folder, _: ("room", "export", "2026-11-30", "--key", folder / "x"),
        2,
        "expected the private key",
    ),
    "check of an export without its key": (
        lambda folder, _: ("room", "verify-export", folder / "day", "--key", folder / "x.pub"),
        2,
        "expected the public key",
    ),
    "alerts without the database": (lambda _, __: ("room", "alerts", "--database", NO_DATABASE), 1, "database: "),
    "uplink without TLS": (
        lambda folder, _: uplink(folder, "ws://room:8444"),
        2,
        "expected an address such as wss://room:8444",
    ),
    "uplink to a page": (lambda folder, _: uplink(folder, "https://room"), 2, "expected an address such as"),
    "uplink without its token": (
        lambda folder, _: uplink(folder, "ws://127.0.0.1:1"),
        2,
        "expected the token of the table",
    ),
    "uplink with a missing certificate": (
        lambda folder, _: (*uplink(folder, "wss://room:8444"), "--ca", folder / "x"),
        2,
        "expected a certificate as PEM",
    ),
}


def uplink(folder: Path, address: str) -> tuple[str | Path, ...]:
    return ("uplink", "--journal", folder / "t.journal", "--room", address, "--token", folder / "token")


@pytest.mark.parametrize("name", BAD_INPUT)
def test_bad_input_ends_with_one_line(tables: Path, name: str) -> None:
    arguments, code, expected = BAD_INPUT[name]
    result = run(*arguments(tables.parent, tables))
    assert (result.exit_code, result.stderr.count("\n")) == (code, 1), result.stderr
    assert expected in result.stderr


@pytest.mark.parametrize("arguments", [("room", "alerts"), ("bench", "room"), uplink(Path(), "ws://127.0.0.1:1")])
def test_missing_extra_is_named_in_one_line(monkeypatch: pytest.MonkeyPatch, arguments: tuple[str | Path, ...]) -> None:
    monkeypatch.setattr("controller.commands.room.ROOM_PACKAGES", ("psycopg", "no_such_package"))
    result = run(*arguments)
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
    assert "no_such_package not installed, expected the extra: pip install potkeeper[room]" in result.stderr


def test_missing_package_for_measurements_is_named_in_one_line(monkeypatch: pytest.MonkeyPatch, tables: Path) -> None:
    monkeypatch.setattr("controller.commands.room.METRICS_PACKAGE", "no_such_package")
    result = run("room", "serve", "--tables", tables, "--metrics", "9100")
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
    assert "no_such_package not installed, expected pip install potkeeper[room,web]" in result.stderr
