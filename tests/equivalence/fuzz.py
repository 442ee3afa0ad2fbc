"""python fuzz.py --seconds 600 [--first 0] [--backends ir,c,triton | ptx:sm_90] [--ledger FILE] [--failures DIR]

Makes random universes and checks of each that all ways to write, compile and run it agree (agreement.py). `ir` executes
the programs by their definition: fast. `c` and `triton` (on its interpreter) compile kernels, `cuda` runs those of
Triton on a GPU, and `ptx:sm_90` executes what Triton compiles for one: seconds for each universe. A failure is made
smaller and written into a folder: the source, and what went wrong. With a ledger the run goes on where the last one
with these backends ended. With HAMLET_CPU=haswell kernels in C are compiled for another CPU, which
counts as another backend.
"""

from __future__ import annotations

import argparse
import gc
import hashlib
import os
import random
import sys
import time
import traceback
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(1, str(Path(__file__).parents[1]))

import torch
from agreement import BACKENDS, BackendName, agree, checked
from cases import case, generator, text
from constructs import KINDS, constructs
from ledger import ENOUGH, Tally, commit, next_number, record, versions
from shrink import shrink

from hamletc.errors import SourceError
from on_interpreter import interpret

BATCH, BATCH_SECONDS = 20, 60
"""Cases after which the ledger is written; or fewer, after so many seconds."""

MOST_FAILURES = 5

SHRINKING = 120
"""Seconds for making a failing universe smaller."""


class Fuzzer:
    """Runs cases and counts."""

    def __init__(self, backends: tuple[BackendName, ...], failures: Path) -> None:
        self.backends = backends
        self.failures = failures
        self._commit, self._versions = commit(), versions()

    def batch(self, first: int, most: int, until: float) -> Tally:
        """Some cases, at least one, until the clock says so much."""
        tally = Tally(generator(), self._commit, self._versions, described(self.backends), first, first)
        begin, until = time.process_time(), min(until, time.monotonic() + BATCH_SECONDS)
        for number in range(first, first + min(most, BATCH)):
            if number > first and time.monotonic() >= until:
                break
            tally.last = number
            self._one(number, tally)
        gc.collect()
        tally.seconds = round(time.process_time() - begin, 1)
        return tally

    def _one(self, number: int, tally: Tally) -> None:
        source = text(number)
        try:
            universe = checked(source)
        except SourceError:
            tally.refused += 1
            return
        try:
            report = agree(source, universe, self.backends, case(number))
        except Exception as error:
            tally.failed.append(number)
            self._write(number, source, error)
            return
        fired = len(report.coverage) - len(report.never_fired)
        if fired < ENOUGH * len(report.coverage):
            tally.idle += 1
            return
        tally.clean += 1
        tally.complete += not report.never_fired
        tally.ticks += report.ticks
        tally.values += report.compared
        tally.constructs += len(report.coverage)
        tally.fired += fired
        tally.kinds.update(constructs(universe))

    def _write(self, number: int, source: str, error: Exception) -> None:
        """A reproducer of a failure, made smaller."""
        print(f"case {number}: {summary(error)}; making it smaller", flush=True)

        def problem(text: str) -> Exception | None:
            try:
                universe = checked(text)
            except SourceError:
                return None
            try:
                agree(text, universe, self.backends, case(number))
            except Exception as error:
                return error
            return None

        small = shrink(source, lambda text: problem(text) is not None, SHRINKING)
        error = problem(small) or error
        self.failures.mkdir(parents=True, exist_ok=True)
        path = self.failures / f"{hashlib.sha256(small.encode()).hexdigest()[:12]}.hamlet"
        path.write_text(small, encoding="utf-8")
        message = "".join(traceback.format_exception(error, limit=-6)).replace("\n", "\n    ")
        backends = ",".join(self.backends)
        cpu = "".join(f"{name}={value} " for name, value in os.environ.items() if name == "HAMLET_CPU")
        path.with_suffix(".txt").write_text(
            f"case      {number} of generator {generator()}, commit {self._commit}\n"
            f"versions  {self._versions}\n"
            f"again     {cpu}python tests/equivalence/fuzz.py --again {path} --first {number} --backends {backends}\n"
            f"\n    {message}\n",
            encoding="utf-8",
        )
        print(f"FAILED, see {path}: {summary(error)}", flush=True)


