"""The tables of the grammar are shipped as data: they are those of the grammar, and nothing else is read or written."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest
from lark.parsers.lalr_analysis import Shift

from hamletc.language import lalr, syntax, tables
from hamletc.language.build import maker
from hamletc.language.forms import forms_of
from hamletc.language.grammar import whole

TEXT = tables.GRAMMAR.read_text(encoding="utf-8")
TOWN = Path(__file__).parents[3] / "universes" / "town.hamlet"


@pytest.fixture(autouse=True, scope="module")
def _made_once() -> Iterator[None]:
    """Lark takes more than a second for the tables of a grammar."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lalr, "make", cache(lalr.make))
        yield


def test_the_shipped_tables_are_those_of_the_grammar(golden: Callable[[Path, str], None]) -> None:
    golden(tables.TABLES, lalr.tables_of(TEXT, tables.digest(TEXT)))


def test_they_do_what_lark_does() -> None:
    """State by state, from the first one on."""
    made = lalr.make(TEXT)
    table = made.parse_interactive().parser_state.parse_conf.parse_table
    rules, states, end, terminals = tables.tables()
    pairs = [(table.start_states["start"], 0)]
    met = dict(pairs)
    for pair in pairs:
        first, second = table.states[pair[0]], states[pair[1]]
        assert first.keys() == second.keys()
        for symbol, (action, argument) in first.items():
            if action is not Shift:
                rule = rules[-1 - second[symbol]]
                assert (rule.origin, rule.length) == (argument.origin.name, len(argument.expansion))
                assert rule.method == (argument.alias or argument.origin.name)
                assert rule.collapses == (argument.options.expand1 and not argument.alias)
                assert sum(rule.absent) == sum(argument.options.empty_indices)
            elif argument in met:
                assert met[argument] == second[symbol]
            else:
                met[argument] = second[symbol]
                pairs.append((argument, second[symbol]))
    assert len(pairs) > 400
    assert met[table.end_states["start"]] == end
    assert terminals == {t.pattern.value: t.name for t in made.terminals if t.pattern is not None}


def test_each_rule_that_makes_a_value_has_a_method() -> None:
    makes = [r for r in tables.tables().rules if not r.origin.startswith("_") and (not r.collapses or r.length > 1)]
    assert len(makes) > 100
    assert all(callable(maker(rule.method)) for rule in makes)


def test_tables_of_another_grammar_are_not_used(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """... by somebody who is about to change it."""
    text = TEXT.replace('"space" "none"', '"space" "none" "at"')
    assert text != TEXT
    (tmp_path / "grammar.lark").write_text(text, encoding="utf-8")
    monkeypatch.setattr(tables, "GRAMMAR", tmp_path / "grammar.lark")
    states = tables.tables.__wrapped__().states
    assert any("AT" in known and len(known) == 1 for known in states)


def test_tables_of_other_forms_are_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    """... by somebody who has changed how a node is written: they are made of a grammar that has it so."""
    made: list[str] = []

    def noted(grammar: str, _digest: int) -> str:
        made.append(whole(grammar))
        return tables.TABLES.read_text(encoding="utf-8")

    monkeypatch.setattr(lalr, "tables_of", noted)
    tables.tables.__wrapped__()
    assert made == []
    forms_of.cache_clear()
    monkeypatch.setattr(syntax.ClockDecl, "form", "clock at $hours hour|hours")
    tables.tables.__wrapped__()
    forms_of.cache_clear()
    (grammar,) = made
    assert re.search('"clock" "at" ', grammar)


def test_reading_a_universe_needs_nothing_of_lark() -> None:
    check = "import sys; from hamletc.cli.main import hamletc; hamletc(['check', sys.argv[1]], standalone_mode=False)"
    rest = "; print([name for name in ('lark', 'numpy', 'torch', 'difflib') if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", check + rest, str(TOWN)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "[]"


def test_checking_reads_and_writes_no_cache(tmp_path: Path) -> None:
    """What lies where lark's pickle used to be is not looked at."""
    cache = tmp_path / "hamletc"
    cache.mkdir()
    harmful = b"cposix\nsystem\n(S'touch " + bytes(tmp_path / "harm") + b"'\ntR."
    (cache / "grammar.pickle").write_bytes(harmful)
    command = [sys.executable, "-c", "from hamletc.cli.main import main; main()", "check", str(TOWN)]
    environment = os.environ | {"XDG_CACHE_HOME": str(tmp_path)}
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr
    assert "no problems" in done.stdout
    assert [path.name for path in tmp_path.rglob("*")] == ["hamletc", "grammar.pickle"]
