"""Networks that remember, in the trainer: their order of operations, their derivatives, and that trainings repeat."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from lane_samples import Samples
from small import SMALL, StoppedError, trained

import hamlet
from hamlet.interpreter import functions
from hamlet.interpreter.fma import fma
from hamlet.package.module import load
from hamlet_train.cli.options import settings_of
from hamlet_train.draws import order
from hamlet_train.errors import TrainError
from hamlet_train.evaluate import chooser, environment, first_episodes, played
from hamlet_train.exact import kernels
from hamlet_train.exact.compiled import at, lying
from hamlet_train.exact.kernels import CLIPPED, DIVERGENCE
from hamlet_train.exact.network import Array, Network
from hamlet_train.exact.store import Memory, Store
from hamlet_train.policy import read_policy
from hamlet_train.ppo import Progress
from hamlet_train.run import Run

NETWORK = Network(inputs=5, hidden=(32, 20), actions=3, memory=32)
REMEMBERING = replace(SMALL, settings=replace(SMALL.settings, hidden=(32, 20), memory=32))


class Lanes(Samples):
    """Samples of whole lanes, some of which begin an episode in between, and some of which teach nothing."""

    def __init__(self) -> None:
        super().__init__(NETWORK)
        random = np.random.default_rng(9)
        lanes, ticks = self.valid.shape
        memory = Memory.empty(NETWORK, lanes, ticks)
        memory.first[:] = random.uniform(-1, 1, memory.first.shape)
        memory.begins[:] = random.random((lanes, ticks)) < 0.2
        self.memory = memory
        self.valid[:] = random.random((lanes, ticks)) < 0.8
        self.counts = np.array([8, 3], np.int64)
        self.order = order(1, 2, 0, range(2), np.arange(8) < self.counts[:, None])

    def outputs(self, lanes: slice, parameters: torch.Tensor) -> torch.Tensor:
        """[lanes, ticks, outputs] f64, tick after tick."""
        layers = []
        for inputs, rows, outputs, columns, weight, bias, *_ in NETWORK.table.tolist():
            weights = parameters[weight : weight + rows * columns].view(rows, columns)[:inputs, :outputs]
            layers.append((weights, parameters[bias : bias + outputs]))
        (first, bias), (gates, gate_bias), (second, second_bias), (heads, head_bias) = layers
        if self.memory is None:  # before this class has made it
            return torch.zeros(*self.inputs[lanes].shape[:2], 4, dtype=torch.float64)
        seen = torch.tanh(torch.from_numpy(self.inputs[lanes, :, : NETWORK.reads]).double() @ first + bias)
        gate, news = (seen @ gates + gate_bias).chunk(2, dim=-1)
        known = torch.from_numpy(self.memory.first[lanes]).double()
        begins = torch.from_numpy(self.memory.begins[lanes]).double()
        remembered = []
        for tick in range(seen.shape[1]):
            before = known * (1 - begins[:, tick, None])
            share = torch.sigmoid(gate[:, tick])
            known = before + share * (torch.tanh(news[:, tick]) - before)
            remembered.append(known)
        both = torch.cat([seen, torch.stack(remembered, dim=1)], dim=-1)
        return torch.tanh(both @ second + second_bias) @ heads + head_bias


def test_gradients_go_back_through_what_was_remembered() -> None:
    samples = Lanes()
    gradients, sums = samples.learn(0, 2)
    for group in range(2):
        parameters = torch.from_numpy(samples.parameters).double().requires_grad_()
        loss, entropy = samples.loss(group, parameters)
        (wanted,) = torch.autograd.grad(loss, parameters)
        assert np.allclose(sums[group, kernels.ENTROPY], entropy.item(), rtol=1e-5)
        for part in NETWORK.gates(wanted.numpy()):
            assert np.abs(part).max() > 0.01
        assert np.allclose(gradients[group], wanted.numpy(), rtol=1e-4, atol=1e-4 * float(wanted.abs().max()))


def test_what_acted_is_what_learns() -> None:
    """Tick after tick by the stated order of operations; and the learner finds the same probabilities to the bit."""
    lanes, ticks, random = 70, 4, np.random.default_rng(6)
    values, actions = NETWORK.inputs, NETWORK.actions
    parameters = Lanes().parameters
    observed = np.zeros((values, lanes), np.float32)
    age = np.zeros(lanes, np.int32)
    mask, alive = np.ones((actions, lanes), bool), np.ones(lanes, bool)
    store, chosen = Store.empty(NETWORK, lanes, ticks), np.zeros(lanes, np.int32)
    scratch, ranges = np.zeros(NETWORK.scratch, np.float32), np.zeros((0, 4), np.float32)
    steered = np.zeros((0, lanes), np.float32)
    acts = kernels.act(NETWORK.table, parameters, observed, mask, alive, ranges, store, chosen, steered, age=age)
    before, hidden, last = torch.zeros(values, lanes), torch.zeros(NETWORK.memory, lanes), torch.full((lanes,), -1)
    for tick in range(ticks + 1):
        observed[:] = random.standard_normal(observed.shape)
        age[:] = np.where(random.random(lanes) < 0.2, 0, tick + 1)
        words = random.integers(0, 2**32, lanes, dtype=np.uint32)
        for first, end in ((0, 33), (33, lanes)):
            acts(first, end, tick, at(words), None, at(scratch))
        fresh = (last < 0) | torch.from_numpy(age == 0)
        seen = torch.from_numpy(observed.copy())
        changed = torch.where(fresh, 0.0, (seen - before) * 8.0)
        acted = torch.where(fresh, 0.0, (torch.arange(actions).unsqueeze(1) == last).float())
        hidden = torch.where(fresh, 0.0, hidden)
        x, now = evaluated(parameters, torch.cat([seen, changed, acted]), hidden)
        assert np.array_equal(store.values[:, tick].view(np.int32), x[-1].numpy().view(np.int32))
        if tick < ticks:
            assert np.array_equal(store.memory.hidden.T.view(np.int32), now.numpy().view(np.int32))
            assert np.array_equal(store.memory.begins[:, tick] != 0, fresh.numpy())
            before, hidden, last = seen, now, torch.from_numpy(chosen.copy()).long()
    assert 10 < store.memory.begins[:, 1:].sum() < 3 * lanes
    transposed, gradients = np.zeros(NETWORK.parameters, np.float32), np.zeros((2, NETWORK.parameters), np.float32)
    NETWORK.transpose(parameters, transposed)
    bounds, counts, sums = np.array([0, 64, lanes]), np.array([64, 6]), np.zeros((2, kernels.LOSSES))
    taken = order(1, 2, 0, range(2), np.arange(64) < counts[:, None])
    numbers = map(np.float32, (0.1, 1.3, 0.2, 0.05, 0.5))
    stored = store.inputs, store.masks, store.actions, store.raw, store.chances, store.values, store.advantages
    store.valid[:] = 1
    kernels.learn(0, 2, NETWORK.table, parameters, transposed, bounds, taken, counts, 0, 1, *stored, *numbers,
                  gradients, sums, scratch, store.valid, store.memory)  # fmt: skip
    assert sums[:, CLIPPED].tolist() == sums[:, DIVERGENCE].tolist() == [0.0, 0.0]


def test_what_was_cut_short_is_worth_what_a_remembering_network_gives_it() -> None:
    """The last observation of each lane, with what the lane remembered and did before, and by nobody else's."""
    lanes, random = 70, np.random.default_rng(21)
    values, actions = NETWORK.inputs, NETWORK.actions
    observed = random.standard_normal((values, lanes)).astype(np.float32)
    terminated, truncated = random.random((2, lanes)) < 0.3
    store, scratch = Store.empty(NETWORK, lanes, 1), np.zeros(NETWORK.scratch, np.float32)
    parameters = Lanes().parameters
    remembers = store.memory
    assert remembers is not None
    remembers.hidden[:] = random.uniform(-1, 1, remembers.hidden.shape)
    remembers.before[:] = random.standard_normal(remembers.before.shape)
    remembers.acted[:] = random.integers(0, actions, lanes)
    looks = kernels.look(NETWORK.table, parameters, values, store)
    for first, end in ((0, 33), (33, lanes)):
        looks(first, end, 0, *lying(observed), *map(at, (observed[0].copy(), terminated, truncated)), at(scratch))
    seen, acted = torch.from_numpy(observed), torch.from_numpy(remembers.acted)
    changed = (seen - torch.from_numpy(remembers.before.T.copy())) * 8.0
    inputs = torch.cat([seen, changed, (torch.arange(actions).unsqueeze(1) == acted).float()])
    x, _ = evaluated(parameters, inputs, torch.from_numpy(remembers.hidden.T.copy()))
    wanted = np.where(truncated, x[-1].numpy(), np.float32(0))
    assert np.array_equal(store.beyond[:, 0].view(np.int32), wanted.view(np.int32))
    assert len(set(wanted.tolist())) == truncated.sum() + 1


