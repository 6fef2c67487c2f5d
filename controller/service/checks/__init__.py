"""What `potkeeper check` reads from the devices, from the running service and from the machine.

`read_devices` opens the ports, shakes hands and reads each antenna once. While the service runs it has the ports open,
so `ask_service` asks it for the same page. `check_machine` looks at the computer itself. Import the names from this
package, not from its modules.

    >>> from controller.service.checks import CheckResult
    >>> CheckResult(True, "disk: 12 GB free")
    CheckResult(is_ok=True, text='disk: 12 GB free')
"""

from controller.service.checks.device_reader import ANSWER_TIMEOUT_S, read_devices
from controller.service.checks.machine import check_badge_readers, check_machine, check_pins, pins_failure
from controller.service.checks.result import CheckResult
from controller.service.checks.running_service import ask_service, send_to_service

__all__ = [
    "ANSWER_TIMEOUT_S",
    "CheckResult",
    "ask_service",
    "check_badge_readers",
    "check_machine",
    "check_pins",
    "pins_failure",
    "read_devices",
    "send_to_service",
]
