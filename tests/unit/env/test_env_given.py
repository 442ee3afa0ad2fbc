"""What can be given to worlds and read from them: inputs, places, reports; and episodes by hand."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import pytest
import torch

import hamlet
from hamlet import EnvError
from hamlet.env.environment import Env
from hamlet.package.module import Module

POND = """
universe pond
space continuous (-1 .. 3) x (0 .. 2) { step 0.5  reach 0.4 }
lifespan 6 ticks { reward 0.5 }
episodes by hand
track uses
input wind = 0.25 in -1 .. 1
input bonus = 0 in 0 .. 5
param chill = 0.5 in 0 .. 1
meter warmth = 0.9 { decay 0.01 }
rule gust: wind > 0.5 -> warmth -= 0.1
affordance Reed at random { instantly { warmth += 0.02 } }
affordance Dock at (1, 1) lasts 3 ticks { each tick { warmth += 0.01 } }
action DRIFT { move (0.1, 0)  keeps progress }
allow RIGHT when warmth > chill
dies when warmth <= 0.3
reward sun: 0.1
reward bonus
report away: distance to Reed
observe { position absolute  meters  here }
"""

STALLS = """
universe stalls
space grid 4 x 3 { places stored }
meter food = 0.5
affordance Stall at random { instantly { food += 0.1 } }
affordance Booth at (3, 2) { instantly { food -= 0.1 } }
reward food
observe { grid }
"""

BACKENDS = ["interpreter", "c"]


@pytest.fixture(scope="module")
def pond(compiled: Callable[[str], Module]) -> Module:
    return compiled(POND)


@pytest.fixture(scope="module")
def stalls(compiled: Callable[[str], Module]) -> Module:
    return compiled(STALLS)


def make(module: Module, backend: str = "interpreter", **arguments: Any) -> Env:
    return hamlet.make(module, **({"worlds": 8, "agents": 2, "backend": backend, "seed": 3} | arguments))


def wait(env: Env) -> torch.Tensor:
    return torch.full((env.num_lanes,), env.action_names.index("WAIT"))


# --- inputs and reports ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("backend", BACKENDS)
def test_inputs_stay_until_others_are_given(pond: Module, backend: str) -> None:
    env = make(pond, backend)
    assert list(env.inputs) == ["wind", "bonus"]
    assert env.inputs["wind"].tolist() == [0.25] * 16
    env.inputs["bonus"] = torch.arange(16) * 0.25
    _, reward, *_ = env.step(wait(env))
    assert torch.equal(reward, torch.tensor(0.1) + torch.arange(16) * 0.25)
    env.inputs["bonus"] = 2
    assert env.step(wait(env))[1].tolist() == [torch.tensor(2.1)] * 16
    env.reset()
    assert env.inputs["bonus"].tolist() == [2.0] * 16


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (1.5, "input wind must lie in -1 .. 1"),
        (float("nan"), "input wind must lie in -1 .. 1"),
        (torch.zeros(8), "input wind takes a number or a tensor \\[16\\], not \\[8\\]"),
        ("much", "input wind takes numbers, not 'much'"),
    ],
)
def test_wrong_inputs(pond: Module, value: Any, message: str) -> None:
    env = make(pond)
    with pytest.raises(EnvError, match=message):
        env.inputs["wind"] = value
    assert env.inputs["wind"].tolist() == [0.25] * 16
    with pytest.raises(EnvError, match="the universe has no input 'rain': wind, bonus"):
        env.inputs["rain"] = 1.0
    with pytest.raises(EnvError, match="input wind belongs to the universe"):
        del env.inputs["wind"]


def test_inputs_out_of_range_are_not_looked_for_without_validation(pond: Module) -> None:
    env = make(pond, validate=False)
    env.inputs["wind"] = 9.0
    assert env.inputs["wind"][0] == 9.0


@pytest.mark.parametrize("backend", BACKENDS)
def test_reports_are_views_by_name(pond: Module, backend: str) -> None:
    env = make(pond, backend)
    assert list(env.reports) == ["sun", "away"]
    away = env.reports["away"]
    assert away.tolist() == [0.0] * 16
    env.step(wait(env))
    assert env.reports["sun"].tolist() == [torch.tensor(0.1)] * 16
    assert away.min() > 0
    env.reset()
    assert away.tolist() == [0.0] * 16


def test_params_change_masks_too(pond: Module) -> None:
    env = make(pond)
    right = env.action_names.index("RIGHT")
    assert env.action_mask[:, right].all()
    env.params["chill"] = 1.0
    assert not env.action_mask[:, right].any()


# --- places ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("backend", BACKENDS)
def test_affordances_are_put_where_somebody_wants_them(pond: Module, backend: str) -> None:
    """Onto the first agent of each world."""
    env = make(pond, backend)
    at = env.state["position"].view(2, 8, 2)[:, :, 0].T.clone()
    env.place("Reed", at)
    assert torch.equal(env.state["places"][:2].T, at)
    assert env.observation is not None
    assert env.observation[::2, 3].tolist() == [1.0] * 8
    interact = env.action_names.index("INTERACT")
    assert env.action_mask[::2, interact].all()
    used = env.step(torch.full((16,), interact))[-1]["used"]
    assert used is not None
    assert (used[::2] >= 0).all()
    env.place("Dock", (-1, 2), worlds=[1, 5])
    assert env.state["places"][2].tolist() == [1.0, -1.0, 1.0, 1.0, 1.0, -1.0, 1.0, 1.0]
    env.reset()
    assert env.state["places"][2].tolist() == [1.0] * 8


@pytest.mark.parametrize("backend", BACKENDS)
def test_cells_may_be_shared(stalls: Module, backend: str) -> None:
    env = make(stalls, backend)
    env.place("Stall", (3, 2))
    assert env.state["places"].tolist() == [[11] * 8] * 2
    env.place("Stall", torch.tensor([[0, 1], [2, 0]]), worlds=torch.tensor([7, 0]))
    assert env.state["places"][0].tolist() == [2, *[11] * 6, 4]
    assert env.observation is not None
    first = env.observation[0].clone()
    x, y = env.state["position"][:, 0].tolist()
    first[x + 4 * y] -= 1
    assert first.tolist() == [0, 0, 1, *[0] * 8, 1]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("Tree", (0, 0)), "no affordance 'Tree': Stall, Booth"),
        (("Stall", (4, 0)), "x of a place is a whole number in 0 .. 3"),
        (("Stall", (0, -1)), "y of a place is a whole number in 0 .. 2"),
        (("Stall", (0.5, 1)), "x of a place is a whole number"),
        (("Stall", (float("nan"), 1)), "x of a place is a whole number"),
        (("Stall", (1,)), "a place is 2 numbers \\(x, y\\), or a tensor \\[8, 2\\], not \\[1\\]"),
        (("Stall", torch.zeros(7, 2)), "a place is 2 numbers \\(x, y\\), or a tensor \\[8, 2\\], not \\[7, 2\\]"),
        (("Stall", "home"), "a place is 2 numbers"),
        (("Stall", (1, 1), [8]), "worlds are a list of whole numbers in 0 .. 7"),
        (("Stall", (1, 1), [-1]), "worlds are a list of whole numbers"),
        (("Stall", (1, 1), 3), "worlds are a list of whole numbers"),
    ],
)
def test_wrong_places(stalls: Module, arguments: tuple[Any, ...], message: str) -> None:
    env, untouched = make(stalls), make(stalls)
    with pytest.raises(EnvError, match=message):
        env.place(*arguments)
    assert torch.equal(env.state["places"], untouched.state["places"])


def test_wrong_places_in_a_continuous_space(pond: Module) -> None:
    with pytest.raises(EnvError, match=r"y of a place must lie in 0 \.\. 2"):
        make(pond).place("Dock", (0.0, 2.1))


def test_computed_places_cannot_be_chosen(valley: Module) -> None:
    with pytest.raises(EnvError, match="valley does not store places: write `places stored`"):
        hamlet.make(valley, backend="interpreter").place("Fire", (0, 0))


def test_agents_need_free_cells_only_where_they_stand_apart(pond: Module, stalls: Module) -> None:
    make(pond, worlds=1, agents=500)
    with pytest.raises(EnvError, match="stalls has 11: take at most 10 agents"):
        make(stalls, agents=11)


# --- episodes by hand ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("backend", BACKENDS)
def test_only_reset_begins_an_episode(pond: Module, backend: str) -> None:
    env = make(pond, backend)
    ended = 0
    for tick in range(9):
        _, reward, terminated, truncated, info = env.step(wait(env))
        ended += int((terminated | truncated).sum())
        assert reward.tolist() == [torch.tensor([0.1, 0.1 + 0.5, 0.5][(tick > 4) + (tick > 5)])] * 16
    assert ended == 16
    assert info["final_observation"] is not None
    assert not info["final_observation"].any()
    assert env.state["age"].tolist() == [9] * 16
    assert env.state["episode"].tolist() == [0] * 8
    result = env.rollout(4)
    assert result.episodes() == 0
    env.reset()
    assert (env.state["age"].max(), env.state["episode"].min()) == (0, 1)
    assert env.rollout(7).causes() == {"warmth <= 0.3": 0, "lifespan": 16}


# --- checkpoints -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("backend", BACKENDS)
def test_going_on_from_a_checkpoint(pond: Module, backend: str) -> None:
    """Also when everybody is dead."""
    for ticks in (3, 11):
        env, other = make(pond, backend), make(pond, backend, seed=4)
        env.inputs["wind"] = torch.linspace(-1, 1, 16)
        env.place("Reed", (0.25, 0.5), [2])
        env.rollout(ticks)
        file = io.BytesIO()
        torch.save(env.state_dict(), file)
        file.seek(0)
        other.load_state_dict(torch.load(file, weights_only=True))
        assert not other.reports["away"].any()
        env.rollout(9)
        other.rollout(9)
        for name, value in env.state.items():
            assert torch.equal(value, other.state[name]), name
        assert torch.equal(env.reports["away"], other.reports["away"])


def put(field: str, value: float, index: Any = 0) -> Callable[[dict[str, Any]], None]:
    def change(saved: dict[str, Any]) -> None:
        saved["state"][field][index] = value

    return change


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (put("position", 3.5, (0, 3)), "position x of the state must lie in -1 .. 3"),
        (put("position", float("nan"), (1, 3)), "position y of the state must lie in 0 .. 2"),
        (put("used_at", -2.0, (0, 3)), "used_at x of the state must lie in -1 .. 3, not -2 in lane 3"),
        (put("last", 2), "last of the state must lie in -1 .. 1"),
        (put("streaks", -1, (1, 3)), "streak [A-Z][a-z]* of the state must lie in 0 .. 2147483647"),
        (put("streaks", 7, (1, 3)), "a streak of more uses than its agent has lived ticks"),
        (put("inputs", 1.5, (0, 3)), "input wind must lie in -1 .. 1"),
        (put("places", 3.5, (0, 3)), "place Reed.x of the state must lie in -1 .. 3, not 3.5 in world 3"),
        (put("places", -1.0, (3, 3)), "place [A-Z][a-z]*.y of the state must lie in 0 .. 2, not -1 in world 3"),
        (put("age", 6), "alive at the end of its lifespan"),
        (put("age", -1), "age of the state must lie in 0 .. 2147483647"),
        (put("engaged", 0), "progress of the state does not fit"),
    ],
)
def test_a_damaged_checkpoint(pond: Module, change: Callable[[dict[str, Any]], None], message: str) -> None:
    env = make(pond)
    saved = env.state_dict()
    change(saved)
    with pytest.raises(EnvError, match=message):
        env.load_state_dict(saved)


def test_a_checkpoint_with_a_place_off_the_grid(stalls: Module) -> None:
    env = make(stalls)
    saved = env.state_dict()
    saved["state"]["places"][1, 0] = 12
    with pytest.raises(EnvError, match=r"place .* of the state must lie in 0 \.\. 11, not 12 in world 0"):
        env.load_state_dict(saved)


def test_worlds_of_the_dead_can_be_saved_by_hand(pond: Module) -> None:
    env = make(pond)
    saved = env.state_dict()
    saved["state"]["alive"][:] = False
    saved["state"]["age"][:] = 50
    env.load_state_dict(saved)
    assert env.state["age"][0] == 50
