"""Wires of locals."""

from __future__ import annotations

from wiring.wire import Base, Wire

LOCAL = Base(
    """
universe local
space none
meter a = 0.5
meter b = 0.25
rule first {
    let more = 0.25 * b
    let less = 0.125 * b
    b += 0.5
    a -= more
    b -= more + less
}
reward a + b
observe { meters }
""",
    "WAIT WAIT",
    (
        Wire("Let.value", "more = 0.25 * b", "more = 0.5 * b", 1, "meters.a meters.b reward"),
        Wire("LocalValue.local", "a -= more", "a -= less", 1, "meters.a reward"),
    ),
)

LOCALS: tuple[Base, ...] = (LOCAL,)
