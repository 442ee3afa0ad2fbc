"""A universe with controls and momentum in every place where they can stand."""

from __future__ import annotations

RINK = """
universe rink

space continuous (0 .. 4) x (-1 .. 1) { edges bounce  step 0.25  reach 0.6  momentum up to 0.75 }
start velocity (0.25, -0.125)
lifespan 30 ticks

input wind = 0 in -0.25 .. 0.25

control push  in -1 .. 1
control lift  in 0 .. 0.5
control bid   in 0.1 .. 0.7
control grip  in -3 .. -1
control extra in 1 .. 2

meter heat  = 0.5 { decay 0.01 * lift  move 0.02 * extra }
meter money = 0.5 { decay 0.002 }
world {
    meter price = 0.3
    rule prices: price = 0.5 * (price + highest(bid))
}

affordance Fan at (1, 0) {
    needs velocity x < 0.5
    capacity 2 to highest bid
    instantly { velocity y += 0.3 * push  heat += 0.1  money -= 0.02 }
}
affordance Belt at (3, 0) lasts 2 ticks {
    each tick { velocity x = 0.5 * velocity x }
    on completion { money += bid }
}
action JUMP { needs speed < 0.7  velocity y = lift  move (0.5, 0.1) }
action HOME { velocity x -= 0.5  teleport (2, 0) }

rule steers: velocity x += 0.1 * push + 0.05 * wind
rule brakes: abs(grip) > 2 and action != WAIT -> { velocity x = 0.9 * velocity x  money += 0.01 * rank(true, bid) }
cascade cold: heat < 0.2 -> { velocity y -= 0.1 * deficit  money += 0.01 * total(push * push) }

dies when heat <= 0 or (push > 0.99 and lift > 0.45)
reward speed + 0.1 * previous(velocity y) + lift
report felt: push
report spare: extra
observe { position relative  velocity  speed  meters  world }
"""
