"""Backends side by side: do they give the same bits, and where does the first difference come from?

`verify(universe, candidates)` runs candidates against the interpreter from the same seeds, over random and directed
play and over injected states, and compares every array after every tick. It counts what fired: a construct that was
never exercised was not verified, and the report says so.
"""

from hamlet_lab.verify.events import Candidate
from hamlet_lab.verify.report import Divergence, Report
from hamlet_lab.verify.verify import QUICK, THOROUGH, Effort, verify

__all__ = ["QUICK", "THOROUGH", "Candidate", "Divergence", "Effort", "Report", "verify"]
