"""A million inputs that nobody would write: each is checked, and none may end in a traceback, take more than 5 seconds
of CPU time, or more than 1 GB of memory.

    python tests/soak/run.py --count 1000000 --ledger benchmarks/results/soak.json
    python tests/soak/run.py --first 4711 --count 1

Inputs are functions of their numbers (`inputs.py`). With a ledger a run goes on behind the last number that is in it.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import platform
import resource
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any

from inputs import KINDS, Input, made

from hamletc.compile import check
from hamletc.errors import CompileError, SourceError
from hamletc.frontend import Stopwatch
from hamletc.language.formatter import format_source
from hamletc.read import read_universe

LONGEST_SECONDS = 5.0
MOST_BYTES = 1 << 30
COUNTED = ("inputs", "accepted", "refused", "codes")
SHARE = 500
"""So many inputs are handed to a process at a time."""


class TooLongError(Exception):
    """An input took more than `LONGEST_SECONDS`."""


@dataclass(slots=True)
class Tally:
    """What happened to inputs.

    Attributes:
        inputs, accepted, refused: how many, by kind.
        codes: in how many inputs a diagnostic was met.
        faults: the numbers of inputs that ended in something else than a universe or diagnostics, and what that was.
        slowest: the most seconds of CPU time that one took, and its number.
        megabytes: the most that a process had.
    """

    inputs: Counter[str] = field(default_factory=Counter)
    accepted: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    codes: Counter[str] = field(default_factory=Counter)
    faults: list[tuple[int, str]] = field(default_factory=list)
    slowest: tuple[float, int] = (0.0, -1)
    megabytes: int = 0

    def add(self, other: Tally) -> None:
        """Both together."""
        self.inputs += other.inputs
        self.accepted += other.accepted
        self.refused += other.refused
        self.codes += other.codes
        self.faults += other.faults
        self.slowest = max(self.slowest, other.slowest)
        self.megabytes = max(self.megabytes, other.megabytes)


def judge(given: Input, folder: Path) -> tuple[bool, set[str]]:
    """Whether an input is a universe, and the codes of what is said about it. A text is formatted too."""
    path = folder / f"pack{len(given.files)}" if given.kind == "pack" else folder / "a.hamlet"
    if given.kind == "pack":
        path.mkdir(exist_ok=True)
        for old in path.iterdir():
            old.unlink()
        for name, contents in given.files.items():
            (path / name).write_bytes(contents)
    else:
        path.write_bytes(given.files["a.hamlet"])
    try:
        reading = read_universe(path, Stopwatch())
        if given.kind != "pack":
            format_source(reading.sources[0].text)
        checked = check(reading)
    except SourceError as error:
        return False, {diagnostic.code for diagnostic in error.diagnostics}
    except CompileError:
        return False, set()
    return True, {diagnostic.code for file in checked.warnings for diagnostic in file.diagnostics}


def tried(numbers: range) -> Tally:
    """What happens to the inputs of these numbers."""
    tally = Tally()
    signal.signal(signal.SIGPROF, _stop)
    with tempfile.TemporaryDirectory(dir="/dev/shm" if Path("/dev/shm").is_dir() else None) as folder:
        for number in numbers:
            given = made(number)
            tally.inputs[given.kind] += 1
            begin = time.process_time()
            signal.setitimer(signal.ITIMER_PROF, LONGEST_SECONDS)
            try:
                accepted, codes = judge(given, Path(folder))
            except Exception as error:
                tally.faults.append((number, traceback.format_exception_only(error)[-1].strip()))
            else:
                (tally.accepted if accepted else tally.refused)[given.kind] += 1
                tally.codes.update(codes)
            finally:
                signal.setitimer(signal.ITIMER_PROF, 0)
            tally.slowest = max(tally.slowest, (time.process_time() - begin, number))
    tally.megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
    return tally


def _stop(_number: int, _frame: FrameType | None) -> None:
    raise TooLongError(f"more than {LONGEST_SECONDS:.0f} s")


def _limit() -> None:
    resource.setrlimit(resource.RLIMIT_DATA, (MOST_BYTES, MOST_BYTES))


def shares(first: int, count: int) -> Iterator[range]:
    """The numbers in shares."""
    for begin in range(first, first + count, SHARE):
        yield range(begin, min(begin + SHARE, first + count))


def report(tally: Tally, first: int, last: int, seconds: float) -> dict[str, Any]:
    """What a ledger keeps."""
    commit = subprocess.run(["git", "rev-parse", "HEAD"], capture_output=True, text=True, cwd=Path(__file__).parent)
    return {
        "command": "python tests/soak/run.py --ledger benchmarks/results/soak.json",
        "first": first,
        "last": last,
        "total": sum(tally.inputs.values()),
        "seconds_of_cpu": round(seconds),
        "commit": commit.stdout.strip(),
        "python": platform.python_version(),
        **{name: dict(sorted(getattr(tally, name).items())) for name in COUNTED},
        "slowest": tally.slowest,
        "megabytes": tally.megabytes,
        "faults": tally.faults,
    }


def resumed(ledger: Path | None) -> tuple[Tally, int, float]:
    """What a ledger has, the number that is next, and the seconds so far."""
    if ledger is None or not ledger.exists():
        return Tally(), 0, 0.0
    kept = json.loads(ledger.read_text())
    counters = {name: Counter(kept[name]) for name in COUNTED}
    faults = [(number, line) for number, line in kept["faults"]]
    slowest = (kept["slowest"][0], kept["slowest"][1])
    tally = Tally(**counters, faults=faults, slowest=slowest, megabytes=kept["megabytes"])
    return tally, kept["last"] + 1, kept["seconds_of_cpu"]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--first", type=int, help="by default the one behind the last one in the ledger, or 0")
    parser.add_argument("--count", type=int, default=1_000_000, help="up to so many inputs in all")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="stop after so many")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--ledger", type=Path)
    asked = parser.parse_args()
    tally, first, used = resumed(asked.ledger)
    if asked.first is not None:
        tally, first, used = Tally(), asked.first, 0.0
    begin, next_ = time.monotonic(), first
    remaining = max(asked.count - (0 if asked.first is not None else first), 0)
    with multiprocessing.Pool(asked.jobs, _limit) as pool:
        for numbers, one in zip(shares(first, remaining), pool.imap(tried, shares(first, remaining)), strict=True):
            tally.add(one)
            next_ = numbers.stop
            if asked.ledger is not None:
                cpu = used + asked.jobs * (time.monotonic() - begin)
                asked.ledger.write_text(json.dumps(report(tally, 0, next_ - 1, cpu), indent=1) + "\n")
            if time.monotonic() - begin > asked.seconds:
                pool.terminate()
                break
    print(json.dumps(report(tally, first, next_ - 1, time.monotonic() - begin), indent=1))
    done = all(tally.inputs[kind] for kind in KINDS) or asked.first is not None
    return 1 if tally.faults or not done or not sum(tally.refused.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
