"""Wires of `if` among statements."""

from __future__ import annotations

from wiring.wire import Base, Wire

FORK = Base(
    """
universe fork
space none
meter a = 0.5
meter b = 0.25
rule forks: if a > 0.3 { a -= 0.125 } else { b += 0.0625 }
reward a + b
observe { meters }
""",
    "WAIT WAIT WAIT",
    (
        Wire("Guarded.condition", "a > 0.3", "a > 0.4", 2, "meters.a meters.b reward"),
        Wire("Guarded.body", "a -= 0.125", "a -= 0.0625", 1, "meters.a reward"),
        Wire("Guarded.otherwise", "b += 0.0625", "b += 0.125", 3, "meters.b reward"),
    ),
)

BRANCHES: tuple[Base, ...] = (FORK,)
