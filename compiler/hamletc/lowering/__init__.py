"""Universe -> tick IR, one file per phase of a tick."""

from hamletc.lowering.lower import lower

__all__ = ["lower"]
