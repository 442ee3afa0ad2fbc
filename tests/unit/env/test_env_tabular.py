"""Tables as policies: what they are indexed by, how actions are drawn, that all backends agree."""

from __future__ import annotations

import dataclasses

import pytest
import torch

import hamlet
from hamlet import EnvError
from hamlet.env.environment import Env
from hamlet.numbers.random import policy_words
from hamlet.package.module import Module
from hamlet.schema.features import Count, Quantity, features

ACTIONS = 7
UP, DOWN, RIGHT, INTERACT, WAIT = 0, 1, 3, 4, 5


def make(module: Module, backend: str = "interpreter", worlds: int = 61, **arguments: object) -> Env:
    return hamlet.make(module, worlds=worlds, backend=backend, **arguments)  # type: ignore[arg-type]


def test_features(valley: Module) -> None:
    assert features(valley.universe) == (
        Count("x", 4),
        Count("y", 3),
        Count("hour", 6),
        Count("age", 40),
        Count("here", 3),
        Quantity("warmth", 0.0, 1.0),
        Quantity("food", 0.0, 2.0),
        Quantity("debt", 0.0, 1.0),
    )


def test_a_table_of_actions_is_looked_up(valley: Module) -> None:
    """Every tick does what the table says about the state before it."""
    env, stepped = make(valley, seed=3), make(valley, seed=3)
    table = torch.randint(ACTIONS, (3, 6, 5, 4, 3), generator=torch.Generator().manual_seed(1))
    policy = env.tabular(table, ["here", "hour", ("food", 5), "x", ("debt", 3)])
    taken = torch.zeros(ACTIONS, dtype=torch.int64)
    for _ in range(50):
        state, lanes = stepped.state, torch.arange(61)
        at = torch.zeros(61, dtype=torch.int64)
        for number, name in enumerate(["Fire", "Farm"]):
            column = stepped.observation_names.index(f"here[{name}]")
            assert stepped.observation is not None
            at[stepped.observation[lanes, column] == 1] = number + 1
        food = (state["meters"][1] * (torch.tensor(5.0) / 2)).floor().long().clamp(0, 4)
        debt = (state["meters"][2] * 3).floor().long().clamp(0, 2)
        actions = table[at, state["hour"].long(), food, state["position"][0].long(), debt]
        taken += torch.bincount(actions, minlength=ACTIONS)
        stepped.step(actions)
        env.rollout(1, policy)
        for name, values in env.state.items():
            assert torch.equal(values, stepped.state[name]), name
    assert (taken > 20).all()
    assert (stepped.state["meters"][2] > 1).any() or (stepped.state["meters"][2] < 0).any(), "all debts are in bounds"


def test_probabilities(valley: Module) -> None:
    """An action is taken as often as its probability says, with the words of the random policy."""
    env = make(valley, worlds=3)
    probabilities = torch.tensor([0.0, 0.125, 0.5, 0.0, 0.25, 0.125, 0.0])
    policy = env.tabular(probabilities, [])
    assert policy.thresholds is not None
    assert policy.thresholds.tolist() == [[0, 1 << 27, 5 << 27, 5 << 27, 7 << 27, 1 << 30]]
    lanes, seed = torch.arange(1 << 16), (11, 22)
    words = policy_words(lanes, 4, seed)[0]
    actions = (policy.thresholds[0] <= (words >> 2).unsqueeze(1)).sum(dim=1)
    share = torch.bincount(actions, minlength=ACTIONS) / len(lanes)
    assert (share[probabilities == 0] == 0).all()
    assert ((share - probabilities).abs() < 0.01).all()


@pytest.mark.parametrize("backend", ["interpreter", "c"])
def test_a_word_at_a_threshold_is_beyond_it(valley: Module, backend: str) -> None:
    env, stepped = make(valley, backend, seed=3), make(valley, seed=3)
    words = policy_words(torch.arange(61), 0, (3, 0))[0] >> 2
    thresholds = words[: ACTIONS - 1].sort().values
    actions = (thresholds <= words.unsqueeze(1)).sum(dim=1)
    assert set(actions.tolist()) == set(range(ACTIONS))
    policy = env.tabular(torch.full((ACTIONS,), 1 / ACTIONS), [])
    env.rollout(1, dataclasses.replace(policy, thresholds=thresholds.to(torch.int32).unsqueeze(0)))
    stepped.step(actions)
    for name, values in stepped.state.items():
        assert torch.equal(values, env.state[name]), name


