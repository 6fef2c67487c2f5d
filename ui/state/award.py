"""Giving a pot, touch by touch: which pot, whole or in halves, which seats win it."""

from __future__ import annotations

from dataclasses import replace

from controller.view import TableView
from ui.state import sending
from ui.state.modes import Award
from ui.state.targets import Half


def award_start(view: TableView) -> Award | None:
    """The first pot that has something in it; its only seat is touched already."""
    pots = [pot for pot in view.pots if pot.amount]
    if not pots:
        return None
    return award_pot(view, pots[0].name)


def award_pot(view: TableView, name: str) -> Award | None:
    """The pot of that name, to be given; None when there is none."""
    pot = next((one for one in view.pots if one.name == name), None)
    if pot is None:
        return None
    return Award(name, high=pot.seats if len(pot.seats) == 1 else ())


def award_seat(award: Award, view: TableView, seat: int) -> Award:
    """The seat touched: in, or out again. A seat that cannot win the pot changes nothing."""
    pot = next((one for one in view.pots if one.name == award.pot), None)
    if pot is None or seat not in pot.seats:
        return award
    half = award.low if award.half == "low" else award.high
    half = tuple(one for one in half if one != seat) if seat in half else (*half, seat)
    return replace(award, low=half) if award.half == "low" else replace(award, high=half)


def award_half(award: Award, half: Half) -> Award:
    """The half that the next seats win; back to the whole pot forgets the low winners."""
    return replace(award, half=half, low=() if half == "whole" else award.low)


def award_step(award: Award) -> str | None:
    """The step that gives it; None while a half has no winner."""
    if award.half == "whole":
        return sending.award(award.pot, award.high) if award.high else None
    return sending.award_halves(award.pot, award.high, award.low) if award.high and award.low else None
