"""Faults that versions of Gymnasium have, so that nobody looks for them in an environment."""

from __future__ import annotations

from dataclasses import dataclass

import gymnasium
from gymnasium.vector import AutoresetMode


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault of a wrapper of Gymnasium.

    Attributes:
        wrapper: its name.
        mode: with which it is wrong.
        mended: the first version without the fault.
        said: what is wrong.
    """

    wrapper: str
    mode: AutoresetMode
    mended: tuple[int, int]
    said: str


FAULTS = (
    Fault("RecordEpisodeStatistics", AutoresetMode.SAME_STEP, (1, 4), "leaves out the first step of later episodes"),
)


def fault_of(wrapper: str, mode: AutoresetMode) -> str | None:
    """The fault of a wrapper in the version of Gymnasium that is installed, in a line; `None` where there is none."""
    here = tuple(int(part) for part in gymnasium.__version__.split(".")[:2])
    for fault in FAULTS:
        if (fault.wrapper, fault.mode) == (wrapper, mode) and here < fault.mended:
            mended = ".".join(map(str, fault.mended))
            return (
                f"a fault of Gymnasium {gymnasium.__version__}: {wrapper} with {mode.name} {fault.said}, which "
                f"{mended} does not. This is not checked."
            )
    return None
