"""Faults in the PTX of a step, and what `hamletc prove` and `hamletc attest` say of each.

    python benchmarks/proof_faults.py --json benchmarks/results/proof_faults.json

Each is planted in the text that Triton makes of first_meal for sm_90. Then the kernel is proven, and the certificate of
the right kernel is checked with the wrong text in it. Those that change no output are named, with why; the others are
compared in sampled states where they are accepted. The same as a table goes beside the file. It exits with 1 if a fault
that changes an output is accepted.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from facts import ROOT, facts

from hamlet.package.module import Module
from hamlet_lab.proof.attest import RefusedError, attested, bare, beside, digest, packed
from hamlet_lab.proof.certificate import certificate
from hamlet_lab.proof.of_ir import UnprovenError
from hamlet_lab.proof.prove import refuted
from hamlet_lab.proof.report import prove_package
from hamletc.compile import compile_file

sys.path.append(str(ROOT / "tests" / "unit" / "proof"))
from prove_faults import planted

NOTE = (
    "Faults that are planted, one at a time, in the PTX of the step of first_meal for sm_90, what `hamletc prove` says "
    "of each, and why `hamletc attest` refuses the certificate of the right kernel with this text in it; see "
    "[proof](../../docs/proof.md)."
)
FAULTS: dict[str, tuple[str, str]] = {
    "a constant of an affordance is 1 ulp off": (r"0f3ECCCCCD", "0f3ECCCCCE"),
    "a constant of the decay is 1 ulp off": (r"(add\.rn\.f32 \t%r\d+, %r\d+), 0fBCA3D70A", r"\1, 0fBCA3D70B"),
    "a death at less than 0": (r"setp\.le\.f32", "setp.lt.f32"),
    "a store of all threads": (r"@%p\d+ (st\.global\.b32 \[ %rd\d+ \+ 0 \], \{ %r364)", r"\1"),
    "a difference is swapped": (r"sub\.rn\.f32 (\t%r\d+), (%r\d+), (%r\d+)", r"sub.rn.f32 \1, \3, \2"),
    "a rounding towards zero": (r"add\.rn\.f32", "add.rz.f32"),
    "subnormals are zeros": (r"add\.rn\.f32", "add.rn.ftz.f32"),
    "a choice is swapped": (
        r"selp\.f32 (\t%r\d+), (%r\d+), 0f00000000, (%p\d+);\n(.*mul)", r"selp.f32 \1, 0f00000000, \2, \3;\n\4"
    ),
    "a shift of the hash": (r"shr\.u32 (\t%r\d+), (%r\d+), 15", r"shr.u32 \1, \2, 16"),
    "an edge of the grid": (r"min\.s32 (\t%r\d+, %r\d+), 4", r"min.s32 \1, 5"),
    "x where y is stored": (r"(st\.global\.b32 .*\{) %r367", r"\1 %r366"),
    "truncated is `or`": (r"and\.pred (\t%p\d+, %p\d+, %p\d+;\n.*add\.rn\.f32 .*, 0f3F800000)", r"or.pred \1"),
    "a division without its correction": (r"(fma\.rn\.f32 \t%r\d+, %r\d+, 0f\w+), %r\d+", r"\1, 0f00000000"),
    "a division with 1.001 of its correction": (r"0fB3638E37", "0fB363C71A"),
    "a lifespan of 201": (r"setp\.gt\.s32 (.*), 199;", r"setp.gt.s32 \1, 200;"),
    "a new layout in all lanes": (r"selp\.b32 (\t%r371), (%r\d+), %r371, %p\d+", r"mov.b32 \1, \2"),
    "a vote of two": (r"(redux.*\n.*setp\.lt\.s32 \t%p\d+, %r153), 1", r"\1, 2"),
    "a key of the hash": (r"(add\.s32 \t%r\d+, %r371), 1401181199", r"\1, 1401181200"),
    "a store is missing": (r"@%p\d+ st\.global\.b8 .*\{ %rs10 \}.*", ""),
    "a wider grid": (r"mad\.lo\.s32 (\t%r\d+, %r367), 5,", r"mad.lo.s32 \1, 6,"),
    "a fused product is rounded": (
        r"fma\.rn\.f32 \t(%r\d+), (%r\d+), (0f\w+), (%r\d+);",
        r"mul.rn.f32 \t\1, \2, \3;\n\tadd.rn.f32 \t\1, \1, \4;",
    ),
    "a word of another lane": (r"(st\.global\.b32 \[ %rd\d+) \+ 0 \], \{ %r365", r"\1 + 4 ], { %r365"),
    "a reward of the dead": (r"selp\.f32 (\t%r360), (%r\d+), 0f00000000, %p\d+", r"mov.b32 \1, \2"),
    "a signed comparison of hashes": (r"setp\.lt\.u32 (\t%p\d+, %r\d+, -858993459)", r"setp.lt.s32 \1"),
    "a cascade from its limit on": (r"setp\.lt\.f32 (.*0f3E99999A)", r"setp.le.f32 \1"),
    "a division with a correction 1 ulp off": (r"0fB3638E37", "0fB3638E38"),
    "a layout that all lanes store": (r"@%p53 (st\.global\.b32 .*\{ %r371)", r"@%p40 \1"),
}  # fmt: skip
"""What is planted: a pattern in the PTX, of which the first place is changed, and what stands there then."""
EQUAL = {
    "a cascade from its limit on": "the deficit is 0 at the limit",
    "a division with a correction 1 ulp off": "all numerators of a binade have the same quotients (rule 20)",
    "a layout that all lanes store": "where an episode goes on it is the layout that is there",
}
"""Faults that change no output, and why."""
SAMPLES, SEEDS = 1 << 14, (2, 3, 4, 5)


@dataclass(frozen=True, slots=True)
class Row:
    """A fault, and what becomes of it.

    Attributes:
        verdict: what `hamletc prove` says.
        refused: why `hamletc attest` refuses the certificate; empty where it does not.
        equal: why no output changes; empty where one does.
        differs: whether it is accepted, and a sampled state shows that it is wrong.
    """

    fault: str
    verdict: str
    refused: str
    equal: str
    differs: bool
    cpu_seconds: float


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("faults", nargs="*", help="by default all")
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory(prefix="faults_") as folder:
        module = compile_file(ROOT / "universes" / "first_meal.hamlet", Path(folder) / "first_meal")
        report = prove_package(module, "sm_90")
        assert not report.proof.failed
        right = certificate(report)
        for fault in arguments.faults or FAULTS:
            rows.append(tried(module, right, fault))
            print(f"{fault}: {rows[-1].verdict}; {rows[-1].refused or 'attested'}", flush=True)
    if arguments.json:
        made = facts("benchmarks/proof_faults.py", "c")
        arguments.json.write_text(json.dumps({"facts": made, "rows": [asdict(each) for each in rows]}, indent=1) + "\n")
        arguments.json.with_suffix(".md").write_text("\n".join(table(rows, made)) + "\n")
    return 1 if any(each.differs or (each.verdict == "accepted" and not each.equal) for each in rows) else 0


def tried(module: Module, right: str, fault: str) -> Row:
    """The fault planted, proven, and put into the certificate of the right kernel."""
    began = time.process_time()
    change, verdict, differs = planted(*FAULTS[fault]), "accepted", False
    try:
        report = prove_package(module, "sm_90", lambda ptx: change(bare(ptx)))
    except UnprovenError as error:
        verdict = f"not known: {error}"
    else:
        if failed := report.proof.failed:
            shown = any(each.counterexample is not None for each in failed)
            verdict = f"{'refuted by a state' if shown else 'not proven'}: {len(failed)} words"
        else:
            differs = any(refuted(report.kernel, SAMPLES, seed) for seed in SEEDS)
    seconds = round(time.process_time() - began, 2)
    return Row(
        fault, verdict, refused(module, right, change(json.loads(right)["ptx"])), EQUAL.get(fault, ""), differs, seconds
    )


def refused(module: Module, right: str, ptx: str) -> str:
    """Why the certificate of the right kernel is refused with another text in it."""
    data = {key: value for key, value in json.loads(right).items() if key != "sha256"} | {"ptx": ptx}
    path = beside(module.path)
    path.write_text(json.dumps(data | {"sha256": digest(packed(data))}))
    try:
        attested(module.path, path)
    except RefusedError as error:
        return str(error)
    return ""


def table(rows: list[Row], made: dict[str, str]) -> Iterator[str]:
    """The rows as Markdown."""
    yield from ("# Planted faults", "", NOTE, "")
    accepted = [each for each in rows if each.verdict == "accepted"]
    yield (
        f"{len(rows) - len(accepted)} of {len(rows)} are refused; {len(accepted)} are accepted, of which "
        f"{sum(bool(each.equal) for each in accepted)} change no output. With the certificate of the right kernel "
        f"{sum(bool(each.refused) for each in rows)} are refused."
    )
    yield from ("", "| fault | `prove` | s of a CPU | `attest` | why no output changes |", "|---|---|--:|---|---|")
    for each in rows:
        cells = (each.fault, each.verdict, f"{each.cpu_seconds:.1f}", each.refused or "accepted", each.equal)
        yield f"| {' | '.join(cell.replace('|', '&#124;') for cell in cells)} |"
    yield from ("", "; ".join(each for key, each in made.items() if key in ("machine", "versions", "commit")) + ".")


if __name__ == "__main__":
    sys.exit(main())
