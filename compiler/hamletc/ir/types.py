"""The four types of the tick IR."""

from __future__ import annotations

from enum import Enum


class Type(Enum):
    """A scalar type; a kernel holds one such value per lane."""

    F32 = "f32"
    I32 = "i32"
    U32 = "u32"
    BOOL = "bool"
