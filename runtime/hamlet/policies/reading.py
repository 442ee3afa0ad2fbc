"""A policy that was learnt, by what a user names."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch

from hamlet.errors import EnvError, shown
from hamlet.policies.by_role import read_every_role
from hamlet.policies.learnt import Learnt
from hamlet.policies.opened import ONNX
from hamlet.policies.outside import opened_onnx, outside
from hamlet.policies.roles import LearntByRole


def policy(path: str | Path | torch.nn.Module, greedy: bool = False) -> Learnt:
    """A policy that was learnt by `hamletc train`, or saved by an example that learns; or a network of others, whose
    bits are not promised: a file of ONNX, or a module of torch that takes observations [lanes, values], and masks if it
    takes two arguments, and gives logits [lanes, actions] or actions [lanes].

    Args:
        path: the folder of a run, its `policy.safetensors`, or a checkpoint. Of a run that has not ended it is the
            latest checkpoint. Where roles learnt policies of their own it has all of these, and those of opponents
            that they learnt against; a file of one role has that one. `zoo:town` is that of the shipped town.
        greedy: whether it takes its likeliest action and the means of its controls rather than draw them.

    Raises:
        EnvError: safetensors is not installed, or nothing can be read there, or it is damaged, or it is no policy that
            is played here.
    """
    if isinstance(path, torch.nn.Module) and not isinstance(path, Learnt):
        return outside(path, greedy)
    there = _path(path)
    if there.suffix == ONNX and not there.is_dir():
        return opened_onnx(there, greedy)
    policies = read_every_role(there)
    if None in policies:
        return Learnt(policies[None], greedy)
    return LearntByRole({role: each for role, each in policies.items() if role is not None}, greedy)


def _path(path: Any) -> Path:
    if not isinstance(path, (str, Path)) or "\0" in str(path) or not str(path):
        raise EnvError(f"path is that of a run or of a file with weights, not {shown(path)}")
    return Path(path)
