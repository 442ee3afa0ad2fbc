"""Hypothesis strategies, and the same by number: texts of universes that are valid, or nearly always.

An author writes a universe construct by construct. It knows where every expression lies, so that the checker refuses
nothing. What it writes may be unwise: numbers at thresholds and their neighbours, subnormals, signed zeros, bounds one
step apart, names that are words of the language, of Python, and of the generated code, or no words at all.
"""

from strategies.whole import numbered, universes

__all__ = ["numbered", "universes"]
