"""python prove_cells.py [several]: the proofs of a small universe with cells, and of its PTX with planted faults.

It prints a line for each kernel as it is, and one for each fault: what `prove` says of it, and what `attest` says of
the certificate of the right kernel with that text in it. Of agents who take the cells of a world together, in two
warps, only `attest` is asked, and with `several` both; then it is asked of sums of all cells as well, and of nothing
else.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
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

SEVERAL = """
universe board

space grid 9 x 9 { starts anywhere }
lifespan 60 ticks

world {
    meter calls = 0 in 0 .. 9
    rule tally: calls = min(9, calls + 1)
}

cells {
    meter heat = 1 when chance(0.2)
    rule cools: heat = 0.5 * heat
}

role singer: 40 agents

meter force = 1

rule warms: force += 0.01 * heat - 0.005 * calls

action CALL { force -= 0.05 }

dies when force <= 0
reward force
observe { meters }
"""
OF_SEVERAL: dict[str, tuple[str, str]] = {
    "agents begin at the next cell": (r"mov\.b32 (\t%r182), %r1;", r"add.s32 \1, %r1, 1;"),
    "agents go on by more than they are": (r"add\.s32 (\t%r182, %r182), %r19;", r"add.s32 \1, 41;"),
    "a turn less": (r"add\.s32 (\t%r102, %r19), 80;", r"add.s32 \1, 39;"),
    "a cell more": (r"setp\.lt\.s32 (\t%p10, %r182), 81;", r"setp.lt.s32 \1, 82;"),
    "what a cell has depends on its agent": (r"cvt\.rn\.f32\.u32 (\t%r172), %r171;", r"cvt.rn.f32.u32 \1, %r1;"),
    "what a cell has is a word of its agent": (r"(selp\.b32 \t%r118), 1065353216,", r"\1, %r22,"),
    "agents who live take no cells": (r"@%p8 bra", r"@%p6 bra"),
    "no barriers": (r"(?s)bar\.sync \t0;(.*)bar\.sync \t0;(.*)bar\.sync \t0;", r"\1\2"),
    "barriers in turns": (r"(\n\s*add\.s32 \t%r183, %r183, -1;)", r"\n\tbar.sync \t0;\1"),
    "a barrier of some threads": (r"bar\.sync (\t0;\n\tadd)", r"@%p6 bar.sync \1"),
}
"""What is planted in the reset of a world of several agents."""

OVER = """
universe hearth

space grid 6 x 5 { starts anywhere }
lifespan 100 ticks

cells {
    meter heat = 1 when chance(0.2)
    rule cools: heat = 0.75 * heat
}

meter breath = 1

let glow = total(heat) over cells
let peak = highest(heat) over cells

rule smoke: breath += 0.02 - 0.01 * glow - 0.1 * peak

dies when breath <= 0
reward glow
observe { meters }
"""
OF_OVER: dict[str, tuple[str, str]] = {
    "halves of another size": (r"mov\.b32 (\t%r114), 16;", r"mov.b32 \1, 15;"),
    "a half that is not joined": (r"setp\.eq\.b32 (\t%p10, %r206), 5;", r"setp.eq.b32 \1, 4;"),
    "a cell joined with the next one": (r"add\.s64 (\t%rd37, %rd36), %rd40;", r"add.s64 \1, 4;"),
    "a cell behind the last one": (r"setp\.lt\.s32 (\t%p14, %r123), 30;", r"setp.lt.s32 \1, 31;"),
    "a cell that is left out": (r"setp\.lt\.s32 (\t%p14, %r123), 30;", r"setp.lt.s32 \1, 29;"),
    "the greatest for a sum": (r"add\.rn\.f32 (\t%r119)", r"max.f32 \1"),
    "the least for the greatest": (r"setp\.lt\.f32 (\t%p16)", r"setp.gt.f32 \1"),
    "one row for another": (r"add\.s32 (\t%r126, %r124), 60;", r"add.s32 \1, 30;"),
    "a number that is not joined": (r"add\.s64 (\t%rd\d+, %rd4), 120;", r"add.s64 \1, 124;"),
}
"""What is planted in the reset of a world where something is asked of all cells."""

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
    several = sys.argv[1:] == ["several"]
    with TemporaryDirectory() as folder:
        for name, text, planted_in in (("board", SEVERAL, OF_SEVERAL), ("hearth", OVER, OF_OVER)):
            path = Path(folder) / f"{name}.hamlet"
            path.write_text(text)
            module = compile_file(path, Path(folder) / name)
            print(f"{name}, reset: {certified(module, 'reset')}")
            if several or planted_in is OF_SEVERAL:
                faults(module, "reset", planted_in, proving=several and planted_in is OF_SEVERAL)
        for edges in ("wrap", "clamp") if not several else ():
            path = Path(folder) / "embers.hamlet"
            path.write_text(UNIVERSE.replace("EDGES", edges))
            module = compile_file(path, Path(folder) / edges)
            kernels: tuple[Kernel, ...] = ("step", "reset") if edges == "clamp" else ("step",)
            for kernel in kernels:
                print(f"{edges}, {kernel}: {certified(module, kernel)}")
        if not several:
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


def faults(module: Module, kernel: Kernel, of: Mapping[str, tuple[str, str]], proving: bool = True) -> None:
    """Plant all faults in a kernel, each alone; if the prover is asked, too."""
    right = json.loads(beside(module.path, kernel).read_text())
    for name, (pattern, by) in of.items():
        change = planted(pattern, by)
        verdict = _verdict(module, kernel, change) if proving else "not proven"
        data = {key: value for key, value in right.items() if key != "sha256"} | {"ptx": change(right["ptx"])}
        path = module.path.with_name("changed.proof.json")
        path.write_text(json.dumps(data | {"sha256": digest(packed(data))}))
        try:
            attested(module.path, path)
            print(f"{name}: {verdict}; attested")
        except RefusedError as error:
            print(f"{name}: {verdict}; refused: {error}")


def _verdict(module: Module, kernel: Kernel, change: Callable[[str], str]) -> str:
    """What the prover says of a kernel with a fault."""
    try:
        failed = prove_package(module, "sm_90", lambda ptx: change(bare(ptx)), kernel).proof.failed
    except UnprovenError as error:
        return f"not known: {error}"
    refuted = [each for each in failed if each.counterexample is not None]
    return "accepted" if not failed else "refuted" if refuted else "not proven"


if __name__ == "__main__":
    sys.exit(main())
