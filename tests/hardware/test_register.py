"""The house's register of chips: what is signed is what is read, and only what is newer replaces what is there."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardware.register import KEPT, RegisterError, installed, new_key, newer, public_key, read_list, signed, verified

PRIVATE = "01" * 32
PUBLIC = public_key(PRIVATE)


def listed(number: int = 1, house: str = "Grand", more: str = "") -> bytes:
    return f"""house = "{house}"
number = {number}
ranges = [{{ denomination = 25, first = "E004015000250000", last = "E00401500025FFFF" }}]
{more}""".encode()


def put(folder: Path, name: str, data: bytes) -> Path:
    path = folder / name
    path.write_bytes(data)
    return path


def test_what_was_signed_is_read() -> None:
    assert verified(signed(listed(), PRIVATE), PUBLIC, "x") == listed()
    assert public_key(new_key()) != PUBLIC


@given(st.integers(0), st.integers(1, 255))
def test_no_changed_byte_is_read(place: int, change: int) -> None:
    data = bytearray(signed(listed(), PRIVATE))
    data[place % len(data)] ^= change
    with pytest.raises(RegisterError):
        verified(bytes(data), PUBLIC, "x")


def test_a_check_that_checks_nothing_would_be_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted: whatever is signed by anybody is taken."""
    from cryptography.hazmat.primitives.asymmetric import ed25519

    class Anybody:
        @staticmethod
        def from_public_bytes(_: bytes) -> Anybody:
            return Anybody()

        def verify(self, *_: bytes) -> None: ...

    monkeypatch.setattr(ed25519, "Ed25519PublicKey", Anybody)
    with pytest.raises(pytest.fail.Exception):
        test_another_key_is_refused()


def test_another_key_is_refused() -> None:
    with pytest.raises(RegisterError, match=r"x: altered, or signed with another key than"):
        verified(signed(listed(), "02" * 32), PUBLIC, "x")


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (listed(), "not signed, expected a last line `signature = …`"),
        (signed(listed(), PRIVATE) + b"\n", "not signed"),
        (signed(b"number = 1", PRIVATE), "Object missing required field `house`, expected a list of chips"),
        (signed(b"house = [", PRIVATE), "expected TOML"),
        (signed(b'house = "x"\nnumber = 0\n', PRIVATE), "number = 0, expected 1 or more"),
        (signed(listed(more="wrong = 1"), PRIVATE), "unknown field `wrong`"),
    ],
)
def test_a_list_that_cannot_be_used_is_one_line(tmp_path: Path, data: bytes, says: str) -> None:
    with pytest.raises(RegisterError) as raised:
        installed(put(tmp_path, "list", data), PUBLIC)
    assert says in str(raised.value) and "\n" not in str(raised.value)


def test_only_a_newer_list_of_the_same_house_replaces_one(tmp_path: Path) -> None:
    into = tmp_path / "house.chips"
    first = signed(listed(3), PRIVATE)
    assert newer(put(tmp_path, "a", first), into, PUBLIC).number == 3
    for data, says in (
        (signed(listed(3), PRIVATE), "number = 3, expected more than 3, which is installed"),
        (signed(listed(2), PRIVATE), "number = 2, expected more than 3"),
        (signed(listed(4, house="Other"), PRIVATE), "house = 'Other', expected 'Grand'"),
        (signed(listed(4), "02" * 32), "another key"),
    ):
        with pytest.raises(RegisterError, match=says):
            newer(put(tmp_path, "b", data), into, PUBLIC)
        assert into.read_bytes() == first
    assert newer(put(tmp_path, "c", signed(listed(4), PRIVATE)), into, PUBLIC).number == 4
    assert (tmp_path / ("house.chips" + KEPT)).read_bytes() == first


def test_a_file_that_is_not_there_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(RegisterError, match="No such file or directory, expected a signed list of chips"):
        installed(tmp_path / "none", PUBLIC)


@pytest.mark.parametrize("key", ["", "zz" * 32, "01" * 31])
def test_a_key_that_is_none_is_named_without_being_shown(key: str) -> None:
    with pytest.raises(RegisterError, match=f"private key: {len(key)} characters, expected 64 hex digits") as raised:
        signed(listed(), key)
    assert not key or key not in str(raised.value)


def test_what_is_signed_already_is_not_signed_again() -> None:
    with pytest.raises(RegisterError, match="expected a list without"):
        signed(signed(listed(), PRIVATE), PRIVATE)


def test_all_of_a_list_is_read() -> None:
    more = """
listed  = { E004015001000001 = 100 }
lammers = { E00401004C000001 = "button" }
revoked = ["E004015000250017"]
"""
    found = read_list(listed(more=more), "x")
    assert (found.listed, found.revoked) == ({"E004015001000001": 100}, ("E004015000250017",))
    assert found.lammers == {"E00401004C000001": "button"}
