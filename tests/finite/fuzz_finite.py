"""python fuzz_finite.py --count 5500 [--first 0] [--compare 40] [--ledger FILE]

Makes little universes at the edges of binary32 (edges.py). Each is refused with a diagnostic, or accepted and then run
by the interpreter from the corners of its ranges: everything that it computes must be finite (finiteness.py). What is
refused because something may be infinite is run too, to see how often it is. Of those accepted every so many-th
(`--compare`) is lowered: the programs, with and without passes, must give the interpreter's bits. A ledger is JSON with
a page beside it.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
import traceback
from collections import Counter
from dataclasses import dataclass, field, fields
from pathlib import Path

if __name__ == "__main__":
    os.environ["TRITON_INTERPRET"] = "1"  # Triton reads it when it is imported
sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(1, str(Path(__file__).parents[1] / "equivalence"))

import torch
from agreement import agree
from cases import case
from edges import text
from finiteness import NotFiniteError, check_finite, resolved
from ledger import commit

from hamletc.checking.check import check
from hamletc.language.parser import parse

BATCH = 100
"""Universes after which the ledger is written."""
RANGES = frozenset(["H050", "H051", "H080", "H081"])
"""Errors that say: this can be infinite."""

ABOUT = """# Ranges at the edges of binary32

Written by `make finite`. Universe number n is always the same one: bounds and constants are edges (0, subnormal
numbers, 1, 2^24, 1e19, 3.4e38, negative ones); expressions, one to three deep, have every operator and function, in
rewards, reports, statements, cascades, affordances, drains, guards, masks and draws, in spaces with long and with
tiny axes. What is accepted is run by the interpreter from corners of its ranges and between. Every part of an
expression, every write to a meter, rewards, `episode_return` and `finished_return` (both begun at their limits),
reports, and observations, also as bfloat16, must be finite, ever."""


@dataclass(slots=True)
class Findings:
    """What became of universes `first` to `last`.

    Attributes:
        commit: of the working tree, with a plus where it was changed.
        clean: accepted, and everything finite. `values` were looked at in state, outcomes and observations.
        compared: those of them whose programs gave the interpreter's bits.
        refused: by the codes of the errors.
        strict: by the same, refused for nothing but ranges, and nothing that was not finite was found.
        loose: by the same, and something was found.
        failed: accepted, and not finite, or another program had other bits; or a traceback.
    """

    commit: str
    first: int
    last: int
    clean: int = 0
    values: int = 0
    compared: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    strict: Counter[str] = field(default_factory=Counter)
    loose: Counter[str] = field(default_factory=Counter)
    failed: list[int] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def seen(self) -> int:
        """How many universes there were."""
        return self.clean + sum(self.refused.values()) + len(self.failed)

    def add(self, other: Findings) -> None:
        """Take in those that follow."""
        self.last = other.last
        for name in ("clean", "values", "compared", "refused", "strict", "loose", "failed"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.seconds = round(self.seconds + other.seconds, 1)


def examine(first: int, count: int, compare: int) -> Findings:
    """Make and try so many universes."""
    torch.set_num_threads(1)
    found, begin = Findings(commit(), first, first + count - 1), time.process_time()
    for number in range(first, first + count):
        try:
            _one(number, compare, found)
        except Exception:
            found.failed.append(number)
            print(f"FAILED: number {number}\n{text(number)}\n{traceback.format_exc(limit=-4)}", flush=True)
    found.seconds = round(time.process_time() - begin, 1)
    return found


def _one(number: int, compare: int, found: Findings) -> None:
    source = text(number)
    file, problems = parse(source)
    assert file is not None, problems
    assert not problems
    universe, diagnostics = check(file, ("fuzzed.hamlet",))
    if universe is None:
        codes = sorted({each.code for each in diagnostics if each.severity == "error"})
        assert codes, "refused without an error"
        found.refused[" ".join(codes)] += 1
        if RANGES.issuperset(codes):
            _is_too_strict(source, number, " ".join(codes), found)
        return
    found.values += check_finite(universe, number)
    if found.clean % compare == 0:
        agree(source, universe, ("ir",), case(number))
        found.compared += 1
    found.clean += 1


def _is_too_strict(source: str, number: int, codes: str, found: Findings) -> None:
    universe, problems = resolved(source)
    assert universe is not None, problems
    try:
        check_finite(universe, number)
        found.strict[codes] += 1
    except NotFiniteError:
        found.loose[codes] += 1


def page(found: Findings) -> str:
    """The ledger for a reader."""
    refused, strict, loose = (sum(each.values()) for each in (found.refused, found.strict, found.loose))
    lines = [
        *ABOUT.splitlines(),
        "",
        f"Commit {found.commit}, numbers {found.first} to {found.last}, {found.seconds:,.0f} s of CPU time.",
        "",
        "| universes | number |",
        "|---|--:|",
        f"| all | {found.seen:,} |",
        f"| accepted, and all finite | {found.clean:,} |",
        f"| values looked at | {found.values:,} |",
        f"| of these, programs compared with the interpreter to the bit | {found.compared:,} |",
        f"| accepted, and something not finite; or a traceback; or other bits | {len(found.failed)} |",
        f"| refused | {refused:,} |",
        f"| refused for their ranges alone, and something not finite was found | {loose:,} |",
        f"| refused for their ranges alone, and nothing was found | {strict:,} |",
        "",
        f"So {strict / max(strict + loose, 1):.0%} of what is refused for its ranges was finite as far as corners and",
        f"random values show: {strict / max(found.seen, 1):.1%} of all. Operands that depend on each other (`x - x`)",
        "and guards are not seen; sums that take more ticks to become infinite than were run, and rare draws, are.",
        "",
        "| refused with | universes | nothing found |",
        "|---|--:|--:|",
    ]
    lines += [
        f"| {codes} | {count:,} | {found.strict[codes] if codes in {*found.strict, *found.loose} else ''} |"
        for codes, count in found.refused.most_common()
    ]
    return "\n".join(lines) + "\n"


def write(ledger: Path, found: Findings) -> None:
    """Write the ledger, and the page beside it."""
    # `asdict` makes no Counter of a Counter.
    data = {each.name: getattr(found, each.name) for each in fields(found)}
    ledger.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")
    ledger.with_suffix(".md").write_text(page(found), encoding="utf-8")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=5500)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--compare", type=int, default=40)
    parser.add_argument("--ledger", type=Path)
    chosen = parser.parse_args()
    found = Findings(commit(), chosen.first, chosen.first - 1)
    while found.last < chosen.first + chosen.count - 1:
        most = min(BATCH, chosen.first + chosen.count - 1 - found.last)
        found.add(examine(found.last + 1, most, chosen.compare))
        if chosen.ledger is not None:
            write(chosen.ledger, found)
        print(f"{found.seen:,} universes: {found.clean:,} clean, {len(found.failed)} failed", flush=True)
    print(page(found))
    return 1 if found.failed or not found.clean or not found.loose else 0


if __name__ == "__main__":
    sys.exit(main())
