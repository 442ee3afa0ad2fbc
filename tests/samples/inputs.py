"""Random inputs for functions of the tick IR."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from hamlet import schema
from hamlet.universe import Grid, Universe
from hamletc.ir.function import Function
from hamletc.ir.ops import Input, Type
from hamletc.passes.ranges import Facts


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
        elif node.type is Type.BOOL:
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
