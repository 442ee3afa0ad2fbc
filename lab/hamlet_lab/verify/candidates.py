"""Which backends of a package are compared with the interpreter on the CPU."""

from __future__ import annotations

import os
from collections.abc import Sequence

import torch

from hamlet.backend.choose import choose, start
from hamlet.backend.registry import backend_names
from hamlet.errors import EnvError
from hamlet.package.module import Module
from hamlet_lab.verify.events import Candidate


def candidates(module: Module, names: Sequence[str] | None) -> list[Candidate]:
    """Backends by name, of `BACKENDS`; by default all that this machine has.

    Without CUDA, triton's kernels run in Triton's own interpreter: triton must not have been imported yet.

    Raises:
        EnvError: a backend cannot run here, or is the interpreter on the CPU itself.
    """
    cuda = torch.cuda.is_available()
    if not cuda and (names is None or "triton" in names):
        # Before triton is imported, which is when it decides.
        os.environ["TRITON_INTERPRET"] = "1"
    if names is None:
        names = [name for name in backend_names() if cuda or name != "interpreter"]
    result = []
    for name in names:
        if name == "interpreter" and not cuda:
            raise EnvError("the interpreter on the CPU is what the others are compared with: leave it out")
        choice = choose(name, "cuda" if name == "interpreter" else None)
        result.append(Candidate(start(module, choice), choice.device))
    return result


def ptx_candidates(module: Module, capabilities: Sequence[int]) -> list[Candidate]:
    """The PTX of a package's kernels for these compute capabilities (90: sm_90), executed on the CPU."""
    if not capabilities:
        return []
    from hamlet_lab.ptx.backend import PtxBackend

    kernels, cpu = module.kernels("triton"), torch.device("cpu")
    return [Candidate(PtxBackend(module.universe, kernels, capability), cpu) for capability in capabilities]
