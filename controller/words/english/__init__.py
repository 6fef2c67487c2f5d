"""English."""

from __future__ import annotations

from typing import Final

from controller.words.catalogue import Catalogue
from controller.words.english import alerts, names, refusals, rules, screen, steps

CATALOGUE: Final = Catalogue(
    alerts=alerts.ALERTS,
    rules=rules.RULES,
    labels=steps.LABELS,
    refused=refusals.REFUSED,
    did=steps.DID,
    all_in="{did}, all-in",
    held="seat {seat}: {did}, held",
    told=steps.TOLD,
    sources=steps.SOURCES,
    unrecorded="NOT RECORDED: {told}",
    passed=names.PASSED,
    variants=names.VARIANTS,
    structures=names.STRUCTURES,
    ante="ante {amount}",
    streets=names.STREETS,
    pots=names.POTS,
    pots_said=names.POTS_SAID,
    spots=names.SPOTS,
    lammers=names.LAMMERS,
    accounts=names.ACCOUNTS,
    reasons=names.REASONS,
    levels=names.LEVELS,
    statuses=names.STATUSES,
    bounds=names.BOUNDS,
    screen=screen.SCREEN,
    comma=", ",
    and_last=" and ",
)

__all__ = ["CATALOGUE"]
