"""Variants of a universe: the same worlds with other params, all in one launch or a few."""

from hamlet_lab.sweep.measured import Measured
from hamlet_lab.sweep.run import Trial, measure

__all__ = ["Measured", "Trial", "measure"]
