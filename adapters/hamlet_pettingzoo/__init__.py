"""A world of many agents behind PettingZoo's interfaces: for agents that act at the same time, or in turn."""

from __future__ import annotations

from hamlet_pettingzoo.in_turn import AECEnv
from hamlet_pettingzoo.parallel import ParallelEnv

__all__ = ["AECEnv", "ParallelEnv"]
