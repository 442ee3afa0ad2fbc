"""Sides side by side: do they give the same bits, and where does the first difference come from?

`verify(universe, candidates)` runs candidates against the interpreter from the same seeds, over random and directed
play and over injected states, and compares every array after every tick. It counts what fired: a construct that was
never exercised was not verified, and the comparison says so. `play` does it with any sides, recorded ones too.
"""

from hamlet_lab.divergence import Candidate, Divergence
from hamlet_lab.verify.scenarios import QUICK, THOROUGH, Effort
from hamlet_lab.verify.verify import Comparison, play, verify

__all__ = ["QUICK", "THOROUGH", "Candidate", "Comparison", "Divergence", "Effort", "play", "verify"]
