"""The house's register of chips: a signed list, what is new in one, and what an older or altered one is refused for.

Others import from here.
"""

from hardware.register.lists import KEPT, ChipList, installed, newer, read_list
from hardware.register.signed import KEY_DIGITS, RegisterError, new_key, public_key, signed, verified

__all__ = [
    "KEPT",
    "KEY_DIGITS",
    "ChipList",
    "RegisterError",
    "installed",
    "new_key",
    "newer",
    "public_key",
    "read_list",
    "signed",
    "verified",
]
