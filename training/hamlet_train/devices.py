"""Where a training is: on the CPU, or on a GPU."""

from __future__ import annotations

from typing import Literal, TypeAlias

Device: TypeAlias = Literal["cpu", "cuda"]
DEVICES: tuple[Device, ...] = ("cpu", "cuda")
