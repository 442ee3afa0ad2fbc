"""Decisions of networks on a GPU: weights in the order in which the kernel reads them, and its launches."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import torch

from hamlet.backend.buffers import Shape
from hamlet.backend.playing import Decide
from hamlet.backend.protocol import Decided, NetworkPolicy, Stream
from hamlet.errors import EnvError
from hamlet.launch.gpu.options import options
from hamlet.launch.gpu.selects import respelling
from hamlet.numbers.random import WORD

BLOCK = 64
"""Lanes that a block takes at a time."""
THREADS = 128
"""Each computes an output of 32 lanes, with a weight for 32 products. With fewer threads Triton moves numbers between
them by `stmatrix`, which the executor of PTX does not know."""
MOST_WEIGHTS = 1 << 31
MOST_BLOCKS = 2048
"""Enough for every GPU; each takes lanes after lanes, and has memory of its own for what layers pass on."""


def decider(
    policy: NetworkPolicy,
    shape: Shape,
    stream: Stream,
    kernel: Any,
    elapsed: torch.Tensor | None = None,
    numbers: torch.Tensor | None = None,
) -> Decide:
    """A function that decides by a network in the ticks of a rollout, with a launch of the kernel for each. Its heads
    alone are a network too.

    Args:
        elapsed: [1] i32, how many ticks later it is, on the device; for networks without a memory.
        numbers: [some lanes] i32, for which it decides and is given what they observe; by default for all. For networks
            that all lanes share.
    """
    if policy.gates is not None:
        return _remembering(policy, policy.gates, shape, stream, kernel, numbers)
    if policy.of_agents:
        return _by_agent(policy, shape, stream, kernel)
    lanes = shape.lanes if numbers is None else len(numbers)
    device = policy.layers[0][0].device
    hidden = [bias.shape[1] for _, bias in policy.layers[:-1]]
    rows, of_member = policy.layers[-1][1].shape[1], lanes // policy.members
    weights, size = packed(policy)
    outputs = [_power(each) for each in (*hidden, rows)]
    blocks = min(-(-lanes // BLOCK), MOST_BLOCKS)
    # A kernel takes no address of nothing.
    room = torch.empty(blocks * BLOCK * max(sum(outputs[:-1]), 1), device=device)
    first = shape.first_world * shape.agents
    constants = {
        "HIDDEN": hidden[0] if hidden else 0,
        "MORE": hidden[1] if len(hidden) > 1 else 0,
        "ACTIONS": policy.actions,
        "ROWS": rows,
        "OUTPUTS": outputs[0] if hidden else 0,
        "MORE_OUTPUTS": outputs[1] if len(hidden) > 1 else 0,
        "HEADS": outputs[-1],
        "SHARED": policy.members == 1 or of_member % BLOCK == 0,
        "TANH": policy.activation == "tanh",
        "SAMPLE": policy.sample,
        "BLOCK": BLOCK,
    }
    settings = constants | options(THREADS)

    def deciding(
        observation: torch.Tensor,
        mask: torch.Tensor,
        tick: int,
        _age: torch.Tensor | None,
        asking: torch.Tensor | None = None,
    ) -> Decided:
        heads = torch.empty((rows, lanes), device=device)
        actions = torch.empty(lanes, dtype=torch.int32, device=device)
        log_probs = torch.empty(lanes, device=device)
        arrays = (observation.contiguous(), mask, weights, room, heads, actions, log_probs)
        words = (first & WORD, stream.low, stream.high, tick & WORD)
        with respelling():
            sizes = policy.inputs, of_member, size
            kernel[(blocks,)](*arrays, lanes, *words, *sizes, elapsed, asking, numbers, **settings)
        logits, others = heads[: policy.actions], heads[policy.actions :]
        means = others[: policy.controls] if policy.controls else None
        return Decided(actions, log_probs, heads[-1] if policy.value else None, logits.T, means=means)

    return deciding


def _remembering(
    policy: NetworkPolicy,
    gates: tuple[torch.Tensor, torch.Tensor],
    shape: Shape,
    stream: Stream,
    kernel: Any,
    numbers: torch.Tensor | None = None,
) -> Decide:
    """The same of a network with a memory, whose kernel is another one."""
    lanes, device = shape.lanes if numbers is None else len(numbers), policy.layers[0][0].device
    rows, remembers = policy.layers[-1][0].shape[1], policy.remembers
    outputs, more, heads = (_power(bias.shape[1]) for _, bias in policy.layers)
    first, *others = policy.layers
    weight, bias = gates
    halves = [(weight[:, half], bias[:, half]) for half in (slice(remembers), slice(remembers, None))]
    weights = torch.cat([_layer(*each) for each in (first, *halves, *others)], dim=1).contiguous()
    blocks = min(-(-lanes // BLOCK), MOST_BLOCKS)
    room = torch.empty(blocks * BLOCK * (outputs + 2 * remembers + more), device=device)
    first_lane = shape.first_world * shape.agents
    settings = {
        "MORE": policy.layers[1][0].shape[1],
        "ACTIONS": policy.actions,
        "ROWS": rows,
        "OUTPUTS": outputs,
        "MORE_OUTPUTS": more,
        "HEADS": heads,
        "REMEMBERS": remembers,
        "SAMPLE": policy.sample,
        "BLOCK": BLOCK,
    } | options(THREADS)

    def deciding(
        observation: torch.Tensor,
        mask: torch.Tensor,
        tick: int,
        age: torch.Tensor | None,
        asking: torch.Tensor | None = None,
    ) -> Decided:
        recall = policy.recall
        assert recall is not None, "whoever acts remembers"
        values, log_probs = torch.empty((rows, lanes), device=device), torch.empty(lanes, device=device)
        actions = torch.empty(lanes, dtype=torch.int32, device=device)
        hidden = torch.empty_like(recall.hidden)
        recalls = recall.hidden, recall.before, recall.acted, recall.acted if age is None else age, hidden
        arrays = (observation.contiguous(), mask, weights, room, values, actions, log_probs, *recalls)
        words = (first_lane & WORD, stream.low, stream.high, tick & WORD)
        with respelling():
            lying = policy.values, asking, numbers
            kernel[(blocks,)](*arrays, lanes, *words, *lying, AGED=age is not None, **settings)
        value = values[-1] if policy.value else None
        others = values[policy.actions :]
        means = others[: policy.controls] if policy.controls else None
        return Decided(actions, log_probs, value, values[: policy.actions].T, hidden, means)

    return deciding


def kernel_of(policy: NetworkPolicy) -> Any:
    """The kernel that says what a network decides."""
    if policy.gates is not None:
        from hamlet.launch.gpu.remembering import decide_remembering

        return decide_remembering
    from hamlet.launch.gpu.networks import decide

    return decide


def _by_agent(policy: NetworkPolicy, shape: Shape, stream: Stream, kernel: Any) -> Decide:
    """The same where each agent of a world has the member of its number: each member decides for all lanes, and a lane
    takes the decision of its own."""
    of_lanes = torch.tensor(policy.of_agents, device=policy.layers[0][0].device).repeat(shape.worlds)
    members = [
        decider(replace(policy, layers=_one(policy, member), of_agents=()), shape, stream, kernel)
        for member in range(policy.members)
    ]

    def deciding(
        observation: torch.Tensor,
        mask: torch.Tensor,
        tick: int,
        age: torch.Tensor | None,
        asking: torch.Tensor | None = None,
    ) -> Decided:
        first, *others = (each(observation, mask, tick, age, asking) for each in members)
        for member, other in enumerate(others, 1):
            mine = of_lanes == member
            values = None
            if first.values is not None and other.values is not None:
                values = torch.where(mine, other.values, first.values)
            first = Decided(
                torch.where(mine, other.actions, first.actions),
                torch.where(mine, other.log_probs, first.log_probs),
                values,
                torch.where(mine.unsqueeze(1), other.logits, first.logits),
            )
        return first

    return deciding


def _one(policy: NetworkPolicy, member: int) -> tuple[tuple[torch.Tensor, torch.Tensor], ...]:
    """The layers of a member."""
    return tuple((weight[member : member + 1], bias[member : member + 1]) for weight, bias in policy.layers)


def packed(policy: NetworkPolicy) -> tuple[torch.Tensor, int]:
    """The weights of all members, f32, and how many each has: of each layer the biases, then for each input the weights
    of all outputs, whose number is filled up to a power of two with zeros."""
    members = [_layer(weight, bias) for weight, bias in policy.layers]
    result = torch.cat(members, dim=1).contiguous()
    if result.numel() >= MOST_WEIGHTS:
        raise EnvError(f'backend "triton" takes fewer than 2**31 weights of all members, not {result.numel()}')
    return result, result.shape[1]


def _layer(weight: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
    """[members, numbers] of a layer: weight [members, outputs, inputs], bias [members, outputs]."""
    members, outputs, inputs = weight.shape
    both = weight.new_zeros(members, inputs + 1, _power(outputs))
    both[:, 0, :outputs] = bias
    both[:, 1:, :outputs] = weight.transpose(1, 2)
    return both.view(members, -1)


def _power(number: int) -> int:
    """The next power of two."""
    return 1 << (number - 1).bit_length()
