"""python wire.py [--backends c,triton | ptx:sm_90] [--only BASE] [--results FILE]

Changes every attribute of every construct (wiring/), and compares backends with the interpreter before and after each.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(1, str(Path(__file__).parents[1]))

import torch
from ledger import commit, versions
from wiring import BASES
from wiring.check import Bench

from on_interpreter import interpret


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--backends", default="ir")
    parser.add_argument("--only", help="a base")
    parser.add_argument("--results", type=Path, help="a JSON file that the result is written to")
    options = parser.parse_args()
    torch.set_num_threads(1)
    backends = tuple(options.backends.split(","))
    if not any(name.startswith("ptx:") for name in backends):
        interpret()  # it compiles nothing then
    begin, changes, compared = time.process_time(), 0, 0
    for base in BASES:
        if options.only in (None, base.name):
            bench = Bench(base, backends)
            for wire in base.wires:
                bench.check(wire)
                changes += 1
            compared += bench.compared
            print(f"{base.name}: {len(base.wires)} changes show", flush=True)
    seconds = time.process_time() - begin
    print(f"{changes} changes, {compared:,} values compared on {options.backends}, {seconds:.0f} s")
    if options.results is not None:
        known = json.loads(options.results.read_text(encoding="utf-8")) if options.results.exists() else {}
        found = {"changes": changes, "values": compared, "cpu_seconds": round(seconds), "commit": commit()}
        known[options.backends] = {**found, "versions": versions()}
        options.results.write_text(json.dumps(known, indent=1) + "\n", encoding="utf-8")
    return 0 if changes and compared else 1


if __name__ == "__main__":
    sys.exit(main())
