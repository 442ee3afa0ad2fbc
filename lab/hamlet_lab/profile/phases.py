"""The phases of a tick (docs/semantics.md), and which of them a construct belongs to."""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

Phase: TypeAlias = Literal[
    "policy",
    "random draws",
    "act",
    "interact",
    "decay",
    "rules and cascades",
    "deaths",
    "reward",
    "statistics",
    "new episodes",
    "observe",
    "mask",
    "loads and stores",
    "around",
]
PHASES: tuple[Phase, ...] = get_args(Phase)
"""In the order of a tick. `around` is what belongs to no phase: the loop over ticks, who is alive, the clock."""

OF_FUNCTIONS: dict[str, Phase] = {
    "_policy": "policy",
    "_choose": "policy",
    "_situation": "policy",
    "_situate": "policy",
    "_draw": "policy",
    "_reset": "new episodes",
    "_begin": "new episodes",
    "_draws": "new episodes",
    "_cascades": "rules and cascades",
    "_count": "statistics",
    "_scene": "observe",
    "_look": "observe",
    "_observe": "observe",
    "_survey": "observe",
    "_encode": "observe",
    "_kept": "observe",
    "_mask": "mask",
    "_place": "loads and stores",
    "_load": "loads and stores",
    "_store": "loads and stores",
    "_store_outcome": "loads and stores",
}
"""The phases of functions in generated kernels, `_tick` apart."""


def phase_of(construct: str) -> Phase:
    """The phase of what a tick does for a construct, named as in the tick IR: `cascade hunger_sickens`."""
    match construct.split(" "):
        case ["meter", *_, "interact"] | ["interact" | "here" | "affordance" | "progress" | "leave" | "track", *_]:
            return "interact"
        case ["meter", *_, "decay"]:
            return "decay"
        case ["meter" | "action" | "space" | "move" | "state", *_]:
            return "act"
        case ["draws", *_]:
            return "random draws"
        case ["rule" | "cascade", *_]:
            return "rules and cascades"
        case ["dies" | "age" | "lifespan" | "episodes", *_]:
            return "deaths"
        case ["reward" | "report", *_]:
            return "reward"
        case _:
            return "around"
