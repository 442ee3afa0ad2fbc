"""Small multilayer perceptrons as policies, which `Env.rollout` runs inside of its kernels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal

import torch

from hamlet.arguments import dense, flag, whole, word
from hamlet.backend.protocol import Activation, Decided, NetworkPolicy
from hamlet.errors import EnvError, shown
from hamlet.interpreter.networks import decide

ACTIVATIONS: tuple[Activation, ...] = ("tanh", "relu")
MOST_WIDTH = 64
"""Outputs of a hidden layer."""
MOST_HIDDEN = 2
WHOLE = 32
"""The largest vector of any compiler: memories, and the layer before them, are whole ones."""
MEMORIES = tuple(range(WHOLE, MOST_WIDTH + 1, WHOLE))
"""Numbers that an agent can remember."""
MOST_WEIGHT = 2.0**20
"""The largest size of a weight: with observations of at most this size no sum of a network overflows."""
MOST_PRODUCT = MOST_WEIGHT**2
"""The largest size of a weight times a value: values of more than 2**20 have smaller weights."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class MLP:
    """A multilayer perceptron that chooses actions: `env.rollout(100, policy)` runs it on every backend with the same
    bits, which docs/semantics.md ("Policies") defines. Weights may change in place between rollouts.

    Attributes:
        weights: of one or two hidden layers, then of the heads: [outputs, inputs] f32 each, as `torch.nn.Linear` has
            them. The first has an input for each value of an observation, hidden layers have 1 .. 64 outputs, and the
            heads have one for each action (its logit), then one for the value, where there is one. [members,
            outputs, inputs] is a population: consecutive worlds share a member, as many for each.
        biases: of the same layers: [outputs] f32, or [members, outputs].
        activation: of hidden layers, "tanh" or "relu".
        value: whether the last row of the heads is a value rather than a logit.
        sample: whether actions are drawn by their probabilities, the softmax of the logits that the mask allows.
            Otherwise the allowed action of the highest logit is taken.
        of_agents: of a population, the member of each agent of a world, in every world: roles have policies of their
            own. By default members are of worlds.
        gates: weights [2 * numbers, outputs of the first layer] and biases of a memory between two hidden layers with
            tanh, gates first, then what is new: docs/semantics.md ("Memory") says what the layers then read. `None`
            without one; a network with a memory has no members.

    Raises:
        EnvError: the tensors have other shapes or types, or are on several devices; or, on a CPU, a weight is not
            finite or larger than 2**20.

    Example:
        policy = hamlet.MLP.random(len(env.observation_names), env.num_actions, seed=1)
        env.rollout(20, policy)
    """

    weights: Sequence[torch.Tensor]
    biases: Sequence[torch.Tensor]
    activation: Literal["tanh", "relu"] = "tanh"
    value: bool = True
    sample: bool = True
    of_agents: Sequence[int] | None = None
    gates: tuple[torch.Tensor, torch.Tensor] | None = None

    def __post_init__(self) -> None:
        word("activation", self.activation, ACTIVATIONS)
        flag("value", self.value)
        flag("sample", self.sample)
        object.__setattr__(self, "weights", _tensors("weights", self.weights))
        object.__setattr__(self, "biases", _tensors("biases", self.biases))
        if self.gates is not None:
            object.__setattr__(self, "gates", _pair(self.gates))
        _check_shapes(self.weights, self.biases, self.remembers)
        if self.gates is not None:
            self._check_gates(*self.gates)
        if self.rows <= self.value:
            raise EnvError("the heads have a row for each action, and one for the value if value=True: there is none")
        if self.of_agents is not None:
            object.__setattr__(self, "of_agents", _members(self.of_agents, self.members))

    @classmethod
    def random(
        cls,
        inputs: int,
        actions: int,
        hidden: Sequence[int] = (64, 64),
        activation: Literal["tanh", "relu"] = "tanh",
        value: bool = True,
        sample: bool = True,
        members: int | None = None,
        seed: int = 0,
        device: torch.device | str = "cpu",
    ) -> MLP:
        """A network with weights drawn uniformly within sqrt(3 / inputs) of each layer, a hundredth of that in the
        heads, and biases of 0; with `members` a population. The same seed gives the same weights on every device.

        Raises:
            EnvError: an argument is out of range.

        Example:
            policy = hamlet.MLP.random(len(env.observation_names), env.num_actions, hidden=(32,), members=4)
        """
        inputs = whole(inputs, 1, 1 << 20, "inputs are the number of values of an observation")
        actions = whole(actions, 1, 1 << 20, "actions are their number")
        flag("value", value)
        widths = list(hidden) if isinstance(hidden, (list, tuple)) else [hidden]
        layers = [whole(each, 1, MOST_WIDTH, f"hidden layers have 1 .. {MOST_WIDTH} outputs") for each in widths]
        first = () if members is None else (whole(members, 1, 1 << 31, "members are 1 or more"),)
        place = _place(device)
        generator = torch.Generator().manual_seed(whole(seed, 0, (1 << 63) - 1, "a seed is 0 or more"))
        sizes = [inputs, *layers, actions + value]
        weights = [
            (torch.rand(*first, outputs, number, generator=generator) * 2 - 1) * (3 / number) ** 0.5
            for number, outputs in pairwise(sizes)
        ]
        weights[-1] *= 0.01
        biases = [torch.zeros(*first, outputs) for outputs in sizes[1:]]
        return cls([w.to(place) for w in weights], [b.to(place) for b in biases], activation, value, sample)

    @property
    def members(self) -> int | None:
        """The number of networks in a population; `None` where all worlds share one."""
        return self.weights[0].shape[0] if self.weights[0].dim() == 3 else None

    @property
    def inputs(self) -> int:
        """The number of values of an observation."""
        reads = int(self.weights[0].shape[-1])
        return reads if self.gates is None else (reads - self.actions) // 2

    @property
    def remembers(self) -> int:
        """The numbers that it remembers; 0 without a memory."""
        return 0 if self.gates is None else self.gates[1].shape[-1] // 2

    @property
    def rows(self) -> int:
        """The number of rows of the heads."""
        return int(self.biases[-1].shape[-1])

    @property
    def actions(self) -> int:
        """The number of actions."""
        return self.rows - self.value

    @property
    def device(self) -> torch.device:
        """The device of all weights."""
        return self.weights[0].device

    def forward(
        self, observation: torch.Tensor, mask: torch.Tensor | None = None, words: torch.Tensor | None = None
    ) -> Decided:
        """The decision of the network, by the order of operations of the kernels and to their bit, with torch on the
        device of its weights. It is slow, and gives no gradients.

        Args:
            observation: [lanes, values] f32, as `env.observation`.
            mask: [lanes, actions] bool, as `env.action_mask`; without it every action is allowed.
            words: [lanes] i64 random words of 32 bits, as `env.policy_words()`; where `sample` is true they are needed.

        Returns:
            `actions` [lanes] i32, `log_probs` [lanes] f32, `values` [lanes] f32 or `None`, `logits` [lanes, actions].

        Raises:
            EnvError: a tensor has another shape, type or device, or the network has a memory, which environments keep.

        Example:
            decision = policy.forward(env.observation, env.action_mask, env.policy_words())
            env.step(decision.actions)
        """
        if self.gates is not None:
            raise EnvError("a network with a memory decides by what it has seen before: take a rollout")
        plain = isinstance(observation, torch.Tensor) and not observation.is_nested and observation.dim() > 0
        lanes = observation.shape[0] if plain else 0
        if mask is None:
            mask = torch.ones((lanes, self.actions), dtype=torch.bool, device=self.device)
        self._check("observation", observation, torch.float32, (lanes, self.inputs))
        self._check("mask", mask, torch.bool, (lanes, self.actions))
        if self.sample:
            self._check("words", words, torch.int64, (lanes,))
        self._check_lanes(lanes)
        return decide(self.prepared(), observation.detach().T, mask.T, words if self.sample else None)

    def prepared(self) -> NetworkPolicy:
        """The policy as backends take it.

        Raises:
            EnvError: on a CPU, a weight is not finite or larger than 2**20.
        """
        _check_sizes((*self.weights, *self.biases, *(self.gates or ())))
        members = self.members or 1
        layers = tuple(
            (weight.detach().view(members, *weight.shape[-2:]), bias.detach().view(members, -1))
            for weight, bias in zip(self.weights, self.biases, strict=True)
        )
        gates = None
        if self.gates is not None:
            weight, bias = self.gates
            gates = weight.detach().unsqueeze(0), bias.detach().unsqueeze(0)
        of_agents = tuple(self.of_agents or ())
        return NetworkPolicy(layers, self.activation, self.value, self.sample, of_agents=of_agents, gates=gates)

    def __repr__(self) -> str:
        sizes = " -> ".join(str(size) for size in (self.inputs, *(bias.shape[-1] for bias in self.biases)))
        several = "" if self.members is None else f", members={self.members}"
        several += "" if self.of_agents is None else f", of_agents={list(self.of_agents)}"
        return f"MLP({sizes}, {self.activation!r}, value={self.value}, sample={self.sample}{several})"

    def _check_gates(self, weight: torch.Tensor, bias: torch.Tensor) -> None:
        _side_by_side("gates", (weight, bias), self.weights[0].device)
        first, reads = self.biases[0].shape[-1], self.weights[0].shape[-1] - self.actions
        alone = self.members is None and len(self.weights) == MOST_HIDDEN + 1 and self.activation == "tanh"
        whole = weight.shape == (2 * self.remembers, first)
        if not alone or not whole or self.remembers not in MEMORIES or first % WHOLE or reads < 2 or reads % 2:
            raise EnvError(
                "a memory of 32 or 64 numbers stands between two hidden layers with tanh of one network, the first of "
                "which has 32 or 64 outputs and reads an observation, how it has changed, and the last action"
            )

    def _check(self, name: str, tensor: Any, dtype: torch.dtype, shape: tuple[int, ...]) -> None:
        if not isinstance(tensor, torch.Tensor) or tensor.is_nested:
            raise EnvError(f"{name} is a tensor {list(shape)} of {dtype}, not {shown(tensor)}")
        if tensor.dtype is not dtype or tuple(tensor.shape) != shape or tensor.device != self.device:
            expected = f"{list(shape)} of {dtype} on {self.device}"
            raise EnvError(
                f"{name} is a tensor {expected}, not {list(tensor.shape)} of {tensor.dtype} on {tensor.device}"
            )

    def _check_lanes(self, lanes: int) -> None:
        if self.of_agents is not None:
            if lanes % len(self.of_agents):
                raise EnvError(f"{lanes} lanes are no whole worlds of {len(self.of_agents)} agents")
        elif lanes % (self.members or 1):
            raise EnvError(f"{self.members} members cannot share {lanes} lanes: each has as many")


