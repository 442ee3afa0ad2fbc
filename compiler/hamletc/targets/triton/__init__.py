"""Kernels for GPUs, in Triton."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hamlet.universe import Universe
    from hamletc.ir.function import Program
    from hamletc.targets.target import Work


class Triton:
    """See `hamletc.targets.target.Target`."""

    def specialise(self, program: Program, work: Work) -> Program:
        """The program after the passes that only GPUs gain from."""
        from hamletc.passes.pipeline import gpu_passes

        return work.run(program, gpu_passes)

    def emit(self, program: Program, universe: Universe) -> str:
        """The text of the module."""
        from hamletc.targets.triton.emit import emit

        return emit(program, universe)


TARGET = Triton()
