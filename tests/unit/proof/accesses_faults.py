"""python accesses_faults.py: the loads and stores of kernels, and of one with planted faults.

A program of its own, because in the process of the tests Triton may have been imported for its interpreter. It prints
a line for each kernel as it is, and one for each fault.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from hamlet.launch.gpu.forms import compile_form
from hamlet_lab.proof.accesses import Accesses, of_ptx
from hamlet_lab.proof.placement import group_of
from hamletc.compile import compile_file

ROOT = Path(__file__).parents[3]
NOBODY = ROOT / "tests/equivalence/regressions/c_wasm_ptx_lanes_of_nobody.hamlet"
"""A meter that is never 0 says which cell is read."""

FAULTS: dict[str, tuple[str, str]] = {
    "lanes that are no agents hold 0": (r"1266679806", "0"),
    "a load of all threads": (r"@%p\d+ (ld\.global\.b32 \{ %r\d+ \}, \[ %rd\d+ \+ 0 \])", r"\1"),
    "a store of all threads": (r"@%p\d+ (st\.global\.b32)", r"\1"),
    "words behind": (r"(@%p\d+ ld\.global\.b32 \{ %r\d+ \}, \[ %rd\d+ \+) 0 \]", r"\1 4 ]"),
    "a mask of lanes and one more": (r"setp\.lt\.s32 (\s*%p\d+, %r\d+, %r\d+;)", r"setp.le.s32 \1"),
}


def main() -> int:
    with TemporaryDirectory() as folder:
        module = compile_file(NOBODY, Path(folder) / "package")
        kernels, universe = module.kernels("triton"), module.universe

        def accesses(text: str, agents: int) -> Accesses:
            return of_ptx(text, kernels, universe, "step", agents)

        texts = {
            agents: compile_form(kernels, universe, 90, "step", group_of(agents), observing=False).asm["ptx"]
            for agents in (1, 3)
        }
        for agents, text in texts.items():
            print(f"worlds of {agents}: {accesses(text, agents).failed}")
        for name, (pattern, by) in FAULTS.items():
            changed, count = re.subn(pattern, by, texts[1])
            assert count, name
            print(f"{name}: {'; '.join(why for _, why in accesses(changed, 1).failed)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
