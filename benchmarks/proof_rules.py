"""The rules of proofs, each proven once: by the solver at all widths that it is used at, rule 20 by all numerators.

    python benchmarks/proof_rules.py --json benchmarks/results/proof_rules.json

The numbers are those of docs/proof.md. It exits with 1 if a rule does not hold.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from pathlib import Path

import bitwuzla
import numpy as np

from hamlet_lab.proof import attest
from hamlet_lab.proof.meanings import MEANINGS

WIDTHS = (1, 8, 16, 32, 64)
FP = "((_ to_fp 8 24) {})"
SECONDS = 600
WORDS: tuple[tuple[int, str, str], ...] = (
    *((2, f"({op} x y)", f"({op} y x)") for op in ("bvadd", "bvmul", "bvand", "bvor", "bvxor", "=")),
    (3, "(ite true x y)", "x"), (3, "(ite false x y)", "y"), (4, "(ite (= c #b1) x x)", "x"),
    (5, "(ite (= c #b1) #b1 #b0)", "c"), (5, "(ite (= c #b1) #b0 #b1)", "(bvxor c #b1)"),
    (6, "(bvand x x)", "x"), (6, "(bvor x x)", "x"), (7, "(bvand x {0})", "{0}"), (7, "(bvor x {1})", "{1}"),
    (8, "(bvand x {1})", "x"), (8, "(bvor x {0})", "x"),
    *((9, f"({op} x {{0}})", "x") for op in ("bvadd", "bvxor", "bvsub", "bvshl", "bvlshr", "bvashr")),
    (10, "(bvxor x x)", "{0}"), (11, "(bvxor (bvxor x y) z)", "(bvxor x (bvxor y z))"),
    (12, "(bvmul x {0})", "{0}"), (12, "(bvmul x {one})", "x"), (13, "(= x x)", "true"),
    (14, "(ite (= c #b1) #b1 #b0)", "c"), (14, "(ite (= c #b0) #b1 #b0)", "(bvxor c #b1)"),
    (16, "((_ extract {top} 0) ((_ zero_extend 64) x))", "x"),
    (16, "((_ extract {top} 0) ((_ sign_extend 64) x))", "x"),
)  # fmt: skip
"""Rules of words: the number, both sides."""
NUMBERS: tuple[tuple[int, str, str, str], ...] = (
    (2, "true", "(fp.add RNE f g)", "(fp.add RNE g f)"), (2, "true", "(fp.mul RNE f g)", "(fp.mul RNE g f)"),
    (17, "(not (fp.isNaN f))", "(fp.add RNE f (_ -zero 8 24))", "f"),
    (18, "true", "(any f (ite (= c #b1) g h))", "(ite (= c #b1) (any f g) (any f h))"),
    (21, "true", "(fp.mul RNE f (fp.neg g))", "(fp.neg (fp.mul RNE f g))"),
    (22, "(and (not (fp.isNaN f)) (not (fp.isInfinite f)) (not (fp.isInfinite g)) (fp.leq g (_ +zero 8 24)) "
         "(not (= f (_ -zero 8 24))))",
     "(clamp (fp.add RNE (clamp f) g))", "(clamp (fp.add RNE f g))"),
    (25, "(and (not (fp.isNaN f)) (not (fp.isInfinite f)) (not (fp.isInfinite g)) (fp.geq g (_ +zero 8 24)) "
         "(not (fp.isZero h)) (not (fp.isNaN h)) (not (fp.isInfinite h)))",
     "(above (fp.add RNE (above f h) g) h)", "(above (fp.add RNE f g) h)"),
)  # fmt: skip
"""Rules of numbers: the number, what is assumed, both sides."""
DIVISORS = (0x3E99999A, 0x3E4CCCCD, 0x3F333333, 0x40400000)


def answer(text: str) -> str:
    """What the solver says."""
    options = bitwuzla.Options()
    options.set(bitwuzla.Option.TIME_LIMIT_PER, 1000 * SECONDS)
    parser = bitwuzla.Parser(bitwuzla.TermManager(), options)
    parser.parse(text, True, False)
    return str(parser.bitwuzla().check_sat()).rsplit(".", 1)[-1].lower()


def questions() -> list[tuple[int, int, str]]:
    """The number of each rule, a width, and in SMT-LIB whether its sides can differ."""
    result = []
    for number, left, right in WORDS:
        for bits in WIDTHS if "x" in left else (1,):
            constants = {"0": f"(_ bv0 {bits})", "1": f"(_ bv{2**bits - 1} {bits})", "one": f"(_ bv1 {bits})"}
            sides = [side.replace("{0}", constants["0"]).replace("{1}", constants["1"]) for side in (left, right)]
            sides = [side.replace("{one}", constants["one"]).replace("{top}", str(bits - 1)) for side in sides]
            words = "".join(f"(declare-const {name} (_ BitVec {bits}))\n" for name in "xyz")
            text = f"{words}(declare-const c (_ BitVec 1))\n(assert (distinct {' '.join(sides)}))\n"
            result.append((number, bits, text))
    for number, assumed, left, right in NUMBERS:
        numbers = "".join(f"(declare-const {name} Float32)\n" for name in "fgh") + "(declare-const c (_ BitVec 1))\n"
        numbers += "(declare-fun any (Float32 Float32) Float32)\n"
        zero = "(_ +zero 8 24)"
        numbers += f"(define-fun clamp ((v Float32)) Float32 (ite (fp.lt v {zero}) {zero} v))\n"
        numbers += "(define-fun above ((v Float32) (w Float32)) Float32 (ite (fp.lt w v) w v))\n"
        text = f"{numbers}(assert {assumed})\n(assert (distinct {left} {right}))\n"
        result.append((number, 32, text))
    return result


def quotients() -> list[dict[str, object]]:
    """Rule 20 beside all numerators of a binade, for divisors and parts of their reciprocals, right and wrong ones."""
    numerators = np.arange(0x3F800000, 0x40000000, dtype=np.uint32)
    rows: list[dict[str, object]] = []
    for divisor in DIVISORS:
        c = attest.number_of(divisor)
        high = attest.word_of(1 / attest.exact(divisor))
        low = attest.word_of(1 / attest.exact(divisor) - attest.exact(high))
        for part in (low, low ^ 1, low ^ 1 << 12, low ^ 1 << 22):
            says = attest.same_quotients(*map(attest.number_of, (high, part)), c, (-1.0, 1.0, 2.0**-26))
            words = [np.array([word], np.uint32) for word in (high, part, divisor)]
            fused = MEANINGS["fma"](numerators, words[0], MEANINGS["fmul"](numerators, words[1]))
            wrong = int((fused != MEANINGS["fdiv"](numerators, words[2])).sum())
            rows.append({"divisor": divisor, "high": high, "low": part, "rule": says, "wrong": wrong})
    return rows


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    rules: list[dict[str, object]] = []
    for number, bits, text in questions():
        smt = f"(set-logic ALL)\n{text}(check-sat)\n"
        rules.append({"rule": number, "bits": bits, "answer": answer(smt), "smt": smt})
    divided = quotients()
    program = hashlib.sha256(Path(__file__).read_bytes()).hexdigest()
    log = {"solver": f"bitwuzla {bitwuzla.version()}", "program": program, "rules": rules, "quotients": divided}
    failed = [each for each in rules if each["answer"] != "unsat"]
    # The rule may refuse what is right, and never accepts what is wrong.
    failed += [each for each in divided if each["rule"] and each["wrong"]]
    accepted = sum(bool(each["rule"]) for each in divided)
    print(f"{len(rules)} questions, {len(divided)} divisions of which {accepted} are accepted; {len(failed)} failed")
    for each in failed:
        print(each)
    if arguments.json:
        arguments.json.write_text(json.dumps(log, indent=1) + "\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
