"""The rules of proofs, each proven once: by the solver at all widths that it is used at, rule 20 by all numerators.

    python benchmarks/proof_rules.py --json benchmarks/results/proof_rules.json

The numbers are those of docs/proof.md. It exits with 1 if a rule does not hold.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import sys
from pathlib import Path

import bitwuzla
import numpy as np

from hamlet_lab.proof import attest
from hamlet_lab.proof.meanings import MEANINGS

WIDTHS = (1, 8, 16, 32, 64)
SECONDS = 600
WIDER = "((_ zero_extend 32) {})"
WORDS: tuple[tuple[int, str, str], ...] = (
    *((2, f"({op} x y)", f"({op} y x)") for op in ("bvadd", "bvmul", "bvand", "bvor", "bvxor", "=")),
    (3, "(ite true x y)", "x"), (3, "(ite false x y)", "y"), (4, "(ite (= c #b1) x x)", "x"),
    (5, "(ite (= c #b1) #b1 b)", "(bvor c b)"), (5, "(ite (= c #b1) #b0 b)", "(bvand (bvxor c #b1) b)"),
    (5, "(ite (= c #b1) b #b1)", "(bvor (bvxor c #b1) b)"), (5, "(ite (= c #b1) b #b0)", "(bvand c b)"),
    (6, "(bvand x x)", "x"), (6, "(bvor x x)", "x"), (7, "(bvand x {0})", "{0}"), (7, "(bvor x {1})", "{1}"),
    (8, "(bvand x {1})", "x"), (8, "(bvor x {0})", "x"),
    *((9, f"({op} x {{0}})", "x") for op in ("bvadd", "bvxor", "bvsub", "bvshl", "bvlshr", "bvashr")),
    (10, "(bvxor x x)", "{0}"), (11, "(bvxor (bvxor x y) z)", "(bvxor x (bvxor y z))"),
    (12, "(bvmul x {0})", "{0}"), (12, "(bvmul x {one})", "x"), (13, "(= x x)", "true"),
    (14, "(ite (= c #b1) #b1 #b0)", "c"), (14, "(ite (= c #b0) #b1 #b0)", "(bvxor c #b1)"),
    (16, "((_ extract {top} 0) ((_ zero_extend 64) x))", "x"),
    (16, "((_ extract {top} 0) ((_ sign_extend 64) x))", "x"),
    (30, "(ite (= (bvxor c #b1) #b1) x y)", "(ite (= c #b1) y x)"),
    (35, "(bvadd x (bvadd y z))", "(bvadd (bvadd x y) z)"), (35, "(bvsub x y)", "(bvadd x (bvmul y {1}))"),
    (35, "(bvmul (bvadd x y) z)", "(bvadd (bvmul x z) (bvmul y z))"),
    (35, "(bvadd (bvmul x y) (bvmul x z))", "(bvmul x (bvadd y z))"),
    (35, "(bvmul (bvmul x y) z)", "(bvmul x (bvmul y z))"), (35, "(bvshl x y)", "(bvmul x (bvshl {one} y))"),
    (40, f"(bvlshr (bvmul {WIDER.format('a')} {WIDER.format('d')}) #x0000000000000020)",
     WIDER.format(f"((_ extract 63 32) (bvmul {WIDER.format('a')} {WIDER.format('d')}))")),
    *((41, f"({op} {WIDER.format('x')} {WIDER.format('y')})", WIDER.format(f"({op} x y)"))
      for op in ("bvand", "bvor", "bvxor")),
)  # fmt: skip
"""Rules of words: the number, both sides."""
TOP = "#x80000000"
BOUNDS = ("least", "most", "low", "high")
BETWEEN = "(bvule least x) (bvule x most) (bvule low y) (bvule y high) "
ASSUMED: tuple[tuple[int, str, str, str], ...] = (
    *((23, BETWEEN + assumed, left, right) for assumed, left, right in (
        ("(bvult most low)", "(bvult x y)", "true"), ("(bvule most low)", "(bvule x y)", "true"),
        ("(bvuge least high)", "(bvult x y)", "false"), ("(bvugt least high)", "(bvule x y)", "false"),
        ("(bvult most low)", "(= x y)", "false"), ("(bvult high least)", "(= x y)", "false"),
        ("(bvsge most {0}) (bvsge high {0})", "(bvslt x y)", "(bvult x y)"),
        ("(bvsge most {0}) (bvsge high {0})", "(bvsle x y)", "(bvule x y)"),
    )),
    (24, "true", "(of c (bvxor c #b1) x)", "(ite (= c #b1) (of #b1 #b0 x) (of #b0 #b1 x))"),
    (24, "(= c #b1) (= (bvand c b) #b0)", "(of b b x)", "(of #b0 #b0 x)"),
    (24, "(= c #b1) (= (bvand c (bvxor b #b1)) #b0)", "(of b b x)", "(of #b1 #b1 x)"),
    (29, "(= x y)", "(of c b x)", "(of c b y)"),
    (31, "(= (bvand c b) #b1)", "(and (= c #b1) (= b #b1))", "true"), (31, "(= (bvxor c #b1) #b1)", "c", "#b0"),
    (31, "(= (ite (= c #b1) x y) z) (distinct y z)", "(and (= c #b1) (= x z))", "true"),
    (31, "(= (ite (= c #b1) x y) z) (distinct x z)", "(and (= c #b0) (= y z))", "true"),
    (35, "(= (bvand x y) {0})", "(bvor x y)", "(bvadd x y)"),
    (43, "true", "(of #b0 #b0 (ite (= c #b1) x y))", "(ite (= c #b1) (of #b0 #b0 x) (of #b0 #b0 y))"),
    (48, "true", f"(ite (= c #b1) (bvxor a {TOP}) d)", f"(bvxor (ite (= c #b1) a (bvxor d {TOP})) {TOP})"),
    (48, "true", f"(ite (= c #b1) a (bvxor d {TOP}))", f"(bvxor (ite (= c #b1) (bvxor a {TOP}) d) {TOP})"),
    (33, "(= (bvor c b) #b1) (=> (= c #b1) (= x y)) (=> (= b #b1) (= x y))", "x", "y"),
)  # fmt: skip
"""Rules of words under conditions: the number, what is assumed, both sides."""
FINITE = "(not (fp.isNaN {0})) (not (fp.isInfinite {0}))"
EXTREME = "(not (fp.isNaN f)) (not (fp.isNaN g)) (or (not (fp.isZero g)) (and (= g zero) (distinct f none)))"
NEAR = "(fp.lt (fp.abs g) ((_ to_fp 8 24) RNE 16777216.0))"
EXACT = "(bvsle #xff000000 w) (bvsle w #x01000000) (bvsle #xff000000 v32) (bvsle v32 #x01000000)"
FEW = "(bvsle #xfffffc00 w) (bvsle w #x00000400) (bvsle #xfffffc00 v32) (bvsle v32 #x00000400)"
OF_W, OF_V = "((_ to_fp 8 24) RNE w)", "((_ to_fp 8 24) RNE v32)"
POWER = "(= g ((_ to_fp 8 24) (concat e #b00000000000000000000000)))"
ENDS = "(fp.leq u f v) (fp.leq h g k) "
NUMBERS: tuple[tuple[int, str, str, str], ...] = (
    (2, "true", "(fp.add RNE f g)", "(fp.add RNE g f)"), (2, "true", "(fp.mul RNE f g)", "(fp.mul RNE g f)"),
    (17, "(not (fp.isNaN f))", "(fp.add RNE f none)", "f"),
    (18, "true", "(any f (ite (= c #b1) g h))", "(ite (= c #b1) (any f g) (any f h))"),
    (21, "true", "(fp.mul RNE f (fp.neg g))", "(fp.neg (fp.mul RNE f g))"),
    (21, "true", "(fp.mul RNE (fp.neg f) g)", "(fp.neg (fp.mul RNE f g))"),
    (21, f"{FINITE.format('f')} {FINITE.format('g')}", "(fp.isNaN (fp.mul RNE f g))", "false"),
    *((22, f"{FINITE.format('h')} (distinct h none) {assumed}", left, right) for low in (True, False)
      for clamp, gone, away in [("low", "below", "fp.leq") if low else ("high", "above", "fp.geq")]
      for assumed, left, right in (
          ("true", f"({gone} ({clamp} f h) f h)", "true"),
          (f"({away} g zero) ({gone} u v h)", f"({gone} (fp.add RNE u g) (fp.add RNE v g) h)", "true"),
          (f"({gone} u v h)", f"({clamp} u h)", f"({clamp} v h)"),
          (f"({gone} u v h)", f"(ite ({'fp.lt v h' if low else 'fp.lt h v'}) h u)", f"({clamp} v h)"),
      )),
    (23, f"{ENDS}(fp.lt v h)", "(fp.lt f g)", "true"), (23, f"{ENDS}(fp.leq v h)", "(fp.leq f g)", "true"),
    (23, f"{ENDS}(fp.geq u k)", "(fp.lt f g)", "false"), (23, f"{ENDS}(fp.gt u k)", "(fp.leq f g)", "false"),
    (25, "(not (fp.isNaN f)) (not (fp.isNaN g))", "(fp.leq f g)", "(not (fp.lt g f))"),
    (26, "(not (fp.isNaN f)) (= f ((_ to_fp 8 24) w))", "(bvult #x80000000 w)", "(fp.lt f zero)"),
    (27, f"(not (fp.isNaN f)) {FINITE.format('g')}", "(fp.lt (fp.add RNE f g) zero)", "(fp.lt f (fp.neg g))"),
    (28, EXTREME, "(ite (fp.gt f g) f (ite (fp.eq f g) (ite (fp.isNegative f) g f) g))", "(ite (fp.lt f g) g f)"),
    (28, EXTREME, "(ite (fp.lt f g) f (ite (fp.eq f g) (ite (fp.isNegative f) f g) g))", "(ite (fp.lt g f) g f)"),
    (32, "(fp.leq f g) (fp.leq u f v)", "(and (fp.leq u f) (fp.leq f g))", "true"),
    (32, "(not (fp.lt f g)) (not (fp.isNaN f)) (not (fp.isNaN g))", "(fp.leq g f)", "true"),
    (34, "(distinct g none)", "(= (fp.add RNE f g) none)", "false"),
    (34, "(or (fp.lt f zero) (fp.gt f zero))", "(= (fp.add RNE f g) none)", "false"),
    (34, "true", "(= (ite (fp.gt f zero) f zero) none)", "false"),
    (34, "(fp.geq f zero) (fp.geq g zero) (distinct f none) (distinct g none)", "(= (fp.mul RNE f g) none)", "false"),
    (34, "true", "(= ((_ to_fp 8 24) RNE w) none)", "false"),
    (34, "true", "(= ((_ to_fp_unsigned 8 24) RNE w) none)", "false"),
    (2, "true", "(fp.fma RNE f g h)", "(fp.fma RNE g f h)"),
    (36, "true", "(fp.mul RNE f two)", "(fp.add RNE f f)"),
    (37, f"{POWER} (= (fp.mul RTP g h) one) (= (fp.mul RTN g h) one)", "(fp.div RNE f g)", "(fp.mul RNE f h)"),
    (38, "(bvult w #x80000000)", "((_ to_fp_unsigned 8 24) RNE w)", "((_ to_fp 8 24) RNE w)"),
    (39, "true", "(fused (exact RNE (fp.neg f) g) h)", "(fused (exact RNE f (fp.neg g)) h)"),
    (39, "true", "(exact RTP f g)", "(exact RTN f g)"),
    (44, "(not (fp.isNaN f))", "(fp.mul RNE f one)", "f"),
    (45, "(not (fp.isNaN f)) (distinct f none)", "(fp.add RNE f zero)", "f"),
    (46, "true", "((_ to_fp 8 24) RNE (ite (= c #b1) w v32))",
     "(ite (= c #b1) ((_ to_fp 8 24) RNE w) ((_ to_fp 8 24) RNE v32))"),
    (46, f"{NEAR} (= g (fp.roundToIntegral RNE g)) (distinct g none)",
     "((_ to_fp 8 24) RNE ((_ fp.to_sbv 32) RNE g))", "g"),
    (47, EXACT, f"(fp.eq {OF_W} {OF_V})", "(= w v32)"), (47, EXACT, f"(fp.lt {OF_W} {OF_V})", "(bvslt w v32)"),
    (47, FEW, f"(fp.add RNE {OF_W} {OF_V})", "((_ to_fp 8 24) RNE (bvadd w v32))"),
    (42, NEAR, "(fp.lt ((_ to_fp 8 24) RNE w) g)", "(bvslt w ((_ fp.to_sbv 32) RTP g))"),
    (42, NEAR, "(fp.lt g ((_ to_fp 8 24) RNE w))", "(bvslt ((_ fp.to_sbv 32) RTN g) w)"),
    (42, f"{NEAR} (= g (fp.roundToIntegral RNE g))", "(fp.eq ((_ to_fp 8 24) RNE w) g)",
     "(= w ((_ fp.to_sbv 32) RNE g))"),
)  # fmt: skip
"""Rules of numbers: the number, what is assumed, both sides."""
OF_NUMBERS = (
    "".join(f"(declare-const {name} Float32)\n" for name in "fghkuv")
    + "(declare-const c (_ BitVec 1))\n(declare-const w (_ BitVec 32))\n(declare-const e (_ BitVec 9))\n"
    "(declare-const v32 (_ BitVec 32))\n"
    "(declare-fun any (Float32 Float32) Float32)\n"
    "(declare-fun fused (Float64 Float32) Float32)\n"
    "(define-fun exact ((m RoundingMode) (x Float32) (y Float32)) Float64 "
    "(fp.mul m ((_ to_fp 11 53) RNE x) ((_ to_fp 11 53) RNE y)))\n"
    "(define-fun one () Float32 ((_ to_fp 8 24) RNE 1.0))\n(define-fun two () Float32 ((_ to_fp 8 24) RNE 2.0))\n"
    "(define-fun zero () Float32 (_ +zero 8 24))\n(define-fun none () Float32 (_ -zero 8 24))\n"
    "(define-fun low ((v Float32) (k Float32)) Float32 (ite (fp.lt v k) k v))\n"
    "(define-fun high ((v Float32) (k Float32)) Float32 (ite (fp.lt k v) k v))\n"
    "(define-fun below ((u Float32) (v Float32) (k Float32)) Bool "
    "(or (= u v) (and (fp.lt v k) (fp.leq u k) (distinct u none))))\n"
    "(define-fun above ((u Float32) (v Float32) (k Float32)) Bool "
    "(or (= u v) (and (fp.lt k v) (fp.leq k u) (distinct u none))))\n"
)
"""What rules of numbers are said with. Of rule 22, `below` and `above` are what holds of a sum u with clamps to k and
of the same sum v without, from the first clamp on: it holds there, after each addition, and so in the end. Of rule 39,
that what is rounded once is a function of the exact product, which binary64 holds, and of what is added."""
DIVISORS = (0x3E99999A, 0x3E4CCCCD, 0x3F333333, 0x40400000, 0x40E00000, 0x43008000)


def answer(text: str) -> str:
    """What the solver says."""
    options = bitwuzla.Options()
    options.set(bitwuzla.Option.TIME_LIMIT_PER, 1000 * SECONDS)
    parser = bitwuzla.Parser(bitwuzla.TermManager(), options)
    parser.parse(text, True, False)
    return str(parser.bitwuzla().check_sat()).rsplit(".", 1)[-1].lower()


def assumes(assumed: str) -> str:
    """What is assumed, in SMT-LIB; empty where nothing is."""
    return "" if assumed == "true" else f"(assert (and true {assumed}))\n"


def questions() -> list[tuple[int, int, str]]:
    """The number of each rule, a width, and in SMT-LIB whether its sides can differ."""
    result = []
    for number, assumed, left, right in (*((each[0], "true", *each[1:]) for each in WORDS), *ASSUMED):
        for bits in WIDTHS if "x" in left else (1,):
            values = {"{0}": 0, "{1}": 2**bits - 1, "{one}": 1}
            said = f"{assumes(assumed)}(assert (distinct {left} {right}))\n".replace("{top}", str(bits - 1))
            for name, value in values.items():
                said = said.replace(name, f"(_ bv{value} {bits})")
            words = "".join(f"(declare-const {name} (_ BitVec {bits}))\n" for name in ("x", "y", "z", *BOUNDS))
            words += "".join(f"(declare-const {name} (_ BitVec 1))\n" for name in "cb")
            words += "".join(f"(declare-const {name} (_ BitVec 32))\n" for name in "ad")
            words += f"(declare-fun of ((_ BitVec 1) (_ BitVec 1) (_ BitVec {bits})) (_ BitVec 32))\n"
            result.append((number, bits, words + said))
    for number, assumed, left, right in NUMBERS:
        result.append((number, 32, f"{OF_NUMBERS}{assumes(assumed)}(assert (distinct {left} {right}))\n"))
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
        # A rule whose conditions exclude each other would say nothing.
        rules[-1]["possible"] = answer(re.sub(r"\(assert \(distinct .*\)\)\n", "", smt))
    divided = quotients()
    program = hashlib.sha256(Path(__file__).read_bytes()).hexdigest()
    log = {"solver": f"bitwuzla {bitwuzla.version()}", "program": program, "rules": rules, "quotients": divided}
    failed = [each for each in rules if (each["answer"], each["possible"]) != ("unsat", "sat")]
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
