"""Who may do what at a table: by the door that a client came through, the badge that lies on the reader, the step, and
whether a hand is played. What is not named is denied. Others import from here, not from the modules below.
"""

from controller.service.roles.denials import Denials
from controller.service.roles.file import load_rights, read_rights, usual_rights
from controller.service.roles.presence import Presence
from controller.service.roles.rights import ROLES, SCREEN, STATES, Denied, Door, Rights, Role, State

__all__ = [
    "ROLES",
    "SCREEN",
    "STATES",
    "Denials",
    "Denied",
    "Door",
    "Presence",
    "Rights",
    "Role",
    "State",
    "load_rights",
    "read_rights",
    "usual_rights",
]
