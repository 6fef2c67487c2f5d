"""The option `--port NAME=PATH`."""

from __future__ import annotations

from hardware.text_input_validation import BadInputError


def parse_port_option(port: str) -> tuple[str, str]:
    """Return device name and port path from a `--port` option. Raise BadInputError if the option is not valid."""
    name, equals, path = port.partition("=")
    if not equals or not name or not path:
        raise BadInputError(f"--port {port}: expected NAME=PATH, such as odd=/dev/ttyUSB0")
    return name, path
