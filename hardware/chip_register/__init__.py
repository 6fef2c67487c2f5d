"""The house's register of chips: a signed list that each table checks and installs.

A list is TOML text with the chips, the lammers and a number that only grows. The house signs it with its private key
(Ed25519), and a table that knows the public key installs it. A list is refused if it was altered, signed with
another key, belongs to another house, or is not newer than the installed one.

Example: sign a list and check the signature.

    >>> from hardware.chip_register import derive_public_key, generate_private_key, sign_text, verify_text
    >>> private = generate_private_key()
    >>> signed = sign_text(b'house = "Grand"\\nnumber = 1\\n', private)
    >>> verify_text(signed, derive_public_key(private), "house.chips")
    b'house = "Grand"\\nnumber = 1\\n'
"""

from hardware.chip_register.chip_list import (
    BACKUP_SUFFIX,
    ChipList,
    install_chip_list,
    load_chip_list,
    load_installed_list,
    parse_chip_list,
)
from hardware.chip_register.signed_file import (
    KEY_DIGITS,
    RegisterError,
    derive_public_key,
    generate_private_key,
    sign_text,
    strip_signature,
    verify_text,
)

__all__ = [
    "BACKUP_SUFFIX",
    "KEY_DIGITS",
    "ChipList",
    "RegisterError",
    "derive_public_key",
    "generate_private_key",
    "install_chip_list",
    "load_chip_list",
    "load_installed_list",
    "parse_chip_list",
    "sign_text",
    "strip_signature",
    "verify_text",
]
