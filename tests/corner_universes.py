"""Universes for corners of the compiler that the others do not reach: found by altering it (tests/mutation)."""

from __future__ import annotations

CORNERS = {
    # Velocities on a grid, where custom actions displace, too.
    "swift": """
universe swift
space grid 5 x 4 { edges clamp  distance manhattan }
meter fuel = 1 { decay 0.02 }
affordance Pump at random { instantly { fuel += 0.3 } }
action LEAP { fuel -= 0.01 * (1 + speed)  move (2, 1) }
action HOME { teleport (0, 0) }
dies when fuel <= 0
reward fuel + 0.1 * speed - 0.1 * velocity x
observe { position relative  velocity  meters }
""",
    # A velocity and a speed before the first tick.
    "launched": """
universe launched
space grid 5 x 4 { edges bounce }
start velocity (0.5, -3) speed 7.25
lifespan 6 ticks
meter fuel = 1 { decay 0.02 + 0.01 * previous(speed) }
affordance Pump at random { instantly { fuel += 0.3 } }
action LEAP { fuel -= 0.01 * (1 + speed)  move (2, 1) }
allow LEAP when velocity y > -2
reward fuel + 0.1 * speed - 0.1 * previous(velocity x)
observe { velocity  speed  meters }
""",
    # All elementary functions.
    "curves": """
universe curves
space none
lifespan 30 ticks
meter warm = 3 in -40 .. 40 { decay 0.01 }
meter cold = 0.5 in 0.001 .. 90
meter sum = 0 in -1000 .. 1000
rule powers: sum = exp(warm * 0.1) + exp2(warm * 0.25) + pow(cold, 1.7) + pow(cold, -0.4)
rule roots: sum = sum + sqrt(cold) + log(cold) - log2(cold)
rule waves: sum = sum * 0.1 + sin(warm) * cos(cold)
rule bends: sum = sum * 0.1 + tanh(warm * 0.2) - sigmoid(warm * 0.1)
affordance Fire { instantly { warm += 2.3  cold -= 1.1 } }
affordance Ice { instantly { warm -= 3.7  cold += 5.3 } }
dies when warm <= -40
reward sum
observe { meters  lifetime }
""",
    # Zeros of both signs, and which of two equal numbers is the least and the greatest.
    "zeros": """
universe zeros
space none
meter a = 0.5 in -1 .. 1
meter b = 0.5 in -1 .. 1
meter c = 0 in -1 .. 1
rule greatest: c = max(a, b)
rule least: c = min(c, min(a, b) * 0.5)
affordance Scales { needs a > b  instantly { a = 0  b = -a } }
affordance Pans { needs c > 0.1  instantly { b = 0  a = -b } }
action SHAKE { a -= 0.25 * b  b += 0.125 }
reward max(a, b)
report least: min(a, b)
report within: clamp(a, b, 0.5)
report below: clamp(0, a, b)
report other: (if a < b then a else b) * -abs(a)
observe { meters }
""",
    # Windows on grids too large for a bit per cell, with places that move and without.
    "field": """
universe field
space grid 100 x 90 { edges clamp  distance manhattan  places stored  starts anywhere }
meter fuel = 1 { decay 0.02 }
affordance Base at (3, 4) { instantly { fuel += 0.3 } }
affordance Camp at random lasts 2 ticks { each tick { fuel += 0.2 } }
dies when fuel <= 0
reward fuel - 0.001 * distance to Camp
observe { window 1  meters  here }
""",
    "steppe": """
universe steppe
space grid 100 x 90 { edges wrap  distance manhattan  starts anywhere }
meter fuel = 1 { decay 0.02 }
affordance Base at (3, 4) { instantly { fuel += 0.3 } }
affordance Camp at random lasts 2 ticks { each tick { fuel += 0.2 } }
affordance Hut at (99, 89) { instantly { fuel += 0.1 } }
dies when fuel <= 0
reward fuel - 0.001 * distance to Camp
observe { window 1  meters  here  progress }
""",
    # Rows of tables with different counts of numbers.
    "uneven": """
universe uneven
space grid 6 x 5 { edges wrap  distance chebyshev }
clock 6 hours
meter food = 0.6 in 0 .. 2 { decay 0.01 }
meter mood = 0.5 { decay 0.02 }
param wear = 1 in 0 .. 2
cascade a: food < 0.4 -> mood -= 0.1 * deficit
cascade b: mood < 0.3 -> { food -= 0.1 * deficit + 0.02 * shortfall  mood += 0.05 * wear }
cascade c: mood < 0.5 -> { mood += 0.2 * deficit  food -= 0.1 * deficit  mood -= 0.01 }
cascade d: mood < 0.7 -> food -= min(food, 0.3) * 0.01
affordance Stall at random { instantly { food += 0.3 } }
affordance Inn at random open 2 .. 5 lasts 2 ticks {
    needs mood > 0.1
    each tick { food += 0.25 * mood + 0.125 }
    on completion { mood += 0.3  food -= 0.06 }
}
affordance Bench at random lasts 3 ticks { on completion { mood += 0.25 } }
affordance Bar at random lasts 3 ticks { on completion { mood += 0.35 } }
dies when food <= 0
reward food * mood
observe { position scaled  meters  here  progress }
""",
}
