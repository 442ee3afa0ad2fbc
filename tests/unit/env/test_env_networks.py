"""Networks as policies: the order of their operations, the choice of actions, what rollouts store, what is refused."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
import torch

import hamlet
from hamlet import EnvError
from hamlet.env.environment import Env
from hamlet.interpreter.functions import exp, log, tanh
from hamlet.native.compilers import CHOICE
from hamlet.package.module import Module
from hamlet.policies.mlp import MLP
from unit.env.test_env_given import POND
from unit.interpreter.test_fma import TINY, rounded

LANES = 24


def make(module: Module, backend: str = "interpreter", **arguments: object) -> Env:
    given = {"worlds": LANES, "seed": 3} | arguments
    return hamlet.make(module, backend=backend, **given)  # type: ignore[arg-type]


def network(env: Env, seed: int = 1, **arguments: object) -> MLP:
    """One whose logits differ enough that actions do, and who sees nothing does not find 0."""
    policy = MLP.random(len(env.observation_names), env.num_actions, seed=seed, **arguments)  # type: ignore[arg-type]
    policy.weights[-1].mul_(300.0)
    for bias in policy.biases:
        bias.copy_(torch.linspace(-0.02, 0.03, bias.shape[-1]))
    return policy


def bits(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.contiguous().view(torch.int32) if tensor.dtype is torch.float32 else tensor


def assert_same(left: torch.Tensor, right: torch.Tensor, what: object = "") -> None:
    assert torch.equal(bits(left), bits(right)), what


# --- the order of operations -----------------------------------------------------------------------------------------


def test_layers_add_one_product_after_the_other() -> None:
    """By exact rational arithmetic, rounded once for each product."""
    policy = MLP.random(7, 3, hidden=(5, 4), activation="relu", seed=4)
    for bias in policy.biases:
        bias.copy_(torch.linspace(-0.3, 0.7, len(bias)))
    x = torch.randn(2, 7, generator=torch.Generator().manual_seed(2))
    expected = []
    for lane in x.tolist():
        values, last = lane, len(policy.weights) - 1
        for number, (weight, bias) in enumerate(zip(policy.weights, policy.biases, strict=True)):
            outputs = []
            for row, start in zip(weight.tolist(), bias.tolist(), strict=True):
                for factor, value in zip(row, values, strict=True):
                    exact = Fraction(factor) * Fraction(value) + Fraction(start)
                    start = float(rounded(int(exact * TINY * TINY)))
                outputs.append(start if number == last or start > 0 else 0.0)
            values = outputs
        expected.append(values)
    found = policy.forward(x, words=torch.zeros(2, dtype=torch.int64))
    assert found.values is not None
    assert_same(torch.cat([found.logits, found.values.unsqueeze(1)], 1), torch.tensor(expected))


def of_logits(logits: list[float], sample: bool, hidden: float = 1.0) -> MLP:
    """A network whose logits are these, whatever it sees."""
    biases = [torch.tensor([hidden]), torch.tensor(logits)]
    return MLP([torch.zeros(1, 2), torch.zeros(len(logits), 1)], biases, "relu", value=False, sample=sample)


def test_the_first_of_the_likeliest_that_are_allowed() -> None:
    policy = of_logits([1.0, 3.0, 3.0, 2.0], sample=False)
    masks = torch.tensor([[1, 1, 1, 1], [1, 0, 1, 1], [1, 0, 0, 1], [1, 0, 0, 0], [0, 0, 0, 0]]).bool()
    decided = policy.forward(torch.zeros(5, 2), masks)
    assert decided.actions.tolist() == [1, 2, 3, 0, 1]
    assert decided.values is None
    for lane, mask in enumerate(masks):
        allowed = torch.tensor([1.0, 3.0, 3.0, 2.0])[mask if mask.any() else ~mask]
        total = torch.tensor(0.0)
        for logit in allowed:
            total = total + exp(logit - allowed.max())
        assert_same(decided.log_probs[lane], 0.0 - log(total), lane)


def test_actions_are_drawn_by_their_probabilities() -> None:
    policy = of_logits([0.0, 1.0, 5.0, -1.0], sample=True)
    count = 1 << 11
    words = torch.arange(count, dtype=torch.int64) << 21
    mask = torch.tensor([True, True, False, True]).expand(count, 4)
    decided = policy.forward(torch.zeros(count, 2), mask, words)
    taken = Counter(decided.actions.tolist())
    wanted = torch.tensor([0.0, 1.0, -1.0]).softmax(0)
    for action, share in zip((0, 1, 3), wanted.tolist(), strict=True):
        assert abs(taken[action] / count - share) < 2 / count
    assert taken[2] == 0
    assert torch.allclose(decided.log_probs, wanted.log()[torch.tensor([0, 1, 0, 2])[decided.actions.long()]])


def test_the_largest_word_takes_no_action_that_is_masked() -> None:
    """share(w) * S stays below S: the last allowed action, also where those behind it are masked."""
    generator = torch.Generator().manual_seed(5)
    logits = torch.randn(6, generator=generator) * 20
    policy = of_logits(logits.tolist(), sample=True)
    masks = torch.rand(500, 6, generator=generator) < 0.5
    masks[:, 0] = True
    for word in (0, (1 << 32) - 1):
        actions = policy.forward(torch.zeros(500, 2), masks, torch.full((500,), word)).actions
        assert masks.gather(1, actions.long().unsqueeze(1)).all()


def test_zeros_of_either_sign_leave_a_hidden_layer_as_plus_zero() -> None:
    """So a term whose input is 0 may be left out."""
    zeros = torch.tensor([0.0, -0.0, 1e-45, -1e-45])
    assert bits(tanh(zeros))[:2].tolist() == [0, 0]
    for activation in ("tanh", "relu"):
        for bias in (0.0, -0.0):
            given = [torch.tensor([bias]), torch.tensor([-0.0])]
            policy = MLP([-torch.ones(1, 1), torch.ones(1, 1)], given, activation, False, False)  # type: ignore[arg-type]
            assert bits(policy.forward(torch.tensor([[0.0], [-0.0]])).logits).unique().tolist() == [0]


# --- rollouts --------------------------------------------------------------------------------------------------------


def check_rollout(
    module: Module, backend: str, ticks: int, observe: bool = True, given: Given | None = None, **arguments: object
) -> Counter[str]:
    """Compare a rollout with the same network outside of it, in steps of the interpreter; what it met."""
    shape = {name: arguments.pop(name) for name in ("agents", "worlds") if name in arguments}
    env, outside = make(module, backend, **shape), make(module, **shape)
    policy = network(env, **arguments)
    for each in (env, outside):
        # Some lanes come to the end of their lifespan, others die.
        each.state["age"][::2] = env.universe.lifespan.ticks - 3  # type: ignore[union-attr]
        each.observe()
    stored, met = env.storage(ticks), Counter[str]()
    inputs = None if given is None else given(env, ticks)
    result = env.rollout(ticks, policy, observe, store=stored, inputs=inputs)
    for tick in range(ticks):
        rows = seen(outside, policy)
        for name, values in (inputs or {}).items():
            outside.inputs[name] = values[tick]
        outside.step(rows["actions"])
        rows |= became(outside, policy)
        for name, row in rows.items():
            assert_same(getattr(stored, name)[tick], row, (name, tick))
        met.update({name: int(rows[name].sum()) for name in ("terminated", "truncated")})
        met["actions"] = max(met["actions"], len(rows["actions"].unique()))
        met["final values"] += int((rows["final_values"] != 0).sum())
    assert_same(stored.values[-1], seen(outside, policy)["values"])  # type: ignore[index]
    for name, field in {**env.state, **env.outcome}.items():
        assert_same(field, {**outside.state, **outside.outcome}[name], name)
    assert_same(shown(env), shown(outside))
    assert torch.equal(env.action_mask, outside.action_mask)
    final, other = (each.info["final_observation"] for each in (env, outside))
    assert final is not None
    assert other is not None
    assert_same(final, other if observe else torch.zeros_like(final))
    assert result.episodes() == met["terminated"] + met["truncated"]
    return met


Given = Callable[[Env, int], dict[str, torch.Tensor]]


def random_inputs(env: Env, ticks: int) -> dict[str, torch.Tensor]:
    """Of each tick, within their ranges."""
    generator = torch.Generator().manual_seed(1)
    size = (ticks, env.num_lanes)
    return {
        each.name: each.low + (each.high - each.low) * torch.rand(size, generator=generator)
        for each in env.universe.inputs
    }


def shown(env: Env) -> torch.Tensor:
    assert env.observation is not None
    return env.observation


def seen(env: Env, policy: MLP) -> dict[str, torch.Tensor]:
    """What a network sees now, and what it decides."""
    decided = policy.forward(shown(env), env.action_mask, env.policy_words() if policy.sample else None)
    assert decided.values is not None
    rows = {"observations": shown(env).T.clone(), "masks": env.action_mask.T.clone()}
    rows |= {"alive": env.state["alive"].clone(), "actions": decided.actions, "values": decided.values}
    return rows | {"log_probs": decided.log_probs}


def became(env: Env, policy: MLP) -> dict[str, torch.Tensor]:
    """What came of a step."""
    rows = {name: env.outcome[of] for name, of in (("rewards", "reward"), ("terminated",) * 2, ("truncated",) * 2)}
    anew = env.state["alive"] & (not env.universe.by_hand)
    final = env.info["final_observation"]
    assert final is not None
    last = torch.where(anew.unsqueeze(1), final, shown(env))
    value = policy.forward(last, words=torch.zeros(env.num_lanes, dtype=torch.int64)).values
    assert value is not None
    return rows | {"final_values": torch.where(rows["truncated"], value, 0.0)}


@pytest.mark.parametrize("backend", ["interpreter", "c"])
def test_a_rollout_is_steps_with_the_same_network(valley: Module, backend: str) -> None:
    met = check_rollout(valley, backend, 14, worlds=70)
    assert met["terminated"] > 2
    assert met["truncated"] > 20
    assert met["actions"] == 7
    assert met["final values"] == met["truncated"]


@pytest.mark.parametrize("backend", ["interpreter", "c"])
def test_the_likeliest_of_a_population_in_worlds_of_two(valley: Module, backend: str) -> None:
    met = check_rollout(valley, backend, 4, False, agents=2, worlds=6, members=3, sample=False, activation="relu")
    assert met["truncated"] > 0


@pytest.mark.parametrize(
    ("members", "agents", "hidden"),
    [(3, 9, (64, 9)), (6, 1, (33,)), (2, 5, (64, 64)), (3, 8, (5,)), (1, 1, (64, 64))],
    ids=["chunks of several members", "a lane for each", "fifteen for each", "sixteen for each", "one member"],
)
@pytest.mark.parametrize("backend", ["c"])
def test_chunks_and_members(valley: Module, backend: str, members: int, agents: int, hidden: tuple[int, ...]) -> None:
    for activation, sample in (("tanh", True), ("relu", False)):
        shape = {"worlds": 6, "agents": agents}
        check_rollout(valley, backend, 3, **shape, members=members, hidden=hidden, activation=activation, sample=sample)


@pytest.mark.skipif(shutil.which("cc") is None, reason="this machine has no compiler of C")
def test_machines_without_vectors(valley: Module, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(CHOICE, "cc -O0 -DHAMLET_SCALAR")
    assert check_rollout(valley, "c", 5, worlds=20)["truncated"] > 0
    check_rollout(valley, "c", 2, worlds=6, members=6, hidden=(33,))


@pytest.mark.parametrize("backend", ["interpreter", "c"])
def test_episodes_by_hand_and_inputs_of_each_tick(compiled: Callable[[str], Module], backend: str) -> None:
    """An agent that was cut off stays as it is: its last observation is the present one."""
    pond = compiled(POND)
    met = check_rollout(pond, backend, 5, given=random_inputs, worlds=10, agents=2)
    assert met["truncated"] > 0
    if backend != "interpreter":
        # Worlds of several tiles.
        check_rollout(pond, backend, 4, given=random_inputs, worlds=2, agents=300, members=2, hidden=(9,))


@pytest.mark.parametrize("backend", ["c"])
def test_how_lanes_are_shared_among_threads_does_not_matter(valley: Module, backend: str) -> None:
    """Counts too are those of one thread."""
    results = []
    for threads in (1, 3):
        env = make(valley, backend, worlds=700)
        env._backend.threads = threads  # type: ignore[attr-defined]
        result = env.rollout(20, network(env))
        results.append({**env.state, **env.outcome, "observation": shown(env)} | result.counts.memory)
    for name, values in results[0].items():
        assert_same(torch.as_tensor(values), torch.as_tensor(results[1][name]), name)


def test_networks_that_take_turns_leave_each_other_nothing(valley: Module) -> None:
    """A launch plays with the arrays of the one before; the last decision is made for who stores values alone."""
    env, other = make(valley, "c", worlds=300), make(valley, "c", worlds=300)
    wide, narrow = network(env), network(env, seed=2, hidden=(9,), value=False)
    store = other.storage(2)
    for policy in (wide, narrow, wide, wide):
        env.rollout(2, policy)
        apart = make(valley, "c", worlds=300)
        apart.load_state_dict(other.state_dict())
        apart.rollout(2, policy)
        other.rollout(2, policy, store=store if policy is wide else None)
        assert_same(shown(env), shown(apart))
        assert_same(shown(other), shown(apart))
    assert store.values is not None
    assert_same(store.values[2], wide.forward(shown(env), env.action_mask, env.policy_words()).values)


def test_members_of_a_population_are_networks_of_their_own(valley: Module) -> None:
    env = make(valley)
    policy = network(env, members=3)
    decided = policy.forward(env.observation, env.action_mask, env.policy_words())  # type: ignore[arg-type]
    for member in range(3):
        lanes = slice(member * 8, member * 8 + 8)
        of_member = [[tensor[member] for tensor in layers] for layers in (policy.weights, policy.biases)]
        given = (each[lanes] for each in (env.observation, env.action_mask, env.policy_words()))  # type: ignore[index]
        alone = MLP(*of_member).forward(*given)
        assert_same(decided.logits[lanes], alone.logits)
        assert_same(decided.log_probs[lanes], alone.log_probs)


def test_parts_of_a_rollout_go_on(valley: Module) -> None:
    """What is stored may be a part, and weights may change in place between rollouts."""
    env, other = make(valley), make(valley)
    policy = network(env)
    whole, parts = env.storage(6, ["actions", "values"]), other.storage(6, ["actions", "values"])
    assert whole.rewards is None
    env.rollout(6, policy, store=whole)
    for first in (0, 3):
        other.rollout(3, policy, store=parts.part(first, 3))
    assert torch.equal(whole.actions, parts.actions)  # type: ignore[arg-type]
    assert_same(whole.values, parts.values)  # type: ignore[arg-type]
    policy.biases[-1][env.action_names.index("WAIT")] = 1e6
    env.rollout(3, policy, store=whole.part(0, 3))
    assert (whole.actions[:3] == env.action_names.index("WAIT"))[whole.part(0, 3).actions >= 0].all()  # type: ignore


# --- what is refused -------------------------------------------------------------------------------------------------

W, B = [torch.zeros(4, 3), torch.zeros(5, 4)], [torch.zeros(4), torch.zeros(5)]


@pytest.mark.parametrize(
    ("weights", "biases", "others", "message"),
    [
        (W, B, {"activation": "gelu"}, "there is no activation 'gelu'"),
        (W, B, {"sample": 1}, "sample is True or False"),
        (W, [*B, B[1]], {}, "has a bias"),
        ([w.to("meta") for w in W], B, {}, "on meta"),
        (W[:1], B[:1], {}, "one for each of 1 or 2 hidden layers"),
        ([w.double() for w in W], B, {}, "tensors of torch.float32"),
        ([np.zeros((4, 3)), *W[1:]], B, {}, "tensors of torch.float32"),
        ([W[0], torch.zeros(5, 3)], B, {}, r"layer 1 has weights \[5, 4\]"),
        ([W[0], torch.zeros(2, 5, 4)], B, {}, r"layer 1 has weights \[5, 4\]"),
        ([torch.zeros(4, 3, 1, 1), W[1]], B, {}, "has a bias"),
        ([torch.zeros(3, 4).T, W[1]], B, {}, "lie in memory"),
        ([torch.zeros(65, 3), torch.zeros(5, 65)], [torch.zeros(65), B[1]], {}, "at most 64 outputs"),
        ([torch.full((4, 3), torch.nan), W[1]], B, {}, "finite"),
        (W, [B[0], torch.full((5,), 2.0**20 + 1)], {}, r"at most 2\*\*20"),
        ([W[0], torch.zeros(1, 4)], [B[0], torch.zeros(1)], {}, "a row for each action"),
    ],
)
def test_networks_that_are_none(weights: object, biases: object, others: dict[str, object], message: str) -> None:
    with pytest.raises(EnvError, match=message):
        MLP(weights, biases, **others).prepared()  # type: ignore[arg-type]


def test_networks_of_others(valley: Module) -> None:
    env = make(valley)
    right = network(env)
    for policy, message in (
        (MLP.random(3, env.num_actions), "3 inputs and 7 logits, but"),
        (network(env, members=5), "5 members cannot share 24 worlds"),
    ):
        with pytest.raises(EnvError, match=message):
            env.rollout(1, policy)
    with pytest.raises(EnvError, match='make the environment with obs_dtype="float32"'):
        make(valley, obs_dtype="bfloat16").rollout(1, right)
    for given, message in ((3, "tensor"), (torch.zeros(4, 3), "words"), (torch.zeros(4, 3).double(), "observation")):
        with pytest.raises(EnvError, match=message):
            MLP(W, B).forward(given)  # type: ignore[arg-type]


def test_what_cannot_be_stored(valley: Module) -> None:
    env = make(valley)
    policy, stored = network(env), env.storage(4)
    for store, message in (
        (env.storage(3), r"store.observations is a tensor \[4, "),
        (3, "store is a hamlet.Storage"),
        (hamlet.Storage(actions=torch.zeros(4, LANES)), "torch.int32 on cpu, not"),
        (hamlet.Storage(rewards=torch.zeros(LANES, 4).T), "side by side"),
        (hamlet.Storage(rewards=3), "not 3"),  # type: ignore[arg-type]
    ):
        with pytest.raises(EnvError, match=message):
            env.rollout(4, policy, store=store)  # type: ignore[arg-type]
    with pytest.raises(EnvError, match="store needs an MLP"):
        env.rollout(4, store=stored)
    with pytest.raises(EnvError, match=r"store.values needs a policy with a value"):
        env.rollout(4, network(env, value=False), store=stored)
    assert env.tick == 0
