"""Episodes in files: the same bits on another backend, in another shard; anything else is found or refused."""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

import hamlet
from hamlet import EnvError
from hamlet.backend.buffers import Buffers
from hamlet.env.environment import Env
from hamlet.env.keep.episode import Episode
from hamlet.package.module import Module
from samples.shop import SHOP


@pytest.fixture(scope="module")
def shop(compiled: Callable[[str], Module]) -> Module:
    return compiled(SHOP)


def made(module: Module, backend: str = "interpreter", shard: tuple[int, int] | None = None) -> Env:
    params = {"wage": hamlet.Uniform(0, 0.3), "hunger": hamlet.Uniform(0.5, 4)}
    env = hamlet.make(module, worlds=20, agents=2, shard=shard, backend=backend, seed=8, params=params, quiet=True)
    env.rollout(33)
    return env


def tampered(path: Path, **changes: object) -> Path:
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))
    return path


@pytest.fixture(scope="module")
def recorded(shop: Module) -> Episode:
    return made(shop).record(world=12)


@pytest.mark.parametrize("backend", ["interpreter", "c"])
def test_an_episode_is_the_same_on_every_backend_and_in_every_shard(
    backend: str, shop: Module, recorded: Episode, tmp_path: Path
) -> None:
    """The files are equal to the byte, and either is replayed by the other."""
    recorded.save(tmp_path / "whole.episode")
    part = made(shop, backend, (4, 7))
    assert part.first_world <= 12 < part.first_world + part.num_worlds
    part.record(world=12 - part.first_world).save(tmp_path / "part.episode")
    assert (tmp_path / "part.episode").read_bytes() == (tmp_path / "whole.episode").read_bytes()
    assert (tmp_path / "whole.episode").stat().st_size < 4096
    replayed = hamlet.replay(tmp_path / "part.episode", shop, backend)
    assert replayed.ok
    assert replayed.ticks == recorded.ticks > 5


def test_it_is_what_the_world_does_in_its_environment(shop: Module, recorded: Episode) -> None:
    env = made(shop)
    seen = env.rollout(recorded.ticks, watch=[24, 25]).trajectories
    assert torch.equal(seen.actions, recorded.actions)
    assert bool((seen.terminated | seen.truncated).any(dim=1)[-1])
    names = [*(cause.name for cause in env.universe.causes), "lifespan", ""]
    assert recorded.ended == tuple(names[number] for number in seen.cause[-1].tolist())


def test_recording_leaves_the_environment_where_it_is(shop: Module) -> None:
    env, other = made(shop), made(shop)
    env.record(world=3, ticks=4)
    assert env.tick == other.tick == 33
    for name, values in env.state.items():
        assert torch.equal(values, other.state[name]), name


def test_actions_come_from_whom_one_asks(shop: Module) -> None:
    env = made(shop)
    waiting = env.action_names.index("WAIT")
    given = env.record(2, policy=torch.full((5, 2), waiting))
    decided = env.record(2, 5, lambda seen, _: torch.full((len(seen),), waiting))
    table = env.record(2, 5, env.tabular(torch.tensor(waiting), []))
    assert given.ticks == 5
    assert given.checks == decided.checks == table.checks
    with pytest.raises(EnvError, match=r"a world is a number in 0 \.\. 19, not 20"):
        env.record(world=20)


def test_controls_are_recorded(compiled: Callable[[str], Module]) -> None:
    text = "universe swing\nspace grid 3 x 3\nlifespan 9 ticks\ncontrol push in -1 .. 1\nmeter height = 0 in -5 .. 5\n"
    text += "rule pushes { height += push }\nreward height\nobserve { meters }\n"
    module = compiled(text)
    env = hamlet.make(module, worlds=3, seed=2, backend="interpreter")
    episode = env.record(1)
    assert episode.controls is not None
    assert episode.controls.abs().sum() > 0
    assert hamlet.replay(episode, module, "interpreter").ok


def test_the_first_tick_that_differs_is_found(shop: Module, recorded: Episode, tmp_path: Path) -> None:
    path = tmp_path / "own.episode"
    recorded.save(path)
    actions = recorded.actions.clone()
    actions[4:] = (actions[4:] + 1) % 6
    text = base64.b64encode(zlib.compress(actions.numpy().tobytes())).decode()
    replayed = hamlet.replay(tampered(path, actions=text), shop, "interpreter")
    assert not replayed.ok
    assert replayed.differs is not None
    assert replayed.differs >= 4
    assert "the interpreter differs too" in replayed.render()
    assert hamlet.replay(path, shop, "interpreter", ticks=4).ok


def test_a_backend_that_is_wrong_is_named_with_what_differs(
    shop: Module, recorded: Episode, monkeypatch: pytest.MonkeyPatch
) -> None:
    from hamlet.launch.cpu.launch import CpuBackend

    right = CpuBackend.step_in_range

    def wrong(self: CpuBackend, buffers: Buffers, actions: torch.Tensor, seed: int, tick: int, *others: object) -> bool:
        done = right(self, buffers, actions, seed, tick, *others)
        if tick == 33 + 3:
            buffers.state["meters"][0, 1] += 2**-20
        return done

    monkeypatch.setattr(CpuBackend, "step_in_range", wrong)
    replayed = hamlet.replay(recorded, shop, "c")
    assert replayed.differs == 3
    assert replayed.where == "the interpreter gives what was recorded, and c has other meters"


def test_other_universes_and_other_files_are_refused(
    shop: Module, recorded: Episode, compiled: Callable[[str], Module], tmp_path: Path
) -> None:
    path = tmp_path / "own.episode"
    recorded.save(path)
    other = compiled(SHOP.replace("0.03", "0.04"))
    with pytest.raises(EnvError, match="was recorded in another universe than shop, or in another version"):
        hamlet.replay(path, other)
    with pytest.raises(EnvError, match="cannot read"):
        Episode.load(tmp_path / "nothing.episode")
    for change in ({"format": 9}, {"checks": "x"}, {"actions": "eJwDAAAAAAE="}, {"state": {}}, {"agents": 3}):
        recorded.save(path)
        with pytest.raises(EnvError, match="format 9" if "format" in change else "is no episode recorded by hamlet"):
            hamlet.replay(tampered(path, **change), shop, "interpreter")
    with pytest.raises(EnvError, match="cannot write"):
        recorded.save(tmp_path / "nowhere" / "x.episode")
    assert sorted(file.name for file in tmp_path.iterdir()) == ["own.episode"]
