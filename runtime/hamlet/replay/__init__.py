"""Replaying what was recorded from HAMLET's engine: does a compiled pack give the same bits?

`replay(module, read_trace(path), backend)` sets the recorded start, takes the recorded actions and compares every
recorded stream. `docs/townlet.md` tells what a trace is.
"""

from hamlet.replay.replay import replay
from hamlet.replay.report import Report
from hamlet.replay.trace import Trace, read_trace

__all__ = ["Report", "Trace", "read_trace", "replay"]
