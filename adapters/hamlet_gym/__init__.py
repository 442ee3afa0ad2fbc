"""Universes behind Gymnasium's interfaces.

Importing this package registers the shipped universes: then `gymnasium.make_vec("hamlet/town-v0", num_envs=1024)` makes
worlds of one, and `gymnasium.make_vec(hamlet_gym.spec("mine.hamlet"), num_envs=1024)` worlds of yours. `VectorEnv` and
`Env` are the classes, `check_vector_env` checks any vector environment.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hamlet_gym.registration import registered, spec

if TYPE_CHECKING:
    from hamlet_gym.check import check_vector_env
    from hamlet_gym.single import Env
    from hamlet_gym.vector import VectorEnv

__all__ = ["Env", "VectorEnv", "check_vector_env", "spec"]

FROM_TORCH = {"Env": "single", "VectorEnv": "vector", "check_vector_env": "check"}
"""Modules of classes and functions that are imported at their first use."""

registered()


def __getattr__(name: str) -> object:
    """Import what `FROM_TORCH` names."""
    if name in FROM_TORCH:
        from importlib import import_module

        globals()[name] = member = getattr(import_module(f"{__name__}.{FROM_TORCH[name]}"), name)
        return member
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
