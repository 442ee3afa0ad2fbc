"""A world of many agents behind PettingZoo's interface for agents that act at the same time."""

from __future__ import annotations

from hamlet_pettingzoo.parallel import ParallelEnv

__all__ = ["ParallelEnv"]
