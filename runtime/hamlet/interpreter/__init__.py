"""The interpreter: `docs/semantics.md` as a program, and the backend that all others are compared with.

It looks everything up at run time, by name, and works on all lanes at once with torch tensors. A lane's numbers are
shaped [worlds, agents], a world's [worlds, 1]: so a world's numbers broadcast over its agents. Read it in the order of
a tick: `tick.py`, then the phases that it names.
"""

from hamlet.interpreter.coverage import Coverage
from hamlet.interpreter.interpreter import Interpreter
from hamlet.interpreter.trace import Trace, Write

__all__ = ["Coverage", "Interpreter", "Trace", "Write"]
