"""Kernels as modules of WebAssembly, in Python alone: the tree of code of kernels for CPUs
(`hamletc.targets.c.module`), printed as instructions (`printer`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hamletc.compilation import Compilation


class Wasm:
    """See `hamletc.targets.target.Target`."""

    form, suffix = "cpu", "wasm"

    def specialise(self, compilation: Compilation) -> Compilation:
        """The program of kernels for CPUs, as the target `c` makes it."""
        from hamletc.targets.c import TARGET

        return TARGET.specialise(compilation)

    def emit(self, compilation: Compilation) -> bytes:
        """The contents of the file."""
        from hamletc.targets.wasm.emit import emit

        return emit(compilation.program, compilation.universe)


TARGET = Wasm()
