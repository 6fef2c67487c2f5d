"""Policies for chips that wait for an explanation, one for each reason."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

from controller.live.state import Spot
from controller.steps import observations


class PendingPolicy(NamedTuple):
    """What happens to chips that wait for an explanation, apart from the dealer's answer."""

    at_street_end: Callable[[Spot], Spot] | None = None
    """Function that ends the wait when the street ends, or None if the chips still wait in the next street."""
    at_award: Callable[[Spot], Spot] | None = None
    """Function that ends the wait when a pot is awarded, or None if the award changes nothing."""
    is_uncertain: bool = False
    """True if the chips are not known with certainty, or may not be a bet."""
    counts_if_swept: bool = False
    """True if the chips count as a bet when they are swept together with the bets, because dealers sweep only bets."""
    is_asked_late: bool = False
    """True if the dealer is asked only after `ASK_DELAY_US`, because the next event often resolves the wait."""


_ignored, _accounted = Spot.with_new_ignored, Spot.with_all_accounted

PENDING_POLICIES: Final[Mapping[observations.PendingReason, PendingPolicy]] = {
    "emptied": PendingPolicy(_accounted, is_asked_late=True),
    "covered": PendingPolicy(_accounted, is_asked_late=True),
    "doubt": PendingPolicy(Spot.with_absent_removed, is_uncertain=True, counts_if_swept=True),
    "between": PendingPolicy(None, _ignored),
    "own-stack": PendingPolicy(_ignored, _ignored, is_uncertain=True, counts_if_swept=True),
    "last-pot": PendingPolicy(_ignored, _ignored, is_uncertain=True, counts_if_swept=True),
    "splash": PendingPolicy(_ignored, _ignored, is_uncertain=True, counts_if_swept=True),
    "copied": PendingPolicy(_ignored, _ignored, is_uncertain=True, counts_if_swept=True),
    "change": PendingPolicy(_ignored, _ignored, is_asked_late=True),
    "folded-seat": PendingPolicy(_ignored, _ignored, is_asked_late=True),
    "left-over": PendingPolicy(_ignored, _ignored, is_uncertain=True),
    "deferred": PendingPolicy(counts_if_swept=True),
}
"""Policy for each reason. Chips that the dealer has not declared a bet are ignored from the award of a pot on."""
