r"""Roles: who may do which step at a table.

Whether a step is allowed depends on the socket of the client, the badge on the reader, and whether a hand is in
progress. A step that is not listed for any role is always refused. `Permissions` come from a TOML file, or from
`roles.toml` in this folder. Import the names from this package, not from its modules.

    >>> from controller.config import parse_config
    >>> from controller.service.roles import default_permissions
    >>> from controller.steps import parse_step
    >>> table = parse_config('[table]\nname = "Table 1"\n[game]\nstructure = "no-limit"\nblinds = [1, 2]').table
    >>> permissions = default_permissions()
    >>> permissions.reject_reason({"dealer"}, parse_step("3 sit 200 as ann"), table) is None
    True
    >>> permissions.reject_reason({"dealer"}, parse_step("floor hold"), table).value
    'asks-floor'
"""

from controller.service.roles.badge_presence import BadgePresence
from controller.service.roles.denial_log import DenialLog, RefusedCardLog
from controller.service.roles.permissions import (
    DEALER_ENDPOINT,
    HAND_STATES,
    ROLES,
    ROOM_SOCKET,
    Endpoint,
    HandState,
    PermissionRefusal,
    Permissions,
    Role,
)
from controller.service.roles.permissions_file import (
    default_permissions,
    group_number,
    load_permissions,
    parse_permissions,
)

__all__ = [
    "DEALER_ENDPOINT",
    "HAND_STATES",
    "ROLES",
    "ROOM_SOCKET",
    "BadgePresence",
    "DenialLog",
    "Endpoint",
    "HandState",
    "PermissionRefusal",
    "Permissions",
    "RefusedCardLog",
    "Role",
    "default_permissions",
    "group_number",
    "load_permissions",
    "parse_permissions",
]
