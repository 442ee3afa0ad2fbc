"""Universes for tests of the lowering and the passes: the shipped ones and odd ones, and random inputs for them."""

from __future__ import annotations

from functools import cache
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from corner_universes import CORNERS
from hamlet import schema
from hamlet.universe import Grid, Universe
from hamletc.compile import check
from hamletc.ir.function import Function
from hamletc.ir.ops import Input, Type
from hamletc.language.source import Source
from hamletc.passes.ranges import Facts
from hamletc.read import parsed
from many_universes import many_affordances, many_cascades
from new_universes import NEW

SHIPPED = Path(__file__).parents[1] / "universes"

ODD = {
    "wrap": """
universe wrap
space grid 5 x 3 x 2 { edges wrap  distance euclidean }
clock 10 hours
lifespan 60 ticks { reward 0.5 }
param difficulty = 1.0 in 0 .. 4
meter spark = 0.7 in -0.5 .. 1 { decay 0.01 * difficulty  move 0.002 }
meter tide = 3 in 0 .. 5 { decay 0.05 * tide  interact 0.1 }
meter steps = 0 in 0 .. 100
meter health = 1 { decay 0.003 }
rule grow: steps += (hour + 1) * 0.25
rule night: hour >= 7 or hour < 2 -> { spark -= 0.02  together { tide += 0.5  tide -= 0.6  health += 0.001 } }
rule near: distance to Shop < 2 -> tide += if tide != 2 then min(tide, 0.1) else max(0, spark, -0.5)
cascade thin: tide < 1.5 -> { health -= 0.05 * deficit  spark -= 0.01 * shortfall }
rule old: age > 20 and not here == Den -> { health -= 0.01 unclamped  health += 0.005 }
rule full: steps >= 100 -> steps = clamp(steps - 100, 0, 1) / (1 + difficulty)
affordance Shop at (2, 0, 1) open 2 .. 8 { needs spark >= 0  instantly { tide += 2  spark -= 0.1 } }
affordance Den at random open 6 .. 3 lasts 3 ticks {
    each tick { health += 0.02  tide -= 0.05 }
    on completion { spark += 0.3 }
}
affordance Cave at random lasts 2 ticks { needs health > 0.2  on completion { tide += 1 } }
affordance Well at (0, 1, 0) { instantly { spark += abs(tide - 3)  health -= 0.5 * spark } }
action SPRINT { needs tide > 0.5  tide -= 0.2  move (2, 0, -1) }
action HOME { spark -= 0.05  teleport (0, 0, 0) }
dies when health <= 0.01 or spark < -0.4
reward health * 0.5 + 0.1 when not here == nothing
observe { grid  window 1  position scaled  meters  here  time  progress per 7  lifetime  params }
""",
    "bounce": """
universe bounce
space grid 13 { edges bounce  distance chebyshev }
meter fuel = 5 in 0 .. 10 { decay 0.1  move 0.05  interact 0.02 }
affordance Pump at random { instantly { fuel += 3 } }
affordance Tank at random lasts 2 ticks { each tick { fuel += 0.5 }  on completion { fuel += 1 } }
dies when fuel <= 0
reward fuel - 0.1 * distance to Pump
observe { window 3  position absolute  meters  progress }
""",
    "sticky": """
universe sticky
space grid 6 x 3 { edges sticky }
lifespan 30 ticks
meter fuel = 1 { decay 0.03 }
meter mood = 0.5
rule drift: fuel > 0.5 -> mood -= 0.4 unclamped
rule back: mood < -0.5 -> mood = 0.5
affordance Pump at (5, 2) { instantly { fuel += 0.3  mood += 0.125 } }
action JUMP { mood += 0.5  move (3, 1) }
reward fuel + mood
observe { grid  position relative  here }
""",
}

LARGE = {
    "meadow": """
universe meadow
space continuous (-1.5 .. 2.5) x (0 .. 3.3) { step 0.55  reach 0.9  edges bounce  distance chebyshev }
clock 12 hours
lifespan 40 ticks { reward 0.5 }
track uses
param hunger = 1 in 0 .. 2
input wind = 0.1 in -1 .. 1
meter food = 0.8 { decay 0.02 * hunger  move 0.003 }
meter joy = 0.5 in -1 .. 2 { interact 0.01 }
meter `age` = 0 in 0 .. 100
rule older: `age` += 0.5 when day_sin > 0
rule gust: wind > 0.4 and speed > 0 -> joy += 0.3 * wind * velocity x
rule fresh: streak of Pond > 2 -> joy -= 0.2
affordance Pond at (0.5, 1.25) open 3 .. 11 { instantly { joy += 0.2  food += 0.05 } }
affordance Bush at random lasts 4 ticks together {
    needs food < 0.95
    each tick { food += 0.1  joy += 0.02 }
    on completion { joy -= 0.3  `age` += 1 }
}
affordance Nest at random lasts forever { each tick { joy += 0.01 * min(progress, 9) } }
action SLIDE { needs joy > -0.5  joy -= 0.01  move (0.2, -0.35)  keeps progress }
action HOME { teleport (-1.5, 3.3) }
allow SLIDE when joy > -0.5
allow all when food > 0.05
dies when food <= 0 or joy < -0.9
reward food - 0.05 * distance to Bush
reward calm: -0.1 * abs(joy - previous(joy))
reward 0.2 when (last == Pond and not here == nothing)
report far: straight distance to Nest
report seen: visited + 0.25 * position y
report trend: exp(joy) - sqrt(food)
observe {
    position scaled  meters  here Bush nothing  time  progress per 9  velocity x y  speed
    blank 2  constant 0.5 1  lifetime
}
""",
    "galaxy": f"""
universe galaxy
space grid {" x ".join(["7"] * 40)} {{ edges wrap  places stored }}
lifespan 60 ticks
meter fuel = 3 in 0 .. 5 {{ decay 0.05  move 0.01 }}
affordance Star at random {{ instantly {{ fuel += 1 }} }}
affordance Void at ({", ".join(["3"] * 40)}) lasts 2 ticks {{ on completion {{ fuel += 2 }} }}
dies when fuel <= 0
reward fuel - 0.01 * distance to Star
observe {{ position relative  meters  here  progress }}
""",
}
"""A bit of everything; and a grid whose cells need several numbers."""

