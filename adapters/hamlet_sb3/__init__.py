"""Many worlds behind the interface that Stable-Baselines3 trains on."""

from __future__ import annotations

from hamlet_sb3.vec_env import VecEnv

__all__ = ["VecEnv"]
