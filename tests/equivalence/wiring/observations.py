"""Wires of observations: a row that is there or not shows at once, a value when it changes."""

from __future__ import annotations

from wiring.wire import Base, Wire

HIGH = "ObserveValue.value ObserveValue.low"

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
    params p  velocity x  speed  blank 1  constant 3  lack: 1 - 0.5 * a
    hot near: floor(2 + 4 * a)
}
""",
    "TO_BED INTERACT RIGHT",
    (
        Wire("ObserveGrid", "grid  window", "window", 0, "-observation.grid", "Universe.observations"),
        Wire("ObserveWindow.radius", "window 1", "window 2", 0, "+observation.window"),
        Wire("ObserveHere.affordances", "here Bed", "here Bath", 0, "+observation.here -observation.here"),
        Wire("ObserveValue.value", "1 - 0.5 * a", "1 - 0.25 * a", 0, "observation.lack", "ObserveValue.low"),
        Wire("ObserveValue.low", "1 - 0.5 * a", "1 - 0.75 * a", 0, "observation.lack", "ObserveValue.value"),
        Wire(
            "ObserveValue.high",
            "1 - 0.5 * a",
            "2 - 0.5 * a",
            0,
            "observation.lack",
            "ObserveValue.value ObserveValue.low",
        ),
        Wire("ObserveHot.value", "floor(2 + 4 * a)", "floor(2 + 4 * b)", 0, "observation.near"),
        Wire("ObserveHot.low", "floor(2 + 4", "floor(1 + 6", 0, "+observation.near", "ObserveHot.value"),
        Wire("ObserveHot.high", "floor(2 + 4 * a)", "floor(2 + 4 * a + a)", 0, "+observation.near", "ObserveHot.value"),
        Wire("ShareOfUse", "progress per 3", "progress", 2, "observation.progress", "ObserveValue.value"),
        Wire("ObserveBlank.count", "blank 1", "blank 2", 0, "+observation.blank"),
        Wire("ObserveConstant.values", "constant 3", "constant 4", 0, "observation.constant"),
        Wire("Universe.observations", "blank 1", "blank 1  meters b", 0, "+observation.meter.b"),
    ),
)

OBSERVATIONS = (SEEN,)
