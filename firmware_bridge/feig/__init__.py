"""FEIG OBID readers: frames, tags in them, and the driver."""

from firmware_bridge.feig import frames
from firmware_bridge.feig.reader import FeigReader

__all__ = ["FeigReader", "frames"]
