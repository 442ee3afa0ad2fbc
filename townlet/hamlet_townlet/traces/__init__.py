"""Replaying what was recorded from HAMLET's engine: does a compiled pack give the same bits?

`replay(module, read_trace(path), backend)` sets the recorded start, takes the recorded actions and compares every
recorded stream. `docs/townlet.md` tells what a trace is.
"""

from hamlet_townlet.traces.replay import replay
from hamlet_townlet.traces.report import Report
from hamlet_townlet.traces.trace import Trace, read_trace

__all__ = ["Report", "Trace", "read_trace", "replay"]
