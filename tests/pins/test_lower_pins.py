"""The table of lower ends: a row for each package, and what it says of a report."""

from __future__ import annotations

from pathlib import Path

import lower

REPORT = """<testsuites><testsuite>
<testcase classname="tests.adapters.test_sb3" name="one"/>
<testcase classname="tests.adapters.test_sb3" name="two"><failure>no</failure></testcase>
<testcase classname="tests.adapters.test_sb3" name="three"><skipped/></testcase>
<testcase classname="" name="tests.adapters.test_rsl_rl"><error>it does not import</error></testcase>
</testsuite></testsuites>"""


def test_each_package_is_tried() -> None:
    assert set(lower.TRIED) == set(lower.ranges())
    assert all((lower.ROOT / file).is_file() for some in lower.TRIED.values() for file in some)
    assert all(each.startswith(">=") for each in lower.ranges().values())


def test_table(tmp_path: Path) -> None:
    report = tmp_path / "report.xml"
    report.write_text(REPORT)
    files = sorted({file for some in lower.TRIED.values() for file in some})
    found = lower.read(report, files)
    page = lower.table(lower.ranges(), dict.fromkeys(lower.TRIED, "1.2.3"), found)
    assert "| `tests/adapters/test_sb3.py` | 1 passed, 1 **failed**, 1 skipped |" in page
    assert "| `tests/adapters/test_rsl_rl.py` | 1 **failed** |" in page
    assert "| `tests/adapters/test_torchrl.py` | nothing ran |" in page
    assert page.count("\n| ") == len(lower.TRIED) + 1
