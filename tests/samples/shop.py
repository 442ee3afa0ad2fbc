"""A universe with two params, for tests of sweeps: its two ends are hunger and age."""

from __future__ import annotations

SHOP = """
universe shop
space grid 3 x 3
param wage = 0.1 in 0 .. 0.5
param hunger = 1 in 0.5 .. 4
lifespan 60 ticks
meter food = 0.5 { decay 0.03 * hunger }
affordance Stall at random { instantly { food += wage } }
affordance Bench at (0, 0) { instantly { food += 0.01 } }
dies when food <= 0
reward food
observe { meters }
"""