def evaluated(parameters: Array, x: torch.Tensor, before: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """The heads, and what is remembered afterwards."""
    first, second, heads = NETWORK.views(parameters)
    seen = functions.tanh(layer(*first, x))
    gates, news = layer(*NETWORK.gates(parameters), seen).chunk(2)
    now = fma(functions.sigmoid(gates), functions.tanh(news) - before, before)
    return layer(*heads, functions.tanh(layer(*second, torch.cat([seen, now])))), now


def layer(weights: Array, biases: Array, x: torch.Tensor) -> torch.Tensor:
    sums = torch.from_numpy(biases.copy()).unsqueeze(1).expand(-1, x.shape[1])
    for column, value in zip(torch.from_numpy(weights.T.copy()), x, strict=True):
        sums = fma(column.unsqueeze(1), value.unsqueeze(0), sums)
    return sums


def test_a_training_that_remembers_repeats_and_goes_on(tmp_path: Path) -> None:
    """With other threads, and from a checkpoint."""

    def stop(update: Progress) -> None:
        if update.update == 3:
            raise StoppedError

    run = trained(tmp_path / "one", REMEMBERING)
    with pytest.raises(StoppedError):
        trained(tmp_path / "cut", REMEMBERING, 2, stop)
    cut = trained(tmp_path / "cut", REMEMBERING, 2)
    assert cut.read().weights == run.read().weights
    assert (cut.folder / "evaluations.jsonl").read_text() == (run.folder / "evaluations.jsonl").read_text()
    assert len({line.weights for line in run.lines()}) == 5
    plays_alike(run)


def plays_alike(run: Run) -> None:
    """The trainer's actor, rollouts inside of kernels, and steps by a policy as a value."""
    module = load(run.package)
    policy = read_policy(run.folder / "policy.safetensors", module)
    env = environment(module, 70, 1, 9)
    acted = first_episodes(env, chooser(env, policy, 1))
    rolled = played(environment(module, 70, 1, 9), policy, 1)
    assert np.array_equal(acted.lengths, rolled.lengths)
    assert np.array_equal(acted.endings, rolled.endings)
    assert len(set(acted.lengths.tolist())) > 5
    stepped, whole = environment(module, 70, 1, 9), environment(module, 70, 1, 9)
    learnt = hamlet.policy(run.folder)
    acting = learnt.acting(stepped)
    for _ in range(90):
        stepped.step(*acting())
    whole.rollout(60, learnt)
    whole.rollout(30, learnt)
    assert all(torch.equal(stepped.state[name], each) for name, each in whole.state.items())


@pytest.mark.parametrize(
    ("memory", "settings", "why"),
    [
        ("lstm:64", (), "write gru:N, of which N is 32 or 64"),
        ("gru:48", (), "write gru:N, of which N is 32 or 64"),
        ("gru:64", ("hidden=20,20",), "the first has a multiple of 32"),
        ("gru:64", ("hidden=64",), "stands between two hidden layers"),
        ("gru:64", ("horizon=65",), "at most 64 ticks at a time: horizon is 65"),
    ],
)
def test_a_memory_that_no_network_has_is_refused(memory: str, settings: tuple[str, ...], why: str) -> None:
    with pytest.raises(TrainError, match=why):
        settings_of(settings, memory)
