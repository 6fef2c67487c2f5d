"""Where each chip was seen last, and which chips turn up that nobody was heard to bet."""

from controller.live.places.found import antes_in, found_in, is_new_here, unheard_among
from controller.live.places.last import lying_after, placed

__all__ = ["antes_in", "found_in", "is_new_here", "lying_after", "placed", "unheard_among"]
