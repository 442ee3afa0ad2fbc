"""Networks of roles as one population, of which every agent has the member of its role."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

import torch

from hamlet.errors import EnvError, shown
from hamlet.policies.acting import Role
from hamlet.policies.mlp import MLP


class World(Protocol):
    """The part of an environment that says who belongs to which role; see `hamlet.env.environment.Env`."""

    @property
    def roles(self) -> Mapping[str, Role]: ...

    @property
    def num_agents(self) -> int: ...

    @property
    def num_actions(self) -> int: ...

    @property
    def observation_names(self) -> Any: ...


def by_role(env: World, networks: Mapping[str, MLP]) -> MLP:
    """One policy of a network for each role, which rollouts play inside of kernels: `env.rollout(100, policy)`.

    Args:
        env: the environment, whose agents have these roles.
        networks: by role, an `MLP` without members. It reads what the role observes, the first so many values, and has
            a logit for each of the role's actions, in their order (`env.roles`); or it reads whole observations and has
            all actions. All have as many layers, and the same activation, `value` and `sample`.

    Raises:
        EnvError: a role has no network, or one that does not fit.
    """
    if not env.roles or not isinstance(networks, Mapping) or set(networks) != set(env.roles):
        raise EnvError(f"by_role takes a network for each of the roles {', '.join(env.roles)}, not {shown(networks)}")
    first = next(iter(networks.values()))
    for name, network in networks.items():
        if not isinstance(network, MLP) or network.members is not None:
            raise EnvError(f"the network of {name} is an MLP without members, not {shown(network)}")
        for what in ("activation", "value", "sample"):
            if getattr(network, what) != getattr(first, what):
                raise EnvError(f"all networks have the same {what}")
        if len(network.weights) != len(first.weights) or network.device != first.device:
            raise EnvError("all networks have as many layers, on one device")
    inputs, actions = len(env.observation_names), env.num_actions
    whole = [_whole(role, networks[name], inputs, actions) for name, role in env.roles.items()]
    layers = [_stacked([each[number] for each in whole]) for number in range(len(first.weights))]
    of_agents = [0] * env.num_agents
    for member, role in enumerate(env.roles.values()):
        for agent in role.agents:
            of_agents[agent] = member
    weights, biases = zip(*layers, strict=True)
    return MLP(weights, biases, first.activation, first.value, first.sample, of_agents)


def _whole(role: Role, network: MLP, inputs: int, actions: int) -> list[tuple[torch.Tensor, torch.Tensor]]:
    """The layers of a network that reads whole observations, and has all actions."""
    own = len(role.observation_names), len(role.action_numbers)
    layers = list(zip(network.weights, network.biases, strict=True))
    if (network.inputs, network.actions) == (inputs, actions):
        return layers
    if (network.inputs, network.actions) != own:
        raise EnvError(f"{network} is for {role.name}, which observes {own[0]} values and has {own[1]} actions")
    weight, bias = layers[0]
    layers[0] = torch.nn.functional.pad(weight, (0, inputs - own[0])), bias
    weight, bias = layers[-1]
    rows = [*role.action_numbers, *([actions] if network.value else [])]
    heads, biases = weight.new_zeros(actions + network.value, weight.shape[1]), bias.new_zeros(actions + network.value)
    heads[rows], biases[rows] = weight.detach(), bias.detach()
    layers[-1] = heads, biases
    return layers


def _stacked(layers: list[tuple[torch.Tensor, torch.Tensor]]) -> tuple[torch.Tensor, torch.Tensor]:
    """A layer of all members, whose outputs and inputs that there are not have zeros."""
    outputs, inputs = (max(weight.shape[axis] for weight, _ in layers) for axis in (0, 1))
    weights = layers[0][0].new_zeros(len(layers), outputs, inputs)
    biases = layers[0][1].new_zeros(len(layers), outputs)
    for member, (weight, bias) in enumerate(layers):
        weights[member, : weight.shape[0], : weight.shape[1]] = weight.detach()
        biases[member, : len(bias)] = bias.detach()
    return weights, biases
