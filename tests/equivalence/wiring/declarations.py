"""Wires of meters, rules, actions, deaths, rewards, and of what holds for a whole universe."""

from __future__ import annotations

from wiring.wire import Base, Wire

METERS = Base(
    """
universe meters
space grid 3
param p = 0.5 in 0 .. 1
input i = 0.25 in 0 .. 1
meter a = 0.5 { decay 0.0625  move 0.03125  interact 0.015625 }
meter b = 0.25 in 0 .. 1 { decay 0.25 * p }
meter c = 0.75 in 0 .. 1 { decay -0.125 - 0.0625 * i }
meter d = 0.5
rule plain: d -= 0.0625
rule guarded: a < 0.4 -> d -= 0.03125
cascade thin: b < 0.2 -> d -= 0.125 * deficit
cascade deep: b < 0.1 -> { d -= 0.0625 * shortfall }
reward d
observe { meters }
""",
    "WAIT LEFT INTERACT WAIT",
    (
        Wire("Param.default", "p = 0.5", "p = 0.75", 0, "params.p"),
        Wire("Input.default", "i = 0.25", "i = 0.5", 0, "inputs.i"),
        Wire("Meter.start", "meter a = 0.5 {", "meter a = 0.625 {", 0, "meters.a"),
        Wire("Meter.start", "meter a = 0.5 {", "meter a = 0.5 + 0.125 * agents {", 0, "meters.a"),
        Wire("Meter.start", "meter a = 0.5 {", "meter a = uniform(0, 1) {", 0, "meters.a"),
        Wire("Meter.low", "b = 0.25 in 0", "b = 0.25 in 0.03125", 2, "meters.b meters.d reward"),
        Wire("Meter.high", "c = 0.75 in 0 .. 1", "c = 0.75 in 0 .. 0.8", 1, "meters.c"),
        Wire("Meter.decay", "a = 0.5 { decay 0.0625 ", "a = 0.5 { ", 1, "meters.a"),
        Wire("Meter.move", "move 0.03125", "move 0.0625", 2, "meters.a"),
        Wire("Meter.interact", "interact 0.015625", "", 3, "meters.a"),
        Wire("Rule.guard", "rule guarded: a < 0.4", "rule guarded: a < 0.45", 1, "meters.d reward"),
        Wire("Rule.body", "plain: d -= 0.0625", "plain: d -= 0.03125", 1, "meters.d reward"),
        Wire("Cascade.source", "thin: b", "thin: c", 1, "meters.d reward"),
        Wire("Cascade.threshold", "thin: b < 0.2", "thin: b < 0.125", 1, "meters.d reward"),
        Wire("Cascade.body", "d -= 0.125 * deficit", "d -= 0.125", 1, "meters.d reward"),
        Wire("Deficit", "d -= 0.125 * deficit", "d -= 0.125 * i", 1, "meters.d reward"),
        Wire("Shortfall", "d -= 0.0625 * shortfall", "d -= 0.0625 * i", 2, "meters.d reward"),
        Wire(
            "Universe.params",
            "p = 0.5 in 0 .. 1",
            "p = 0.5 in 0 .. 1  param q = 1 in 0 .. 1\nrule more: d -= 0.01 * q",
            0,
            "+params.q",
            "Universe.dynamics",
        ),
        Wire(
            "Universe.inputs",
            "rule plain",
            "input j = 1 in 0 .. 1\nrule more: d -= 0.01 * j\nrule plain",
            0,
            "+inputs.j",
            "Universe.dynamics",
        ),
        Wire(
            "Universe.meters",
            "rule plain",
            "meter e = 1 { decay 0.1 }\nrule plain",
            0,
            "+meters.e",
            "Universe.observations",
        ),
        Wire(
            "Universe.controls",
            "rule plain",
            "control f in 1 .. 2\nrule more: d -= 0.01 * f\nrule plain",
            0,
            "+controls.f",
            "Universe.dynamics",
        ),
        Wire("Universe.dynamics", "rule plain: d -= 0.0625", "", 1, "meters.d reward"),
    ),
)

