"""How random the draws of a compiled universe are: their distribution, and their independence.

    python benchmarks/randomness.py [--lanes 131072] [--ticks 100] [--seeds 2] [--write]

Each test sums up to a *z*, which of truly random numbers is normally distributed with mean 0 and deviation 1: beyond 4
it happens once in 16,000 tests, beyond 5 once in 1.7 million. The numbers, and so the results, are the same wherever
this runs. Exit status 1 where a z is beyond 5. `--write` writes benchmarks/results/randomness.md.
"""

from __future__ import annotations

import argparse
import math
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from statistics import NormalDist
from typing import Any

import numpy as np
import torch

import hamlet
from hamlet.numbers.random import policy_words, share

Array = np.ndarray[Any, Any]

UNIVERSE = """
universe dice

space none
lifespan 1000000 ticks

meter level = 0.5 { decay uniform(-0.1, 0.1) }

reward level
report first: uniform(0, 1)
report second: uniform(0, 1)
report die: integer(1, 6)
report wide: integer(0, 999)
report pick: choice(0, 1, 2)
report coin: 1 when chance(0.3)
report bell: normal(0, 1)
report other: normal(0, 1)
"""
COUNTED = {"first": 4096, "second": 4096, "die": 6, "wide": 1000, "pick": 3, "bell": 4096, "other": 4096}
"""So many bins of each distribution, all equally likely."""
EDGES = np.array([NormalDist().inv_cdf(number / 4096) for number in range(1, 4096)])
SIDE = 64
"""Pairs of numbers are counted on a square of so many bins on each side."""
SUSPICIOUS = 5.0
RESULTS = Path(__file__).parent / "results" / "randomness.md"


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of a test over so many numbers or pairs."""

    test: str
    count: int
    statistic: str
    z: float


def evenness(counts: Array) -> float:
    """z of the chi-square statistic of counts that should be equal (E. B. Wilson, M. M. Hilferty, 1931)."""
    expected = counts.sum() / counts.size
    degrees = counts.size - 1
    statistic = float(((counts - expected) ** 2).sum() / expected)
    spread = 2 / (9 * degrees)
    return float(((statistic / degrees) ** (1 / 3) - (1 - spread)) / math.sqrt(spread))


def farthest(counts: Array) -> float:
    """The Kolmogorov-Smirnov statistic D * sqrt(n) of counts in bins that are equally likely."""
    total = counts.sum()
    below = counts.cumsum() / total
    expected = np.arange(1, counts.size + 1) / counts.size
    return float(np.abs(below - expected).max() * math.sqrt(total))


def z_of_farthest(statistic: float) -> float:
    """The z that is as unlikely as a Kolmogorov-Smirnov statistic at least as large."""
    terms = ((-1) ** (k - 1) * math.exp(-2 * (k * statistic) ** 2) for k in range(1, 101))
    likely = min(max(2 * sum(terms), 1e-300), 1 - 1e-16)
    return -NormalDist().inv_cdf(likely)


@dataclass(slots=True)
class Related:
    """Pairs of numbers that should have nothing to do with each other; both from 0 to 1 without 1."""

    squares: Array = field(default_factory=lambda: np.zeros(SIDE * SIDE, np.int64))
    products: float = 0.0

    def add(self, left: Array, right: Array) -> None:
        cells = (left * SIDE).astype(np.int64) * SIDE + (right * SIDE).astype(np.int64)
        self.squares += np.bincount(cells, minlength=SIDE * SIDE)
        self.products += float(((left - 0.5) * (right - 0.5)).sum(dtype=np.float64))

    def findings(self, name: str) -> Iterator[Finding]:
        count = int(self.squares.sum())
        correlation = self.products * 12 / count
        yield Finding(f"{name}: correlation", count, f"r = {correlation:+.2e}", correlation * math.sqrt(count))
        yield Finding(f"{name}: pairs in {SIDE} x {SIDE} bins", count, "chi-square", evenness(self.squares))


def bins(name: str, values: Array) -> Array:
    """The bin of each value."""
    match name:
        case "first" | "second":
            return (values * 4096).astype(np.int64)
        case "bell" | "other":
            return np.searchsorted(EDGES, values)
        case "die":
            return values.astype(np.int64) - 1
        case _:
            return values.astype(np.int64)


class Tests:
    """All tests; numbers are added tick by tick."""

    def __init__(self) -> None:
        self.counts = {name: np.zeros(size, np.int64) for name, size in COUNTED.items()}
        self.coins = np.zeros(2, np.int64)
        self.powers = np.zeros(4)
        self.largest = 0.0
        names = ("two draws", "normal and uniform", "two ticks", "two lanes", "two seeds", "draw and random policy")
        self.pairs = {name: Related() for name in names}

    def add(self, drawn: dict[str, Array], policy: Array) -> Array:
        """The reports of a tick by name, and the random policy's words as shares of 1. Returns `first`."""
        for name, counts in self.counts.items():
            counts += np.bincount(bins(name, drawn[name]), minlength=counts.size)
        self.coins += np.bincount(drawn["coin"].astype(np.int64), minlength=2)
        bell = drawn["bell"].astype(np.float64)
        self.powers += [float((bell**power).sum()) for power in (1, 2, 3, 4)]
        self.largest = max(self.largest, float(np.abs(bell).max()))
        first = drawn["first"]
        self.pairs["two draws"].add(first, drawn["second"])
        self.pairs["normal and uniform"].add(np.searchsorted(EDGES, drawn["bell"]) / 4096, drawn["second"])
        self.pairs["two lanes"].add(first[:-1], first[1:])
        self.pairs["draw and random policy"].add(first, policy)
        return first

    def findings(self) -> Iterator[Finding]:
        for name, counts in self.counts.items():
            yield Finding(f"{name}: {counts.size} bins", int(counts.sum()), "chi-square", evenness(counts))
        for name in ("first", "bell"):
            statistic = farthest(self.counts[name])
            what = f"D sqrt(n) = {statistic:.3f}"
            yield Finding(f"{name}: Kolmogorov-Smirnov", int(self.counts[name].sum()), what, z_of_farthest(statistic))
        count = int(self.coins.sum())
        share = self.coins[1] / count
        z = (share - 0.3) * math.sqrt(count / (0.3 * 0.7))
        yield Finding("coin: chance(0.3)", count, f"{share:.6f}", float(z))
        yield from self._moments(count)
        for name, related in self.pairs.items():
            yield from related.findings(name)

    def _moments(self, count: int) -> Iterator[Finding]:
        """Of `bell`: its powers, whose means and variances are those of the normal distribution."""
        exact = ((0.0, 1.0), (1.0, 2.0), (0.0, 15.0), (3.0, 96.0))
        for power, (mean, variance) in enumerate(exact, start=1):
            found = float(self.powers[power - 1]) / count
            z = (found - mean) * math.sqrt(count / variance)
            yield Finding(f"bell: mean of its power {power}", count, f"{found:+.6f}", z)


