"""Wires of worlds whose agents meet."""

from __future__ import annotations

from wiring.wire import Base, Wire

MEETING = Base(
    """
universe meeting
space none
inert allowed
meter a = 0.5 { decay 0.0625 }
meter b = 0.25 { interact 0.03125 }
world {
    meter stock = 3 in 0 .. 8
    meter spare = 5 in 0 .. 8
    rule sale: stock -= count(used == Shop)
    rule gift: spare += 0.5
}
affordance Shop { capacity 1 to highest a  instantly { a += 0.25 } }
rule look: b += 0.0625 * total(a)
rule place: b += 0.001953125 * rank(a > 0.25, b)
report left: stock
report mean: average(b)
reward a + b + 0.125 * spare
observe { meters  world stock }
""",
    "WAIT/INTERACT INTERACT",
    (
        Wire("WorldMeter.start", "stock = 3", "stock = 4", 0, "world_meters.stock"),
        Wire("WorldMeter.low", "stock = 3 in 0", "stock = 3 in 2.5", 1, "reports.left world_meters.stock"),
        Wire("WorldMeter.high", "spare = 5 in 0 .. 8", "spare = 5 in 0 .. 5", 1, "reward world_meters.spare"),
        Wire("World.meters", "    rule sale", "    meter sun = 1\n    rule sale", 0, "+world_meters.sun"),
        Wire("World.rules", "    rule gift: spare += 0.5\n", "", 1, "reward world_meters.spare"),
        Wire("WorldValue.meter", "left: stock", "left: spare", 1, "reports.left"),
        Wire("Among.operand", "total(a)", "total(b)", 1, "meters.b reports.mean reward"),
        *(
            Wire("Among.op", "total(a)", f"{op}(a)", 1, "meters.b reports.mean reward")
            for op in ("lowest", "highest", "average")
        ),
        Wire("Among.op", "total(a)", "count(a > 0)", 1, "meters.b reports.mean reward", "Among.operand"),
        Wire("Rank.condition", "rank(a > 0.25,", "rank(a > 0.46875,", 2, "meters.b reports.mean reward"),
        Wire("Rank.priority", "0.25, b)", "0.25, -b)", 2, "meters.b reward"),
        Wire("Capacity.places", "capacity 1", "capacity 2", 2, "meters.a reports.left reward used world_meters.stock"),
        Wire(
            "Capacity.places",
            "capacity 1",
            "capacity stock - 1.5",
            2,
            "meters.a reports.left reward used world_meters.stock",
        ),
        Wire("Capacity.priority", "to highest a", "to highest -a", 2, "meters.a reward used"),
        Wire("Capacity.priority", "to highest a", "to lowest number", 2, "meters.a reward used"),
        Wire(
            "Affordance.capacity",
            "capacity 1 to highest a  ",
            "",
            2,
            "meters.a reports.left reward used world_meters.stock",
        ),
    ),
)

APART = Base(
    """
universe apart
space none
inert allowed
meter a = 0.5 { decay 0.0625 }
world { meter sun = 1  rule set: sun -= 0.5 }
reward a
observe { meters }
""",
    "WAIT",
    (Wire("Universe.world", "world { meter sun = 1  rule set: sun -= 0.5 }", "", 0, "-world_meters.sun"),),
)

ASKING = Base(
    """
universe asking
space grid 5
inert allowed
meter a = 0.5 { decay 0.0625 }
meter b = 0.25 { interact 0.03125 }
rule look: b += 0.0625 * total(b - own(a))
rule near: b += 0.125 * nearest(b > 0.5, a, b)
rule far: a += 0.015625 * highest(apart)
affordance Bed at (4) { instantly { a += 0.25 } }
reward b
observe { meters }
""",
    "RIGHT/WAIT INTERACT",
    (
        Wire("Apart", "highest(apart)", "highest(position x)", 1, "meters.a"),
        Wire("Own.operand", "own(a)", "own(b)", 1, "meters.b reward"),
        Wire("Nearest.condition", "b > 0.5", "b < 0.5", 1, "meters.b reward"),
        Wire("Nearest.value", "b > 0.5, a, b", "b < 0.5, b - own(a), b", 1, "meters.b reward", "Nearest.condition"),
        Wire("Nearest.otherwise", "a, b)", "a, a)", 1, "meters.b reward"),
    ),
)

KEEPING = Base(
    """
universe keeping
space none
lifespan 1 tick
inert allowed
meter a = 0.25 { decay 0.0625 }
world { kept meter sun = 1 in 0 .. 4  rule set: sun -= 0.5 }
reward a + 0.125 * sun
observe { meters }
""",
    "WAIT WAIT",
    (Wire("WorldMeter.kept", "kept meter sun", "meter sun", 1, "world_meters.sun"),),
)

WORLDS = (MEETING, APART, ASKING, KEEPING)
