"""Many worlds behind the interface of rsl_rl: tensors stay on their device."""

from __future__ import annotations

from hamlet_rsl_rl.vec_env import VecEnv

__all__ = ["VecEnv"]
