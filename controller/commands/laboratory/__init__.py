"""Commands for people who develop or evaluate Potkeeper. All need the extra `lab`."""

from controller.commands.laboratory.bench import bench
from controller.commands.laboratory.sessions import demo, replay, simulate

__all__ = ["bench", "demo", "replay", "simulate"]
