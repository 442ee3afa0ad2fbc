"""Environments in place of HAMLET's, of packs."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import torch

import hamlet
from hamlet import schema
from hamlet.package.module import Module
from hamlet_townlet.adapter import VectorizedEnv

ROOT = Path(__file__).parents[3]
PACKS = ROOT / "universes" / "packs"


@cache
def compiled(name: str, folder: Path) -> Module:
    return hamlet.compile(PACKS / name, folder / name)


def made(name: str, folder: Path, agents: int = 4, seed: int = 0) -> VectorizedEnv:
    env = VectorizedEnv(compiled(name, folder), agents, backend="interpreter", seed=seed)
    env.reset()
    return env


def number(env: VectorizedEnv, action: str) -> int:
    return schema.action_names(env.module.universe).index(action)


def all_do(env: VectorizedEnv, action: str) -> torch.Tensor:
    return torch.full((env.num_agents,), number(env, action))
