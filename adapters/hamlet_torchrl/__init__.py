"""Many worlds behind TorchRL's interface: tensors stay on their device."""

from __future__ import annotations

from hamlet_torchrl.env import TorchRLEnv

__all__ = ["TorchRLEnv"]
