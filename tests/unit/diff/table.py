"""python tests/unit/diff/table.py: seeds ten faults and writes what `hamletc diff` says of each to
benchmarks/results/diff.md."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from faults import EFFORT, FAULTS, TOY, Fault

from hamlet_lab.diff.diff import diff
from hamlet_lab.diff.report import Report

RESULTS = Path(__file__).parents[3] / "benchmarks" / "results" / "diff.md"
COMES_FROM = "it comes from "
HEAD = """# Ten seeded faults, and where `hamletc diff` finds them

Made by `make faults`; `tests/unit/diff/test_ten_faults.py` checks each. All are seeded into one small universe:

```text
{toy}```

| fault | seeded | to blame | found in | at | left | right |
|---|---|---|---|---|---|---|
"""


def report_of(fault: Fault) -> Report:
    """What is said of a fault."""
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        return diff(*fault.sides(Path(folder), patch), EFFORT, 0)


def row(fault: Fault, report: Report) -> str:
    """A line of the table."""
    finding = report.finding
    assert finding is not None
    source = finding.right.source or finding.left.source
    notes = "; ".join(note.removeprefix(COMES_FROM) for note in finding.notes if note.startswith(COMES_FROM))
    line = notes or ("" if source is None else source.construct)
    if source is not None and source.line:
        line = f"{source.construct}, line {source.line}"
    values = (str(glimpse.value) for glimpse in (finding.left, finding.right))
    cells = [fault.name, fault.seeded, finding.blame, finding.phase, line, *values]
    return f"| {' | '.join(cells)} |"


def main() -> None:
    """Write the table, then the reports in full."""
    reports = [(fault, report_of(fault)) for fault in FAULTS]
    table = "\n".join(row(fault, report) for fault, report in reports)
    full = "\n".join(
        f"## {fault.name[0].upper()}{fault.name[1:]}\n\n```text\n{report.render()}\n```\n" for fault, report in reports
    )
    RESULTS.write_text(f"{HEAD.format(toy=TOY)}{table}\n\n{full}", encoding="utf-8")
    print(RESULTS)


if __name__ == "__main__":
    main()
