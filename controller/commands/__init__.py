"""Groups of commands of the command line that have a noun of their own, and what commands share."""

from controller.commands.archive import archive_bytes
from controller.commands.chips import chips
from controller.commands.journal import journal_group
from controller.commands.ports import named_port
from controller.commands.screen import screen

__all__ = ["archive_bytes", "chips", "journal_group", "named_port", "screen"]