NAMES = ("town", "shifts", "first_meal", *ODD)
EVERY = (*NAMES, *NEW, *LARGE)

MANY = {"crowded": many_affordances(70, 12, fixed=True), "tangled": many_cascades(20, 6)}
"""Just enough affordances for tables; cascades, for tables where `TABLES` is the limit."""


@cache
def sample(name: str) -> Universe:
    """A shipped, an odd, a large or a new universe."""
    path = SHIPPED / f"{name}.hamlet"
    written = ODD | LARGE | MANY | NEW | CORNERS
    return universe_of(written[name] if name in written else path.read_text(encoding="utf-8"), path)


def universe_of(text: str, path: Path = Path("test.hamlet")) -> Universe:
    """The universe that a text describes."""
    source = Source(path, text)
    return check(parsed(source)).universe


def random_inputs(
    universe: Universe, function: Function, facts: Facts, lanes: int, seed: int
) -> dict[str, np.ndarray[Any, Any]]:
    """Values for the inputs of a function, as the facts allow them: spread out, and often at ends, zeros and steps."""
    generator = np.random.default_rng(seed)
    inputs: dict[str, np.ndarray[Any, Any]] = {}
    for node in function.nodes:
        if not isinstance(node.op, Input):
            continue
        name, known = node.op.name, facts.inputs.get(node.op.name)
        if node.type is Type.F32:
            low, high = (known.low, known.high) if known is not None and not known.unbounded else (-2.0, 2.0)
            inputs[name] = _floats(generator, low, high, lanes)
        elif node.type is Type.I32:
            low, high = (int(known.low), int(known.high)) if known is not None else (0, 8)
            inputs[name] = generator.integers(low, min(high, 600) + 1, lanes).astype(np.int32)
        elif node.type is Type.BOOL or node.type is Type.BOOL:
            inputs[name] = generator.random(lanes) < 0.5
        else:
            inputs[name] = generator.integers(0, 2**32, lanes, dtype=np.uint64).astype(np.uint32)
    if "action" in inputs:
        inputs["action"][generator.random(lanes) < 0.5] = schema.interact_action(universe)
    _bring_together(universe, inputs, generator.random(lanes) < 0.5)
    return inputs


def _bring_together(universe: Universe, inputs: dict[str, np.ndarray[Any, Any]], who: np.ndarray[Any, Any]) -> None:
    """In these lanes give each stored place of an affordance, in turn, the agent's position, and the last use, too."""
    rows, axes = schema.place_rows(universe), schema.axes(universe)
    if not all(f"position.{axis}" in inputs for axis in axes):
        return
    position = [inputs[f"position.{axis}"] for axis in axes]
    for axis, values in zip(axes, position, strict=True):
        if f"used_at.{axis}" in inputs:
            inputs[f"used_at.{axis}"][who] = values[who]
    if isinstance(universe.space, Grid):
        sizes = universe.space.sizes
        position = [
            np.sum(
                [prod(sizes[begin:axis]) * inputs[f"position.{axes[axis]}"] for axis in range(begin, end)],
                axis=0,
                dtype=np.int32,
            )
            for begin, end in schema.cell_words(universe.space)
        ]
    for number, affordance in enumerate(universe.affordances):
        turn = who & (np.arange(len(who)) % len(universe.affordances) == number)
        for row, values in zip(rows, position, strict=False):
            if f"place.{affordance.name}.{row}" in inputs:
                inputs[f"place.{affordance.name}.{row}"][turn] = values[turn]


def _floats(generator: np.random.Generator, low: float, high: float, lanes: int) -> np.ndarray[Any, Any]:
    values = generator.uniform(low, high, lanes).astype(np.float32)
    special = [low, high, np.nextafter(np.float32(high), np.float32(low)), low + 0.001, low + 0.005, low + 1e-41, 0.3]
    special += [0.0, -0.0] if low <= 0 <= high else []
    chosen = generator.random(lanes) < 0.5
    values[chosen] = generator.choice(np.array(special, np.float32), int(chosen.sum()))
    return np.clip(values, np.float32(low), np.float32(high))
