"""HAMLET's environment: what survives a reset, and state from outside."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from vectorized import all_do, made, number

from hamlet.errors import EnvError

# --- what survives a reset ------------------------------------------------------------------------------------------


def test_the_velocity_survives_a_reset(packages: Path) -> None:
    env = made("greenhouse", packages)
    field = next(field for field in env.description.fields if field.name == "velocity_x")
    assert (env.observe()[:, field.offset] == 0).all()
    env.positions = torch.ones((4, 2), dtype=torch.int64)
    env.step(all_do(env, "RIGHT"))
    assert env.reset()[:, field.offset].tolist() == [1.0] * 4
    assert env.observe()[:, field.offset].tolist() == [1.0] * 4
    env.step(all_do(env, "WAIT"))
    assert env.reset()[:, field.offset].tolist() == [0.0] * 4


def test_the_time_of_day(packages: Path) -> None:
    timeless, timed = made("greenhouse", packages), made("tower", packages)
    for env, after in ((timeless, 3), (timed, 0)):
        for _ in range(3):
            env.step(all_do(env, "WAIT"))
        assert env.time_of_day == 3
        env.reset()
        assert env.time_of_day == after
    timeless.time_of_day = 23
    timeless.step(all_do(timeless, "WAIT"))
    assert timeless.time_of_day == 0
    with pytest.raises(EnvError, match=r"time_of_day is 0 \.\. 23, not 24"):
        timed.time_of_day = 24


def test_the_hour_is_observed(packages: Path) -> None:
    env = made("tower", packages)
    field = next(field for field in env.description.fields if field.name == "time_sin")
    env.time_of_day = 6
    assert env.observe()[:, field.offset].tolist() == [1.0] * 4


def test_progress_is_forgotten(packages: Path) -> None:
    env = made("tower", packages)
    place = env.affordances["Pantry"]
    env.positions = place.repeat(4, 1)
    env.step(all_do(env, "INTERACT"))
    assert env.interaction_progress.tolist() == [1] * 4
    assert env.last_interaction_affordance.tolist() == [env.affordance_names.index("Pantry")] * 4
    assert torch.equal(env.last_interaction_position, place.repeat(4, 1))
    env.reset()
    assert env.interaction_progress.tolist() == [0] * 4
    assert env.last_interaction_affordance.tolist() == [-1] * 4
    assert (env.last_interaction_position == 0).all()


def test_weights_are_one_after_a_reset(packages: Path) -> None:
    env = made("night_market", packages)
    env.step(all_do(env, "WAIT"))
    env.meters = torch.full_like(env.meters, 0.3)
    env.step(all_do(env, "WAIT"))
    assert env.intrinsic_weights.tolist() == [0.75] * 4
    env.reset()
    assert env.intrinsic_weights.tolist() == [1.0] * 4


# --- state from outside ---------------------------------------------------------------------------------------------


def test_state_is_assigned_or_changed_in_place(packages: Path) -> None:
    env = made("greenhouse", packages)
    meter = env.module.universe.meters[0].name
    field = next(field for field in env.description.fields if field.name == meter)
    env.meters[1, 0] = 0.25
    assert env.observe()[1, field.offset] == 0.25
    env.meters[:, 0] = 0.5
    env.positions = torch.zeros((4, 2), dtype=torch.int64)
    assert env.observe()[:, field.offset].tolist() == [0.5] * 4
    left = number(env, "LEFT")
    assert not env.get_action_masks()[:, left].any()
    env.positions[2, 0] = 1
    assert env.get_action_masks()[:, left].tolist() == [False, False, True, False]
    env.dones = torch.tensor([True, False, False, True])
    _, _, dones, _ = env.step(all_do(env, "WAIT"))
    assert dones.tolist() == [True, False, False, True]


def test_what_was_handed_out_does_not_change(packages: Path) -> None:
    env = made("greenhouse", packages)
    observation, meters, masks, positions = env.reset(), env.meters, env.get_action_masks(), env.positions
    kept = [values.clone() for values in (observation, meters, masks, positions)]
    for _ in range(8):
        env.step(torch.randint(0, env.action_dim, (4,)))
    for values, before in zip((observation, meters, masks, positions), kept, strict=True):
        assert torch.equal(values, before)
    # nor is a change of what is of the past one of the present
    present = env.meters.clone()
    meters.zero_()
    assert torch.equal(env.meters, present)


def test_in_inference_mode(packages: Path) -> None:
    env = made("greenhouse", packages)
    with torch.inference_mode():
        env.reset()
        env.meters[0, 0] = 0.125
        assert env.meters[0, 0] == 0.125
        env.step(all_do(env, "WAIT"))
    assert env.meters[0, 0] < 0.125
    env.step(all_do(env, "WAIT"))


def test_an_affordance_is_moved(packages: Path) -> None:
    env = made("greenhouse", packages)
    first, second = list(env.affordances)[:2]
    env.affordances[first] = torch.tensor([1, 2])
    env.affordances[second] = torch.tensor([1, 2])
    assert env.affordances[first].tolist() == env.affordances[second].tolist() == [1, 2]
    env.positions = torch.tensor([[1, 2]]).repeat(4, 1)
    field = next(field for field in env.description.fields if field.name == "affordance_at_position")
    at = env.observe()[0, field.offset : field.offset + field.count]
    assert at[[env.affordance_names.index(name) for name in (first, second)]].tolist() == [1, 1]
    with pytest.raises(EnvError, match="no affordance 'Nothing'"):
        env.affordances["Nothing"] = torch.tensor([0, 0])
    with pytest.raises(KeyError):
        env.affordances["Nothing"]
    with pytest.raises(EnvError, match="whole number in 0"):
        env.affordances[first] = torch.tensor([99, 0])


@pytest.mark.parametrize(
    ("name", "values", "said"),
    [
        ("positions", torch.tensor([[99, 0]] * 4), "x of a position must lie in"),
        ("positions", torch.zeros((4, 3), dtype=torch.int64), r"positions has the shape \[4, 2\], not \[4, 3\]"),
        ("meters", torch.zeros(4), "meters has the shape"),
        ("step_counts", torch.tensor([0, 0, -1, 0]), "step_counts must lie in 0 .. 2147483647, not -1 in agent 2"),
        ("step_counts", torch.tensor([0, 1 << 31, 0, 0]), "step_counts must lie in 0 .. 2147483647"),
    ],
)
def test_impossible_states(name: str, values: torch.Tensor, said: str, packages: Path) -> None:
    env = made("greenhouse", packages)
    before = env.observe()
    with pytest.raises(EnvError, match=said):
        setattr(env, name, values)
    assert torch.equal(env.observe(), before)


def test_an_impossible_meter(packages: Path) -> None:
    env = made("greenhouse", packages)
    meters = env.meters.clone()
    meters[2, 0] = torch.nan
    with pytest.raises(EnvError, match=r"meter \w+ of the state must lie in .*, not nan in agent 2"):
        env.meters = meters


def test_an_impossible_change_in_place(packages: Path) -> None:
    env = made("greenhouse", packages)
    positions = env.positions
    positions[0, 0] = 99
    for _ in range(2):
        with pytest.raises(EnvError, match="x of a position must lie in"):
            env.step(all_do(env, "WAIT"))
    positions[0, 0] = 0
    env.step(all_do(env, "WAIT"))
    assert env.positions[0, 0] == 0
