"""Wires: for every attribute of every construct a universe in which changing it changes what happens.

A base is a small universe and what its agents do. A wire changes one attribute of it, and says after how many ticks
that shows first, and in which arrays. `wiring.reflection` finds the attributes that have no wire.
"""

from wiring.affordances import AFFORDANCES
from wiring.branches import BRANCHES
from wiring.cells import CELLS
from wiring.declarations import DECLARATIONS
from wiring.effects import EFFECTS
from wiring.expressions import EXPRESSIONS
from wiring.locals import LOCALS
from wiring.maps import MAPS
from wiring.observations import OBSERVATIONS
from wiring.pairs import PAIRS
from wiring.roles import ROLES
from wiring.spaces import SPACES
from wiring.states import STATES
from wiring.things import THINGS
from wiring.wire import Base, Wire
from wiring.worlds import WORLDS

BASES: tuple[Base, ...] = (
    *AFFORDANCES,
    *BRANCHES,
    *(*CELLS, *DECLARATIONS, *EFFECTS, *EXPRESSIONS, *LOCALS, *MAPS, *OBSERVATIONS, *ROLES, *SPACES, STATES),
    *PAIRS,
    *THINGS,
    *WORLDS,
)
WIRES: tuple[tuple[Base, Wire], ...] = tuple((base, wire) for base in BASES for wire in base.wires)

__all__ = ["BASES", "WIRES", "Base", "Wire"]
