"""hamletc: universes of meters, cascades and affordances, compiled to kernels that agree to the bit."""

from hamlet import __version__
from hamletc.errors import CompileError

__all__ = ["CompileError", "__version__"]
