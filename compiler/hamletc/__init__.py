"""hamletc: universes of meters, cascades and affordances, compiled to kernels that agree to the bit."""

from hamletc.errors import CompileError

__all__ = ["CompileError", "__version__"]

__version__ = "0.1.0"
