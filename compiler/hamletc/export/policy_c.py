"""A policy that was learnt as one file of C and its header, with the bits of every backend."""

from __future__ import annotations

import re
from collections.abc import Sequence
from importlib.resources import files
from typing import Any

import numpy as np

from hamlet.native.texts import alone, text
from hamlet.numbers.counters import CONTROL_DRAWS
from hamlet.package.manifest import plain
from hamlet.policies.described import Described, Layers
from hamlet.policies.samples import REMEMBERED, digest_of_actions
from hamlet.universe import Universe
from hamletc import __version__
from hamletc.errors import CompileError
from hamletc.export.c import FOLDER, rendered
from hamletc.export.crew import TEST_AGENTS, TEST_ROLE, Crew, crew_of, universe_of
from hamletc.export.exported import Exported
from hamletc.export.library import library, without_comments

TEST_LANES, TEST_SEED, TEST_TICK = 64, 7, 3
"""Of the observations whose actions an export knows."""
ON_A_LINE = 8
TEMPLATE = "policy.c.j2"


def export_policy_c(policy: Described, universe: Universe | None) -> Exported:
    """The texts of a policy in C, which acts for all agents, or for those of its role.

    Args:
        universe: its own; without a role and controls it may be absent.

    Raises:
        CompileError: it is a table, or has a role or controls of which nobody says more.
        EnvError: it is for another universe.
    """
    layers, here = layers_of(policy), universe_of(policy, universe)
    crew, ranges = crew_of(policy, layers, here), ranges_of(policy, layers, here)
    name = crew.name
    networks = _without_includes(text("networks.h"))
    if layers.gates is not None:
        networks += _without_includes(alone("recall.h"))
    networks = without_comments(networks)
    sizes = [layers.weights[0].shape[1], *(len(bias) for bias in layers.biases)]
    pairs = list(zip(layers.weights, layers.biases, strict=True))
    if layers.gates is not None:
        pairs.insert(1, layers.gates)
    values: dict[str, Any] = {
        "universe": plain(policy.universe),
        "digest": policy.digest,
        "path": f"{plain(policy.path.name)} in {plain(policy.path.parent.name)}",
        "version": __version__,
        "name": name,
        "upper": name.upper(),
        "inputs": sizes[0],
        "values": layers.values,
        "remembers": layers.remembers,
        "first": sizes[1],
        "rows": sizes[-1],
        "widest": max(*sizes[1:-1], sizes[1] + layers.remembers, 2 * layers.remembers),
        "role": crew.role and plain(crew.role),
        "role_first": crew.first,
        "role_agents": crew.agents,
        "numbers": crew.numbers,
        "all_actions": crew.actions,
        "actions": layers.actions,
        "controls": layers.controls,
        "relu": layers.activation == "relu",
        "layers": [
            {
                "inputs": weight.shape[1],
                "outputs": weight.shape[0],
                "weights": _numbers(weight),
                "biases": _numbers(bias),
            }
            for weight, bias in pairs
        ],
        "log_deviations": _numbers(layers.log_deviations),
        "ranges": [", ".join(f"{float(each).hex()}f" for each in row) for row in ranges],
        "stream": CONTROL_DRAWS,
        "test_lanes": TEST_LANES,
        "test_seed": TEST_SEED,
        "test_tick": TEST_TICK,
        "test_ticks": REMEMBERED if layers.remembers else 1,
        "test_role": (TEST_AGENTS, TEST_ROLE.start, len(TEST_ROLE)),
        "test_digest": f"0x{digest_of_test(layers, crew):X}",
        "library": library(networks, files(FOLDER).joinpath(TEMPLATE).read_text(encoding="utf-8")),
        "networks": networks,
    }
    texts = {f"{name}.{end}": rendered(f"policy.{end}.j2", values) for end in ("h", "c")}
    return Exported({file: contents.encode() for file, contents in texts.items()})


def layers_of(policy: Described) -> Layers:
    """The network of a policy.

    Raises:
        CompileError: it is a table.
    """
    if not isinstance(policy.acts, Layers):
        raise CompileError(f"{policy.path} is a table, and no network: Env.tabular takes it")
    return policy.acts


def digest_of_test(layers: Layers, crew: Crew) -> int:
    """The digest of the actions that an exported policy takes in its test."""
    return digest_of_actions(layers, crew.tested(TEST_LANES), TEST_SEED, TEST_TICK, crew.numbers)


def ranges_of(policy: Described, layers: Layers, universe: Universe | None) -> np.ndarray[Any, np.dtype[np.float32]]:
    """[controls, 4] f32: of each control the middle of its range, half of its width, its least and greatest number.

    Raises:
        CompileError: nobody says them.
    """
    if universe is None:
        if layers.controls:
            raise CompileError(f"{policy.path} has controls, and no package beside it says their ranges: name its run")
        return np.zeros((0, 4), np.float32)
    low, high = (np.array([getattr(each, end) for each in universe.controls], np.float32) for end in ("low", "high"))
    # Halves first: the sum of two numbers can be infinite.
    return np.stack([low / 2 + high / 2, high / 2 - low / 2, low, high], axis=1)


def _without_includes(text: str) -> str:
    return re.sub(r'^#include "[^"]+"$', "", text, flags=re.MULTILINE)


def _numbers(array: np.ndarray[Any, Any]) -> Sequence[str]:
    """Numbers of C, in lines."""
    spelled = [f"{value.hex()}f" for value in array.reshape(-1).astype(np.float64).tolist()]
    return [", ".join(spelled[begin : begin + ON_A_LINE]) for begin in range(0, len(spelled), ON_A_LINE)]
