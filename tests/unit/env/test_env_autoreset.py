"""Worlds that wait for a tick before they begin the next episode: `autoreset` "next_step"."""

from __future__ import annotations

import copy
from pathlib import Path

import pytest
import torch

import hamlet
from hamlet.env.environment import Env
from hamlet.errors import EnvError
from hamlet.package.module import Module

SAMPLES = Path(__file__).parents[2] / "samples" / "universes"
WORLDS, AGENTS, TICKS = 6, 2, 60
BACKENDS = pytest.mark.parametrize("backend", ["interpreter", "c"])


def make(module: Module, backend: str, autoreset: str = "next_step", worlds: int = WORLDS) -> Env:
    return hamlet.make(module, worlds=worlds, agents=AGENTS, backend=backend, seed=4, quiet=True, autoreset=autoreset)


def actions_of(env: Env, tick: int) -> torch.Tensor:
    """What agents do in a tick of an episode; it does not depend on the tick since the seed."""
    generator = torch.Generator().manual_seed(tick)
    return torch.randint(env.num_actions, (env.num_lanes,), generator=generator)


@BACKENDS
def test_a_world_shows_its_end_and_begins_a_tick_later(valley: Module, backend: str) -> None:
    """What a world alone shows is what it shows where episodes follow each other at once, and its last state between:
    the final observation, with nobody alive."""
    ends = 0
    for world in range(WORLDS):
        one, at_once = (
            hamlet.make(
                valley, worlds=1, agents=AGENTS, first_world=world, backend=backend, seed=4, quiet=True, autoreset=mode
            )
            for mode in ("next_step", "same_step")
        )
        for tick in range(TICKS):
            actions = actions_of(one, tick)
            shown, expected = one.step(actions), at_once.step(actions)
            episode = int(at_once.state["episode"])
            over = episode > int(one.state["episode"])
            for name in ("reward", "terminated", "truncated", "used", "cause"):
                assert torch.equal(one.outcome[name], at_once.outcome[name]), (tick, name)
            last = at_once.info["final_observation"] if over else expected[0]
            assert torch.equal(shown[0], last), tick  # type: ignore[arg-type]
            if over:
                ends += 1
                assert not one.state["alive"].any()
                assert one.action_mask.sum() == AGENTS, "whoever is not alive may only wait"
                rested = one.step(actions)
                assert torch.equal(rested[0], expected[0])  # type: ignore[arg-type]
                assert not rested[1].any()
                assert not (rested[2] | rested[3]).any()
                assert (one.outcome["cause"] == -1).all()
                assert torch.equal(one.action_mask, at_once.action_mask)
                # Draws depend on the tick, so both go on from the same one.
                at_once.load_state_dict(one.state_dict())
        assert not one.info["final_observation"].any()  # type: ignore[union-attr]
    assert ends > WORLDS


@BACKENDS
def test_rollouts_checkpoints_and_copies_wait_too(valley: Module, backend: str, tmp_path: Path) -> None:
    env = make(valley, backend)
    generator = torch.Generator().manual_seed(1)
    actions = torch.randint(env.num_actions, (TICKS, env.num_lanes), generator=generator).int()
    others = [make(valley, backend), copy.deepcopy(env)]
    rolled = env.rollout(TICKS, policy=actions, statistics=True, per_world=True)
    assert rolled.counts is not None
    ended = 0
    waited = False
    for each in others:
        for tick in range(TICKS):
            _, _, terminated, truncated, _ = each.step(actions[tick])
            ended += int((terminated | truncated).sum())
            nobody = ~each.state["alive"].view(WORLDS, AGENTS).any(dim=1)
            if bool(nobody.any()) and not waited:
                waited = True
                each.save(tmp_path / "waits.safetensors")
                again = make(valley, backend)
                again.load(tmp_path / "waits.safetensors")
                for later in range(tick + 1, TICKS):
                    again.step(actions[later])
                others.append(again)
                with pytest.raises(EnvError, match="without an agent alive"):
                    make(valley, backend, "same_step").load(tmp_path / "waits.safetensors")
        for name, values in env.state.items():
            assert torch.equal(values, each.state[name]), name
        if len(others) == 3 and each is others[1]:
            break
    for name, values in env.state.items():
        assert torch.equal(values, others[2].state[name]), name
    assert waited
    assert int(rolled.counts.causes.sum()) * 2 == ended > 0
    counts = rolled.counts.worlds
    assert counts is not None
    assert counts.ended.sum() > 0
    assert counts.episodes.sum() == rolled.counts.causes.sum()
    # A world lives its episodes, and rests a tick after each that is over.
    age = (env.state["age"] * env.state["alive"]).view(WORLDS, AGENTS).amax(dim=1)
    assert torch.equal(counts.ticks + counts.ended + age, torch.full((WORLDS,), TICKS))


@BACKENDS
def test_a_reset_begins_what_waits_and_writes_where_the_caller_wants(valley: Module, backend: str) -> None:
    env, plain = make(valley, backend), make(valley, backend)
    outs = [env.outputs(), env.outputs()]
    resets = 0
    for tick in range(TICKS):
        actions = actions_of(env, tick)
        for each, out in ((env, outs[tick % 2]), (plain, None)):
            each.step(actions, out=out)
        over = ~env.state["alive"].view(WORLDS, AGENTS).any(dim=1)
        over &= torch.arange(WORLDS) % 2 == 0
        if bool(over.any()):
            resets += 1
            episode = env.state["episode"].clone()
            written = outs[(tick + 1) % 2]
            observation, info = env.reset(worlds=over, out=written)
            plain.reset(worlds=over)
            assert observation is written.results[0]
            assert info["action_mask"] is written.results[-1]["action_mask"]
            assert torch.equal(env.state["episode"], episode + over)
            assert env.observation is observation
        for name, values in plain.outcome.items():
            assert torch.equal(env.outcome[name], values), (tick, name)
        assert torch.equal(env.observation, plain.observation)  # type: ignore[arg-type]
        assert torch.equal(env.action_mask, plain.action_mask)
    assert resets > 3


def test_episodes_by_hand_do_not_wait() -> None:
    module = hamlet.compile(SAMPLES / "constructs" / "handled.hamlet")
    with pytest.raises(EnvError, match=r"episodes by hand.*only a reset"):
        hamlet.make(module, backend="interpreter", autoreset="next_step")