def _members(of_agents: Any, members: int | None) -> tuple[int, ...]:
    """The members of agents, or `EnvError`."""
    last = (members or 1) - 1
    problem = f"of_agents are the members of all agents of a world, each a whole number in 0 .. {last}"
    if not isinstance(of_agents, (list, tuple, range)) or not len(of_agents):
        raise EnvError(f"{problem}, not {shown(of_agents)}")
    return tuple(whole(each, 0, last, problem) for each in of_agents)


def _place(device: Any) -> torch.device:
    """A device on which tensors can be made, or `EnvError`."""
    try:
        return torch.empty(0, device=torch.device(device)).device
    except (RuntimeError, TypeError, AssertionError) as error:
        raise EnvError(f'{shown(device)} is no device that torch has here: take "cpu" or "cuda"') from error


def _pair(gates: Any) -> tuple[torch.Tensor, torch.Tensor]:
    """The weights and the biases of a memory, or `EnvError`."""
    problem = "gates are the weights and the biases of a memory, a matrix and a row of torch.float32"
    if not isinstance(gates, (list, tuple)) or len(gates) != 2:
        raise EnvError(f"{problem}, not {shown(gates)}")
    for each, axes in zip(gates, (2, 1), strict=True):
        if not isinstance(each, torch.Tensor) or dense(each, "gates").dtype is not torch.float32 or each.dim() != axes:
            raise EnvError(f"{problem}, not {shown(each)}")
    weights, biases = gates
    return weights, biases


