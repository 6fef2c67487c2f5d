"""Updates of an installed program, with a way back.

Each release is a folder `/opt/potkeeper/releases/N` with the program and its Python packages. The link
`/opt/potkeeper/current` names the release in use. `release` makes a signed file of a new release. `update` installs
such a file beside the release in use, tries it on a copy of the journal, and moves the link between two hands. If the
service with the new release fails within a minute, the link is moved back. `rollback` moves the link to the release
before. `verify-program` compares the installed files with the list that the house has signed. Import the commands from
this package, not from its modules.
"""

from controller.commands.updates.commands import release, rollback, update, verify_program

__all__ = ["release", "rollback", "update", "verify_program"]
