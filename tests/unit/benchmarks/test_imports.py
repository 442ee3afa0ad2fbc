"""Scripts that no test runs import what there is: benchmarks, long runs, examples."""

from __future__ import annotations

import ast
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
SCRIPTS = sorted(path for folder in ("benchmarks", "tests", "examples") for path in (ROOT / folder).rglob("*.py"))
OURS = ("hamlet", "hamletc", "hamlet_lab", "hamlet_townlet")


def imported(path: Path) -> list[tuple[str, str]]:
    """The names that a script imports from our packages, with their modules."""
    nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    found = [node for node in nodes if isinstance(node, ast.ImportFrom) and node.module and not node.level]
    return [(str(n.module), a.name) for n in found if str(n.module).partition(".")[0] in OURS for a in n.names]


def exists(module: str, name: str) -> bool:
    if hasattr(import_module(module), name):
        return True
    try:
        import_module(f"{module}.{name}")
    except ImportError:
        return False
    return True


def test_scripts_import_what_there_is() -> None:
    pytest.importorskip("triton")
    wanted = {(path, *each) for path in SCRIPTS for each in imported(path)}
    assert len(wanted) > 500
    assert sorted(str(path.relative_to(ROOT)) for path, *each in wanted if not exists(*each)) == []