def run(lanes: int, ticks: int, seeds: int, backend: str = "c") -> tuple[list[Finding], float]:
    """All findings, and the largest distance of a normal number from its mean."""
    tests = Tests()
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "dice.hamlet"
        source.write_text(UNIVERSE, encoding="utf-8")
        module = hamlet.compile(source, Path(folder) / "dice")
        for seed in range(seeds):
            env, beside = (
                hamlet.make(module, worlds=lanes, backend=backend, seed=2 * seed + which, obs_dtype=None)
                for which in (0, 1)
            )
            wait, numbers = torch.zeros(lanes, dtype=torch.int32), torch.arange(lanes)
            earlier: Array | None = None
            for tick in range(ticks):
                env.step(wait)
                beside.step(wait)
                policy = share(policy_words(numbers, tick, (2 * seed, 0))[tick % 4]).numpy()
                first = tests.add({name: env.reports[name].numpy().copy() for name in env.reports}, policy)
                tests.pairs["two seeds"].add(first, beside.reports["first"].numpy())
                if earlier is not None:
                    tests.pairs["two ticks"].add(earlier, first)
                earlier = first
    return list(tests.findings()), tests.largest


def table(findings: list[Finding]) -> list[str]:
    """The findings as the lines of a table."""
    lines = ["| test | numbers or pairs | statistic | z |", "|---|--:|---|--:|"]
    return lines + [f"| {each.test} | {each.count:,} | {each.statistic} | {each.z:+.2f} |" for each in findings]


def main() -> int:
    parser = argparse.ArgumentParser(description="How random the draws of a compiled universe are.")
    parser.add_argument("--lanes", type=int, default=1 << 17)
    parser.add_argument("--ticks", type=int, default=100)
    parser.add_argument("--seeds", type=int, default=2, help="so many pairs of neighbouring seeds")
    parser.add_argument("--write", action="store_true", help=f"write {RESULTS.name}")
    asked = parser.parse_args()
    findings, largest = run(asked.lanes, asked.ticks, asked.seeds)
    worst = max(findings, key=lambda each: abs(each.z))
    drawn = asked.lanes * asked.ticks * asked.seeds * (len(COUNTED) + 2)
    command = f"python benchmarks/randomness.py --lanes {asked.lanes} --ticks {asked.ticks} --seeds {asked.seeds}"
    text = [
        "# Randomness of draws",
        "",
        f"    {command} --write",
        "",
        f"{drawn:,} draws of a compiled universe (kernels in C; all backends give the same bits). Of truly random",
        "numbers *z* is normally distributed with mean 0 and deviation 1. Pairs are of two draws in a tick, of one",
        "draw in neighbouring ticks, lanes or seeds, or of a draw and the word of the random policy.",
        "",
        *table(findings),
        "",
        f"Farthest from 0: {worst.z:+.2f} ({worst.test}), among {len(findings)} tests.",
        f"The largest normal number was {largest:.4f} deviations from the mean; the sequence ends at 5.7681.",
    ]
    print("\n".join(text))
    if asked.write:
        RESULTS.write_text("\n".join(text) + "\n", encoding="utf-8")
    return int(abs(worst.z) > SUSPICIOUS)


if __name__ == "__main__":
    sys.exit(main())
