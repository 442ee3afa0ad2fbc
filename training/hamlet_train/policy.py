"""A trained policy as a file: its weights, and the universe that they are for."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from hamlet.errors import shown
from hamlet.package.module import Module
from hamlet.policy.mlp import ACTIVATIONS
from hamlet_train.errors import TrainError
from hamlet_train.exact.network import Array, Network
from hamlet_train.files import read_tensors, write_tensors

FORMAT = 1
FILENAME = "policy.safetensors"


@dataclass(frozen=True, slots=True)
class Policy:
    """A network and its parameters; `about` is what its file says: universe, digest, seed."""

    network: Network
    parameters: Array
    about: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Table:
    """A policy that is a table, as `Env.tabular` takes it; `about` is what its file says.

    Attributes:
        probabilities: f32, an axis for each feature, then one for the actions.
        features: the feature of each axis, with its number of bins where it has any.
    """

    probabilities: Array
    features: tuple[str | tuple[str, int], ...]
    about: dict[str, Any]


def tensors_of(network: Network, parameters: Array) -> dict[str, Array]:
    """Views of the parameters by name: `weights.N` [outputs, inputs] and `biases.N` [outputs] of each layer, as
    `hamlet.MLP` takes them; and where there are controls `log_deviations` [controls], the logarithms of their standard
    deviations in units of half of their ranges."""
    tensors: dict[str, Array] = {"log_deviations": network.log_deviations(parameters)} if network.controls else {}
    for number, (weights, biases) in enumerate(network.views(parameters)):
        tensors |= {f"weights.{number}": weights, f"biases.{number}": biases}
    return tensors


def parameters_of(path: Path, network: Network, tensors: dict[str, Array]) -> Array:
    """The parameters that the tensors of a file are.

    Raises:
        TrainError: one lacks, or has another shape than it has in the network.
    """
    parameters = np.zeros(network.parameters, np.float32)
    for name, view in tensors_of(network, parameters).items():
        if name not in tensors:
            raise TrainError(f"{path} has no {name}")
        if tensors[name].shape != view.shape:
            raise TrainError(f"{path} has the {name} {[*tensors[name].shape]}, and its network takes {[*view.shape]}")
        view[:] = tensors[name]
    return parameters


def about(module: Module, network: Network, seed: int) -> dict[str, Any]:
    """The description that files with weights hold."""
    return {
        "format": FORMAT,
        "universe": module.name,
        "digest": module.digest,
        "seed": seed,
        "inputs": network.inputs,
        "hidden": list(network.hidden),
        "actions": network.actions,
        "controls": network.controls,
        "activation": "tanh",
    }


def write_policy(path: Path, module: Module, network: Network, parameters: Array, seed: int) -> None:
    """Write a policy.

    Raises:
        TrainError: the file cannot be written there.
    """
    write_tensors(path, tensors_of(network, parameters), about(module, network, seed))


def read_policy(path: Path, module: Module) -> Policy:
    """The policy in a file: that of the end of a run, or a checkpoint; see `hamlet_train.checkpoint.weights_in`.

    Raises:
        TrainError: there is none, or it is for another universe, or no network that is read here.
    """
    policy = read_any(path, module)
    if isinstance(policy, Table):
        raise TrainError(f"{path} has a table, and no network")
    return policy


def read_any(path: Path, module: Module) -> Policy | Table:
    """The network or the table in a file.

    Raises:
        TrainError: there is none, or it is for another universe, or a program has to play it.
    """
    tensors, said = read_tensors(path)
    check_about(path, said, module)
    if (program := said.get("program")) is not None:
        raise TrainError(
            f"{path} has a network that {program} plays: python examples/{program} --universe UNIVERSE --play {path}"
        )
    if "features" in said:
        return _table(path, tensors, said)
    if said.get("activation", "tanh") not in ACTIVATIONS:
        raise TrainError(
            f"{path} has the activation {shown(said['activation'])}: it is one of {', '.join(ACTIVATIONS)}"
        )
    # Files of before there were controls say nothing of them, and have none.
    network = Network(said["inputs"], tuple(said["hidden"]), said["actions"], said.get("controls", 0))
    return Policy(network, parameters_of(path, network, tensors), said)


def _table(path: Path, tensors: dict[str, Array], said: dict[str, Any]) -> Table:
    axes = said["features"]
    named = [isinstance(axis, str) or [type(part) for part in axis] == [str, int] for axis in axes]
    if "probabilities" not in tensors or not all(named):
        raise TrainError(f"{path} has no table of probabilities by features")
    return Table(tensors["probabilities"], tuple(axis if isinstance(axis, str) else tuple(axis) for axis in axes), said)


def check_about(path: Path, said: dict[str, Any], module: Module) -> None:
    """Raise `TrainError` unless a file is of this format and for this universe."""
    if said.get("format") != FORMAT:
        raise TrainError(f"{path} has format {said.get('format')}, and this hamletc reads {FORMAT}")
    if said["digest"] != module.digest:
        raise TrainError(
            f"{path} was trained on {said['universe']} ({said['digest'][:12]}), and this is {module.name} "
            f"({module.digest[:12]}): another universe, or another version of it"
        )
