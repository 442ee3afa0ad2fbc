"""Two runs side by side: where do they part?

`play(left, right, effort, seed)` runs two contenders (backends, packages, versions of a universe, recorded runs) from
the same seeds, compares every array after every event, and bisects rollouts, down to one event before which all was
equal. `hamlet_lab.diff.diff` takes it from there to the operation whose value differs.
"""

from hamlet_lab.diff.contender import Contender
from hamlet_lab.diff.parting import Parting
from hamlet_lab.diff.play import Played, play

__all__ = ["Contender", "Parting", "Played", "play"]
