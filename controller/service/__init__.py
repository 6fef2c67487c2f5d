"""The process that holds a table: its hardware, its journal, its screens. `serve` runs one, `check` says whether one
could run.
"""

from controller.service.assembly import Assembly, serve
from controller.service.checks import Line, check
from controller.service.process import Service, TableSensors, in_focus

__all__ = ["Assembly", "Line", "Service", "TableSensors", "check", "in_focus", "serve"]
