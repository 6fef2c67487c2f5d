"""An evening at a table in simulated time, with people and a dealer as they are."""

from controller.simulation.evening.run import Plan, Played, evenings, opened, play, played, simulate
from controller.simulation.evening.tally import Report, Tally, Wrong, added, report

__all__ = [
    "Plan",
    "Played",
    "Report",
    "Tally",
    "Wrong",
    "added",
    "evenings",
    "opened",
    "play",
    "played",
    "report",
    "simulate",
]
