"""The process that holds a table: its hardware, its journal, its screens. `serve` runs one, `check` says whether one
could run, `replayed` what state a journal gives.
"""

from controller.service.assembly import Assembly, serve
from controller.service.checks import Line, check
from controller.service.desk import Guarding
from controller.service.process import Service, TableSensors, in_focus
from controller.service.replaying import begins_with, replayed, whole_of

__all__ = [
    "Assembly",
    "Guarding",
    "Line",
    "Service",
    "TableSensors",
    "begins_with",
    "check",
    "in_focus",
    "replayed",
    "serve",
    "whole_of",
]
