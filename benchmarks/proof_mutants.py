"""Mutants of a small universe's kernel, in PTX and in the tick IR: which of them `hamletc prove` accepts, and which of
those of PTX `hamletc attest` accepts in the certificate of the right kernel.

    python benchmarks/proof_mutants.py --json benchmarks/results/proof_mutants.json

A mutant differs in one place: a constant, an operation, the order of operands, an operand, a guard, a line that is
missing. Those of PTX are held to the tick IR; to those of the tick IR the PTX is held, which was compiled before. One
that is accepted is compared with the kernel in other sampled states, and listed to be looked at; it exits with 1 if
one of them differs there. What the file says of kinds that are not tried stays, and of those that are it is written
after each mutant.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import signal
import struct
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from facts import ROOT, facts

from hamlet.errors import HamletError
from hamlet.package.module import Module
from hamlet_lab.proof.attest import RefusedError, attested, bare, beside, digest, packed
from hamlet_lab.proof.certificate import certificate
from hamlet_lab.proof.prove import prove, refuted
from hamlet_lab.proof.report import prove_package
from hamlet_lab.proof.states import KernelUnderProof
from hamlet_lab.ptx.parser import parse
from hamletc.compile import compile_file
from hamletc.ir import ops
from hamletc.ir.function import Function, Node
from hamletc.ir.operands import operands, with_operands

OTHER = (
    ("add.s32", "sub.s32"), ("sub.s32", "add.s32"), ("and.", "or."), ("or.", "and."), ("xor.", "or."),
    ("shl.", "shr."), ("shr.u32", "shr.s32"), ("lt.", "le."), ("le.", "lt."), ("gt.", "ge."), ("ge.", "gt."),
    ("eq.", "ne."), ("ne.", "eq."), ("max.f32", "min.f32"), ("min.f32", "max.f32"), ("add.rn", "sub.rn"),
    ("add.rn", "add.rz"), ("add.rn.f32", "add.rn.ftz.f32"), ("sub.rn", "add.rn"), ("mul.rn", "add.rn"),
    ("mul.lo", "add"), ("mul.hi.u32", "mul.lo.s32"), ("fma.rn", "fma.rz"), (".u32", ".s32"), (".s32", ".u32"),
)  # fmt: skip
"""Parts of the name of an instruction of PTX, and what may stand there instead."""
SIBLINGS: dict[type[ops.Binary], tuple[type[ops.Binary], ...]] = {
    ops.Add: (ops.Sub, ops.Mul), ops.Sub: (ops.Add,), ops.Mul: (ops.Add,), ops.MulHigh: (ops.Mul,), ops.Div: (ops.Mul,),
    ops.Rem: (ops.Div,), ops.Less: (ops.LessEqual, ops.Equal), ops.LessEqual: (ops.Less,), ops.Equal: (ops.LessEqual,),
    ops.And: (ops.Or,), ops.Or: (ops.And, ops.Xor), ops.Xor: (ops.Or,), ops.ShiftLeft: (ops.ShiftRight,),
    ops.ShiftRight: (ops.ShiftLeft,),
}  # fmt: skip
COMMUTATIVE = (ops.Add, ops.Mul, ops.MulHigh, ops.Equal, ops.And, ops.Or, ops.Xor)
CERTIFICATE = "PTX in the certificate"
KINDS = ("PTX", "tick IR", CERTIFICATE)
FUNCTIONS = ("tick", "reset", "mask")
NOT_KNOWN = "not known"
"""An instruction that the prover does not know, a register of another width: no mutant that it has to judge."""
SECONDS = 12
"""Of a CPU, for one mutant; the kernel itself takes one."""
SAMPLES = 1024
"""States in which a mutant is tried, and terms are compared."""
MORE_SEEDS = (2, 3, 4, 5)
MORE_STATES = 1 << 14


@dataclass(frozen=True, slots=True)
class Mutant:
    """A kernel with one change, in words; it is made when it is looked at."""

    said: str
    kernel: Callable[[], KernelUnderProof]
    text: str = ""


def of_ptx(kernel: KernelUnderProof, text: str) -> Iterator[Mutant]:
    """All mutants of a text in PTX."""
    lines = text.split("\n")
    for at, line in enumerate(lines):
        if not line.startswith("\t") or ".reg" in line or ";" not in line or "ld.param" in line:
            continue
        for by in dict.fromkeys(_lines(line, lines[:at])):
            if by.split() == line.split():
                continue
            changed = "\n".join((*lines[:at], by, *lines[at + 1 :]))
            said = f"`{' '.join(line.split())}` is `{' '.join(by.split())}`" if by else f"no `{' '.join(line.split())}`"
            yield Mutant(said, partial(_of_text, kernel, changed), changed)


def _lines(line: str, before: list[str]) -> Iterator[str]:
    """What may stand instead of a line of PTX; nothing, too."""
    yield ""
    for match in re.finditer(r"(?<![\w%.])-?\d+(?=[,;\s\]])", line):
        for value in (int(match[0]) + 1, int(match[0]) - 1, int(match[0]) ^ 4):
            yield line[: match.start()] + str(value) + line[match.end() :]
    for match in re.finditer(r"0f([0-9A-F]{8})", line):
        for value in (int(match[1], 16) + 1, int(match[1], 16) - 1):
            yield f"{line[: match.start()]}0f{value % (1 << 32):08X}{line[match.end() :]}"
    name = re.match(r"\t(?:@!?%p\d+ )?([a-z][\w.]*)", line)
    for one, other in OTHER:
        if name and one in name[1] and not (one in (".u32", ".s32") and re.match("(add|sub|mul.lo|mad.lo)", name[1])):
            yield line.replace(name[1], name[1].replace(one, other, 1), 1)
    if (not name or not re.match(r"(add|mul|and|or|xor|max|min)\.|setp\.(eq|ne)", name[1])) and (
        ends := re.fullmatch(r"(.*), ([^,\[\]{}]+), ([^,\[\]{}]+);(.*)", line)
    ):
        yield f"{ends[1]}, {ends[3]}, {ends[2]};{ends[4]}"
    if guard := re.match(r"\t@(!?)(%p\d+) ", line):
        yield f"\t{line[guard.end() :]}"
        yield f"\t@{'' if guard[1] else '!'}{guard[2]} {line[guard.end() :]}"
    if sources := re.findall(r"%(?:rd|rs|r|p)\d+", line)[1:]:
        kind = re.match(r"%[a-z]+", sources[-1])
        assert kind is not None
        written = [each for text in before for each in re.findall(rf"{kind[0]}\d+\b", text)]
        if written:
            yield re.sub(rf"{sources[-1]}\b(?!.*{sources[-1]}\b)", written[len(line) * 7 % len(written)], line)


def of_ir(kernel: KernelUnderProof) -> Iterator[Mutant]:
    """All mutants of the program that a kernel is held to, of nodes that an output needs."""
    for function in kernel.program.functions:
        if function.name in FUNCTIONS:
            for number in sorted(_needed(function)):
                node = function.nodes[number]
                for op in (*_ops(function, node), *_others(function, number)):
                    nodes = (*function.nodes[:number], replace(node, op=op), *function.nodes[number + 1 :])
                    yield Mutant(
                        f"{function.name} %{number}: {node.op} is {op}", partial(_with, kernel, function, nodes)
                    )


def _of_text(kernel: KernelUnderProof, text: str) -> KernelUnderProof:
    return replace(kernel, ptx=parse(text))


def _with(kernel: KernelUnderProof, function: Function, nodes: tuple[Node, ...]) -> KernelUnderProof:
    functions = (replace(each, nodes=nodes) if each is function else each for each in kernel.program.functions)
    return replace(kernel, program=replace(kernel.program, functions=tuple(functions)))


def _needed(function: Function) -> set[int]:
    needed, stack = set[int](), [each.value for each in function.outputs]
    while stack:
        if (number := stack.pop()) not in needed:
            needed.add(number)
            stack += operands(function.nodes[number].op)
    return needed


def _others(function: Function, number: int) -> Iterator[ops.Op]:
    """An operation with another operand of the same type, made before."""
    op = function.nodes[number].op
    values = operands(op)
    for place, value in enumerate(values):
        type_ = function.nodes[value].type
        of_type = [at for at in range(number) if function.nodes[at].type is type_ and at not in values]
        for pick in random.Random(1000 * number + place).sample(of_type, min(2, len(of_type))):
            yield with_operands(op, (*values[:place], pick, *values[place + 1 :]))


def _ops(function: Function, node: Node) -> Iterator[ops.Op]:
    """What may stand instead of an operation."""
    op, types = node.op, [function.nodes[each].type for each in operands(node.op)]
    match op:
        case ops.Const(type=ops.F32, value=value):
            (word,) = struct.unpack("<i", struct.pack("<f", value))
            for other in (word + 1, word - 1 if word & 0x7FFFFFFF else word + 2):
                yield replace(op, value=struct.unpack("<f", struct.pack("<i", other))[0])
        case ops.Const(type=ops.BOOL, value=value):
            yield replace(op, value=not value)
        case ops.Const(value=value):
            yield from (replace(op, value=max(int(value) + by, 0)) for by in (1, -1) if int(value) + by >= 0)
        case ops.Input(type=type_, name=name):
            others = [each.op.name for each in function.nodes if isinstance(each.op, ops.Input) and each.type is type_]
            yield from (replace(op, name=other) for other in dict.fromkeys(others) if other != name)
        case ops.Binary():
            values = operands(op)
            if not isinstance(op, COMMUTATIVE):
                yield with_operands(op, values[::-1])
            for sibling in SIBLINGS.get(type(op), ()):
                if not (types[0] is ops.F32 and sibling in (ops.Or, ops.And, ops.Xor)):
                    yield sibling(*values)
        case ops.Select():
            condition, then, otherwise = operands(op)
            yield with_operands(op, (condition, otherwise, then))
            yield with_operands(op, (condition, then, then))
        case _:
            pass


def verdict(mutant: Mutant) -> str:
    """What becomes of a mutant."""
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        failed = prove(mutant.kernel(), SAMPLES).failed
    except TimeoutError:
        return f"not proven in {SECONDS} s"
    except (HamletError, KeyError, AssertionError, StopIteration):
        return NOT_KNOWN
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    if not failed:
        return "accepted"
    return "refuted by a state" if any(each.counterexample is not None for each in failed) else "not proven"


def checked(mutant: Mutant, package: Path, right: str) -> str:
    """What becomes of a mutant in the certificate of the right kernel. Its queries are those that were answered."""
    data = {key: value for key, value in json.loads(right).items() if key != "sha256"} | {"ptx": bare(mutant.text)}
    beside(package).write_text(json.dumps(data | {"sha256": digest(packed(data))}))
    try:
        attested(package, asks=False)
    except RefusedError:
        return "refused"
    return "accepted"


def _stop(*_: object) -> None:
    raise TimeoutError


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--number", type=int, default=400, help="of mutants of each kind")
    parser.add_argument("--kinds", nargs="*", choices=KINDS, default=KINDS)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    sys.path.append(str(ROOT / "tests" / "unit" / "proof"))
    from prove_faults import UNIVERSE

    with tempfile.TemporaryDirectory(prefix="mutants_") as folder:
        path = Path(folder) / "pantry.hamlet"
        path.write_text(UNIVERSE)
        module = compile_file(path, Path(folder) / "pantry")
        return tried(arguments, module)


def tried(arguments: argparse.Namespace, module: Module) -> int:
    """Try mutants, and write what becomes of them; 1 if one is accepted that differs."""
    report = prove_package(module, "sm_90", bare)
    assert not report.proof.failed
    right = certificate(report)
    signal.signal(signal.SIGPROF, _stop)
    kinds = {"PTX": list(of_ptx(report.kernel, report.ptx)), "tick IR": list(of_ir(report.kernel))}
    kinds[CERTIFICATE] = kinds["PTX"]
    before = json.loads(arguments.json.read_text()) if arguments.json and arguments.json.exists() else {}
    data: dict[str, object] = {**before, "facts": facts("benchmarks/proof_mutants.py", "c")}
    wrong = 0
    for kind in arguments.kinds:
        every = kinds[kind]
        began, counted, accepted, unknown = time.process_time(), Counter[str](), list[str](), 0
        for mutant in random.Random(arguments.seed).sample(every, len(every)):
            if sum(counted.values()) == arguments.number:
                break
            said = checked(mutant, module.path, right) if kind == CERTIFICATE else verdict(mutant)
            if said == NOT_KNOWN:
                unknown += 1
                continue
            counted[said] += 1
            if said == "accepted":
                differs = any(refuted(mutant.kernel(), MORE_STATES, seed) for seed in MORE_SEEDS)
                wrong += differs
                accepted.append(mutant.said + (": DIFFERS" if differs else ""))
            data[kind] = {
                "possible": len(every),
                "tried": sum(counted.values()),
                "verdicts": dict(counted),
                "besides, not known to the prover": unknown,
                "accepted": sorted(accepted),
                "states that accepted ones agree in": MORE_STATES * len(MORE_SEEDS),
                "cpu_seconds": round(time.process_time() - began, 1),
            }
            if arguments.json:
                arguments.json.write_text(json.dumps(data, indent=1) + "\n")
        print(kind, json.dumps(data[kind], indent=1))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
