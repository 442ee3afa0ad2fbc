"""What happens in a base, and where a change of it shows."""

from __future__ import annotations

import re
from collections.abc import Sequence

import torch

from hamlet import schema
from hamlet.backend.buffers import Shape, allocate
from hamlet.backend.protocol import Backend, Stream
from hamlet.interpreter import Interpreter
from hamlet.universe import Universe
from hamlet_lab.divergence.arrays import Array, arrays, raw
from wiring.wire import Base

Rows = dict[str, torch.Tensor]
"""The bits of all values after a tick by `array.row`, or by `array`; [lanes], or [worlds]."""

SHAPE = Shape(6, 2)
STREAM = Stream(5, 0)
CPU = torch.device("cpu")


def run(base: Base, universe: Universe, backend: Backend | None = None) -> list[Rows]:
    """All values after the reset and after every tick; on the interpreter, or on another backend."""
    backend = backend or Interpreter(universe, CPU)
    buffers = allocate(universe, SHAPE, CPU, torch.float32)
    backend.reset(buffers, STREAM)
    result = [_rows(arrays(universe, buffers, None))]
    numbers = schema.action_names(universe)
    for tick, name in enumerate(base.actions.split()):
        actions = torch.tensor([numbers.index(each) for each in _by_agent(name)], dtype=torch.int32).repeat(
            SHAPE.worlds
        )
        backend.step(buffers, actions, Stream(STREAM.seed, tick))
        result.append(_rows(arrays(universe, buffers, None)))
    return result


def _by_agent(actions: str) -> list[str]:
    names = actions.split("/")
    return [names[agent % len(names)] for agent in range(SHAPE.agents)]


def _rows(found: Sequence[Array]) -> Rows:
    result: Rows = {}
    for array in found:
        for row, values in zip(array.rows, array.values, strict=True):
            result[f"{array.name}.{row}" if row else array.name] = raw(values.clone())
    return result


def shows(before: list[Rows], after: list[Rows]) -> tuple[int, str]:
    """After how many ticks two runs differ first, and where: see `Wire.shows`.

    Raises:
        ValueError: they are equal.
    """
    for tick, (left, right) in enumerate(zip(before, after, strict=True)):
        found = [f"-{name}" for name in left if name not in right] + [f"+{name}" for name in right if name not in left]
        found += [name for name in left if name in right and not torch.equal(left[name], right[name])]
        found = [re.sub(r"\[.*\]", "", name).replace(" ", "_") for name in found]
        plain = [name for name in found if "observation." not in name and name != "episode_return"]
        observed = [name for name in found if "observation." in name and "final_" not in name]
        if plain or observed:
            return tick, " ".join(sorted(set(plain or observed)))
    raise ValueError("nothing differs")
