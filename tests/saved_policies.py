"""Files of policies with random weights, as a training leaves them."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from hamlet import schema
from hamlet.package.module import Module
from hamlet.policies.files import Array, written
from hamlet.policies.parts import parts_of


def about_of(module: Module, hidden: tuple[int, ...], **others: Any) -> dict[str, Any]:
    """What a file says of a network for a universe."""
    universe = module.universe
    sizes = {
        "inputs": schema.observation_rows(universe),
        "hidden": list(hidden),
        "actions": len(schema.action_names(universe)),
        "controls": len(universe.controls),
    }
    names = {"universe": module.name, "digest": module.digest, "parts": parts_of(universe)}
    return {"format": 1, "seed": 7, "activation": "tanh", **names, **sizes, **others}


def tensors_of(about: dict[str, Any], seed: int = 0) -> dict[str, Array]:
    """Weights that go with it, of a size that makes likely and unlikely actions."""
    random = np.random.Generator(np.random.Philox(seed))
    memory = about.get("memory", 0)
    reads = 2 * about["inputs"] + about["actions"] if memory else about["inputs"]
    sizes = [reads, *about["hidden"], about["actions"] + about["controls"] + 1]
    tensors: dict[str, Array] = {}
    if memory:
        tensors["memory.weights"] = random.normal(0, 0.4, (2 * memory, sizes[1])).astype(np.float32)
        tensors["memory.biases"] = random.normal(-0.5, 0.3, 2 * memory).astype(np.float32)
    for number, (inputs, outputs) in enumerate(pairwise(sizes)):
        size = 0.7 if number < len(about["hidden"]) else 0.2
        inputs += memory if number == 1 else 0
        tensors[f"weights.{number}"] = random.normal(0, size, (outputs, inputs)).astype(np.float32)
        tensors[f"biases.{number}"] = random.normal(0, 0.3, outputs).astype(np.float32)
    if about["controls"]:
        tensors["log_deviations"] = random.normal(-0.5, 0.3, about["controls"]).astype(np.float32)
    return tensors


def saved(path: Path, module: Module, hidden: tuple[int, ...] = (16, 20), **others: Any) -> Path:
    """A file of a network for a universe."""
    about = about_of(module, hidden, **others)
    path.write_bytes(written(tensors_of(about), about))
    return path
