"""python prove_cells.py: the proofs of a small universe with cells, and of its PTX with planted faults.

It prints a line for each kernel as it is, and one for each fault: what `prove` says of it, and what `attest` says of
the certificate of the right kernel with that text in it.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

from prove_faults import planted

from hamlet.package.module import Module
from hamlet.schema.abi import Kernel
from hamlet_lab.proof.attest import RefusedError, attested, bare, beside, digest, packed
from hamlet_lab.proof.certificate import certificate
from hamlet_lab.proof.of_ir import UnprovenError
from hamlet_lab.proof.report import prove_package
from hamletc.compile import compile_file

UNIVERSE = """
universe embers

space grid 6 x 5 { edges EDGES  starts anywhere }
lifespan 100 ticks

cells {
    meter heat = 1 when chance(0.2)
    rule spread:  heat = max(heat - 0.25, 0.5 * neighbours(heat))
    rule stamped: heat -= count(action == STAMP)
}

meter breath = 1

action STAMP { breath -= 0.125 }

rule smoke: breath += 0.02 - 0.3 * heat

dies when breath <= 0
reward heat
observe { meters }
"""

FAULTS: dict[str, tuple[str, str]] = {
    "the neighbour above is one cell further": (r"(add\.s64 \t%rd\d+, %rd\d+), 96;", r"\1, 100;"),
    "a neighbour that another turn has written": (r"(add\.s64 \t%rd\d+, %rd\d+), 116;", r"\1, -4;"),
    "a neighbour beyond the edge": (r"setp\.ne\.b32 (\t%p\d+, %r\d+), 5;", r"setp.ne.b32 \1, 4;"),
    "the last cell is left out": (r"setp\.lt\.s32 (\t%p\d+, %r\d+), 30;(\n\s*and)", r"setp.lt.s32 \1, 29;\2"),
    "every second cell": (r"mul\.lo\.s32 (\t%r\d+, %r\d+), %r\d+;(\n\s*setp\.lt)", r"shl.b32 \1, 1;\2"),
    "numbers of another row": (r"add\.s32 (\t%r\d+, %r\d+), 30;", r"add.s32 \1, 29;"),
    "cells of another world": (r"mul\.wide\.s32 (\t%rd\d+, %r\d+), 60;", r"mul.wide.s32 \1, 61;"),
    "an amount of a rule is 1 ulp off": (r"0fBE800000", "0fBE800001"),
    "the lane reads another cell": (r"mad\.lo\.s32 (\t%r\d+, %r\d+), 6,", r"mad.lo.s32 \1, 5,"),
    "the agent counts elsewhere": (r"setp\.eq\.b32 (\t%p\d+, %r\d+, %r\d+;\n.*shfl)", r"setp.ne.b32 \1"),
}
"""What is planted in the step: a pattern in the PTX, whose first place is changed, and what stands there then."""
OF_RESET = {
    "cells beyond the last world": (
        r"(?s)(setp\.lt\.s32 \t%p\d+, (%r\d+), (%r\d+);.*?)and\.pred \t(%p\d+), (%p\d+), (%p\d+;\n[^\n]*selp)",
        r"\1setp.ge.s32 \t\4, \2, \3;\n\tor.pred \t\4, \4, \5;\n\tand.pred \t\4, \4, \6",
    )
}
"""What is planted in the reset: threads without a lane write cells."""


def main() -> int:
    with TemporaryDirectory() as folder:
        for edges in ("wrap", "clamp"):
            path = Path(folder) / "embers.hamlet"
            path.write_text(UNIVERSE.replace("EDGES", edges))
            module = compile_file(path, Path(folder) / edges)
            kernels: tuple[Kernel, ...] = ("step", "reset") if edges == "clamp" else ("step",)
            for kernel in kernels:
                print(f"{edges}, {kernel}: {certified(module, kernel)}")
        faults(module, "step", FAULTS)
        faults(module, "reset", OF_RESET)
    return 0


def certified(module: Module, kernel: Kernel) -> str:
    """How many words of a kernel are proven, and how many the checker finds in the certificate that it leaves."""
    report = prove_package(module, "sm_90", name=kernel)
    done = len(report.proof.obligations) - len(report.proof.failed)
    beside(module.path, kernel).write_text(certificate(report))
    words = len(attested(module.path, beside(module.path, kernel)).words)
    return f"{done} of {len(report.proof.obligations)}, {words} attested"


def faults(module: Module, kernel: Kernel, of: Mapping[str, tuple[str, str]]) -> None:
    """Plant all faults in a kernel, each alone."""
    right = json.loads(beside(module.path, kernel).read_text())
    for name, (pattern, by) in of.items():
        change = planted(pattern, by)
        try:
            failed = prove_package(module, "sm_90", lambda ptx, change=change: change(bare(ptx)), kernel).proof.failed
            refuted = [each for each in failed if each.counterexample is not None]
            verdict = "accepted" if not failed else "refuted" if refuted else "not proven"
        except UnprovenError as error:
            verdict = f"not known: {error}"
        data = {key: value for key, value in right.items() if key != "sha256"} | {"ptx": change(right["ptx"])}
        path = module.path.with_name("changed.proof.json")
        path.write_text(json.dumps(data | {"sha256": digest(packed(data))}))
        try:
            attested(module.path, path)
            print(f"{name}: {verdict}; attested")
        except RefusedError as error:
            print(f"{name}: {verdict}; refused: {error}")


if __name__ == "__main__":
    sys.exit(main())
