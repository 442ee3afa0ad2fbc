from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from hamletc.language import tables
from hamletc.language.build import Builder
from hamletc.language.generate import generate

GRAMMAR = (tables.FOLDER / "grammar.lark").read_text(encoding="utf-8")


def test_the_tables_are_those_of_the_grammar(golden: Callable[[Path, str], None]) -> None:
    golden(tables.FOLDER / "tables.json", tables.text(generate(GRAMMAR)))


def test_every_rule_is_built() -> None:
    built = {rule.builds for rule in tables.tables().rules} - {tables.LIST, tables.ONLY}
    assert built == {name for name in vars(Builder) if not name.startswith("_")}


def test_another_grammar_has_its_own_tables(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "grammar.lark").write_text(GRAMMAR.replace('"universe"', '"cosmos"'), encoding="utf-8")
    (tmp_path / "tables.json").write_text((tables.FOLDER / "tables.json").read_text(encoding="utf-8"), encoding="utf-8")
    monkeypatch.setattr(tables, "FOLDER", tmp_path)
    other = tables.tables.__wrapped__()
    assert "cosmos" in other.terminals
    assert "universe" not in other.terminals
    assert len(other.states) == len(tables.tables().states)
