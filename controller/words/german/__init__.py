"""German."""

from __future__ import annotations

from typing import Final

from controller.words.catalogue import Catalogue
from controller.words.german import alerts, betting, names, pages, refusals, rules, screen, steps

CATALOGUE: Final = Catalogue(
    alerts=alerts.ALERTS,
    rules=rules.RULES,
    labels=steps.LABELS,
    refused=refusals.REFUSED,
    did=steps.DID,
    all_in="{did}, All-in",
    held="Platz {seat}: {did}, wartet",
    told=steps.TOLD,
    sources=steps.SOURCES,
    unrecorded="NICHT AUFGEZEICHNET: {told}",
    passed=names.PASSED,
    variants=names.VARIANTS,
    structures=names.STRUCTURES,
    ante="Ante {amount}",
    streets=names.STREETS,
    pots=names.POTS,
    pots_short=names.POTS_SHORT,
    pots_said=names.POTS_SAID,
    spots=names.SPOTS,
    lammers=names.LAMMERS,
    accounts=names.ACCOUNTS,
    reasons=names.REASONS,
    levels=names.LEVELS,
    statuses=names.STATUSES,
    bounds=names.BOUNDS,
    over=betting.OVER,
    addends=betting.ADDENDS,
    pot_addends=betting.POT_ADDENDS,
    plus=" + ",
    minus=" - ",
    made_up="{parts} = {amount}",
    no_most="keine Grenze",
    behind="Stack {amount}",
    why_no_raise=betting.WHY_NO_RAISE,
    why_out=betting.WHY_OUT,
    screen={**screen.SCREEN, **pages.PAGES},
    keyboard=pages.KEYBOARD,
    comma=", ",
    and_last=" und ",
    between=" ",
)

__all__ = ["CATALOGUE"]
