"""Universes in Gymnasium's registry: the shipped ones by name, and any other by the path of its file."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from gymnasium.envs.registration import EnvSpec, register, registry

from hamlet.policies.zoo import SHIPPED

SINGLE, VECTOR = "hamlet_gym.single:Env", "hamlet_gym.vector:VectorEnv"
NAMESPACE = "hamlet"
SEVERAL = frozenset({"tag", "wolves"})
"""Shipped universes whose roles ask for several agents in a world, which this interface does not have."""


def registered() -> None:
    """Register the shipped universes for one agent, as `hamlet/town-v0`, and `hamlet/universe-v0`, which takes the one
    that `universe` names."""
    for path in sorted([*SHIPPED.glob("*.hamlet"), *SHIPPED.glob("gallery/*.hamlet")]):
        if path.stem in SEVERAL:
            continue
        _register(f"{NAMESPACE}/{path.stem}-v0", {"universe": str(path)})
    _register(f"{NAMESPACE}/universe-v0", {})


def _register(name: str, arguments: dict[str, Any]) -> None:
    # Python may import this package twice, as after `importlib.reload`.
    if name not in registry:
        register(id=name, entry_point=SINGLE, vector_entry_point=VECTOR, kwargs=arguments)


def spec(universe: str | Path, max_episode_steps: int | None = None, **arguments: Any) -> EnvSpec:
    """The specification that `gymnasium.make` and `gymnasium.make_vec` take in the place of a name, for a universe of
    your own.

    Args:
        universe: a `.hamlet` file, a pack of HAMLET, or the folder of a generated package.
        max_episode_steps: after so many ticks an episode is truncated; by default only the universe ends episodes.
        arguments: of `Env` and `VectorEnv`, as `params` and `render_mode`.
    """
    name = re.sub(r"[^\w.-]", "_", Path(universe).stem)
    settings = {"universe": str(universe), **arguments}
    return EnvSpec(
        id=f"{NAMESPACE}/{name}-v0",
        entry_point=SINGLE,
        vector_entry_point=VECTOR,
        max_episode_steps=max_episode_steps,
        kwargs=settings,
    )
