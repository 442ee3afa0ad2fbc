"""The elementary functions as sequences of exact operations (docs/functions.md), one file per family."""

from hamletc.lowering.functions.call import call, power

__all__ = ["call", "power"]