STATEMENTS = Base(
    """
universe statements
space none
meter a = 0.5
meter b = 0.75
meter c = 0.5 in -1 .. 1 { decay 0.01 }
rule first: a += 0.125
rule over: b += 0.5 unclamped
rule under: b -= 0.625
rule both { together { c += 0.75  c -= 0.5 } }
reward a + b + c
observe { meters }
""",
    "WAIT WAIT WAIT",
    (
        Wire("Assign.meter", "first: a", "first: c", 1, "meters.a meters.c"),
        Wire("Assign.op", "first: a +=", "first: a -=", 1, "meters.a reward"),
        Wire("Assign.op", "first: a +=", "first: a =", 1, "meters.a reward"),
        Wire("Assign.value", "first: a += 0.125", "first: a += 0.0625", 1, "meters.a reward"),
        Wire("Assign.clamped", "0.5 unclamped", "0.5", 1, "meters.b reward", "Meter.reach"),
        Wire("Together.body", "c -= 0.5 }", "c -= 0.25 }", 1, "meters.c reward"),
    ),
)

ACTIONS = Base(
    """
universe actions
space grid 5 x 4
meter a = 0.5 { decay 0.0625 }
meter b = 0.5
affordance Den at (4, 3) lasts 9 ticks { each tick { b += 0.03125 } }
action GIVE { needs a > 0.3  b -= 0.0625 }
action LEAP { move (2, 1) }
action HOME { keeps progress  teleport (4, 3) }
action AWAY { needs b > 0.01  keeps progress  move (-1, 0) }
allow INTERACT when a > 0.01
allow GIVE when true
reward a + b
observe { position absolute  meters  progress }
""",
    "GIVE LEAP HOME INTERACT AWAY",
    (
        Wire("Action.needs", "needs a > 0.3", "needs a > 0.55", 1, "meters.b reward"),
        Wire("Action.needs", "needs b > 0.01", "needs b > 0.6", 0, "mask.AWAY", "Universe.masks"),
        Wire("Action.body", "b -= 0.0625", "b -= 0.03125", 1, "meters.b reward"),
        Wire("Action.move", "move (2, 1)", "move (2, 2)", 2, "mask.DOWN position.y"),
        Wire("Action.teleport", "teleport (4, 3)", "teleport (4, 2)", 3, "mask.DOWN position.y"),
        Wire("Action.keeps_progress", "keeps progress  move", "move", 5, "engaged progress"),
        Wire("Affordance.place", "Den at (4, 3)", "Den at (3, 3)", 4, "engaged meters.b progress reward used"),
        Wire("Universe.actions", "action GIVE", "action WASH { b += 0.01 }\naction GIVE", 0, "+mask.WASH"),
    ),
)

MASKS = Base(
    """
universe masks
space none
inert allowed
meter a = 0.5 { decay 0.0625 }
meter b = 0.5
action GIVE { b -= 0.0625 }
action TAKE { b += 0.0625 }
actions GIVE TAKE WAIT
allow GIVE when a > 0.4
allow WAIT when true
allow all when b > 0.39
reward a + b
observe { meters }
""",
    "GIVE GIVE WAIT TAKE",
    (
        Wire("Mask.actions", "allow GIVE", "allow TAKE", 4, "mask.GIVE mask.TAKE"),
        Wire("Mask.actions", "allow all when", "allow TAKE when", 2, "mask.WAIT"),
        Wire("Mask.allowed", "when a > 0.4", "when a > 0.45", 1, "mask.GIVE"),
        Wire("Universe.order", "actions GIVE TAKE WAIT", "actions GIVE TAKE WAIT INTERACT", 0, "+mask.INTERACT"),
        Wire("Universe.masks", "allow all when b > 0.39", "", 2, "mask.TAKE mask.WAIT"),
        Wire("Truth.value", "allow WAIT when true", "allow WAIT when false", 0, "mask.WAIT"),
    ),
)

WALLED_IN = Base(
    """
universe walled_in
space grid map { places stored }
map {
    "ss."
    starts "s"
}
inert allowed
meter a = 0.5 { move 0.0625  interact 0.03125 }
meter b = 0
affordance Mine at (2, 0) { instantly { b += 0.125 } }
reward a + b
observe { meters  position absolute }
""",
    "RIGHT/WAIT RIGHT/WAIT",
    (
        Wire(
            "Affordance.solid",
            "(2, 0) {",
            "(2, 0) solid {",
            1,
            "mask.INTERACT mask.RIGHT meters.a meters.b position.x reward used",
        ),
    ),
)

JOSTLING = Base(
    """
universe jostling
space grid 3 { edges wrap  starts anywhere  agents block to highest a }
inert allowed
meter a = agent / 4 { move 0.125 }
meter b = 1 - agent / 4
reward a + b
observe { meters  position absolute }
""",
    "RIGHT LEFT RIGHT RIGHT",
    (
        Wire("Blocking.priority", "highest a", "highest b", 1, "position.x"),
        Wire("Universe.blocking", "  agents block to highest a", "", 1, "position.x"),
    ),
)

