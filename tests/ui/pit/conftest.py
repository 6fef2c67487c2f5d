"""Fixtures for the tests of the pit page."""

from __future__ import annotations

from tests.ui.web.conftest import _fast_hash

__all__ = ["_fast_hash"]
