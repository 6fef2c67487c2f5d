"""The guided set-up on the screen, which borrows the serial ports of the table while it runs.

A screen sends the touches on its keys, such as `set-up skip 3`, and receives a `SetUpPage`. Import the names from this
package, not from its module.
"""

from controller.service.guided_setup.guided_set_up import GuidedSetUp, SetUpRefusal
from controller.service.guided_setup.tasks import FALLBACK_SUFFIX

__all__ = ["FALLBACK_SUFFIX", "GuidedSetUp", "SetUpRefusal"]
