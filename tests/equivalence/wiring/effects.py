"""Wires of effects, and of affordances that are open under a condition."""

from __future__ import annotations

from wiring.wire import Base, Wire

LASTING = Base(
    """
universe lasting
space none
meter a = 0.5
meter b = 0.5
effect fed lasts 3 ticks {
    on start { a += 0.125 }
    each tick { b -= 0.03125 }
    on end { a -= 0.0625 }
    until b < 0.45
}
affordance Tap {
    meter stock = 4 in 0 .. 4
    rule sale: stock -= count(used == Tap)
    open when stock > 0.5
    instantly { a += 0.015625  begin fed }
}
report spare: stock of Tap
reward a + b
observe { meters  effects }
""",
    "INTERACT INTERACT INTERACT WAIT",
    (
        Wire("Guarded.condition", "until b < 0.45", "until b < 0.48", 1, "meters.a meters.left_of_fed reward"),
        Wire("Guarded.body", "on end { a -= 0.0625 }", "on end { a -= 0.125 }", 2, "meters.a reward"),
        Wire("Affordance.opening", "    open when stock > 0.5\n", "", 2, "mask.INTERACT"),
        Wire("Affordance.opening", "stock > 0.5", "stock > 2.5", 1, "mask.INTERACT"),
    ),
)

EFFECTS: tuple[Base, ...] = (LASTING,)