def _tensors(name: str, tensors: Any) -> tuple[torch.Tensor, ...]:
    """Tensors of f32 that lie in memory side by side, those of each layer."""
    problem = f"{name} are a list of tensors of torch.float32, one for each of 1 or {MOST_HIDDEN} hidden layers and one"
    if not isinstance(tensors, (list, tuple)) or not 2 <= len(tensors) <= MOST_HIDDEN + 1:
        raise EnvError(f"{problem} for the heads, not {shown(tensors)}")
    for each in tensors:
        if not isinstance(each, torch.Tensor) or dense(each, name).dtype is not torch.float32:
            raise EnvError(f"{problem} for the heads, not {shown(each)}")
    _side_by_side(name, tensors, tensors[0].device)
    return tuple(tensors)


def _side_by_side(name: str, tensors: Sequence[torch.Tensor], device: torch.device) -> None:
    if not all(each.is_contiguous() and each.device == device for each in tensors):
        raise EnvError(f"{name} lie in memory as torch makes them, all on one device: call .contiguous(), .to()")


def _check_shapes(weights: Sequence[torch.Tensor], biases: Sequence[torch.Tensor], remembers: int) -> None:
    first, inputs = tuple(weights[0].shape[:-2]), weights[0].shape[-1] if weights[0].dim() in (2, 3) else 0
    if len(weights) != len(biases) or not inputs:
        raise EnvError("each of the weights [outputs, inputs] or [members, outputs, inputs] has a bias")
    for number, (weight, bias) in enumerate(zip(weights, biases, strict=True)):
        outputs = weight.shape[-2] if weight.dim() > 1 else 0
        expected = (*first, outputs, inputs), (*first, outputs)
        if (tuple(weight.shape), tuple(bias.shape)) != expected or not weight.numel() or weight.device != bias.device:
            raise EnvError(
                f"layer {number} has weights {list(expected[0])} and biases {list(expected[1])} on one device, "
                f"not {list(weight.shape)} and {list(bias.shape)}"
            )
        if number < len(weights) - 1 and outputs > MOST_WIDTH:
            raise EnvError(f"a hidden layer has at most {MOST_WIDTH} outputs, not {outputs}")
        inputs = outputs + remembers if number == 0 else outputs


def beyond(weights: torch.Tensor, reach: torch.Tensor) -> torch.Tensor:
    """The values of an observation, [values] bool, of which a product with a weight of the first layer is larger than
    2**40. `weights`: [outputs, inputs] or [members, outputs, inputs] f32; `reach`: the greatest size of each value,
    [values] f32. A memory has the values of an episode's end as inputs, too."""
    largest = weights.detach().abs().flatten(0, -2).amax(dim=0).double()
    values = len(reach)
    parts = [largest[first : first + values] for first in (0, values) if first + values <= len(largest)]
    return torch.stack(parts).amax(dim=0) * reach.to(weights.device).double() > MOST_PRODUCT


def _check_sizes(tensors: Sequence[torch.Tensor]) -> None:
    """Whether nothing can overflow; a GPU would have to be waited for."""
    for tensor in tensors:
        if tensor.device.type == "cpu" and not bool((tensor.detach().abs() <= MOST_WEIGHT).all()):
            raise EnvError("weights and biases are finite, and at most 2**20 in size")
