"""From the live state to what a screen shows: codes and typed amounts, no sentences. Pure."""

from __future__ import annotations

from controller.presenter.refusing import refused
from controller.presenter.showing import game_view, show

__all__ = ["game_view", "refused", "show"]