def summary(error: Exception) -> str:
    """An error in one line: of a verification the one that says who differs."""
    lines = str(error).splitlines() or [type(error).__name__]
    return next((line for line in lines if " differs from " in line), lines[0])


def described(backends: tuple[BackendName, ...]) -> str:
    """The names of backends, those in C with the CPU for which they are compiled where that is not this one."""
    cpu = os.environ.get("HAMLET_CPU")
    return ",".join(f"{name}:{cpu}" if name == "c" and cpu else name for name in backends)


def compiles(name: str) -> bool:
    """Triton compiles for this backend."""
    return name == "cuda" or name.startswith("ptx:")


def _backends(text: str) -> tuple[BackendName, ...]:
    wanted = text.split(",")
    if unknown := set(wanted) - set(BACKENDS):
        raise argparse.ArgumentTypeError(f"no backend {', '.join(sorted(unknown))}; there are {', '.join(BACKENDS)}")
    if "triton" in wanted and any(map(compiles, wanted)):
        raise argparse.ArgumentTypeError("triton runs in its interpreter, which cannot compile: run them apart")
    return tuple(name for name in BACKENDS if name in wanted)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument(
        "--first", type=int, nargs="+", help="number of the first universe; by default the ledger's next, or any"
    )
    parser.add_argument("--cases", type=int, default=1 << 62, help="how many, at most")
    parser.add_argument("--backends", type=_backends, default=("ir",), help=f"some of {','.join(BACKENDS)}; default ir")
    parser.add_argument("--failures", type=Path, default=Path("fuzz-failures"), help="where reproducers are written")
    parser.add_argument("--ledger", type=Path, help="a JSON file that the results are added to")
    parser.add_argument("--again", type=Path, nargs="+", help="check these sources only, as cases of numbers --first")
    options = parser.parse_args()
    torch.set_num_threads(1)
    if not any(map(compiles, options.backends)):
        interpret()  # it compiles nothing then
    gc.disable()  # a fifth of the time; what it would find is collected after each batch
    backends: tuple[BackendName, ...] = options.backends
    if options.again is not None:
        for path, number in zip(options.again, options.first or [0] * len(options.again), strict=True):
            print(path, flush=True)
            source = path.read_text(encoding="utf-8")
            print(agree(source, checked(source), backends, case(number)).render(counts=True))
        return 0
    (first,) = options.first or [None]
    if first is None and options.ledger is not None:
        first = next_number(options.ledger, generator(), described(backends))
    first = random.SystemRandom().randrange(1 << 32) if first is None else first
    begin, fuzzer = time.monotonic(), Fuzzer(backends, options.failures)
    print(f"universes from number {first} on, backends {described(backends)}, {options.seconds:.0f} s", flush=True)
    until, last = begin + options.seconds, first + options.cases - 1
    total = Tally(generator(), "", "", "", first, first - 1)
    while total.last < first or (total.last < last and time.monotonic() < until and len(total.failed) < MOST_FAILURES):
        tally = fuzzer.batch(total.last + 1, last - total.last, until)
        if options.ledger is not None:
            record(options.ledger, tally)
        total.add(tally)
        print(f"  {total.clean} clean, {len(total.failed)} failed, {time.monotonic() - begin:.0f} s", flush=True)
    print(
        f"{total.clean} universes clean, numbers {total.first} to {total.last}, everything fired in {total.complete}; "
        f"{total.refused} were not valid, in {total.idle} less than {ENOUGH:.0%} fired; "
        f"{total.values:,} values compared, {total.fired} of {total.constructs} constructs fired; "
        f"{len(total.failed)} failures"
    )
    print("universes with: " + ", ".join(f"{kind} {total.kinds[kind]}" for kind in KINDS))
    return 1 if total.failed or total.clean == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
