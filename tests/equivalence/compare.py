"""python compare.py UNIVERSE FOLDER: compile a sample universe and compare its kernels with the interpreter.

A program of its own, because Triton decides when it is imported whether kernels run on its interpreter.
"""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from pathlib import Path

import torch

from hamletc.compilation import Compilation
from hamletc.targets.target import usual_targets

sys.path.insert(0, str(Path(__file__).parents[1]))

from hamlet import load
from hamlet.backend.choose import Choice, start
from hamlet_lab.verify import Candidate, Effort, verify
from hamletc.compile import emit_texts, optimise
from hamletc.lowering.plan import Limits
from hamletc.package import package, write
from hamletc.passes.pipeline import CELL_CACHE
from on_interpreter import interpret
from samples import MANY, sample

AS_BYTES = ("town", "drawn")
"""Universes that are observed as bytes, too, for which kernels are compiled again: together these observe the most.
HAMLET_LONG_TESTS=1 does it with all of them."""


def effort(name: str) -> Effort:
    """Many lanes and few ticks: on Triton's interpreter a launch takes long, however many lanes it has."""
    as_bytes = name in AS_BYTES or os.environ.get("HAMLET_LONG_TESTS") == "1"
    return Effort(worlds=401, ticks=2, rounds=5, compact=(torch.uint8 if as_bytes else torch.float32,))


def main(name: str, folder: Path) -> int:
    interpret()
    torch.set_num_threads(1)
    # With a cell cache everything is unrolled.
    disabled = (CELL_CACHE,) if name in MANY else ()
    universe = sample(name)
    compilation = replace(Compilation.begin(universe, Limits(64, 16)), disabled=frozenset(disabled))
    write(package(universe, emit_texts(optimise(compilation), usual_targets())), folder)
    module, cpu = load(folder), torch.device("cpu")
    assert module.universe == sample(name)
    candidates = [Candidate(start(module, Choice(target, cpu, "compared")), cpu) for target in ("c", "triton")]
    report = verify(module.universe, candidates, effort(name))
    print(report.render(counts=True))
    return 0 if report.ok else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], Path(sys.argv[2])))
