"""Commands with which a technician moves a whole table, or reports a fault of it.

`backup` and `restore` carry a table in one encrypted file to another machine. `bundle` collects what a report of a
fault needs, without keys and names. Import the commands from this package, not from its modules.
"""

from controller.commands.maintenance.backup import backup, restore
from controller.commands.maintenance.bundle import bundle

__all__ = ["backup", "bundle", "restore"]
