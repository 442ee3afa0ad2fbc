"""Controls, and inputs that are given for each tick of a rollout: the same on backends, checked, and drawn as
docs/semantics.md says."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

import hamlet
from hamlet import EnvError
from hamlet.env.environment import Env
from hamlet.package.module import Module
from processes import Run
from samples.rink import RINK

WORLDS, AGENTS, TICKS = 4, 3, 5
LANES = WORLDS * AGENTS
STILL = "universe still\nspace none\nlifespan 5 ticks\nmeter a = 1 { decay 0.1 }\nreward a\nobserve { meters }\n"


@pytest.fixture(scope="module")
def rink(compiled: Callable[[str], Module]) -> Module:
    return compiled(RINK)


def make(module: Module, backend: str = "interpreter", **given: Any) -> Env:
    return hamlet.make(module, worlds=WORLDS, agents=AGENTS, backend=backend, seed=3, quiet=True, **given)


def some(env: Env, *ticks: int) -> torch.Tensor:
    """Controls [*ticks, controls, lanes]."""
    low, high = env.control_low.unsqueeze(1), env.control_high.unsqueeze(1)
    shares = torch.rand((*ticks, env.num_controls, LANES), generator=torch.Generator().manual_seed(1))
    return low + shares * (high - low)


def same(left: Env, right: Env) -> bool:
    """Whether all that two environments have is equal to the bit."""
    pairs = zip(left._buffers.tensors, right._buffers.tensors, strict=True)
    return all(torch.equal(a.contiguous().view(torch.uint8), b.contiguous().view(torch.uint8)) for a, b in pairs)


def test_kernels_are_the_interpreter_and_everything_fires(run_program: Run, tmp_path: Path) -> None:
    result = run_program(Path(__file__).with_name("compare_rink.py"), str(tmp_path))
    assert result.returncode == 0, result.stdout + result.stderr
    found = re.fullmatch(r"(\d+) values; never: (.*)\n", result.stdout)
    assert found is not None
    assert int(found[1]) > 100_000
    assert found[2] == "nothing"


def test_a_rollout_is_as_many_steps(rink: Module) -> None:
    stepped, rolled = make(rink), make(rink)
    controls, wind = some(stepped, TICKS), torch.linspace(-0.25, 0.25, TICKS * LANES).view(TICKS, LANES)
    actions = torch.arange(TICKS * LANES).view(TICKS, LANES) % stepped.num_actions
    for tick in range(TICKS):
        stepped.inputs["wind"] = wind[tick]
        stepped.step(actions[tick], controls[tick])
    rolled.rollout(TICKS, actions, observe=True, controls=controls, inputs={"wind": wind})
    assert same(stepped, rolled)
    assert torch.equal(rolled.inputs["wind"], wind[-1])
    named = {name: controls[:, row].view(TICKS, WORLDS, AGENTS) for row, name in enumerate(rolled.control_names)}
    other = make(rink)
    other.rollout(
        TICKS, actions.view(TICKS, WORLDS, AGENTS), observe=True, controls=named, inputs={"wind": wind.numpy()}
    )
    assert same(stepped, other)


def test_each_tick_has_its_own_controls_and_inputs(rink: Module) -> None:
    """Rows of other ticks change what other ticks do."""
    env = make(rink)
    controls, wait = some(env, TICKS), torch.full((TICKS, LANES), env.action_names.index("WAIT"))
    env.rollout(TICKS, wait, controls=controls)
    kept = env.state_dict()["state"]["velocity"]
    for tick in range(TICKS):
        changed = controls.clone()
        changed[tick, 0] *= -1
        other = make(rink)
        other.rollout(TICKS, wait, controls=changed)
        assert not torch.equal(other.state["velocity"], kept), tick
        gusts = torch.zeros(TICKS, LANES)
        gusts[tick] = 0.25
        other = make(rink)
        other.rollout(TICKS, wait, controls=controls, inputs={"wind": gusts})
        assert not torch.equal(other.state["velocity"], kept), tick


def test_what_is_not_taken_changes_nothing(rink: Module) -> None:
    env = make(rink)
    wait = [env.action_names.index("WAIT")] * LANES
    env.step(wait, some(env))
    before = make(rink)
    before.step(wait, some(before))
    nan, high = some(env), some(env)
    nan[1, 5], high[4, 11] = torch.nan, 2.5
    gusts = torch.zeros(2, LANES)
    gusts[1, 4] = 0.5
    several = some(env, 2)
    refused: dict[str, Callable[[], object]] = {
        "universe rink has the controls push, lift, bid, grip, extra: step takes": lambda: env.step(wait),
        "control lift must lie in 0 .. 0.5, not nan in lane 5": lambda: env.step(wait, nan),
        "control extra must lie in 1 .. 2, not 2.5 in lane 11": lambda: env.step(wait, high),
        "control extra must lie in 1 .. 2, not 2.5 in tick 1 of lane 11": lambda: env.rollout(
            2, [wait, wait], controls=torch.stack([several[0], high])
        ),
        "a rollout of actions takes controls=": lambda: env.rollout(2, [wait, wait]),
        "the controls lack push, lift": lambda: env.step(wait, {"bid": 0.5, "grip": -2, "extra": 1}),
        "the universe has no control 'left'": lambda: env.step(wait, {"left": 0.5}),
        "input wind must lie in -0.25 .. 0.25, not 0.5 in tick 1 of lane 4": lambda: env.rollout(
            2, inputs={"wind": gusts}
        ),
        "actions are 0 .. ": lambda: env.step([99] * LANES, some(env)),
    }
    for message, call in refused.items():
        with pytest.raises(EnvError, match=re.escape(message)):
            call()
    assert same(env, before)


def test_a_universe_without_controls_takes_none(compiled: Callable[[str], Module]) -> None:
    env = make(compiled(STILL))
    assert env.control_names == ()
    for call in (lambda: env.step([0] * LANES, []), lambda: env.rollout(2, controls={})):
        with pytest.raises(EnvError, match=r"^universe still has no controls: leave out controls=$"):
            call()
    with pytest.raises(EnvError, match=r"^universe still has no inputs: leave out inputs=$"):
        env.rollout(2, inputs={})


def test_without_validation_nothing_is_looked_at(rink: Module) -> None:
    env = make(rink, validate=False)
    env.step([0] * LANES, some(env) * 3)
    assert env.control_names == ("push", "lift", "bid", "grip", "extra")
    assert torch.equal(env.control_low, torch.tensor([-1, 0, 0.1, -3, 1]))
