"""Kernels of the trainer against the stated order of operations, and against derivatives by torch."""

from __future__ import annotations

import math
import platform
import shutil
import subprocess
from itertools import pairwise, product
from pathlib import Path

import numpy as np
import pytest
import torch
from lane_samples import NETWORK, STEERED, Samples

import hamlet.native
import hamlet_train.exact
from hamlet.interpreter import draws, functions
from hamlet.interpreter.fma import fma
from hamlet.native.compilers import CHOICE
from hamlet.numbers.counters import CONTROL_DRAWS
from hamlet.numbers.random import WORD, policy_words
from hamlet_train.draws import action_words, control_words, order, orthogonal
from hamlet_train.exact import compiled, kernels, tree
from hamlet_train.exact.compiled import at, lying
from hamlet_train.exact.kernels import CHAINS, SURVEYED
from hamlet_train.exact.kernels import ENTROPY as ENTROPIES
from hamlet_train.exact.network import Array, Network
from hamlet_train.exact.store import Store


@pytest.mark.parametrize("network", [NETWORK, STEERED], ids=["actions", "controls"])
def test_gradients_are_derivatives_of_the_loss(network: Network) -> None:
    """Torch adds in another order, in binary64, so the comparison has a tolerance: that of binary32."""
    samples = Samples(network)
    gradients, sums = samples.learn(0, 2)
    for group in range(2):
        parameters = torch.from_numpy(samples.parameters).double().requires_grad_()
        loss, entropy = samples.loss(group, parameters)
        (wanted,) = torch.autograd.grad(loss, parameters)
        assert np.allclose(sums[group, ENTROPIES], entropy.item(), rtol=1e-5)
        assert (network.log_deviations(wanted.numpy()) != 0).all()
        assert wanted.abs().max() > 1
        assert np.allclose(gradients[group], wanted.numpy(), rtol=1e-4, atol=1e-4 * float(wanted.abs().max()))


def test_a_group_does_not_depend_on_who_else_is_computed() -> None:
    samples = Samples()
    both, losses = samples.learn(0, 2)
    for group in range(2):
        alone, loss = samples.learn(group, group + 1)
        assert np.array_equal(alone[group].view(np.int32), both[group].view(np.int32))
        assert np.array_equal(loss[group], losses[group])