PUSHING = Base(
    """
universe pushing
space grid 6 { starts anywhere  agents push box up to 2 to highest a }
inert allowed
lifespan 9 ticks
meter a = agent / 4 { move 0.125 }
meter b = 1 - agent / 4
cells {
    state box = position x >= 2 and position x <= 3
    state stone = position x == 1
}
reward a + b
observe { meters  position absolute }
""",
    "RIGHT LEFT RIGHT RIGHT",
    (
        Wire("Universe.pushing", "  agents push box up to 2 to highest a", "", 1, "cell_meters.box position.x"),
        Wire(
            "Pushing.state",
            "push box",
            "push stone",
            1,
            "cell_meters.box cell_meters.stone mask.LEFT position.x",
        ),
        Wire("Pushing.most", "up to 2 ", "", 0, "mask.LEFT mask.RIGHT"),
        Wire("Pushing.priority", "highest a", "highest b", 1, "cell_meters.box position.x"),
    ),
)

TURNS = Base(
    """
universe turns
space none
inert allowed
meter a = 0.5 { decay 0.0625 }
meter b = 0.5
action GIVE { b -= 0.0625 }
action TAKE { b += 0.125 }
actions GIVE TAKE
acts when a > 0.4
reward a + b
observe { meters }
""",
    "GIVE GIVE TAKE TAKE",
    (
        Wire("Acting.condition", "a > 0.4", "a > 0.45", 1, "mask.GIVE mask.TAKE mask.WAIT"),
        Wire("Universe.acting", "acts when a > 0.4", "", 0, "-mask.WAIT"),
    ),
)

ENDS = Base(
    """
universe ends
space none
lifespan 5 ticks { reward 2 }
meter a = 0.5 { decay 0.125 }
meter b = 0.5 { decay 0.03125 }
affordance Cure { instantly { a += 0.25 } }
dies when a <= 0.1 or b <= 0.1
reward main: a
reward 0.5 when b < 0.45
report half: 0.5 * b
observe { meters }
""",
    "WAIT INTERACT WAIT WAIT INTERACT WAIT",
    (
        Wire(
            "Cause.condition",
            "a <= 0.1 or",
            "a <= 0.4 or",
            1,
            "age cause episode layout meters.a meters.b reports.main reward terminated",
            "Cause.name",
        ),
        Wire("Reward.value", "reward main: a", "reward main: 0.5 * a", 1, "reports.main reward"),
        Wire("Reward.name", "reward main: a", "reward a", 0, "-reports.main"),
        Wire("Report.value", "half: 0.5 * b", "half: 0.25 * b", 1, "reports.half"),
        Wire(
            "Lifespan.ticks",
            "lifespan 5",
            "lifespan 4",
            4,
            "age cause episode layout meters.a meters.b reward truncated",
        ),
        Wire("Lifespan.reward", "reward 2 }", "reward 1 }", 5, "reward"),
        Wire(
            "Universe.causes",
            "dies when a <= 0.1 or b <= 0.1",
            "dies when a <= 0.1 or b <= 0.1 or b <= 0.44",
            2,
            "age cause episode layout meters.b reports.main reward terminated",
        ),
        Wire("Universe.rewards", "reward 0.5 when b < 0.45", "reward 0.5 when b < 0.45\nreward 0.25", 1, "reward"),
        Wire("Universe.reports", "report half: 0.5 * b", "", 0, "-reports.half"),
        Wire(
            "Universe.lifespan",
            "lifespan 5 ticks { reward 2 }",
            "",
            5,
            "age cause episode layout meters.a meters.b reward truncated",
        ),
        Wire(
            "Universe.clock",
            "space none",
            "space none\nclock 5 hours\nrule chime: b -= 0.01 * hour",
            0,
            "+hour",
            "Universe.dynamics",
        ),
        Wire(
            "Universe.tracking",
            "space none",
            "space none\ninert allowed\ntrack uses",
            0,
            "+last +seen.Cure +streaks.Cure",
        ),
        Wire(
            "Universe.by_hand",
            "space none",
            "space none\nepisodes by hand",
            5,
            "age alive episode layout meters.a meters.b",
        ),
    ),
)

DECLARATIONS = (
    WALLED_IN,
    JOSTLING,
    PUSHING,
    METERS,
    STATEMENTS,
    ACTIONS,
    MASKS,
    TURNS,
    ENDS,
)
