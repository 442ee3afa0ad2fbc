"""The tables of the grammar are shipped as data: they are those of the grammar, and nothing else is read or written."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import lark
import pytest
from lark.parsers.lalr_analysis import Shift

from hamletc.language import lalr

SHIPPED = Path(lalr.__file__).with_name(lalr.TABLES)
TOWN = Path(__file__).parents[3] / "universes" / "town.hamlet"


def compare(one: lark.Lark, other: lark.Lark) -> int:
    """How many states two parsers have, which do the same, state by state."""
    tables = [each.parse_interactive().parser_state.parse_conf.parse_table for each in (one, other)]
    pairs = [tuple(table.start_states["start"] for table in tables)]
    met = dict(pairs)
    for pair in pairs:
        first, second = (table.states[state] for table, state in zip(tables, pair, strict=True))
        assert first.keys() == second.keys()
        for symbol, (action, argument) in first.items():
            also, same = second[symbol]
            assert action is also
            if action is not Shift:
                assert json.dumps(argument.serialize()) == json.dumps(same.serialize())
            elif argument in met:
                assert met[argument] == same
            else:
                met[argument] = same
                pairs.append((argument, same))
    assert met[tables[0].end_states["start"]] == tables[1].end_states["start"]
    return len(pairs)


def test_the_shipped_tables_are_those_of_the_grammar(golden: Callable[[Path, str], None]) -> None:
    golden(SHIPPED, lalr.tables_of(lalr.grammar_text()))


def test_they_do_what_lark_does(monkeypatch: pytest.MonkeyPatch) -> None:
    made = lalr.make(lalr.grammar_text())

    def refuse(*_arguments: object) -> None:
        raise AssertionError("the grammar is read again")

    monkeypatch.setattr("lark.lark.load_grammar", refuse)
    loaded = lalr.load(lalr.grammar_text(), lalr.shipped())
    assert compare(made, loaded) > 400
    terminals = [{t.name: t.pattern.value for t in each.terminals} for each in (made, loaded)]
    assert terminals[0] == terminals[1]


def test_tables_of_another_grammar_are_not_used() -> None:
    """... by somebody who is about to change it."""
    text = lalr.grammar_text().replace('"clock" signed', '"clock" "at" signed')
    assert text != lalr.grammar_text()
    states = lalr.load(text, lalr.shipped()).parse_interactive().parser_state.parse_conf.parse_table.states
    assert any("AT" in known and len(known) == 1 for known in states.values())


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
