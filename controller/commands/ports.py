"""`--port NAME=PATH`."""

from __future__ import annotations

from hardware.bad_input import BadInputError


def named_port(port: str) -> tuple[str, str]:
    """The device's name and the path of its port. Raises BadInputError."""
    name, equals, path = port.partition("=")
    if not equals or not name or not path:
        raise BadInputError(f"--port {port}: expected NAME=PATH")
    return name, path
