"""Updates of an installed program, with a way back.

Each release is a folder `/opt/potkeeper/releases/N` with the program and its Python packages. The link
`/opt/potkeeper/current` names the release in use. `release` makes a signed file of a new release. `update` installs
such a file beside the release in use, tries it on a copy of the journal, and moves the link between two hands. If the
service with the new release fails within a minute, the link is moved back. `rollback` moves the link to the release
before. `verify-program` compares the installed files with the list that the house has signed. A restore from a
browser watches the service as an update does. Import the names from this package, not from its modules.
"""

from controller.commands.updates.boot_watch import BootWatch
from controller.commands.updates.commands import come_to_an_end_on_signals, release, rollback, update, verify_program
from controller.commands.updates.releases import Releases
from controller.commands.updates.service_watch import (
    READY_TIMEOUT_S,
    WATCH_S,
    SeenView,
    ServiceControl,
    SystemdControl,
    find_fault,
    read_view,
    wait_for_end_of_hand,
)
from controller.commands.updates.trial import find_problem

__all__ = [
    "READY_TIMEOUT_S",
    "WATCH_S",
    "BootWatch",
    "Releases",
    "SeenView",
    "ServiceControl",
    "SystemdControl",
    "come_to_an_end_on_signals",
    "find_fault",
    "find_problem",
    "read_view",
    "release",
    "rollback",
    "update",
    "verify_program",
    "wait_for_end_of_hand",
]
