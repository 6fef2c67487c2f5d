"""Times as digits."""

from __future__ import annotations


def clock(seconds: int | None) -> str:
    """A time of day: "21:05"; "" where nobody knows it. `seconds` since midnight."""
    if seconds is None:
        return ""
    minutes = seconds // 60
    return f"{minutes // 60 % 24:02}:{minutes % 60:02}"


def lasted(seconds: int) -> str:
    """A length of time in hours, minutes, seconds: "1:02:09"."""
    return f"{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}"
