"""Wires of affordances, and of what agents remember of their uses."""

from __future__ import annotations

from wiring.wire import Base, Wire

USES = Base(
    """
universe uses
space none
clock 4 hours
meter a = 0.5
meter b = 0.5 { decay 0.03125 }
affordance Tap open 1 .. 3 { needs b > 0.25  instantly { a += 0.125 } }
affordance Bath lasts 2 ticks { each tick { b += 0.0625 } on completion { b += 0.125 } }
rule late: hour == 3 -> b -= 0.0625
reward a + b
observe { meters  progress }
""",
    "INTERACT INTERACT INTERACT INTERACT",
    (
        Wire("Clock.hours", "clock 4", "clock 5", 4, "hour"),
        Wire("Hours.opens", "open 1 ..", "open 0 ..", 1, "meters.a reward"),
        Wire("Hours.closes", ".. 3 {", ".. 2 {", 3, "meters.a reward"),
        Wire("Affordance.hours", "Tap open 1 .. 3", "Tap", 1, "meters.a reward"),
        Wire("Affordance.duration", "Bath lasts 2", "Bath lasts 3", 1, "observation.progress"),
        Wire("Affordance.needs", "needs b > 0.25", "needs b > 0.55", 2, "meters.a reward"),
        Wire("Affordance.instantly", "a += 0.125", "a += 0.25", 2, "meters.a reward"),
        Wire("Affordance.each_tick", "b += 0.0625", "b += 0.03125", 1, "meters.b reward"),
        Wire("Affordance.on_completion", "b += 0.125", "b += 0.25", 2, "meters.b reward"),
        Wire(
            "Universe.affordances",
            "rule late",
            "affordance Soap { instantly { b += 0.01 } }\nrule late",
            1,
            "meters.b reward used",
        ),
    ),
)

TOGETHER = Base(
    """
universe together_only
space none
meter a = 0.5 { decay 0.03125 }
affordance Full lasts 2 ticks together { each tick { a += 0.75 } on completion { a -= 0.5 } }
reward a + 0.1 * progress
observe { meters  progress }
""",
    "INTERACT INTERACT",
    (
        Wire("Affordance.together", "2 ticks together", "2 ticks", 2, "meters.a reward", "Assign.clamped"),
        Wire("Progress", "0.1 * progress", "0.1 * age", 2, "reward", "Binary.right"),
        Wire(
            "Universe.affordances",
            "affordance Full",
            "affordance Soap { instantly { a += 0.01 } }\naffordance Full",
            1,
            "engaged used",
        ),
    ),
)

TRACKED = Base(
    """
universe tracked
space none
clock 3 hours
track uses by agent
meter a = 0.5
meter b = 0.5
affordance Tap open 0 .. 2 { instantly { a += 0.0625 } }
affordance Sink open 2 .. 3 { instantly { a -= 0.0625 } }
rule again: b += 0.0625 * streak of Tap
rule fresh: b -= 0.03125 * visited
rule after: last == Tap -> b += 0.015625
rule paid: used == Tap -> b -= 0.0078125
rule idle: action == WAIT -> a -= 0.015625
reward a + b
observe { meters }
""",
    "INTERACT INTERACT INTERACT WAIT",
    (
        Wire("LastUse.affordance", "last == Tap", "last == Sink", 1, "meters.b reward"),
        Wire("LastUse.affordance", "last == Tap", "last == nothing", 1, "meters.b reward"),
        Wire("Streak.affordance", "streak of Tap", "streak of Sink", 1, "meters.b reward"),
        Wire("Used.affordance", "used == Tap", "used == Sink", 1, "meters.b reward"),
        Wire("Used.affordance", "used == Tap", "used == nothing", 1, "meters.b reward"),
        Wire("ActionTaken.action", "action == WAIT", "action == INTERACT", 1, "meters.a reward"),
        Wire("Visited", "0.03125 * visited", "0.03125", 3, "meters.b reward", "Assign.value"),
    ),
)

SHARED = Base(
    """
universe shared
space none
track uses by agent
meter a = 0.5 { decay 0.01 }
affordance Tap { instantly { a += 0.03125 } }
affordance Sink { needs a > 0.9  instantly { a -= 0.0625 } }
rule again: last == Tap -> a += 0.0625
reward a
observe { meters }
""",
    "INTERACT WAIT/INTERACT WAIT",
    (Wire("Tracking.by", "by agent", "by world", 2, "last meters.a reward"),),
)

AFFORDANCES = (USES, TOGETHER, TRACKED, SHARED)
