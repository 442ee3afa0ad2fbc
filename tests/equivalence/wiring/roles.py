"""Wires of roles, goals and potentials."""

from __future__ import annotations

from wiring.wire import Base, Wire

KINDS = Base(
    """
universe kinds
space grid 3
inert allowed
meter a = 0.5 { decay 0.0625 }
role left: 1 agent {
    meter b = 0.25 { decay -0.03125 }
    action PUSH { a += 0.25 }
    reward 0.5 * b
    observe { meters b }
    cascade thin: a < 0.4 -> a -= 0.125 * deficit
}
role right: others {
    meter c = 0.75
    reward c
    observe { constant 1 2 3 }
    acts when a > 0.4
    allow LEFT when a > 0.4
}
reward guide: shaping(0.5, a)
reward plain: a
ends when left and a > 0.5 { reward 4 }
ends when right and c < 0.75 { reward c }
observe { meters }
""",
    "WAIT WAIT left.PUSH WAIT",
    (
        *(
            Wire(f"Role.{name}", "left: 1 agent", "left: 2 agents", 0, "mask.LEFT mask.left.PUSH", also)
            for name, also in (("first", "Role.agents Number.value"), ("agents", "Role.first Number.value"))
        ),
        Wire(
            "Role.meters", "    reward 0.5", "    meter d = 0\n    reward 0.5", 0, "+meters.left.d", "Universe.meters"
        ),
        Wire(
            "Role.actions",
            "    reward 0.5",
            "    action PULL { a += 0.25 }\n    reward 0.5",
            0,
            "+mask.left.PULL",
            "Universe.actions Universe.masks",
        ),
        Wire(
            "Role.observations",
            "    observe { meters b }\n",
            "",
            0,
            "+observation.constant -observation.meter.left.b/constant",
        ),
        Wire(
            "Cascade.who",
            "    cascade thin: a < 0.4 -> a -= 0.125 * deficit\n}",
            "}\ncascade thin: a < 0.4 -> a -= 0.125 * deficit",
            2,
            "meters.a reports.guide reports.plain reward",
            "Cascade.name",
        ),
        Wire(
            "Mask.who",
            "    allow LEFT when a > 0.4\n}",
            "}\nallow LEFT when a > 0.4",
            0,
            "mask.LEFT",
            "Mask.actions Mask.allowed",
        ),
        Wire(
            "Acting.who",
            "    acts when a > 0.4\n    allow LEFT when a > 0.4\n}",
            "    allow LEFT when a > 0.4\n}\nacts when a > 0.4",
            2,
            "mask.LEFT mask.RIGHT mask.left.PUSH",
        ),
        Wire("Potential.discount", "0.5, a)", "0.25, a)", 1, "reports.guide reward"),
        Wire("Potential.before", "0.5, a)", "0.5, 2 * a)", 1, "reports.guide reward", "Reward.value"),
        Wire("Reward.potential", "guide: shaping(0.5, a)", "guide: a", 1, "reports.guide reward"),
        Wire("Goal.reward", "{ reward 4 }", "{ reward 5 }", 3, "reward"),
        Wire(
            "Cause.goal",
            "ends when left and a > 0.5 { reward 4 }",
            "dies when left and a > 0.5",
            3,
            "reports.plain reward",
        ),
    ),
)

ALIKE = Base(
    """
universe alike
space none
inert allowed
meter a = 0.5 { decay 0.0625 }
reward a
observe { meters }
""",
    "WAIT",
    (
        Wire(
            "Universe.roles",
            "reward a",
            "role one: others { observe { constant 1 } }\nreward a",
            0,
            "+observation.constant",
        ),
    ),
)

AT_THE_END = """
    age alive cause episode layout mask.ewe.BREED meters.ewe.b meters.ewe.b_of_a_child meters.ewe.c truncated
    world_meters.ticks_of_the_world
"""
"""What shows of an episode that ends."""

FOLD = Base(
    """
universe fold
space none
inert allowed
lifespan 6 ticks
meter a = 0.5
role ewe: 2 agents {
    begins with 1
    meter b = 0.25
    meter c = 0.75 { decay 0.125 }
    action BREED { spawn ewe { b = a } }
    reward 1
}
observe { meters }
""",
    "WAIT ewe.BREED WAIT WAIT WAIT WAIT",
    (
        Wire("Pool.begin", "begins with 1", "begins with 2", 0, "alive mask.ewe.BREED", "Number.value"),
        Wire("Pool.handed", "b = a", "b = a  c = 0.5", 0, "+meters.ewe.c_of_a_child", "Universe.meters Action.body"),
        Wire(
            "Pool.asks",
            "    action BREED { spawn ewe { b = a } }",
            "    respawns after 1 tick\n    action BREED { a = 0.5 }",
            0,
            "+meters.ticks_until_ewe -meters.child_of_ewe -meters.ewe.b_of_a_child",
            "Universe.meters Action.body Pool.asked Pool.handed Pool.after Pool.waits",
        ),
        Wire(
            "Handed.meter",
            "b = a",
            "c = a",
            0,
            "+meters.ewe.c_of_a_child -meters.ewe.b_of_a_child",
            "Universe.meters Action.body Handed.value",
        ),
        Wire(
            "Handed.value",
            "b = a",
            "c = a",
            0,
            "+meters.ewe.c_of_a_child -meters.ewe.b_of_a_child",
            "Universe.meters Action.body Handed.meter",
        ),
        Wire("Lifespan.of_world", "lifespan 6 ticks", "lifespan 5 ticks", 5, AT_THE_END, "Lifespan.ticks Number.value"),
    ),
)

UNBORN = Base(
    """
universe unborn
space none
inert allowed
lifespan 12 ticks
meter a = 0.5
role ewe: 2 agents { begins with 1  respawns after 2 ticks  reward a }
observe { meters }
""",
    "WAIT WAIT WAIT WAIT",
    (
        Wire("Pool.after", "after 2 ticks", "after 3 ticks", 2, "alive meters.ticks_until_ewe"),
        Wire(
            "Universe.pools",
            "begins with 1  respawns after 2 ticks",
            "",
            0,
            "-meters.ticks_until_ewe -world_meters.ticks_of_the_world alive",
            "Universe.meters Universe.world Lifespan.of_world",
        ),
    ),
)

ROLES = (KINDS, ALIKE, FOLD, UNBORN)
