"""python tests/unit/diff/table.py: seeds ten faults and writes what `hamletc diff` says of each to
benchmarks/results/diff.md."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from faults import EFFORT, FAULTS, TOY, Fault

from hamlet_lab.diff.diff import diff
from hamlet_lab.verify import Comparison

COMES_FROM = "it comes from "
RESULTS = Path(__file__).parents[3] / "benchmarks" / "results" / "diff.md"
HEAD = """# Ten seeded faults, and where `hamletc diff` finds them

Made by `make faults`; `tests/unit/diff/test_ten_faults.py` checks each. All are seeded into one small universe:

```text
{toy}```

| fault | seeded | to blame | found in | at | left | right |
|---|---|---|---|---|---|---|
"""


def report_of(fault: Fault) -> Comparison:
    """What is said of a fault."""
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        return diff(*fault.sides(Path(folder), patch), EFFORT, 0)


def row(fault: Fault, report: Comparison) -> str:
    """A line of the table."""
    found = report.divergence
    assert found is not None
    cause = found.cause
    assert cause is not None
    source = cause.right.source or cause.left.source
    noted = [note.removeprefix(COMES_FROM) for note in cause.notes if note.startswith(COMES_FROM)]
    wrong_line = cause.right.source
    line = wrong_line.construct if wrong_line is not None else "; ".join(noted or map(str, found.writers))
    if source is not None and source.line:
        line = f"{source.construct}, line {source.line}"
    values = (str(glimpse.value) for glimpse in (cause.left, cause.right))
    cells = [fault.name, fault.seeded, cause.blame, cause.phase, line, *values]
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
