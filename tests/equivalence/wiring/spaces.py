"""Wires of spaces and moves."""

from __future__ import annotations

from wiring.wire import Base, Wire

GRID = Base(
    """
universe grid_only
space grid 5 x 4 { edges clamp  distance manhattan  places computed  starts apart }
moves {
    STAY (0, 0)
    EAST (1, 0)
    WEST (-2, 0)
    SOUTH (0, 1)
}
meter a = 0.5 { decay 0.01 }
affordance Bed at (3, 1) { instantly { a += 0.125 } }
affordance Bath at random { instantly { a += 0.25 } }
action FIRST { teleport (0, 0) }
reward a
report far: distance to Bed
observe { meters  position absolute }
""",
    "FIRST WEST SOUTH EAST STAY",
    (
        Wire("Grid.sizes", "5 x 4", "6 x 4", 0, "mask.EAST mask.SOUTH mask.WEST position.x position.y"),
        Wire("Grid.edges", "edges clamp", "edges wrap", 0, "mask.EAST mask.SOUTH mask.WEST"),
        Wire("Grid.edges", "edges clamp", "edges bounce", 0, "mask.EAST mask.SOUTH mask.WEST"),
        Wire("Grid.edges", "edges clamp", "edges sticky", 0, "mask.WEST"),
        Wire("Grid.metric", "manhattan", "euclidean", 1, "reports.far"),
        Wire("Grid.metric", "manhattan", "chebyshev", 1, "reports.far"),
        Wire("Grid.places", "places computed", "places stored", 0, "+places.Bath.0 +places.Bed.0"),
        Wire(
            "Grid.starts", "starts apart", "starts anywhere", 0, "mask.EAST mask.SOUTH mask.WEST position.x position.y"
        ),
        Wire("Move.by", "EAST (1, 0)", "EAST (2, 0)", 4, "mask.INTERACT position.x reports.far"),
        Wire("Universe.moves", "    STAY (0, 0)\n", "    STAY (0, 0)\n    NORTH (0, -1)\n", 0, "+mask.NORTH"),
        Wire(
            "Universe.space",
            "space grid 5 x 4 { edges clamp  distance manhattan  places computed  starts apart }",
            "space continuous (0 .. 4) x (0 .. 3) { reach 1 }",
            0,
            "+places.Bath.x +places.Bath.y +places.Bed.x +places.Bed.y "
            "mask.EAST mask.INTERACT mask.SOUTH mask.WEST position.x position.y",
        ),
    ),
)

EDGES = Base(
    """
universe edges_only
space grid 5 x 4 { edges clamp }
moves { WEST (-2, 0)  EAST (3, 0) }
meter a = 0.5 { decay 0.01 }
action FIRST { teleport (1, 0) }
allow WEST EAST when a > 0.01
reward a
observe { meters  position absolute }
""",
    "FIRST WEST",
    (
        Wire("Grid.edges", "edges clamp", "edges wrap", 2, "position.x"),
        Wire("Grid.edges", "edges clamp", "edges bounce", 2, "position.x"),
        Wire("Grid.edges", "edges clamp", "edges sticky", 2, "position.x"),
    ),
)

CONTINUOUS = Base(
    """
universe continuous_only
space continuous (-1 .. 3) x (0 .. 2) { step 0.75  reach 0.5  edges clamp  distance euclidean }
meter a = 0.5 { decay 0.01 }
affordance Bed at (0.5, 0.5) { instantly { a += 0.125 } }
action FIRST { teleport (0, 0.5) }
allow INTERACT when a > 0.01
reward a
report far: distance to Bed
report x_: position x
observe { meters  position relative }
""",
    "FIRST INTERACT LEFT LEFT UP",
    (
        Wire("Axis.low", "(-1 .. 3)", "(-0.5 .. 3)", 0, "position.x", "Axis.size ObserveValue.value"),
        Wire("Axis.high", "(-1 .. 3)", "(-1 .. 4)", 0, "position.x", "Axis.size ObserveValue.value"),
        Wire("Continuous.axes", "(-1 .. 3)", "(-1 .. 5)", 0, "position.x", "ObserveValue.value"),
        Wire("Continuous.reach", "reach 0.5", "reach 0.25", 2, "meters.a reward used"),
        Wire("Continuous.edges", "edges clamp", "edges wrap", 4, "position.x reports.far reports.x_"),
        Wire("Continuous.edges", "edges clamp", "edges bounce", 4, "position.x reports.far reports.x_"),
        Wire("Continuous.edges", "edges clamp", "edges sticky", 4, "position.x reports.far reports.x_"),
        Wire("Continuous.metric", "euclidean", "manhattan", 5, "reports.far"),
        Wire("Continuous.metric", "euclidean", "chebyshev", 5, "reports.far"),
        Wire("Move.by", "step 0.75", "step 0.5", 3, "position.x reports.far reports.x_"),
    ),
)