@pytest.mark.parametrize("action", range(ACTIONS))
@pytest.mark.parametrize("backend", ["interpreter", "c"])
def test_an_action_of_probability_1_is_always_taken(valley: Module, action: int, backend: str) -> None:
    drawn, fixed = make(valley, backend), make(valley, backend)
    certain = torch.nn.functional.one_hot(torch.tensor(action), ACTIONS).float()
    drawn.rollout(20, drawn.tabular(certain, []))
    fixed.rollout(20, fixed.tabular(torch.tensor(action), []))
    stepped = make(valley, backend)
    for _ in range(20):
        stepped.step(torch.full((61,), action))
    for name, values in stepped.state.items():
        assert torch.equal(values, fixed.state[name]), name
        assert torch.equal(values, drawn.state[name]), name


@pytest.mark.parametrize("agents", [1, 3])
@pytest.mark.parametrize("drawn", [False, True])
def test_backends_agree(valley: Module, agents: int, drawn: bool) -> None:
    """Also over episodes, in pieces, and with the counts; `age` decides, `x` does not count."""
    generator = torch.Generator().manual_seed(7)
    sizes = (40, 6, 4, 3)
    table = torch.randint(ACTIONS, sizes, generator=generator)
    if drawn:
        table = torch.rand((*sizes, ACTIONS), generator=generator).softmax(dim=-1)
    left, right = (make(valley, backend, agents=agents, seed=9, first_world=5) for backend in ("interpreter", "c"))
    counted = []
    for env in (left, right):
        policy = env.tabular(table, ("age", "hour", ("warmth", 4), "y"))
        env.rollout(7, policy)
        result = env.rollout(63, policy, observe=True)
        assert result.episodes() > 50
        counted.append(result.counts)
    for name in ("uses", "causes", "lengths", "finished_return"):
        assert torch.equal(*(getattr(counts, name) for counts in counted)), name
    for name, values in left.state.items():
        assert torch.equal(values, right.state[name]), name
    for name, values in left.outcome.items():
        assert torch.equal(values, right.outcome[name]), name
    assert left.observation is not None
    assert right.observation is not None
    assert torch.equal(left.observation, right.observation)


def test_many_agents_in_a_world(valley: Module) -> None:
    """A world that takes several chunks, whose state is loaded again in every tick."""
    left, right = (make(valley, backend, worlds=2, agents=9) for backend in ("interpreter", "c"))
    table = torch.tensor([RIGHT, INTERACT, INTERACT])
    for env in (left, right):
        env.rollout(30, env.tabular(table, ["here"]))
    assert torch.equal(left.state["meters"].view(torch.int32), right.state["meters"].view(torch.int32))


@pytest.mark.parametrize(
    ("shape", "names", "message"),
    [
        ((4,), ["z"], "no feature 'z': there are x, y, hour, age, here, warmth, food, debt"),
        ((4, 4), ["x", "x"], "no feature 'x'"),
        ((4,), [("x", 4)], "feature 'x' has 4 values and takes no bins"),
        ((4,), ["food"], r"feature 'food' needs bins, 1 to 1048576: write \(\"food\", 4\)"),
        ((0,), [("food", 0)], "needs bins"),
        ((5,), ["x"], r"a table of actions by these features has the shape \[4\], not \[5\]"),
        ((4, 7), ["x"], r"the shape \[4\], not \[4, 7\]"),
    ],
)
def test_wrong_features(valley: Module, shape: tuple[int, ...], names: list[str], message: str) -> None:
    with pytest.raises(EnvError, match=message):
        make(valley).tabular(torch.zeros(shape, dtype=torch.int64), names)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ([0, 1], r"a table of actions by these features has the shape \[4\], not \[2\]"),
        ("eat", "a table holds actions .* or probabilities .*, not 'eat'"),
        (torch.tensor([0, 1, 2, 7]), r"action 7 does not exist: actions are 0 \.\. 6"),
        (torch.tensor([0, -1, 2, 3]), "action -1 does not exist"),
        (torch.tensor([True] * 4), "holds actions"),
        (torch.zeros(4), r"a table of probabilities by these features has the shape \[4, 7\], not \[4\]"),
        (torch.zeros(4, 7), "add up to 1"),
        (torch.full((4, 7), torch.nan), "add up to 1"),
        (torch.tensor([[2.0, -1, 0, 0, 0, 0, 0]] * 4), "are 0 or more"),
    ],
)
def test_wrong_tables(valley: Module, table: torch.Tensor, message: str) -> None:
    with pytest.raises(EnvError, match=message):
        make(valley).tabular(table, ["x"])


def test_a_policy_belongs_to_its_universe(valley: Module) -> None:
    env = make(valley)
    other = dataclasses.replace(env.tabular(torch.tensor(WAIT), []), universe="another")
    before = env.state_dict()
    with pytest.raises(EnvError, match="another universe"):
        env.rollout(3, other)
    assert env.tick == before["tick"]
