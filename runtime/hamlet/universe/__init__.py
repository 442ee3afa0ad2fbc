"""The Universe: everything an author said, resolved, and nothing about how to run it fast.

Both halves of the project meet here: the compiler builds a Universe from text, the interpreter executes it, and the
lowering turns it into kernels. Names are kept as strings and are known to exist; expressions are small trees; every
node knows the place in the source that it came from. Numbers are binary32, spelled as `hamlet.numbers.binary32` says.
`docs/semantics.md` states exactly what each construct does in a tick.
"""

from hamlet.universe import (
    actions,
    affordances,
    declarations,
    drawings,
    expressions,
    meters,
    observations,
    quantities,
    space,
    statements,
    terrain,
    walk,
)
from hamlet.universe.actions import *  # noqa: F403
from hamlet.universe.affordances import *  # noqa: F403
from hamlet.universe.declarations import *  # noqa: F403
from hamlet.universe.drawings import *  # noqa: F403
from hamlet.universe.expressions import *  # noqa: F403
from hamlet.universe.meters import *  # noqa: F403
from hamlet.universe.observations import *  # noqa: F403
from hamlet.universe.quantities import *  # noqa: F403
from hamlet.universe.space import *  # noqa: F403
from hamlet.universe.span import Span
from hamlet.universe.statements import *  # noqa: F403
from hamlet.universe.terrain import *  # noqa: F403
from hamlet.universe.walk import *  # noqa: F403
from hamlet.universe.whole import Universe

__all__ = ["Span", "Universe"]
__all__ += actions.__all__
__all__ += affordances.__all__
__all__ += declarations.__all__
__all__ += drawings.__all__
__all__ += expressions.__all__
__all__ += meters.__all__
__all__ += observations.__all__
__all__ += quantities.__all__
__all__ += space.__all__
__all__ += statements.__all__
__all__ += terrain.__all__
__all__ += walk.__all__
