"""Replaying what was recorded from HAMLET's engine: does a compiled pack give the same bits?

`replay(module, read_trace(path), backend)` sets the recorded start, takes the recorded actions and compares every
recorded stream. `docs/townlet.md` tells what a trace is, `hamlet_lab.divergence` how the first difference is told.
"""

from hamlet_townlet.traces.replay import TraceReplay, replay
from hamlet_townlet.traces.trace import HamletTrace, read_trace

__all__ = ["HamletTrace", "TraceReplay", "read_trace", "replay"]
