"""A trained policy as a file: its weights, and the universe that they are for."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from hamlet.errors import EnvError
from hamlet.package.module import Module
from hamlet.policies import opened
from hamlet.policies.by_role import parted, read_by_role
from hamlet.policies.described import FORMAT, Described, Features, Layers, described
from hamlet.policies.outside import Outside, opened_onnx
from hamlet.policies.parts import parts_of
from hamlet_train.errors import TrainError
from hamlet_train.exact.network import Array, Network
from hamlet_train.files import write_tensors
from hamletc.cli.policy import table_in

SAID = ("format", "universe", "digest", "parts", "seed", "role")
"""The entries of a file that say which policy it is, whoever keeps it."""
FILENAME = opened.FILENAME
"""The weights at the end of a training, in the folder of its run."""


@dataclass(frozen=True, slots=True)
class Policy:
    """A network and its parameters; `about` is what its file says: universe, digest, seed."""

    network: Network
    parameters: Array
    about: dict[str, Any]

    def digest(self) -> str:
        """The SHA-256 of the parameters, little-endian, in hexadecimal."""
        return sha256(self.parameters.astype("<f4").tobytes()).hexdigest()


@dataclass(frozen=True, slots=True)
class Table:
    """A policy that is a table, as `Env.tabular` takes it; `about` is what its file says.

    Attributes:
        probabilities: f32, an axis for each feature, then one for the actions.
        features: the feature of each axis, with its number of bins where it has any.
    """

    probabilities: Array
    features: Features
    about: dict[str, Any]


Played: TypeAlias = Policy | Table | Outside
"""A policy that plays all agents, or those of a role: a network of this project, a table, or a network of others."""


def tensors_of(network: Network, parameters: Array) -> dict[str, Array]:
    """Views of the parameters by name: `weights.N` [outputs, inputs] and `biases.N` [outputs] of each layer, as
    `hamlet.MLP` takes them; where there are controls `log_deviations` [controls], the logarithms of their standard
    deviations in units of half of their ranges; and of a memory `memory.weights`, `memory.biases`."""
    tensors: dict[str, Array] = {"log_deviations": network.log_deviations(parameters)} if network.controls else {}
    if network.memory:
        tensors |= zip(("memory.weights", "memory.biases"), network.gates(parameters), strict=True)
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


def about(module: Module, seed: int) -> dict[str, Any]:
    """The description that files with weights hold of their universe."""
    return {
        "format": FORMAT,
        "universe": module.name,
        "digest": module.digest,
        "parts": parts_of(module.universe),
        "seed": seed,
    }


def about_network(network: Network) -> dict[str, Any]:
    """The description of a network."""
    return {
        "inputs": network.inputs,
        "hidden": list(network.hidden),
        "actions": network.actions,
        "controls": network.controls,
        "activation": "tanh",
    } | ({"memory": network.memory} if network.memory else {})


def filename(role: str | None) -> str:
    """The file in the folder of a run with the policy of a role, or with the one that all agents share."""
    whole, suffix = FILENAME.split(".")
    return f"{whole}-{role}.{suffix}" if role else FILENAME


def write_again(path: Path, policy: Policy) -> None:
    """Write a policy of another run, with what its file says about itself.

    Raises:
        TrainError: the file cannot be written there.
    """
    said = {name: value for name, value in policy.about.items() if name in SAID}
    write_tensors(path, tensors_of(policy.network, policy.parameters), said | about_network(policy.network))


def write_policy(path: Path, module: Module, policy: Policy, seed: int, role: str | None = None) -> None:
    """Write a policy, of a role or of all agents.

    Raises:
        TrainError: the file cannot be written there.
    """
    said = about(module, seed) | about_network(policy.network) | ({"role": role} if role else {})
    write_tensors(path, tensors_of(policy.network, policy.parameters), said)


def read_policy(path: Path, module: Module) -> Policy:
    """The policy in a file that all agents share: that of the end of a run, or a checkpoint.

    Raises:
        TrainError: there is none, or it is for another universe, or no network that is read here.
    """
    policy = read_any(path, module)
    if not isinstance(policy, Policy):
        raise TrainError(f"{path} has {kind_of(policy)}, and no network that was trained here")
    return policy


def kind_of(policy: Table | Outside) -> str:
    """The words for a policy that is no network of this project."""
    return "a table" if isinstance(policy, Table) else "a network of others"


def seed_of(policy: Played) -> int:
    """The seed of its training; 0 where nobody says it."""
    return policy.seed if isinstance(policy, Outside) else int(policy.about.get("seed", 0))


def read_any(path: Path, module: Module) -> Played:
    """The policy in a file, which all agents share.

    Raises:
        TrainError: there is none, or it is for another universe, or a program has to play it.
    """
    policies = read_all(path, module)
    if None not in policies:
        raise TrainError(f"{path} has a policy for {' and '.join(map(str, policies))}, and none that all agents share")
    return policies[None]


def read_all(path: Path, module: Module) -> dict[str | None, Played]:
    """The policies of a run or in a file, by role; `None` is the role of one that all agents share. A file may also be
    of ONNX, or JSON with a table.

    Raises:
        TrainError: there is none, or it is for another universe, or a program has to play it.
        CompileError: the file cannot be read, or is JSON of something else.
    """
    try:
        if path.suffix == opened.ONNX and not path.is_dir():
            network = opened_onnx(path, greedy=False)
            network.check(module)
            return {None: network}
        table = table_in(path)
        if table is not None:
            return {None: Table(_probabilities(path, table["table"]), table["features"], {})}
        policies = read_by_role(path)
        for policy in policies.values():
            policy.check(module)
    except EnvError as error:
        raise TrainError(str(error)) from error
    roles = [None, *(role.name for role in module.universe.roles or ())]
    return {role: _read(policies[role]) for role in roles if role in policies}


def _probabilities(path: Path, table: Any) -> Array:
    try:
        return np.asarray(table, np.float32)
    except (ValueError, TypeError, OverflowError) as error:
        raise TrainError(f"{path} has a table that is no array of numbers") from error


def _read(policy: Described) -> Policy | Table:
    about = dict(policy.about)
    match policy.acts:
        case Layers() as layers:
            hidden = tuple(len(bias) for bias in layers.biases[:-1])
            network = Network(layers.values, hidden, layers.actions, layers.controls, layers.remembers)
            parameters = np.zeros(network.parameters, np.float32)
            for views, weights, biases in zip(network.views(parameters), layers.weights, layers.biases, strict=True):
                views[0][:], views[1][:] = weights, biases
            network.log_deviations(parameters)[:] = layers.log_deviations
            if layers.gates is not None:
                for view, gates in zip(network.gates(parameters), layers.gates, strict=True):
                    view[:] = gates
            return Policy(network, parameters, about)
        case table:
            return Table(table.probabilities, table.features, about)


def check_for(
    path: Path, tensors: dict[str, Array], said: dict[str, Any], module: Module
) -> dict[str | None, tuple[dict[str, Array], dict[str, Any]]]:
    """The content of a file by role, see `hamlet.policies.by_role.parted`.

    Raises:
        TrainError: its tensors are no policies for this universe.
    """
    try:
        parts = parted(path, tensors, said)
        for each in parts.values():
            described(path, *each).check(module)
    except EnvError as error:
        raise TrainError(str(error)) from error
    return parts
