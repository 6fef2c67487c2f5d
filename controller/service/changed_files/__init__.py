"""Files that change while a table runs: `TakeUp` takes them up between two hands, without a restart.

Import the names from this package, not from its modules.
"""

from controller.service.changed_files.background_work import run_in_thread
from controller.service.changed_files.take_up import HAND_END_POLL_S, TakeUp

__all__ = ["HAND_END_POLL_S", "TakeUp", "run_in_thread"]
