"""Every generated package on a GPU: Triton there, the interpreter there and the interpreter on the CPU agree."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from hamlet import load
from hamlet.backend.choose import Choice, start
from hamlet_lab.verify import THOROUGH, Candidate, Effort, verify
from rehearsal import simulating

PACKAGES = sorted(path.parent for path in (Path(__file__).parents[2] / "generated").glob("*/__init__.py"))

pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="torch finds no CUDA device")


@pytest.mark.parametrize("package", PACKAGES, ids=lambda path: path.name)
def test_package(package: Path) -> None:
    module, device = load(package), torch.device("cuda", torch.cuda.current_device())
    backends = [start(module, Choice(name, device, "compared")) for name in ("triton", "interpreter")]
    effort = Effort(19, 4, 64, (torch.uint8,)) if simulating() else THOROUGH
    report = verify(module.universe, [Candidate(backend, device) for backend in backends], effort)
    assert report.ok, report.render(counts=True)


def test_there_are_packages() -> None:
    assert PACKAGES
