"""Signed register of chips. Only signed lists are accepted, and only a newer list replaces an installed list."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardware.chip_register import (
    BACKUP_SUFFIX,
    RegisterError,
    derive_public_key,
    generate_private_key,
    install_chip_list,
    load_chip_list,
    load_installed_list,
    parse_chip_list,
    sign_text,
    verify_text,
)
from hardware.layout import LayoutError, load_layout

PRIVATE = "01" * 32
PUBLIC = derive_public_key(PRIVATE)


def chip_list_text(number: int = 1, house: str = "Grand", extra: str = "") -> bytes:
    return f"""house = "{house}"
number = {number}
ranges = [{{ denomination = 25, first = "E004015000250000", last = "E00401500025FFFF" }}]
{extra}""".encode()


def write_file(folder: Path, name: str, data: bytes) -> Path:
    path = folder / name
    path.write_bytes(data)
    return path


def test_signed_list_is_parsed() -> None:
    assert verify_text(sign_text(chip_list_text(), PRIVATE), PUBLIC, "x") == chip_list_text()
    assert derive_public_key(generate_private_key()) != PUBLIC


@given(st.integers(0), st.integers(1, 255))
def test_list_with_any_changed_byte_is_rejected(position: int, change: int) -> None:
    data = bytearray(sign_text(chip_list_text(), PRIVATE))
    data[position % len(data)] ^= change
    with pytest.raises(RegisterError):
        verify_text(bytes(data), PUBLIC, "x")


def test_planted_fault_unchecked_signature_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted fault: every signature is accepted."""
    from cryptography.hazmat.primitives.asymmetric import ed25519

    class AnyKey:
        @staticmethod
        def from_public_bytes(_: bytes) -> AnyKey:
            return AnyKey()

        def verify(self, *_: bytes) -> None: ...

    monkeypatch.setattr(ed25519, "Ed25519PublicKey", AnyKey)
    with pytest.raises(pytest.fail.Exception):
        test_list_signed_with_another_key_is_rejected()


def test_list_signed_with_another_key_is_rejected() -> None:
    with pytest.raises(RegisterError, match=r"x: altered or signed with another key, expected the signature of key"):
        verify_text(sign_text(chip_list_text(), "02" * 32), PUBLIC, "x")


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (chip_list_text(), "not signed, expected a last line `signature = …`"),
        (sign_text(chip_list_text(), PRIVATE) + b"\n", "not signed"),
        (sign_text(b"number = 1", PRIVATE), "Object missing required field `house`, expected a list of chips"),
        (sign_text(b"house = [", PRIVATE), "expected TOML"),
        (sign_text(b'house = "x"\nnumber = 0\n', PRIVATE), "number = 0, expected 1 or more"),
        (sign_text(chip_list_text(extra="wrong = 1"), PRIVATE), "unknown field `wrong`"),
    ],
)
def test_unusable_list_gives_one_line(tmp_path: Path, data: bytes, expected: str) -> None:
    with pytest.raises(RegisterError) as raised:
        load_chip_list(write_file(tmp_path, "list", data), PUBLIC)
    assert expected in str(raised.value) and "\n" not in str(raised.value)


def test_only_a_newer_list_of_the_same_house_is_installed(tmp_path: Path) -> None:
    into = tmp_path / "house.chips"
    first = sign_text(chip_list_text(3), PRIVATE)
    assert install_chip_list(write_file(tmp_path, "a", first), into, PUBLIC).number == 3
    for data, expected in (
        (sign_text(chip_list_text(3), PRIVATE), "number = 3, expected more than 3, the number of the installed list"),
        (sign_text(chip_list_text(2), PRIVATE), "number = 2, expected more than 3"),
        (sign_text(chip_list_text(4, house="Other"), PRIVATE), "house = 'Other', expected 'Grand'"),
        (sign_text(chip_list_text(4), "02" * 32), "another key"),
    ):
        with pytest.raises(RegisterError, match=expected):
            install_chip_list(write_file(tmp_path, "b", data), into, PUBLIC)
        assert into.read_bytes() == first
    assert install_chip_list(write_file(tmp_path, "c", sign_text(chip_list_text(4), PRIVATE)), into, PUBLIC).number == 4
    assert (tmp_path / ("house.chips" + BACKUP_SUFFIX)).read_bytes() == first


