"""Wires of copies of affordances, and of those that move and appear. Things are written out in other constructs."""

from __future__ import annotations

from wiring.wire import Base, Wire

WELLS = "affordance Well at p, q { instantly { a -= 0.03125 } }"
STANDING = Base(
    f"""
universe standing
space graph {{ p - q  starts p }}
inert allowed
meter a = 0.5
world {{ meter sun = 0 in 0 .. 4  rule set: sun += 1 }}
affordance Cart {{ follows p, q  instantly {{ a += 0.0625 }} }}
affordance Shop at p {{ appears when sun < 2  instantly {{ a += 0.125 }} }}
{WELLS}
rule there: here == Shop -> a += 0.015625
reward a
observe {{ here }}
""",
    "WAIT WAIT WAIT WAIT",
    (
        Wire(
            "Affordance.moving",
            "affordance Cart { follows p, q ",
            "affordance Cart at p { ",
            0,
            "-world_meters.position_x_of_Cart -world_meters.stop_of_Cart",
            "World.meters World.rules",
        ),
        Wire("Affordance.appears", "appears when", "open when", 2, "observation.here"),
        Wire(
            "Affordance.copy_of",
            WELLS,
            WELLS.replace("Well at p, q", "`Well 1` at p") + WELLS.replace("Well at p, q", "`Well 2` at q"),
            0,
            "+observation.here -observation.here",
            "ObserveHere.affordances",
        ),
    ),
)

THINGS: tuple[Base, ...] = (STANDING,)
