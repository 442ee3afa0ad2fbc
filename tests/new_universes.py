"""Small universes, one or more for each construct beyond cells of a small grid: `NEW`, texts by name."""

from __future__ import annotations

NEW = {
    "line": """
universe line
space continuous (-1 .. 2) { step 0.25  reach 0.3  edges clamp  distance euclidean }
lifespan 40 ticks { reward 0.25 }
meter fuel = 1 { decay 0.02  move 0.01  interact 0.005 }
rule drift: fuel -= 0.001 * abs(position x) + 0.01 * speed
affordance Pump at (0.5) { instantly { fuel += 0.3 } }
affordance Well at random open 2 .. 9 { instantly { fuel += 0.2 } }
clock 12 hours
action LEAP { needs fuel > 0.3  fuel -= 0.02  move (0.7) }
action HOME { teleport (-1) }
dies when fuel <= 0
reward fuel - 0.1 * distance to Pump + 0.05 * day_sin - 0.02 * day_cos
observe { position absolute  velocity  speed  meters  here  time  lifetime }
""",
    "plane": """
universe plane
space continuous (0 .. 10) x (-3 .. 4) { step 0.5  reach 1.5  directions 8  speeds 2  edges wrap  distance chebyshev }
meter fuel = 1 { decay 0.02 }
meter calm = 0.5 in -1 .. 1
affordance Pump at (9.75, 3.5) { instantly { fuel += 0.3 } }
affordance Dock at (8.5, 2.5) lasts 3 ticks {
    needs calm > 0.2
    each tick { fuel += 0.05 }
    on completion { calm += 0.2 }
}
affordance Cove at random lasts forever { each tick { calm -= 0.01 * progress } }
action FAR { calm -= 0.05  move (-37.3, 1000.7) }
action SLIP { keeps progress  move (0.3, -0.2) }
action REST { calm += 0.02 }
dies when fuel <= 0
reward fuel + 0.01 * straight distance to Cove - 0.02 * distance to Cove
reward 0.1 when (here == Dock and not here == Pump)
observe { position relative  velocity y x  meters calm fuel  here Cove nothing Pump  progress per 10 }
""",
    "volume": """
universe volume
space continuous (0 .. 1) x (5 .. 7.5) x (-0.3 .. 0.1) { step 0.1  reach 0.7  edges bounce  distance manhattan }
lifespan 25 ticks
meter air = 1 { decay 0.03 * (1 + speed) }
affordance Vent at random { instantly { air += 0.4 } }
affordance Duct at random lasts 2 ticks together { each tick { air += 0.3  air -= 0.1 }  on completion { air += 0.2 } }
action DIVE { move (3.7, -30, 0.85) }
dies when air < 0.05
reward air - 0.1 * distance to Vent + 0.1 * straight distance to Duct + sqrt(air)
observe { position relative  speed  meters  here  progress }
""",
    "hyper": """
universe hyper
space continuous (0 .. 1) x (0 .. 2) x (0 .. 3) x (0 .. 4) {
    step 0.4  reach 2  edges sticky  distance euclidean
}
meter heat = 0.5 { decay 0.01 }
rule cool: velocity x1 > 0 -> heat -= 0.1 * velocity x1
affordance Fire at (0.5, 1, 1.5, 2) { instantly { heat += 0.2 } }
affordance Spark at random { needs position x3 < 3.5  instantly { heat += 0.1 * straight distance to Spark } }
action WARP { teleport (1, 2, 3, 4)  heat -= 0.02 }
dies when heat <= 0 or heat > 0.97
reward heat - 0.01 * distance to Spark
observe { position scaled  velocity  meters  here }
""",
    "fourfold": """
universe fourfold
space grid 5 x 3 x 4 x 2 { edges sticky  distance euclidean  places stored }
lifespan 50 ticks { reward 1 }
clock 6 hours
meter food = 1 { decay 0.02  move 0.003 }
meter mood = 0.5 { decay 0.004  interact 0.001 }
affordance Stall at (1, 1, 1, 1) open 1 .. 4 { needs mood > 0.2  instantly { food += 0.3  mood -= 0.02 } }
affordance Stage at (1, 1, 1, 1) open 3 .. 1 lasts 3 ticks {
    each tick { mood += 0.05 }
    on completion { food -= 0.05  mood += 0.1 }
}
affordance Bench at (1, 1, 1, 1) { needs mood < 0.6  instantly { mood += 0.03 * progress + 0.01 } }
affordance Cart at random lasts 2 ticks { needs food < 0.8  each tick { food += 0.1 }  on completion { mood += 0.05 } }
affordance Tree at random { instantly { food += 0.2 } }
action JUMP { teleport (1, 1, 1, 1) }
dies when food <= 0 or mood <= 0
reward food * mood - 0.01 * distance to Tree + 0.01 * straight distance to Cart
reward 0.1 when (here == Bench or here == nothing)
observe { grid  window 1  position relative  meters  here Stage nothing Cart  progress  time  lifetime }
""",
    "nowhere": """
universe nowhere
space none
lifespan 30 ticks
meter wit = 1 { decay 0.02  interact 0.01 }
meter joy = 0.5 in -1 .. 1
affordance Book { needs wit < 0.9  instantly { wit += 0.1  joy -= 0.05 } }
affordance Game lasts 4 ticks {
    needs joy < 0.2
    each tick { joy += 0.05  wit -= 0.01 * progress }
    on completion { joy += 0.3 }
}
affordance Nap lasts forever together { needs wit > 0.3  each tick { joy += 0.2  joy -= 0.3  wit += 0.01 } }
action THINK { wit += 0.03 }
track uses
dies when wit <= 0
reward wit + joy + 0.1 * visited - 0.01 * streak of Book
reward 0.25 when last == Nap
observe { meters  here  progress per 4  lifetime  blank 3  constant 0.5 -2 }
""",
    "handled": """
universe handled
space grid 6 x 5 { edges clamp  distance manhattan }
clock 8 hours
lifespan 12 ticks { reward 2 }
episodes by hand
track uses by world
param wage = 1 in 0 .. 3
input hint = 0.5 in -1 .. 1
input gain = 1 in 0 .. 2
meter energy = 1 { decay 0.06  move 0.01 }
meter money = 0.2 in 0 .. 5
rule tire: hour >= 6 and energy > previous(energy) -> energy -= 0.01
affordance Bed at (2, 3) lasts 3 ticks { each tick { energy += 0.2 }  on completion { energy += 0.1 } }
affordance Job at random open 1 .. 5 { needs energy > 0.2  instantly { money += 0.1 * wage * gain } }
action REST { energy += 0.03 }
action SPIN { needs last == Job  money -= 0.01 }
action HOP { move (2, -1)  keeps progress }
allow UP when position y > 1 or energy > 0.5
allow REST SPIN when last == Job
allow all when energy > 0.05 and not here == Job
dies when energy <= 0 or money > 4.5
reward work: money - previous(money)
reward rest: 0.1 * energy * gain when here == Bed
reward 0.05 * streak of Job + 0.01 * visited
reward age * 0.001 when (previous(energy < 0.5) and last == Bed)
report energy_left: energy + hint
report steps: age - previous(age) + abs(position x - previous(position x))
observe { position relative  meters  here  time  progress  lifetime  params }
""",
    "lasting": """
universe lasting
space grid 4 x 4 { edges bounce  distance chebyshev }
lifespan 60 ticks
track uses by agent
meter food = 1 in 0 .. 1 { decay 0.03 }
meter mood = 0.5 in -1 .. 1 { decay 0.01 }
affordance Pot at random lasts 2 ticks together {
    each tick { food += 0.4  food -= 0.1  mood += 0.1 * progress }
    on completion { mood -= 0.3  food += 0.05 }
}
affordance Sofa at (0, 0) lasts forever { each tick { mood += 0.02 * progress  food -= 0.01 } }
affordance Tap at random open 3 .. 1 lasts 3 ticks { needs food < 0.9  on completion { food += 0.6 } }
affordance Box at (3, 3) { instantly { together { food += 0.3  mood += 0.4  food -= 0.4 } } }
action SLIDE { keeps progress  move (1, 0) }
action BACK { keeps progress  move (-1, 0) }
action HOME { teleport (0, 0)  mood -= 0.01 }
clock 5 hours
dies when food <= 0 or mood <= -1
reward food + 0.1 * streak of Pot - 0.1 * streak of Sofa
reward 0.5 when (last == Box or last == nothing)
observe { grid  blank 2  meters mood  constant 3  progress per 3  here Tap  blank 1  constant 1 }
""",
    "vast": """
universe vast
space grid 5000 x 3000 x 70 x 2 { edges wrap  distance manhattan  places stored }
lifespan 20 ticks
meter fuel = 1 { decay 0.02 }
meter luck = 0.5 { decay 0.01 * (1 - luck) }
affordance Base at (0, 2999, 69, 1) { instantly { fuel += 0.2 } }
affordance Camp at random { instantly { luck += 0.3 } }
affordance Gate at (0, 2999, 69, 1) { needs fuel < 0.6  instantly { luck -= 0.05 } }
affordance Cave at random lasts 2 ticks { each tick { fuel += 0.1 }  on completion { luck -= 0.1 } }
action FLY { move (4999, -2999, 35, 1) }
action FALL { teleport (0, 2999, 69, 1) }
dies when fuel <= 0
reward luck - 0.0001 * distance to Camp
observe { position scaled  meters  here  progress }
""",
    "many_moves": """
universe many_moves
space grid 9 x 7 x 5 { edges wrap  distance manhattan  starts anywhere }
moves {
"""
    + "".join(
        f"    M{number} ({number * 5 % 17 - 8}, {number * 3 % 13 - 6}, {number % 9 - 4})\n" for number in range(200)
    )
    + """}
meter fuel = 1 { decay 0.02  move 0.01 }
affordance Base at (8, 0, 4) { instantly { fuel += 0.3 } }
affordance Camp at random lasts 2 ticks { on completion { fuel += 0.5 } }
dies when fuel <= 0
reward fuel
allow M3 M4 M5 when fuel > 0.5
observe { position absolute  meters  here  progress }
""",
    "some_moves": """
universe some_moves
space grid 7 x 2 { edges clamp  distance chebyshev  places stored  starts anywhere }
moves { STAY (0, 0)  NE (1, -1)  LONG (-6, 0)  S (0, 1) }
meter fuel = 1 { decay 0.02  move 0.05 }
affordance Base at (3, 1) { instantly { fuel += 0.3 } }
affordance Camp at random { instantly { fuel += 0.2 } }
dies when fuel <= 0
reward fuel - 0.01 * distance to Camp
allow S LONG when fuel > 0.2
observe { grid  position relative  meters  here }
""",
    "adrift": """
universe adrift
space continuous (0 .. 6) x (0 .. 6) { reach 2  edges sticky  distance euclidean }
moves { N (0, -0.7)  E (0.9, 0)  S (0, 0.7)  W (-0.9, 0)  STAY (0, 0) }
episodes by hand
track uses by world
input bonus = 0 in -1 .. 1
meter fuel = 1 { decay 0.03  interact 0.01 }
affordance Bay at (3, 3) lasts 3 ticks { each tick { fuel += 0.1 }  on completion { fuel += 0.2 } }
affordance Rig at random lasts forever { each tick { fuel += 0.02 * progress } }
affordance Raft at random { instantly { fuel += 0.05 } }
action TACK { keeps progress  move (0.2, 0.1) }
allow E when position x < 5
dies when fuel <= 0
reward fuel - previous(fuel) + 0.1 * bonus
reward far: 0.01 * straight distance to Bay - previous(0.01 * distance to Raft)
report drift: speed + previous(speed) * velocity x
observe { position relative  velocity  meters  here  progress per 3 }
""",
    "drawn": """
universe drawn
space grid 4 x 3 { edges wrap }
lifespan 25 ticks
param risk = 0.3 in 0 .. 1
meter warmth = 1 { decay uniform(0.005, 0.02)  interact integer(0, 2) * 0.01 }
meter luck = 0 in -1 .. 1 { move normal(0, 0.05) }
rule storm: chance(0.1 + 0.5 * risk) -> { warmth -= 0.1 * integer(1, 3)  luck = uniform(luck, 1) }
rule turn: luck += if chance(0.5) then choice(-0.1, 0, warmth) else -0.05
cascade chill: warmth < 0.5 -> luck -= uniform(0, 0.2) * deficit
affordance Fire at random lasts 2 ticks {
    each tick { together { warmth += uniform(0, 0.3)  luck -= 0.01 } }
    on completion { warmth = uniform(0.6, 1) }
}
affordance Well at (1, 1) { needs warmth > 0.2  instantly { luck += choice(0.2, -0.3) when chance(0.7) } }
action PRAY { luck += uniform(0, uniform(0.1, 0.4)) }
dies when warmth <= 0 or chance(0.01)
reward warmth + uniform(-0.1, 0.1) when chance(0.8)
report noise: normal(luck, warmth)
report lots: integer(-16777216, 16777216)
observe { position relative  meters  here  progress  params }
""",
}
