"""`potkeeper chips`: from a key to a list that a table takes; each mistake is one line and exit code 2."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from controller.cli import main
from controller.journal import Entry, Journal, Opening
from controller.table import parse

LIST = """
house = "Grand"
number = 1
ranges = [{ denomination = 25, first = "E004015000250000", last = "E00401500025FFFF" }]
listed = { E004015001000001 = 100 }
lammers = { E00401004C000001 = "button" }
revoked = ["E004015000250017"]
"""
LAYOUT = """
[chips]
register = "house.chips"
register_key = "{key}"
"""


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["chips", *(str(each) for each in arguments)])


@pytest.fixture
def house(tmp_path: Path) -> Path:
    """A house with a key, a signed list and a layout that names it."""
    made = run("key", tmp_path / "key")
    assert made.exit_code == 0
    (tmp_path / "layout.toml").write_text(LAYOUT.format(key=made.stdout.strip()))
    (tmp_path / "list.toml").write_text(LIST)
    assert run("sign", tmp_path / "list.toml", "--key", tmp_path / "key", "--out", tmp_path / "signed").exit_code == 0
    return tmp_path


def test_a_key_is_its_owners_alone_and_is_never_overwritten(house: Path) -> None:
    assert (house / "key").stat().st_mode & 0o777 == 0o600
    again = run("key", house / "key")
    assert (again.exit_code, again.stderr) == (
        2,
        f"potkeeper: {house / 'key'}: File exists, expected a file that does not exist yet\n",
    )


def test_a_list_is_imported_checked_and_listed(house: Path) -> None:
    layout = house / "layout.toml"
    taken = run("import", house / "signed", "--layout", layout)
    assert taken.stdout == f"{house / 'house.chips'}: list 1 of Grand: 1 ranges, 1 single chips, 1 lammers, 1 revoked\n"
    assert run("check", "--layout", layout).stdout == taken.stdout
    assert run("list", "--layout", layout).stdout.split("\n")[:2] == [
        "          25       65,536 tags",
        "         100            1 tags",
    ]


def test_the_same_list_again_and_an_altered_one_are_refused(house: Path) -> None:
    layout = house / "layout.toml"
    run("import", house / "signed", "--layout", layout)
    again = run("import", house / "signed", "--layout", layout)
    assert again.exit_code == 2 and "expected more than 1, which is installed" in again.stderr
    (house / "signed").write_bytes((house / "signed").read_bytes().replace(b"= 100", b"= 500"))
    altered = run("import", house / "signed", "--layout", layout)
    assert altered.exit_code == 2 and "altered, or signed with another key" in altered.stderr


def test_a_layout_without_a_register_says_so(tmp_path: Path) -> None:
    (tmp_path / "layout.toml").write_text('name = "x"\n')
    done = run("check", "--layout", tmp_path / "layout.toml")
    assert done.exit_code == 2 and "no register, expected chips.register and chips.register_key" in done.stderr


def test_no_message_shows_a_private_key(house: Path) -> None:
    secret = (house / "key").read_text().strip()
    (house / "key").write_text(secret[:-1])
    done = run("sign", house / "list.toml", "--key", house / "key", "--out", house / "x")
    assert done.exit_code == 2 and "expected 64 hex digits" in done.stderr
    assert secret[:-1] not in done.output


# --- what a journal says of chips ---

TABLE = "button = 1\nstacks = { 1 = 500, 2 = 500, 3 = 500 }\n[game]\nblinds = [5, 10]\n"
RECORDED = (
    "spot tray lies came 25:E0040150002500F0",
    "spot pot lies",
    "hand",
    "spot bet2 lies came 5:E004015000050001",
    "spot bet3 lies came 5:E004015000050002 5:E004015000050003",
    "1 fold",
    "2 fold",
    "spot bet2 lies went E004015000050001",
    "spot bet3 lies went E004015000050002 E004015000050003",
    "award main 3",
    "hand",
    "spot bet1 doubt strangers E004015000250017 E0FF000000000001",
    "spot bet3 lies came 5:E004015000050004",
    "2 call",
    "2 chips 10",
    "3 call",
    "spot pot lies came 5:E004015000050003 25:E004015000250099",
    "spot bet2 copied came 5:E004015000050007",
    "tag-weak E004015000050004 5",
)
SAID = """\
       worth     seen   weak  unheard
           5        5      2        0
          25        2      0        1
bought in 1,500, chips that were seen 75
copied    E004015000050007                5  bet2, hand 2
revoked   E004015000250017                -  bet1, hand 2
unheard   E004015000250099               25  pot, hand 2, missed at seat 3
weak      E004015000050003                5  pot, hand 2, missed at seat 3
weak      E004015000050004                5  bet3, hand 2
stranger  E0FF000000000001                -  bet1, hand 2
"""


def test_an_inventory_names_the_tags_that_need_a_look(house: Path) -> None:
    run("import", house / "signed", "--layout", house / "layout.toml")
    journal = Journal.create(house / "table.journal", Opening(TABLE, 1, "2026-01-01T00:00:00+00:00"))
    journal.append([Entry(3_000_000 * at, parse(do), "sensor") for at, do in enumerate(RECORDED, 1)])
    journal.close()
    done = run("inventory", house / "table.journal", "--layout", house / "layout.toml")
    assert (done.stdout, done.exit_code) == (SAID, 0)


def test_what_is_no_journal_has_no_inventory(house: Path) -> None:
    done = run("inventory", house / "key")
    assert done.exit_code == 2 and done.stderr.startswith("potkeeper: ") and done.stderr.count("\n") == 1
