"""Measurements: the rules, the way from the chips to the screen, the screen alone."""

from controller.bench.latency import measure_latency
from controller.bench.rules import measure_rules
from controller.bench.screen import measure_screen
from controller.bench.sweep import measure_sweep

__all__ = ["measure_latency", "measure_rules", "measure_screen", "measure_sweep"]
