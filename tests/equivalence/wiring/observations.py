"""Wires of observations: a row that is there or not shows at once, a value when it changes."""

from __future__ import annotations

from wiring.wire import Base, Wire

SEEN = Base(
    """
universe seen
space grid 5 x 4
clock 5 hours
lifespan 9 ticks
param p = 0.5 in 0 .. 1
param q = 0.25 in 0 .. 1
meter a = 0.5 { decay 0.01 * p }
meter b = 0.75 { decay 0.02 * q }
affordance Bed at (1, 1) lasts 4 ticks { each tick { a += 0.125 } }
affordance Bath at (4, 3) lasts 3 ticks { each tick { b += 0.25 } }
action TO_BED { teleport (1, 1) }
reward a + b
observe {
    grid  window 1  position relative  meters a  here Bed nothing  time  progress per 3  lifetime
    params p  velocity x  speed  blank 1  constant 3
}
""",
    "TO_BED INTERACT RIGHT",
    (
        Wire("ObserveGrid", "grid  window", "window", 0, "-observation.grid", "Universe.observations"),
        Wire("ObserveWindow.radius", "window 1", "window 2", 0, "+observation.window"),
        Wire(
            "ObservePosition.encoding",
            "position relative",
            "position absolute",
            0,
            "observation.position.x observation.position.y",
        ),
        Wire(
            "ObservePosition.encoding",
            "position relative",
            "position scaled",
            0,
            "+observation.size.x +observation.size.y",
        ),
        Wire("ObserveMeters.meters", "meters a", "meters b", 0, "+observation.meter.b -observation.meter.a"),
        Wire("ObserveHere.affordances", "here Bed", "here Bath", 0, "+observation.here -observation.here"),
        Wire("ObserveTime.functions", "time  progress", "time sin  progress", 0, "-observation.time.cos"),
        Wire("ObserveProgress.per", "progress per 3", "progress per 5", 2, "observation.progress"),
        Wire("ObserveProgress.per", "progress per 3", "progress", 2, "observation.progress"),
        Wire("ObserveLifetime", "lifetime", "", 0, "-observation.lifetime", "Universe.observations"),
        Wire("ObserveParams.params", "params p", "params q", 0, "+observation.param.q -observation.param.p"),
        Wire("ObserveVelocity.axes", "velocity x", "velocity y", 0, "+observation.velocity.y -observation.velocity.x"),
        Wire("ObserveSpeed", "  speed", "", 0, "-observation.speed", "Universe.observations"),
        Wire("ObserveBlank.count", "blank 1", "blank 2", 0, "+observation.blank"),
        Wire("ObserveConstant.values", "constant 3", "constant 4", 0, "observation.constant"),
        Wire("Universe.observations", "blank 1", "blank 1  meters b", 0, "+observation.meter.b"),
    ),
)

OBSERVATIONS = (SEEN,)
