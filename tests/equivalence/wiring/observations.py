"""Wires of observations: a row that is there or not shows at once, a value when it changes."""

from __future__ import annotations

from wiring.wire import Base, Wire

TURNED = "+observation.turned.tall -observation.window.tall"
GRID = "+observation.grid.tall -observation.window.tall"
SIDES = "ObserveView.left ObserveView.right ObserveView.ahead"
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

LOOKING = Base(
    """
universe looking
space grid map { moves turning }
map {
    "...#."
    ".b#.."
    "..#.."
    "....."
    wall "#"
    starts "b"
    region wood "b"
    terrain height = 1 { wood 3 }
}
lifespan 9 ticks
state heading: east south west north = east
state faces: east south west north = south
affordance Bed at (1, 1) { instantly { faces = west } }
reward 1 when faces == west
observe {
    window 3 x 2 ahead of wall  window 2 turned of height in sight  window 1 of tall: height own 0.5  window 1 turned
}
""",
    "TURN_LEFT FORWARD TURN_RIGHT",
    (
        Wire("ObserveView.value", "tall: height", "tall: 2 * height", 0, "observation.window.tall"),
        Wire("ObserveView.beyond", "turning }", "turning  edges wrap }", 2, "mask.FORWARD", "Grid.edges"),
        Wire("ObserveView.left", "3 x 2", "4 x 2", 0, "+observation.ahead.wall"),
        Wire("ObserveView.right", "3 x 2", "2 x 2", 0, "-observation.ahead.wall"),
        Wire("ObserveView.ahead", "3 x 2", "3 x 3", 0, "+observation.ahead.wall"),
        Wire("ObserveView.behind", "window 1 of", "window 2 of", 0, "+observation.window.tall", SIDES),
        Wire("ObserveView.steps", "1 of tall", "1 turned of tall", 0, TURNED, "ObserveView.heading"),
        Wire("ObserveView.heading", "1 of tall", "1 turned of tall", 0, TURNED, "ObserveView.steps"),
        Wire("ObserveView.whole", "window 1 of tall", "grid of tall", 0, GRID, f"{SIDES} ObserveView.behind"),
        Wire("ObserveView.own", "own 0.5", "own 0.25", 0, "observation.window.tall"),
        Wire("ObserveView.within", "in sight", "in view", 0, "observation.turned.height"),
    ),
)

OBSERVATIONS = (SEEN, LOOKING)