@pytest.mark.skipif(platform.machine() != "x86_64" or shutil.which("gcc") is None, reason="of GCC on such machines")
def test_gcc_has_nothing_to_say_of_short_vectors(tmp_path: Path) -> None:
    """There a register of tiles is four of the machine's, and loops over them end where it does."""
    folders = [f"-I{Path(each.__file__).parent}" for each in (hamlet.native, hamlet_train.exact)]
    text = Path(hamlet_train.exact.__file__).parent / "exact.c"
    flags = ("-std=c99", "-O1", "-march=x86-64", "-Wall", "-Wextra", "-Werror")
    done = subprocess.run(
        ["gcc", *flags, *folders, "-c", text, "-o", tmp_path / "exact.o"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_machines_without_vectors_learn_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    samples = Samples(STEERED)
    vectors = samples.learn(0, 2)
    monkeypatch.setenv(CHOICE, "cc -O1 -DHAMLET_SCALAR")
    try:
        forget()
        scalar = samples.learn(0, 2)
    finally:
        forget()
    for one, other in zip(vectors, scalar, strict=True):
        assert one.tobytes() == other.tobytes()


def forget() -> None:
    """What a process does that begins."""
    compiled.kernels.cache_clear()
    compiled.function.cache_clear()


@pytest.mark.parametrize("network", [NETWORK, STEERED], ids=["actions", "controls"])
def test_actions_and_controls_follow_the_definition_of_policies(network: Network) -> None:
    """Sums by ascending inputs with fma, weights exp(logit - highest), and of the actions the first whose running sum
    exceeds share * sum; raw controls mean + normal * deviation, limited to the range of their control."""
    lanes, actions, controls, tick, ticks = 70, network.actions, network.controls, 1, 3
    parameters, random = Samples(network).parameters, np.random.default_rng(6)
    observed = random.standard_normal((network.inputs, lanes)).astype(np.float32)
    mask = random.random((actions, lanes)) < 0.6
    mask[:, 0] = False
    words = random.integers(0, 2**32, lanes, dtype=np.uint32)
    for_controls = random.integers(0, 2**32, (2 * controls, lanes), dtype=np.uint32)
    ranges = np.array([[1.0, 3.0, -2.0, 4.0], [0.0, 0.5, -0.5, 0.5]], np.float32)[:controls]

    def act(*words: Array) -> tuple[Store, Array, Array]:
        store, chosen = Store.empty(network, lanes, ticks), np.zeros(lanes, np.int32)
        given, room = np.zeros((controls, lanes), np.float32), np.full((3, network.scratch), 9, np.float32)
        alive, scratch = np.ones(lanes, bool), room[1]
        acts = kernels.act(network.table, parameters, observed, mask, alive, ranges, store, chosen, given)
        for first, end in ((0, 33), (33, lanes)):
            acts(first, end, tick, *(at(each) if len(each) else None for each in words), at(scratch))
        assert (room[::2] == 9).all()
        for each in (store.actions, store.raw, store.chances, store.values):
            assert not np.delete(each, tick, axis=1).any()
        return store, chosen, given

    store, _, given = act(words, for_controls)
    likeliest, greedy, means = act(words[:0], for_controls[:0])
    x = torch.from_numpy(observed)
    for layer, (weights, biases) in enumerate(network.views(parameters)):
        sums = torch.from_numpy(biases).unsqueeze(1).expand(-1, lanes).clone()
        for k in range(weights.shape[1]):
            sums = fma(torch.from_numpy(weights[:, k : k + 1].copy()), x[k : k + 1], sums)
        x = functions.tanh(sums) if layer < network.layers - 1 else sums
    allowed, logits = torch.from_numpy(mask) | ~torch.from_numpy(mask).any(dim=0), x[:actions]
    highest = logits.masked_fill(~allowed, -torch.inf).max(dim=0).values
    weighed = torch.where(allowed, functions.exp(logits - highest), 0.0)
    running = [weighed[0]]
    for each in weighed[1:]:
        running.append(running[-1] + each)
    shares = torch.from_numpy((words >> np.uint32(8)).astype(np.float32)) * 2.0**-24
    chosen = sum((each <= shares * running[-1]).long() for each in running)
    assert isinstance(chosen, torch.Tensor)
    assert np.array_equal(store.actions[:, tick], chosen.numpy())
    assert len(set(store.actions[:, tick].tolist())) == actions
    assert np.array_equal(greedy, logits.masked_fill(~allowed, -torch.inf).argmax(dim=0).numpy())
    assert not np.array_equal(greedy, store.actions[:, tick])
    chance = (logits - highest).gather(0, chosen.unsqueeze(0)).squeeze(0) - functions.log(running[-1])
    density = torch.zeros(lanes)
    for control, log_deviation in enumerate(torch.from_numpy(network.log_deviations(parameters).copy())):
        first, second = (torch.from_numpy(for_controls[2 * control + each].astype(np.int64)) for each in (0, 1))
        raw = draws.normal(first, second, x[actions + control], functions.exp(log_deviation))
        assert_bits(store.raw[:, tick, control], raw)
        assert_bits(likeliest.raw[:, tick, control], x[actions + control])
        middle, half, low, high = ranges[control].tolist()
        assert_bits(given[control], (raw * half + middle).clamp(low, high))
        assert_bits(means[control], (x[actions + control] * half + middle).clamp(low, high))
        score = (raw - x[actions + control]) * functions.exp(-log_deviation)
        offset = -log_deviation - torch.tensor(0.5 * math.log(2 * math.pi), dtype=torch.float32)
        density += fma(score * score, torch.tensor(-0.5).expand(lanes), offset.expand(lanes))
        assert 10 < int((raw.abs() > 1).sum()) < 60
    assert_bits(store.chances[:, tick], chance + density)
    assert_bits(store.values[:, tick], x[-1])


def assert_bits(found: Array, wanted: torch.Tensor) -> None:
    assert np.array_equal(found.view(np.int32), wanted.numpy().view(np.int32))


def test_words_of_controls_are_those_of_their_lane_and_tick() -> None:
    """Whoever draws them, in whichever order of ticks."""
    lanes, seed = torch.arange(100, 140), (7 << 32) + 3
    ahead = control_words(lanes.numpy(), 3, seed)
    part = control_words(lanes[30:].numpy(), 3, seed)
    for tick in (5, 40, 41, 2, WORD):
        sites = draws.Sites(lanes, tick, CONTROL_DRAWS, (3, 7))
        assert np.array_equal(ahead.at(tick), np.stack([sites.word(site).numpy() for site in range(6)]))
        assert np.array_equal(part.at(tick), ahead.at(tick)[:, 30:])


def test_words_of_actions_are_those_of_the_random_policy() -> None:
    lanes, seed = torch.arange(100, 140), (7 << 32) + 3
    ahead = action_words(lanes.numpy(), seed)
    for tick in (5, 40, 43, 44, 2, WORD):
        assert np.array_equal(ahead.at(tick), policy_words(lanes, tick, (3, 7))[tick % 4].numpy())


def test_sums_of_what_happened_by_their_definition() -> None:
    """Two groups; episodes that end, that go on from before and into the next store, and ticks that teach nothing."""
    random = np.random.default_rng(12)
    lanes, ticks, discount = 6, 9, 0.75
    rewards = random.standard_normal((lanes, ticks)).astype(np.float32)
    ends, valid = ((random.random((lanes, ticks)) < share).astype(np.uint8) for share in (0.3, 0.7))
    assert (valid < ends).any()
    lengths = random.integers(0, 5, lanes)
    returns, discounted = random.standard_normal((2, lanes))
    bounds, sums = np.array([0, 4, lanes]), np.full((3, SURVEYED), 7.0)
    lives, wanted = [list(each) for each in zip(lengths, returns, discounted, strict=True)], np.zeros((2, SURVEYED))
    for group, (first, end) in enumerate(pairwise(bounds)):
        for lane, tick in product(range(first, end), range(ticks)):
            if valid[lane, tick]:
                life, reward = lives[lane], float(rewards[lane, tick])
                life[:] = life[0] + 1, life[1] + reward, life[2] * discount + reward
                wanted[group, kernels.SAMPLES :] += 1, life[2], life[2] * life[2]
                if ends[lane, tick]:
                    wanted[group, : kernels.SAMPLES] += 1, life[0], life[0] ** 2, life[1]
                    life[:] = 0, 0.0, 0.0
    kernels.survey(0, 2, bounds, rewards, ends, valid, lengths, returns, discounted, discount, sums)
    assert sums.tolist() == [*wanted.tolist(), [7.0] * SURVEYED]
    assert [list(each) for each in zip(lengths, returns, discounted, strict=True)] == lives


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


@pytest.mark.parametrize("count", [3, 64, 77])
def test_a_step_of_adam_by_its_definition(count: int) -> None:
    """Each operation is rounded to binary32; the norm of the gradient is that of binary64, and limited."""
    random = np.random.default_rng(count)
    gradient, first, parameters = random.standard_normal((3, count)).astype(np.float32)
    second, share, least = np.square(random.standard_normal(count).astype(np.float32)), 1 / 7, np.float32(1e-5)
    rate, first_decay, second_decay = np.float32(3e-2), np.float32(0.9), np.float32(0.99)
    first_bias, second_bias = np.float32(1) - first_decay**3, np.float32(1) - second_decay**3
    chains = np.zeros(CHAINS)
    for index, each in enumerate(gradient):
        chains[index % CHAINS] += (float(each) * share) ** 2
    while len(chains) > 1:
        chains = chains[: len(chains) // 2] + chains[len(chains) // 2 :]
    norm = math.sqrt(chains[0])
    for most in (norm * 2, norm / 3):
        g = gradient * np.float32(share if norm <= most else share * (most / norm))
        m = first_decay * first + (np.float32(1) - first_decay) * g
        v = second_decay * second + (np.float32(1) - second_decay) * (g * g)
        step = rate * ((m / first_bias) / (np.sqrt(v / second_bias) + least))
        # What lies behind the numbers is nobody's.
        found = [np.append(each, np.full(40, 9, np.float32)) for each in (parameters, gradient, first, second)]
        numbers = rate, first_decay, second_decay, first_bias, second_bias, least
        assert kernels.descend(*(each[:count] for each in found), share, most, *numbers) == norm
        for each, wanted in zip(found, (parameters - step, gradient, m, v), strict=True):
            assert np.array_equal(each[:count].view(np.int32), wanted.view(np.int32))
            assert (each[count:] == 9).all()


def test_what_was_cut_short_is_worth_its_last_observation() -> None:
    samples, lanes = Samples(), 70
    random = np.random.default_rng(8)
    observed = random.standard_normal((NETWORK.inputs, lanes)).astype(np.float32)
    terminated, truncated = random.random((2, lanes)) < 0.2
    store, scratch = Store.empty(NETWORK, lanes, 1), np.zeros(NETWORK.scratch, np.float32)
    looks = kernels.look(NETWORK.table, samples.parameters, NETWORK.inputs, store)
    outcome = map(at, (observed[0].copy(), terminated, truncated))
    # Lane by lane, as last observations lie.
    looks(0, lanes, 0, *lying(observed.T.copy().T), *outcome, at(scratch))
    rewards, ends, beyond = store.rewards, store.ends, store.beyond
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
