"""Times of day and durations in digits."""

from __future__ import annotations


def format_time_of_day(seconds: int | None) -> str:
    """Return a time of day such as "21:05", or "" if it is unknown.

    `seconds` counts from midnight.
    """
    if seconds is None:
        return ""
    minutes = seconds // 60
    return f"{minutes // 60 % 24:02}:{minutes % 60:02}"


def format_duration(seconds: int) -> str:
    """Return a duration in hours, minutes and seconds, such as "1:02:09"."""
    return f"{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}"
