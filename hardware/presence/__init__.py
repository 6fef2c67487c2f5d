"""Presence sensors: inputs of the panel boards that change when something is put on a spot or taken away.

A sensor only says that a spot should be read now. A table works without sensors, and with sensors that fail: every
spot is also read without a change, and a sensor that contradicts the antenna is not used until it agrees again.

Example: a sensor that stays silent while the chips on its spot change four times is no longer used.

    >>> from hardware.presence import PresenceSensor
    >>> sensor = PresenceSensor()
    >>> for at_us in (1_000_000, 5_000_000, 9_000_000, 13_000_000):
    ...     sensor.record_new_contents(first_seen_us=at_us)
    >>> sensor.fault
    'silent'
"""

from hardware.presence.sensor_trust import (
    MAX_CHANGES,
    MAX_LEAD_US,
    MAX_MISSED_CHANGES,
    MIN_AGREEING_CHANGES,
    NOISE_WINDOW_US,
    QUIET_US,
    PresenceSensor,
    PresenceSensors,
)

__all__ = [
    "MAX_CHANGES",
    "MAX_LEAD_US",
    "MAX_MISSED_CHANGES",
    "MIN_AGREEING_CHANGES",
    "NOISE_WINDOW_US",
    "QUIET_US",
    "PresenceSensor",
    "PresenceSensors",
]