def test_older_list_that_is_copied_into_place_is_refused(tmp_path: Path) -> None:
    into = tmp_path / "house.chips"
    lists = [write_file(tmp_path, str(number), sign_text(chip_list_text(number), PRIVATE)) for number in (3, 4, 5)]
    for chip_list in lists:
        assert install_chip_list(chip_list, into, PUBLIC) == load_installed_list(into, PUBLIC)
    for older in lists[:2]:
        into.write_bytes(older.read_bytes())
        with pytest.raises(RegisterError, match=r"at least 5, because of house\.chips\.before") as raised:
            load_installed_list(into, PUBLIC)
        assert "\n" not in str(raised.value)
    assert install_chip_list(lists[2], into, PUBLIC) == load_installed_list(into, PUBLIC)
    backup = tmp_path / ("house.chips" + BACKUP_SUFFIX)
    for other in (b"", sign_text(chip_list_text(9), "02" * 32), sign_text(chip_list_text(9, house="Other"), PRIVATE)):
        backup.write_bytes(other)
        assert load_installed_list(into, PUBLIC).number == 5


def test_list_older_than_the_list_of_the_last_start_is_refused(tmp_path: Path) -> None:
    older, newer = (write_file(tmp_path, str(number), sign_text(chip_list_text(number), PRIVATE)) for number in (3, 4))
    for last_used in (older, tmp_path / "none"):
        assert load_installed_list(newer, PUBLIC, last_used).number == 4
    assert load_installed_list(newer, PUBLIC, newer).number == 4
    with pytest.raises(RegisterError, match=r"number = 3, expected at least 4, because of 4\. An older list"):
        load_installed_list(older, PUBLIC, newer)


def test_layout_with_an_older_list_in_place_is_refused(tmp_path: Path) -> None:
    into = tmp_path / "house.chips"
    (tmp_path / "layout.toml").write_text(
        f'name = "house"\n[chips]\nregister = "house.chips"\nregister_key = "{PUBLIC}"\n'
    )
    older, newer = (write_file(tmp_path, str(number), sign_text(chip_list_text(number), PRIVATE)) for number in (3, 4))
    for chip_list in (older, newer):
        install_chip_list(chip_list, into, PUBLIC)
    load_layout(tmp_path / "layout.toml")
    into.write_bytes(older.read_bytes())
    with pytest.raises(LayoutError, match="An older list was copied into its place"):
        load_layout(tmp_path / "layout.toml")


def test_missing_list_file_gives_one_line(tmp_path: Path) -> None:
    with pytest.raises(RegisterError, match="No such file or directory, expected a signed list of chips"):
        load_chip_list(tmp_path / "none", PUBLIC)


@pytest.mark.parametrize("key", ["", "zz" * 32, "01" * 31])
def test_invalid_private_key_is_not_quoted_in_error(key: str) -> None:
    with pytest.raises(RegisterError, match=f"private key: {len(key)} characters, expected 64 hex digits") as raised:
        sign_text(chip_list_text(), key)
    assert not key or key not in str(raised.value)


def test_signed_list_is_not_signed_again() -> None:
    with pytest.raises(RegisterError, match="expected a list without a signature line"):
        sign_text(sign_text(chip_list_text(), PRIVATE), PRIVATE)


def test_all_fields_of_a_list_are_parsed() -> None:
    extra = """
listed  = { E004015001000001 = 100 }
lammers = { E00401004C000001 = "button" }
revoked = ["E004015000250017"]
"""
    parsed = parse_chip_list(chip_list_text(extra=extra), "x")
    assert (parsed.listed, parsed.revoked) == ({"E004015001000001": 100}, ("E004015000250017",))
    assert parsed.lammers == {"E00401004C000001": "button"}
