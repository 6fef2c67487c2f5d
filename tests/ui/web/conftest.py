"""Fixtures for the tests of the table in a browser."""

from __future__ import annotations

import pytest
from argon2 import PasswordHasher


@pytest.fixture(autouse=True)
def _fast_hash(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hash passwords with the least possible work, because a real hash is slow on purpose."""
    monkeypatch.setattr("ui.web.people._hasher", PasswordHasher(time_cost=1, memory_cost=8, parallelism=1))
