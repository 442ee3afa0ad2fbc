"""python prove_worlds.py: the proofs of a small universe whose agents meet, and of its PTX with planted faults.

It prints a line for each kernel as it is, and one for each fault: what `prove` says of it, and what `attest` says of
the certificate of the right kernel with that text in it.
"""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from prove_cells import certified, faults

from hamletc.compile import compile_file

UNIVERSE = """
universe chorus

space none
lifespan 60 ticks

world {
    meter calls = 0 in 0 .. 9
    rule tally: calls = count(action == CALL)
}

role singer: 3 agents

meter force = 1 { decay 0.01 }
meter voice = 0.5

actions WAIT CALL
action CALL { force -= 0.05 }

rule first:  rank(action == CALL, voice) < 1 -> voice += 0.1
rule shared: voice -= 0.03 * total(force) - 0.02 * calls

dies when force <= 0
reward voice
observe { meters }
"""

FAULTS: dict[str, tuple[str, str]] = {
    "a shuffle asks the wrong lane": (r"xor\.b32 (\t%r\d+, %r\d+), 1;", r"xor.b32 \1, 2;"),
    "a shuffle asks another world": (r"xor\.b32 (\t%r\d+, %r\d+), 2;", r"xor.b32 \1, 4;"),
    "a shuffle asks the wrong lane at once": (r"(bfly\.b32 \t%r\d+, %r\d+), 1,", r"\1, 2,"),
    "a shuffle without some threads": (r"(shfl\.sync\.bfly.*), -1;", r"\1, 7;"),
    "an agent is not counted": (r"(add\.s32 \t%r\d+, )%r\d+, (%r\d+;\n\s*cvt\.rn)", r"\g<1>0, \2"),
    "a rank is that of the last": (r"setp\.lt\.u32 (.*\n\s*xor\.b32.*\n\s*and.*\n\s*shfl)", r"setp.gt.u32 \1"),
    "a rank counts those that do not claim": (r"(selp\.b32 \t%r\d+, %r\d+), 0, %p2;", r"\1, -1, %p2;"),
    "an agent too many": (r"setp\.lt\.s32 (\t%p\d+, %r5), %r\d+;", r"setp.lt.s32 \1, 4;"),
    "the words of the next agent": (r"(mad\.lo\.s32 \t%r\d+, %r\d+, %r\d+), %r5;", r"\1, %r3;"),
    "an agent does not say that it goes on": (
        r"max\.s32 (\t%r\d+), (%r\d+), %r\d+;(\n\s*setp)",
        r"max.s32 \1, \2, \2;\3",
    ),
    "all agents write what is the world's": (r"setp\.eq\.b32 (\t%p\d+, %r5), 0;", r"setp.ge.s32 \1, 0;"),
    "nobody writes what is the world's": (r"setp\.eq\.b32 (\t%p\d+, %r5), 0;", r"setp.eq.b32 \1, 3;"),
    "threads part, and do something together": (r"@%p\d+ bra (\t\$L__BB0_6;)", r"@%p8 bra \1"),
    "a vote of more than one": (r"(selp\.b32 \t%r18), 1, 0, %p4;", r"\1, 2, 0, %p4;"),
}
"""What is planted in the step: a pattern in the PTX, whose first place is changed, and what stands there then."""
OF_RESET = {
    "another agent than the first writes for the world": (r"setp\.eq\.b32 (\t%p\d+, %r\d+), 0;", r"setp.eq.b32 \1, 1;"),
    "what the world has is loaded after it was stored": (
        r"(?s)\A(.*)(@%p\d+ ld\.global\.b32 \{ %r\d+ \}, (\[ %rd\d+ \+ 0 \]);)(.*@%p\d+ st\.global\.b32 \3[^\n]*\n)",
        r"\1\2\4\t\2\n",
    ),
}
"""What is planted in the reset, where one thread stands for all."""


def main() -> int:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "chorus.hamlet"
        path.write_text(UNIVERSE)
        module = compile_file(path, Path(folder) / "chorus")
        for kernel in ("step", "reset", "observe"):
            print(f"{kernel}: {certified(module, kernel)}")
        faults(module, "step", FAULTS)
        faults(module, "reset", OF_RESET)
    return 0


if __name__ == "__main__":
    sys.exit(main())
