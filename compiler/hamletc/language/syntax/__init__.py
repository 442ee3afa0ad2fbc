"""The syntax tree: what an author wrote, name by name, before anything is looked up.

Every node has a span. Names, hours and sizes carry spans of their own, so that diagnostics can point at them. The
parser builds it, the formatter prints it, the checker turns it into a Universe.
"""

from hamlet.universe import Span
from hamletc.language.syntax import (
    actions,
    affordances,
    declarations,
    drawings,
    expressions,
    items,
    node,
    observations,
    properties,
    quantities,
    rewards,
    rules,
    space,
    statements,
)
from hamletc.language.syntax.actions import *  # noqa: F403
from hamletc.language.syntax.affordances import *  # noqa: F403
from hamletc.language.syntax.declarations import *  # noqa: F403
from hamletc.language.syntax.drawings import *  # noqa: F403
from hamletc.language.syntax.expressions import *  # noqa: F403
from hamletc.language.syntax.items import *  # noqa: F403
from hamletc.language.syntax.node import *  # noqa: F403
from hamletc.language.syntax.observations import *  # noqa: F403
from hamletc.language.syntax.properties import *  # noqa: F403
from hamletc.language.syntax.quantities import *  # noqa: F403
from hamletc.language.syntax.rewards import *  # noqa: F403
from hamletc.language.syntax.rules import *  # noqa: F403
from hamletc.language.syntax.space import *  # noqa: F403
from hamletc.language.syntax.statements import *  # noqa: F403

NOWHERE = Span(1, 1, 1, 1)
"""The place of what no author wrote, but a front end of its own accord: it is not warned about."""

__all__ = ["NOWHERE"]
__all__ += actions.__all__
__all__ += affordances.__all__
__all__ += declarations.__all__
__all__ += drawings.__all__
__all__ += expressions.__all__
__all__ += items.__all__
__all__ += node.__all__
__all__ += observations.__all__
__all__ += properties.__all__
__all__ += quantities.__all__
__all__ += rewards.__all__
__all__ += rules.__all__
__all__ += space.__all__
__all__ += statements.__all__
