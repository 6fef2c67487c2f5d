"""A file is replaced completely or not at all, with the mode that it shall have."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from hardware.file_replacement import PRIVATE_FILE_MODE, replace_file


def test_file_keeps_its_content_until_the_end_of_the_block(tmp_path: Path) -> None:
    path = tmp_path / "badges.toml"
    path.write_bytes(b"old")
    with replace_file(path) as file:
        file.write(b"new")
        assert path.read_bytes() == b"old"
    assert path.read_bytes() == b"new"
    assert list(tmp_path.iterdir()) == [path]


def test_error_leaves_the_old_file_and_no_other(tmp_path: Path) -> None:
    path = tmp_path / "badges.toml"
    path.write_bytes(b"old")
    with pytest.raises(OSError, match="disk full"), replace_file(path) as file:
        file.write(b"new")
        raise OSError("disk full")
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("mode", [PRIVATE_FILE_MODE, 0o640, 0o666])
def test_new_file_has_the_mode_whatever_a_leftover_has(tmp_path: Path, mode: int) -> None:
    path, leftover = tmp_path / "badges.toml", tmp_path / "badges.toml.new"
    leftover.write_bytes(b"half")
    leftover.chmod(0o644)
    with replace_file(path, mode) as file:
        assert stat.S_IMODE(leftover.stat().st_mode) == mode
        file.write(b"new")
    assert (path.read_bytes(), stat.S_IMODE(path.stat().st_mode)) == (b"new", mode)
