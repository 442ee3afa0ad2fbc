"""The content of a file with a policy, checked: a network or a table, and the universe that it is for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from hamlet.backend.protocol import Activation
from hamlet.errors import EnvError, shown
from hamlet.package.module import Module
from hamlet.policies.files import Array, read_tensors
from hamlet.policies.mlp import ACTIVATIONS
from hamlet.policies.parts import check_same
from hamlet.universe import Universe

FORMAT = 1
MOST_VALUES, MOST_OUTPUTS, MOST_LAYERS = 1 << 20, 1 << 16, 16
"""Values of an observation, outputs of a layer and hidden layers of a network, at most."""

Features: TypeAlias = tuple[str | tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class Layers:
    """A multilayer perceptron.

    Attributes:
        weights: of hidden layers, then of the heads: [outputs, inputs] f32 each.
        biases: [outputs] f32 each.
        activation: of hidden layers.
        actions, controls: the heads have a row for each of these, then one for the value.
        log_deviations: [controls] f32, the logarithms of the standard deviations of controls in units of half of their
            ranges.
        gates: of a memory, weights [2 * numbers, outputs of the first layer] and biases f32, gates first, then what is
            new; `None` without one. The second layer reads what the first one gives, then what is remembered.
    """

    weights: tuple[Array, ...]
    biases: tuple[Array, ...]
    activation: Activation
    actions: int
    controls: int
    log_deviations: Array
    gates: tuple[Array, Array] | None = None

    @property
    def values(self) -> int:
        """The values of an observation. A network with a memory also reads how they have changed, and its last
        action."""
        reads = int(self.weights[0].shape[1])
        return reads if self.gates is None else (reads - self.actions) // 2

    @property
    def remembers(self) -> int:
        """How many numbers are remembered."""
        return 0 if self.gates is None else len(self.gates[1]) // 2


@dataclass(frozen=True, slots=True)
class Table:
    """A table of probabilities, as `Env.tabular` takes it.

    Attributes:
        probabilities: f32, an axis for each feature, then one for the actions.
        features: the feature of each axis, with its number of bins where it has any.
    """

    probabilities: Array
    features: Features


@dataclass(frozen=True, slots=True)
class Described:
    """A policy, and what its file says of it.

    Attributes:
        path: the file.
        universe, digest: the name of its universe, and the SHA-256 of that one's `universe.json`.
        parts: the digests of the parts of the universe (`hamlet.policies.parts`); `None` in files of before there were
            any, and of other programs.
        seed: of the training.
        update: after which a checkpoint was written; `None` at the end of a training.
        acts: the policy itself.
        about: all that the file says.
    """

    path: Path
    universe: str
    digest: str
    parts: Mapping[str, str] | None
    seed: int
    update: int | None
    acts: Layers | Table
    about: Mapping[str, Any]

    def check(self, module: Module) -> None:
        """Raise `EnvError` unless the policy is for this universe, see `hamlet.policies.parts.check_same`."""
        self.check_version(module.universe, module.digest)

    def check_version(self, universe: Universe, digest: str) -> None:
        """The same, for a universe whose `universe.json` has this SHA-256."""
        check_same(self.path, self.universe, self.digest, self.parts, universe, digest)


def read_described(path: Path) -> Described:
    """The policy in a file of `hamletc train`, or of an example that learns.

    Raises:
        EnvError: it cannot be read, is damaged, has no policy that is played here, or has numbers that are not finite.
    """
    return described(path, *read_tensors(path))


def described(path: Path, tensors: Mapping[str, Array], about: Mapping[str, Any]) -> Described:
    """The policy that these arrays of a file are, with what it says about them.

    Raises:
        EnvError: it has no policy that is played here, or numbers that are not finite.
    """
    if about.get("format") != FORMAT:
        raise EnvError(f"{path} has format {shown(about.get('format'))}, and this hamletc reads {FORMAT}")
    universe, digest, parts = (about.get(name) for name in ("universe", "digest", "parts"))
    seed, update = about.get("seed"), about.get("update")
    numbers = [seed, 0 if update is None else update]
    check_said(path, universe, digest, parts)
    if not all(type(each) is int and 0 <= each < 1 << 64 for each in numbers):
        raise EnvError(f"{path} says no seed of its training")
    if (program := about.get("program")) is not None:
        raise EnvError(
            f"{path} has a network that {program} plays: python examples/{program} --universe UNIVERSE --play {path}"
        )
    acts = _table(path, tensors, about) if "features" in about else _layers(path, tensors, about)
    return Described(path, str(universe), str(digest), parts, int(seed or 0), update, acts, about)


def check_said(path: Path, universe: Any, digest: Any, parts: Any) -> None:
    """Raise `EnvError` unless a file says which universe it is for; `parts` are digests by name, or `None`."""
    texts = [universe, digest, *(parts or {}), *(parts or {}).values()] if isinstance(parts, dict | None) else [None]
    if not all(isinstance(each, str) and each.isprintable() for each in texts):
        raise EnvError(f"{path} does not say which universe it is for")


def _table(path: Path, tensors: Mapping[str, Array], about: Mapping[str, Any]) -> Table:
    axes, probabilities = about["features"], tensors.get("probabilities")
    listed = isinstance(axes, list)
    named = listed and all(
        isinstance(axis, str) or (isinstance(axis, list) and [type(part) for part in axis] == [str, int])
        for axis in axes
    )
    if probabilities is None or not named:
        raise EnvError(f"{path} has no table of probabilities by features")
    if probabilities.dtype != np.float32 or probabilities.ndim != len(axes) + 1:
        raise EnvError(f"{path} has a table with other axes than its features")
    _check_finite(path, {"probabilities": probabilities})
    return Table(probabilities, tuple(axis if isinstance(axis, str) else (axis[0], axis[1]) for axis in axes))


def _layers(path: Path, tensors: Mapping[str, Array], about: Mapping[str, Any]) -> Layers:
    activation = about.get("activation", "tanh")
    if activation not in ACTIVATIONS:
        raise EnvError(f"{path} has the activation {shown(activation)}: it is one of {', '.join(ACTIVATIONS)}")
    # Files of before there were controls say nothing of them, and have none.
    inputs, hidden, actions, controls = (
        about.get(name, less) for name, less in (("inputs", None), ("hidden", None), ("actions", None), ("controls", 0))
    )
    sound = isinstance(hidden, list) and 1 <= len(hidden) <= MOST_LAYERS
    sound = sound and all(_within(each, 1, MOST_OUTPUTS) for each in (*hidden, actions))
    memory = about.get("memory", 0)
    sound = sound and (memory == 0 or (_within(memory, 1, MOST_OUTPUTS) and len(hidden) > 1))
    if not sound or not _within(inputs, 1, MOST_VALUES) or not _within(controls, 0, MOST_OUTPUTS):
        raise EnvError(f"{path} does not say the sizes of its network")
    sizes = [2 * inputs + actions if memory else inputs, *hidden, actions + controls + 1]
    shapes: dict[str, tuple[int, ...]] = {"log_deviations": (controls,)} if controls else {}
    for number, (before, outputs) in enumerate(pairwise(sizes)):
        reads = before + memory if number == 1 else before
        shapes |= {f"weights.{number}": (outputs, reads), f"biases.{number}": (outputs,)}
    if memory:
        shapes |= {"memory.weights": (2 * memory, hidden[0]), "memory.biases": (2 * memory,)}
    for name, shape in shapes.items():
        tensor = tensors.get(name)
        if tensor is None:
            raise EnvError(f"{path} has no {name}")
        if tensor.shape != shape:
            raise EnvError(f"{path} has the {name} {[*tensor.shape]}, and its network takes {[*shape]}")
        if tensor.dtype != np.float32:
            raise EnvError(f"{path} has {name} of {tensor.dtype}, and weights are float32")
    _check_finite(path, {name: tensors[name] for name in shapes})
    layers = range(len(sizes) - 1)
    return Layers(
        tuple(tensors[f"weights.{number}"] for number in layers),
        tuple(tensors[f"biases.{number}"] for number in layers),
        activation,
        actions,
        controls,
        tensors["log_deviations"] if controls else np.zeros(0, np.float32),
        (tensors["memory.weights"], tensors["memory.biases"]) if memory else None,
    )


def _within(number: Any, low: int, high: int) -> bool:
    return type(number) is int and low <= number <= high


def _check_finite(path: Path, tensors: Mapping[str, Array]) -> None:
    for name, tensor in tensors.items():
        if not np.isfinite(tensor).all():
            raise EnvError(f"{path} has {name} that are not finite: its training diverged, so take an earlier one")
