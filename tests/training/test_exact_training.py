"""Kernels of the trainer against the stated order of operations, and against derivatives by torch."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from hamlet.interpreter import functions
from hamlet.interpreter.fma import fma
from hamlet.launch.cpu.ops import WIDE, part, wide
from hamlet_train.draws import first_parameters, order, orthogonal
from hamlet_train.exact import functions as exact
from hamlet_train.exact import kernels, tree
from hamlet_train.exact.compiled import kernel
from hamlet_train.exact.loss import LOSSES
from hamlet_train.exact.network import BLOCK, Array, Network, padded

NETWORK = Network(inputs=5, hidden=(16, 20), actions=3)
CLIP, ENTROPY, VALUE = np.float32(0.2), np.float32(0.05), np.float32(0.5)


@kernel
def elementary(which, x, y):  # type: ignore[no-untyped-def]  # numba finds the types
    """The values of exp, log or tanh."""
    source, target = part(x, 0, 0), part(y, 0, 0)
    for index in range(0, x.shape[0], WIDE):
        if which == 0:
            target[wide(index)] = exact.exp(source[wide(index)])
        elif which == 1:
            target[wide(index)] = exact.log(source[wide(index)])
        else:
            target[wide(index)] = exact.tanh(source[wide(index)])


@pytest.mark.parametrize(("which", "name"), [(0, "exp"), (1, "log"), (2, "tanh")])
def test_functions_have_the_bits_of_the_interpreter(which: int, name: str) -> None:
    words = np.random.default_rng(1).integers(0, 2**32, 1 << 15, dtype=np.uint32)
    x = words.view(np.float32)
    x = np.where(np.isnan(x), np.float32(-0.0), x)
    x = np.abs(x) + np.float32(1e-45) if name == "log" else x
    x = np.where(np.isinf(x), np.float32(1.5), x)
    found = np.zeros_like(x)
    elementary(which, x, found)
    wanted = getattr(functions, name)(torch.from_numpy(x)).numpy()
    assert np.array_equal(found.view(np.int32), wanted.view(np.int32))


class Samples:
    """Random samples of two groups, the second with fewer lanes, and what kernels need for them."""

    def __init__(self, ticks: int = 9) -> None:
        random = np.random.default_rng(4)
        lanes = 11
        self.bounds = np.array([0, 8, lanes], np.int64)
        shape = lanes, ticks
        self.parameters = first_parameters(NETWORK, np.ones(NETWORK.inputs, np.float32), 5)
        self.parameters *= 3
        self.inputs = np.zeros((*shape, padded(NETWORK.inputs)), np.float32)
        self.inputs[..., : NETWORK.inputs] = random.standard_normal((*shape, NETWORK.inputs))
        self.masks = (random.random((*shape, NETWORK.actions)) < 0.7).astype(np.uint8)
        self.masks[..., 1] |= self.masks.sum(axis=-1) == 0
        allowed = self.masks * random.random(self.masks.shape)
        self.actions = allowed.argmax(axis=-1).astype(np.int32)
        self.chances = np.log(random.uniform(0.2, 0.9, shape)).astype(np.float32)
        self.values = random.standard_normal((lanes, ticks + 1)).astype(np.float32)
        self.advantages = random.standard_normal(shape).astype(np.float32)
        self.counts = np.array([8 * ticks, 3 * ticks], np.int64)
        valid = np.arange(8 * ticks) < self.counts[:, None]
        self.order = order(1, 2, 0, range(2), valid)

    def learn(self, first: int, end: int) -> tuple[Array, Array]:
        """The gradients of these groups, and the losses."""
        transposed, gradients = np.zeros(NETWORK.parameters, np.float32), np.zeros((2, NETWORK.parameters), np.float32)
        NETWORK.transpose(self.parameters, transposed)
        sums = np.zeros((2, LOSSES + 1))
        stored = self.inputs, self.masks, self.actions, self.chances, self.values, self.advantages
        numbers = np.float32(0.1), np.float32(1.3), CLIP, ENTROPY, VALUE
        scratch = np.zeros(NETWORK.scratch, np.float32)
        kernels.learn(first, end, NETWORK.table, self.parameters, transposed, self.bounds, self.order, self.counts,
                      0, 1, *stored, *numbers, gradients, sums, scratch)  # fmt: skip
        return gradients, sums

    def loss(self, group: int, parameters: torch.Tensor) -> torch.Tensor:
        """The loss of a group by torch, in binary64."""
        lanes = slice(int(self.bounds[group]), int(self.bounds[group + 1]))
        x = torch.from_numpy(self.inputs[lanes, :, : NETWORK.inputs]).double().flatten(0, 1)
        place = 0
        for layer, (inputs, outputs) in enumerate(zip(NETWORK.sizes, NETWORK.sizes[1:], strict=False)):
            size = padded(inputs) * padded(outputs)
            weights = parameters[place : place + size].view(padded(inputs), padded(outputs))[:inputs, :outputs]
            x = x @ weights + parameters[place + size : place + size + outputs]
            x = torch.tanh(x) if layer < NETWORK.layers - 1 else x
            place += size + padded(outputs)
        mask = torch.from_numpy(self.masks[lanes]).flatten(0, 1).bool()
        policy = torch.distributions.Categorical(logits=x[:, :-1].masked_fill(~mask, -1e30))
        actions, chances, advantages = (
            torch.from_numpy(each[lanes]).flatten().double() for each in (self.actions, self.chances, self.advantages)
        )
        values = torch.from_numpy(self.values[lanes, :-1]).flatten().double()
        ratio, gain = (policy.log_prob(actions) - chances).exp(), (advantages - 0.1) * 1.3
        paid = torch.minimum(ratio * gain, ratio.clamp(1 - float(CLIP), 1 + float(CLIP)) * gain)
        error = x[:, -1] - (advantages + values)
        return (-paid - float(ENTROPY) * policy.entropy() + float(VALUE) * error**2 / 2).sum()


def test_gradients_are_derivatives_of_the_loss() -> None:
    """Torch adds in another order, so the comparison has a tolerance: that of binary32."""
    samples = Samples()
    gradients, _ = samples.learn(0, 2)
    for group in range(2):
        parameters = torch.from_numpy(samples.parameters).double().requires_grad_()
        (wanted,) = torch.autograd.grad(samples.loss(group, parameters), parameters)
        assert wanted.abs().max() > 1
        assert np.allclose(gradients[group], wanted.numpy(), rtol=1e-4, atol=1e-4 * float(wanted.abs().max()))


def test_a_group_does_not_depend_on_who_else_is_computed() -> None:
    samples = Samples()
    both, losses = samples.learn(0, 2)
    for group in range(2):
        alone, loss = samples.learn(group, group + 1)
        assert np.array_equal(alone[group].view(np.int32), both[group].view(np.int32))
        assert np.array_equal(loss[group], losses[group])


def test_actions_follow_the_definition_of_policies() -> None:
    """Sums by ascending inputs with fma, weights exp(logit - highest), and of the actions the first whose running sum
    exceeds share * sum."""
    samples, lanes = Samples(), 70
    random = np.random.default_rng(6)
    observed = random.standard_normal((NETWORK.inputs, lanes)).astype(np.float32)
    mask = random.random((NETWORK.actions, lanes)) < 0.6
    mask[:, 0] = False
    words = random.integers(0, 2**32, lanes, dtype=np.uint32)
    inputs = np.zeros((lanes, 1, padded(NETWORK.inputs)), np.float32)
    masks, valid = np.zeros((lanes, 1, NETWORK.actions), np.uint8), np.zeros((lanes, 1), np.uint8)
    actions, chances, values = (
        np.zeros((lanes, 1), np.int32),
        np.zeros((lanes, 1), np.float32),
        np.zeros((lanes, 2), np.float32),
    )
    given = NETWORK.table, samples.parameters, observed, mask, np.ones(lanes, bool)
    store, scratch = (inputs, masks, valid, actions, chances, values), np.zeros(NETWORK.scratch, np.float32)
    greedy = np.zeros(lanes, np.int32)
    kernels.act(0, lanes, *given, words[:0], 0, 1, *store, greedy, scratch)
    kernels.act(0, lanes, *given, words, 0, 1, *store, np.zeros(lanes, np.int32), scratch)
    x = torch.from_numpy(observed)
    for layer, (weights, biases) in enumerate(NETWORK.views(samples.parameters)):
        sums = torch.from_numpy(biases).unsqueeze(1).expand(-1, lanes).clone()
        for k in range(weights.shape[1]):
            sums = fma(torch.from_numpy(weights[:, k : k + 1].copy()), x[k : k + 1], sums)
        x = functions.tanh(sums) if layer < NETWORK.layers - 1 else sums
    allowed = torch.from_numpy(mask) | ~torch.from_numpy(mask).any(dim=0)
    highest = x[:-1].masked_fill(~allowed, -torch.inf).max(dim=0).values
    weighed = torch.where(allowed, functions.exp(x[:-1] - highest), 0.0)
    running = [weighed[0]]
    for each in weighed[1:]:
        running.append(running[-1] + each)
    shares = torch.from_numpy((words >> np.uint32(8)).astype(np.float32)) * 2.0**-24
    chosen = sum((each <= shares * running[-1]).long() for each in running)
    assert isinstance(chosen, torch.Tensor)
    assert np.array_equal(actions[:, 0], chosen.numpy())
    assert len(set(actions[:, 0].tolist())) == NETWORK.actions
    assert np.array_equal(greedy, x[:-1].masked_fill(~allowed, -torch.inf).argmax(dim=0).numpy())
    assert not np.array_equal(greedy, actions[:, 0])
    chance = (x[:-1] - highest).gather(0, chosen.unsqueeze(0)).squeeze(0) - functions.log(running[-1])
    assert np.array_equal(chances[:, 0].view(np.int32), chance.numpy().view(np.int32))
    assert np.array_equal(values[:, 0].view(np.int32), x[-1].numpy().view(np.int32))


def test_advantages_by_their_definition() -> None:
    """An episode that dies, one that is cut short, and an agent that is dead for a while; step by step in binary32."""
    random = np.random.default_rng(3)
    lanes, ticks = 5, 12
    rewards, beyond = random.standard_normal((2, lanes, ticks)).astype(np.float32)
    values = random.standard_normal((lanes, ticks + 1)).astype(np.float32)
    ends, valid = np.zeros((lanes, ticks), np.uint8), np.ones((lanes, ticks), np.uint8)
    ends[0, 4] = ends[1, 7] = ends[2, 3] = 1
    valid[2, 4:8] = 0
    beyond[0, 4] = beyond[2, 3] = 0
    scale, discount, trace = np.float32(0.7), np.float32(0.9), np.float32(0.85)
    wanted, total, squares = np.zeros((lanes, ticks), np.float32), 0.0, 0.0
    for lane in range(lanes):
        behind = np.float32(0)
        for tick in reversed(range(ticks)):
            if not valid[lane, tick]:
                behind = np.float32(0)
                continue
            following = beyond[lane, tick] if ends[lane, tick] else values[lane, tick + 1]
            carried = np.float32(0) if ends[lane, tick] else trace * behind
            behind = rewards[lane, tick] * scale + discount * following - values[lane, tick] + carried
            wanted[lane, tick] = behind
            total += float(behind)
            squares += float(behind) * float(behind)
    found, sums = np.zeros_like(wanted), np.zeros((1, 3))
    bounds = np.array([0, lanes], np.int64)
    kernels.estimate(0, 1, bounds, rewards, ends, valid, beyond, values, scale, discount, trace, found, sums)
    assert np.array_equal(found.view(np.int32), wanted.view(np.int32))
    assert sums.tolist() == [[total, squares, valid.sum()]]


def test_what_was_cut_short_is_worth_its_last_observation() -> None:
    samples, lanes = Samples(), 70
    random = np.random.default_rng(8)
    observed = random.standard_normal((NETWORK.inputs, lanes)).astype(np.float32)
    terminated, truncated = random.random((2, lanes)) < 0.2
    rewards, beyond = np.zeros((2, lanes, 1), np.float32)
    ends, scratch = np.zeros((lanes, 1), np.uint8), np.zeros(NETWORK.scratch, np.float32)
    kernels.look(0, lanes, NETWORK.table, samples.parameters, observed, observed[0].copy(), terminated, truncated, 0,
                 rewards, ends, beyond, padded(NETWORK.inputs), scratch)  # fmt: skip
    x = torch.from_numpy(observed).double()
    for layer, (weights, biases) in enumerate(NETWORK.views(samples.parameters)):
        x = torch.from_numpy(weights.copy()).double() @ x + torch.from_numpy(biases.copy()).double().unsqueeze(1)
        x = torch.tanh(x) if layer < NETWORK.layers - 1 else x
    # Torch computes in binary64 here: its values differ from binary32's by their roundings.
    assert np.allclose(beyond[:, 0], np.where(truncated, x[-1].numpy(), 0.0), atol=1e-5)
    assert np.array_equal(ends[:, 0] != 0, terminated | truncated)
    assert np.array_equal(rewards[:, 0], observed[0])


def test_the_tree_is_the_same_however_groups_are_spread() -> None:
    random = np.random.default_rng(2)
    for groups in (1, 2, 5, 8, 13, 37):
        values = random.standard_normal((groups, 3)).astype(np.float32)
        alone = tree.total(dict(zip(tree.nodes(0, groups, groups), [summed(values)], strict=True)))
        for ranks in (2, 3, 7):
            found: dict[tree.Node, Array] = {}
            for rank in range(ranks):
                first, end = groups * rank // ranks, groups * (rank + 1) // ranks
                nodes = tree.nodes(first, end, groups)
                found |= dict(zip(nodes, tree.reduce(values[first:end].copy(), first, nodes, groups), strict=True))
            assert np.array_equal(tree.total(found).view(np.int32), alone.view(np.int32))


def summed(values: Array) -> Array:
    """The tree as it is defined, node by node."""
    while len(values) > 1:
        odd = values[len(values) // 2 * 2 :]
        values = np.concatenate([values[: len(values) // 2 * 2 : 2] + values[1::2], odd])
    return values[0]


def test_each_group_takes_all_of_its_samples_in_an_order_of_its_own() -> None:
    valid = np.ones((3, 40), bool)
    valid[1, 30:] = False
    taken = order(7, 1, 0, range(4, 7), valid)
    assert sorted(taken[0]) == sorted(taken[2]) == list(range(40))
    assert sorted(taken[1, :30]) == list(range(30))
    assert not np.array_equal(taken[0], taken[2])
    assert np.array_equal(order(7, 1, 0, range(5, 6), valid[1:2])[0], taken[1])
    assert not np.array_equal(order(7, 1, 1, range(4, 7), valid), taken)


def test_first_weights_are_orthogonal() -> None:
    for rows, columns in ((4, 9), (9, 4)):
        found = orthogonal(rows, columns, 0, 1)
        product = found @ found.T if rows <= columns else found.T @ found
        assert np.allclose(product, np.eye(min(rows, columns)), atol=1e-12)
    assert BLOCK % WIDE == 0
