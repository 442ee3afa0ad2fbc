"""Which universes show what a mutant does, in programs and in kernels of each target: the quick ones first."""

from __future__ import annotations

from samples import CORNERS

LATER = (
    *("bus", "lessons", "kata", "garden", "market", "commute", "wolves", "potions", "seasons", "tools", "cartpole"),
    *("hex", "momentum", "hidden_prey", "workshop", "berries", "moss", "forest_fire"),
)
"""Universes of the gallery with what changes, lies about, spreads, moves, and meets."""

PROGRAMS = (
    *("wrap", "handled", "lasting", "nowhere", "volume", "plane", "some_moves", "line", "adrift", "hyper"),
    *("fourfold", "sticky", "bounce", "first_meal", "meadow", "town", "drawn", "many_moves", "shifts", "tangled"),
    *("lines", "luck", "valley", "queue", "maze", "herd", "effects", "epidemic", "stateful"),
    *(*CORNERS, *(f"gallery/{name}" for name in LATER), "crowded", "vast", "galaxy"),
    "regressions/walks_that_ask_what_all_have",
)
"""The quick ones first."""

TRITON = (
    "nowhere",
    "plane",
    "handled",
    "some_moves",
    "wrap",
    "drawn",
    "lasting",
    "queue",
    "plots",
    "huddle",
    "crowded",
    "herd",
    "brood",
    "feast",
    "heath",
    "gallery/market",
    "gallery/moss",
    "gallery/bus",
)
KERNELS = (
    "adrift",
    "wrap",
    "nowhere",
    "drawn",
    "lasting",
    "many_moves",
    "first_meal",
    "stroll",
    "queue",
    "plots",
    "huddle",
    "ledger",
    "herd",
    "brood",
    "feast",
    "depot",
    "gallery/cooldowns",
    "gallery/hex",
    "gallery/moss",
)
EXECUTED = (
    "nowhere",
    "line",
    "queue",
    "herd",
    "maze",
    "epidemic",
    "gallery/moss",
    "gallery/forest_fire",
    "gallery/bus",
    "plots",
    "huddle",
    "brood",
    "feast",
    "regressions/walks_that_ask_what_all_have",
)
"""Programs that are executed in the order of their schedules for mutants of these, and of what executes them."""
HEADER = ("adrift", "first_meal", "plots", "herd", "gallery/moss")
"""Kernels in C for mutants of what they are made of: all of them are compiled anew for each."""
