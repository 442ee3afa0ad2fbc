"""Random universes as each supported Triton compiles them, executed as PTX and compared with the interpreter:

    python tests/equivalence/ptx_of_tritons.py --cases 10 --ledger benchmarks/results/fuzz_tritons.json

runs the same universes with each Triton, in the environments that `make tritons` makes, all at the same time, and adds
a row for each to the ledger. The exit status is 1 where something differed.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(1, str(Path(__file__).parents[1]))
sys.path.insert(2, str(Path(__file__).parents[1] / "static"))

from cases import generator
from ledger import next_number, read, record
from tritons import TRITONS, environment

HERE = Path(__file__).parent
ROOT = HERE.parents[1]


def fuzzed(python: Path, options: list[str], ledger: Path) -> int:
    """The exit status of a run in an environment, which writes a ledger of its own."""
    clean = {name: value for name, value in os.environ.items() if name != "TRITON_INTERPRET"}
    command: list[str | Path] = [python, HERE / "fuzz.py", *options, "--ledger", ledger]
    return subprocess.run(command, env=clean, stdout=sys.stderr).returncode


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=10, help="universes of each Triton (default: %(default)s)")
    parser.add_argument("--first", type=int, help="number of the first one; by default the ledger's next")
    parser.add_argument("--capability", type=int, default=90, choices=(80, 90, 100), help="default: %(default)s")
    parser.add_argument("--triton", nargs="+", default=TRITONS, help="versions (default: %(default)s)")
    parser.add_argument("--environments", type=Path, default=ROOT / "build" / "tritons", help="where they are kept")
    parser.add_argument("--failures", type=Path, default=Path("fuzz-failures"), help="where reproducers are written")
    parser.add_argument("--ledger", type=Path, default=ROOT / "benchmarks" / "results" / "fuzz_tritons.json")
    asked = parser.parse_args()
    backend = f"ptx:sm_{asked.capability}"
    first = next_number(asked.ledger, generator(), backend) if asked.first is None else asked.first
    options = ["--seconds", "86400", "--first", str(first), "--cases", str(asked.cases), "--backends", backend]
    options += ["--failures", str(asked.failures.absolute())]
    pythons = [environment(asked.environments, version) for version in asked.triton]
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(len(pythons)) as all_of_them:
        ledgers = [Path(folder, f"{version}.json") for version in asked.triton]
        failed = list(all_of_them.map(lambda python, own: fuzzed(python, options, own), pythons, ledgers))
        for run in (each for own in ledgers for each in read(own)):
            record(asked.ledger, run)
    return int(any(failed))


if __name__ == "__main__":
    sys.exit(main())