COMB = Base(
    """
universe comb
space grid 4 x 4 { starts anywhere }
inert allowed
moves { SOUTH (0, 1) }
meter a = 0.5
affordance Bed at (3, 0) { instantly { a += 0.25 } }
action FIRST { teleport (0, 0) }
reward a
report far: distance to Bed
observe { meters }
""",
    "FIRST SOUTH",
    (Wire("Grid.metric", "space grid", "space hexagons", 2, "reports.far"),),
)

NOWHERE = Base(
    """
universe nowhere
space none
meter a = 0.5 { decay 0.01 }
action GROW { a += 0.125 }
reward a
observe { meters }
""",
    "GROW",
    (
        Wire(
            "NoSpace",
            "space none",
            "space grid 3",
            0,
            "+mask.LEFT +mask.RIGHT +position.x",
            "Universe.space Universe.moves",
        ),
    ),
)

BEGINNING = Base(
    """
universe beginning
space grid 5 x 4 { edges clamp }
start velocity (0.5, -2) speed 7
meter a = 0.5 { decay 0.01 }
reward a + previous(velocity y)
report fast: speed - previous(speed)
observe { meters  velocity  speed }
""",
    "WAIT RIGHT",
    (
        Wire("Start.velocity", "(0.5, -2)", "(0.25, -2)", 0, "velocity.x"),
        Wire("Start.velocity", "(0.5, -2)", "(0.5, 2)", 0, "velocity.y"),
        Wire("Start.speed", "speed 7", "speed 8", 0, "speed"),
        Wire("Start.speed", ") speed 7", ")", 0, "-speed"),
        Wire("Universe.start", "start velocity (0.5, -2) speed 7\n", "", 0, "-speed velocity.x velocity.y"),
    ),
)

STILL = Base(
    """
universe still
space none
start speed 2
meter a = 0.5 { decay 0.01 }
reward a + previous(speed)
observe { meters  speed }
""",
    "WAIT WAIT",
    (Wire("Start.speed", "start speed 2", "start speed -1", 0, "speed"),),
)

MOMENTUM = Base(
    """
universe momentum_only
space continuous (-1 .. 3) x (0 .. 2) { step 0.25  reach 0.5  momentum up to 0.75 }
start velocity (0.125, 0)
meter a = 0.5 { decay 0.01 }
action FIRST { teleport (0, 0.5)  velocity y = 0 }
action BRAKE { velocity x -= 0.125 }
rule wind: velocity y += 0.0625
reward a
report fast: speed
observe { meters  velocity }
""",
    "FIRST RIGHT BRAKE RIGHT RIGHT RIGHT",
    (
        Wire("Continuous.momentum", "up to 0.75", "up to 0.5", 5, "position.x velocity.x reports.fast"),
        Wire("Push.axis", "wind: velocity y", "wind: velocity x", 1, "velocity.x velocity.y reports.fast"),
        Wire("Push.op", "velocity x -=", "velocity x +=", 3, "position.x velocity.x reports.fast"),
        Wire("Push.op", "velocity x -=", "velocity x =", 3, "position.x velocity.x reports.fast"),
        Wire("Push.value", "+= 0.0625", "+= 0.125", 1, "velocity.y reports.fast"),
    ),
)

RELOCATIONS = Base(
    """
universe relocations
space grid 6 x 4
meter a = 0.5 { decay 0.01 }
action FIRST { teleport (1, 1) }
action TURN { teleport (5 - position x, 2) }
rule wind: after 2 ticks -> move (1, 0)
rule falls: position x == 5 -> teleport (0, 3)
reward a + 0.125 * position x
observe { position absolute  meters }
""",
    "FIRST TURN WAIT WAIT",
    (
        Wire("Action.after", "teleport (5 - position x, 2)", "teleport (5 - position x, 1)", 2, "position.y"),
        Wire("Displace.by", "move (1, 0)", "move (-1, 0)", 3, "mask.DOWN mask.LEFT position.x position.y reward"),
        Wire("Teleport.to", "teleport (0, 3)", "teleport (0, 2)", 3, "mask.DOWN position.y"),
    ),
)

SPACES = (GRID, EDGES, CONTINUOUS, COMB, NOWHERE, BEGINNING, STILL, MOMENTUM, RELOCATIONS)
