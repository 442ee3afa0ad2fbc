"""Kernels for CPUs, in C. They include `hamlet.h` of `hamlet.native`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hamletc.compilation import Compilation


class C:
    """See `hamletc.targets.target.Target`."""

    form, suffix = "cpu", "c"

    def specialise(self, compilation: Compilation) -> Compilation:
        """As for numba: both print the same tree."""
        from hamletc.targets.numba import TARGET as NUMBA

        return NUMBA.specialise(compilation)

    def emit(self, compilation: Compilation) -> str:
        """The text of the file."""
        from hamletc.targets.c.emit import emit

        return emit(compilation.program, compilation.universe)


TARGET = C()
