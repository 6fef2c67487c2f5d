"""What a screen asks for beside the view: pages of what was played, raised and counted. Looking changes nothing and is
recorded nowhere. Others import from here, not from the modules below.
"""

from controller.service.looks.asked import Look, asked
from controller.service.looks.devices import HasHealth
from controller.service.looks.earlier import earlier, told_to
from controller.service.looks.looks import LookReason, Looks, WritesHand, may_look
from controller.service.looks.played import Played

__all__ = [
    "HasHealth",
    "Look",
    "LookReason",
    "Looks",
    "Played",
    "WritesHand",
    "asked",
    "earlier",
    "may_look",
    "told_to",
]
