"""Words with a meaning of their own, apart from the keywords of the grammar."""

from __future__ import annotations

RESERVED = frozenset(("and", "or", "not", "if", "then", "else", "when"))
"""Words that no name can be, but in backticks: they can stand wherever an expression begins or goes on."""

MEANINGS = frozenset(
    (
        *("abs", "clamp", "cos", "exp", "exp2", "log", "log2", "max", "min", "pow", "previous", "sigmoid", "sin"),
        *("sqrt", "tanh", "uniform", "integer", "choice", "normal", "chance"),
        *("age", "day_cos", "day_sin", "deficit", "false", "here", "hour", "last", "nothing", "progress", "shortfall"),
        *("speed", "true", "visited"),
    )
)
"""Functions and quantities: they mean a declaration only in backticks."""

OBSERVATIONS = frozenset(
    (
        *("grid", "window", "position", "meters", "here", "time", "progress", "lifetime", "params", "velocity"),
        *("speed", "blank", "constant"),
    )
)
"""The words that begin an item of `observe`."""
