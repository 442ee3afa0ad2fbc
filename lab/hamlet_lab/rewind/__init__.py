"""Any tick of a run, at once: checkpoints of all worlds every so many ticks, and one world played on from the last.

A state is a function of seed and actions, and draws are numbered by lane and tick, so that one world plays on alone as
it did among the others (docs/exactness.md).
"""

from hamlet_lab.rewind.history import History

__all__ = ["History"]
