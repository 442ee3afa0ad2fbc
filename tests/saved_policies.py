"""Files of policies with random weights, as a training leaves them."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

import hamlet
from hamlet import schema
from hamlet.package.module import Module
from hamlet.policies.files import Array, written
from hamlet.policies.parts import parts_of
from hamlet.schema.observed import role_names
from hamlet.schema.roles import actions_of

FERRIES = """universe ferries
space none
lifespan 20 ticks
control rudder in -1 .. 3
meter course = 0 in -10 .. 10
role buoy: 1 agents {
    action SINK { course -= 0.2 }
    observe { meters course  blank 2 }
}
role boat: 2 agents {
    action RING { course -= 0.1 }
    action TURN { course += 0.3 }
    observe { meters course }
}
role gull: others {
    observe { meters course  bad: abs(course) }
}
rule turns: course += rudder * uniform(0, 0.5)
dies when abs(course) > 9
reward 1
"""
ROLES = {"buoy": {"hidden": (8,)}, "boat": {"hidden": (5, 9, 4), "memory": 6}, "gull": {"hidden": (7, 8)}}


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


def run_of_roles(folder: Path, text: str = FERRIES) -> Path:
    """The folder of a run whose roles have policies with random weights, of other sizes each."""
    source, run = folder / f"{text.split()[1]}.hamlet", folder / "run"
    source.write_text(text)
    module = hamlet.compile(source, run / "package")
    (run / "manifest.json").write_text("{}")
    for number, (name, others) in enumerate(ROLES.items()):
        save_role(run, module, name, number, **others)
    return run


def save_role(run: Path, module: Module, name: str, seed: int, hidden: tuple[int, ...], **others: object) -> Path:
    """A file of a network for a role."""
    role = next(each for each in module.universe.roles or () if each.name == name)
    sizes = {"inputs": len(role_names(module.universe, role)), "actions": len(actions_of(role, module.universe))}
    about = about_of(module, hidden, role=name, **sizes, **others)
    path = run / f"policy-{name}.safetensors"
    path.write_bytes(written(tensors_of(about, seed), about))
    return path
