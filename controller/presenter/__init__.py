"""From the live state to what a screen shows: codes and typed amounts, no sentences. Pure."""

from __future__ import annotations

from controller.presenter.alerts import rulings
from controller.presenter.public import public
from controller.presenter.refusing import refused
from controller.presenter.showing import game_view, show
from controller.presenter.telling import told

__all__ = ["game_view", "public", "refused", "rulings", "show", "told"]
