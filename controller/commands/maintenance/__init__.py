"""Commands with which a technician moves a whole table, or reports a fault of it.

`backup` and `restore` carry a table in one encrypted file to another machine, and `put-back` ends an interrupted
restore. `bundle` collects what a report of a
fault needs, without keys and names. `setup-door` runs some commands for the program for browsers. Import the commands
from this package, not from its modules.
"""

from controller.commands.maintenance.backup import backup, restore
from controller.commands.maintenance.bundle import bundle
from controller.commands.maintenance.restore_in_place import put_back
from controller.commands.maintenance.setup_tasks import setup_door

__all__ = ["backup", "bundle", "put_back", "restore", "setup_door"]
