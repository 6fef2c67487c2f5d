"""The result of one test of `potkeeper check`."""

from __future__ import annotations

from typing import NamedTuple


class CheckResult(NamedTuple):
    """True if the test passed, and a line that describes the result. A failed test says how to mend it."""

    is_ok: bool
    text: str
