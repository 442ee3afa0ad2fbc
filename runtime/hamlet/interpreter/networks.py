"""Decisions of networks, with torch, by the order of operations that docs/semantics.md states ("Policies").

Kernels give these bits. Here a multiplication and an addition that round once are put together of operations of
binary64, so this is slow.
"""

from __future__ import annotations

from dataclasses import replace

import torch
from torch import Tensor

from hamlet.backend.buffers import Shape
from hamlet.backend.playing import Decide
from hamlet.backend.protocol import Decided, NetworkPolicy, Stream
from hamlet.interpreter.fma import fma
from hamlet.interpreter.functions import exp, log, sigmoid, tanh
from hamlet.numbers.random import policy_words, share


def decider(policy: NetworkPolicy, shape: Shape, stream: Stream) -> Decide:
    """A function that decides by a network in the ticks of a rollout."""
    first = shape.first_world * shape.agents
    numbers = torch.arange(first, first + shape.lanes, device=policy.layers[0][0].device)

    def deciding(
        observation: Tensor, mask: Tensor, tick: int, age: Tensor | None, _asking: Tensor | None = None
    ) -> Decided:
        words = policy_words(numbers, tick, (stream.low, stream.high))[tick % 4] if policy.sample else None
        return decide(policy, observation, mask, words, age)

    return deciding


def decide(
    policy: NetworkPolicy, observation: Tensor, mask: Tensor, words: Tensor | None, age: Tensor | None = None
) -> Decided:
    """The decision of a network.

    Args:
        observation: [values, lanes] f32.
        mask: [actions, lanes] bool.
        words: [lanes] i64, the random words of the tick; `None` where the likeliest action is taken.
        age: [lanes] i32, how old agents are in their episodes; `None` where nobody's begins.
    """
    hidden: Tensor | None = None
    if policy.gates is None:
        rows = evaluate(policy, observation)
    else:
        rows, hidden = evaluate_remembering(policy, observation, age)
    logits = rows[: len(mask)]
    actions, log_probs = choose(logits, mask, words)
    means = rows[len(mask) : len(mask) + policy.controls] if policy.controls else None
    return Decided(actions, log_probs, rows[-1] if policy.value else None, logits.T, hidden, means)


def choose(logits: Tensor, mask: Tensor, words: Tensor | None) -> tuple[Tensor, Tensor]:
    """The action of each lane, i32, and the logarithm of its probability, f32.

    Args:
        logits, mask: [actions, lanes] f32 and bool.
        words: [lanes] i64, the random words of the tick; `None` where the likeliest action is taken.
    """
    allowed = mask | ~mask.any(dim=0)
    highest, actions = _likeliest(logits, allowed)
    above = logits - highest
    weights = torch.where(allowed, exp(above), torch.zeros_like(logits))
    sums = _running(weights)
    if words is not None:
        actions = (sums <= share(words) * sums[-1]).sum(dim=0)
    log_probs = above.gather(0, actions.unsqueeze(0)).squeeze(0) - log(sums[-1])
    return actions.to(torch.int32), log_probs


def evaluate(policy: NetworkPolicy, observation: Tensor) -> Tensor:
    """The rows of the heads, [rows, lanes] f32, of an observation [values, lanes] f32."""
    members, lanes = policy.members, observation.shape[1]
    if policy.of_agents:
        return _by_agent(policy, observation)
    x = observation.view(-1, members, lanes // members)
    *hidden, heads = policy.layers
    for weight, bias in hidden:
        x = _activated(policy, _layer(weight, bias, x))
    return _layer(*heads, x).reshape(-1, lanes)


def evaluate_remembering(policy: NetworkPolicy, observation: Tensor, age: Tensor | None) -> tuple[Tensor, Tensor]:
    """The rows of the heads, and what is remembered then, [numbers, lanes], of a network with a memory."""
    recall, gates_of = policy.recall, policy.gates
    assert recall is not None, "whoever acts remembers"
    assert gates_of is not None, "it has a memory"
    fresh = recall.acted < 0 if age is None else recall.fresh(age)
    x = recall.sensed(observation, fresh, policy.actions).unsqueeze(1)
    first, *others, heads = policy.layers
    seen = _activated(policy, _layer(*first, x))
    gates, news = _layer(*gates_of, seen).chunk(2)
    before = torch.where(fresh, 0.0, recall.hidden).unsqueeze(1)
    hidden = fma(sigmoid(gates), tanh(news) - before, before)
    passed = torch.cat([seen, hidden])
    for layer in others:
        passed = _activated(policy, _layer(*layer, passed))
    rows = _layer(*heads, passed)
    return rows.squeeze(1), hidden.squeeze(1)


def _by_agent(policy: NetworkPolicy, observation: Tensor) -> Tensor:
    """The same where each agent of a world has the member of its number."""
    of_agents = torch.tensor(policy.of_agents, device=observation.device)
    of_lanes = of_agents.repeat(observation.shape[1] // len(of_agents))
    rows = observation.new_zeros(policy.layers[-1][1].shape[1], observation.shape[1])
    for member in range(policy.members):
        lanes = torch.nonzero(of_lanes == member).squeeze(1)
        layers = tuple((weight[member : member + 1], bias[member : member + 1]) for weight, bias in policy.layers)
        if len(lanes):
            rows[:, lanes] = evaluate(replace(policy, layers=layers, of_agents=()), observation[:, lanes])
    return rows


def _layer(weight: Tensor, bias: Tensor, x: Tensor) -> Tensor:
    """Each output begins with its bias, and adds weight * input by ascending number of the input: weight [members,
    outputs, inputs], bias [members, outputs], x [inputs, members, lanes] give [outputs, members, lanes]."""
    weight = weight.permute(2, 1, 0).unsqueeze(-1)
    total = bias.T.unsqueeze(-1).expand(-1, -1, x.shape[2])
    for row, value in zip(weight, x, strict=True):
        total = fma(row, value.unsqueeze(0), total)
    return total


def _activated(policy: NetworkPolicy, x: Tensor) -> Tensor:
    """The activation of a hidden layer; of both zeros +0."""
    match policy.activation:
        case "tanh":
            return tanh(x)
        case "relu":
            return torch.where(x > 0.0, x, torch.zeros_like(x))


def _likeliest(logits: Tensor, allowed: Tensor) -> tuple[Tensor, Tensor]:
    """The highest allowed logit, [lanes], and the number of its action, [lanes] i64: of several the smallest."""
    best, chosen = torch.full_like(logits[0], -torch.inf), torch.zeros_like(logits[0], dtype=torch.int64)
    for number, (logit, may) in enumerate(zip(logits, allowed, strict=True)):
        better = may & (logit > best)
        best, chosen = torch.where(better, logit, best), torch.where(better, number, chosen)
    return best, chosen


def _running(weights: Tensor) -> Tensor:
    """The sum of the first weights, up to each of them, [actions, lanes], added one after the other."""
    sums, total = [], torch.zeros_like(weights[0])
    for weight in weights:
        total = total + weight
        sums.append(total)
    return torch.stack(sums)
