"""The command `potkeeper chips` creates a key and signs a chip list that a table accepts.

A mistake gives one error line and exit code 2.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from controller.cli import main
from controller.journal import Entry, Journal, SegmentHeader
from controller.steps import parse_step

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
    return CliRunner().invoke(main, ["chips", *(str(argument) for argument in arguments)])


@pytest.fixture
def house_folder(tmp_path: Path) -> Path:
    """Return a folder with the house's secret key, a signed chip list, and a layout that names this list."""
    key_result = run("key", tmp_path / "key")
    assert key_result.exit_code == 0
    (tmp_path / "layout.toml").write_text(LAYOUT.format(key=key_result.stdout.strip()))
    (tmp_path / "list.toml").write_text(LIST)
    assert run("sign", tmp_path / "list.toml", "--key", tmp_path / "key", "--out", tmp_path / "signed").exit_code == 0
    return tmp_path


def test_key_file_is_owner_only_and_never_overwritten(house_folder: Path) -> None:
    assert (house_folder / "key").stat().st_mode & 0o777 == 0o600
    second_result = run("key", house_folder / "key")
    assert (second_result.exit_code, second_result.stderr) == (
        2,
        f"potkeeper: {house_folder / 'key'}: File exists, expected a file that does not exist yet\n",
    )


def test_signed_list_is_imported_checked_and_listed(house_folder: Path) -> None:
    layout = house_folder / "layout.toml"
    import_result = run("import", house_folder / "signed", "--layout", layout)
    assert (
        import_result.stdout
        == f"{house_folder / 'house.chips'}: list 1 of Grand: 1 ranges, 1 single chips, 1 lammers, 1 revoked\n"
    )
    assert run("check", "--layout", layout).stdout == import_result.stdout
    assert run("list", "--layout", layout).stdout.split("\n")[:2] == [
        "          25       65,536 tags",
        "         100            1 tags",
    ]


def test_import_refuses_the_same_list_again_and_an_altered_list(house_folder: Path) -> None:
    layout = house_folder / "layout.toml"
    run("import", house_folder / "signed", "--layout", layout)
    second_import = run("import", house_folder / "signed", "--layout", layout)
    assert (
        second_import.exit_code == 2
        and "expected more than 1, the number of the installed list" in second_import.stderr
    )
    (house_folder / "signed").write_bytes((house_folder / "signed").read_bytes().replace(b"= 100", b"= 500"))
    altered = run("import", house_folder / "signed", "--layout", layout)
    assert altered.exit_code == 2 and "altered or signed with another key" in altered.stderr


def test_check_of_a_layout_without_a_register_is_refused(tmp_path: Path) -> None:
    (tmp_path / "layout.toml").write_text('name = "x"\n')
    result = run("check", "--layout", tmp_path / "layout.toml")
    assert result.exit_code == 2 and "no register, expected chips.register and chips.register_key" in result.stderr


def test_key_of_the_house_that_others_can_read_signs_nothing(house_folder: Path) -> None:
    (house_folder / "key").chmod(0o644)
    result = run("sign", house_folder / "list.toml", "--key", house_folder / "key", "--out", house_folder / "x")
    assert result.exit_code == 2 and "key: other users may read it, expected mode 600" in result.stderr
    assert not (house_folder / "x").exists()


def test_messages_never_show_a_private_key(house_folder: Path) -> None:
    secret = (house_folder / "key").read_text().strip()
    (house_folder / "key").write_text(secret[:-1])
    result = run("sign", house_folder / "list.toml", "--key", house_folder / "key", "--out", house_folder / "x")
    assert result.exit_code == 2 and "expected 64 hex digits" in result.stderr
    assert secret[:-1] not in result.output


# --- the chip inventory of a journal ---

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
INVENTORY = """\
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


def test_inventory_lists_weak_and_unheard_tags(house_folder: Path) -> None:
    run("import", house_folder / "signed", "--layout", house_folder / "layout.toml")
    journal = Journal.create(house_folder / "table.journal", SegmentHeader(TABLE, 1, "2026-01-01T00:00:00+00:00"))
    journal.append([Entry(3_000_000 * at, parse_step(do), "sensor") for at, do in enumerate(RECORDED, 1)])
    journal.close()
    result = run("inventory", house_folder / "table.journal", "--layout", house_folder / "layout.toml")
    assert (result.stdout, result.exit_code) == (INVENTORY, 0)


def test_inventory_of_a_file_that_is_not_a_journal_is_refused(house_folder: Path) -> None:
    result = run("inventory", house_folder / "key")
    assert result.exit_code == 2 and result.stderr.startswith("potkeeper: ") and result.stderr.count("\n") == 1
