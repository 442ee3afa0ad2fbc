"""Runners of a universe where runs are compared: backends, the program itself, and PTX on the CPU."""

from __future__ import annotations

from hamlet.backend.registry import backend_names

ARCHITECTURES = ("sm_80", "sm_90", "sm_100")
"""GPUs whose PTX is executed, and whose machine code is counted: A100, H100, B200."""

EXECUTED = ("ir", "kernel")
"""A package's program, by the definition of each operation: around it the schedule that is built of it, or the one that
the package has as text."""

RUNNERS = (*backend_names(), *EXECUTED, *ARCHITECTURES)
