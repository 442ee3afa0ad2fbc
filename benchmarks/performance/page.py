"""Puts the numbers of benchmarks/results/*.json into docs/performance.md, docs/ports.md and README.md, and draws the
plots:

    python benchmarks/performance/page.py          (or: make performance)
    python benchmarks/performance/page.py --check  exit code 1 if a page is not what the results say

A region of a page begins with `<!-- begin NAME -->` and ends with `<!-- end NAME -->`; NAME is a function in tables.py,
counted.py, measured.py or ported.py.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from pathlib import Path

import measured
import ported
import tables
from reports import Report, Table

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "benchmarks" / "results"
PAGES = (ROOT / "docs" / "performance.md", ROOT / "docs" / "ports.md", ROOT / "README.md")
TABLES: dict[str, Table] = tables.TABLES | {"ports": ported.ports, "gpu": measured.gpu}
PLOTS = ROOT / "docs" / "performance"
REGION = re.compile(r"(<!-- begin (\w+) -->\n).*?(<!-- end \2 -->)", re.DOTALL)


def results(folder: Path) -> dict[str, Report]:
    """The reports by name of their file."""
    return {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.json"))}


def filled(text: str, reports: dict[str, Report]) -> str:
    """A page with its regions written anew.

    Raises:
        KeyError: a region has a name that no table has.
    """
    return REGION.sub(lambda found: f"{found[1]}\n{TABLES[found[2]](reports).strip()}\n\n{found[3]}", text)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing")
    arguments = parser.parse_args()
    reports = results(RESULTS)
    stale = []
    for page in PAGES:
        before = page.read_text(encoding="utf-8")
        after = filled(before, reports)
        if after != before:
            stale.append(page.relative_to(ROOT))
            if not arguments.check:
                page.write_text(after, encoding="utf-8")
    if not arguments.check:
        from plots import draw_scaling

        for name, report in reports.items():
            if name.startswith("scaling_"):
                draw_scaling(report, name.removeprefix("scaling_"), PLOTS)
    print(f"{'not up to date' if arguments.check else 'written'}: {', '.join(map(str, stale)) or 'nothing'}")
    return 1 if arguments.check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
