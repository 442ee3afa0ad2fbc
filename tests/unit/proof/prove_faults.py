"""python prove_faults.py: the proof of a small universe, and of its PTX with planted faults.

A program of its own, because in the process of the tests Triton may have been imported for its interpreter. It prints
a line for the kernel as it is, and one for each fault.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

from hamlet_lab.proof.of_ir import UnprovenError
from hamlet_lab.proof.report import prove_package
from hamletc.compile import compile_file

UNIVERSE = """
universe pantry

space none
lifespan 30 ticks { reward 1.0 }

meter food = 1.0 { decay 0.02 }
meter mood = 0.5 { decay 0.004 }

cascade hunger_saddens: food < 0.3 -> mood -= 0.02 * deficit

action eat { food += 0.3 }

dies when food <= 0
reward mood
observe { meters }
"""

FAULTS: dict[str, tuple[str, str]] = {
    "a constant is 1 ulp off": (r"0fBCA3D70A;\n(.*max\.f32)", r"0fBCA3D70B;\n\1"),
    "a death at less than 0": (r"setp\.le\.f32", "setp.lt.f32"),
    "a store of all threads": (r"@%p\d+ (st\.global\.b32 \[ %rd\d+ \+ 0 \], \{ %r97)", r"\1"),
    "a load of all threads": (r"@%p\d+ (ld\.global\.b32 \{ %r97 \})", r"\1"),
    "a difference is swapped": (r"sub\.rn\.f32 (\t%r\d+), (%r\d+), (%r\d+)", r"sub.rn.f32 \1, \3, \2"),
    "a division without its correction": (r"(fma\.rn\.f32 \t%r\d+, %r\d+, 0f\w+), %r\d+", r"\1, 0f00000000"),
    "a shift of the hash": (r"shr\.u32 (\t%r\d+), (%r\d+), 15", r"shr.u32 \1, \2, 16"),
    "a lifespan of 31": (r"setp\.gt\.s32 (.*), 29;", r"setp.gt.s32 \1, 30;"),
    "an episode is not counted": (r"add\.s32 (\t%r10\d), %r10\d, %r\d+;\n(.*xor)", r"mov.b32 \1, 0;\n\2"),
    "two rows of meters are one": (r"shl\.b64 (.*), 2;\n(.*add\.s64)", r"shl.b64 \1, 3;\n\2"),
    "a store is missing": (r"@%p\d+ st\.global\.b8 .*\{ %rs5 \}.*", ""),
    "a rounding towards zero": (r"add\.rn\.f32", "add.rz.f32"),
    "a word of another lane": (r"st\.global\.b32 \[ (%rd\d+) \+ 0 \], \{ %r93", r"st.global.b32 [ \1 + 4 ], { %r93"),
}
"""What is planted: a pattern in the PTX, of which the first place is changed, and what stands there then."""


def planted(pattern: str, by: str) -> Callable[[str], str]:
    """A text with a fault in it."""

    def change(ptx: str) -> str:
        text = re.sub(r"(?m)^\s*(?://.*|\.loc.*|\$L__tmp\d+:)?\n", "", ptx)
        changed = re.sub(pattern, by, text, count=1)
        assert changed != text, f"nothing is like {pattern}"
        return changed

    return change


def main() -> int:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "pantry.hamlet"
        path.write_text(UNIVERSE)
        module = compile_file(path)
    report = prove_package(module, "sm_90")
    print(f"as it is: {len(report.proof.obligations) - len(report.proof.failed)} of {len(report.proof.obligations)}")
    reasons = set(report.proof.merger.reasons)
    print("by", *sorted(reason for reason in reasons if not reason.startswith(("asked", "query"))), sep="; ")
    for name, (pattern, by) in FAULTS.items():
        try:
            failed = prove_package(module, "sm_90", planted(pattern, by)).proof.failed
        except UnprovenError as error:
            print(f"{name}: not known: {error}")
            continue
        refuted = [each for each in failed if each.counterexample is not None]
        print(f"{name}: {'accepted' if not failed else 'refuted' if refuted else 'not proven'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
