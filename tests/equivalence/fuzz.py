"""python fuzz.py --seconds 600 [--seed 0] [--backends ir,numba,triton] [--failures FOLDER]

Makes random universes and checks of each that all ways to write, compile and run it agree (agreement.py). `ir` executes
the programs by their definition: fast. `numba` and `triton` (on its interpreter) compile kernels, seconds for each
universe. A failure is shrunk and written into a folder: the source, and what went wrong.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import platform
import random
import sys
import time
import traceback
from collections import Counter
from pathlib import Path

os.environ["TRITON_INTERPRET"] = "1"  # Triton reads it when it is imported
sys.path.insert(0, str(Path(__file__).parent))

import hypothesis
import numba
import numpy
import torch
import triton
from agreement import BACKENDS, BY_TABLE, UNROLLED, BackendName, Variant, agree, checked, variants
from constructs import KINDS, constructs
from hypothesis import HealthCheck, Phase, given, settings
from strategies import universes

from hamletc.compile import SourceError
from hamletc.passes.pipeline import PASS_NAMES

CHUNK = 10
"""Universes of one run of hypothesis: after each the clock is looked at."""

MOST_FAILURES = 5

SHRINKING = 120
"""Seconds for making a failing universe smaller."""


class Fuzzer:
    """Runs chunks of examples and counts."""

    def __init__(self, backends: tuple[BackendName, ...], failures: Path, until: float) -> None:
        self.backends = backends
        self.failures = failures
        self.until = until
        self.clean = self.discarded = self.compared = self.constructs = self.fired = 0
        self.found: Counter[str] = Counter()
        self.failed: list[Path] = []
        self._text, self._variant = "", Variant(PASS_NAMES[0], UNROLLED)
        self._failing: set[tuple[str, Variant]] = set()
        self._patience = until

    def chunk(self, seed: int) -> None:
        """One run of hypothesis."""

        @hypothesis.seed(seed)
        @settings(
            max_examples=CHUNK,
            database=None,
            deadline=None,
            print_blob=False,
            report_multiple_bugs=False,
            suppress_health_check=list(HealthCheck),
            phases=[Phase.generate, Phase.shrink],
        )
        @given(universes(), variants)
        def run(text: str, variant: Variant) -> None:
            shrinking = bool(self._failing)
            if time.monotonic() < (self._patience if shrinking else self.until) or (text, variant) in self._failing:
                self._one(text, variant, seed)

        self._failing.clear()
        try:
            run()
        except Exception as error:
            self.failed.append(self._write(error, seed))

    def _one(self, text: str, variant: Variant, seed: int) -> None:
        try:
            universe = checked(text)
        except SourceError:
            self.discarded += 1
            return
        try:
            report = agree(text, universe, self.backends, variant, seed)
        except Exception as error:
            if not self._failing:
                self._patience = time.monotonic() + SHRINKING
                print(f"  seed {seed}: {summary(error)}; shrinking", flush=True)
            self._text, self._variant = text, variant
            self._failing.add((text, variant))
            raise
        if self._failing:
            return
        self.clean += 1
        self.compared += report.compared
        self.constructs += len(report.coverage)
        self.fired += len(report.coverage) - len(report.never_fired)
        self.found.update(constructs(universe))

    def _write(self, error: Exception, seed: int) -> Path:
        """A reproducer of the smallest failure; its path."""
        name = hashlib.sha256(self._text.encode()).hexdigest()[:12]
        self.failures.mkdir(parents=True, exist_ok=True)
        path = self.failures / f"{name}.hamlet"
        path.write_text(self._text, encoding="utf-8")
        message = "".join(traceback.format_exception(error, limit=-6)).replace("\n", "\n    ")
        path.with_suffix(".txt").write_text(
            f"seed      {seed}\nbackends  {','.join(self.backends)}\nversions  {versions()}\n"
            f"again     python tests/equivalence/fuzz.py --again {path} --seed {seed} --alone {self._variant.alone}"
            f"{' --by-table' if self._variant.limits == BY_TABLE else ''} --backends {','.join(self.backends)}\n"
            f"\n    {message}\n",
            encoding="utf-8",
        )
        print(f"FAILED, see {path}: {summary(error)}", flush=True)
        return path


def summary(error: Exception) -> str:
    """An error in one line: of a verification the one that says who differs."""
    lines = str(error).splitlines() or [type(error).__name__]
    return next((line for line in lines if " differs from " in line), lines[0])


def versions() -> str:
    """The versions of all that a result can depend on."""
    modules = (torch, triton, numba, numpy, hypothesis)
    found = [f"{each.__name__} {each.__version__}" for each in modules]
    return ", ".join([f"Python {platform.python_version()}", *found])


def _backends(text: str) -> tuple[BackendName, ...]:
    wanted = text.split(",")
    if unknown := set(wanted) - set(BACKENDS):
        raise argparse.ArgumentTypeError(f"no backend {', '.join(sorted(unknown))}; there are {', '.join(BACKENDS)}")
    return tuple(name for name in BACKENDS if name in wanted)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--seed", type=int, default=None, help="of the first chunk of universes; by default any")
    parser.add_argument("--backends", type=_backends, default=("ir",), help="some of ir,numba,triton; by default ir")
    parser.add_argument("--failures", type=Path, default=Path("fuzz-failures"), help="where reproducers are written")
    parser.add_argument("--again", type=Path, help="check this source only")
    parser.add_argument("--alone", default=PASS_NAMES[0], help="a pass that is run alone, with --again")
    parser.add_argument("--by-table", action="store_true", help="kernels with tables where they can, with --again")
    options = parser.parse_args()
    torch.set_num_threads(1)
    seed = random.SystemRandom().randrange(1 << 32) if options.seed is None else options.seed
    if options.again is not None:
        text = options.again.read_text(encoding="utf-8")
        variant = Variant(options.alone, BY_TABLE if options.by_table else UNROLLED)
        print(agree(text, checked(text), options.backends, variant, seed).render(counts=True))
        return 0
    begin = time.monotonic()
    fuzzer = Fuzzer(options.backends, options.failures, begin + options.seconds)
    print(f"seed {seed}, backends {', '.join(options.backends)}, {options.seconds:.0f} s", flush=True)
    chunk = seed
    try:
        while time.monotonic() < fuzzer.until and len(fuzzer.failed) < MOST_FAILURES:
            fuzzer.chunk(chunk)
            chunk += 1
            print(f"  {fuzzer.clean} clean after {time.monotonic() - begin:.0f} s", flush=True)
    except KeyboardInterrupt:
        print("interrupted")
    tried = fuzzer.clean + fuzzer.discarded
    print(
        f"{fuzzer.clean} universes clean in {time.monotonic() - begin:.0f} s, seeds {seed} to {chunk - 1}; "
        f"{fuzzer.discarded} of {tried} were not valid; {fuzzer.compared:,} values compared, "
        f"{fuzzer.fired} of {fuzzer.constructs} constructs fired; {len(fuzzer.failed)} failures"
    )
    print("universes with: " + ", ".join(f"{kind} {fuzzer.found[kind]}" for kind in KINDS))
    return 1 if fuzzer.failed or fuzzer.clean == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
