"""Kernels for GPUs, in Triton."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hamletc.compilation import Compilation


class Triton:
    """See `hamletc.targets.target.Target`."""

    form, suffix = "gpu", "py"

    def specialise(self, compilation: Compilation) -> Compilation:
        """The program after the passes that only GPUs gain from; with cells in words and tables in warps, where those
        pay."""
        from hamletc.passes.pipeline import gpu_passes
        from hamletc.targets.triton.columns import looked_up
        from hamletc.targets.triton.places import with_cells

        return looked_up(with_cells(compilation).run(gpu_passes))

    def emit(self, compilation: Compilation) -> str:
        """The text of the module."""
        from hamletc.targets.triton.emit import emit

        return emit(compilation.program, compilation.universe, compilation.notes)


TARGET = Triton()
