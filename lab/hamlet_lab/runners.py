"""What can run a universe where runs are compared: backends, the program itself, and PTX on the CPU."""

from __future__ import annotations

from hamlet.backend.registry import backend_names

ARCHITECTURES = ("sm_80", "sm_90", "sm_100")
"""GPUs whose PTX is executed, and whose machine code is counted: A100, H100, B200."""

RUNNERS = (*backend_names(), "ir", *ARCHITECTURES)
"""`ir` is the program, by the definition of each operation."""
