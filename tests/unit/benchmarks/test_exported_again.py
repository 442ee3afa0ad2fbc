"""`benchmarks/exported.py --resume`: it goes on with a file of its own, and says in a line that there is none."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

BENCHMARKS = Path(__file__).resolve().parents[3] / "benchmarks"


@pytest.fixture
def exported(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Any]:
    """benchmarks is no package: its files run as scripts, and this one changes paths and a variable."""
    monkeypatch.setattr(sys, "path", [str(BENCHMARKS), *sys.path])
    monkeypatch.setenv("HAMLET_THREADS", os.environ.get("HAMLET_THREADS", "1"))
    import exported

    monkeypatch.setattr(exported, "RESULTS", tmp_path / "exported.json")
    monkeypatch.setattr(exported, "rates", lambda _: pytest.fail("it measures anew"))
    monkeypatch.setattr(sys, "argv", ["exported.py", "--resume", "--minutes", "0"])
    yield exported
    for name in ("exported", "facts"):
        sys.modules.pop(name, None)


@pytest.mark.parametrize(
    "text",
    ["", "{", "[1, 2]", "7", "{}", '{"facts": {}, "rates": []}', '{"town": []}'],
    ids=lambda text: text or "empty",
)
def test_a_file_of_something_else_is_told_in_a_line_and_stays(exported: Any, text: str) -> None:
    exported.RESULTS.write_text(text)
    with pytest.raises(SystemExit) as ended:
        exported.main()
    line = f"error: {exported.RESULTS} holds no results of this command: leave out --resume to begin it"
    assert ended.value.code == line
    assert exported.RESULTS.read_text() == text


def test_no_file_is_told_in_a_line(exported: Any) -> None:
    with pytest.raises(SystemExit) as ended:
        exported.main()
    assert ended.value.code == f"error: there is no {exported.RESULTS}: leave out --resume to begin it"
    assert not exported.RESULTS.exists()


def test_it_goes_on_with_its_own(exported: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """Without a minute left it prints what is there."""
    text = (BENCHMARKS / "results" / "exported.json").read_text()
    exported.RESULTS.write_text(text)
    with pytest.raises(SystemExit) as ended:
        exported.main()
    assert ended.value.code is False
    assert json.loads(capsys.readouterr().out) == json.loads(text)
