"""Recording an episode, and running it again: `Env.record` and `hamlet.replay`."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from hamlet.arguments import whole
from hamlet.env.environment import Env
from hamlet.env.keep.episode import Episode, bits_of, check_of
from hamlet.env.make import make
from hamlet.errors import EnvError, shown
from hamlet.package.module import Module


@dataclass(frozen=True, slots=True)
class Replay:
    """How an episode went when it was run again.

    Attributes:
        universe, world, ticks: whose it is, and how many ticks were run, up to the first that differs.
        of: how many ticks were recorded.
        backend: what ran it.
        differs: the number of the first tick that differs, from 0; `None` where every bit of every tick is equal.
        where: what differs there from the interpreter, where the interpreter gives what was recorded.
    """

    universe: str
    world: int
    ticks: int
    of: int
    backend: str
    differs: int | None
    where: str

    @property
    def ok(self) -> bool:
        """Whether something was run, and all of it is equal."""
        return self.differs is None and self.ticks > 0

    def render(self) -> str:
        """In words, for a terminal."""
        subject = f"world {self.world} of {self.universe} on {self.backend}"
        if self.differs is None:
            return f"{subject} is equal to the bit in {self.ticks} of {self.of} recorded ticks\n"
        return f"{subject} differs from the recording first in tick {self.differs} of {self.of}: {self.where}\n"

    def to_json(self) -> str:
        """As JSON."""
        return json.dumps(asdict(self) | {"ok": self.ok}, indent=1, ensure_ascii=False) + "\n"


def replay(
    episode: Episode | str | Path,
    module: Module,
    backend: str = "auto",
    device: str | torch.device | None = None,
    ticks: int | None = None,
) -> Replay:
    """Run a recorded episode again, alone, and compare every bit of every tick.

    Args:
        episode: what `Env.record` gave, or the path of its file.
        module: of the same universe, made by any version.
        backend, device: as `hamlet.make` takes them.
        ticks: only so many of them.

    Raises:
        EnvError: the file cannot be read, or was recorded in another universe, or an argument is wrong.

    Example:
        env.record(world=0).save("first.episode")
        assert hamlet.replay("first.episode", env.module, backend="interpreter").ok
    """
    recorded = episode if isinstance(episode, Episode) else Episode.load(episode)
    if not isinstance(module, Module):
        raise EnvError(f"module is what `hamlet.compile` or `hamlet.load` gives, not {shown(module)}")
    count = recorded.ticks if ticks is None else whole(ticks, 1, 1 << 31, "a replay takes 1 or more ticks")
    env = _before(recorded, module, backend, device)
    for tick, check in enumerate(_checks(env, recorded, min(count, recorded.ticks))):
        if check != recorded.checks[tick]:
            where = _where(recorded, module, env, tick)
            return Replay(env.universe.name, recorded.world, tick + 1, recorded.ticks, env.backend, tick, where)
    return Replay(env.universe.name, recorded.world, min(count, recorded.ticks), recorded.ticks, env.backend, None, "")


def first_other(recorded: Episode, module: Module, acts: Callable[[Env], Any]) -> int | None:
    """The number of the first tick in which a policy acts otherwise than was recorded; `None` where all actions and
    controls are its own.

    Args:
        module: of the same universe.
        acts: gives the policy for an environment, as `Env.record` takes it.

    Raises:
        EnvError: the episode is of another universe, or the policy does not fit.
    """
    env = _before(recorded, module, "interpreter", "cpu")
    own = env.record(0, recorded.ticks, acts(env))
    pairs = [(own.actions, recorded.actions)]
    if own.controls is not None and recorded.controls is not None:
        pairs.append((own.controls, recorded.controls))
    for tick in range(min(own.ticks, recorded.ticks)):
        if any(bits_of(mine[tick]) != bits_of(theirs[tick]) for mine, theirs in pairs):
            return tick
    return None


def _before(recorded: Episode, module: Module, backend: str, device: Any) -> Env:
    """The world as it was before the first tick."""
    if module.digest != recorded.digest:
        raise EnvError(
            f"the episode was recorded in another universe than {module.name}, or in another version of it: "
            f"{recorded.digest[:12]}, not {module.digest[:12]}"
        )
    env = make(
        module,
        worlds=1,
        agents=recorded.agents,
        first_world=recorded.world,
        backend=backend,
        device=device,
        validate=True,
        quiet=True,
        launch="step",
    )
    env.load_state_dict(
        {
            "universe": recorded.digest,
            "first_world": recorded.world,
            "seed": recorded.seed,
            "tick": recorded.tick,
            "state": dict(recorded.state),
        }
    )
    return env


def _checks(env: Env, recorded: Episode, ticks: int) -> Iterator[int]:
    """The check of each tick."""
    for tick in range(ticks):
        controls = None if recorded.controls is None else recorded.controls[tick].to(env.device)
        env.step(recorded.actions[tick].to(env.device), controls)
        yield check_of(env.universe, env.state, env.outcome, seen_by(env))


def seen_by(env: Env) -> list[Tensor]:
    """The observation of agents [lanes, values] and the mask of their actions [lanes, actions]."""
    assert env.observation is not None
    return [env.observation, env.action_mask]


def _where(recorded: Episode, module: Module, env: Env, tick: int) -> str:
    """The names of state and outcomes that differ from the interpreter's after this tick, for an error."""
    reference = _before(recorded, module, "interpreter", "cpu")
    *_, check = _checks(reference, recorded, tick + 1)
    if check != recorded.checks[tick]:
        return f"the interpreter differs too, so the recording, of hamletc {recorded.version}, is of something else"
    names = [
        name
        for name, mine in {**env.state, **env.outcome}.items()
        if bits_of(mine) != bits_of({**reference.state, **reference.outcome}[name])
    ]
    return f"the interpreter gives what was recorded, and {env.backend} has other {', '.join(names) or 'observations'}"
